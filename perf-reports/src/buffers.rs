//! The memory that is measured: page-aligned, in huge pages where the system grants them, touched
//! before anything is timed.

use std::alloc::{Layout, alloc, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::failure::Failure;

/// Bytes from the start of the destination's allocation to its first byte, so that source and
/// destination lines of the same index fall into different cache sets: 33 lines. Loads and stores
/// whose addresses agree in their low 12 bits would otherwise wait for each other.
pub(crate) const DST_OFFSET: usize = 2112;

/// The size and alignment of a huge page on x86-64, and a multiple of every smaller page.
const HUGE: usize = 2 << 20;

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
    pub(crate) fn new(len: usize, offset: usize) -> Result<Self, Failure> {
        let refused = || Failure::Io(format!("cannot allocate {len} bytes to measure with"));
        let whole = len.checked_add(offset).ok_or_else(refused)?.max(1);
        let layout = Layout::from_size_align(whole, HUGE).map_err(|_| refused())?;
        // SAFETY: the size is at least 1.
        let memory = NonNull::new(unsafe { alloc(layout) }).ok_or_else(refused)?;
        advise_huge(memory, whole);
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

    /// Overwrites the buffer with pseudo-random bytes, the same for the same seed.
    pub(crate) fn fill_random(&mut self, seed: u64) {
        // Xorshift64*; a state of 0 would stay 0.
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_ne_bytes()
        };
        let (words, rest) = self.as_chunks_mut();
        words.iter_mut().for_each(|word| *word = next());
        let last = next();
        rest.copy_from_slice(&last[..rest.len()]);
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

/// Asks for huge pages. A refusal changes speed, not meaning, so it is not looked at.
fn advise_huge(memory: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range is an allocation of ours, and this advice changes no contents.
    unsafe {
        libc::madvise(memory.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_placed_touched_and_reproducible() {
        let mut one = Buffer::new(100, 0).unwrap();
        let mut two = Buffer::new(100, DST_OFFSET).unwrap();
        assert_eq!(one.as_ptr().addr() % HUGE, 0);
        assert_eq!(two.as_ptr().addr() % HUGE, DST_OFFSET);
        assert_eq!(DST_OFFSET % 64, 0);
        assert!(one.iter().all(|&byte| byte == 0));
        one.fill_random(7);
        two.fill_random(7);
        assert_eq!(one[..], two[..]);
        two.fill_random(8);
        assert_ne!(one[..], two[..]);
        assert!(Buffer::new(usize::MAX, 1).is_err());
    }
}
