//! Some lines of each source row of a band, side by side, where they share no set of the first-level cache.
//!
//! A file of its own because it knows nothing of tiles but how many rows they read: a line of the stage is
//! where it was in its row, so tiles read from it as from the source. Squares, which read whole lines once,
//! put here what they made instead, until the lines beside it are there as well.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::line::{Line, copy_lines};
use super::lines::{Lines, Strided};
use crate::panel::LINE;

/// Lines of each row that are staged at a time: as many as may be of bands of 128 rows.
pub(super) const PAIR: usize = 2;
/// The same of bands of fewer rows, where a line is better read with the next one.
pub(super) const LONG: usize = 2 * PAIR;

/// Lines of rows, or of a square.
#[repr(align(64))]
pub(super) struct Stage([MaybeUninit<u8>; Self::BYTES]);

impl Stage {
    /// Two lines of 128 rows of 1-byte cells, or four of 64 of 2-byte cells; 32 of 4-byte cells and 16 of 8-byte cells
    /// are less; or two blocks of [squares](super::squares) of 2-byte cells, which are the most.
    const BYTES: usize = 128 * LONG * LINE;

    /// Nothing yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([MaybeUninit::uninit(); Self::BYTES])
    }

    /// Whether there is room for so many lines of each of so many rows.
    pub(super) const fn holds(rows: usize, lines: usize) -> bool {
        rows * lines * LINE <= Self::BYTES
    }

    /// Where line `i` of row `r` of a block of lines, `N` a row, goes.
    #[inline(always)]
    pub(super) fn line<const N: usize>(&mut self, r: usize, i: usize) -> *mut u8 {
        self.0[(r * N + i) * LINE..].as_mut_ptr().cast()
    }

    /// The lines of row `r` of such a block.
    ///
    /// # Safety
    /// - Shape: the block has a row `r`, which was written.
    /// - ISA: as [`Line`].
    #[inline(always)]
    pub(super) unsafe fn row<L: Line, const N: usize>(&mut self, r: usize) -> [L; N] {
        // SAFETY: shape, range and ISA are the caller's: lines of a row are back to back.
        unsafe { L::load_all(self.line::<N>(r, 0)) }
    }

    /// Copies `LINES` lines of each of so many rows of the source to rows of the stage, from `row` on.
    ///
    /// # Safety
    /// - Shape: lines below `count` of `from` exist, and the stage [`holds`](Self::holds) so many rows from `row`
    ///   on.
    /// - Range: so many lines can be read at each.
    /// - ISA: as [`Line`].
    #[inline(always)]
    pub(super) unsafe fn fill<L: Line, const LINES: usize>(
        &mut self,
        row: usize,
        count: usize,
        from: impl Lines,
    ) {
        let to = self.lines::<LINES>(row, 0);
        let group = 32 / LINES;
        for rows in (0..count).step_by(group) {
            let rows = rows..count.min(rows + group);
            // SAFETY: shape: lines below `count` exist, and so many rows of the stage; range: so many lines of
            // both, and the stage has no other reference; ISA: passed on.
            unsafe { copy_rows::<L, LINES>(to, &from, rows) }
        }
    }

    /// The rows of the stage from `row` on, from line `line` of each on.
    #[inline(always)]
    pub(super) fn lines<const LINES: usize>(&mut self, row: usize, line: usize) -> Strided {
        let base = self.0.as_mut_ptr().cast::<u8>();
        Strided {
            base: base.wrapping_add((row * LINES + line) * LINE),
            stride: (LINES * LINE) as isize,
        }
    }
}

/// Copies `LINES` lines of each of some rows of the source to a stage. At most 32 lines, so that the loop is
/// unrolled: f64 4096x4096 0.67 of the roof through a loop, 0.84 so.
///
/// # Safety
/// - Shape: those lines and rows of the stage exist.
/// - Range: so many lines can be read at each line of the source, and written to each of the stage.
/// - Alignment: rows of the stage start at lines.
/// - Aliasing: the stage has no other reference.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn copy_rows<L: Line, const LINES: usize>(
    stage: Strided,
    from: &impl Lines,
    rows: Range<usize>,
) {
    for i in rows {
        // SAFETY: shape, range, alignment, aliasing and ISA are the caller's.
        unsafe {
            copy_lines::<L, LINES>(from.at(i), stage.at(i));
        }
    }
}
