//! The fence guard: why a streamed byte is visible before the copy is said to be done.
//!
//! Non-temporal stores are weakly ordered: another thread may see "done" before it sees them. So a
//! streaming row can only be called with a [`StreamFence`], and its drop, on the storing thread and
//! on every path including unwinding, executes the store fence. The guard also carries the scratch
//! of the row, which lives as long as the task does.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::isa;

/// Orders all non-temporal stores of this thread when it is dropped. One per task, made by
/// [`Kernel::begin`](crate::Kernel::begin) before the first panel.
#[derive(Debug)]
#[must_use = "dropping the guard is what executes the fence"]
pub struct StreamFence<'s> {
    armed: bool,
    /// Where the row may keep what it needs from one part of a panel to the next.
    scratch: *mut u8,
    scratch_bytes: usize,
    /// Bytes from the source of a panel to that of the next one.
    next: Option<isize>,
    /// Whether other threads move the rest at the same time.
    shared: bool,
    /// Stores are pending on the thread that made them, so the guard stays there: no Send.
    borrows: PhantomData<&'s mut [MaybeUninit<u8>]>,
}

impl<'s> StreamFence<'s> {
    /// A guard that fences when it is dropped, if `armed`.
    #[inline(always)]
    pub(crate) fn new(armed: bool, scratch: &'s mut [MaybeUninit<u8>]) -> Self {
        let scratch_bytes = scratch.len();
        if let Some(first) = scratch.first_mut() {
            first.write(0);
        }
        let scratch = scratch.as_mut_ptr().cast();
        Self {
            armed,
            scratch,
            scratch_bytes,
            next: None,
            shared: false,
            borrows: PhantomData,
        }
    }

    /// Whether the drop will execute a store fence.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// The scratch and its bytes: written and read by one row at a time, on this thread. Before that the first one is 0.
    #[must_use]
    pub fn scratch(&self) -> (*mut u8, usize) {
        (self.scratch, self.scratch_bytes)
    }

    /// Says how many bytes the source of the panel after the one that is about to be moved lies from the
    /// source of that one, if there is such a panel. A row may prefetch it, but not if it is the same source again; it need
    /// not be true.
    #[inline(always)]
    pub fn set_next(&mut self, bytes: Option<isize>) {
        self.next = bytes.filter(|&bytes| bytes != 0);
    }

    /// Says whether what is moved is a part of something whose rest other threads move, with which memory is shared. A
    /// row may choose by it; it need not be true.
    #[inline(always)]
    pub fn set_shared(&mut self, shared: bool) {
        self.shared = shared;
    }

    /// What [`set_shared`](Self::set_shared) said last; at first, that it is not.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
    pub(crate) fn shared(&self) -> bool {
        self.shared
    }

    /// What [`set_next`](Self::set_next) said last; at first, nothing.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
    pub(crate) fn next(&self) -> Option<isize> {
        self.next
    }
}

/// Where source row `i` of a panel of `count` rows lies: which row it is, and how many bytes on its panel is, where `i` goes
/// beyond this one. Panels are taken to be as far from each other as the next one is from this; without one, there are no
/// such rows.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
pub(crate) fn in_panels(i: usize, count: usize, next: Option<isize>) -> Option<(usize, isize)> {
    if i < count {
        return Some((i, 0));
    }
    next.map(|next| (i % count, next.wrapping_mul((i / count) as isize)))
}

impl Drop for StreamFence<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.armed {
            isa::store_fence();
        }
    }
}
