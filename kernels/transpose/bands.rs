//! How a transposition fills lines with cells of which no line is a whole number: bands of as many columns as
//! fill three.
//!
//! A row has the same place in a line in each band. What a band does not fill stays in the slot of the row until
//! the next one, as in [`carry`](super::carry), which joins the lines. The first band and the last
//! one fill no line in some rows, or are less than a band: those lines are written through the caches, and columns that
//! a band has not are the last one again.
//!
//! ```text
//!   a row           slot |      band of three lines      |
//!   destination    ...|........|........|........|........|..
//!                          0        1        2     next slot
//! ```
//!
//! Everything through a stage was slower: of the roof, Zen 4, 3 bytes 4000x6000 0.48 and 0.54, 6 bytes
//! 2000x2000 0.43 and 0.66. So was a stage for the first band and the last one alone, whose loads wait for stores that
//! wait for lines: Xeon, 3 bytes 1920x1080 0.34 and 0.70, 2000x2000 0.62 and 0.87, 4000x6000 0.75 and 0.89, 6 bytes
//! 1920x1080 0.55 and 0.80. Ragged panels of 1- and 2-byte cells, joined by the carry and through the stage in
//! bands of a line: 4097x4095 0.27 and 0.15, 0.48 and 0.21.

use core::ops::Range;

use super::carry::{self, Carry, Shifted};
use super::columns::Columns;
use super::line::Line;
use super::lines::{Addressing, Lines};
use super::segments::Segments;
use super::stream::Out;
use super::walk::RegisterTile;
use crate::cpu::before_zen5;
use crate::fence::StreamFence;
use crate::isa::{prefetch, prefetch_write};
use crate::panel::{LINE, Panel, Side};

/// Lines of a destination row in a band.
const LINES: usize = 3;
/// Bytes of each row of a band that are [asked for](Segments) at a time, on AMD's cores before Zen 5. Of the roof, Zen
/// 4, with 192, 256, 512, 1024: 3 bytes 2000x2000 0.31, 0.31, 0.38, 0.32; 4000x6000 0.53, 0.56, 0.54, 0.42; 6 bytes
/// 2000x2000 0.54, 0.62, 0.66, 0.62; 3000x4001 0.57, 0.61, 0.65, 0.54. Zen 5, so and as elsewhere: 3 bytes 4000x6000
/// 0.41 and 0.72, 6 bytes 3000x4001 0.72 and 0.89.
const SEGMENT: usize = 512;
/// Bytes between a line and what is asked for while it is read, elsewhere, as where lines are
/// [aligned](super::reads).
const AHEAD: usize = 2 * LINE;

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

/// Moves a panel in bands, whole lines around the caches.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at least
/// a tile of rows and columns; a tile has a band of columns, and the words of its lines are bytes. `fence` is the guard
/// of this task, with the scratch of a [`Carry`]. The ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn bands<T: BandTile>(panel: &Panel<'_>, fence: &StreamFence<'_>, tile: T) {
    let wide = tile.cols();
    let chunk = Carry::chunk(panel.rows);
    let slots = Carry::new(fence);
    let mut columns = Columns::new();
    for first in (0..panel.rows).step_by(chunk) {
        let rows = first..panel.rows.min(first + chunk);
        for start in (0..panel.cols).step_by(wide) {
            let cols = start..panel.cols.min(start + wide);
            let lines = slots.shifted(panel.dst, start * T::CELL, first);
            let (carried, last) = (start > 0, cols.end == panel.cols);
            // SAFETY: shape: columns of the panel, as many as a tile has, or the last one again for what there is
            // not; the slots of the rows are those of a carry, which the band before has written; range, aliasing and
            // alignment: a row's lines are cells of it from where the line starts in which the band begins; ISA:
            // passed on.
            unsafe {
                columns.find(panel, cols.clone(), wide);
                let band = Band {
                    panel,
                    tile,
                    columns: &columns,
                    rows: rows.clone(),
                    cols: cols.clone(),
                };
                if carried && !last {
                    band.give(lines);
                } else {
                    let bytes = (start * T::CELL, cols.end * T::CELL);
                    band.give(Edge {
                        lines,
                        dst: panel.dst,
                        rows: rows.end,
                        bytes,
                        last,
                    });
                }
            }
        }
    }
}

/// A band of some rows.
struct Band<'a, 'p, T> {
    panel: &'a Panel<'p>,
    tile: T,
    columns: &'a Columns,
    rows: Range<usize>,
    cols: Range<usize>,
}

impl<T: BandTile> Band<'_, '_, T> {
    /// Gives all lines of the band to `out`.
    ///
    /// # Safety
    /// - Shape: these rows and columns are the panel's, and the columns were found.
    /// - The rest: what `out` asks for; ISA: that of the tile is enabled where this is inlined.
    #[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
    unsafe fn give(self, out: impl Out<T::Line, LINES>) {
        let Self {
            panel,
            tile,
            columns,
            rows,
            cols,
        } = self;
        let (cell, wide, high) = (T::CELL, tile.cols(), tile.rows());
        let (skipped, bytes) = (rows.start * cell, rows.len() * cell);
        let segments = (bytes >= 4 * SEGMENT && before_zen5()).then(|| Segments::new(SEGMENT));
        let mut asked = 0;
        // SAFETY: shape: the rows from `at` on are the panel's, and each is given once; the rest is passed on.
        unsafe {
            for r in rows.clone().step_by(high) {
                while asked <= (r - rows.start) * cell {
                    if let Some(segments) = segments {
                        let rows = cols.start..panel.cols;
                        segments.ask((asked, wide, bytes), panel.src, rows, skipped, None);
                    } else {
                        for c in 0..wide {
                            prefetch(columns.lines(c, skipped + asked + AHEAD).at(0));
                        }
                    }
                    asked += LINE;
                }
                let at = r.min(panel.rows - high);
                tile.give(columns.lines(0, at * cell), out, at, r - at);
            }
        }
    }
}

/// The first band of rows, or the last one, or both.
#[derive(Clone, Copy)]
struct Edge<'a> {
    lines: Shifted<Side<'a>>,
    dst: Side<'a>,
    /// Where the rows end.
    rows: usize,
    /// What of each row it is.
    bytes: (usize, usize),
    last: bool,
}

impl<L: Line> Out<L, LINES> for Edge<'_> {
    const JOINS: bool = true;

    /// Lines that are not filled are asked for some rows ahead, as those that are streamed wait for their stores. Of the
    /// roof (Xeon), twelve shapes of 3-byte cells, without and with: again and again 0.60 and 0.58, after all had been
    /// flushed 0.61 and 0.63.
    #[inline(always)]
    unsafe fn put(self, r: usize, lines: [L; LINES]) {
        let (start, end) = self.bytes;
        let ahead = r + carry::AHEAD;
        if ahead < self.rows {
            // SAFETY: shape: a row of the panel.
            let row = unsafe { self.dst.row(ahead) };
            if start == 0 {
                prefetch_write(row);
            }
            if self.last {
                prefetch_write(row.wrapping_add(end - 1));
            }
        }
        // SAFETY: passed on; words are bytes.
        unsafe {
            self.lines
                .put_edge(r, lines, end - start, start > 0, self.last)
        }
    }
}
