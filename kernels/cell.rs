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
        unsafe { core::ptr::copy_nonoverlapping(src, dst, self.0) }
    }
}
