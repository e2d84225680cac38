//! Memory with pages that must not be touched on both sides, and where asked also inside.
//!
//! Mapped once and used for many cases, so that a case costs no system call. Where there is no
//! `mmap` the same memory comes from the allocator and only canaries guard it.

use std::mem::MaybeUninit;

/// Bytes on each side of an arena that fault when touched. Wide, so that a wrong stride lands in
/// them too.
const GUARD: usize = 256 << 10;

/// What a byte at some place is filled with: different from place to place.
pub(crate) fn pattern(at: usize) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

/// A mapped range, `len` bytes from `start` on, page-aligned.
pub(crate) struct Pages {
    mapping: *mut u8,
    mapped: usize,
    pub(crate) start: *mut u8,
    pub(crate) len: usize,
}

impl Pages {
    /// `len` bytes, rounded up to whole pages, guarded on both sides.
    pub(crate) fn guarded(len: usize) -> Self {
        let page = system::page_size();
        let len = len.next_multiple_of(page);
        let mapped = len + 2 * GUARD.next_multiple_of(page);
        let mapping = system::reserve(mapped);
        let start = mapping.wrapping_add((mapped - len) / 2);
        let pages = Self {
            mapping,
            mapped,
            start,
            len,
        };
        pages.protect(0, len, Access::ReadWrite);
        pages
    }

    /// `count` single pages, every second page: those between them must not be touched.
    pub(crate) fn sparse(count: usize) -> Self {
        let page = system::page_size();
        let pages = Self::guarded((2 * count - 1) * page);
        for i in 1..count {
            pages.protect((2 * i - 1) * page, page, Access::None);
        }
        pages
    }

    /// What is accessible of this range now can only be read from now on.
    pub(crate) fn seal(&self) {
        self.protect(0, self.len, Access::Read);
    }

    /// The open pages of a [`sparse`](Self::sparse) range are only read from now on.
    pub(crate) fn seal_sparse(&self) {
        let page = system::page_size();
        for at in (0..self.len).step_by(2 * page) {
            self.protect(at, page, Access::Read);
        }
    }

    pub(crate) fn end(&self) -> *mut u8 {
        self.start.wrapping_add(self.len)
    }

    /// The last `len` bytes of a [`guarded`](Self::guarded) range, flush against its guard.
    pub(crate) fn last_bytes(&mut self, len: usize) -> &mut [MaybeUninit<u8>] {
        assert!(len <= self.len, "{len} bytes of {}", self.len);
        let first = self.end().wrapping_sub(len).cast();
        // SAFETY: range: the bytes in front of the end of the mapping; alignment: none; aliasing:
        // the slice borrows the only owner of the mapping.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }

    /// First and last address, guards included.
    pub(crate) fn with_guards(&self) -> (usize, usize) {
        let first = self.mapping as usize;
        (first, first + self.mapped)
    }

    fn protect(&self, at: usize, len: usize, access: Access) {
        system::protect(self.start.wrapping_add(at), len, access);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        system::release(self.mapping, self.mapped);
    }
}

#[derive(Clone, Copy)]
enum Access {
    None,
    Read,
    ReadWrite,
}

pub(crate) use system::page_size;

#[cfg(unix)]
mod system {
    use super::Access;

    pub(crate) fn page_size() -> usize {
        // SAFETY: asks for a number; no memory is involved.
        let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(bytes).expect("the system knows its page size")
    }

    pub(super) fn reserve(len: usize) -> *mut u8 {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new private mapping at an address of the system's choice touches nothing else.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED, "mmap of {len} bytes");
        at.cast()
    }

    pub(super) fn protect(at: *mut u8, len: usize, access: Access) {
        let bits = match access {
            Access::None => libc::PROT_NONE,
            Access::Read => libc::PROT_READ,
            Access::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        };
        // SAFETY: the range lies inside a mapping of `Pages`, to which no reference exists.
        let answer = unsafe { libc::mprotect(at.cast(), len, bits) };
        assert_eq!(answer, 0, "mprotect of {len} bytes");
    }

    pub(super) fn release(at: *mut u8, len: usize) {
        // SAFETY: exactly the mapping that `reserve` made, and its owner is being dropped.
        unsafe { libc::munmap(at.cast(), len) };
    }
}

#[cfg(not(unix))]
mod system {
    use super::Access;
    use std::alloc::Layout;

    pub(crate) fn page_size() -> usize {
        4096
    }

    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, page_size()).expect("a few MiB")
    }

    pub(super) fn reserve(len: usize) -> *mut u8 {
        // SAFETY: the length is not 0.
        let at = unsafe { std::alloc::alloc_zeroed(layout(len)) };
        assert!(!at.is_null(), "allocation of {len} bytes");
        at
    }

    /// No guards here: canaries alone find stray writes, and nothing finds stray reads.
    pub(super) fn protect(_: *mut u8, _: usize, _: Access) {}

    pub(super) fn release(at: *mut u8, len: usize) {
        // SAFETY: exactly what `reserve` allocated, and its owner is being dropped.
        unsafe { std::alloc::dealloc(at, layout(len)) };
    }
}
