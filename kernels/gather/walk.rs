//! How the rows of a panel are walked through the caches, once for every row of the family.
//!
//! A file of its own because an ISA file only supplies a [`Pick`]. Lines of the destination are
//! written where they start, if cells do so as well, so that no store crosses a line:
//!
//! ```text
//!   dst row   |..hh|llll|llll|llll|tt..|     h, t: parts of lines, l: whole lines
//! ```

use super::pick::{LINE, Line, Pick};
use crate::panel::Panel;

/// Rows of fewer lines start their lines where the row starts: *guess*, a head costs as much as a
/// few stores that cross lines.
const ALIGNED_FROM: usize = 8;

/// Moves a panel through the caches.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits, of `P::CELL` byte cells, whose
/// source step is that of `pick`; the ISA of `pick` is enabled where this is inlined.
#[inline(always)]
pub(crate) unsafe fn walk<P: Pick>(panel: &Panel<'_>, pick: P) {
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; the rest is passed on.
        unsafe { row(panel, pick, r) };
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
    let mut c = 0;
    let phase = dst.addr() % LINE;
    if cols >= ALIGNED_FROM * lanes && phase != 0 && phase.is_multiple_of(P::CELL) {
        c = (LINE - phase) / P::CELL;
        // SAFETY: range and aliasing: the first c cells of the row; ISA: passed on.
        unsafe { pick.part(src, 0..c).store_part(0..c * P::CELL, dst) };
    }
    // A pick that reads on to the next cell needs one.
    let last = cols - usize::from(P::BEYOND && cols > 0);
    while c + lanes <= last {
        // SAFETY: range and aliasing: a line of cells of the row, with another behind them where
        // the pick reads on to it; ISA: passed on.
        unsafe { pick.whole(from(c)).store(to(c)) };
        c += lanes;
    }
    if c < cols {
        let left = cols - c;
        // SAFETY: range and aliasing: the last cells of the row, at most a line of them; ISA:
        // passed on.
        unsafe {
            pick.part(from(c), 0..left)
                .store_part(0..left * P::CELL, to(c))
        };
    }
}
