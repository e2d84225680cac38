//! What an ISA file supplies to the walks of this family.
//!
//! A file of its own because the cached and the streaming walk are both written against it.

use core::arch::x86_64::__m128i;

use super::apart::{Back, Second};
use super::scalar::cells;
use super::woven::{MOST, Woven};
use crate::panel::{LINE, Panel};

/// A line in registers.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(crate) trait Line: Copy {
    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load(from: *const u8) -> Self;

    /// Loads the bytes of a line that `bytes` has a bit for. The others are anything, and are not
    /// read.
    ///
    /// # Safety
    /// - Range: those bytes can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self;

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store(self, to: *mut u8);

    /// Stores the bytes that `bytes` has a bit for, through the caches.
    ///
    /// # Safety
    /// - Range: those bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store_some(self, to: *mut u8, bytes: u64);

    /// Loads the bytes of a quarter of a line that `bytes` has a bit for. The others are not read.
    ///
    /// # Safety
    /// - Range: those bytes can be read.
    /// - Shape: there are masks for such bytes; see [`Cells::MASKS`].
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load_few(from: *const u8, bytes: u16) -> __m128i;

    /// Stores the bytes of a quarter of a line that `bytes` has a bit for, through the caches.
    ///
    /// # Safety
    /// As [`Line::load_few`], of what is written.
    unsafe fn store_few(few: __m128i, to: *mut u8, bytes: u16);

    /// Stores a line around the caches, where a [`StreamFence`](crate::StreamFence) is held.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: that of the file.
    unsafe fn stream(self, to: *mut u8);
}

/// Cells in lines.
pub(crate) trait Cells: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of a line: pixels of a group.
    const GROUP: usize = LINE / Self::CELL;
    /// Whether lines are loaded and stored in part by masks: then pixels may have holes.
    const MASKS: bool;
    /// From how many bytes a side on a destination that is written through the caches is prefetched.
    const COLD: usize;
    /// Whether pixels lie from last to first.
    const BACK: bool = false;
    /// A line of them.
    type Line: Line;
}

/// Lines that are turned.
pub(super) trait Turn: Cells {
    /// The cells of a line from last to first.
    ///
    /// # Safety
    /// - ISA: what the file names is enabled where this is inlined.
    unsafe fn turned(line: Self::Line) -> Self::Line;
}

/// Takes groups of pixels of `STEP` cells apart and puts them together.
pub(super) trait Weave<const STEP: usize>: Cells {
    /// Lines of pixels to a line of each plane.
    ///
    /// # Safety
    /// - ISA: what the file names is enabled where this is inlined.
    unsafe fn split(pixels: [Self::Line; STEP]) -> [Self::Line; STEP];

    /// A line of each plane to lines of pixels.
    ///
    /// # Safety
    /// As [`Weave::split`].
    unsafe fn merge(planes: [Self::Line; STEP]) -> [Self::Line; STEP];
}

/// Every step of pixels, wherever they lie.
pub(super) trait Weaves: Weave<2> + Weave<3> + Weave<4> + Turn {
    /// Moves a panel whose pixels do not follow each other.
    ///
    /// # Safety
    /// The contract of the crate, with a panel of the family of these cells; the guard of the task
    /// is held if this `streams`. ISA: that of the file, enabled where this is inlined.
    #[inline(always)]
    unsafe fn scattered(panel: &Panel<'_>, streams: bool) {
        let _ = streams;
        // SAFETY: passed on.
        unsafe { cells(panel) }
    }

    /// [`walk_apart`], in a function of its own: in one with the others, planes do not stay in registers, and three of u8
    /// in the first-level cache take 1.06 of memcpy instead of 1.12.
    ///
    /// # Safety
    /// As [`Walk::walk`]; ISA: what the file names is there.
    unsafe fn apart<K: Walk>(woven: &Woven) -> bool;
}

/// A way over pixels and planes.
pub(super) trait Walk {
    /// Moves them; false if they are nothing for this way, and nothing was moved.
    ///
    /// # Safety
    /// As the walk says, with pixels of `STEP` cells, some of which do not move only where there are `HOLES`.
    unsafe fn walk<W: Weave<STEP>, const STEP: usize, const HOLES: bool>(woven: &Woven) -> bool;
}

/// Walks with the weave that the pixels want.
///
/// # Safety
/// As [`Walk::walk`].
#[inline(always)]
pub(super) unsafe fn walk<K: Walk, W: Weaves>(woven: &Woven) -> bool {
    // SAFETY: passed on.
    unsafe {
        if woven.back || woven.step > MOST {
            W::apart::<K>(woven)
        } else {
            one_behind_the_other::<K, W>(woven)
        }
    }
}

/// The same over pixels from last to first, and over every second one.
///
/// # Safety
/// As [`Walk::walk`], with such pixels.
#[inline(always)]
pub(super) unsafe fn walk_apart<K: Walk, W: Weaves>(woven: &Woven) -> bool {
    // SAFETY: passed on; each arm is of the pixels' step, and of the way that they lie.
    unsafe {
        match woven.step {
            6 => K::walk::<Second<W>, 6, true>(woven),
            8 => K::walk::<Second<W>, 8, true>(woven),
            _ => one_behind_the_other::<K, Back<W>>(woven),
        }
    }
}

/// # Safety
/// As [`Walk::walk`], with pixels of up to four cells that lie as those of `W` do.
#[inline(always)]
unsafe fn one_behind_the_other<K: Walk, W: Weave<2> + Weave<3> + Weave<4>>(woven: &Woven) -> bool {
    // SAFETY: passed on; each arm is of the pixels' step.
    unsafe {
        match (woven.step, woven.has_holes()) {
            (2, _) => K::walk::<W, 2, false>(woven),
            (3, false) => K::walk::<W, 3, false>(woven),
            (3, true) => K::walk::<W, 3, true>(woven),
            (_, false) => K::walk::<W, 4, false>(woven),
            (_, true) => K::walk::<W, 4, true>(woven),
        }
    }
}
