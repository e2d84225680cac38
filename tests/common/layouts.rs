//! Copies between random layouts: one seed determines shape, strides, cell, placement and options.
//!
//! Destination strides are injective by construction: dimensions are laid around each other, each
//! stride at least what the dimensions inside it span, or two of them interleave with coprime
//! strides. Source strides may be anything that stays inside the buffer.

use std::fmt::{self, Display};

use super::harness::{Footprint, OPEN_PAGES, Place, ROOM};
use super::pages::page_size;
use super::random::Random;

/// One copy.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) cell: usize,
    pub(crate) shape: Vec<usize>,
    pub(crate) src: Vec<isize>,
    pub(crate) dst: Vec<isize>,
    /// What each page holds of a source that stands between pages that fault.
    pub(crate) poisoned: Option<Footprint>,
    pub(crate) readable_gaps: bool,
    /// Two placements of source and destination.
    pub(crate) places: [(Place, Place); 2],
    /// Ranges for the run with threads.
    pub(crate) threads: usize,
}

/// Cells with a kernel of their own come up more often than the rest of 1..=32.
const CELLS: [usize; 18] = [1, 1, 2, 2, 3, 4, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 48];
/// Ranks, small ones more often.
const RANKS: [usize; 20] = [0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8];
const TILES: [usize; 4] = [2, 4, 8, 16];
/// Steps that divide nothing, in bytes.
const PRIMES: [isize; 8] = [3, 5, 7, 13, 61, 127, 251, 509];

impl Case {
    pub(crate) fn draw(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let cell = if random.one_in(4) {
            1 + random.below(32)
        } else {
            random.pick(&CELLS)
        };
        let shape = draw_shape(random, cell);
        let dst = loop {
            let strides = destination(random, cell, &shape);
            if fits(cell, &shape, &strides) {
                break strides;
            }
        };
        let (src, poisoned) = loop {
            let (strides, poisoned) = source(random, cell, &shape, &dst);
            if poisoned.is_some() || fits(cell, &shape, &strides) {
                break (strides, poisoned);
            }
        };
        let flush = [Place::Left, Place::Right];
        let (src_flush, dst_flush) = (random.pick(&flush), random.pick(&flush));
        let (src_at, dst_at) = (Place::At(random.below(64)), Place::At(random.below(64)));
        let mut case = Self {
            seed,
            cell,
            shape,
            src,
            dst,
            poisoned,
            // Readable gaps are a promise that poisoned pages would break.
            readable_gaps: poisoned.is_none() && random.one_in(2),
            places: [(src_flush, dst_flush), (src_at, dst_at)],
            threads: 2 + random.below(4),
        };
        case.scramble_unused_strides(random);
        case
    }

    pub(crate) fn src_footprint(&self) -> Footprint {
        Footprint::of(self.cell, &self.shape, &self.src).expect("the generator bounds it")
    }

    pub(crate) fn dst_footprint(&self) -> Footprint {
        Footprint::of(self.cell, &self.shape, &self.dst).expect("the generator bounds it")
    }

    /// Strides of extent 1, and all strides of a copy of nothing, must not matter.
    fn scramble_unused_strides(&mut self, random: &mut Random) {
        let empty = self.shape.contains(&0);
        if !random.one_in(4) {
            return;
        }
        for axis in (0..self.shape.len()).filter(|&axis| empty || self.shape[axis] == 1) {
            let wild = [
                isize::MIN,
                isize::MAX,
                0,
                1,
                -1,
                isize::MIN + 1,
                1 << 62,
                4096,
            ];
            self.src[axis] = random.pick(&wild);
            self.dst[axis] = random.pick(&wild);
        }
    }
}

fn fits(cell: usize, shape: &[usize], strides: &[isize]) -> bool {
    let footprint = Footprint::of(cell, shape, strides);
    footprint.is_some_and(|footprint| footprint.len() <= ROOM / 4)
}

fn draw_shape(random: &mut Random, cell: usize) -> Vec<usize> {
    let bytes = match random.below(64) {
        0 => 48 << 10,
        1..=8 => 8 << 10,
        _ => 1 << 10,
    };
    let most = (bytes / cell).max(1);
    // Once in a while more axes than a plan holds inline, as permuted tensors of pairs have.
    let deep = random.one_in(64);
    let rank = if deep {
        9 + random.below(6)
    } else {
        random.pick(&RANKS)
    };
    let mut cells = 1;
    let mut shape: Vec<usize> = (0..rank)
        .map(|_| {
            let wish = match random.below(24) {
                0 => usize::from(!random.one_in(4)),
                1 | 2 => 1,
                _ if deep => random.pick(&[1, 2, 2, 3]),
                3..=10 => 2 + random.below(8),
                11..=20 => random.pick(&TILES) - 1 + random.below(3),
                21 => 2 * random.pick(&TILES) - 1 + random.below(3),
                22 => random.pick(&[31, 33, 48, 63, 64, 65, 127, 129]),
                _ => 2,
            };
            let extent = wish.min(most / cells);
            cells *= extent.max(1);
            extent
        })
        .collect();
    random.shuffle(&mut shape);
    shape
}

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

fn flip_some(random: &mut Random, strides: &mut [isize]) {
    if random.one_in(3) {
        for stride in strides.iter_mut() {
            *stride *= random.sign();
        }
    }
}

fn destination(random: &mut Random, cell: usize, shape: &[usize]) -> Vec<isize> {
    let order = draw_order(random, shape.len());
    let nest = draw_nest(random, cell);
    let mut strides = nest.strides(random, cell, shape, &order);
    if random.one_in(16) {
        interleave_outer_two(random, shape, &order, &mut strides);
    }
    flip_some(random, &mut strides);
    strides
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

fn source(
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

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seed,
            cell,
            shape,
            src,
            dst,
            ..
        } = self;
        let gaps = match (self.readable_gaps, self.poisoned) {
            (true, _) => "readable",
            (false, None) => "forbidden",
            (false, Some(_)) => "poisoned",
        };
        write!(
            f,
            "RESTRIDE_CASE={seed:#x} cargo test --release --test campaign -- one_case\n\
             # from_bytes({cell}, &{shape:?}, &{src:?}, &{dst:?}), gaps {gaps}"
        )
    }
}
