//! How a transposition fills lines with cells of which no line is a whole number: blocks of some lines of each
//! row are moved side by side, and whole lines go from there.
//!
//! A file of its own because lines are not joined in registers, as by the [`carry`](super::carry), but
//! loaded from a stage as they lie, whatever the cells and wherever destination rows start. A band is as many
//! columns as fill whole lines, so a row has the same place in a line in each of them; what a band does not fill
//! stays in the slot of the row until the next one:
//!
//! ```text
//!   stage of a row        slot |      band of three lines      |
//!   destination         ...|........|........|........|........|..
//!                          |  0     |  1     |  2     | next slot
//! ```
//!
//! The next block of source rows is asked for while lines are streamed, which read nothing from memory: 3 bytes
//! 4000x6000 0.33 of the roof with the first lines of its rows left out, 0.41 with the lines in which they end, 0.48
//! with a stage of 18 KiB instead of 27 and the first block of the next band asked for as well (Zen 4).

use core::mem::MaybeUninit;
use core::ops::Range;

use super::carry::Carry;
use super::columns::Columns;
use super::line::Line;
use super::lines::{Addressing, Strided};
use super::walk::RegisterTile;
use crate::fence::StreamFence;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel};

/// Lines of a destination row in a band.
const LINES: usize = 3;
/// Bytes of them.
const BAND: usize = LINES * LINE;
/// Bytes from one row of the stage to the next: a band, and what is carried before it.
const PITCH: usize = LINE + BAND;
/// Bytes of each source row in a block: as many as of a destination row.
const BLOCK: usize = BAND;
/// Rows of a block at most, those of cells of three bytes.
const ROWS: usize = BLOCK / 3;
/// Rows of a tile at most, by which the last block of a panel is moved back.
const BACK: usize = 8;

/// A block, and rows before it.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; (BACK + ROWS) * PITCH]);

/// Moves a panel in blocks, whole lines around the caches.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at least
/// a tile of rows and columns; a tile has a band of columns, and up to [`BACK`] rows, by which those of a block can be
/// divided. `fence` is the guard of this task, with the scratch of a [`Carry`]; words of `L` are bytes. The ISA of the
/// tile and of the line is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn blocks<L: Line, T: RegisterTile>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) {
    let wide = tile.cols();
    let chunk = Carry::chunk(panel.rows);
    let mut bands = Bands {
        panel,
        tile,
        carry: Carry::new(fence),
        columns: Columns::new(),
        stage: Stage([MaybeUninit::uninit(); _]),
    };
    for first in (0..panel.rows).step_by(chunk) {
        let rows = first..panel.rows.min(first + chunk);
        for start in (0..panel.cols).step_by(wide) {
            let cols = start..panel.cols.min(start + wide);
            // SAFETY: passed on: the bands of these rows come one after another.
            unsafe { bands.band::<L>(rows.clone(), cols) };
        }
    }
}

/// What bands are moved with.
struct Bands<'a, 'p, T> {
    panel: &'a Panel<'p>,
    tile: T,
    carry: Carry,
    columns: Columns,
    stage: Stage,
}

impl<T: RegisterTile> Bands<'_, '_, T> {
    /// Where the band begins in row `r` of the stage, which may be one of those before the block.
    #[inline(always)]
    fn staged(&mut self, r: isize) -> *mut u8 {
        let bytes = (r + BACK as isize) * PITCH as isize + LINE as isize;
        self.stage
            .0
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_offset(bytes)
    }

    /// Moves a band of these rows, all before it having been moved.
    ///
    /// # Safety
    /// As [`blocks`], for rows of a chunk and columns of a band, or those that are left.
    #[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
    unsafe fn band<L: Line>(&mut self, rows: Range<usize>, cols: Range<usize>) {
        let (panel, cell, wide) = (self.panel, T::CELL, self.tile.cols());
        // The tiles of the last band are moved back over the one before.
        let window = cols.end - wide.min(cols.end);
        // SAFETY: shape: columns of the panel, which has those of a tile.
        unsafe { self.columns.find(panel, window..window + wide, wide) };
        for top in rows.clone().step_by(BLOCK / cell) {
            let block = top..rows.end.min(top + BLOCK / cell);
            // SAFETY: shape: rows and columns of the panel; ISA: passed on. What is carried goes to the stage
            // first, as loads of what has just been stored wait for all stores before it.
            unsafe {
                if cols.start > 0 {
                    self.fetch_carried::<L>(rows.start, block.clone(), cols.len() * cell);
                }
                self.fill(block.clone());
            }
            for r in block.clone() {
                let next = if block.end < rows.end {
                    (cols.start + (r - top), block.end)
                } else {
                    (cols.end + (r - top), rows.start)
                };
                if next.0 < panel.cols && r - top < wide {
                    // SAFETY: shape: a cell of the panel.
                    let next = unsafe { panel.src_cell(next.1, next.0) };
                    for line in 1..=LINES {
                        // The line in which the block begins was read with the one before.
                        prefetch_second(next.wrapping_add(line * LINE - 1));
                    }
                }
                let from = self.staged((r - top) as isize).wrapping_add(BAND);
                let slot = self.carry.slot(r - rows.start);
                // SAFETY: shape: r is a row of the panel; range: a band was written to the stage that ends with
                // the bytes of this one, and before it what is carried; slots are this task's own; aliasing: each
                // line is streamed once, and no byte of it otherwise; alignment: slots start at lines; ISA:
                // passed on.
                unsafe {
                    let to = panel.dst.row(r).wrapping_add(cols.end * cell);
                    put::<L>(from, to, &cols, cell, cols.end == panel.cols);
                    L::load(from.wrapping_sub(LINE)).store(slot);
                }
            }
        }
    }

    /// Puts what is carried of the rows of a block before the `bytes` of the band that is about to be moved.
    ///
    /// # Safety
    /// - Shape: the rows are those of a chunk that begins with row `first`, a block at most, of a band that is
    ///   not the first.
    /// - ISA: passed on.
    #[inline(always)]
    unsafe fn fetch_carried<L: Line>(&mut self, first: usize, block: Range<usize>, bytes: usize) {
        for r in block.clone() {
            let slot = self.carry.slot(r - first);
            let end = self.staged((r - block.start) as isize).wrapping_add(BAND);
            let to = end.wrapping_sub(bytes + LINE);
            // SAFETY: range: the slot was written with the band before; a row of the stage has room for a line
            // and a band; alignment: none for bytes.
            unsafe { core::ptr::copy_nonoverlapping(slot, to, LINE) };
        }
    }

    /// Moves the columns that were found of the rows of a block to the stage.
    ///
    /// # Safety
    /// As [`Self::band`].
    #[inline(always)]
    unsafe fn fill(&mut self, block: Range<usize>) {
        let (high, stride) = (self.tile.rows(), PITCH as isize);
        for r in block.clone().step_by(high) {
            let at = r.min(self.panel.rows - high);
            let base = self.staged(at as isize - block.start as isize);
            let columns = self.columns.lines(0, at * T::CELL);
            // SAFETY: shape: the columns were found, and the rows from `at` on are the panel's; range: the stage
            // has these rows, with a band in each; aliasing: nothing else refers to the stage; alignment: none;
            // ISA: passed on.
            unsafe { self.tile.transpose(columns, Strided { base, stride }) };
        }
    }
}

/// Writes the cells of columns of a row, up to `from` in the stage and `to` in the destination, with what is
/// carried; but what fills no line, if they are not the last.
///
/// # Safety
/// - Range: a band that ends there was written to the stage, and, if they are not the first columns, before
///   them a line that is carried; the cells can be written in the destination.
/// - Aliasing, ISA: as said where this is called.
#[inline(always)]
unsafe fn put<L: Line>(from: *const u8, to: *mut u8, cols: &Range<usize>, cell: usize, last: bool) {
    let bytes = cols.len() * cell;
    let phase = to.wrapping_sub(bytes).addr() % LINE;
    // SAFETY: range: what is carried and the bytes are in the stage; a line is streamed that lies between them,
    // parts are less than a line, and the bytes around them that are loaded were written; alignment: a line
    // before or after the bytes by their phase; the rest is passed on.
    unsafe {
        let mut left = if cols.start > 0 {
            bytes + phase
        } else if phase > 0 {
            let (from, to) = (from.wrapping_sub(bytes), to.wrapping_sub(bytes));
            L::load(from).store_part(0..LINE - phase, to);
            bytes - (LINE - phase)
        } else {
            bytes
        };
        while left >= LINE {
            L::load(from.wrapping_sub(left)).stream(to.wrapping_sub(left));
            left -= LINE;
        }
        if last && left > 0 {
            let (from, to) = (from.wrapping_sub(LINE), to.wrapping_sub(LINE));
            L::load(from).store_part(LINE - left..LINE, to);
        }
    }
}
