//! How a transposition fills lines with cells of which no line is a whole number: bands of as many columns as
//! fill three.
//!
//! A row has the same place in a line in each band. What a band does not fill stays in the slot of the row until
//! the next one, as in [`carry`](super::carry), which joins the lines of those inside. The first band and the last
//! one fill no line in some rows, or are less than a band: they are moved in blocks of rows to a stage, which has
//! what is carried in front, and from there as lines lie:
//!
//! ```text
//!   stage of a row        slot |      band of three lines      |
//!   destination         ...|........|........|........|........|..
//!                          |  0     |  1     |  2     | next slot
//! ```
//!
//! Everything through the stage was slower: of the roof, Zen 4, 3 bytes 4000x6000 0.48 and 0.54, 6 bytes
//! 2000x2000 0.43 and 0.66. Ragged panels of 1- and 2-byte cells, joined by the carry and through the stage in
//! bands of a line: 4097x4095 0.27 and 0.15, 0.48 and 0.21.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::carry::Carry;
use super::columns::Columns;
use super::line::Line;
use super::lines::{Addressing, Lines, Strided};
use super::segments::Segments;
use super::stream::Out;
use super::walk::RegisterTile;
use crate::cpu::before_zen5;
use crate::fence::StreamFence;
use crate::isa::{prefetch, prefetch_second};
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
/// Bytes of each row of a band that are [asked for](Segments) at a time, on AMD's cores before Zen 5. Of the roof, Zen
/// 4, with 192, 256, 512, 1024: 3 bytes 2000x2000 0.31, 0.31, 0.38, 0.32; 4000x6000 0.53, 0.56, 0.54, 0.42; 6 bytes
/// 2000x2000 0.54, 0.62, 0.66, 0.62; 3000x4001 0.57, 0.61, 0.65, 0.54. Zen 5, so and as elsewhere: 3 bytes 4000x6000
/// 0.41 and 0.72, 6 bytes 3000x4001 0.72 and 0.89.
const SEGMENT: usize = 512;
/// Bytes between a line and what is asked for while it is read, elsewhere, as where lines are
/// [aligned](super::reads).
const AHEAD: usize = 2 * LINE;
/// Rows of a tile at most, by which the last block of a panel is moved back.
const BACK: usize = 8;

/// A tile whose destination rows are bands, in registers before they are written.
pub(super) trait BandTile: RegisterTile {
    /// One line in registers.
    type Line: Line;

    /// Transposes a tile, and gives the lines of its destination rows from row `skipped` on to `out`, as those
    /// of rows `first + skipped` and so on.
    ///
    /// # Safety
    /// As [`RegisterTile::transpose`], and what `out` asks for.
    unsafe fn give(
        self,
        src: impl Lines,
        out: impl Out<Self::Line, LINES>,
        first: usize,
        skipped: usize,
    );
}

/// A block, and rows before it.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; (BACK + ROWS) * PITCH]);

/// Moves a panel in bands, whole lines around the caches.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at least
/// a tile of rows and columns; a tile has a band of columns, and up to [`BACK`] rows, by which those of a
/// block can be divided, and the words of its lines are bytes. `fence` is the guard of this task, with the scratch
/// of a [`Carry`]. The ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn bands<T: BandTile>(panel: &Panel<'_>, fence: &StreamFence<'_>, tile: T) {
    let wide = tile.cols();
    let chunk = Carry::chunk(panel.rows);
    let mut all = Bands {
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
            let inside = start > 0 && cols.end < panel.cols;
            // SAFETY: passed on: the bands of these rows come one after another.
            unsafe {
                if inside {
                    all.inside(rows.clone(), cols);
                } else {
                    all.edge(rows.clone(), cols);
                }
            }
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

impl<T: BandTile> Bands<'_, '_, T> {
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

    /// Moves a band that neither begins nor ends the rows, all before it having been moved: its lines are joined
    /// with what is carried in registers.
    ///
    /// # Safety
    /// As [`Self::edge`].
    #[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
    unsafe fn inside(&mut self, rows: Range<usize>, cols: Range<usize>) {
        let (panel, cell, wide, high) = (self.panel, T::CELL, self.tile.cols(), self.tile.rows());
        let out = self.carry.shifted(panel.dst, cols.start * cell, rows.start);
        let (skipped, bytes) = (rows.start * cell, rows.len() * cell);
        let segments = (bytes >= 4 * SEGMENT && before_zen5()).then(|| Segments::new(SEGMENT));
        let mut asked = 0;
        // SAFETY: shape: columns of the panel, as many as a tile has; the rows from `at` on are the panel's, and
        // each is given once, with its slot, which the band before has written; range, aliasing and alignment: a
        // row's lines are cells of it from where the line starts in which the band begins; ISA: passed on.
        unsafe {
            self.columns.find(panel, cols.clone(), wide);
            for r in rows.clone().step_by(high) {
                while asked <= (r - rows.start) * cell {
                    if let Some(segments) = segments {
                        let rows = cols.start..panel.cols;
                        segments.ask((asked, wide, bytes), panel.src, rows, skipped, None);
                    } else {
                        for c in 0..wide {
                            prefetch(self.columns.lines(c, skipped + asked + AHEAD).at(0));
                        }
                    }
                    asked += LINE;
                }
                let at = r.min(panel.rows - high);
                let src = self.columns.lines(0, at * cell);
                self.tile.give(src, out, at, r - at);
            }
        }
    }

    /// Moves a band of these rows, all before it having been moved.
    ///
    /// # Safety
    /// As [`bands`], for rows of a chunk and columns of a band, or those that are left.
    #[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
    unsafe fn edge(&mut self, rows: Range<usize>, cols: Range<usize>) {
        let (panel, cell, wide) = (self.panel, T::CELL, self.tile.cols());
        // The tiles of the last band are moved back over the one before.
        let window = cols.end - wide;
        // SAFETY: shape: columns of the panel, which has those of a tile.
        unsafe { self.columns.find(panel, window..cols.end, wide) };
        for top in rows.clone().step_by(BLOCK / cell) {
            let block = top..rows.end.min(top + BLOCK / cell);
            // SAFETY: shape: rows and columns of the panel; ISA: passed on. What is carried goes to the stage
            // first, as loads of what has just been stored wait for all stores before it.
            unsafe {
                if cols.start > 0 {
                    self.fetch_carried(rows.start, block.clone(), cols.len() * cell);
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
                    put::<T::Line>(from, to, &cols, cell, cols.end == panel.cols);
                    T::Line::load(from.wrapping_sub(LINE)).store(slot);
                }
            }
        }
    }

    /// Puts what is carried of the rows of a block before the `bytes` of the band that is about to be moved.
    ///
    /// # Safety
    /// - Shape: the rows are those of a chunk that begins with row `first`, a block at most, of a band that is
    ///   not the first.
    #[inline(always)]
    unsafe fn fetch_carried(&mut self, first: usize, block: Range<usize>, bytes: usize) {
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
    /// As [`Self::edge`].
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
