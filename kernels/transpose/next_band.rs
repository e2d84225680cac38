//! What is asked for while a band is moved through the caches: the lines of the next one, where rows are at the
//! offsets of tables.
//!
//! A file of its own because it is done beside the tiles of a [`walk`](super::walk), for few panels: large ones of
//! groups of dimensions, of which a band is a piece of each source row, and the CPU sees no stream that leads to the
//! next one. The planner makes such panels where that is best.
//!
//! Of the roof, Zen 4, 15 to 27 MiB, not asked, with the source asked for, and with both sides: axes [3, 5, 1, 4, 0, 2],
//! u8 of 14 to 18 0.18, 0.28 and 0.42, of 15 to 20 0.24, 0.32 and 0.43; [1, 3, 5, 0, 2, 4], u16 0.39 and 0.42; [2, 4,
//! 1, 3, 0], u16 0.48 and 0.53; [4, 2, 0, 3, 1], u16 0.47 and 0.51; wider cells the same. Rows that are strides lose: u8
//! 2000x2000 0.49 and 0.47, u16 1000x1000 0.63 and 0.60.

use core::ops::Range;

use super::lines::Addressing;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a panel's side at least: *guess*, smaller ones are in the second-level cache, or were fetched as a whole.
const LARGE: usize = 512 << 10;
/// Cells of a destination row that is asked for at most: the rows of a band, which are two lines high, are 128 KiB then.
/// Of the roof, 512 bytes, 1024 bytes, and so: u8 of 529 cells 0.15 and 0.31; f32 of 6 to 13 0.32 and 0.54; of
/// 31x21x24x31x22 [4, 0, 3, 2, 1] 0.40, 0.40 and 0.50; u16 of 12x17x45x25x26 [4, 1, 3, 2, 0] 0.29, 0.29 and 0.36.
const SHORT: usize = 1024;

/// Whether both sides of the next band of a panel are asked for while one is moved through the caches, where its
/// rows are at the offsets of tables: one that is large and whose destination rows are short.
#[must_use]
#[inline]
pub fn has_next_band(rows: usize, cols: usize, cell: usize) -> bool {
    is_large(rows, cols, cell) && cols <= SHORT
}

/// Whether a panel is so large that its source rows are.
#[inline(always)]
fn is_large(rows: usize, cols: usize, cell: usize) -> bool {
    rows * cols * cell >= LARGE
}

/// The sides of a panel whose next band is asked for.
#[derive(Clone, Copy)]
pub(super) struct NextBand {
    src: bool,
    dst: bool,
}

impl NextBand {
    /// Those of a panel.
    #[inline(always)]
    pub(super) fn of(panel: &Panel<'_>) -> Self {
        let Panel {
            rows, cols, cell, ..
        } = *panel;
        let tables = |rows: &Rows<'_>| matches!(rows, Rows::Offsets(_));
        let src = is_large(rows, cols, cell) && tables(&panel.src.rows);
        let dst = src && has_next_band(rows, cols, cell) && tables(&panel.dst.rows);
        Self { src, dst }
    }

    /// Asks for as much of the next band, of `rows`, as these columns are of all: two lines of their source rows, and
    /// all of some destination rows.
    ///
    /// # Safety
    /// - Shape: `src` and `dst` address the rows of the panel's sides, and it has these rows and columns.
    #[inline(always)]
    pub(super) unsafe fn ask(
        self,
        panel: &Panel<'_>,
        (src, dst): (impl Addressing, impl Addressing),
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        if !self.src || rows.is_empty() {
            return;
        }
        for c in columns.clone() {
            // SAFETY: shape: a source row of the panel.
            let line = unsafe { src.row(c) }.wrapping_add(rows.start * panel.cell);
            prefetch_second(line);
            prefetch_second(line.wrapping_add(LINE));
        }
        if !self.dst {
            return;
        }
        let share = |c| rows.start + c * rows.len() / panel.cols;
        let bytes = panel.cols * panel.cell;
        for r in share(columns.start)..share(columns.end) {
            // SAFETY: shape: a destination row of the panel.
            let row = unsafe { dst.row(r) };
            for byte in (0..bytes).step_by(LINE) {
                prefetch_second(row.wrapping_add(byte));
            }
            prefetch_second(row.wrapping_add(bytes - 1));
        }
    }
}
