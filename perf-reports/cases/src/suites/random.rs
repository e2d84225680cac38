//! Layouts that nobody thought of: `X.<size>.<seed>.<number>`, a function of these three and of nothing else, on every
//! machine and in every version. Cells of 1 to 48 bytes and one to seven axes, which are permuted, padded, stepped,
//! reversed or, in the source, repeated.
//!
//! Only whole numbers are drawn, as logarithms are not the same everywhere.

use crate::case::{Call, Case, Kind, Side};

/// The seed of the suite.
pub(super) const SEED: u64 = 0;
/// Cases of each size in the suite.
pub(super) const EACH: usize = 40;

/// Sizes by name, in bytes of a side, least and most: what a call costs, each level of the caches, memory.
const SIZES: [(&str, usize, usize); 5] = [
    ("call", 16, 512),
    ("l1", 2 << 10, 20 << 10),
    ("l2", 64 << 10, 512 << 10),
    ("l3", 2 << 20, 12 << 20),
    ("memory", 15 << 20, 60 << 20),
];

/// Bytes of cells, as often as they are drawn: those of numbers often, others now and then.
const CELLS: [usize; 24] = [
    1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 8, 8, 8, 8, 16, 16, 3, 6, 12, 24, 48,
];

/// Cells that a side spans at most, for each that is moved: memory is finite.
const SPARSEST: usize = 4;

/// `each` cases of every size.
pub(super) fn cases(seed: u64, each: usize) -> Vec<Case> {
    let sizes = SIZES.iter().enumerate();
    sizes
        .flat_map(|(size, _)| (0..each).map(move |number| case(seed, size, number)))
        .collect()
}

/// The case with this number.
fn case(seed: u64, size: usize, number: usize) -> Case {
    let (word, least, most) = SIZES[size];
    let mut random = Random::of([seed, size as u64, number as u64]);
    loop {
        let cell = random.pick(&CELLS);
        let bytes = random.between(least, most);
        let shape = random.shape(bytes / cell);
        let cells: usize = shape.iter().product();
        let src = random.side(&shape, false);
        let dst = random.side(&shape, true);
        let spans = [&src, &dst].map(|side| span(&shape, side));
        let bytes = cell * cells;
        if (least..=most).contains(&bytes) && spans.iter().all(|&span| span <= SPARSEST * cells) {
            return Case {
                name: format!("X.{word}.{seed}.{number}"),
                kind: Kind::Random,
                cell,
                shape,
                src,
                dst,
                call: Call::Prepared,
            };
        }
    }
}

/// Cells from the first to the last one that a side reaches.
fn span(shape: &[usize], side: &Side) -> usize {
    let axes = shape.iter().zip(&side.strides);
    let reaches = axes.map(|(extent, stride)| (extent - 1) * stride.unsigned_abs());
    1 + reaches.sum::<usize>()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    /// One seed out of several.
    fn of(seeds: [u64; 3]) -> Self {
        Self(
            seeds
                .into_iter()
                .fold(0, |seed, part| Self(seed ^ part).bits()),
        )
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// True so many times in a hundred.
    fn percent(&mut self, times: usize) -> bool {
        self.below(100) < times
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    /// A number from `least` to `most`, whose orders of magnitude are all as likely.
    fn between(&mut self, least: usize, most: usize) -> usize {
        let octaves = (most / least).ilog2() as usize;
        let low = least << self.below(octaves + 1);
        (low + self.below(low)).min(most)
    }

    /// Extents of about so many cells.
    fn shape(&mut self, cells: usize) -> Vec<usize> {
        let rank = self.pick(&[1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 7]);
        let mut left = cells.max(1);
        let mut shape: Vec<usize> = (1..rank)
            .rev()
            .map(|others| {
                let extent = self.extent(left, others + 1);
                left = (left / extent).max(1);
                extent
            })
            .collect();
        shape.push(left);
        self.shuffle(&mut shape);
        shape
    }

    /// An extent up to `most`, the cells of so many axes: short, a power of two, a multiple of eight or any.
    fn extent(&mut self, most: usize, axes: usize) -> usize {
        let octaves = most.ilog2() as usize;
        let power = 1 << self.below(octaves.min(2 * octaves / axes) + 1);
        let extent = match self.below(10) {
            0..3 => 2 + self.below(7),
            3..6 => power,
            6..8 => (power + self.below(power)).next_multiple_of(8),
            _ => power + self.below(power),
        };
        extent.min(most)
    }

    /// Strides of one side, from the innermost axis on: axes of a source in another order, most times.
    fn side(&mut self, shape: &[usize], is_dst: bool) -> Side {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if self.percent(if is_dst { 15 } else { 70 }) {
            self.shuffle(&mut order);
        } else if !is_dst && shape.len() > 1 && self.percent(50) {
            let at = self.below(shape.len() - 1);
            order.swap(at, at + 1);
        }
        let mut side = Side {
            strides: vec![0; shape.len()],
            offset: 0,
        };
        let mut stride = 1;
        for &axis in order.iter().rev() {
            let extent = shape[axis];
            let step = match self.percent(if is_dst { 2 } else { 6 }) {
                true => self.pick(&[2, 2, 2, 3, 4, 5, 8]),
                false => 1,
            };
            side.strides[axis] = (stride * step) as isize;
            stride *= extent * step;
            if self.percent(if is_dst { 5 } else { 12 }) {
                stride += stride / extent * self.pick(&[1, 1, 2, 3, 8, 16, extent]);
            }
        }
        for (&extent, stride) in shape.iter().zip(&mut side.strides) {
            if !is_dst && self.percent(3) {
                *stride = 0;
            } else if self.percent(if is_dst { 1 } else { 6 }) {
                side.offset += (extent - 1) * stride.unsigned_abs();
                *stride = -*stride;
            }
        }
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ones_are_what_they_always_were() {
        let words = |case: &Case| {
            let Case { cell, shape, .. } = case;
            let (src, dst) = (&case.src, &case.dst);
            format!(
                "{cell} {shape:?} {:?} {:?} {}",
                src.strides, dst.strides, src.offset
            )
        };
        let first: Vec<String> = cases(SEED, 1).iter().map(words).collect();
        let expected = [
            "1 [8, 1, 2, 1] [2, 1, 1, 1] [2, 2, 1, 1] 0",
            "3 [9, 256] [256, 1] [256, 1] 0",
            "2 [4, 32, 4, 321] [4, 5136, 1, 16] [41088, 1284, 321, 1] 0",
            "1 [179, 5, 32, 158] [37920, 7584, 1, -48] [25280, 5056, 158, 1] 7536",
            "2 [2484, 18, 617] [22212, 2, 36] [11106, 617, 1] 0",
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn sizes_hold_what_they_say_and_seeds_differ() {
        let (all, others) = (cases(SEED, EACH), cases(1, EACH));
        assert_eq!(all.len(), SIZES.len() * EACH);
        for (i, (case, other)) in all.iter().zip(&others).enumerate() {
            let (word, least, most) = SIZES[i / EACH];
            assert_eq!(case.name, format!("X.{word}.0.{}", i % EACH));
            assert_eq!(other.name, format!("X.{word}.1.{}", i % EACH));
            assert!((least..=most).contains(&case.side_bytes()), "{}", case.name);
            for side in [&case.src, &case.dst] {
                assert!(span(&case.shape, side) * case.cell <= SPARSEST * case.side_bytes());
            }
        }
        let same = all
            .iter()
            .zip(&others)
            .filter(|(one, other)| one.shape == other.shape);
        assert!(same.count() < all.len() / 20);
    }

    #[test]
    fn every_kind_of_layout_is_among_them() {
        let all = cases(SEED, EACH);
        let some = |has: fn(&Case) -> bool| all.iter().filter(|case| has(case)).count();
        let strides = |side: &Side| side.strides.clone();
        assert!(some(|case| case.src.strides.contains(&0)) > 5);
        assert!(some(|case| case.src.strides.iter().any(|&stride| stride < 0)) > 10);
        assert!(some(|case| case.dst.strides.iter().any(|&stride| stride < 0)) > 2);
        assert!(some(|case| span(&case.shape, &case.src) > case.shape.iter().product()) > 20);
        assert!(some(|case| span(&case.shape, &case.dst) > case.shape.iter().product()) > 10);
        assert!(
            all.iter()
                .filter(|case| strides(&case.src) != strides(&case.dst))
                .count()
                > 100
        );
        assert!((1..=7).all(|rank| all.iter().any(|case| case.shape.len() == rank)));
    }
}
