//! Batches: blocks that follow each other in the destination, with their cells in another order inside.
//!
//! Where a copy that is streamed is a batch of small ones, each of them is a copy in the caches, from which whole
//! lines are streamed: no line is shared by two panels, and what the destination gets is one sequence, or a few KiB of
//! one at a time. Whatever moves a block best in the caches moves it here.
//!
//! The source of the blocks may be one sequence too, or blocks with gaps, or in another order. Or the cells of many
//! blocks lie between each other, in a region that the second-level cache holds: then that is read as a whole, and
//! some blocks that follow each other are moved, then some of the next place, until nothing is left of the region:
//!
//! ```text
//!   source   | a0 b0 c0 a0 b0 c0 .. | a1 b1 c1 a1 b1 c1 .. | a2 b2 c2 ..     a region: two of each
//!   dest     | a0 a1 | a2 ..      | b0 b1 | b2 ..      | c0 c1 | c2 ..       groups: a0 a1, b0 b1, c0 c1, a2 ..
//! ```

use std::cmp::Reverse;

use restride_kernels::{Isa, Row, Shuffled, SourceGaps, StageRow, Tile, find_stage};

use super::direct::{Cells, StridedPanel};
use super::group::PanelDims;
use super::group::blocks::{Batched, filling};
use super::normalise::{Dims, Form};
use super::problem::Dim;
use super::recipe::{Split, SplitAxis};
use super::stores::{is_far, near_bytes};
use crate::machine::{Cores, Facts};

/// How blocks are moved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// Bytes of a block.
    pub bytes: usize,
    /// Blocks in a group, at most: they follow each other in the destination and are streamed together.
    pub together: usize,
    /// From block to block, and how many there are of them in all groups.
    pub along: Dim,
    /// How many of the loops, the first ones, go from group to group. The others are inside of a block.
    pub outer: usize,
    /// Which of these goes along the blocks. Its last group may be a smaller one.
    pub place: usize,
    /// How many of these, the last ones, stay in the same region of the source.
    pub near: usize,
    /// Bytes of a region of the source: as many as the blocks that are moved before the next one have. 0 where they
    /// fill none.
    pub region: usize,
    /// Whether a block is a row, of which each source row has a cell, and a group is one panel of as many of them.
    pub of_rows: bool,
    /// Bytes from where a block starts in the destination to its first panel.
    pub shift: isize,
    /// The cells of a block in normal form, where they are few and moved without the kernel.
    pub(crate) few: Option<Cells>,
    /// What streams a block: a line of a table, compared and printed by name.
    pub(super) row: &'static StageRow,
}

impl Batch {
    /// The name of what streams a block.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        self.row.name
    }

    /// From group to group, where blocks follow each other in a dimension.
    fn group(along: &Dim, together: usize) -> Dim {
        Dim {
            extent: along.extent.div_ceil(together),
            src: along.src.saturating_mul(together as isize),
            dst: along.dst.saturating_mul(together as isize),
        }
    }

    /// Puts the loops into place, those around the blocks as the source is ordered, and cuts between groups.
    pub(super) fn put_loops(
        &self,
        normal: &Form<'_>,
        dealt: &PanelDims,
        loops: &mut Dims,
    ) -> Split {
        let (block, blocks) = normal.dims.split_at(normal.dims.len() - self.outer);
        let mut inside = Dims::new();
        if !self.of_rows {
            dealt.put_loops(block, &mut inside);
        }
        loops.extend(around(blocks, self.together).into_iter().chain(inside));
        Split {
            axis: SplitAxis::Rows,
            unit: dealt.rows.len,
            blocks: 1,
            tasks: loops[..self.outer].iter().map(|dim| dim.extent).product(),
        }
    }
}

/// Blocks of a normal form.
pub(super) struct Blocks<'a> {
    /// One of them.
    pub(super) form: Form<'a>,
    found: Batched,
    /// What streams it.
    row: &'static StageRow,
}

impl<'a> Blocks<'a> {
    /// Those of what is to be streamed, if there are any, and kernels that need no more than `isa` stream them. `room` is
    /// for the dimensions of rows that are moved together.
    ///
    /// Not blocks that are shuffled in registers: of the roof, by way of a stage and so, blocks of 256 bytes, 17 MB (Xeon):
    /// f32 8x8 0.62 and 0.99, u16 8x16 0.41 and 0.93, u8 16x16 0.31 and 0.94.
    #[inline(never)] // beside the way of small copies
    pub(super) fn of(
        normal: &Form<'a>,
        (isa, gaps): (Isa, SourceGaps),
        facts: &Facts,
        room: &'a mut [Dim; 2],
    ) -> Option<Self> {
        if normal.listed.or(normal.listed_dst).is_some() {
            return None;
        }
        let (cell, dims) = (normal.cell, normal.dims);
        let most = most(normal, facts);
        let least = if is_far(facts) { LEAST_FAR } else { LEAST };
        let together = match facts.cores {
            Cores::ToZen3 => STAGED_BY_ZEN3,
            _ => STAGED,
        };
        let found = match Batched::on_both_sides(cell, dims, most, together) {
            Some(found) => {
                let shuffled = || filling(cell, dims, Shuffled::most(isa, gaps)).is_some();
                (found.bytes >= least && !shuffled()).then_some(found)
            }
            None => {
                let (region, line) = (facts.caches.l2 / 8, facts.caches.line);
                let bytes = (LEAST_SPREAD, most);
                let rows = || Batched::rows(cell, dims, most, region, line);
                let rows = || is_far(facts).then(rows).flatten();
                Batched::spread(cell, dims, bytes, (STAGED_SPREAD, region)).or_else(rows)
            }
        }?;
        let (dims, bytes) = if found.of_rows {
            let extent = found.together;
            *room = [dims[0], Dim { extent, ..dims[1] }];
            (&room[..], found.bytes * extent)
        } else {
            (&dims[..found.inside], found.bytes)
        };
        let form = Form {
            dims,
            bytes,
            ..*normal
        };
        let row = find_stage(isa)?;
        Some(Self { form, found, row })
    }

    /// The cells of one of them, where they are few and moved without the kernel: not where the third-level cache is far
    /// and a panel like this one has tiles of `row`, which take turns with lines. Of the roof, without the kernel and so,
    /// Xeon: u8 26x27 0.51 and 0.79, 780 bytes 0.77 and 0.91; u16 23x22 0.66 and 0.92; f32 20x19 0.70 and 0.95.
    pub(super) fn few(
        &self,
        isa: Isa,
        (row, panel): (&Row, &StridedPanel),
        facts: &Facts,
    ) -> Option<Cells> {
        if self.found.of_rows || is_far(facts) && row.has_tiles(panel.rows, panel.cols) {
            return None;
        }
        Cells::of_block(&self.form, isa, (row.tile, panel))
    }

    /// Rows of the last group, where groups are panels of rows and that one is smaller.
    pub(super) fn rows_left(&self, normal: &Form<'_>) -> Option<usize> {
        let along = normal.dims.get(self.found.inside)?;
        let left = along.extent % self.found.together;
        (self.found.of_rows && left > 0).then_some(left)
    }

    /// Whether they are worth a stage, if panels like this one in tiles like that move them.
    ///
    /// All are where the third-level cache is far, and tiles and lines take turns. Of the roof, without and with (Xeon, 16
    /// to 90 MB), after one call, again and again, and after all had been flushed: f32 48x48 0.89 and 0.99, 0.87 and 0.98,
    /// 0.83 and 0.93, 32x32 0.98, 0.94 and 0.94 both ways, 24x24 1.0 and 1.0, 1.0 and 0.98, 0.85 and 0.86, 8x8 0.98 and
    /// 0.97, 0.97, 0.66 and 0.88; f64 24x22 0.82 and 1.02, 0.78 and 0.98, 0.80 and 0.90, 12x9 0.52 and 1.00, 0.99 and 0.93,
    /// 0.47 and 0.81; u16 24x24 0.48 and 0.97, 0.93 and 0.92, 0.46 and 0.81; u8 33x31 0.47 and 0.98, 0.91 and 0.92, 0.42 and
    /// 0.83, spread ones of 26x27 0.58 and 0.79, 0.78 and 0.74, 0.29 and 0.57; 16 bytes 20x18 0.91 and 1.01, 0.86 and 0.95,
    /// 0.86 and 0.82. But not spread ones whose rows are whole lines of the destination, 190 MB: f32 48x48 0.85 and 0.80,
    /// 32x32 0.85 and 0.80.
    pub(super) fn pay(
        &self,
        panel: &StridedPanel,
        tile: Tile,
        normal: &Form<'_>,
        facts: &Facts,
    ) -> bool {
        let whole = panel.rows.is_multiple_of(tile.rows) && panel.cols.is_multiple_of(tile.cols);
        let spread =
            !self.found.of_rows && self.found.region > self.found.bytes * self.found.together;
        if is_far(facts) {
            !spread || !in_whole_lines(normal, facts.caches.line)
        } else {
            let any = match facts.cores {
                Cores::ToZen3 => LEAST,
                _ => LEAST_RAGGED,
            };
            spread || self.found.bytes >= any || whole
        }
    }

    /// How they are moved, once the dimensions of one of them are dealt.
    pub(super) fn batch(&self, normal: &Form<'_>, dealt: &PanelDims, few: Option<Cells>) -> Batch {
        let Batched {
            inside,
            bytes,
            together,
            region,
            of_rows,
        } = self.found;
        let dims = &normal.dims[inside..];
        let (group, loops) = (Batch::group(&dims[0], together), around(dims, together));
        let near = |dim: &&Dim| (1..region).contains(&dim.src.unsigned_abs());
        Batch {
            bytes,
            together,
            along: dims[0],
            outer: loops.len(),
            // No other one is the same, even if this is one group.
            place: loops.iter().position(|dim| *dim == group).unwrap_or(0),
            near: loops.iter().rev().take_while(near).count(),
            region,
            of_rows,
            shift: dealt.dst_shift,
            few,
            row: self.row,
        }
    }
}

/// Whether rows of the destination are whole lines, if the first one starts at one.
fn in_whole_lines(normal: &Form<'_>, line: usize) -> bool {
    normal.dims.split_first().is_some_and(|(row, others)| {
        let starts = others.iter().map(|dim| dim.dst.unsigned_abs());
        let mut bytes = starts.chain([row.extent * normal.cell]);
        bytes.all(|bytes| bytes.is_multiple_of(line))
    })
}

/// The loops that go from group to group, outermost first, of `dims`, of which the first one goes from block to block.
/// As the source is ordered, but what is read again and again outermost.
fn around(dims: &[Dim], together: usize) -> Dims {
    let mut loops: Dims = dims.iter().rev().copied().collect();
    if let Some(along) = loops.last_mut() {
        *along = Batch::group(along, together);
    }
    loops.sort_by_key(|dim| match dim.src {
        0 => Reverse(usize::MAX),
        src => Reverse(src.unsigned_abs()),
    });
    loops
}

/// Bytes of blocks that are staged together, of small ones. Of the roof, twelve kinds of blocks, 1, 2, 4 and 8 KiB:
/// 0.64, 0.70, 0.65 and 0.57 (Zen 4, 128 MiB).
const STAGED: usize = 2 << 10;

/// The same on Zen 3 and before. 2 and 4 KiB, in the mean of 28 kinds: 0.65 and 0.66, after all had been flushed 0.575 and
/// 0.584; f64 12x12 0.66 and 0.76, 0.70 and 0.76.
const STAGED_BY_ZEN3: usize = 4 << 10;

/// The same where others are read between them. One block, two, four and seven, 16 MB: u8 27x26 0.30, 0.36, 0.38 and
/// 0.35; u16 23x22 0.53, 0.60, 0.58 and 0.45; f32 20x19 0.72, 0.73, 0.67 and 0.57; f64 17x16, one, two and four, 0.72,
/// 0.50 and 0.47. Regions of up to 105 KiB; those of 264 KiB lose, u8 66x65 0.38 instead of 0.45 (an eighth of the
/// second-level cache is a *guess* between the two).
const STAGED_SPREAD: usize = 4 << 10;

/// Bytes of a block at least, where the next one in the destination is not the next one in the source: u8 27x26, 702
/// bytes, 0.24 and 0.34. *Guess*: smaller ones, which are not measured.
const LEAST_SPREAD: usize = 512;

/// Bytes of a block at least, of whole tiles, and of others, which take longer in the caches than lines do to
/// memory. Of the roof, without and with a stage, 128 MiB (Zen 4, AVX-512): whole tiles, u16 16x16 0.80 and 0.61, f32
/// 16x16 0.42 and 0.88, u8 32x32 0.64 and 0.73, 16 bytes 8x8 0.68 and 0.91; others, u8 33x31 0.75 and 0.45, u16
/// 24x24 0.87 and 0.65, f32 20x16 0.76 and 0.53, 24x24 0.67 and 0.80, 33x31 0.36 and 0.68, f64 12x9 0.73 and 0.5,
/// 20x16 0.45 and 0.89, 19x23 0.37 and 0.81. On Zen 3 and before all gain (AVX2), again and again, and after all had been
/// flushed: u16 24x24 0.61 and 0.77, 0.49 and 0.65, 33x31 0.43 and 0.61, 0.56 and 0.62; f32 17x17 0.57 and 0.56, 0.57 and
/// 0.65, 20x16 0.50 and 0.67, 0.59 and 0.62; 16 bytes 12x9 0.45 and 0.77, 0.43 and 0.70, 7x11 0.62 and 0.97, 0.61 and 0.71;
/// but 324 bytes, f32 9x9 0.40 and 0.25.
const LEAST: usize = 1 << 10;
const LEAST_RAGGED: usize = 2 << 10;

/// The same of any, where the third-level cache is far. *Guess* between those of 256 bytes that were measured, and of
/// 64, which are moved as they are.
const LEAST_FAR: usize = 256;

/// Bytes of a block at most: a block, and what waits to be streamed of the one before it, leave room in the
/// first-level cache for as much of the source. As above: f64 32x32, 8 KiB, 0.54 and 0.73, 48x40 0.81 and 0.61, 64x64
/// 1.16 and 0.57; f32 48x40 0.57 and 0.82, 64x64 0.94 and 0.52; 16 bytes 16x16 0.83 and 0.94, 24x24 1.03 and 0.67.
///
/// A quarter more where a near third-level cache holds a side. Of the roof, a quarter of it and so, 15 MiB: f32 48x48
/// 0.71 and 0.78, 47x47 0.49 and 0.67, 45x55 0.47 and 0.63; f64 35x33 0.47 and 0.59; u16 65x70 0.41 and 0.54; u8 97x99
/// 0.36 and 0.44; 16 bytes 24x24 0.70 and 0.80; 123 MiB: f32 48x48 0.55 and 0.62, f64 35x33 0.63 and 0.59, u8 96x96 0.73
/// and 0.55, 16 bytes 24x24 1.02 and 0.69.
///
/// A quarter of the second-level cache, and a bit, on Zen 3 and before, where large blocks are moved in turns with lines. By
/// panels, and so, of the roof, 16 MiB, again and again, and after a streaming copy: u8 140x143 0.30 and 0.43, 0.33 and 0.44;
/// 255x257 0.25 and 0.39, 0.24 and 0.38; u16 180x181 0.32 and 0.42, 0.39 and 0.59; f32 72x73 0.40 and 0.56, 0.38 and 0.52;
/// 129x130 0.34 and 0.51, 0.37 and 0.47; f64 64x65 0.34 and 0.45, 0.38 and 0.52; 128x129, 129 KiB, 0.39 and 0.54, 0.46 and
/// 0.50; 16 bytes 45x46 0.54 and 0.71, 0.55 and 0.67. But 144 KiB, 16 bytes 96x96 0.68 and 0.59, 0.66 and 0.54; f64 136x136
/// 0.62 and 0.56, 0.62 and 0.54.
fn most(normal: &Form<'_>, facts: &Facts) -> usize {
    let quarter = facts.caches.l1 / 4;
    match facts.cores {
        Cores::ToZen3 if !is_far(facts) => facts.caches.l2 / 4 + facts.caches.l2 / 64,
        _ if normal.bytes <= near_bytes(facts) => quarter / 4 * 5,
        _ => quarter,
    }
}

#[cfg(test)]
mod tests;
