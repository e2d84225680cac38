//! Where the bytes of the destination go: one panel, or all of some loops, one after another.
//!
//! A file of its own because the walks are the same wherever that is.

use super::register::Register;
use crate::row::Moves;

/// Where the bytes of the destination go, one register after another.
pub(super) trait Sink<R: Register> {
    /// Whether the source is asked for ahead of it, where that pays beside stores around the caches.
    const ASKS: bool = false;

    /// Takes the first `bytes` of a register; the others are any.
    ///
    /// # Safety
    /// - Shape: a register has so many.
    /// - Range: they can be written where those that were taken before end.
    /// - ISA: that of the register is enabled where this is inlined.
    unsafe fn put(&mut self, register: R, bytes: usize);

    /// Turns to the next panel, and tells how many bytes on its source is; none if there is no other.
    #[inline(always)]
    fn next(&mut self) -> Option<isize> {
        None
    }
}

/// Through the caches.
pub(super) struct Through {
    pub(super) to: *mut u8,
    /// Bytes that can be written from there on.
    pub(super) left: usize,
}

impl<R: Register> Sink<R> for Through {
    #[inline(always)]
    unsafe fn put(&mut self, register: R, bytes: usize) {
        // SAFETY: range: so many bytes are left; those behind the ones that are put will be written again; ISA:
        // passed on.
        unsafe {
            if self.left >= R::BYTES {
                register.store(self.to);
            } else {
                register.store_part(self.to, bytes);
            }
        }
        self.to = self.to.wrapping_add(bytes);
        self.left -= bytes;
    }
}

/// Through the caches, for all panels of some loops.
pub(super) struct Everywhere<'a, 'm> {
    through: Through,
    /// Where the panel starts, and its bytes.
    start: *mut u8,
    bytes: usize,
    moves: &'a mut Moves<'m>,
}

impl<'a, 'm> Everywhere<'a, 'm> {
    /// Panels of so many bytes, of which the first one starts there.
    #[inline(always)]
    pub(super) fn of(start: *mut u8, bytes: usize, moves: &'a mut Moves<'m>) -> Self {
        Self {
            through: Through {
                to: start,
                left: bytes,
            },
            start,
            bytes,
            moves,
        }
    }
}

impl<R: Register> Sink<R> for Everywhere<'_, '_> {
    #[inline(always)]
    unsafe fn put(&mut self, register: R, bytes: usize) {
        // SAFETY: passed on.
        unsafe { self.through.put(register, bytes) };
    }

    #[inline(always)]
    fn next(&mut self) -> Option<isize> {
        let (src, dst) = self.moves.next()?;
        self.start = self.start.wrapping_offset(dst);
        self.through = Through {
            to: self.start,
            left: self.bytes,
        };
        Some(src)
    }
}
