//! Rows of few pixels that follow each other, sixteen or eight bytes of each plane at a time: patches of an image. All
//! panels of a loop are moved by one call, as a row takes less than a call does.
//!
//! ```text
//!   pixels   r g b r | g b r g | b r g b        a byte of a plane comes from one of the parts of the pixels:
//!   plane    r r r r                            each part is shuffled for each plane, and put together
//! ```
//!
//! A last part is moved back to overlap the one before it, inside the row.

use core::arch::x86_64::{
    __m128i, _mm_loadl_epi64, _mm_loadu_si128, _mm_or_si128, _mm_shuffle_epi8, _mm_storel_epi64,
    _mm_storeu_si128,
};

use super::woven::{MOST, Woven};
use crate::ahead::pays;
use crate::isa::prefetch_write;
use crate::panel::{LINE, Panel};
use crate::row::Along;

/// Bytes of a register, and of a part where a row has as many.
const WHOLE: usize = 16;

/// Bytes of a part of shorter rows.
const HALF: usize = WHOLE / 2;

/// Bytes of a plane's row from which on wide registers are as good. Patches of three planes to pixels, then back, 1.2
/// MB, of the roof, by wide registers and so (Xeon, AVX-512): u8 64 0.62 and 0.80, 0.35 and 0.56, 128 0.64 and 0.68,
/// 0.58 and 0.56, 256 0.64 and 0.67, 0.61 and 0.54; f32 16 0.62 and 0.81, 0.32 and 0.48, 28 0.55 and 0.57, 0.43 and
/// 0.48, 32 0.68 and 0.67, 0.60 and 0.55, 64 0.80 and 0.68, 0.73 and 0.53.
const LONG: usize = 2 * LINE;

/// Bytes that are left to be moved from which on lines are asked for: they have left the caches. Patches of three planes
/// back to planes, without and with, of the roof (Xeon, AVX-512, 2 MiB of second-level cache): 20 MB, u8 16 0.24 and 0.39,
/// f32 8 0.24 and 0.65, 14 0.26 and 0.67, 28 0.32 and 0.70; to pixels, f32 14 0.62 and 0.77; but 1.2 MB, u8 16 0.57 and
/// 0.50, and to pixels 0.76 and 0.62.
const MANY: usize = 4 << 20;

/// Bytes from the rows of a call to those of the next one up to which the lines of the latter are asked for, and bytes up
/// to which two lines on from each row are. The one, and the other, 20 MB: u8 16 of 224 0.70 and 0.37, f32 8 of 224 0.65
/// and 0.54, 14 of 224, 12 KiB, 0.57 and 0.63; u8 16 of 1024, 16 KiB, 0.29 and 0.43. From 64 KiB on neither gains.
const NEAR: usize = 8 << 10;
const BESIDE: usize = 32 << 10;

/// Whether a row by itself, of so many bytes, is not that long. ns: u16 31x3 20 and 16; f32 12x3 24 and 15, 16x3 11.5 and
/// 15.9, 2x16 9.1 and 10.4, 2x31 12 and 14; f64 4x3 22 and 17, 8x3 10.6 and 14.3.
#[inline(always)]
pub(super) fn is_short_row(row: usize) -> bool {
    row < LINE
}

/// For each part that is made, where its bytes come from in each of those it is made of: none, where the highest bit is set.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Places<const N: usize>([[[u8; WHOLE]; N]; N]);

impl<const N: usize> Places<N> {
    /// Parts of planes from parts of pixels, of so many bytes.
    const fn split(cell: usize, part: usize) -> Self {
        let (mut places, mut plane) = ([[[0x80; WHOLE]; N]; N], 0);
        while plane < N {
            let mut i = 0;
            while i < part {
                let at = (i / cell * N + plane) * cell + i % cell;
                places[plane][at / part][i] = (at % part) as u8;
                i += 1;
            }
            plane += 1;
        }
        Self(places)
    }

    /// Parts of pixels from parts of planes.
    const fn merge(cell: usize, part: usize) -> Self {
        let (mut places, mut at) = ([[[0x80; WHOLE]; N]; N], 0);
        while at < N * part {
            let (pixel, plane) = (at / (N * cell), at / cell % N);
            places[at / part][plane][at % part] = (pixel * cell + at % cell) as u8;
            at += 1;
        }
        Self(places)
    }

    /// Part `i`.
    ///
    /// # Safety
    /// - Shape: `i` is below `N`.
    /// - ISA: AVX2.
    #[inline(always)]
    unsafe fn part(&self, i: usize, of: [__m128i; N]) -> __m128i {
        let places = &self.0[i];
        // SAFETY: range: registers of the table; ISA: the caller's.
        unsafe {
            let mut made = _mm_shuffle_epi8(of[0], _mm_loadu_si128(places[0].as_ptr().cast()));
            for (j, part) in of.iter().enumerate().skip(1) {
                let places = _mm_loadu_si128(places[j].as_ptr().cast());
                made = _mm_or_si128(made, _mm_shuffle_epi8(*part, places));
            }
            made
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

/// How far ahead of rows, so far apart, lines are asked for, if that pays: those of the next call's rows, or what is next to
/// these. Of each panel so many bytes are written.
#[inline(always)]
fn ahead(along: Along, row: isize, written: usize) -> Option<isize> {
    let call = row.wrapping_mul(along.times as isize);
    let pays = along.times > 1 && pays(along.left.saturating_mul(written), MANY);
    match call.unsigned_abs() {
        bytes if !pays || bytes > BESIDE => None,
        bytes if bytes > NEAR => Some(2 * LINE as isize),
        _ => Some(call),
    }
}

/// Asks for the lines that start in so many bytes.
#[inline(always)]
fn ask(to: *mut u8, bytes: usize) {
    let mut at = to.addr().wrapping_neg() % LINE;
    while at < bytes {
        prefetch_write(to.wrapping_add(at));
        at += LINE;
    }
}

/// A way over the pixels of a row.
trait Way {
    /// Whether planes are written, or else pixels.
    const TO_PLANES: bool;

    /// Moves a part of each plane, `PART` bytes that are `at` bytes from where the row starts in each.
    ///
    /// # Safety
    /// - Range: so much can be read on the one side and written on the other.
    /// - ISA: AVX2.
    unsafe fn part<const CELL: usize, const N: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    );
}

/// Pixels into planes.
struct Split;

impl Way for Split {
    const TO_PLANES: bool = true;

    #[inline(always)]
    unsafe fn part<const CELL: usize, const N: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    ) {
        let from = pixels.wrapping_add(at * N);
        // SAFETY: range and ISA: passed on.
        unsafe {
            let mut parts = [load::<PART>(from); N];
            for (i, part) in parts.iter_mut().enumerate().skip(1) {
                *part = load::<PART>(from.wrapping_add(i * PART));
            }
            for (plane, to) in planes.into_iter().enumerate() {
                let made = const { Places::<N>::split(CELL, PART) }.part(plane, parts);
                store::<PART>(to.wrapping_add(at), made);
            }
        }
    }
}

/// Planes into pixels.
struct Merge;

impl Way for Merge {
    const TO_PLANES: bool = false;

    #[inline(always)]
    unsafe fn part<const CELL: usize, const N: usize, const PART: usize>(
        pixels: *mut u8,
        planes: [*mut u8; N],
        at: usize,
    ) {
        let to = pixels.wrapping_add(at * N);
        // SAFETY: range and ISA: passed on.
        unsafe {
            let mut parts = [load::<PART>(planes[0].wrapping_add(at)); N];
            for (p, part) in parts.iter_mut().enumerate().skip(1) {
                *part = load::<PART>(planes[p].wrapping_add(at));
            }
            for i in 0..N {
                let made = const { Places::<N>::merge(CELL, PART) }.part(i, parts);
                store::<PART>(to.wrapping_add(i * PART), made);
            }
        }
    }
}

/// Moves the rows of a loop, each so many bytes on from the one before it in the pixels, and in the planes.
///
/// # Safety
/// - Shape: `woven` has `N` planes and no holes, and a row of a plane is a part at least.
/// - The contract of the crate, for each of the rows; ISA: AVX2.
#[inline(always)]
unsafe fn rows<K: Way, const CELL: usize, const N: usize, const PART: usize>(
    woven: &Woven,
    along: Along,
    on: (isize, isize),
) {
    let row = if K::TO_PLANES { on.1 } else { on.0 };
    // SAFETY: passed on.
    unsafe {
        match ahead(along, row, N * woven.len * CELL) {
            Some(by) => rows_asking::<K, CELL, N, PART, true>(woven, along.times, on, by),
            None => rows_asking::<K, CELL, N, PART, false>(woven, along.times, on, 0),
        }
    }
}

/// As [`rows`], with lines asked for so many bytes ahead: next to each row, as a CPU has room for a few of them. Together,
/// before the rows are moved, f32 8 of 224 0.33 instead of 0.65.
///
/// # Safety
/// As [`rows`].
#[inline(always)]
unsafe fn rows_asking<
    K: Way,
    const CELL: usize,
    const N: usize,
    const PART: usize,
    const ASKS: bool,
>(
    woven: &Woven,
    times: usize,
    (pixels, planes): (isize, isize),
    ahead: isize,
) {
    let bytes = woven.len * CELL;
    let (mut row, mut of) = (woven.pixels, [woven.planes[0]; N]);
    of.copy_from_slice(&woven.planes[..N]);
    for _ in 0..times {
        // SAFETY: range: each part ends in the row, the last one with it; aliasing: what is written twice is written with
        // the same bytes; ISA: passed on.
        unsafe {
            let mut at = 0;
            while at + PART < bytes {
                K::part::<CELL, N, PART>(row, of, at);
                at += PART;
            }
            K::part::<CELL, N, PART>(row, of, bytes - PART);
        }
        if ASKS && K::TO_PLANES {
            for plane in of {
                ask(plane.wrapping_offset(ahead), bytes);
            }
        } else if ASKS {
            ask(row.wrapping_offset(ahead), N * bytes);
        }
        row = row.wrapping_offset(pixels);
        for plane in &mut of {
            *plane = plane.wrapping_offset(planes);
        }
    }
}

/// Splits the panels of a loop by rows: false, and nothing is moved, if their pixels do not follow each other, or rows
/// are too long or too short for that.
///
/// # Safety
/// The contract of the crate, for each of the panels, of the family and of `CELL` byte cells. ISA: AVX2.
#[inline(always)]
pub(super) unsafe fn split<const CELL: usize>(panel: &Panel<'_>, along: Along) -> bool {
    let on = (along.src, along.dst);
    // SAFETY: passed on.
    unsafe { moved::<Split, CELL>(|| Woven::split(panel), panel.cols, along, on) }
}

/// Merges the panels of a loop by rows, as [`split`].
///
/// # Safety
/// As [`split`].
#[inline(always)]
pub(super) unsafe fn merge<const CELL: usize>(panel: &Panel<'_>, along: Along) -> bool {
    let on = (along.dst, along.src);
    // SAFETY: passed on.
    unsafe { moved::<Merge, CELL>(|| Woven::merge(panel), panel.rows, along, on) }
}

/// # Safety
/// As [`split`], with `pixels` to a row, and the bytes from a row's pixels and planes to those of the next one.
#[inline(always)]
unsafe fn moved<K: Way, const CELL: usize>(
    woven: impl FnOnce() -> Option<Woven>,
    pixels: usize,
    along: Along,
    on: (isize, isize),
) -> bool {
    if !(HALF..LONG).contains(&(pixels * CELL)) {
        return false;
    }
    let woven = woven().filter(|woven| !woven.back && !woven.has_holes());
    let Some(woven) = &woven else {
        return false;
    };
    // SAFETY: passed on; shape: checked above, and each arm is of so many planes.
    unsafe {
        match (woven.moved, pixels * CELL >= WHOLE) {
            (2, true) => rows::<K, CELL, 2, WHOLE>(woven, along, on),
            (3, true) => rows::<K, CELL, 3, WHOLE>(woven, along, on),
            (_, true) => rows::<K, CELL, MOST, WHOLE>(woven, along, on),
            (2, _) => rows::<K, CELL, 2, HALF>(woven, along, on),
            (3, _) => rows::<K, CELL, 3, HALF>(woven, along, on),
            _ => rows::<K, CELL, MOST, HALF>(woven, along, on),
        }
    }
    true
}
