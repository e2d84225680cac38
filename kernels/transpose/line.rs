//! What an ISA file supplies to a streaming transposition: destination lines in registers.
//!
//! A file of its own because the walk, the reads and the carry are written against it. A *word* is
//! what lines are shifted by: four bytes, or a cell where that is less.

use core::ops::Range;

use super::lines::Lines;
use crate::panel::LINE;

/// A destination line in registers.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(crate) trait Line: Copy {
    /// Bytes of a word.
    const WORD: usize;
    /// Words of a line.
    const WORDS: usize = LINE / Self::WORD;

    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes can be read, and have been written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load(from: *const u8) -> Self;

    /// Loads lines that are back to back.
    ///
    /// # Safety
    /// As [`Line::load`], for each.
    #[inline(always)]
    unsafe fn load_all<const N: usize>(from: *const u8) -> [Self; N] {
        // SAFETY: passed on.
        unsafe {
            let mut lines = [Self::load(from); N];
            for (i, line) in lines.iter_mut().enumerate().skip(1) {
                *line = Self::load(from.wrapping_add(i * LINE));
            }
            lines
        }
    }

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: that of the file.
    unsafe fn store(self, to: *mut u8);

    /// Stores a line around the caches, where a [`StreamFence`](crate::StreamFence) is held.
    ///
    /// # Safety
    /// As [`Line::store`].
    unsafe fn stream(self, to: *mut u8);

    /// Stores some words of a line, through the caches, to where they stand in the line at `to`.
    ///
    /// # Safety
    /// - Shape: `words` is not empty and within `0..Self::WORDS`.
    /// - Range: those words can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store_part(self, words: Range<usize>, to: *mut u8);

    /// The line of the last `words` words of `self` and the first ones of `after`.
    ///
    /// # Safety
    /// - Shape: `words` is below `Self::WORDS`.
    /// - ISA: that of the file.
    unsafe fn joined(self, after: Self, words: usize) -> Self;

    /// Does something in a function of its own. All bands of a panel are: inlined, they made functions of 300 KB, and this
    /// crate took 145 seconds to build on two cores, not 85. Each band by a call of its own takes as long to build, and
    /// panels of few rows lose a tenth (Zen 3), as what is known of a panel has to be loaded again.
    ///
    /// # Safety
    /// - What `what` asks for.
    /// - ISA: that of the file.
    unsafe fn apart(what: impl Apart);
}

/// What is done in a [function of its own](Line::apart).
pub(crate) trait Apart {
    /// Does it.
    ///
    /// # Safety
    /// What the implementation asks for; ISA: that of a line is enabled where this is inlined.
    unsafe fn run(self);
}

/// Copies some lines through the caches.
///
/// # Safety
/// - Range: so many lines can be read and written.
/// - Alignment: `to` is a multiple of 64.
/// - Aliasing: the two do not overlap.
/// - ISA: as [`Line`].
#[inline(always)]
pub(super) unsafe fn copy_lines<L: Line, const LINES: usize>(from: *const u8, to: *mut u8) {
    for byte in (0..LINES).map(|line| line * LINE) {
        // SAFETY: passed on.
        unsafe { L::load(from.wrapping_add(byte)).store(to.wrapping_add(byte)) };
    }
}

/// Transposes to lines: one line of each of `R` rows is 16 bytes of each of `CELLS` source rows. `R` is
/// `16 / CELL`.
pub(super) trait LineTile<const R: usize>: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of a line: at most 64.
    const CELLS: usize = LINE / Self::CELL;
    /// One line in registers.
    type Line: Line;

    /// Transposes bytes `16 * block ..` of `CELLS` source rows.
    ///
    /// # Safety
    /// - Shape: lines below `CELLS` of `src` exist.
    /// - Range: those 16 bytes can be read in each.
    /// - Alignment: none.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Self::Line; R];

    /// Whether there is [`Self::cellwise`].
    const CELLWISE: bool = false;

    /// The line of a cell of each of `CELLS` source rows.
    ///
    /// # Safety
    /// - Shape: lines below `CELLS` of `src` exist; `Self::CELLWISE`.
    /// - Range: a cell can be read at each.
    /// - Alignment: none.
    /// - ISA: as [`Self::lines`].
    #[inline(always)]
    unsafe fn cellwise(self, src: impl Lines) -> Self::Line {
        let _ = src;
        unreachable!("a tile of small cells")
    }

    /// Whether there is [`Self::square`].
    const SQUARE: bool = false;

    /// Transposes a whole line of each of `CELLS` source rows, all loaded before anything is stored. Line
    /// `r` goes to `r * apart` bytes from `to`, through the caches.
    ///
    /// # Safety
    /// - Shape: lines below `CELLS` of `src` exist; `Self::SQUARE`.
    /// - Range: those 64 bytes can be read in each, and written at each place.
    /// - Alignment: `to` and `apart` are multiples of 64.
    /// - ISA: as [`Self::lines`].
    #[inline(always)]
    unsafe fn square(self, src: impl Lines, to: *mut u8, apart: usize) {
        let _ = (src, to, apart);
        unreachable!("a tile without squares");
    }
}
