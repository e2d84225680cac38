//! Copies of a few cells: the loops of their normal form, one in another, and nothing chosen.
//!
//! A file of its own because cells are moved without a kernel here: to choose one takes longer than to move
//! two dozen of them.

use crate::plan::{Dim, Form};

/// Cells of a copy that is carried out here, at most. `copy` with these loops and with a kernel, ns on a
/// 2-core AVX2 server VM: f32 4x4, 33 and 59; 8x8, 49 and 62; 16x16, 106 and 74; 2x3x4 reversed, 55 and
/// 106; 2x4x4x2, 102 and 202; 2x3x4x5 reversed, 216 and 143.
const TINY: usize = 64;

/// Whether `form` has so few cells that to choose a kernel takes longer than to move them.
#[inline(always)]
pub(super) fn takes(form: &Form<'_>) -> bool {
    form.bytes <= TINY * form.cell
}

/// Moves cells of `bytes` at all indices of `dims`, from the first one at `at` on.
///
/// # Safety
/// - Range: those cells can be read and written.
/// - Aliasing: no cell of the destination shares a byte with another one, or with one of the source; no
///   other thread touches them.
/// - Alignment: none.
#[inline(always)]
pub(super) unsafe fn carry_out(bytes: usize, dims: &[Dim], at: (*const u8, *mut u8)) {
    // SAFETY: passed on; the sizes are those of the moves.
    unsafe {
        match bytes {
            1 => nest(dims, at, Exactly::<1>),
            2 => nest(dims, at, Exactly::<2>),
            4 => nest(dims, at, Exactly::<4>),
            8 => nest(dims, at, Exactly::<8>),
            16 => nest(dims, at, Exactly::<16>),
            3 => nest(dims, at, Around::<2>(bytes)),
            5..8 => nest(dims, at, Around::<4>(bytes)),
            9..16 => nest(dims, at, Around::<8>(bytes)),
            17..=32 => nest(dims, at, Around::<16>(bytes)),
            33..=64 => nest(dims, at, Around::<32>(bytes)),
            _ => nest(dims, at, Long(bytes)),
        }
    }
}

/// Moves the cells of all indices.
///
/// # Safety
/// What [`Move::cell`] asks for, at every index.
unsafe fn nest<M: Move>(dims: &[Dim], (mut src, mut dst): (*const u8, *mut u8), by: M) {
    // SAFETY: passed on.
    unsafe {
        match dims {
            [] => by.cell(src, dst),
            [inner] => line(inner, (src, dst), by),
            [inner, outer] => plane(inner, outer, (src, dst), by),
            [inside @ .., last] => {
                for _ in 0..last.extent {
                    match inside {
                        [inner, outer] => plane(inner, outer, (src, dst), by),
                        _ => nest(inside, (src, dst), by),
                    }
                    src = src.wrapping_offset(last.src);
                    dst = dst.wrapping_offset(last.dst);
                }
            }
        }
    }
}

/// Moves the cells of two dimensions, the longer one inside.
///
/// # Safety
/// As [`nest`].
#[inline(always)]
unsafe fn plane<M: Move>(a: &Dim, b: &Dim, (mut src, mut dst): (*const u8, *mut u8), by: M) {
    let (inner, outer) = if a.extent < b.extent { (b, a) } else { (a, b) };
    for _ in 0..outer.extent {
        // SAFETY: passed on.
        unsafe { line(inner, (src, dst), by) };
        src = src.wrapping_offset(outer.src);
        dst = dst.wrapping_offset(outer.dst);
    }
}

/// Moves the cells of one dimension.
///
/// # Safety
/// As [`nest`].
#[inline(always)]
unsafe fn line<M: Move>(dim: &Dim, (mut src, mut dst): (*const u8, *mut u8), by: M) {
    for _ in 0..dim.extent {
        // SAFETY: passed on.
        unsafe { by.cell(src, dst) };
        src = src.wrapping_offset(dim.src);
        dst = dst.wrapping_offset(dim.dst);
    }
}

/// How a cell is moved.
trait Move: Copy {
    /// Moves the cell at `from` to `to`.
    ///
    /// # Safety
    /// - Range: its bytes can be read and written.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: none.
    unsafe fn cell(self, from: *const u8, to: *mut u8);
}

/// Cells of `N` bytes.
#[derive(Clone, Copy)]
struct Exactly<const N: usize>;

impl<const N: usize> Move for Exactly<N> {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        // SAFETY: range: passed on; alignment: bytes have none.
        unsafe { to.cast::<[u8; N]>().write(from.cast::<[u8; N]>().read()) }
    }
}

/// Cells of `N` to `2 * N` bytes: the first `N` and the last.
#[derive(Clone, Copy)]
struct Around<const N: usize>(usize);

impl<const N: usize> Move for Around<N> {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        let last = self.0 - N;
        // SAFETY: range: passed on, as there are `N` bytes; alignment: bytes have none.
        unsafe {
            Exactly::<N>.cell(from, to);
            Exactly::<N>.cell(from.wrapping_add(last), to.wrapping_add(last));
        }
    }
}

/// Cells of any number of bytes.
#[derive(Clone, Copy)]
struct Long(usize);

impl Move for Long {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        // SAFETY: range and aliasing: passed on; bytes have no alignment.
        unsafe { core::ptr::copy_nonoverlapping(from, to, self.0) }
    }
}
