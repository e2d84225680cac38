//! What the walks of this family, and of those that share its picks, are written against: a line of
//! cells picked from a source into registers, and where it goes.
//!
//! A file of its own because order, edges and streaming are the same whatever the registers are. A
//! *lane* is the place of a cell in a line; line addresses are those of the cell in lane 0, which
//! need not exist where only some lanes are wanted.

use crate::panel::LINE;
use core::ops::Range;

/// A line in registers.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(crate) trait Line: Copy {
    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes can be read at `from`.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written at `to`.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store(self, to: *mut u8);

    /// Stores a line around the caches, where a [`StreamFence`](crate::StreamFence) is held.
    ///
    /// # Safety
    /// As [`Line::store`].
    /// - Alignment: `to` starts a line.
    unsafe fn stream(self, to: *mut u8);

    /// Stores some bytes of a line, through the caches, to where they stand in the line at `to`.
    ///
    /// # Safety
    /// - Shape: `bytes` is within `0..64`.
    /// - Range: those bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store_part(self, bytes: Range<usize>, to: *mut u8);

    /// Zeros but for some bytes.
    ///
    /// # Safety
    /// - Shape: `bytes` is within `0..64`.
    /// - ISA: that of the file.
    unsafe fn only(self, bytes: Range<usize>) -> Self;

    /// The bytes of two lines of which each has zeros where the other has any.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn or(self, other: Self) -> Self;
}

/// How cells of one step become a line. Made once per panel.
pub(crate) trait Pick: Copy {
    /// Bytes of a cell: a power of two, at most 16.
    const CELL: usize;
    /// Whether [`whole`](Self::whole) reads on to the next cell of the source row.
    const BEYOND: bool;
    /// Whether [`part`](Self::part) moves cell by cell, slower than a whole line that is then shifted. Of the roof, Zen 3, 400 of
    /// every second byte 0.15 and 0.21, 200 u16 backwards 0.24 and 0.52, 200 of every third 0.16 and 0.20.
    const BY_CELL: bool = false;
    /// A line in registers.
    type Line: Line;

    /// Picks a whole line.
    ///
    /// # Safety
    /// - Range: the cells of all lanes can be read, and if `BEYOND`, what lies between them, and
    ///   between the last of them and the next cell of the row, which exists.
    /// - Alignment: none.
    /// - ISA: what the file of the pick names is enabled where this is inlined.
    unsafe fn whole(self, src: *const u8) -> Self::Line;

    /// The same with a cell of the row before the first lane, and none behind the last.
    ///
    /// # Safety
    /// - Range: the cells of all lanes can be read, and if `BEYOND`, what lies between them, and
    ///   between the first of them and the cell before it, which exists.
    /// - Alignment: none.
    /// - ISA: as [`whole`](Self::whole).
    #[inline(always)]
    unsafe fn last(self, src: *const u8) -> Self::Line {
        const { assert!(!Self::BEYOND, "a pick that reads beyond has a way not to") };
        // SAFETY: passed on.
        unsafe { self.whole(src) }
    }

    /// The same pick for the end of a row, if it asks for something a while before it is picked: for the next row then.
    #[inline(always)]
    fn ending(self) -> Self {
        self
    }

    /// Picks some lanes; the others are zeros.
    ///
    /// # Safety
    /// - Shape: `lanes` is within `0..64 / CELL`.
    /// - Range: the cells of those lanes can be read.
    /// - Alignment: none.
    /// - ISA: as [`whole`](Self::whole).
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> Self::Line;
}

/// A line that is put together in memory.
#[repr(align(64))]
pub(crate) struct Joint(pub(crate) [u8; LINE]);

/// A line between two of zeros, in memory.
#[repr(align(64))]
struct Room([u8; 3 * LINE]);

/// A line whose bytes move up by so many, or down where that is negative, by less than a line; zeros follow them.
///
/// # Safety
/// - Shape: `up` is less than a line either way.
/// - ISA: that of the line is enabled where this is inlined.
#[inline(always)]
pub(crate) unsafe fn shifted<L: Line>(line: L, up: isize) -> L {
    let mut room = Room([0; 3 * LINE]);
    // SAFETY: range: the middle of three lines of this function's own, and a line that begins less than one before or
    // behind it; ISA: passed on.
    unsafe {
        line.store(room.0.as_mut_ptr().add(LINE));
        L::load(room.0.as_ptr().add(LINE).offset(-up))
    }
}

/// Picks some lanes cell by cell: any step, and exactly the cells. For the ragged ends of picks that
/// have no masks.
///
/// # Safety
/// As [`Pick::part`], of cells `step` apart; the ISA of the line is enabled where this is inlined.
#[inline(always)]
pub(crate) unsafe fn cells<L: Line, const CELL: usize>(
    src: *const u8,
    step: isize,
    lanes: Range<usize>,
) -> L {
    let mut line = Joint([0; LINE]);
    for i in lanes {
        let from = src.wrapping_offset(i as isize * step);
        let to = line.0[i * CELL..].as_mut_ptr();
        // SAFETY: range: a cell of the caller's, and its place in a line of this function's own.
        unsafe { core::ptr::copy_nonoverlapping(from, to, CELL) };
    }
    // SAFETY: range: a line; ISA: passed on.
    unsafe { L::load(line.0.as_ptr()) }
}
