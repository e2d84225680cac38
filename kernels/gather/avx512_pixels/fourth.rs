//! Pixels lose their fourth part, as from RGBA to RGB: every fourth part of a source row is left out.
//!
//! A group is four lines of the source and three of the destination, each of which comes from two
//! that follow each other:
//!
//! ```text
//!   src   r g b - r g b - ..   | line 1       | line 2       | line 3
//!   dst   r g b r g b ..   | line 1     | line 2       |
//!           0 and 1          1 and 2      2 and 3
//! ```
//!
//! The parts left out are masked out: they are never read.

use core::arch::x86_64::__m512i;

use super::{Part, Places, Source, load_some};
use crate::panel::{LINE, reached};

impl Places {
    /// For line `j` of the destination, from lines `j` and `j + 1` of the source.
    const fn of_line(part: usize, j: usize) -> Self {
        let (mut places, mut i, parts) = (Self([0; LINE]), 0, LINE / part);
        while i < parts {
            let at = j * parts + i;
            // Below 128, so the integer is its lowest byte.
            places.0[i * part] = (at / 3 * 4 + at % 3 - j * parts) as u8;
            i += 1;
        }
        places
    }
}

/// The bytes of a line that are not of a fourth part.
pub(crate) const fn moved(part: usize) -> u64 {
    let (mut mask, mut i) = (0, 0);
    while i < LINE {
        if i / part % 4 != 3 {
            mask |= 1 << i;
        }
        i += 1;
    }
    mask
}

/// Every fourth part is left out.
#[derive(Clone, Copy)]
pub(super) struct Fourth;

impl<P: Part> Source<P> for Fourth {
    const STEP: isize = 4 * P::BYTES as isize;
    const LINES: usize = 4;

    #[inline(always)]
    unsafe fn lines(from: *const u8, len: usize) -> [__m512i; 3] {
        let bytes = len * 4 * P::BYTES;
        // SAFETY: range: masked-out bytes, those of fourth parts and after `len` pixels, are not
        // accessed; ISA: the caller's.
        unsafe {
            let of = |j: usize| moved(P::BYTES) & reached(bytes, j);
            let a = load_some(of(0), from);
            let b = load_some(of(1), from.wrapping_add(LINE));
            let c = load_some(of(2), from.wrapping_add(2 * LINE));
            let d = load_some(of(3), from.wrapping_add(3 * LINE));
            [
                P::place(const { &Places::of_line(P::BYTES, 0) }, a, b),
                P::place(const { &Places::of_line(P::BYTES, 1) }, b, c),
                P::place(const { &Places::of_line(P::BYTES, 2) }, c, d),
            ]
        }
    }
}
