//! What waits in front of a stage: the beginning of a line whose rest comes later.

use crate::panel::LINE;
#[cfg(target_arch = "x86_64")]
use crate::transpose::Line;

/// The beginning of a line, in front of the stage until the rest is there.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Where it ends.
    stage: *mut u8,
    bytes: usize,
    /// Where what follows it goes.
    end: *mut u8,
}

impl Waiting {
    /// Nothing, in front of a stage that has a line in front of it.
    #[inline(always)]
    pub(crate) fn of(stage: *mut u8) -> Self {
        Self {
            stage,
            bytes: 0,
            end: core::ptr::null_mut(),
        }
    }

    /// Writes what waits, through the caches.
    ///
    /// # Safety
    /// - Range: the bytes before `end` that wait can be written.
    #[inline(always)]
    pub(crate) unsafe fn flush(&mut self) {
        let bytes = core::mem::take(&mut self.bytes);
        if bytes > 0 {
            let from = self.stage.wrapping_sub(bytes);
            // SAFETY: range: so many bytes in front of the stage were written, and can be at the other place,
            // which is no stage.
            unsafe { core::ptr::copy_nonoverlapping(from, self.end.wrapping_sub(bytes), bytes) }
        }
    }

    /// Writes bytes of the stage to where they belong, whole lines around the caches. What they leave of
    /// a line waits, in front of `next`. `ask` is called with each line.
    ///
    /// # Safety
    /// - Range: so many bytes of the stage from `from` on were written, and can be at `to`; the lines in
    ///   front of `from` and of `next` are the stage's, and not needed.
    /// - Aliasing: no line is written twice but in different bytes of it.
    /// - ISA: as [`Line`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) unsafe fn write<L: Line>(
        &mut self,
        (mut from, next): (*mut u8, *mut u8),
        mut to: *mut u8,
        bytes: usize,
        mut ask: impl FnMut(),
    ) {
        let end = to.wrapping_add(bytes);
        // SAFETY: range: what waits stands in front of the stage, is less than a line, and belongs in
        // front of `to` if that is where it ends; the line that is moved is that in front of `from`, or ends where
        // what was written does; lines are those between `to` and `end`; alignment: they start where lines do;
        // aliasing: places in the stage may overlap, the destination is no stage; ISA: passed on.
        unsafe {
            if self.end != to {
                self.flush();
            }
            if from != self.stage {
                core::ptr::copy(self.stage.wrapping_sub(LINE), from.wrapping_sub(LINE), LINE);
            }
            let last = from.wrapping_add(bytes).wrapping_sub(LINE);
            (from, to) = (from.wrapping_sub(self.bytes), to.wrapping_sub(self.bytes));
            let head = to.align_offset(LINE).min(end.addr() - to.addr());
            if head > 0 {
                core::ptr::copy_nonoverlapping(from, to, head);
                (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
            }
            for _ in 0..(end.addr() - to.addr()) / LINE {
                ask();
                L::load(from).stream(to);
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            self.bytes = end.addr() - to.addr();
            self.end = end;
            self.stage = next;
            core::ptr::copy(last, next.wrapping_sub(LINE), LINE);
        }
    }
}
