//! Whole pixels at another pace: from last to first, as where an image is mirrored, or every second one, as where it is
//! halved. The parts of each stay in order.
//!
//! ```text
//!   src   .. r g b | r g b        from the end of the row       r g b - - - r g b - - - ..
//!   dst   r g b | r g b ..                                      r g b r g b ..
//! ```
//!
//! Each line of the destination comes from no more than two of the source: of two loads, where what is wanted begins and
//! where it ends. Neither reads beyond the pixels of the group; pixels between them are masked out.

use core::arch::x86_64::{__m512i, _mm512_loadu_si512};

use super::{Part, Places, Source, load_some};
use crate::panel::LINE;

/// From where a line of the destination comes.
struct From {
    /// Bytes from the lowest of the group's source to two loads, and which of those bytes are wanted.
    loads: [(usize, u64); 2],
    places: Places,
}

impl From {
    /// Line `j`, of parts of so many bytes, from pixels so many on.
    const fn line(part: usize, step: isize, j: usize) -> Self {
        let parts = LINE / part;
        let (mut least, mut most, mut i) = (usize::MAX, 0, 0);
        while i < parts {
            let at = source(parts, step, j * parts + i);
            if at < least {
                least = at;
            }
            if at > most {
                most = at;
            }
            i += 1;
        }
        let last = most + 1 - parts;
        let (mut places, mut wanted) = (Places([0; LINE]), [0; 2]);
        let bytes = u64::MAX >> (64 - part);
        i = 0;
        while i < parts {
            let at = source(parts, step, j * parts + i);
            let (load, place) = if at < least + parts {
                (0, at - least)
            } else {
                assert!(at >= last, "two loads are enough");
                (1, at - last)
            };
            wanted[load] |= bytes << (place * part);
            // Below 128, so the integer is its lowest byte.
            places.0[i * part] = (load * parts + place) as u8;
            i += 1;
        }
        Self {
            loads: [(least * part, wanted[0]), (last * part, wanted[1])],
            places,
        }
    }
}

/// Which part of the source of a group of so many pixels, counted from the lowest, goes to place `at`.
const fn source(pixels: usize, step: isize, at: usize) -> usize {
    let (pixel, part) = (at / 3, at % 3);
    let from = if step < 0 { pixels - 1 - pixel } else { pixel };
    3 * from * step.unsigned_abs() + part
}

/// The source of some pixels of a group.
#[derive(Clone, Copy)]
struct Reach {
    /// The lowest byte of the whole group.
    start: *const u8,
    /// Bytes from there to the end of the group, and how many of them, from one end or the other, belong to the pixels.
    all: usize,
    some: usize,
}

impl Reach {
    /// Loads a line of it, or what of that is wanted.
    ///
    /// # Safety
    /// - Range: what is wanted of the pixels can be read, and of pixels that follow each other all.
    /// - ISA: AVX-512 BW.
    #[inline(always)]
    unsafe fn load<const STEP: isize>(self, (at, wanted): (usize, u64)) -> __m512i {
        let line = self.start.wrapping_add(at);
        // Nothing lies between pixels that follow each other.
        let follow = STEP == -1;
        let wanted = if follow { u64::MAX } else { wanted };
        let outside = if STEP < 0 {
            (self.all - self.some).saturating_sub(at)
        } else {
            (at + LINE).saturating_sub(self.some)
        };
        // SAFETY: range: what is not of the pixels is masked out; ISA: the caller's.
        unsafe {
            if follow && outside == 0 {
                return _mm512_loadu_si512(line.cast());
            }
            let there = if STEP < 0 {
                u64::MAX.checked_shl(outside as u32)
            } else {
                u64::MAX.checked_shr(outside as u32)
            };
            load_some(wanted & there.unwrap_or(0), line)
        }
    }

    /// A line of the destination.
    ///
    /// # Safety
    /// As [`load`](Self::load); ISA: and that of `P`.
    #[inline(always)]
    unsafe fn line<P: Part, const STEP: isize>(self, from: &'static From) -> __m512i {
        let [a, b] = from.loads;
        // SAFETY: passed on.
        unsafe { P::place(&from.places, self.load::<STEP>(a), self.load::<STEP>(b)) }
    }
}

/// Every pixel that is `STEP` on, -1 or 2.
#[derive(Clone, Copy)]
pub(super) struct Paced<const STEP: isize>;

impl<P: Part, const STEP: isize> Source<P> for Paced<STEP> {
    const STEP: isize = STEP * 3 * P::BYTES as isize;
    const LINES: usize = 3 * STEP.unsigned_abs();

    #[inline(always)]
    unsafe fn lines(from: *const u8, len: usize) -> [__m512i; 3] {
        let (pixel, step) = (3 * P::BYTES, STEP.unsigned_abs());
        let reach = |pixels: usize| (pixels * step * pixel).saturating_sub((step - 1) * pixel);
        let (all, some) = (reach(P::GROUP), reach(len));
        let start = if STEP < 0 {
            from.wrapping_add(pixel).wrapping_sub(all)
        } else {
            from
        };
        let source = Reach { start, all, some };
        // SAFETY: range: what is loaded of a group lies between its lowest byte and its highest; ISA: the caller's.
        unsafe {
            [
                source.line::<P, STEP>(const { &From::line(P::BYTES, STEP, 0) }),
                source.line::<P, STEP>(const { &From::line(P::BYTES, STEP, 1) }),
                source.line::<P, STEP>(const { &From::line(P::BYTES, STEP, 2) }),
            ]
        }
    }
}
