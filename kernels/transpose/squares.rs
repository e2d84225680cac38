//! A band by squares, in turn with the lines of the block before.
//!
//! A file of its own because of the order. Elsewhere a line of each source row of a band becomes lines of the destination,
//! and these are streamed, in which time nothing is read. Here a block is [`LINES`] lines of each source row, and of
//! each [`Line`] of columns a square after the other is put into half a stage; each is followed by as many lines of the
//! block before, which is in the other half:
//!
//! ```text
//!   source rows of line 0   | 0  1  2  3 |            squares of block 1   0   1   2   3   4   5   6   7
//!   source rows of line 1   | 4  5  6  7 |            lines of block 0       l   l   l   l   l   l   l   l
//! ```
//!
//! So fewer source rows are read at a time, and more of each. A square is made in registers, or, of 2-byte cells, of
//! parts in turn with lines.
//!
//! Of the roof, elsewhere and so (2-core AVX-512 server VM, Xeon), after one call: f32 4096x4096 0.83 and 0.91, 4000x4000
//! 0.91 and 1.00, 8192x8192 0.57 and 0.69, on another day 0.85 and 0.81, 7264x7264 0.99 and 1.03; axes reversed,
//! 352x4x28x28x48 0.59 and 0.67, 192x1000x192 0.77 and 0.87; f64 4096x4096 0.75 and 0.87, 8192x8192 0.80 and 0.85,
//! 256x256x256 [2, 0, 1] 0.94 and 1.01; u16 7200x7200 0.78 and 0.97, 5024x6016 0.65 and 0.97. After all had been
//! flushed: u16 4000x4000 0.71 and 0.88, 7200x7200 0.73 and 0.91, 5024x6016 0.29 and 0.90. Cells of 16 bytes, of which
//! four lines are a square, gain nothing: 4096x4096 0.97 and 0.98, 4000x4000 1.05 and 1.02. Single bytes, of which bands
//! have 128 source rows, lose: 4096x4096 0.89 and 0.71.
//!
//! Source rows that go on in the next panel need no order of their own. A band of each panel before the next band, and
//! panel by panel, f32, axes reversed: 352x4x28x28x48 0.62 and 0.72, 32x5x15x15x15x112 0.85 and 0.90, 48x28x28x28x48 0.67
//! and 0.72, 2320x59x384 0.86 and 0.88; after all had been flushed 0.65 and 0.71, 0.86 and 0.88, 0.68 and 0.71, but 0.89 and
//! 0.84.

use core::ops::Range;

use super::band_stage::Stage;
use super::columns::Columns;
use super::line::{Line, LineTile};
use super::lines::{Addressing, Lines};
use super::reads::Reads;
use super::stream::{Out, Place};
use crate::cpu::{by_amd, from_zen5};
use crate::isa::prefetch;
use crate::panel::LINE;

/// Lines of each source row in a block. One, two, four and eight, f32 4096x4096 0.89, 0.92, 0.91, 0.90; 8192x8192 0.69,
/// 0.68, 0.69, 0.64; f64 4096x4096 0.80, 0.82, 0.87, 0.85.
const LINES: usize = 4;

/// Bytes between 16 bytes that are read of a row and what is asked for of it, where tiles are no squares. Squares ask for
/// what comes after [`LINES`] others instead: of so many rows as read 2-byte cells, 4000x4000 0.87 and, so, 0.50 after
/// all had been flushed; 7200x7200 0.94 and 0.54. None, this and 256: 4000x4000 0.74, 0.88, 0.86; 7200x7200 0.77, 0.92,
/// 0.87. Squares the other way round: f32 4000x4000 1.00 and 1.02, 192x1000x192 reversed 0.77 and 0.81. Where rows are
/// one stream, of which more is asked for farther ahead, squares ask for the same as well: in the mean of 13 f32 and f64
/// panels of 32 to 900 columns 0.90 and 0.93, after all had been flushed 0.80 and 0.84; 2-byte cells are level.
const AHEAD: usize = 2 * LINE;

/// Lines of source rows from which on there are bands enough, where they are read as one stream. Of the roof, with none
/// moved so and these: f32 512 panels of 128x128 0.85 and 0.93, 64x128 0.85 and 0.94; f64 128x64 0.91 and 0.95; but
/// 48x48x28x28x28 [1, 3, 0, 4, 2], a band and a half, 0.74 and 0.68.
const STREAMED: usize = 4;

/// Whether a band of so many rows is moved so, whose rows are joined with what is carried, or not; of a panel of so many
/// source rows, if they are read as one stream.
///
/// Fewer than two blocks gain nothing else: f32 64x4000x64 reversed 0.89 and 0.87; u16 96 panels of 128x512 0.95 and 0.90.
/// What joins lines has enough to do: f32 2068x2070 0.95 and 0.91, 2047x4099 0.82 and 0.77, u16 5003x6001 0.90 and 0.83;
/// of 8-byte cells not, 4097x4095 0.77 and 0.83, but in some blocks: 100x1000x100 reversed 0.96 and 0.94, after all has
/// been flushed 0.83 and 0.76. 2-byte cells come back to each source line: where those are crowded, 4096x4096 0.91 and
/// 0.79. What AMD made before Zen 5 was not asked.
#[inline(always)]
pub(super) fn pays<T: LineTile<R>, const R: usize, const N: usize>(
    reads: Reads<'_>,
    rows: usize,
    joins: bool,
) -> bool {
    let blocks = blocks(rows, T::CELLS);
    let pays = match (T::CELL, joins, reads.streamed()) {
        (2, ..) if reads.crowded => false,
        (2, false, _) | (4 | 8, false, None) => blocks >= 2,
        (4 | 8, false, Some(count)) => count >= STREAMED * T::CELLS,
        (8, true, _) => blocks >= 8,
        _ => false,
    };
    let here = !by_amd() || from_zen5() && !joins && pays_zen5(reads, T::CELL);
    (T::SQUARE || T::CELL == 2) && holds::<T, R, N>() && pays && here
}

/// Whether that is so on Zen 5 as well, which follows the source rows of a band: where all rows are one stream; where
/// they share sets of the caches, 8-byte cells; and 4-byte ones where threads share memory, of which those that follow
/// fewer streams get more.
///
/// Of the roof, again and again, and after all had been flushed: f32 384x384, 355 of them, 1.15 and 1.30; 96x608 0.86
/// and 1.08; 192x352 0.95 and 1.23; 100000x64 1.17 and 1.37, 0.88 and 1.33; 50000x256 0.92 and 1.39, 0.87 and 1.34;
/// f64 256x65536 0.91 and 1.21, 0.89 and 1.27; 2-byte cells are level. Sets shared, one thread and two: f64 4096x4096
/// 0.88 and 0.95, 0.74 and 0.99; 8192x8192 0.83 and 0.91, 0.70 and 0.95; 4000x4096 0.82 and 0.98, 0.73 and 0.90; 1024
/// rows of 32 columns 0.83 and 0.88, 0.71 and 0.91, but of a table, 2^24 reversed, 0.99 and 0.64; f32 4096x4096 1.04
/// and 0.92, 0.97 and 1.13; 8192x8192 1.09 and 0.96, 0.77 and 0.92; 352x4x28x28x48 reversed 0.95 and 0.97, 0.72 and
/// 0.88. Others lose: f64 4000x4000 1.16 and 0.89; joined lines, 4097x4095 1.09 and 0.93.
#[inline(always)]
fn pays_zen5(reads: Reads<'_>, cell: usize) -> bool {
    /// Source rows of a table at least: *guess* between 32 and 64.
    const OF_TABLE: usize = 64;
    match cell {
        4 | 8 if reads.streamed().is_some() => true,
        4 => reads.staged && reads.shared,
        8 => reads.staged && (reads.strided || reads.count >= OF_TABLE),
        _ => false,
    }
}

/// How many blocks so many rows are, of source lines of so many cells.
pub(super) const fn blocks(rows: usize, cells: usize) -> usize {
    rows / (LINES * cells)
}

/// Whether there is room for two blocks: not of single bytes.
const fn holds<T: LineTile<R>, const R: usize, const N: usize>() -> bool {
    Stage::holds(2 * LINES * T::CELLS, N)
}

/// Rows of a block that are in the stage, and still to be streamed: to `out`, if there are any.
pub(super) struct Pending<O> {
    out: Option<O>,
    /// The next one of the band, where it is in the stage, and how many there are from it on.
    row: usize,
    staged: usize,
    left: usize,
}

impl<O: Copy> Pending<O> {
    /// None.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self {
            out: None,
            row: 0,
            staged: 0,
            left: 0,
        }
    }

    /// Streams some of them, or all that are left.
    ///
    /// # Safety
    /// - Shape, range: what these were made with is true of them still: `out` takes the rows, each once, and they are
    ///   in the stage, of `N` lines each.
    /// - ISA: as [`Line`].
    #[inline(always)]
    pub(super) unsafe fn stream<L: Line, const N: usize>(&mut self, stage: &mut Stage, rows: usize)
    where
        O: Out<L, N>,
    {
        let Some(out) = self.out else {
            return;
        };
        let rows = rows.min(self.left);
        if rows > 0 {
            let from = stage.line::<N>(self.staged, 0);
            // SAFETY: passed on.
            unsafe { out.put_rows(self.row..self.row + rows, from) };
            self.row += rows;
            self.staged += rows;
            self.left -= rows;
        }
    }
}

/// Moves the whole lines of source rows of a band; the row that is next.
///
/// # Safety
/// As [`whole_lines`](super::whole_lines::whole_lines), where this [`pays`]; what is pending is all of a block, in a half of the
/// stage, or nothing.
#[inline(always)]
pub(super) unsafe fn in_turns<
    T: LineTile<R>,
    O: Out<T::Line, N>,
    const R: usize,
    const N: usize,
>(
    tile: T,
    (src, columns): (impl Addressing, &Columns),
    place: &Place,
    (reads, out): (Reads<'_>, O),
    (stage, pending): (&mut Stage, &mut Pending<O>),
) -> usize {
    let cells = T::CELLS;
    let (half, square) = (LINES * cells, cells * LINE);
    let parts = if T::SQUARE { 1 } else { cells / R };
    debug_assert!(holds::<T, R, N>(), "two blocks in a stage");
    let mut r = place.rows.start;
    while r + cells <= place.rows.end {
        let lines = ((place.rows.end - r) / cells).min(LINES);
        let first_is_taken = pending.left > 0 && pending.staged < half;
        let base = if first_is_taken { half } else { 0 };
        let pace = pending.left.div_ceil(N * lines * parts);
        let first = r / cells * N * square;
        let at = |i: usize, line: usize| columns.lines(i * cells, (r + line * cells) * T::CELL);
        for i in 0..N {
            for line in 0..lines {
                // What is read as many squares later: lines of the other source rows, or of the same, or of the next band's.
                let (rows, after) = if i + 1 < N {
                    (i + 1, line)
                } else {
                    (0, lines + line)
                };
                let ends = r + (after + 1) * cells > place.rows.end;
                let row = base + line * cells;
                // SAFETY: shape: the place has N * cells columns, all source rows, and rows from r on for a block, of
                // which the stage holds two; range: from row r on, lines of so many rows are the place's; the rest is
                // passed on.
                unsafe {
                    if let Some(sequence) = reads.sequence {
                        let read = first + (i * lines + line) * square;
                        sequence.ask((place.cols.start, read), square);
                    }
                    for part in 0..parts {
                        if T::SQUARE {
                            tile.square(at(i, line), stage.line::<N>(row, i), N * LINE);
                        } else {
                            let made = tile.lines(at(i, line), part);
                            for (r, line) in made.into_iter().enumerate() {
                                line.store(stage.line::<N>(row + part * R + r, i));
                            }
                        }
                        if T::SQUARE && ends {
                            reads.next_band::<T, R, N>(src, place, line * LINE);
                        } else if T::SQUARE {
                            ask(at(rows, after), 0..cells, 0);
                        } else if reads.sequence.is_none() {
                            ask(at(i, line), part * R..(part + 1) * R, AHEAD);
                        }
                        pending.stream(stage, pace);
                    }
                }
            }
        }
        *pending = Pending {
            out: Some(out),
            row: r,
            staged: base,
            left: lines * cells,
        };
        r += lines * cells;
    }
    r
}

/// Asks for some lines, or those so many bytes after them. Of a row that starts inside a line, that ends in the next one:
/// where it begins was read with what is before.
///
/// # Safety
/// - Shape: they exist.
#[inline(always)]
unsafe fn ask(from: impl Lines, lines: Range<usize>, after: usize) {
    for i in lines {
        // SAFETY: shape: passed on.
        prefetch(unsafe { from.at(i) }.wrapping_add(after + LINE - 1));
    }
}
