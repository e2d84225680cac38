//! Moving one cell, by a size known when the kernel is compiled or only when it runs.

/// How a kernel moves one cell. Sizes known at compile time become single moves.
pub(crate) trait Cell: Copy {
    /// Bytes of the cell.
    fn bytes(self) -> isize;

    /// Copies one cell from `src` to `dst`.
    ///
    /// # Safety
    /// - Range: a cell can be read at `src` and written at `dst`.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: none.
    unsafe fn copy(self, src: *const u8, dst: *mut u8);
}

/// A cell of `N` bytes.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<const N: usize>;

impl<const N: usize> Cell for Fixed<N> {
    #[inline(always)]
    fn bytes(self) -> isize {
        N as isize
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing are the caller's; bytes have no alignment.
        unsafe { core::ptr::copy_nonoverlapping(src, dst, N) }
    }
}

/// A cell whose size is known when the kernel runs.
#[derive(Clone, Copy)]
pub(crate) struct Sized(pub(crate) usize);

impl Cell for Sized {
    #[inline(always)]
    fn bytes(self) -> isize {
        self.0 as isize
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing are the caller's; bytes have no alignment.
        unsafe {
            match self.0 {
                4..=8 => ends::<4>(src, dst, self.0),
                9..=16 => ends::<8>(src, dst, self.0),
                17..=32 => ends::<16>(src, dst, self.0),
                33..=64 => ends::<32>(src, dst, self.0),
                _ => core::ptr::copy_nonoverlapping(src, dst, self.0),
            }
        }
    }
}

/// Copies the first `N` bytes of a cell and the last, of which some may be the same. The memory copy is a call:
/// 64x64 cells of 5 bytes transposed took 13 us with it and take 3, of 28 bytes 17 and 5; 300x300 of 28, 368 and 88.
///
/// # Safety
/// - Range: `bytes` can be read and written, which are at least `N`.
/// - Aliasing: the two do not overlap.
/// - Alignment: none.
#[inline(always)]
unsafe fn ends<const N: usize>(src: *const u8, dst: *mut u8, bytes: usize) {
    let last = bytes - N;
    // SAFETY: passed on.
    unsafe {
        Fixed::<N>.copy(src, dst);
        Fixed::<N>.copy(src.wrapping_add(last), dst.wrapping_add(last));
    }
}
