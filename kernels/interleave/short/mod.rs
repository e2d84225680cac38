//! Rows of few pixels that follow each other, sixteen or eight bytes of each plane at a time: patches of an image. All
//! panels of a loop are moved by one call, as a row takes less than a call does.
//!
//! ```text
//!   pixels   r g b r | g b r g | b r g b        a byte of a plane comes from one of the parts of the pixels:
//!   plane    r r r r                            each part is shuffled for each plane, and put together
//! ```
//!
//! A last part is moved back to overlap the one before it, inside the row. Pixels may have holes: see [`parts`].

pub(crate) mod parts;
mod places;

use self::parts::{Merge, Split, Way};
use super::weave::Cells;
use super::woven::{MOST, Woven};
use crate::ahead::pays;
use crate::isa::prefetch_write;
use crate::panel::{LINE, Panel, SourceGaps};
use crate::row::Along;

/// Bytes of a register, and of a part where a row has as many.
pub(crate) const WHOLE: usize = 16;

/// Bytes of a part of shorter rows.
pub(crate) const HALF: usize = WHOLE / 2;

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

/// Moves the rows of a loop, each so many bytes on from the one before it in the pixels, and in the planes.
///
/// # Safety
/// - Shape: `woven` has `N` planes of pixels of `STEP` cells, and a row of a plane is a part at least.
/// - Range: where `W` has no masks, holes are not written, but may be read.
/// - The contract of the crate, for each of the rows; ISA: that of `W`, AVX2 at least.
#[inline(always)]
unsafe fn rows<K: Way, W: Cells, const N: usize, const STEP: usize, const PART: usize>(
    woven: &Woven,
    along: Along,
    on: (isize, isize),
) {
    let (row, cells) = if K::TO_PLANES {
        (on.1, N)
    } else {
        (on.0, STEP)
    };
    // SAFETY: passed on.
    unsafe {
        match ahead(along, row, cells * woven.len * W::CELL) {
            Some(by) => rows_asking::<K, W, N, STEP, PART, true>(woven, along.times, on, by),
            None => rows_asking::<K, W, N, STEP, PART, false>(woven, along.times, on, 0),
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
    W: Cells,
    const N: usize,
    const STEP: usize,
    const PART: usize,
    const ASKS: bool,
>(
    woven: &Woven,
    times: usize,
    (pixels, planes): (isize, isize),
    ahead: isize,
) {
    let bytes = woven.len * W::CELL;
    let (mut row, mut of) = (woven.pixels, [woven.planes[0]; N]);
    of.copy_from_slice(&woven.planes[..N]);
    for _ in 0..times {
        // SAFETY: passed on.
        unsafe { parts::row::<K, W, N, STEP, PART>(row, of, bytes) };
        if ASKS && K::TO_PLANES {
            for plane in of {
                ask(plane.wrapping_offset(ahead), bytes);
            }
        } else if ASKS {
            ask(row.wrapping_offset(ahead), STEP * bytes);
        }
        row = row.wrapping_offset(pixels);
        for plane in &mut of {
            *plane = plane.wrapping_offset(planes);
        }
    }
}

/// Moves the rows of a loop, as [`rows`], cell by cell: where pixels have holes that are not accessed, and there are no masks.
///
/// # Safety
/// As [`rows`], but that no hole is read.
#[inline(always)]
unsafe fn rows_of_cells<K: Way, W: Cells, const N: usize>(
    woven: &Woven,
    times: usize,
    (pixels, planes): (isize, isize),
) {
    let step = woven.step * W::CELL;
    let (mut row, mut of) = (woven.pixels, [woven.planes[0]; N]);
    of.copy_from_slice(&woven.planes[..N]);
    for _ in 0..times {
        for i in 0..woven.len {
            let pixel = row.wrapping_add(i * step);
            for (p, plane) in of.iter().enumerate() {
                // SAFETY: range: a cell of the row's; ISA: passed on.
                unsafe {
                    K::cell::<W>(
                        pixel.wrapping_add(p * W::CELL),
                        plane.wrapping_add(i * W::CELL),
                    )
                };
            }
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
/// The contract of the crate, for each of the panels, of the family and of the cells of `W`. ISA: that of `W`.
#[inline(always)]
pub(super) unsafe fn split<W: Cells>(panel: &Panel<'_>, along: Along) -> bool {
    let on = (along.src, along.dst);
    let parted = W::MASKS || panel.gaps == SourceGaps::Readable;
    // SAFETY: passed on.
    unsafe { by_rows::<Split, W>(|| Woven::split(panel), panel.cols, along, on, parted) }
}

/// Merges the panels of a loop by rows, as [`split`].
///
/// # Safety
/// As [`split`].
#[inline(always)]
pub(super) unsafe fn merge<W: Cells>(panel: &Panel<'_>, along: Along) -> bool {
    let on = (along.dst, along.src);
    // SAFETY: passed on.
    unsafe { by_rows::<Merge, W>(|| Woven::merge(panel), panel.rows, along, on, W::MASKS) }
}

/// # Safety
/// As [`split`], with `pixels` to a row, the bytes from a row's pixels and planes to those of the next one, and whether
/// parts access no hole that may not be accessed.
#[inline(always)]
unsafe fn by_rows<K: Way, W: Cells>(
    woven: impl FnOnce() -> Option<Woven>,
    pixels: usize,
    along: Along,
    on: (isize, isize),
    parted: bool,
) -> bool {
    let bytes = pixels * W::CELL;
    if !(HALF..LONG).contains(&bytes) {
        return false;
    }
    let woven = woven().filter(|woven| !woven.back && woven.step <= MOST);
    let Some(woven) = &woven else {
        return false;
    };
    // SAFETY: passed on; shape: checked above, and each arm is of so many planes and cells of a pixel.
    unsafe {
        match (woven.moved, woven.step) {
            (2, 2) => of_parts::<K, W, 2, 2>(woven, along, on),
            (3, 3) => of_parts::<K, W, 3, 3>(woven, along, on),
            (MOST, _) => of_parts::<K, W, MOST, MOST>(woven, along, on),
            (2, _) if !parted => rows_of_cells::<K, W, 2>(woven, along.times, on),
            (_, _) if !parted => rows_of_cells::<K, W, 3>(woven, along.times, on),
            (2, 3) => of_parts::<K, W, 2, 3>(woven, along, on),
            (2, _) => of_parts::<K, W, 2, MOST>(woven, along, on),
            _ => of_parts::<K, W, 3, MOST>(woven, along, on),
        }
    }
    true
}

/// Moves the rows of a loop in parts of the size that they are enough for.
///
/// # Safety
/// As [`rows`].
#[inline(always)]
unsafe fn of_parts<K: Way, W: Cells, const N: usize, const STEP: usize>(
    woven: &Woven,
    along: Along,
    on: (isize, isize),
) {
    // SAFETY: passed on; shape: rows are half a register at least.
    unsafe {
        if woven.len * W::CELL >= WHOLE {
            rows::<K, W, N, STEP, WHOLE>(woven, along, on);
        } else {
            rows::<K, W, N, STEP, HALF>(woven, along, on);
        }
    }
}
