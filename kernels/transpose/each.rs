//! How a transposition fills lines where rows start anywhere: each row takes the columns of its own lines.
//!
//! A file of its own because nothing is carried here: cells of 16 bytes, streamed, and those of which three lines
//! are a whole number ([`avx512_triples`](super::avx512_triples)). A tile of smaller cells makes lines of several rows
//! from the same columns, which have to be [shifted](super::carry) to where the lines of each row are. A
//! tile of one row may begin with any column:
//!
//! ```text
//!            dst                                  columns of a band of one line
//!   row 0    [ 0 1 2 3 ][ 4 5 6 7 ][ 8 ..           0 1 2 3
//!   row 1    ..][ .. 0 1 2 ][ 3 4 5 6 ][ 7 ..             3 4 5 6
//!   row 2    ..][ .... 0 1 ][ 2 3 4 5 ][ 6 ..           2 3 4 5
//! ```
//!
//! Of the roof on a 2-core server VM with AVX2, Zen 4, carried and this: 601x603 0.52 and 0.60, 803x801
//! 0.60 and 0.73, 1001x1003 0.67 and 0.79, 9001x300 0.73 and 0.83; the same from 64 MiB on, 4001x3999 0.67
//! and 0.67.

use super::columns::Columns;
use super::extent::high;
use super::lines::{Addressing, Lines, pages_apart};
use super::staged;
use super::stream::aligned;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};

/// Some cells of a destination row that are whole lines, put together from as many source rows.
pub(super) trait Unit: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of a unit: a divisor of [`BAND`].
    const CELLS: usize;

    /// How many cells from an address on come before one that starts a line, if one does.
    fn before_a_line(address: usize) -> Option<usize>;

    /// Writes the unit of the cells that stand at the lines of the source, around the caches if `stream`.
    ///
    /// # Safety
    /// - Shape: lines below `CELLS` of `src` exist.
    /// - Range: the cells can be read, and beside each another one of its source row: the next, or, if it is
    ///   the `last`, the one before. A unit can be written at `to`.
    /// - Aliasing: what is read and what is written do not overlap.
    /// - Alignment: `to` starts a line if it is streamed.
    /// - ISA: what the file of the unit names is enabled where this is inlined.
    unsafe fn put(self, src: impl Lines, last: bool, to: *mut u8, stream: bool);
}

/// Bytes between a load and the prefetch that goes before it, as where lines are [aligned](super::reads).
const AHEAD: usize = 2 * LINE;

/// Columns of a band. Of 16-byte cells with two lines, four (these) and eight: 601x603 0.57, 0.60, 0.74; 1001x1003 0.65, 0.77, 0.68;
/// 2047x2049 0.80, 0.71, 0.53; 4001x3999 0.69, 0.67, 0.46; 9001x300 0.68, 0.83, 0.51.
const BAND: usize = 16;

/// Whether a panel is moved so: rows that are aligned to their cells, not all at the same place in a line,
/// and too long for a stage; source rows that are not whole pages apart, so that the lines of a band stay
/// in the first-level cache until each of their cells is read.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    // SAFETY: shape: the panel has so many rows.
    let phase = || unsafe { panel.dst.phase(panel.rows) };
    !pages_apart(&panel.src.rows, 0) && !staged::takes(panel) && phase().is_none() && aligned(panel)
}

/// Moves a panel row by row, a band of columns after the other, some rows of it after the others; whole lines around
/// the caches if `STREAM`, but in rows none of whose cells start a line.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `U::CELL` byte cells, that has two rows and a unit
/// of columns, or more; the guard of the task is held if lines are streamed; the ISA of the unit is enabled where
/// this is inlined.
#[inline(always)]
pub(super) unsafe fn rows<U: Unit, const STREAM: bool>(panel: &Panel<'_>, unit: U) {
    let most = high(panel);
    let mut start = 0;
    while start < panel.rows {
        // A row alone goes with those before it.
        let end = if panel.rows - start < most + 2 {
            panel.rows
        } else {
            start + most
        };
        // SAFETY: passed on; the part has two rows and more.
        unsafe { part::<U, STREAM>(&panel.part(start..end, 0..panel.cols), unit) };
        start = end;
    }
}

/// Moves some rows of a panel.
///
/// # Safety
/// As [`rows`].
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
unsafe fn part<U: Unit, const STREAM: bool>(panel: &Panel<'_>, unit: U) {
    let (cell, cols) = (U::CELL, panel.cols);
    let most = U::CELLS - 1;
    let mut columns = Columns::new();
    let mut start = 0;
    loop {
        // A band of whole units, wherever those start among its first columns; at last all that is left.
        let whole = cols - start >= BAND + most;
        let count = if whole { BAND + most } else { cols - start };
        // SAFETY: shape: so many columns from `start` on are the panel's, no fewer than come before a unit, and
        // their source rows are found; r is below its rows. Range: source rows have two cells and more; a row's
        // part of a band begins with its first unit, so that its units and less than one more are its columns.
        // Aliasing: the columns before the first unit are moved with the first band, those after the last one
        // with the last, and no line that is streamed but by its own row. Alignment: units of rows that stream
        // start lines. ISA: passed on.
        unsafe {
            columns.find(panel, start..start + count, count);
            for r in 0..panel.rows {
                let row = panel.dst.row(r);
                let first = U::before_a_line(row.addr());
                let stream = STREAM && first.is_some();
                let first = first.unwrap_or(0);
                let to = row.wrapping_add(start * cell);
                let move_cells = |from: usize, until: usize| {
                    for c in from..until {
                        let at = columns.lines(c, r * cell).at(0);
                        core::ptr::copy_nonoverlapping(at, to.wrapping_add(c * cell), cell);
                    }
                };
                if start == 0 {
                    move_cells(0, first);
                }
                if whole && r.is_multiple_of(LINE / cell) {
                    for c in 0..count {
                        prefetch(columns.lines(c, r * cell).at(0).wrapping_add(AHEAD));
                    }
                }
                let units = if whole {
                    BAND / U::CELLS
                } else {
                    (count - first) / U::CELLS
                };
                for i in 0..units {
                    let c = first + i * U::CELLS;
                    let from = columns.lines(c, r * cell);
                    unit.put(from, r + 1 == panel.rows, to.wrapping_add(c * cell), stream);
                }
                if !whole {
                    move_cells(first + units * U::CELLS, count);
                }
            }
        }
        if !whole {
            return;
        }
        start += BAND;
    }
}
