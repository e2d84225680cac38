//! How a streaming transposition moves long rows of single bytes that start anywhere in a line, on AMD's cores:
//! to rows of their own in the second-level cache first, two lines of each, and those from there. With AVX-512 alone:
//! lines of AVX2 gain nothing.
//!
//! A file of its own because reads and writes are apart here. A line of a row has as many source rows as it has
//! bytes, so bands (`stream`) read many rows at a time, and for each line that they read they write one in another
//! page, joined in registers; either waits for the other. Here squares are read along the source rows of one line at
//! a time, and what they become is kept; then the lines of each row are written, as they lie in it. What does not
//! fill a line waits in front of the row's next ones:
//!
//! ```text
//!   a row that is kept    waits |   line    |   line    |
//!   destination         ..|.........|...........|..........|..
//!                          streamed    streamed     waits for the next lines
//! ```
//!
//! Of the roof (Zen 4), joined in registers and like this: 1500x1501 0.19 and 0.25, 2003x6001 0.31 and 0.40,
//! 3001x3003 0.28 and 0.35, 3000x4000 0.34 and 0.42, 5001x5003 0.31 and 0.33, 8000x8010 0.44 and 0.45, 1201x16001
//! 0.26 and 0.33; but 16001x1201 0.36 and 0.34. Two-byte cells lose by it (5001x5003 0.59 and 0.38), wider ones as
//! much.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::line::{Line, LineTile};
use super::lines::{Addressing, Clamped, Lines, Strided, crowded};
use super::stream::{self, apart};
use crate::cpu::by_amd;
use crate::fence::StreamFence;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel, Rows};

/// Lines of a row that are kept. Four, eight: 3001x3003 1.20 and 1.25 of what is joined in registers, two 1.25;
/// 6001x2003 1.12, 0.99, 1.12; 16001x1201 0.94, 0.86, 0.95.
const LINES: usize = 2;
/// Bytes from one row that is kept to the next: what waits, and its lines.
const PITCH: usize = (1 + LINES) * LINE;
/// Rows at most of which lines are kept, 384 KiB of a second-level cache of 1 MiB. In a prototype, 1024 took a tenth
/// more.
const ROWS: usize = 2048;
/// Bytes of a row, on either side, from which on this pays: *guess*, between rows of 100 and of 1100 bytes.
const LONG: usize = 1 << 10;
/// Bytes between a line of a source row and what is asked for while it is read. In a prototype, 5001x5003: one line,
/// 8.8 ns a line; two, 6.7; four, 7.0; into the first-level cache, 12.
const AHEAD: usize = 2 * LINE;

/// Whether a panel is moved like this. Not where what is read of the source rows of a square, or asked for, shares
/// few sets: 4097x4095 0.26 and 0.21 of the roof.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    let Rows::Stride(stride) = panel.src.rows else {
        return false;
    };
    let long = panel.rows.min(panel.cols) >= LONG;
    panel.cell == 1 && long && !apart(panel) && !crowded(stride.unsigned_abs(), LINE) && by_amd()
}

/// Rows of each part of a panel, all but the last one the same number; at least those of a square.
fn part(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(ROWS)).next_multiple_of(LINE)
}

/// Bytes of scratch: rows of a part, and what it takes to start them at a line; of other panels, what they want. No
/// fewer than those of any of its rows, which may be moved by themselves, and have larger parts.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    if takes(panel) {
        panel.rows.next_multiple_of(LINE).min(ROWS) * PITCH + LINE
    } else {
        stream::scratch(panel)
    }
}

/// A line of as many source rows as make up a line.
#[repr(align(64))]
struct Square([MaybeUninit<u8>; LINE * LINE]);

/// Moves a panel.
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
    let (part, wide) = (part(panel.rows), LINES * T::CELLS);
    let (scratch, room) = fence.scratch();
    assert!(room >= part * PITCH + LINE, "rows of a part do not fit");
    let kept = scratch.wrapping_add(scratch.align_offset(LINE) + LINE);
    let mut square = Square([MaybeUninit::uninit(); _]);
    for start in (0..panel.rows).step_by(part) {
        let end = panel.rows.min(start + part);
        // Less than a square is kept with rows before it.
        let rows = start.min(panel.rows - T::CELLS)..end;
        for left in (0..panel.cols).step_by(wide) {
            let right = panel.cols.min(left + wide);
            for c in (left..right).step_by(T::CELLS) {
                let base = panel.src.base.wrapping_offset(c as isize * stride);
                let lines = Strided { base, stride };
                let to = kept.wrapping_add((c - left) * T::CELL);
                let last = right - c - 1;
                // SAFETY: shape: source rows c to c + CELLS exist, or are clamped to those before `right`; the
                // rows are the panel's, those of a square at least; range, aliasing and alignment: the scratch has
                // room for them, a line before each, and no other reference, and lines of it start at lines; ISA:
                // passed on.
                unsafe {
                    if last + 1 >= T::CELLS {
                        keep(tile, lines, rows.clone(), to, &mut square);
                    } else {
                        keep(tile, Clamped { lines, last }, rows.clone(), to, &mut square);
                    }
                }
            }
            let (bytes, first, last) = ((right - left) * T::CELL, left == 0, right == panel.cols);
            for r in start..end {
                let from = kept.wrapping_add((r - rows.start) * PITCH);
                // SAFETY: shape and range: row r has these columns, which were kept, all lines of them if they are
                // not the last ones, and so were those before them; aliasing and ISA: passed on.
                unsafe {
                    let to = panel.dst.row(r).wrapping_add(left * T::CELL);
                    write::<T::Line>(from, to, bytes, (first, last));
                }
            }
        }
    }
}

/// Keeps a line of each of some rows: of the squares of `src`, of which each line is loaded once, side by side, and
/// transposed there. The last square is moved back over the one before it.
///
/// # Safety
/// - Shape: lines below `T::CELLS` of `src` exist, and have these rows, at least so many.
/// - Range: those can be read; lines [`PITCH`] bytes apart, one for each row, can be written from `to` on.
/// - Aliasing: they have no other reference.
/// - Alignment: `to` is a multiple of 64.
/// - ISA: as [`LineTile::lines`].
#[inline(always)]
unsafe fn keep<T: LineTile<R>, const R: usize>(
    tile: T,
    src: impl Lines,
    rows: Range<usize>,
    to: *mut u8,
    square: &mut Square,
) {
    let square = square.0.as_mut_ptr().cast::<u8>();
    for r in rows.clone().step_by(T::CELLS) {
        let r = r.min(rows.end - T::CELLS);
        let to = to.wrapping_add((r - rows.start) * PITCH);
        // SAFETY: shape: lines below CELLS; what lies ahead of them is only asked for; range: from row r on there are
        // CELLS rows, a line of each source row, and as many lines in the square and in what is kept; alignment: the
        // square and what is kept start at lines; ISA: passed on.
        unsafe {
            for i in 0..T::CELLS {
                prefetch_second(src.at(i).wrapping_add(r * T::CELL + AHEAD));
            }
            for i in 0..T::CELLS {
                let line = T::Line::load(src.at(i).wrapping_add(r * T::CELL));
                line.store(square.wrapping_add(i * LINE));
            }
            for block in 0..T::CELLS / R {
                let lines = tile.lines(Strided::apart(square, LINE), block);
                for (i, line) in lines.into_iter().enumerate() {
                    line.store(to.wrapping_add((block * R + i) * PITCH));
                }
            }
        }
    }
}

/// Writes what is kept of a row, so many bytes from `from` on, to `to`: whole lines around the caches, what is before
/// the `first` of them and after the `last` through the caches. What waits from the last time lies before `from`,
/// where what is left over now is put.
///
/// # Safety
/// - Range: the bytes can be written at `to`, and those from `from` on can be read, whole lines of them if they are
///   not the last ones; unless they are the first ones, so can the line before, which ends with the bytes of the row
///   before `to`, back to where a line starts.
/// - Aliasing: what is kept has no other reference.
/// - Alignment: `from` is a multiple of 64.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn write<L: Line>(from: *mut u8, to: *mut u8, bytes: usize, (first, last): (bool, bool)) {
    let phase = to.addr() % LINE;
    // SAFETY: range: up to a line starts there are `head` bytes, and lines are written that start where one does, as
    // far as there are bytes, with those that wait; the waiting line is the one before `from`; alignment: as said,
    // and `from` and bytes that are not the last ones are whole lines; the rest is passed on.
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
            L::load(from.wrapping_add(bytes - LINE)).store(from.wrapping_sub(LINE));
        }
    }
}
