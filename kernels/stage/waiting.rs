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

    /// Whether what waits, or a line that ended there, goes on at `to`.
    #[inline(always)]
    pub(crate) fn goes_on(&self, to: *mut u8) -> bool {
        self.end == to
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
        (from, next): (*mut u8, *mut u8),
        to: *mut u8,
        bytes: usize,
        ask: impl FnMut(),
    ) {
        // SAFETY: passed on; what is left of a line is moved when no line before it is needed any more.
        unsafe {
            let mut lines = self.begin(from, to, bytes);
            lines.stream::<L>(usize::MAX, ask);
            self.wait(from.wrapping_add(bytes), next);
        }
    }

    /// The same, but for the whole lines, which are still to be streamed from where they are: `next` is another stage.
    ///
    /// # Safety
    /// As [`Self::write`], of the lines as well when they are streamed.
    #[inline(always)]
    pub(crate) unsafe fn begin_next(
        &mut self,
        (from, next): (*mut u8, *mut u8),
        to: *mut u8,
        bytes: usize,
    ) -> Pending {
        // SAFETY: passed on; no line is in front of another stage.
        unsafe {
            let lines = self.begin(from, to, bytes);
            self.wait(from.wrapping_add(bytes), next);
            lines
        }
    }

    /// The whole lines of bytes of the stage, with what waits, which are then still to be streamed. What comes before
    /// the first one is written, and what comes after the last one is what waits from now on, but not yet
    /// [where it should](Self::wait).
    ///
    /// # Safety
    /// As [`Self::write`]; [`Self::wait`] is called before this is again, or [`Self::flush`].
    #[inline(always)]
    unsafe fn begin(&mut self, mut from: *mut u8, mut to: *mut u8, bytes: usize) -> Pending {
        let end = to.wrapping_add(bytes);
        // SAFETY: range: what waits stands in front of the stage, is less than a line, and belongs in
        // front of `to` if that is where it ends; the line that is moved is that in front of `from`;
        // aliasing: places in the stage may overlap, the destination is no stage.
        unsafe {
            if !self.goes_on(to) {
                self.flush();
            }
            if from != self.stage {
                core::ptr::copy(self.stage.wrapping_sub(LINE), from.wrapping_sub(LINE), LINE);
            }
            (from, to) = (from.wrapping_sub(self.bytes), to.wrapping_sub(self.bytes));
            let head = to.align_offset(LINE).min(end.addr() - to.addr());
            if head > 0 {
                core::ptr::copy_nonoverlapping(from, to, head);
                (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
            }
        }
        let lines = (end.addr() - to.addr()) / LINE;
        self.bytes = (end.addr() - to.addr()) % LINE;
        self.end = end;
        Pending { from, to, lines }
    }

    /// Has what waits, in front of `end`, do so in front of `next`.
    ///
    /// # Safety
    /// - Range: the lines in front of `end` and of `next` are the stage's, and that of `next` is not needed.
    #[inline(always)]
    unsafe fn wait(&mut self, end: *mut u8, next: *mut u8) {
        self.stage = next;
        // SAFETY: range: passed on; aliasing: the places may overlap.
        unsafe { core::ptr::copy(end.wrapping_sub(LINE), next.wrapping_sub(LINE), LINE) }
    }
}

/// Whole lines of a stage that are still to be streamed.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
pub(crate) struct Pending {
    from: *const u8,
    to: *mut u8,
    lines: usize,
}

impl Pending {
    /// No lines.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self {
            from: core::ptr::null(),
            to: core::ptr::null_mut(),
            lines: 0,
        }
    }

    /// How many lines that are.
    #[inline(always)]
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Streams the next lines, so many at most. `ask` is called with each.
    ///
    /// # Safety
    /// - Range: what [`Waiting::begin_next`] was given is still in the stage, and can be written.
    /// - ISA: as [`Line`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) unsafe fn stream<L: Line>(&mut self, most: usize, mut ask: impl FnMut()) {
        let lines = self.lines.min(most);
        let (mut from, mut to) = (self.from, self.to);
        for _ in 0..lines {
            ask();
            // SAFETY: range: lines of the stage, and of the destination; alignment: `to` starts one; ISA: passed on.
            unsafe { L::load(from).stream(to) };
            (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
        }
        *self = Self {
            from,
            to,
            lines: self.lines - lines,
        };
    }
}
