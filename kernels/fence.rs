//! The fence guard: why a streamed byte is visible before the copy is said to be done.
//!
//! Non-temporal stores are weakly ordered: another thread may see "done" before it sees them. So a
//! streaming row can only be called with a [`StreamFence`], and its drop, on the storing thread and
//! on every path including unwinding, executes the store fence.

use crate::isa;

/// Orders all non-temporal stores of this thread when it is dropped. One per task, made by
/// [`Kernel::begin`](crate::Kernel::begin) before the first panel.
#[derive(Debug)]
#[must_use = "dropping the guard is what executes the fence"]
pub struct StreamFence {
    armed: bool,
    /// Stores are pending on the thread that made them, so the guard stays there.
    not_send: core::marker::PhantomData<*mut ()>,
}

impl StreamFence {
    /// A guard that fences when it is dropped, if `armed`.
    #[inline(always)]
    pub(crate) fn new(armed: bool) -> Self {
        Self {
            armed,
            not_send: core::marker::PhantomData,
        }
    }

    /// Whether the drop will execute a store fence.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.armed
    }
}

impl Drop for StreamFence {
    #[inline(always)]
    fn drop(&mut self) {
        if self.armed {
            isa::store_fence();
        }
    }
}
