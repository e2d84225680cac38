//! Where the rows of one side start, with the kind of rows settled once for all of them.
//!
//! A file of its own because runs and crossed cells both walk along rows whose kind is not a matter of each
//! step. Runs of 8 bytes with the source through a table, both sides in the first-level cache of a 2-core
//! AVX-512 server VM: 0.61 ns each; with a match on [`Rows`](crate::panel::Rows) for each 0.75; with addresses
//! worked out 64 at a time 1.0.

use crate::panel::Side;

/// Cells whose addresses are worked out from the same one, not each from the one before: 512 f64 to every third take
/// 0.10 us instead of 0.14.
pub(crate) const AT_ONCE: usize = 4;

/// Where the rows of one side start.
pub(crate) trait Starts: Copy {
    /// The start of row `r`.
    ///
    /// # Safety
    /// - Shape: row `r` exists.
    unsafe fn at(self, r: usize) -> *mut u8;

    /// The rows that lie so many bytes further on, wrapping: nothing is accessed.
    fn moved(self, bytes: isize) -> Self;

    /// The starts of the rows from `r` on.
    ///
    /// # Safety
    /// - Shape: so many rows exist from row `r` on.
    #[inline(always)]
    unsafe fn some(self, r: usize) -> [*mut u8; AT_ONCE] {
        // SAFETY: shape: passed on.
        core::array::from_fn(|i| unsafe { self.at(r + i) })
    }
}

/// At a constant distance.
#[derive(Clone, Copy)]
pub(crate) struct Strided {
    pub(crate) base: *mut u8,
    pub(crate) stride: isize,
}

impl Starts for Strided {
    #[inline(always)]
    unsafe fn at(self, r: usize) -> *mut u8 {
        let bytes = (r as isize).wrapping_mul(self.stride);
        self.base.wrapping_offset(bytes)
    }

    #[inline(always)]
    fn moved(self, bytes: isize) -> Self {
        let base = self.base.wrapping_offset(bytes);
        Self { base, ..self }
    }

    /// Each from the address of the first.
    #[inline(always)]
    unsafe fn some(self, r: usize) -> [*mut u8; AT_ONCE] {
        // SAFETY: shape: passed on.
        let first = unsafe { self.at(r) };
        core::array::from_fn(|i| first.wrapping_offset((i as isize).wrapping_mul(self.stride)))
    }
}

/// At the offsets of a table.
#[derive(Clone, Copy)]
pub(crate) struct Tabled<'a> {
    pub(crate) base: *mut u8,
    pub(crate) offsets: &'a [isize],
}

impl Starts for Tabled<'_> {
    #[inline(always)]
    unsafe fn at(self, r: usize) -> *mut u8 {
        // SAFETY: shape: row r exists, so the table has its entry.
        self.base
            .wrapping_offset(unsafe { *self.offsets.get_unchecked(r) })
    }

    #[inline(always)]
    fn moved(self, bytes: isize) -> Self {
        let base = self.base.wrapping_offset(bytes);
        Self { base, ..self }
    }
}

/// A side of any kind: for lists, and for tables on both sides.
impl Starts for Side<'_> {
    #[inline(always)]
    unsafe fn at(self, r: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.cell(r, 0) }
    }

    #[inline(always)]
    fn moved(self, bytes: isize) -> Self {
        Side::moved(self, bytes)
    }
}
