//! How a streaming transposition moves long rows in pieces, through a stage in the second-level cache.
//!
//! Bands (`stream`) follow as many source rows as make two lines of each destination row, and write those
//! two lines. Memory may want neither: few rows at a time are read faster than many, and lines of rows a
//! page apart are written faster the more of a row follow each other. Here, a piece of some destination
//! rows is moved to a stage by tiles that write through the caches, a few source rows after the other; what
//! is streamed from there are many lines of each row.
//!
//! ```text
//!   src                              stage                                   dst
//!   row c0    | r0 .. r255 |         row r0    | waits | c0 c1 c2 .. |       | ................ |
//!   row c0+1  | r0 .. r255 |   ->    row r0+1  | waits | c0 c1 c2 .. |  ->   | ................ |
//!   ..                               ..                                      ..
//! ```
//!
//! What a piece leaves of a row's last line waits in front of the row's place in the stage for the next one,
//! so rows may start anywhere.
//!
//! Of memcpy on a 2-core server VM with AVX2, Zen 3, 512 KiB of second-level cache, bands and this: f32
//! 4096x4096 0.42, 0.84; 2048x2048 0.35, 0.71; 1024x1024 0.21, 0.63; u16 4097x4095 0.27, 0.62; 2968x2970
//! 0.37, 0.78; u8 4000x4000 0.28, 0.37. The same there: u16 4000x4000 0.67, 0.67; u8 4096x4096 0.37, 0.37.
//! Less: f32 4000x4000 1.1, 0.6; f64 4097x4095 0.8, 0.65.

use super::extent::lines_crowd;
use super::line::Line;
use super::lines;
use super::segments::Segments;
use super::stream as bands;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows, Side};

/// Rows of a piece at most. With 128: f32 4096x4096 0.53 of memcpy instead of 0.84, u16 0.43 instead of
/// 0.58.
const HIGH: usize = 256;

/// Bytes of a row of the stage and what waits in front of it: about 1 KiB, and an odd number of lines, so
/// that rows are in different sets of the first-level cache. Half as many: ragged rows of 2-byte cells 0.53
/// instead of 0.62, others the same.
const PITCH: usize = 17 * LINE;

/// Bytes of a row of the stage that should be moved at a time: the source rows are as many cells. f32
/// 4096x4096: eight rows 0.84 of memcpy, sixteen 0.60.
pub(super) const GROUP: usize = 32;

/// Rows of a panel, and so of a piece, at least: *guess*.
const LEAST: usize = 64;

/// Bytes of a row from which on it is moved in pieces: shorter ones are [staged](super::staged). Carried
/// instead, on a 2-core server VM with AVX2, Zen 4, of the roof: u8 2100x2100 0.13 and, in pieces, 0.30;
/// 1500x1500 0.10, 0.26; u16 1000 columns, 5000 rows, 0.16, 0.34; 999x999 0.12, 0.28.
const SHORTEST: usize = 1 << 10;

/// Bytes of scratch: the stage, which starts at a line.
const SCRATCH: usize = LINE + HIGH * PITCH;

/// Whether a panel has enough rows, and they are long enough, for pieces; and it does not go better in
/// bands, which it does where the source is read in [segments](Segments) and rows start whole lines apart or
/// cells are wide. Bands so and pieces, AVX2, of the roof on that VM with Zen 4: u16 4000x4000 0.74 and 0.35,
/// 8192x8192 0.64 and 0.42; u8 4032x4032 0.45 and 0.26, 8192x8192 0.40 and 0.19; f32 4096x4096 0.62 and 0.55,
/// 8192x8192 0.68 and 0.51; where rows are carried, f32 4097x4095 0.64 and 0.44, 4100x4100 0.80 and 0.49,
/// 2050x2050 0.61 and 0.47, 1028x1028 0.33 and 0.40; but u16 4097x4095 0.25 and 0.36. On Zen 3, of rows whole
/// pages apart, f32 4096x4096 0.31 and 0.42, 1024x1024 0.18 and 0.39, u16 4096x4096 0.26 and 0.30, u8 0.21 and 0.25; but
/// u16 2304x2304 0.43 and 0.35, u8 2560x4608 0.42 and 0.30.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    let in_segments = || Segments::several(2 * LINE / panel.cell, panel.rows * panel.cell);
    let in_bands = || panel.cell > 2 || bands::apart(panel);
    let crowd = || pages_apart(panel) && lines_crowd(panel);
    fits(panel) && (crowd() || !(in_segments() && in_bands()))
}

/// The first half of that, which is true of a panel if it is of a part of its rows.
fn fits(panel: &Panel<'_>) -> bool {
    panel.rows >= LEAST && panel.cols * panel.cell > SHORTEST
}

/// Bytes of scratch of a row that moves some panels in pieces, if `some` are such, and others as
/// [`stream`](super::stream::stream) does: those may be parts of this one.
pub(super) fn scratch(panel: &Panel<'_>, some: bool) -> usize {
    bands::scratch(panel).max(if some && fits(panel) { SCRATCH } else { 0 })
}

/// Whether the destination's rows are whole pages apart, or so near to that that lines of several rows
/// share a set of the first-level cache. f32 in bands and in pieces, of the roof on that VM with Zen 4:
/// 1023x1023 0.12 and 0.33, 1028x1028 0.24 and 0.38, 2044x2044 0.27 and 0.42, 2050x2050 0.32 and 0.45,
/// 4097x4095 0.27 and 0.42; but 4100x4100 0.55 and 0.44. Farther from it: 1040x1040 0.69 and 0.47,
/// 2056x2056 0.46 and 0.49, 4090x4090 0.55 and 0.46.
pub(super) fn pages_apart(panel: &Panel<'_>) -> bool {
    const NEAR: usize = 16;
    lines::pages_apart(&panel.dst.rows, NEAR)
}

/// Moves a panel in pieces, from `group` source rows at a time.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] is true of; `fence` is the guard of this task, with
/// what [`scratch`] says; `cached` takes 64 rows and more of the panel, of `group` cells and more, which are
/// a small part of a row of the stage. The ISA of the line is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn stream<L: Line>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    cached: unsafe fn(&Panel<'_>),
    group: usize,
) {
    let (scratch, _) = fence.scratch();
    let stage = scratch.wrapping_add(scratch.align_offset(LINE));
    let room = (PITCH - LINE) / panel.cell;
    let wide = (room - group) / group * group;
    let mut first = 0;
    while first < panel.rows {
        let left = panel.rows - first;
        let high = if left > HIGH && left < 2 * HIGH {
            left / 2
        } else {
            left.min(HIGH)
        };
        let rows = first..first + high;
        let mut start = 0;
        while start < panel.cols {
            // What is less than a group goes with what is before it.
            let until = |start: usize, most: usize, end: usize| {
                if end - start < most + group {
                    end
                } else {
                    start + most
                }
            };
            let end = until(start, wide, panel.cols);
            let mut c = start;
            while c < end {
                let next = until(c, group, end);
                let part = Panel {
                    dst: Side {
                        base: stage.wrapping_add(LINE + (c - start) * panel.cell),
                        rows: Rows::Stride(PITCH as isize),
                        step: panel.dst.step,
                    },
                    ..panel.part(rows.clone(), c..next)
                };
                // SAFETY: shape: 64 rows and more, as less than half a piece is never left over, and a
                // group and more; range and aliasing: each row of the stage has room for a piece
                // and less than a group behind what waits; the rest is the contract.
                unsafe { cached(&part) };
                c = next;
            }
            let piece = Piece {
                bytes: (end - start) * panel.cell,
                first: start == 0,
                last: end == panel.cols,
            };
            for r in rows.clone() {
                // SAFETY: shape: r is below the rows of the panel; range: the piece of the row stands
                // behind what waits; ISA: passed on.
                unsafe {
                    let to = panel.dst.rows.at(panel.dst.base, r);
                    let staged = stage.wrapping_add((r - first) * PITCH + LINE);
                    piece.write::<L>(staged, to.wrapping_add(start * panel.cell));
                }
            }
            start = end;
        }
        first += high;
    }
}

/// A piece of a row.
#[derive(Clone, Copy)]
struct Piece {
    bytes: usize,
    first: bool,
    last: bool,
}

impl Piece {
    /// Writes a piece from its place in the stage to where it belongs, whole lines around the caches. The
    /// beginning of the first one and the end of the last one go through them.
    ///
    /// # Safety
    /// - Range: the bytes at `staged` were written, a line of them and more but in a last piece, and can be at
    ///   `to`; in front of `staged`, where a line starts, a line is the stage's, which ends with what the
    ///   piece before this one left of its last line.
    /// - Aliasing: the two do not overlap.
    /// - ISA: as [`Line`].
    #[inline(always)]
    unsafe fn write<L: Line>(self, staged: *mut u8, to: *mut u8) {
        let end = to.wrapping_add(self.bytes);
        let (mut from, mut to) = (staged, to);
        // SAFETY: range: the head is less than a line; what waits is what lies between the start of a line
        // and `to`; lines are those up to `end`; alignment: they start where lines do, and so does the line
        // in front of `staged`; the rest is passed on.
        unsafe {
            if self.first {
                let head = to.align_offset(LINE);
                core::ptr::copy_nonoverlapping(from, to, head);
                (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
            } else {
                let waits = to.addr() % LINE;
                (from, to) = (from.wrapping_sub(waits), to.wrapping_sub(waits));
            }
            for _ in 0..(end.addr() - to.addr()) / LINE {
                L::load(from).stream(to);
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            let rest = end.addr() - to.addr();
            if self.last {
                core::ptr::copy_nonoverlapping(from, to, rest);
            } else {
                let left = L::load(from.wrapping_add(rest).wrapping_sub(LINE));
                left.store(staged.wrapping_sub(LINE));
            }
        }
    }
}
