//! Lines around the caches: what an ISA file supplies to those that stream runs, and what runs share of one.
//!
//! A file of its own because other families that move runs put lines together by it as well.

use super::each::{Move, TwoMoves};
use crate::panel::LINE;

/// The parts of a line: part `i` is its bytes from the end of the one before on up to `ends[i]`, and they are read at
/// `lines[i]` on, where each stands as in the line.
#[derive(Clone, Copy)]
pub(crate) struct Parts<const N: usize> {
    /// Where the line would start if it were all the part's.
    pub(crate) lines: [*const u8; N],
    /// None is empty but the last one, which ends where the line does: 64.
    pub(crate) ends: [usize; N],
    pub(crate) reach: Reach,
}

/// What can be read beside the parts of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing.
    Parts,
    /// A line at each of `lines`.
    Lines,
    /// As many bytes before the end of the first part, and from the start of the second one on, as make a line: they are
    /// two, the end and the start of runs of a line and more.
    Runs,
}

impl Reach {
    /// Whether lines can be read.
    pub(crate) fn lines(can: bool) -> Self {
        if can { Self::Lines } else { Self::Parts }
    }
}

impl Parts<2> {
    /// Those of two runs: `bytes` of the one that ends in the line, 1 to 63, and the `start` of the next one.
    #[inline(always)]
    pub(crate) fn of_two(end: *const u8, bytes: usize, start: *const u8, reach: Reach) -> Self {
        Self {
            lines: [end, start.wrapping_sub(bytes)],
            ends: [bytes, LINE],
            reach,
        }
    }
}

/// What an ISA file supplies: lines, and what runs share of one.
pub(crate) trait Line: Copy {
    /// Copies a whole line around the caches.
    ///
    /// # Safety
    /// - Range: a line can be read at `src` and written at `dst`.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: `dst` starts a line; none for `src`.
    /// - ISA: what the file names is enabled where this is inlined.
    unsafe fn stream(src: *const u8, dst: *mut u8);

    /// Writes a line around the caches, put together from these parts.
    ///
    /// # Safety
    /// - Range: the bytes of each part can be read, and what the [`Reach`] says; a line can be written at `dst`.
    /// - Aliasing: `dst` overlaps none of them.
    /// - Alignment: `dst` starts a line; none for the parts.
    /// - ISA: what the file names is enabled where this is inlined.
    unsafe fn join<const N: usize>(parts: Parts<N>, dst: *mut u8);
}

/// Copies `bytes`, 1 to 63 of them, by cached stores, of which the second overlaps the first. Not by one masked
/// store, which reaches over the next line, although it writes nothing there, and waits for its streaming store:
/// 400:400:800 0.96 of the roof and, masked, 0.44 (Zen 4); 1000:1000:2000 0.97, 0.57; 200:200:256 0.91, 0.55.
///
/// # Safety
/// - Range: `bytes` can be read at `src` and written at `dst`.
/// - Aliasing: the two do not overlap.
/// - Alignment: none.
#[inline(always)]
pub(crate) unsafe fn piece(src: *const u8, dst: *mut u8, bytes: usize) {
    // SAFETY: range and aliasing: passed on to the caller, each arm for the lengths that its
    // move asks for; alignment: none needed.
    unsafe {
        match bytes {
            32.. => TwoMoves::<32>::of(bytes).run(src, dst),
            16..32 => TwoMoves::<16>::of(bytes).run(src, dst),
            8..16 => TwoMoves::<8>::of(bytes).run(src, dst),
            4..8 => TwoMoves::<4>::of(bytes).run(src, dst),
            2..4 => TwoMoves::<2>::of(bytes).run(src, dst),
            _ => TwoMoves::<1>::of(bytes).run(src, dst),
        }
    }
}
