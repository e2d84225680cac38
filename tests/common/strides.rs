//! Strides for a shape: dense in any order, with gaps, sliced, flipped, interleaved, or anything.
//!
//! Destination strides are injective by construction: dimensions are laid around each other, each
//! stride at least what the dimensions inside it span, or two of them interleave with coprime
//! strides. Source strides may be anything that stays inside the buffer.

use super::harness::{Footprint, OPEN_PAGES};
use super::pages::page_size;
use super::random::Random;

/// Steps that divide nothing, in bytes.
const PRIMES: [isize; 8] = [3, 5, 7, 13, 61, 127, 251, 509];

/// How dimensions are laid around each other.
struct Nest {
    /// Bytes that the innermost things take: at least a cell.
    unit: isize,
    /// Whether strides are multiples of the cell.
    whole_cells: bool,
    /// One in so many dimensions gets a gap.
    gaps_in: usize,
}

impl Nest {
    /// Strides with the axes of `order` laid around each other, the first one innermost.
    fn strides(
        &self,
        random: &mut Random,
        cell: usize,
        shape: &[usize],
        order: &[usize],
    ) -> Vec<isize> {
        let mut strides = vec![0; shape.len()];
        let mut span = self.unit;
        for &axis in order {
            let gap = if random.one_in(self.gaps_in) {
                self.gap(random, cell, span)
            } else {
                0
            };
            strides[axis] = span + gap;
            if shape[axis] > 1 {
                span += (shape[axis] as isize - 1) * strides[axis];
            }
        }
        strides
    }

    fn gap(&self, random: &mut Random, cell: usize, span: isize) -> isize {
        let cell = cell as isize;
        match random.below(4) {
            0 if !self.whole_cells => random.pick(&PRIMES),
            1 => span,
            2 => 2 * span,
            _ => cell * (1 + random.below(5) as isize),
        }
    }
}

fn draw_nest(random: &mut Random, cell: usize) -> Nest {
    let cell = cell as isize;
    let whole_cells = !random.one_in(6);
    let gaps_in = random.pick(&[usize::MAX >> 33, usize::MAX >> 33, 4, 2]);
    let unit = match random.below(8) {
        0 => random.pick(&[2, 3, 4]) * cell,
        1 if !whole_cells => cell + random.pick(&PRIMES),
        _ => cell,
    };
    Nest {
        unit,
        whole_cells,
        gaps_in,
    }
}

/// An order of the axes, innermost first: row-major, column-major or any.
fn draw_order(random: &mut Random, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).rev().collect();
    match random.below(4) {
        0 | 1 => {}
        2 => order.reverse(),
        _ => random.shuffle(&mut order),
    }
    order
}

pub(crate) fn flip_some(random: &mut Random, strides: &mut [isize]) {
    if random.one_in(3) {
        for stride in strides.iter_mut() {
            *stride *= random.sign();
        }
    }
}

pub(crate) fn destination(random: &mut Random, cell: usize, shape: &[usize]) -> Vec<isize> {
    let order = draw_order(random, shape.len());
    let nest = draw_nest(random, cell);
    let mut strides = nest.strides(random, cell, shape, &order);
    if random.one_in(16) {
        interleave_outer_two(random, shape, &order, &mut strides);
    }
    flip_some(random, &mut strides);
    strides
}

/// Strides of both sides with axis `dst_unit` innermost in the destination and `src_unit` in the
/// source: what transposes and interleaves are made of.
pub(crate) fn crossed(
    random: &mut Random,
    cell: usize,
    shape: &[usize],
    [src_unit, dst_unit]: [usize; 2],
) -> [Vec<isize>; 2] {
    [src_unit, dst_unit].map(|unit| {
        let mut order = draw_order(random, shape.len());
        order.retain(|&axis| axis != unit);
        order.insert(0, unit);
        let mut nest = draw_nest(random, cell);
        nest.unit = cell as isize;
        let mut strides = nest.strides(random, cell, shape, &order);
        // No gap inside a row: the unit dimension stays one.
        strides[unit] = cell as isize;
        if random.one_in(4) {
            flip_some(random, &mut strides);
        }
        strides
    })
}

/// Gives the two outermost dimensions strides `p * unit` and `q * unit` with coprime p and q and
/// fewer than q + 1 indices along p: neither lies around the other, and no two indices meet, since
/// `i * p = j * q (mod q)` forces i to be 0 or at least q.
fn interleave_outer_two(
    random: &mut Random,
    shape: &[usize],
    order: &[usize],
    strides: &mut [isize],
) {
    let [.., inner, outer] = *order else { return };
    let unit = strides[inner];
    let q = shape[inner].max(2) + random.below(4);
    let p = (2..q).find(|&p| gcd(p, q) == 1).unwrap_or(1);
    strides[inner] = p as isize * unit;
    strides[outer] = q as isize * unit;
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub(crate) fn source(
    random: &mut Random,
    cell: usize,
    shape: &[usize],
    dst: &[isize],
) -> (Vec<isize>, Option<Footprint>) {
    let rank = shape.len();
    let mut strides = match random.below(16) {
        // Follows the destination: long runs, merges.
        0 | 1 => dst.to_vec(),
        2..=5 => {
            let mut order = by_stride(dst);
            match random.below(3) {
                0 => order.reverse(),
                1 if rank > 1 => order.swap(0, 1),
                _ => order.rotate_left(random.below(rank.max(1))),
            }
            draw_nest(random, cell).strides(random, cell, shape, &order)
        }
        6..=10 => {
            let mut order: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut order);
            draw_nest(random, cell).strides(random, cell, shape, &order)
        }
        11 | 12 => return poisoned(random, cell, shape),
        // Anything: repeated, reversed, overlapping, prime.
        _ => {
            let c = cell as isize;
            let steps = [0, c, -c, 2 * c, 3 * c, 4 * c, -2 * c, 64, -3 * c];
            let any = |random: &mut Random| match random.below(3) {
                0 => random.sign() * random.pick(&PRIMES),
                _ => random.pick(&steps),
            };
            (0..rank).map(|_| any(random)).collect()
        }
    };
    if random.one_in(6) {
        let some = strides.iter_mut();
        some.filter(|_| random.one_in(3))
            .for_each(|stride| *stride = 0);
    }
    flip_some(random, &mut strides);
    (strides, None)
}

/// The axes by ascending size of their stride.
fn by_stride(strides: &[isize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..strides.len()).collect();
    order.sort_by_key(|&axis| strides[axis].unsigned_abs());
    order
}

/// A source of which each accessible page holds the inner dimensions, and every second page faults.
/// Falls back to a dense one where the shape does not allow it.
fn poisoned(random: &mut Random, cell: usize, shape: &[usize]) -> (Vec<isize>, Option<Footprint>) {
    let order = draw_order(random, shape.len());
    let nest = draw_nest(random, cell);
    let mut strides = nest.strides(random, cell, shape, &order);
    flip_some(random, &mut strides);
    let inner = random.below(shape.len() + 1);
    let (inside, outside) = order.split_at(inner);
    let part = |axes: &[usize]| -> (Vec<usize>, Vec<isize>) {
        axes.iter()
            .map(|&axis| (shape[axis], strides[axis]))
            .unzip()
    };
    let (extents, steps) = part(inside);
    let pages: usize = outside.iter().map(|&axis| shape[axis]).product();
    let window = Footprint::of(cell, &extents, &steps);
    let window = window.filter(|window| window.len() <= page_size());
    let (Some(window), 2..=OPEN_PAGES, false) = (window, pages, shape.contains(&0)) else {
        return (strides, None);
    };
    let mut stride = 2 * page_size() as isize;
    for &axis in outside {
        strides[axis] = random.sign() * stride;
        stride *= shape[axis] as isize;
    }
    (strides, Some(window))
}
