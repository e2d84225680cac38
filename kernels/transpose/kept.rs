//! How a streaming transposition moves long rows of single bytes that start anywhere in a line, or share few sets of
//! the caches, on AMD's cores: to rows of their own in the second-level cache first, four lines of each, and those
//! from there. With AVX-512 alone: lines of AVX2 gain nothing.
//!
//! A file of its own because reads and writes are apart here. A line of a row has as many source rows as it has
//! bytes, so bands (`stream`) read many rows at a time, and for each line that they read they write one in another
//! page, joined in registers; either waits for the other. Here as many source rows as make a line are read at a time,
//! some lines of each, and what they become is kept in one of two rooms. Meanwhile the lines that were kept in the
//! other one are written, as they lie in their rows. What does not fill a line waits in front of the row's next ones:
//!
//! ```text
//!   a row in one room     waits |   line    |   line    |   line    |   line    |
//!   destination         ..|.........|...........|...........|...........|..........|..
//!                          streamed    streamed    streamed    streamed   waits in the other room
//! ```
//!
//! Of the roof (Zen 4), joined in registers and like this: 4097x4095 0.27 and 0.37, 4095x4096 0.33 and 0.42, 4096x4095
//! 0.36 and 0.39, 4097x8191 0.33 and 0.42, 8191x2049 0.27 and 0.39, 1025x16385 0.22 and 0.33; bands that fit lines
//! and this, 4096x4096 0.44 and 0.47, 8192x8192 0.59 and 0.60, but 8192x2048 0.60 and 0.51, 4096x3072 0.52 and 0.47,
//! 6016x4096 0.81 and 0.54.
//! Of rows that share no sets, joined in registers and kept two lines in one room, which is level with this:
//! 1500x1501 0.19 and 0.25, 2003x6001 0.31 and 0.40, 3001x3003 0.28 and 0.35, 3000x4000 0.34 and 0.42, 8000x8010 0.44
//! and 0.45, 1201x16001 0.26 and 0.33. Two-byte cells lose by it (5001x5003 0.59 and 0.38; a prototype with rooms,
//! 4001x4003 2.8 ms, joined 2.2), wider ones as much.
//!
//! Most of those whose rows are carried Zen 4 moves in [pieces](super::pieces) by now; Zen 5 was not asked.

use core::ops::Range;

use super::band_stage::{LONG, PAIR, Stage};
use super::line::{Line, LineTile};
use super::lines::{Addressing, Clamped, Lines, NEAR, Strided, pages_apart, ragged, strided};
use super::segments::Segments;
use super::stream::{self, apart};
use crate::cpu::by_amd;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows};

/// Lines of a row that are kept. Two and four: 4097x4095 1.85 and 1.69 ms, 4096x4096 1.54 and 1.36, 8192x8192 8.6 and
/// 6.7.
const LINES: usize = 4;
/// Bytes from one row that is kept to the next: what waits, and its lines.
const PITCH: usize = (1 + LINES) * LINE;
/// Rows at most of which lines are kept, 320 KiB in all of a second-level cache of 1 MiB. 256, 512, 1024: 4097x4095
/// 1.78, 1.69, 1.76 ms, 4096x4096 1.42, 1.36, 1.45, 8192x8192 6.5, 6.7, 8.3.
const ROWS: usize = 512;
/// Bytes of a row, on either side, from which on this pays: *guess*, between rows of 100 and of 1100 bytes.
const LEAST: usize = 1 << 10;

/// Whether a panel is moved like this: not where bands fit lines, but where rows of both sides are pages apart.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    let long = panel.rows.min(panel.cols) >= LEAST;
    let strided = matches!(panel.src.rows, Rows::Stride(_));
    let pages = || pages_apart(&panel.src.rows, NEAR) && pages_apart(&panel.dst.rows, 0);
    panel.cell == 1 && long && strided && (!apart(panel) || pages()) && by_amd()
}

/// Rows of each part of a panel, all but the last one the same number; at least those of a square.
fn part(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(ROWS)).next_multiple_of(LINE)
}

/// Bytes of scratch: two rooms for rows of a part, and what it takes to start them at a line; of other panels, what
/// they want. No fewer than those of any of its rows, which may be moved by themselves, and have larger parts.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    if takes(panel) {
        2 * panel.rows.next_multiple_of(LINE).min(ROWS) * PITCH + LINE
    } else {
        stream::scratch(panel)
    }
}

/// Moves a panel. What is read of a source row at a time are two lines, or four where the next one would be out of the
/// cache by then, and each is read in two parts: 4097x4095 1.85 and 1.66 ms, but 4001x4003 1.41 and 1.53, 4096x4096
/// 1.32 and 1.35, 8192x8192 6.0 and 6.7, 20001x1365 2.67 and 3.03.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that this [`takes`]; `fence` is
/// the guard of this task, with so many bytes of [`scratch`]. The ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn rows<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) {
    let Rows::Stride(stride) = panel.src.rows else {
        unreachable!("source rows are at a stride")
    };
    let ragged = ragged(panel.src.base.addr(), stride.cast_unsigned());
    // SAFETY: passed on.
    unsafe {
        if ragged && pages_apart(&panel.src.rows, NEAR) {
            parts::<T, R, LONG>(panel, stride, fence, tile);
        } else {
            parts::<T, R, PAIR>(panel, stride, fence, tile);
        }
    }
}

/// [`rows`], reading so many lines of a source row at a time.
///
/// # Safety
/// As [`rows`], with the stride of the source rows.
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
unsafe fn parts<T: LineTile<R>, const R: usize, const READ: usize>(
    panel: &Panel<'_>,
    stride: isize,
    fence: &StreamFence<'_>,
    tile: T,
) {
    let (part, wide) = (part(panel.rows), LINES * T::CELLS);
    let (scratch, bytes) = fence.scratch();
    assert!(
        bytes >= 2 * part * PITCH + LINE,
        "rows of a part do not fit"
    );
    let room = scratch.wrapping_add(scratch.align_offset(LINE));
    let rooms = [room, room.wrapping_add(part * PITCH)];
    let source = strided(panel.src.base, stride);
    let mut stage = Stage::new();
    for start in (0..panel.rows).step_by(part) {
        let end = panel.rows.min(start + part);
        // Less than a square is kept with rows before it.
        let rows = start.min(panel.rows - T::CELLS)..end;
        let segments = Segments::new(rows.len());
        let next = (end < panel.rows).then_some(part as isize);
        let mut before = None;
        for left in (0..panel.cols).step_by(wide) {
            let right = panel.cols.min(left + wide);
            let room = rooms[left / wide % 2];
            let mut write = Write {
                panel,
                kept: before,
                rows: start..end,
                first: rows.start,
                waits: room,
            };
            for c in (left..right).step_by(T::CELLS) {
                let base = panel.src.base.wrapping_offset(c as isize * stride);
                let lines = Clamped {
                    lines: Strided { base, stride },
                    last: right - c - 1,
                };
                let to = room.wrapping_add(LINE + (c - left) * T::CELL);
                let ask = |at: usize| {
                    let read = (at, T::CELLS, rows.len());
                    // SAFETY: shape: the source has these rows.
                    unsafe { segments.ask(read, source, c..panel.cols, rows.start, next) };
                };
                // SAFETY: shape: source rows c to c + CELLS exist, or are clamped to those before `right`; the
                // rows are the panel's, those of a square at least; range, aliasing and alignment: the room is for
                // them, with a line before each, and has no other reference, and lines of it start at lines; what
                // is in the other one was kept; ISA: passed on.
                unsafe {
                    let meanwhile = (&mut write, ask);
                    keep::<T, R, READ>(tile, lines, rows.clone(), to, &mut stage, meanwhile);
                }
            }
            // SAFETY: as above.
            unsafe { write.some::<T::Line>(end - start) };
            before = Some((left..right, room));
        }
        let mut write = Write {
            panel,
            kept: before,
            rows: start..end,
            first: rows.start,
            waits: rooms[0],
        };
        // SAFETY: as above.
        unsafe { write.some::<T::Line>(end - start) };
    }
}

/// Keeps a line of each of some rows: of `src`, of which `READ` lines each are copied side by side, and transposed
/// there, or one, where there are no more. The last one is moved back over the one before. Meanwhile what is kept in
/// the other room is written, and with each line of the source rows what is asked for, by the bytes of them before it.
///
/// # Safety
/// - Shape: lines below `T::CELLS` of `src` exist, and have these rows, at least so many; the stage holds them.
/// - Range: those can be read; lines [`PITCH`] bytes apart, one for each row, can be written from `to` on.
/// - Aliasing: they have no other reference.
/// - Alignment: `to` is a multiple of 64.
/// - ISA: as [`LineTile::lines`].
/// - Those of [`Write::some`].
#[inline(always)]
unsafe fn keep<T: LineTile<R>, const R: usize, const READ: usize>(
    tile: T,
    src: impl Lines,
    rows: Range<usize>,
    to: *mut u8,
    stage: &mut Stage,
    (write, ask): (&mut Write<'_, '_>, impl Fn(usize)),
) {
    let mut r = 0;
    while r < rows.len() {
        let (at, lines) = if r + READ * T::CELLS <= rows.len() {
            (r, READ)
        } else {
            (r.min(rows.len() - T::CELLS), 1)
        };
        let bytes = (rows.start + at) * T::CELL;
        let from = At { lines: src, bytes };
        // SAFETY: shape: lines below CELLS, and rows of the stage; range: from row `at` on there are so many lines of
        // rows, in the source and in what is kept; alignment: the stage and what is kept start at lines; the rest is
        // passed on.
        unsafe {
            if lines == READ {
                stage.fill::<T::Line, READ>(0, T::CELLS, from);
            } else {
                let to = stage.lines::<READ>(0, 0);
                (0..T::CELLS).for_each(|i| T::Line::load(from.at(i)).store(to.at(i)));
            }
            for line in 0..lines {
                ask((r + line * T::CELLS) * T::CELL);
                let from = stage.lines::<READ>(0, line);
                let to = to.wrapping_add((at + line * T::CELLS) * PITCH);
                for block in 0..T::CELLS / R {
                    let lines = tile.lines(from, block);
                    for (i, line) in lines.into_iter().enumerate() {
                        line.store(to.wrapping_add((block * R + i) * PITCH));
                    }
                    write.some::<T::Line>(R / LINES);
                }
            }
        }
        r = at + lines * T::CELLS;
    }
}

/// Lines some bytes further on.
#[derive(Clone, Copy)]
struct At<L> {
    lines: L,
    bytes: usize,
}

impl<L: Lines> Lines for At<L> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.lines.at(i) }.wrapping_add(self.bytes)
    }
}

/// What is kept in a room, while it is written.
struct Write<'a, 'p> {
    panel: &'a Panel<'p>,
    /// The columns, and the room; nothing before the first ones.
    kept: Option<(Range<usize>, *mut u8)>,
    /// Rows that are still to be written.
    rows: Range<usize>,
    /// The one that the room begins with.
    first: usize,
    /// The room for what waits.
    waits: *mut u8,
}

impl Write<'_, '_> {
    /// Writes some rows more, if there are.
    ///
    /// # Safety
    /// - Range: the rows are the panel's, and their columns were kept, whole lines of them if they are not the last
    ///   ones; so were those before them, of which what filled no line waits in front of each row.
    /// - Aliasing: rooms have no other reference.
    /// - ISA: as [`Line`].
    #[inline(always)]
    unsafe fn some<L: Line>(&mut self, count: usize) {
        let Some((cols, room)) = &self.kept else {
            return;
        };
        let ends = (cols.start == 0, cols.end == self.panel.cols);
        for r in self.rows.by_ref().take(count) {
            let at = (r - self.first) * PITCH;
            // SAFETY: shape and range: row r has these columns; the rest is passed on.
            unsafe {
                let to = self.panel.dst.row(r).wrapping_add(cols.start);
                let (from, waits) = (room.wrapping_add(at), self.waits.wrapping_add(at));
                write::<L>((from, waits), to, cols.len(), ends);
            }
        }
    }
}

/// Writes what is kept of a row, so many bytes, to `to`: whole lines around the caches, what is before the `first` of
/// them and after the `last` through the caches. It is kept a line behind `from`, where what waits from the last time
/// is; what is left over now is put where it `waits`.
///
/// # Safety
/// - Range: the bytes can be written at `to`, and those a line behind `from` can be read, whole lines of them if they
///   are not the last ones; unless they are the first ones, so can the line at `from`, which ends with the bytes of
///   the row before `to`, back to where a line starts; a line can be written at `waits`.
/// - Aliasing: what is kept has no other reference.
/// - Alignment: `from` and `waits` are multiples of 64.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn write<L: Line>(
    (from, waits): (*mut u8, *mut u8),
    to: *mut u8,
    bytes: usize,
    (first, last): (bool, bool),
) {
    let phase = to.addr() % LINE;
    let from = from.wrapping_add(LINE);
    // SAFETY: range: up to a line starts there are `head` bytes, and lines are written that start where one does, as
    // far as there are bytes, with those that wait; alignment: as said, and bytes that are not the last ones are
    // whole lines; the rest is passed on.
    unsafe {
        let (mut at, mut line, mut left) = if first {
            let head = ((LINE - phase) % LINE).min(bytes);
            core::ptr::copy_nonoverlapping(from, to, head);
            (from.wrapping_add(head), to.wrapping_add(head), bytes - head)
        } else {
            (
                from.wrapping_sub(phase),
                to.wrapping_sub(phase),
                bytes + phase,
            )
        };
        while left >= LINE {
            L::load(at).stream(line);
            (at, line, left) = (at.wrapping_add(LINE), line.wrapping_add(LINE), left - LINE);
        }
        if last {
            core::ptr::copy_nonoverlapping(at, line, left);
        } else {
            L::load(from.wrapping_add(bytes - LINE)).store(waits);
        }
    }
}
