//! Blocks by register tiles: two tiles are read, each transposed, and written in the other's place.
//!
//! A file of its own because which tiles change places is the same whatever the registers are. A
//! transposed tile comes in parts, some rows each, so that not all of both tiles has to be in
//! registers at a time:
//!
//! ```text
//!   1. all parts of tile a, transposed        kept in registers
//!   2. part by part of tile b, transposed     stored over a
//!   3. what was kept                          stored over b
//! ```

use core::ops::Range;

use super::{Allowed, Square, staged};
use crate::isa::prefetch_write;
use crate::transpose::lines::{Addressing, Lines, strided};

/// A tile of `PARTS` parts.
pub(super) trait Registers<const PARTS: usize>: Copy {
    /// Rows and columns of the tile.
    const SIDE: usize;
    /// Some rows of a transposed tile.
    type Part: Copy;

    /// Part `part` of the transpose of the tile at `src`.
    ///
    /// # Safety
    /// - Shape: `src` has `SIDE` lines.
    /// - Range: `SIDE` cells can be read at each of them.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn transposed(src: impl Lines, part: usize) -> Self::Part;

    /// Stores rows where part `part` belongs.
    ///
    /// # Safety
    /// - Shape: `dst` has `SIDE` lines.
    /// - Range: `SIDE` cells can be written at each of them.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn store(rows: Self::Part, part: usize, dst: impl Lines);
}

/// All parts of the transpose of a tile.
///
/// # Safety
/// As [`Registers::transposed`].
#[inline(always)]
unsafe fn whole<T: Registers<PARTS>, const PARTS: usize>(src: impl Lines) -> [T::Part; PARTS] {
    // SAFETY: passed on.
    unsafe {
        let mut parts = [T::transposed(src, 0); PARTS];
        for (i, part) in parts.iter_mut().enumerate().skip(1) {
            *part = T::transposed(src, i);
        }
        parts
    }
}

/// Puts each of two tiles, transposed, in the place of the other.
///
/// # Safety
/// - Those of [`Registers`] for both.
/// - Aliasing: the two do not overlap.
#[inline(always)]
unsafe fn exchange<T: Registers<PARTS>, const PARTS: usize>(a: impl Lines, b: impl Lines) {
    // SAFETY: passed on.
    unsafe {
        let kept = whole::<T, PARTS>(a);
        for part in 0..PARTS {
            T::store(T::transposed(b, part), part, a);
        }
        for (i, part) in kept.into_iter().enumerate() {
            T::store(part, i, b);
        }
    }
}

/// Transposes a tile where it stands.
///
/// # Safety
/// Those of [`Registers`].
#[inline(always)]
unsafe fn turn<T: Registers<PARTS>, const PARTS: usize>(tile: impl Lines) {
    // SAFETY: passed on; all is read before the first store.
    unsafe {
        for (i, part) in whole::<T, PARTS>(tile).into_iter().enumerate() {
            T::store(part, i, tile);
        }
    }
}

/// Exchanges a block: whole tiles in registers, what is left through the stage.
///
/// # Safety
/// The obligations of the family, of a square whose cells stand side by side and are those of the
/// tile.
#[inline(always)]
pub(super) unsafe fn walk<T: Registers<PARTS>, const PARTS: usize>(
    square: &Square,
    allowed: Allowed,
    rows: Range<usize>,
    cols: Range<usize>,
) {
    let side = T::SIDE;
    let whole = |range: &Range<usize>| range.start..range.end - range.len() % side;
    let (whole_rows, whole_cols) = (whole(&rows), whole(&cols));
    let diagonal = rows == cols;
    let cells = strided(square.base, square.row);
    for r in whole_rows.clone().step_by(side) {
        // SAFETY: shape: tiles lie inside the ranges; range and aliasing: their cells are those of the
        // call, and two tiles of it, or of a mirror image, have none in common; ISA: passed on.
        let lines = |r: usize, c: usize| unsafe { cells.lines(r, side, c * square.cell) };
        let mut first = whole_cols.start;
        if diagonal {
            // SAFETY: as above.
            unsafe { turn::<T, PARTS>(lines(r, r)) };
            first = r + side;
        }
        for c in (first..whole_cols.end).step_by(side) {
            if square.ahead > 0 {
                let next = c + square.ahead;
                for i in 0..side {
                    prefetch_write(square.at(r + i, next));
                    prefetch_write(square.at(next + i, r));
                }
            }
            // SAFETY: as above; the tiles are different, as c lies behind r.
            unsafe { exchange::<T, PARTS>(lines(r, c), lines(c, r)) };
        }
    }
    let (below, beside) = (whole_rows.end..rows.end, whole_cols.end..cols.end);
    // SAFETY: passed on: parts of the call that no tile was in.
    unsafe {
        if !beside.is_empty() {
            staged::exchange(square, allowed, whole_rows, beside.clone());
        }
        if !below.is_empty() {
            let cols = if diagonal { beside } else { cols };
            staged::exchange(square, allowed, below, cols);
        }
    }
}
