//! What an ISA file supplies to a streaming transposition: a destination line in registers.
//!
//! A file of its own because the walk, the reads and the carry are written against it.

use core::ops::Range;

use super::lines::Lines;

/// Registers that hold destination lines: `R` rows of one line each are 16 bytes of each of
/// `LINE / CELL` source rows. `R` is `16 / CELL`.
pub(super) trait LineTile<const R: usize>: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// One line in registers.
    type Line: Copy;

    /// Transposes bytes `16 * block ..` of `LINE / CELL` source rows.
    ///
    /// # Safety
    /// - Shape: lines below `LINE / CELL` of `src` exist.
    /// - Range: those 16 bytes can be read in each.
    /// - Alignment: none.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Self::Line; R];

    /// Stores a line around the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: as [`LineTile::lines`]. The caller holds a [`StreamFence`].
    unsafe fn stream(self, line: Self::Line, to: *mut u8);

    /// Stores some cells of a line, through the caches, to where they stand in the line at `to`.
    ///
    /// # Safety
    /// - Shape: `cells` is a range within `0..LINE / CELL`.
    /// - Range: those cells can be written.
    /// - Alignment: none.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn store_part(self, line: Self::Line, cells: Range<usize>, to: *mut u8);

    /// The line of the last `phase` cells of `before` and the first ones of `after`.
    ///
    /// # Safety
    /// - Shape: `phase` is below `LINE / CELL`.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn joined(self, before: Self::Line, after: Self::Line, phase: usize) -> Self::Line;

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn keep(self, line: Self::Line, to: *mut u8);

    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes can be read, and have been written.
    /// - Alignment: none.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn load(self, from: *const u8) -> Self::Line;
}
