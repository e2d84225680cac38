//! How the rows of a panel are walked through the caches, once for every row of the family.
//!
//! A file of its own because an ISA file only supplies a [`Pick`]. Lines of the destination are
//! written where they start, if cells do so as well, so that no store crosses a line; the first and
//! the last overlap their neighbours, which write the same cells:
//!
//! ```text
//!   dst row   |..aa|aacc|cccc|ccbb|bb..|
//! ```

use super::coming::ComingRows;
use super::pick::{Line, Pick};
use crate::panel::{LINE, Panel};

/// Rows of fewer lines start their lines where the row starts: *guess*, another line costs as much
/// as a few stores that cross lines.
const ALIGNED_FROM: usize = 8;

/// Moves a panel through the caches.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits, of `P::CELL` byte cells and rows
/// of a line or more, whose source step is that of `pick`; the ISA of `pick` is enabled where this
/// is inlined.
#[inline(always)]
pub(crate) unsafe fn walk<P: Pick>(panel: &Panel<'_>, pick: P) {
    let coming = ComingRows::of(panel);
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come; the rest is passed on.
        unsafe {
            coming.ask(panel, r, |row| row);
            row(panel, pick, r);
        }
    }
}

/// Moves one row through the caches.
///
/// # Safety
/// As [`walk`]; `r` is a row of the panel.
#[inline(always)]
pub(super) unsafe fn row<P: Pick>(panel: &Panel<'_>, pick: P, r: usize) {
    let (lanes, cols, step) = (LINE / P::CELL, panel.cols, panel.src.step);
    // SAFETY: shape: r is below rows.
    let (src, dst) = unsafe { (panel.src.cell(r, 0).cast_const(), panel.dst.cell(r, 0)) };
    let from = |c: usize| src.wrapping_offset((c as isize).wrapping_mul(step));
    let to = |c: usize| dst.wrapping_add(c * P::CELL);
    if P::BEYOND && cols == lanes {
        // SAFETY: range and aliasing: the cells of the row; ISA: passed on.
        return unsafe { pick.part(src, 0..lanes).store(dst) };
    }
    let mut c = 0;
    let phase = dst.addr() % LINE;
    if cols >= ALIGNED_FROM * lanes && phase != 0 && phase.is_multiple_of(P::CELL) {
        // SAFETY: range and aliasing: the first line of the row, which has more; ISA: passed on.
        unsafe { pick.whole(src).store(dst) };
        c = (LINE - phase) / P::CELL;
    }
    // A pick that reads on to the next cell needs one.
    let end = cols - usize::from(P::BEYOND);
    while c + lanes <= end {
        // SAFETY: range and aliasing: a line of cells of the row, with another behind them where
        // the pick reads on to it; ISA: passed on.
        unsafe { pick.whole(from(c)).store(to(c)) };
        c += lanes;
    }
    if c < cols {
        c = cols - lanes;
        // SAFETY: range and aliasing: the last line of cells of the row, with another before them
        // where the pick reads on to it; ISA: passed on.
        unsafe { pick.last(from(c)).store(to(c)) };
    }
}
