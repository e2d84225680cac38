//! Lines of cells spread over a strided destination row, and the walk that does so.
//!
//! A file of its own because `scatter`, `strided` and strided fills differ only in where the line
//! comes from.

use core::ops::Range;

use crate::gather::pick::{Line, Pick};
use crate::isa::prefetch_write;
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

/// Destinations that reach over so many bytes are prefetched: *guess*, about a first-level cache.
const COLD: usize = 32 << 10;

/// Bytes between a store and the prefetch that goes before it; 2048 is the same. 4 Mi f32 to every
/// second, milliseconds with and without: 2.8, 4.0.
const AHEAD: usize = 1024;

/// Moves a panel, a line of cells at a time.
///
/// # Safety
/// The contract of the crate, with a straight panel of `P::CELL` byte cells whose source step is
/// that of `pick` and whose destination step is that of `spread`; their ISA is enabled where this is
/// inlined.
#[inline(always)]
pub(crate) unsafe fn walk<P: Pick>(panel: &Panel<'_>, pick: P, spread: impl Spread<P::Line>) {
    let (lanes, cols, step) = (LINE / P::CELL, panel.cols, panel.dst.step);
    let cold = panel.rows * cols * step.unsigned_abs() >= COLD;
    let vectors = (step.unsigned_abs() / P::CELL) as isize;
    let line = step.signum() * LINE as isize;
    let ahead = step.signum() * AHEAD as isize;
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows.
        let (src, dst) = unsafe { (panel.src.cell(r, 0).cast_const(), panel.dst.cell(r, 0)) };
        let from = |c: usize| src.wrapping_offset((c as isize).wrapping_mul(panel.src.step));
        let to = |c: usize| dst.wrapping_offset((c as isize).wrapping_mul(panel.dst.step));
        // A pick that reads on to the next cell needs one.
        let last = cols - usize::from(P::BEYOND && cols > 0);
        let mut c = 0;
        while c + lanes <= last {
            if cold {
                for i in 0..vectors {
                    prefetch_write(to(c).wrapping_offset(ahead + i * line));
                }
            }
            // SAFETY: range and aliasing: a line of cells of the row, with another behind them
            // where the pick reads on to it; ISA: passed on.
            unsafe { spread.whole(pick.whole(from(c)), to(c)) };
            c += lanes;
        }
        if c < cols {
            let left = 0..cols - c;
            // SAFETY: range and aliasing: the last cells of the row, at most a line of them; ISA:
            // passed on.
            unsafe { spread.part(pick.part(from(c), left.clone()), to(c), left) };
        }
    }
}
