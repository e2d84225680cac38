//! How a streaming transposition moves cells of half a line and more: runs, crossed.
//!
//! A file of its own because there is nothing to transpose in registers. A band is a few source rows;
//! inside it the walk follows them, so the source is as many sequential streams, and each destination
//! row gets that many runs back to back:
//!
//! ```text
//!             src                             dst
//!   row c0    | 1  | 4  | 7  ..       row r0  | 1  | 2  | 3  | .. next band
//!   row c0+1  | 2  | 5  | 8  ..       row r1  | 4  | 5  | 6  | ..
//!   row c0+2  | 3  | 6  | 9  ..       row r2  | 7  | 8  | 9  | ..
//! ```
//!
//! Runs start and end anywhere within a line: the line that two runs of a row share, or [three](super::shared), is
//! joined in a register. A row's first and its last line, where it does not fill them, are written through the
//! caches.
//!
//! Of the roof, Zen 4 with AVX-512, this and runs in the order of the destination: 257x256 runs of 255 bytes 0.97
//! and 0.40; 2000x200 of 66 0.88 and 0.39, 4160x63 0.70 and 0.28; 512x512 of 67 0.79 and 0.36; 300x300 of 90 0.65 and
//! 0.53, of 130 0.97 and 0.61.

use core::ops::Range;

use super::lines::{Addressing, Settled, settle};
use super::shared::Runs;
use crate::cpu::zen4;
use crate::fence::StreamFence;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};
use crate::run::{Line, Parts, Reach, piece};

/// Source rows of a band, if runs are shorter than a line, and the next ones are asked for. Of the roof, eight and sixteen,
/// Zen 5: 1000x1000 of 32 bytes 0.77 and 0.82, 200x200 40 times 0.87 and 0.93, 1000x700 of 48 0.88 and 0.94; but 1024x1024
/// of 32 0.60 and 0.53. Where they are not (Zen 4): 42 bytes 0.74 and 0.60, 50 bytes 0.76 and 0.52.
const SHORTEST_BAND: usize = 16;
/// Source rows of a band, if runs are short: f32 ratios to the roof with eight, and with four:
/// 128-byte runs, 224x298 of them, 28 times: 0.96, 0.91; 64-byte runs, 480x32: 0.98, 0.97.
const SHORT_BAND: usize = 8;
/// The same if they are long: runs of 704 to 8576 bytes differ by less than the noise.
const BAND: usize = 4;
/// Bytes of a source row at most that is a band of its own, if those follow each other, on Zen 4: the source is one
/// sequence then. Zen 3, in bands of eight and so: f32 heads, 12 runs of 256 bytes, 0.94 and 0.64, u16 of 128 0.84 and
/// 0.81. Of the roof, Zen 4, in bands of eight and so: 12 runs of 256 bytes 0.60 and 1.18,
/// 16 of 128 0.45 and 1.16, 2 of 1024 0.61 and 1.35, 32 of 256 0.81 and 1.19, 12 of 260 0.60 and 1.03; but 128 of 256
/// 1.07 and 0.88. Zen 5, what follows as well, in bands and so: 64x75 runs of 384 bytes 1.17 and 0.87, 16 KiB 1.20 and
/// 0.91, 48x28x28x48 of 128 0.98 and 0.72, 12 of 256 1.27 and 0.76, 16 MiB of 251 1.10 and 0.88.
const SEQUENCE: usize = 8 << 10;
/// Bytes of a run at least for that, if runs are whole lines; others are longer than [`SHORT`]. 4160 source rows: 64
/// runs of 64 bytes 0.96 and 0.63, of 80 0.82 and 0.50, of 96 0.88 and 0.52; 63 of 66 0.70 and 0.57; 32 of 128 1.01 and
/// 0.97; 24 of 160 0.96 and 0.85; 40 of 200 0.99 and 0.70; 16 of 400 0.85 and 0.82; but 12 of 320 0.96 and 1.12; 16 of
/// 512 0.98 and 1.20; 8 of 800 0.77 and 1.02; 4 of 1200 0.75 and 1.03.
const LONG_LINES: usize = 4 * LINE;
/// Bytes of a short run at most.
const SHORT: usize = 512;
/// Bytes between a load and the prefetch that goes before it. 255x255 runs of 2040 bytes: 0.90 of the
/// roof with 512, 0.93 with 1024, 0.94 with 2048; runs of 128 and 256 bytes are the same with each. None on
/// Zen 4; with and without, in bands of eight: 64 runs of 256 bytes 1.00 and
/// 1.19, of 128 0.82 and 1.07, 24 of 128 0.56 and 0.78; 512x512 of 128 1.11 and 1.19.
const AHEAD: usize = 1024;

/// Bytes of a source row up to which nothing is, if those follow each other, and the CPU sees one sequence. Of the roof,
/// asked for and not, Zen 5, 32 bytes: 1000000x4 0.77 and 1.09, x5 0.80 and 1.07, 48 bytes 1000000x4 0.66 and 0.70; but
/// x8 0.88 and 0.59.
const SEEN: usize = 3 * LINE;
/// Bytes between a run and what is asked for [together](ASKED_TOGETHER) before it is moved, at most a source row. Of the
/// roof, in the mean of 15 copies after all had been flushed, with 1024, 2048, 3072 and 4096, and as it was before, Zen 5:
/// 0.93, 1.02, 1.10, 1.10, 0.52; 112 bytes 2970x53 0.42, 0.51, 0.64, 0.64, 0.50; 32 bytes 1000x1000 1.20, 1.22, 1.22, 1.21,
/// 0.34; 23 copies again and again, with 256, 512, 1024 and 2048, 0.91, 0.96, 1.00, 1.01, 0.76.
const AHEAD_TOGETHER: usize = 4 << 10;
/// Bytes of a run up to which all runs of a band are asked for together, with those that share their lines, and, where
/// source rows end, those of the next band. Of the roof, none asked for or each line by itself, and so, Zen 5: 32 bytes,
/// 1000x1000 0.31 and 0.60, 1000000x4 0.26 and 0.67; 48 bytes, 1000x700 0.34 and 0.67, 20000x20 0.19 and 0.57; 100 bytes,
/// 600x600 0.55 and 1.32, 64x8 1000 times 0.55 and 1.39; 140 bytes, 250x1000 0.55 and 1.06; 200 bytes, 400x400 0.90 and
/// 1.20. Without those that share lines: 66 bytes, 2000x200 0.66 and 0.90, 100 bytes, 600x600 0.52 and 1.32.
const ASKED_TOGETHER: usize = 256;

/// Whether cells of so many bytes are moved: three of them share a line at most.
pub(super) fn moves(cell: usize) -> bool {
    cell >= LINE / 2
}

/// Moves a panel of large cells.
///
/// # Safety
/// The contract of the crate, with a panel of the family whose cells are such as [`moves`] says,
/// while a guard is held; the ISA of the line is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn runs<L: Line>(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    let bands = Bands::<L> {
        panel,
        after: fence.next(),
        line: core::marker::PhantomData,
    };
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, bands) }
}

/// The bands, once the kinds of rows are settled.
#[derive(Clone, Copy)]
struct Bands<'a, 'p, L> {
    panel: &'a Panel<'p>,
    /// Bytes from the source to that of the next panel.
    after: Option<isize>,
    line: core::marker::PhantomData<L>,
}

impl<L: Line> Settled for Bands<'_, '_, L> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) {
        let Panel {
            cell, rows, cols, ..
        } = *self.panel;
        let beside = LINE.div_ceil(cell);
        let Course {
            band,
            together,
            ahead,
        } = Course::of(self.panel);
        for start in (0..cols).step_by(band) {
            let end = cols.min(start + band);
            let asked = together.then(|| Asked::of(self, src, start..end, band));
            for r in 0..rows {
                if let Some(asked) = &asked {
                    asked.ask(r * cell);
                }
                // SAFETY: shape: r is below rows.
                let row = unsafe { dst.row(r) };
                // SAFETY: shape: it is asked for columns that exist.
                let run = |c| unsafe { src.row(c) }.wrapping_add(r * cell).cast_const();
                let within = r >= beside && r + beside < rows;
                if cell < LINE {
                    let runs = Runs {
                        from: run,
                        count: cols,
                        bytes: cell,
                        within,
                        to: row,
                    };
                    // SAFETY: range and aliasing: run r of source row c is cell c of destination row r; a source row
                    // has a line of runs before and after run r, if it is within; ISA: passed on.
                    unsafe { runs.stream::<L>(start..end) };
                    continue;
                }
                for c in start..end {
                    let (from, next) = (run(c), (c + 1 < cols).then(|| run(c + 1)));
                    let to = row.wrapping_add(c * cell);
                    let first = c == 0;
                    let place = Place { first, within };
                    // SAFETY: range and aliasing: run r of source row c is cell c of destination row
                    // r, and the run after it in the row, if there is one, is the next column's; a source
                    // row has a line of runs before and after run r, if it is within; ISA: passed on.
                    unsafe {
                        if (to.addr() | cell).is_multiple_of(LINE) {
                            whole::<L>(from, to, cell, ahead);
                        } else {
                            shifted::<L>((from, next), to, (cell, ahead), place);
                        }
                    }
                }
            }
        }
    }
}

/// How a panel is walked.
struct Course {
    /// Source rows of a band.
    band: usize,
    /// Whether all runs of a band are asked for together.
    together: bool,
    /// If not, how many bytes before it is loaded each line is, if it is.
    ahead: Option<usize>,
}

impl Course {
    #[inline(always)]
    fn of(panel: &Panel<'_>) -> Self {
        let (in_order, cell) = (zen4(), panel.cell);
        let row = panel.rows * cell;
        let follow = panel.src.rows.follow(row);
        let long = cell > SHORT || cell >= LONG_LINES && cell.is_multiple_of(LINE);
        let together = !in_order && cell <= ASKED_TOGETHER && !(row <= SEEN && follow);
        Self {
            band: if in_order && long && row <= SEQUENCE && follow {
                1
            } else if cell > SHORT {
                BAND
            } else if cell < LINE && !in_order {
                SHORTEST_BAND
            } else {
                SHORT_BAND
            },
            together,
            ahead: (!in_order && !together).then_some(AHEAD),
        }
    }
}

/// The runs that are asked for while those of a band are moved.
struct Asked {
    /// Where the source rows of the band and those after it start, and the same of the next band.
    starts: [[*const u8; SHORTEST_BAND + 2]; 2],
    /// How many of them are asked for.
    runs: usize,
    /// Bytes of each.
    bytes: usize,
    /// Bytes of a source row.
    row: usize,
}

impl Asked {
    /// Those of some columns, which are a band of so many or what is left.
    #[inline(always)]
    fn of<L>(
        Bands { panel, after, .. }: Bands<'_, '_, L>,
        src: impl Addressing,
        some: Range<usize>,
        band: usize,
    ) -> Self {
        let (bytes, cols) = (panel.cell, panel.cols);
        let starts = |first: usize| {
            let at = |i| cols.min(first + i + 1) - 1;
            // SAFETY: shape: the last column, or one before it.
            core::array::from_fn(|i| unsafe { src.row(at(i)) }.cast_const())
        };
        let next = match after {
            Some(after) if some.end == cols => starts(0).map(|at| at.wrapping_offset(after)),
            _ => starts(some.end),
        };
        // Those of the next band that end a line of this one.
        let shared = match (band * bytes).is_multiple_of(LINE) {
            true => 0,
            false => LINE.div_ceil(bytes),
        };
        Self {
            starts: [starts(some.start), next],
            runs: (some.end + shared).min(cols) - some.start,
            bytes,
            row: panel.rows * bytes,
        }
    }

    /// Asks for those that follow on what is so many bytes into each source row.
    #[inline(always)]
    fn ask(&self, at: usize) {
        let [own, next] = &self.starts;
        let at = at + AHEAD_TOGETHER.min(self.row);
        let (starts, at) = match at < self.row {
            true => (own, at),
            false => (next, at - self.row),
        };
        for start in &starts[..self.runs] {
            let start = start.wrapping_add(at);
            prefetch(start);
            // Not a loop: 64 bytes, 64x32 1000 times, 1.08 of the roof and, so, 1.35.
            for line in 1..const { ASKED_TOGETHER / LINE } {
                if self.bytes > line * LINE {
                    prefetch(start.wrapping_add(line * LINE));
                }
            }
        }
    }
}

/// Where a run is.
struct Place {
    /// Whether it is the first one of a destination row.
    first: bool,
    /// Whether there is a line before it and after it in its source row.
    within: bool,
}

/// Asks for what is so many bytes ahead, if anything is.
#[inline(always)]
fn ask(from: *const u8, ahead: Option<usize>) {
    if let Some(ahead) = ahead {
        prefetch(from.wrapping_add(ahead));
    }
}

/// Streams a run that is whole lines; `ahead` is what [`ask`] takes.
///
/// # Safety
/// - Range: `bytes`, a multiple of 64, can be read at `from` and written at `to`.
/// - Aliasing: the two do not overlap.
/// - Alignment: `to` starts a line.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn whole<L: Line>(from: *const u8, to: *mut u8, bytes: usize, ahead: Option<usize>) {
    for byte in (0..bytes).step_by(LINE) {
        ask(from.wrapping_add(byte), ahead);
        // SAFETY: range: byte is the start of a line below bytes, a multiple of lines; the rest is
        // passed on.
        unsafe { L::stream(from.wrapping_add(byte), to.wrapping_add(byte)) };
    }
}

/// Streams a run that starts or ends within a line: its whole lines, and the line that it shares with
/// `next`, the run that follows it. The line that it shares with the run before is that one's; the
/// first run of a row writes its part of it through the caches, and the last one, which has no next,
/// the part of its last line.
///
/// # Safety
/// - Range: `bytes`, a line or more, can be read at `from`, and at `next` where it is, and written at
///   `to`; where there is a next run, 64 more bytes can be written there. A line can be read before and after both, if
///   the place is within.
/// - Aliasing: what is read and what is written do not overlap.
/// - Alignment: none.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn shifted<L: Line>(
    (from, next): (*const u8, Option<*const u8>),
    to: *mut u8,
    (bytes, ahead): (usize, Option<usize>),
    Place { first, within }: Place,
) {
    let head = to.addr().wrapping_neg() % LINE;
    let tail = (bytes - head) % LINE;
    // SAFETY: range: the bytes of the run before its first whole line, its lines from `head` on, of which the last
    // ends `tail` bytes before its end, and these; the line that begins with them is filled by the next run, or
    // written up to the end; alignment: `head` bytes on starts a line; aliasing and ISA: passed on.
    unsafe {
        if first && head > 0 {
            piece(from, to, head);
        }
        for byte in (head..bytes - tail).step_by(LINE) {
            ask(from.wrapping_add(byte), ahead);
            L::stream(from.wrapping_add(byte), to.wrapping_add(byte));
        }
        if tail == 0 {
            return;
        }
        ask(from.wrapping_add(bytes), ahead);
        let whole = bytes - tail;
        let (end, border) = (from.wrapping_add(whole), to.wrapping_add(whole));
        match next {
            Some(next) => L::join(Parts::of_two(end, tail, next, Reach::lines(within)), border),
            None => piece(end, border, tail),
        }
    }
}
