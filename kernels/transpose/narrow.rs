//! How a panel whose destination rows are short and follow each other is streamed: as one run.
//!
//! A file of its own because no row of such a panel fills a band of lines, but all of them together
//! fill every line from the first to the last. So some rows at a time are transposed into a stage in
//! the first-level cache, which lies to lines as the destination does, and whole lines go from there
//! around the caches; what is left of a line is moved to the start of the stage:
//!
//! ```text
//!   dst           |  r0  |  r1  |  r2  |  r3  |  r4  |  r5  |  ..
//!   lines    |        0        |        1        |        2        |
//!                 cached            streamed          in the stage until the next rows
//! ```
//!
//! Only bytes are shifted, so any cell is moved and any address will do.

use core::mem::MaybeUninit;

use super::line::Line;
use crate::panel::{LINE, Panel, Rows, Side};

/// Bytes of destination rows that are transposed at a time: *guess*, with as much of the source a
/// third of a first-level cache.
const PIECE: usize = 8 << 10;

/// Rows that a cached row may ask for: the last piece has as many.
const LEAST: usize = 16;

/// A piece with the least rows more, and what is left of a line before it.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; PIECE + LEAST * Self::ROW + LINE]);

impl Stage {
    /// Bytes of a row at most.
    const ROW: usize = 2 * LINE;
}

/// Whether rows of so many bytes are short enough, and enough of them.
pub(super) fn fits(rows: usize, bytes: usize) -> bool {
    rows >= LEAST && bytes < Stage::ROW
}

/// Moves a panel, streaming whole lines. False if its destination rows do not follow each other in
/// memory; then nothing was moved.
///
/// # Safety
/// The contract of the crate, with a panel of the family of which [`fits`] is true, and the guard of
/// its task held; `cached` takes any part of it that has all columns and [`LEAST`] rows or more.
/// ISA: as [`Line`].
#[inline(always)]
pub(super) unsafe fn stream_run<L: Line>(panel: &Panel<'_>, cached: unsafe fn(&Panel<'_>)) -> bool {
    let bytes = panel.cols * panel.cell;
    // SAFETY: shape: r and r - 1 are rows of the panel.
    let follows =
        |r| unsafe { panel.dst.cell(r - 1, 0).wrapping_add(bytes) == panel.dst.cell(r, 0) };
    let one_run = match panel.dst.rows {
        Rows::Stride(stride) => stride == bytes as isize,
        _ => (1..panel.rows).all(follows),
    };
    if !one_run {
        return false;
    }
    let mut stage = Stage([MaybeUninit::uninit(); _]);
    let stage = stage.0.as_mut_ptr().cast::<u8>();
    // SAFETY: shape: the panel has a row.
    let start = unsafe { panel.dst.cell(0, 0) };
    // Bytes of the first line that are not the panel's.
    let mut before = start.addr() % LINE;
    let mut filled = before;
    let mut line = start.wrapping_sub(before);
    let piece = (PIECE / bytes).next_multiple_of(LEAST);
    let mut r = 0;
    while r < panel.rows {
        let left = panel.rows - r;
        let rows = if left < piece + LEAST { left } else { piece };
        let part = Panel {
            dst: Side {
                base: stage.wrapping_add(filled),
                rows: Rows::Stride(bytes as isize),
                step: panel.dst.step,
            },
            ..panel.part(r..r + rows, 0..panel.cols)
        };
        // SAFETY: the part has all columns and LEAST rows or more; range and aliasing: the stage
        // has room for less than a line, a piece rounded up and LEAST rows more, and no other
        // reference; the rest is the contract.
        unsafe { cached(&part) };
        filled += rows * bytes;
        r += rows;
        let mut from = stage;
        if before > 0 && filled >= LINE {
            // SAFETY: range: the stage holds the panel's bytes of the first line; aliasing: the
            // stage is no part of the destination.
            unsafe {
                let (from, to) = (from.wrapping_add(before), line.wrapping_add(before));
                core::ptr::copy_nonoverlapping(from, to, LINE - before);
            }
            before = 0;
            (from, line) = (from.wrapping_add(LINE), line.wrapping_add(LINE));
            filled -= LINE;
        }
        for _ in 0..filled / LINE {
            // SAFETY: range: a line of the stage that has been written, and a line of the
            // destination all of whose bytes are cells; aliasing: each is written once; alignment:
            // both start at lines; ISA: the caller's.
            unsafe { L::load(from).stream(line) };
            (from, line) = (from.wrapping_add(LINE), line.wrapping_add(LINE));
        }
        filled %= LINE;
        // SAFETY: range: less than a line at both ends of the stage, whose first `before` bytes
        // may never have been written and are not looked at; the two may be the same place.
        unsafe { core::ptr::copy(from, stage, filled) };
    }
    // SAFETY: range: what the stage holds of the last line, or of the only one; aliasing: this line
    // was not streamed.
    unsafe {
        let (from, to) = (stage.wrapping_add(before), line.wrapping_add(before));
        core::ptr::copy_nonoverlapping(from, to, filled - before);
    }
    true
}
