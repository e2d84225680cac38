//! A part of each plane, and as many parts of pixels as a pixel has cells.
//!
//! ```text
//!   pixels   r g b . | r g b . | r g b .      holes are neither read nor written; but where there are no masks, and
//!   parts    - - - - - -                      they may be read, the last part starts so early that it ends with a cell
//!                      - - - - - -
//! ```

use core::arch::x86_64::{
    __m128i, _mm_loadl_epi64, _mm_loadu_si128, _mm_storel_epi64, _mm_storeu_si128,
};

use super::WHOLE;
use super::places::Places;
use crate::interleave::weave::{Cells, Line};

/// A way over the pixels of a row.
pub(crate) trait Way {
    /// Whether planes are written, or else pixels.
    const TO_PLANES: bool;

    /// Moves a part of each plane, `PART` bytes that are `at` bytes from where the row starts in each.
    ///
    /// # Safety
    /// - Range: so much can be read on the one side and written on the other: of the pixels, which are `STEP` cells, the
    ///   first `N` each. Where `W` has no masks, what lies between these can be read, and has nothing that may not be written.
    /// - ISA: that of `W`, AVX2 at least.
    unsafe fn part<W: Cells, const N: usize, const STEP: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    );

    /// Moves a cell.
    ///
    /// # Safety
    /// - Range: the bytes of one of the pixel's and of one of the plane's can be read and written, as [`Self::TO_PLANES`] says.
    unsafe fn cell<W: Cells>(of_pixel: *mut u8, of_plane: *mut u8);
}

/// Pixels into planes.
pub(crate) struct Split;

impl Way for Split {
    const TO_PLANES: bool = true;

    #[inline(always)]
    unsafe fn part<W: Cells, const N: usize, const STEP: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    ) {
        let from = pixels.wrapping_add(at * STEP);
        // SAFETY: range and ISA: passed on.
        unsafe {
            let mut parts = [load_pixels::<W, N, STEP, PART>(from, 0); STEP];
            for (j, part) in parts.iter_mut().enumerate().skip(1) {
                *part = load_pixels::<W, N, STEP, PART>(from, j);
            }
            for (plane, to) in planes.into_iter().enumerate() {
                let places = const { Places::<N, STEP>::split(W::CELL, PART, early::<W>(N, STEP)) };
                store::<PART>(to.wrapping_add(at), places.part(plane, parts));
            }
        }
    }

    #[inline(always)]
    unsafe fn cell<W: Cells>(of_pixel: *mut u8, of_plane: *mut u8) {
        // SAFETY: range: passed on; a cell of the source and one of the destination do not overlap.
        unsafe { of_plane.copy_from_nonoverlapping(of_pixel, W::CELL) };
    }
}

/// Planes into pixels.
pub(super) struct Merge;

impl Way for Merge {
    const TO_PLANES: bool = false;

    #[inline(always)]
    unsafe fn part<W: Cells, const N: usize, const STEP: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    ) {
        let to = pixels.wrapping_add(at * STEP);
        // SAFETY: range and ISA: passed on.
        unsafe {
            let mut parts = [load::<PART>(planes[0].wrapping_add(at)); N];
            for (p, part) in parts.iter_mut().enumerate().skip(1) {
                *part = load::<PART>(planes[p].wrapping_add(at));
            }
            for j in 0..STEP {
                let made = const { Places::<STEP, N>::merge(W::CELL, PART) }.part(j, parts);
                store_pixels::<W, N, STEP, PART>(to, j, made);
            }
        }
    }

    #[inline(always)]
    unsafe fn cell<W: Cells>(of_pixel: *mut u8, of_plane: *mut u8) {
        // SAFETY: range: passed on; a cell of the source and one of the destination do not overlap.
        unsafe { of_pixel.copy_from_nonoverlapping(of_plane, W::CELL) };
    }
}

/// Moves a row of so many bytes of each plane, a part at least.
///
/// # Safety
/// As [`Way::part`], for all of the row.
#[inline(always)]
pub(crate) unsafe fn row<K: Way, W: Cells, const N: usize, const STEP: usize, const PART: usize>(
    pixels: *mut u8,
    planes: [*mut u8; N],
    bytes: usize,
) {
    let mut at = 0;
    // SAFETY: range: each part ends in the row, the last one with it; aliasing: what is written twice is written with the
    // same bytes; ISA: passed on.
    unsafe {
        while at + PART < bytes {
            K::part::<W, N, STEP, PART>(pixels, planes, at);
            at += PART;
        }
        K::part::<W, N, STEP, PART>(pixels, planes, bytes - PART);
    }
}

/// Bytes by which the last part of pixels is loaded early: those of the last pixel's hole, where that cannot be masked out.
const fn early<W: Cells>(planes: usize, step: usize) -> usize {
    if W::MASKS {
        0
    } else {
        (step - planes) * W::CELL
    }
}

/// Which bytes of part `j` of pixels are of cells that move.
const fn moved(cell: usize, planes: usize, step: usize, part: usize, j: usize) -> u16 {
    let (mut bytes, mut i) = (0, 0);
    while i < part {
        if (j * part + i) % (step * cell) < planes * cell {
            bytes |= 1 << i;
        }
        i += 1;
    }
    bytes
}

/// Loads part `j` of pixels.
///
/// # Safety
/// As [`Way::part`].
#[inline(always)]
unsafe fn load_pixels<W: Cells, const N: usize, const STEP: usize, const PART: usize>(
    pixels: *const u8,
    j: usize,
) -> __m128i {
    let from = pixels.wrapping_add(j * PART);
    // SAFETY: range: of all pixels of the parts, those cells that move, or what lies between these too; ISA: passed on.
    unsafe {
        if N == STEP {
            load::<PART>(from)
        } else if W::MASKS {
            W::Line::load_few(from, moved(W::CELL, N, STEP, PART, j))
        } else if j == STEP - 1 {
            load::<PART>(from.wrapping_sub(const { early::<W>(N, STEP) }))
        } else {
            load::<PART>(from)
        }
    }
}

/// Stores part `j` of pixels.
///
/// # Safety
/// As [`Way::part`].
#[inline(always)]
unsafe fn store_pixels<W: Cells, const N: usize, const STEP: usize, const PART: usize>(
    pixels: *mut u8,
    j: usize,
    part: __m128i,
) {
    let (to, bytes) = (
        pixels.wrapping_add(j * PART),
        moved(W::CELL, N, STEP, PART, j),
    );
    // SAFETY: range: of all pixels of the parts, those cells that move; ISA: passed on.
    unsafe {
        if N == STEP {
            store::<PART>(to, part);
        } else if bytes != 0 {
            W::Line::store_few(part, to, bytes);
        }
    }
}

/// Loads a part.
///
/// # Safety
/// - Range: `PART` bytes can be read.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn load<const PART: usize>(from: *const u8) -> __m128i {
    // SAFETY: range and ISA: the caller's.
    unsafe {
        match PART {
            WHOLE => _mm_loadu_si128(from.cast()),
            _ => _mm_loadl_epi64(from.cast()),
        }
    }
}

/// Stores a part.
///
/// # Safety
/// - Range: `PART` bytes can be written.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn store<const PART: usize>(to: *mut u8, part: __m128i) {
    // SAFETY: range and ISA: the caller's.
    unsafe {
        match PART {
            WHOLE => _mm_storeu_si128(to.cast(), part),
            _ => _mm_storel_epi64(to.cast(), part),
        }
    }
}
