//! Pixels, a line of the destination at a time.

use super::{Channels, LANE};
use crate::isa::prefetch;
use crate::panel::LINE;

/// Bytes of the source between a load and the prefetch that goes before it, where lines are streamed. RGB to RGBA u8, 112
/// MB on both sides together, Xeon, microseconds without, 0.5, 1, 2, 4 and 8 KiB ahead: 4020, 4020, 4050, 4050, 3960,
/// 3970, a copy of as many bytes 4000.
const AHEAD: usize = 4 << 10;

/// Pixels of fewer lines start where they do: *guess*, as in `gather`.
const ALIGNED_FROM: usize = 8;

/// How lanes are made in registers. Made once per call.
pub(super) trait Spread: Copy {
    /// What is loaded beyond the bytes of a line's lanes, each of so many.
    fn beyond(lane: usize) -> usize;

    /// For such pixels.
    ///
    /// # Safety
    /// - ISA: what the file of the spread names is enabled where this is inlined.
    unsafe fn of(channels: &Channels) -> Self;

    /// Writes a line, around the caches if `STREAMED`.
    ///
    /// # Safety
    /// - Range: the source bytes of a line, and those [`beyond`](Self::beyond) them, can be read, a line written.
    /// - Alignment: `dst` starts a line if `STREAMED`.
    /// - ISA: as for [`of`](Self::of).
    unsafe fn line<const STREAMED: bool>(self, src: *const u8, dst: *mut u8);

    /// Writes the pixels of a line that are so many bytes in the source and in the destination, at most all.
    ///
    /// # Safety
    /// - Range: so many bytes can be read and written.
    /// - ISA: as for [`of`](Self::of).
    unsafe fn part(self, src: *const u8, dst: *mut u8, bytes: (usize, usize));
}

/// Moves so many pixels; around the caches if `STREAMED`, but for the first and the last ones, and not where they
/// straddle lines.
///
/// # Safety
/// The obligations of the family; ISA: what `S` needs is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn walk<S: Spread, const STREAMED: bool>(
    channels: &Channels,
    src: *const u8,
    dst: *mut u8,
    pixels: usize,
) {
    let (from, to) = channels.pixel;
    let (each, reads) = (LINE / to, LINE / LANE * channels.lane);
    let least = reads + S::beyond(channels.lane);
    // SAFETY: ISA: passed on.
    let spread = unsafe { S::of(channels) };
    let starts = dst.addr().wrapping_neg() % LINE;
    let aligned = starts.is_multiple_of(to) && pixels >= ALIGNED_FROM * each;
    let head = if aligned { starts / to } else { 0 };
    let (mut at, mut left) = ((src, dst), pixels);
    let step = |at: (*const u8, *mut u8), pixels: usize| {
        let (src, dst) = at;
        (
            src.wrapping_add(pixels * from),
            dst.wrapping_add(pixels * to),
        )
    };
    if head > 0 {
        // SAFETY: range and aliasing: the first pixels, fewer than a line and than there are; ISA: passed on.
        unsafe { spread.part(src, dst, (head * from, head * to)) };
        (at, left) = (step(at, head), left - head);
    }
    while left * from >= least {
        // SAFETY: range and aliasing: a line of pixels from here on is left, and what is read beyond them; alignment:
        // if aligned, the head ended where a line does; ISA: passed on.
        unsafe {
            if STREAMED && aligned {
                prefetch(at.0.wrapping_add(AHEAD));
                spread.line::<true>(at.0, at.1);
            } else {
                spread.line::<false>(at.0, at.1);
            }
        }
        (at, left) = (step(at, each), left - each);
    }
    while left > 0 {
        let few = left.min(each);
        // SAFETY: range and aliasing: these pixels are left, at most a line of them; ISA: passed on.
        unsafe { spread.part(at.0, at.1, (few * from, few * to)) };
        (at, left) = (step(at, few), left - few);
    }
}
