//! Batches: blocks that follow each other on both sides, with their cells in another order inside.
//!
//! Where a copy that is streamed is a batch of small ones, each of them is a copy in the caches, from which whole
//! lines are streamed: reads and writes are one sequence each, and no line is shared by two panels. Whatever moves
//! a block best in the caches moves it here.

use restride_kernels::{Isa, StageRow, Tile, find_stage};

use super::direct::StridedPanel;
use super::group::{PanelDims, blocks};
use super::normalise::{Dims, Form};
use super::recipe::{Split, SplitAxis};
use crate::machine::Facts;

/// How blocks are moved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// Bytes of a block.
    pub bytes: usize,
    /// How many of the loops, the first ones, go from block to block. The others are inside of one.
    pub outer: usize,
    /// Bytes from where a block starts in the destination to its first panel.
    pub shift: isize,
    /// What streams a block: a line of a table, compared and printed by name.
    pub(super) row: &'static StageRow,
}

impl Batch {
    /// The name of what streams a block.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        self.row.name
    }

    /// Puts the loops into place, those of the blocks as the destination is ordered, and cuts between blocks.
    pub(super) fn put_loops(
        &self,
        normal: &Form<'_>,
        dealt: &PanelDims,
        loops: &mut Dims,
    ) -> Split {
        let (block, blocks) = normal.dims.split_at(normal.dims.len() - self.outer);
        let mut inside = Dims::new();
        dealt.put_loops(block, &mut inside);
        loops.extend(blocks.iter().rev().copied().chain(inside));
        Split {
            axis: SplitAxis::Rows,
            unit: dealt.rows.len,
            blocks: 1,
            tasks: blocks.iter().map(|dim| dim.extent).product(),
        }
    }
}

/// Blocks of a normal form.
pub(super) struct Blocks<'a> {
    /// One of them.
    pub(super) form: Form<'a>,
    /// What streams it.
    pub(super) row: &'static StageRow,
}

impl<'a> Blocks<'a> {
    /// Those of what is to be streamed, if there are any, and kernels that need no more than `isa` stream them.
    #[inline(never)] // beside the way of small copies
    pub(super) fn of(normal: &Form<'a>, isa: Isa, facts: &Facts) -> Option<Self> {
        if normal.listed.or(normal.listed_dst).is_some() {
            return None;
        }
        let (cell, dims) = (normal.cell, normal.dims);
        let (inside, bytes) = blocks::following(cell, dims, most(facts))?;
        if bytes < LEAST {
            return None;
        }
        let form = Form {
            dims: &dims[..inside],
            bytes,
            ..*normal
        };
        let row = find_stage(isa)?;
        Some(Self { form, row })
    }

    /// How they are moved, once the dimensions of one of them are dealt.
    pub(super) fn batch(&self, normal: &Form<'_>, dealt: &PanelDims) -> Batch {
        Batch {
            bytes: self.form.bytes,
            outer: normal.dims.len() - self.form.dims.len(),
            shift: dealt.dst_shift,
            row: self.row,
        }
    }
}

/// Bytes of a block at least, of whole tiles, and of others, which take longer in the caches than lines do to
/// memory. Of the roof, without and with a stage, 128 MiB (Zen 4, AVX-512): whole tiles, u16 16x16 0.80 and 0.61, f32
/// 16x16 0.42 and 0.88, u8 32x32 0.64 and 0.73, 16 bytes 8x8 0.68 and 0.91; others, u8 33x31 0.75 and 0.45, u16
/// 24x24 0.87 and 0.65, f32 20x16 0.76 and 0.53, 24x24 0.67 and 0.80, 33x31 0.36 and 0.68, f64 12x9 0.73 and 0.5,
/// 20x16 0.45 and 0.89, 19x23 0.37 and 0.81.
const LEAST: usize = 1 << 10;
const LEAST_RAGGED: usize = 2 << 10;

/// Bytes of a block at most: a block, and what waits to be streamed of the one before it, leave room in the
/// first-level cache for as much of the source. As above: f64 32x32, 8 KiB, 0.54 and 0.73, 48x40 0.81 and 0.61, 64x64
/// 1.16 and 0.57; f32 48x40 0.57 and 0.82, 64x64 0.94 and 0.52; 16 bytes 16x16 0.83 and 0.94, 24x24 1.03 and 0.67.
fn most(facts: &Facts) -> usize {
    facts.caches.l1 / 4
}

/// Whether blocks of so many bytes are worth a stage, if panels like this one in tiles like that move them.
pub(super) fn pays(bytes: usize, panel: &StridedPanel, tile: Tile) -> bool {
    let whole = panel.rows.is_multiple_of(tile.rows) && panel.cols.is_multiple_of(tile.cols);
    bytes >= LEAST_RAGGED || whole
}

#[cfg(test)]
mod tests {
    use restride_kernels::Isa;

    use super::*;
    use crate::plan::{Options, Par, Problem, Recipe, Stores};

    /// The batch that a copy of cells of four bytes is with AVX-512, if it is one; strides in cells.
    fn batch(shape: &[usize], src: &[isize], dst: &[isize]) -> Option<Batch> {
        let bytes = |strides: &[isize]| strides.iter().map(|s| 4 * s).collect::<Vec<_>>();
        let problem = Problem::from_bytes(4, shape, &bytes(src), &bytes(dst)).unwrap();
        let options = Options {
            stores: Stores::Streaming,
            par: Par::Seq,
            ..Options::default()
        };
        let facts = Facts::of_a_server(Isa::Avx512);
        let work = Recipe::choose(&problem, &options, &facts).work.unwrap();
        if let Some(batch) = &work.batch {
            let outer: usize = work.loops[..batch.outer].iter().map(|d| d.extent).product();
            assert_eq!((work.split.tasks, work.split.blocks), (outer, 1));
        }
        work.batch
    }

    /// Matrices of so many rows and columns, transposed, with so many cells between two.
    fn matrices(rows: usize, cols: usize, [src, dst]: [isize; 2]) -> Option<Batch> {
        let (r, c) = (rows as isize, cols as isize);
        let to = [r * c + dst, r, 1];
        batch(&[100, cols, rows], &[r * c + src, 1, c], &to)
    }

    #[test]
    #[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
    fn blocks_that_follow_each_other_on_both_sides_are_batches() {
        let bytes = |batch: Option<Batch>| batch.map(|batch| batch.bytes);
        assert_eq!(bytes(matrices(33, 31, [0, 0])), Some(4 * 33 * 31));
        assert_eq!(bytes(matrices(16, 16, [0, 0])), Some(1024), "whole tiles");
        assert_eq!(bytes(matrices(19, 23, [0, 0])), None, "too small");
        assert_eq!(bytes(matrices(63, 65, [0, 0])), None, "too large");
        assert_eq!(bytes(matrices(33, 31, [1, 0])), None, "gaps in the source");
        assert_eq!(bytes(matrices(33, 31, [0, 1])), None, "in the destination");
    }

    #[test]
    #[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
    fn what_is_inside_of_a_block_and_around_it_are_loops() {
        // Blocks of 5x16x16, in groups of seven with a gap between them in the destination.
        let shape = [3, 7, 5, 16, 16];
        let src = [7 * 1280, 1280, 256, 1, 16];
        let made = batch(&shape, &src, &[7 * 1280 + 9, 1280, 16, 80, 1]).unwrap();
        assert_eq!((made.bytes, made.outer), (4 * 1280, 2));
    }
}
