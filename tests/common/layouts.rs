//! Copies between random layouts: one seed determines shape, strides, cell, placement and options.

use std::fmt::{self, Display};

use super::harness::{Footprint, Place, ROOM};
use super::random::Random;
use super::strides;

/// Bytes of a buffer for [`Case::draw_large`].
pub(crate) const LARGE_ROOM: usize = if cfg!(debug_assertions) {
    4 << 20
} else {
    32 << 20
};
/// Bytes of cells in such a case, at most.
const LARGE_BYTES: usize = LARGE_ROOM / 8;
/// Bytes of a buffer for [`Case::draw_huge`].
pub(crate) const HUGE_ROOM: usize = 64 << 20;

#[derive(Clone, Copy)]
enum Size {
    Small,
    Large,
    Huge,
}

/// One copy.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    /// The test binary that draws it, if it is drawn.
    pub(crate) test: Option<&'static str>,
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
    /// Whether it is drawn for what only some stores reach, and so to be run in all ways.
    pub(crate) thorough: bool,
}

/// Cells with a kernel of their own come up more often than the rest of 1..=32.
const CELLS: [usize; 18] = [1, 1, 2, 2, 3, 4, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 48];
/// Ranks, small ones more often.
const RANKS: [usize; 20] = [0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8];
const TILES: [usize; 4] = [2, 4, 8, 16];
/// Bytes of a block at most: more than any kernel permutes as one.
const PERMUTED: usize = 400;
/// The same, and what is streamed from a stage.
const BLOCKS: [usize; 4] = [PERMUTED, PERMUTED, 3 << 10, 8 << 10];

impl Case {
    /// A copy of cells of so many bytes at such strides, in bytes, in every way.
    pub(crate) fn thorough(cell: usize, shape: &[usize], src: &[isize], dst: &[isize]) -> Self {
        Self {
            seed: 0,
            test: None,
            cell,
            shape: shape.to_vec(),
            src: src.to_vec(),
            dst: dst.to_vec(),
            poisoned: None,
            readable_gaps: false,
            places: [(Place::Left, Place::Right), (Place::Right, Place::Left)],
            threads: 3,
            thorough: true,
        }
    }

    /// A case of the campaign: up to some tens of KiB, most much smaller.
    pub(crate) fn draw(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        match random.below(12) {
            0 | 1 => return Self::draw_crossed(random, seed, Size::Small),
            2 => return Self::draw_blocks(random, seed, Size::Small),
            _ => {}
        }
        let cell = if random.one_in(4) {
            1 + random.below(32)
        } else {
            random.pick(&CELLS)
        };
        let shape = draw_shape(random, cell);
        let dst = loop {
            let strides = strides::destination(random, cell, &shape);
            if fits(cell, &shape, &strides, ROOM) {
                break strides;
            }
        };
        let (src, poisoned) = loop {
            let (strides, poisoned) = strides::source(random, cell, &shape, &dst);
            if poisoned.is_some() || fits(cell, &shape, &strides, ROOM) {
                break (strides, poisoned);
            }
        };
        Self::place(random, seed, "campaign", cell, shape, [src, dst], poisoned)
    }

    /// A case of up to a few MiB, for what happens only there: blocks, bands, tables, whole lines.
    pub(crate) fn draw_large(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        if random.one_in(8) {
            return Self::draw_blocks(random, seed, Size::Large);
        }
        Self::draw_crossed(random, seed, Size::Large)
    }

    /// A case of 24 MiB and more a side, out of every cache but the largest.
    pub(crate) fn draw_huge(seed: u64) -> Self {
        Self::draw_crossed(&mut Random::new(seed), seed, Size::Huge)
    }

    /// Two different unit dimensions, of a tile and more or one of them short, and a few others.
    fn draw_crossed(random: &mut Random, seed: u64, size: Size) -> Self {
        let cell = match size {
            Size::Huge => random.pick(&[1, 2, 4, 4, 8]),
            _ => random.pick(&[1, 1, 2, 2, 4, 4, 4, 8, 8, 16, 3, 6, 12, 24]),
        };
        let (test, room, bytes) = match size {
            Size::Small => ("campaign", ROOM, 8 << 10),
            Size::Large => ("large", LARGE_ROOM, LARGE_BYTES >> (2 * random.below(4))),
            // Dense or nearly so: little of the room may be gaps.
            Size::Huge => ("huge", 3 * HUGE_ROOM, 28 << 20),
        };
        let most = bytes / cell;
        let long = |random: &mut Random| match size {
            Size::Small => random.pick(&[15, 16, 17, 24, 31, 32, 33, 47, 63, 64, 65, 96, 129]),
            Size::Large => {
                let around = random.pick(&[64, 128, 192, 256, 512, 1000, 1024, 2048, 4096]);
                around - 1 + random.below(3)
            }
            Size::Huge => random.pick(&[1023, 2047, 2048, 3001, 4096]),
        };
        let short = |random: &mut Random| random.pick(&[2, 3, 4, 2, 3, 4, 5, 7]);
        // Many axes of a few indices each: what only offset tables express.
        let deep = random.one_in(8);
        let mut shape = match random.below(4) {
            _ if matches!(size, Size::Huge) => {
                let rows = long(random);
                vec![rows, most / rows]
            }
            _ if deep => vec![short(random), short(random)],
            0 => vec![long(random), short(random)],
            1 => vec![short(random), long(random)],
            _ => vec![long(random), long(random)],
        };
        let others = if deep {
            12
        } else {
            random.pick(&[0, 0, 0, 1, 1, 2])
        };
        shape.extend((0..others).map(|_| 2 + random.below(3)));
        let mut cells = 1;
        for extent in &mut shape {
            *extent = (*extent).min(most / cells).max(1);
            cells *= *extent;
        }
        let mut at: Vec<usize> = (0..shape.len()).collect();
        random.shuffle(&mut at);
        let shuffled: Vec<usize> = at.iter().map(|&axis| shape[axis]).collect();
        let units = [0, 1].map(|unit| at.iter().position(|&axis| axis == unit).expect("all axes"));
        let [src, dst] = loop {
            let both = strides::crossed(random, cell, &shuffled, units);
            if both
                .iter()
                .all(|strides| fits(cell, &shuffled, strides, room))
            {
                break both;
            }
        };
        Self::place(random, seed, test, cell, shuffled, [src, dst], None)
    }

    /// Blocks of a few bytes that follow each other, their cells in any order on either side; often rows of them
    /// with something between rows.
    fn draw_blocks(random: &mut Random, seed: u64, size: Size) -> Self {
        let cell = random.pick(&[1, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 16]);
        let (test, room) = match size {
            Size::Small => ("campaign", ROOM),
            _ => ("large", LARGE_ROOM),
        };
        let (mut shape, mut block) = (Vec::new(), cell);
        let long = random.pick(&BLOCKS);
        let staged = long > PERMUTED;
        let (ranks, extents): (&[usize], &[usize]) = if staged {
            (&[2, 2, 3, 4], &[2, 8, 16, 16, 19, 23, 32, 33])
        } else {
            (&[1, 1, 2, 2, 3, 4], &[2, 3, 4, 2, 3, 4, 5, 8, 7, 16])
        };
        for _ in 0..random.pick(ranks) {
            let extent = random.pick(extents);
            if block * extent <= long {
                shape.push(extent);
                block *= extent;
            }
        }
        let inside = shape.len();
        let most = match size {
            Size::Small if staged => 2 + random.below(6),
            Size::Small => 2 + random.below(2 << 10) / block,
            _ => 2 + random.below(LARGE_BYTES) / block,
        };
        let rows = if random.one_in(3) {
            2 + random.below(5)
        } else {
            1
        };
        shape.extend([(most / rows).max(2), rows]);
        let mut at: Vec<usize> = (0..shape.len()).collect();
        random.shuffle(&mut at);
        let shuffled: Vec<usize> = at.iter().map(|&axis| shape[axis]).collect();
        // Blocks that follow each other in the destination only, or whose cells lie between each other's, or apart.
        let apart = random.one_in(3);
        let between = block >= PERMUTED && !apart && random.one_in(2);
        let gap = block >= PERMUTED && random.one_in(2);
        let mut side = |flips: bool| {
            let mut order: Vec<usize> = (0..inside).collect();
            random.shuffle(&mut order);
            order.extend(inside..shape.len());
            if flips && apart {
                order[inside..].reverse();
            }
            if flips && between {
                order[random.below(inside).max(1)..].rotate_right(1);
            }
            let mut strides = vec![0; shape.len()];
            let mut span = cell as isize;
            for axis in order {
                let blocks = flips && gap && axis == inside;
                if blocks || axis == shape.len() - 1 && !apart && !between && random.one_in(2) {
                    span += random.pick(&[1, 3, 16, 64]);
                }
                let sign = if flips && random.one_in(4) { -1 } else { 1 };
                strides[axis] = sign * span;
                span *= shape[axis] as isize;
            }
            at.iter().map(|&axis| strides[axis]).collect()
        };
        let strides: [Vec<isize>; 2] = [side(true), side(seed.is_multiple_of(4))];
        for strides in &strides {
            assert!(fits(cell, &shuffled, strides, room), "blocks are few");
        }
        let case = Self::place(random, seed, test, cell, shuffled, strides, None);
        Self {
            thorough: staged && random.one_in(3),
            ..case
        }
    }

    /// Chooses what is left to choose.
    fn place(
        random: &mut Random,
        seed: u64,
        test: &'static str,
        cell: usize,
        shape: Vec<usize>,
        [src, dst]: [Vec<isize>; 2],
        poisoned: Option<Footprint>,
    ) -> Self {
        let flush = [Place::Left, Place::Right];
        let (src_flush, dst_flush) = (random.pick(&flush), random.pick(&flush));
        let (src_at, dst_at) = (Place::At(random.below(64)), Place::At(random.below(64)));
        let mut case = Self {
            seed,
            test: Some(test),
            cell,
            shape,
            src,
            dst,
            poisoned,
            // Readable gaps are a promise that poisoned pages would break.
            readable_gaps: poisoned.is_none() && random.one_in(2),
            places: [(src_flush, dst_flush), (src_at, dst_at)],
            threads: 2 + random.below(4),
            thorough: false,
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

fn fits(cell: usize, shape: &[usize], strides: &[isize], room: usize) -> bool {
    let footprint = Footprint::of(cell, shape, strides);
    footprint.is_some_and(|footprint| footprint.len() <= room / 4)
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

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seed,
            test,
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
        if let Some(test) = test {
            let command = "cargo test --release --test";
            writeln!(f, "RESTRIDE_CASE={seed:#x} {command} {test} -- one_case")?;
        }
        write!(
            f,
            "# from_bytes({cell}, &{shape:?}, &{src:?}, &{dst:?}), gaps {gaps}"
        )
    }
}
