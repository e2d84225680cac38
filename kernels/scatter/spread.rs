//! Lines of cells spread over a strided destination row, and the walk that does so.
//!
//! A file of its own because `scatter`, `strided` and strided fills differ only in where the line
//! comes from.

use core::ops::Range;

use crate::ahead::{self, Ahead};
use crate::gather::coming::ComingRows;
use crate::gather::pick::{Line, Pick};
use crate::panel::{LINE, Panel};

/// How a line goes to cells of one step. Made once per panel.
pub(crate) trait Spread<L: Line>: Copy {
    /// Writes the cells of some lanes of a line; `dst` is the cell of lane 0.
    ///
    /// # Safety
    /// - Shape: `lanes` is within those of a line.
    /// - Range: the cells of those lanes can be written.
    /// - Alignment: none.
    /// - ISA: what the file of the spread names is enabled where this is inlined.
    unsafe fn part(self, line: L, dst: *mut u8, lanes: Range<usize>);

    /// The same for all lanes.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    unsafe fn whole(self, line: L, dst: *mut u8);
}

/// Rows of fewer lines of cells start where they do: *guess*, as in `gather`.
const ALIGNED_FROM: usize = 8;

/// Moves a panel, a line of cells at a time.
///
/// # Safety
/// The contract of the crate, with a straight panel of `P::CELL` byte cells whose source step is
/// that of `pick` and whose destination step is that of `spread`; their ISA is enabled where this is
/// inlined.
#[inline(always)]
pub(crate) unsafe fn walk<P: Pick>(panel: &Panel<'_>, pick: P, spread: impl Spread<P::Line>) {
    let (lanes, cols, step) = (LINE / P::CELL, panel.cols, panel.dst.step);
    let bytes = step.unsigned_abs();
    let ahead = Ahead::of_masked(panel);
    let coming = ComingRows::of(panel).beyond(LINE, LINE);
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come.
        let (src, dst, asked) = unsafe {
            coming.ask(panel, r, |row| row);
            ahead::row(panel, ahead, r)
        };
        let from = |c: usize| src.wrapping_offset((c as isize).wrapping_mul(panel.src.step));
        let to = |c: usize| dst.wrapping_offset((c as isize).wrapping_mul(panel.dst.step));
        // A pick that reads on to the next cell needs one.
        let last = cols - usize::from(P::BEYOND && cols > 0);
        let mut c = 0;
        if cols >= ALIGNED_FROM * lanes && step > 0 {
            // Where the cell of a lane starts a line, so do vectors.
            let starts = |c: &usize| to(*c).addr().is_multiple_of(LINE);
            c = (0..lanes).find(starts).unwrap_or(0);
        }
        if c > 0 {
            // SAFETY: range and aliasing: the first cells of the row, fewer than a line of them; ISA:
            // passed on.
            unsafe { spread.part(pick.part(src, 0..c), dst, 0..c) };
        }
        while c + lanes <= last {
            if let Some(asked) = asked {
                asked.lines(c * bytes..(c + lanes) * bytes);
            }
            // SAFETY: range and aliasing: a line of cells of the row, with another behind them
            // where the pick reads on to it; ISA: passed on.
            unsafe { spread.whole(pick.whole(from(c)), to(c)) };
            c += lanes;
        }
        if c < cols {
            if let Some(asked) = asked {
                asked.all(c * bytes..cols * bytes);
            }
            let left = 0..cols - c;
            // SAFETY: range and aliasing: the last cells of the row, at most a line of them; ISA:
            // passed on.
            unsafe { spread.part(pick.part(from(c), left.clone()), to(c), left) };
        }
    }
}
