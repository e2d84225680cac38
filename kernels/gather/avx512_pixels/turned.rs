//! Pixels from last to first, as where an image is mirrored: the parts of each stay in order.
//!
//! ```text
//!   src   .. r g b | r g b        from the end of the row
//!   dst   r g b | r g b ..
//! ```
//!
//! A group is three lines on both sides. Each line of the destination is made of a little more than a line of the source, as
//! pixels are cut at its ends: of two loads, where what is wanted begins and where it ends. Neither reads beyond the group.

use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_maskz_loadu_epi8};

use super::{Part, Places, Source};
use crate::panel::LINE;

/// From where a line of the destination comes.
struct From {
    /// Bytes from the start of the group's source to two loads.
    at: [usize; 2],
    places: Places,
}

impl From {
    /// Line `j`, of parts of so many bytes.
    const fn line(part: usize, j: usize) -> Self {
        let parts = LINE / part;
        let (mut least, mut most, mut i) = (usize::MAX, 0, 0);
        while i < parts {
            let at = source(parts, j * parts + i);
            if at < least {
                least = at;
            }
            if at > most {
                most = at;
            }
            i += 1;
        }
        let last = most + 1 - parts;
        let mut places = Places([0; LINE]);
        i = 0;
        while i < parts {
            let at = source(parts, j * parts + i);
            let place = if at < least + parts {
                at - least
            } else {
                parts + at - last
            };
            // Below 128, so the integer is its lowest byte.
            places.0[i * part] = place as u8;
            i += 1;
        }
        Self {
            at: [least * part, last * part],
            places,
        }
    }
}

/// Which part of a group of so many pixels goes to place `at`.
const fn source(pixels: usize, at: usize) -> usize {
    3 * (pixels - 1 - at / 3) + at % 3
}

/// Last to first.
#[derive(Clone, Copy)]
pub(super) struct Turned;

impl<P: Part> Source<P> for Turned {
    const STEP: isize = -3 * P::BYTES as isize;
    const LINES: usize = 3;

    #[inline(always)]
    unsafe fn lines(from: *const u8, len: usize) -> [__m512i; 3] {
        let group = 3 * LINE;
        let start = from.wrapping_add(3 * P::BYTES).wrapping_sub(group);
        let missing = group - len * 3 * P::BYTES;
        // SAFETY: range: loads of a whole group are inside it, and what lies before the pixels of a part is masked out;
        // ISA: the caller's.
        unsafe {
            let load = |at: usize| {
                let line = start.wrapping_add(at);
                if missing == 0 {
                    _mm512_loadu_si512(line.cast())
                } else {
                    let before = missing.saturating_sub(at);
                    let mask = if before < LINE { !0 << before } else { 0 };
                    _mm512_maskz_loadu_epi8(mask, line.cast())
                }
            };
            let line = |from: &'static From| {
                let [a, b] = from.at.map(load);
                P::place(&from.places, a, b)
            };
            [
                line(const { &From::line(P::BYTES, 0) }),
                line(const { &From::line(P::BYTES, 1) }),
                line(const { &From::line(P::BYTES, 2) }),
            ]
        }
    }
}
