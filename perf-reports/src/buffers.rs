//! The memory that is measured: page-aligned, in pages of the size that was asked for where the system
//! grants them, touched before anything is timed.

use std::alloc::{Layout, alloc, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use clap::ValueEnum;

use crate::failure::Failure;

/// Bytes from the start of the destination's allocation to its first byte, so that source and
/// destination lines of the same index fall into different cache sets: 33 lines. Loads and stores
/// whose addresses agree in their low 12 bits would otherwise wait for each other.
pub(crate) const DST_OFFSET: usize = 2112;

/// The size and alignment of a huge page on x86-64, and a multiple of every smaller page.
const HUGE: usize = 2 << 20;

/// The pages that the system is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pages {
    /// The largest there are: 2 MiB on x86-64
    #[default]
    Huge,
    /// The smallest there are: 4 KiB on x86-64
    Small,
}

impl Pages {
    /// The word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Huge => "huge",
            Self::Small => "small",
        }
    }
}

/// Bytes of its own memory, every one of them written once.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    len: usize,
    memory: NonNull<u8>,
    layout: Layout,
}

impl Buffer {
    /// `len` bytes, `offset` bytes behind a multiple of 2 MiB, all zero and all touched.
    ///
    /// # Errors
    /// [`Failure::Io`] if the memory cannot be had.
    pub(crate) fn new(len: usize, offset: usize, pages: Pages) -> Result<Self, Failure> {
        let refused = || Failure::Io(format!("cannot allocate {len} bytes to measure with"));
        let whole = len.checked_add(offset).ok_or_else(refused)?.max(1);
        let layout = Layout::from_size_align(whole, HUGE).map_err(|_| refused())?;
        // SAFETY: the size is at least 1.
        let memory = NonNull::new(unsafe { alloc(layout) }).ok_or_else(refused)?;
        advise(memory, whole, pages);
        // SAFETY: range: `whole` bytes were just allocated and no one else knows them; `offset`
        // lies within.
        let start = unsafe {
            memory.write_bytes(0, whole);
            memory.add(offset)
        };
        Ok(Self {
            start,
            len,
            memory,
            layout,
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout, and dropped once.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: range: `len` bytes from `start` are inside the allocation and initialised;
        // aliasing: they are borrowed as `self` is.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: range as in `deref`; aliasing: `self` is borrowed uniquely.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Asks for pages behind memory of the caller's. A refusal changes speed, not meaning, so it is not
/// looked at.
fn advise(memory: NonNull<u8>, bytes: usize, pages: Pages) {
    #[cfg(target_os = "linux")]
    {
        let advice = match pages {
            Pages::Huge => libc::MADV_HUGEPAGE,
            Pages::Small => libc::MADV_NOHUGEPAGE,
        };
        // SAFETY: the range is an allocation of ours, and this advice changes no contents.
        unsafe { libc::madvise(memory.as_ptr().cast(), bytes, advice) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes, pages);
}

/// A vector on such pages, for those that take nothing else; page faults are over.
#[cfg(feature = "peers-heavy")]
pub(crate) fn zeroed<T: Copy + Default>(len: usize, pages: Pages) -> Vec<T> {
    let mut cells: Vec<T> = Vec::with_capacity(len);
    let memory = cells.spare_capacity_mut();
    // Whole pages: what is smaller shares its pages with others, and is in a cache anyway.
    let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let before = start.addr().next_multiple_of(HUGE) - start.addr();
    if let Some(inner) = bytes.checked_sub(before).map(|rest| rest / HUGE * HUGE)
        && let Some(first) = NonNull::new(start.wrapping_add(before))
        && inner > 0
    {
        advise(first, inner, pages);
    }
    cells.resize(len, T::default());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_placed_and_touched() {
        for pages in [Pages::Huge, Pages::Small] {
            let one = Buffer::new(100, 0, pages).unwrap();
            let two = Buffer::new(100, DST_OFFSET, pages).unwrap();
            assert_eq!(one.as_ptr().addr() % HUGE, 0);
            assert_eq!(two.as_ptr().addr() % HUGE, DST_OFFSET);
            assert_eq!(DST_OFFSET % 64, 0);
            assert!(one.iter().all(|&byte| byte == 0));
            assert!(Buffer::new(usize::MAX, 1, pages).is_err());
        }
    }
}
