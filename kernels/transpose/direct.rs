//! How a streaming transposition moves short rows of wide cells that start anywhere in a line: each line is put
//! together from its cells.
//!
//! A file of its own because there is no tile here, no stage and no band: rows that follow each other in the
//! destination are one run of lines, the cells of which are taken from as many source rows as they come from. Where
//! a row ends inside a line, the first source rows follow, a cell further on:
//!
//! ```text
//!   dst      | row 0             | row 1             |        columns of five lines of four cells
//!   lines    | 0 1 2 3 | 4 5 6 0 | 1 2 3 4 | 5 6 ..            0 1 2 3 . 4 5 6 0 . 1 2 3 4 . ..
//! ```
//!
//! A [`staged`](super::staged) piece is transposed, which neither reads nor writes memory, and then written while the
//! next one is asked for; here both go on all the time.

use core::ops::Range;

use super::line::{Line, LineTile};
use super::lines::{Addressing, Lines, Settled, settle};
use super::staged::{Pieces, crowd, following};
use super::stream::aligned;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel};

/// Bytes of a row from which on that is done with cells of less than 16 bytes, of which a line has more, and takes
/// longer where it goes on with the next row. Ratios to the roof, staged and so, 16 MiB a side (Zen 4): f64 129x127
/// 0.55 and 0.67, 156 columns 0.50 and 0.62; 17 columns 0.55 and 0.40, 37 0.67 and 0.54, 81 level. 16 bytes: 10 and 18
/// columns 0.59 and 0.77, 0.48 and 0.58, 31 to 33 0.49 to 0.68 and 0.64 to 0.89, 103 0.57 and 0.92.
const LONG: usize = 12 * LINE;

/// Whether a panel whose rows could be staged is moved so: not where source rows share so few sets of the caches that
/// their lines, which are come back to for each cell, do not stay.
///
/// Of the roof, so and staged, 16 MB, source rows 256 KiB, 4 KiB, 2 KiB, 1 KiB and 512 bytes apart (Zen 5): f64 of 132
/// columns 0.07 and 0.38, 0.10 and 0.52, 0.15 and 0.54, 0.23 and 0.54, 0.36 and 0.52; 16 bytes of 67 columns, but of the
/// last, 0.21 and 0.50, 0.21 and 0.54, 0.38 and 0.60, 0.53 and 0.51.
#[inline(always)]
pub(super) fn takes<T: LineTile<R>, const R: usize>(panel: &Panel<'_>) -> bool {
    let bytes = panel.cols * T::CELL;
    let long = if T::CELL < 16 { LONG } else { LINE };
    T::CELLWISE && bytes >= long && aligned(panel) && !crowd(panel)
}

/// Moves a panel.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, for which
/// [`T::CELLWISE`](LineTile::CELLWISE) and which has a line of columns, or more; its destination rows are aligned
/// to their cells; a guard is held, and the ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn rows<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) {
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, Direct { panel, fence, tile }) }
}

/// [`rows`], to be done once the kinds of rows are settled.
struct Direct<'a, 'p, 'f, T, const R: usize> {
    panel: &'a Panel<'p>,
    fence: &'a StreamFence<'f>,
    tile: T,
}

impl<T: LineTile<R>, const R: usize> Settled for Direct<'_, '_, '_, T, R> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) {
        let Self { panel, fence, tile } = self;
        let (cols, cell) = (panel.cols, T::CELL);
        let pieces = Pieces::of(panel, fence);
        let mut ahead = pieces.ahead(0);
        let (mut start, mut piece) = (0, pieces.rows);
        while start < panel.rows {
            // SAFETY: shape: `start`, and `r` below `end`, are rows of the panel, and `c` a column; where a line
            // takes cells of the next row, `r + 1` is one as well. Range: one cell of each source row is read,
            // and cells of the destination are written, those of a line if it is whole. Aliasing: a line that is
            // streamed is that of no other run. Alignment: rows are aligned to their cells, so that a line is
            // whole cells. ISA: passed on.
            unsafe {
                let end = following(dst, start, panel.rows, cols * cell);
                let mut to = dst.row(start);
                let move_cells = |to: *mut u8, r: usize, columns: Range<usize>| {
                    for (i, c) in columns.enumerate() {
                        let from = src.row(c).wrapping_add(r * cell);
                        core::ptr::copy_nonoverlapping(from, to.wrapping_add(i * cell), cell);
                    }
                };
                let head = (to.align_offset(LINE) / cell).min(cols);
                move_cells(to, start, 0..head);
                to = to.wrapping_add(head * cell);
                let mut c = head;
                for r in start..end {
                    if r == piece {
                        ahead = pieces.ahead(r);
                        piece += pieces.rows;
                    }
                    while c + T::CELLS <= cols {
                        ahead.fetch();
                        let line = tile.cellwise(src.lines(c, T::CELLS, r * cell));
                        line.stream(to);
                        (to, c) = (to.wrapping_add(LINE), c + T::CELLS);
                    }
                    if r + 1 == end {
                        move_cells(to, r, c..cols);
                    } else if c < cols {
                        ahead.fetch();
                        let first = cols - c;
                        let around = Around {
                            src,
                            c,
                            first,
                            bytes: r * cell,
                            cell,
                        };
                        tile.cellwise(around).stream(to);
                        (to, c) = (to.wrapping_add(LINE), T::CELLS - first);
                    } else {
                        c = 0;
                    }
                }
                start = end;
            }
        }
    }
}

/// Source rows from column `c` on, and, after the last column, from the first one on, a cell further on.
#[derive(Clone, Copy)]
struct Around<S> {
    src: S,
    c: usize,
    /// How many are the last columns.
    first: usize,
    bytes: usize,
    cell: usize,
}

impl<S: Addressing> Lines for Around<S> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        let next = i >= self.first;
        let (column, bytes) = if next {
            (i - self.first, self.bytes + self.cell)
        } else {
            (self.c + i, self.bytes)
        };
        // SAFETY: shape: the line takes these columns, which the panel has.
        unsafe { self.src.row(column) }.wrapping_add(bytes)
    }
}
