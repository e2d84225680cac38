//! How a streaming transposition of 16-byte cells fills lines where rows start anywhere: each row takes the
//! columns of its own lines.
//!
//! A file of its own because nothing is carried here. A tile of smaller cells makes lines of several rows
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
use super::line::{Line, LineTile};
use super::lines::{Addressing, Lines, pages_apart};
use super::staged;
use super::stream::aligned;
use crate::fence::StreamFence;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};

/// Bytes between a load and the prefetch that goes before it, as where lines are [aligned](super::reads).
const AHEAD: usize = 2 * LINE;

/// Lines of a row in a band. With two, four and eight: 601x603 0.57, 0.60, 0.74; 1001x1003 0.65, 0.77, 0.68;
/// 2047x2049 0.80, 0.71, 0.53; 4001x3999 0.69, 0.67, 0.46; 9001x300 0.68, 0.83, 0.51.
const LINES: usize = 4;

/// Whether a panel is moved so: rows that are aligned to their cells, not all at the same place in a line,
/// and too long for a stage; source rows that are not whole pages apart, so that the lines of a band stay
/// in the first-level cache until each of their cells is read.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    // SAFETY: shape: the panel has so many rows.
    let phase = || unsafe { panel.dst.phase(panel.rows) };
    !pages_apart(&panel.src.rows, 0) && !staged::takes(panel) && phase().is_none() && aligned(panel)
}

/// Moves a panel row by row, some lines of each in a band.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] is true of, of `T::CELL` byte cells, while the
/// guard is held; the ISA of the tile is enabled where this is inlined.
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn rows<T: LineTile<1>>(panel: &Panel<'_>, _: &StreamFence<'_>, tile: T) {
    let (cells, cell, cols) = (T::CELLS, T::CELL, panel.cols);
    let (band, most) = (LINES * cells, cells - 1);
    let mut columns = Columns::new();
    let mut start = 0;
    loop {
        // A band of whole lines, wherever those start among its first columns; at last all that is left.
        let whole = cols - start >= band + most;
        let count = if whole { band + most } else { cols - start };
        // SAFETY: shape: so many columns from `start` on are the panel's, 3 at least, and their source rows are
        // found; r is below its rows. Range: a row's part of a band begins with its first line that starts `first`
        // columns into the band, at most 3, so that its lines and less than a line are its columns; what is
        // moved from there are lines while the columns last. Aliasing: the columns before the first line
        // are moved with the first band, those after the last line with the last one, and no line but by
        // its own row. Alignment: rows are aligned to cells, so `first` columns on a line starts. ISA:
        // passed on.
        unsafe {
            columns.find(panel, start..start + count, count);
            for r in 0..panel.rows {
                let row = panel.dst.row(r);
                let first = row.align_offset(LINE) / cell;
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
                if whole && r.is_multiple_of(cells) {
                    for c in 0..count {
                        prefetch(columns.lines(c, r * cell).at(0).wrapping_add(AHEAD));
                    }
                }
                let lines = if whole {
                    LINES
                } else {
                    (count - first) / cells
                };
                for i in 0..lines {
                    let c = first + i * cells;
                    let line = tile.lines(columns.lines(c, r * cell), 0)[0];
                    line.stream(to.wrapping_add(c * cell));
                }
                if !whole {
                    move_cells(first + lines * cells, count);
                }
            }
        }
        if !whole {
            return;
        }
        start += band;
    }
}
