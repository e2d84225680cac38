//! How a streaming transposition moves short rows that start anywhere in a line: through a stage in the
//! first caches.
//!
//! A file of its own because nothing here transposes. Some rows at a time are moved to the stage by the
//! tiles that write through the caches, and whole lines go from there around them. Rows that follow each
//! other in the destination fill every line together; what is left of one waits in front of the stage
//! for the next rows:
//!
//! ```text
//!   dst           | row 0     | row 1     | row 2     | row 3     | ..
//!   lines    |        0        |        1        |        2        |
//!                 cached            streamed          waits for the next rows
//! ```
//!
//! Bands (`stream`) are done with the end of a row when the next row's beginning was written long ago,
//! so the line that two rows share goes through the caches, twice; and `carry` shifts every line in
//! registers. Here lines are loaded from the stage as they lie, whatever the cells and wherever the
//! destination starts. Of memcpy, bands and this, 8 MiB a side that the third-level cache holds, and after
//! all had been flushed (2-core AVX-512 server VM): u8 255x257 0.25 and 0.51, 0.39 and 0.69; f32
//! 160x162 0.57 and 0.74, 0.86 and 1.1; f64 40x39 0.48 and 0.82, 0.66 and 1.55; 16 bytes 1054x33 0.50 and
//! 0.83, 0.99 and 1.45.

use core::mem::MaybeUninit;

use super::extent::first_stride;
use super::line::Line;
use super::lines::{Addressing, crowded};
use crate::fence::StreamFence;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel, Rows, Side};
use crate::stage::Waiting;

/// Bytes of rows that are staged at a time, at most. 64 KiB: no better.
const PIECE: usize = 32 << 10;
/// The same where that is enough to read [`READ`] bytes of each source row: the fewer, the better they
/// stay in the first-level cache. 16 bytes 1054x33, 0.83 of memcpy with 16 KiB, 0.75 with 32.
const SMALL: usize = 16 << 10;
/// Bytes of a panel that is a piece, whole: u16 91x93, 17 KB, 0.58 and, in two, 0.49.
const WHOLE: usize = 20 << 10;
/// Bytes of a source row in a piece. f32 25920x161, one line, 0.57 of memcpy; two, 0.70.
const READ: usize = 3 * LINE;
/// Bytes of source rows that are short: rows that follow each other and are read as one stream, so that pieces may be
/// [`SMALL`]. With pieces of 32 KiB and so, of the roof (Xeon, 16 MiB, again and again, and after all had been
/// flushed): u8 256x257 0.55 and 0.60, 0.43 and 0.43; u16 202x204 0.62 and 0.69, 0.49 and 0.55; f32 101x103 0.71 and
/// 0.76, 0.53 and 0.58; u8 401x403 0.58 and 0.63, 0.48 and 0.52. *Guess* between rows of 640 bytes and of 80 KB.
const SHORT: usize = 1 << 10;
/// Columns up to which pieces of cells of one or two bytes have a line of each source row: the lines that tiles come
/// back to stay beside them. With three lines and so, as above: u16 203 columns 0.68 and 0.80, 0.53 and 0.62; u8 257
/// 0.60 and 0.69, 0.51 and 0.56; 255 0.70 and 0.80, 0.55 and 0.63. More columns lose: u16 300, 0.74 and 0.65, 0.48 and
/// 0.49; u8 500, 0.74 and 0.61. So do others that share sets of the cache: u16 129, 64 KiB apart, 0.58 and 0.49, 0.46
/// and 0.32; u8 200, 0.48 and 0.39, 0.37 and 0.27.
const FEW: usize = 260;

/// What waits, less than a line, a piece, and room for what the stores of its last row write beyond it. It starts a
/// page, so that the lines before it are streamed when a store crosses the first end of one, and does not wait for
/// them ([`crate::stage`]): of the roof, 16 MB, Zen 4, f32 63x65 0.39 and 0.42, u16 71x83 0.33 and 0.37, f64 40x37
/// 0.58 and 0.62.
#[repr(align(4096))]
struct Stage([MaybeUninit<u8>; LINE + PIECE + LINE]);

/// Rows that are moved together, if the panel has them.
const fn unit(cell: usize) -> usize {
    const MOST: usize = 16;
    let line = LINE / cell;
    if line < MOST { line } else { MOST }
}

/// Whether rows are short enough. f32 rows of 840 bytes: 0.73 of memcpy instead of 0.64; of 1680: 0.65
/// instead of 0.74.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    panel.cols * panel.cell * unit(panel.cell) <= SMALL
}

/// Bytes of rows that are staged at a time.
#[inline(always)]
fn wanted(panel: &Panel<'_>) -> usize {
    let (bytes, row) = (panel.cols * panel.cell, panel.rows * panel.cell);
    if panel.rows * bytes <= WHOLE {
        return WHOLE;
    }
    let read = match panel.cell {
        _ if row < SHORT && panel.src.rows.follow(row) => 0,
        1 | 2 if panel.cols <= FEW && !crowd(panel) => LINE,
        _ => READ,
    };
    (read / panel.cell * bytes).clamp(SMALL, PIECE)
}

/// Whether source rows share few sets of the caches, by what half of them do.
pub(super) fn crowd(panel: &Panel<'_>) -> bool {
    let stride = first_stride(&panel.src);
    stride.is_some_and(|stride| crowded(stride.unsigned_abs(), panel.cols / 2))
}

/// Whether all rows follow each other in the destination.
pub(super) fn one_run(panel: &Panel<'_>) -> bool {
    let bytes = panel.cols * panel.cell;
    match panel.dst.rows {
        Rows::Stride(stride) => stride == bytes as isize,
        // SAFETY: shape: rows of the panel.
        _ => unsafe { following(panel.dst, 0, panel.rows, bytes) == panel.rows },
    }
}

/// Moves a panel whose rows are staged.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] is true of, while a guard is held. `cached`
/// takes the panel, and any rows of it if they are 16 or fill a line of each source row, or all; in the destination
/// it is given, rows follow each other, and up to a line may be written behind the last one. The ISA of the line is
/// enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn rows<L: Line>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    cached: unsafe fn(&Panel<'_>),
) {
    let (bytes, unit) = (panel.cols * panel.cell, unit(panel.cell));
    let pieces = Pieces::of(panel, fence);
    let mut stage = Stage([MaybeUninit::uninit(); _]);
    let stage = stage.0.as_mut_ptr().cast::<u8>().wrapping_add(LINE);
    let mut out = Waiting::of(stage);
    for start in (0..panel.rows).step_by(pieces.rows) {
        let end = panel.rows.min(start + pieces.rows);
        // Less than a unit is moved together with rows before it.
        let first = start.min(panel.rows.saturating_sub(unit));
        let part = Panel {
            dst: Side {
                base: stage,
                rows: Rows::Stride(bytes as isize),
                step: panel.dst.step,
            },
            ..panel.part(first..end, 0..panel.cols)
        };
        let mut ahead = pieces.ahead(start);
        // SAFETY: rows of the panel, a unit of them or all; range and aliasing: the stage has room for a
        // piece, which is a unit at least, and a line behind it, and no other reference; the rest is the contract.
        unsafe { cached(&part) };
        let mut r = start;
        while r < end {
            // SAFETY: shape: the caller has these rows.
            let (to, next) = unsafe { (panel.dst.row(r), following(panel.dst, r, end, bytes)) };
            let from = stage.wrapping_add((r - first) * bytes);
            // SAFETY: range: rows `r` to `next` follow each other from `to` on, and lie in the stage from
            // `from` on, where nothing before them is needed any more; aliasing, ISA: passed on.
            unsafe { out.write::<L>((from, stage), to, (next - r) * bytes, || ahead.fetch()) };
            r = next;
        }
    }
    // SAFETY: range: what waits are cells of the destination.
    unsafe { out.flush() }
}

/// The end of the rows that follow each other from `start` on, `end` at most.
///
/// # Safety
/// - Shape: `dst` addresses those rows, of so many bytes.
#[inline(always)]
pub(super) unsafe fn following(
    dst: impl Addressing,
    start: usize,
    end: usize,
    bytes: usize,
) -> usize {
    let mut next = start + 1;
    // SAFETY: shape: rows below `end`.
    while next < end && unsafe { dst.row(next) == dst.row(next - 1).wrapping_add(bytes) } {
        next += 1;
    }
    next
}

/// The pieces of a panel.
pub(super) struct Pieces<'a, 'p> {
    panel: &'a Panel<'p>,
    /// The next panel, if there is one.
    after: Option<Panel<'p>>,
    /// Rows of a piece, units but for the last one.
    pub(super) rows: usize,
}

impl<'a, 'p> Pieces<'a, 'p> {
    /// Those of a panel that [`takes`] is true of.
    #[inline(always)]
    pub(super) fn of(panel: &'a Panel<'p>, fence: &StreamFence<'_>) -> Self {
        let (bytes, unit) = (panel.cols * panel.cell, unit(panel.cell));
        let most = wanted(panel) / bytes / unit * unit;
        let pieces = panel.rows.div_ceil(most);
        let rows = panel.rows.div_ceil(pieces).next_multiple_of(unit);
        Self::of_rows(panel, fence, rows)
    }

    /// Those of so many rows, units of them.
    #[inline(always)]
    pub(super) fn of_rows(panel: &'a Panel<'p>, fence: &StreamFence<'_>, rows: usize) -> Self {
        let after = fence.next().map(|next| Panel {
            src: panel.src.moved(next),
            ..*panel
        });
        Self { panel, after, rows }
    }

    /// What is asked for while the piece from row `start` on is written.
    #[inline(always)]
    pub(super) fn ahead(&self, start: usize) -> Ahead<'_, 'p> {
        let rows = self.panel.rows;
        let end = rows.min(start + self.rows);
        let lines = (end - start) * self.panel.cols * self.panel.cell / LINE;
        match &self.after {
            Some(after) if end == rows => Ahead::of(after, 0..rows.min(self.rows), lines),
            _ => Ahead::of(self.panel, end..rows.min(end + self.rows), lines),
        }
    }
}

/// What the next piece reads, asked for while lines of this one are streamed, which read nothing from
/// memory.
pub(super) struct Ahead<'a, 'p> {
    panel: &'a Panel<'p>,
    /// The first cell of each source row that is asked for, and how many lines from there on.
    cell: usize,
    lines: usize,
    /// Lines asked for with each line that is streamed.
    each: usize,
    /// Source rows: one, where all of each is asked for and they follow each other.
    rows: usize,
    /// The source row and its line that come next.
    row: usize,
    line: usize,
}

impl<'a, 'p> Ahead<'a, 'p> {
    #[inline(always)]
    fn of(panel: &'a Panel<'p>, next: core::ops::Range<usize>, streamed: usize) -> Self {
        let row = panel.rows * panel.cell;
        let (rows, bytes) = if panel.src.rows.follow(row) && next.len() == panel.rows {
            (1, row * panel.cols)
        } else {
            (panel.cols, next.len() * panel.cell)
        };
        let lines = bytes.div_ceil(LINE);
        Self {
            panel,
            cell: next.start,
            lines,
            each: (lines * rows).div_ceil(streamed.max(1)),
            rows,
            row: 0,
            line: 0,
        }
    }

    /// Asks for the next few lines into the second-level cache.
    #[inline(always)]
    pub(super) fn fetch(&mut self) {
        self.each(prefetch_second);
    }

    /// Calls `ask` with the next few lines: where one ends that starts with the cell, since the one in which that
    /// lies was asked for before.
    #[inline(always)]
    pub(super) fn each(&mut self, ask: impl Fn(*const u8)) {
        for _ in 0..self.each {
            if self.row < self.rows {
                // SAFETY: shape: the cell is below the rows of the panel, and the source row below its
                // columns.
                let at = unsafe { self.panel.src_cell(self.cell, self.row) };
                ask(at.wrapping_add((self.line + 1) * LINE - 1));
                self.line += 1;
                if self.line == self.lines {
                    (self.row, self.line) = (self.row + 1, 0);
                }
            }
        }
    }
}
