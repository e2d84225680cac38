//! Lines of cells spread over a strided destination row, and the walk that does so.
//!
//! A file of its own because `scatter`, `strided` and strided fills differ only in where the line
//! comes from.

use core::ops::Range;

use crate::ahead::{self, Ahead};
use crate::cpu::from_zen5;
use crate::gather::pick::{Line, Pick};
use crate::panel::{LINE, Panel};
use crate::row::Ask;

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

/// Destinations that reach over so many bytes are prefetched, where that pays: *guess*, about a first-level cache.
const COLD: usize = 32 << 10;

/// The same on Zen 5, where masked stores wait for lines out of the caches. Of memcpy without and with, every second
/// cell, 8 MB 0.63 and 0.65 (f32); 32 MB 0.31 and 0.52; f64 64 MB 0.42 and 0.65; u16 16 MB 0.36 and 0.56; every fourth
/// f32 0.17 and 0.29; but 2.4 MB 0.66 and 0.62, 80 KB 0.35 and 0.30.
pub(crate) const FAR: usize = 8 << 20;

/// Whether masked stores of rows that reach over fewer than so many bytes wait for lines out of the caches, one after the
/// other, which those of single cells do not: on Zen 5.
///
/// Of the roof, masked and cell by cell, 25 MB from the first cell to the last, every second cell: f32 20 a row 0.06 and
/// 0.27, 44 0.12 and 0.37, 37 0.10 and 0.09, every third, 44 a row 0.08 and 0.18; f64 20 0.11 and 0.35; but 10 MB, f32 44
/// a row 0.35 and 0.36, f64 44 0.54 and 0.55. Longer rows are asked for in time ([`FAR`]). From every second to every
/// second, of any length: f32 20 a row 0.10 and 0.20, 44 0.09 and 0.22, 100 0.16 and 0.28, 2000 1 and 1.45; f64 20 0.14
/// and 0.22, 1000 1 and 1.6; u16 44 0.08 and 0.20, but 10 MB 1 and 0.5 to 0.7. Cells of one byte and short rows of two
/// were not measured.
pub(crate) fn waits_far(ask: &Ask, short: usize) -> bool {
    let least = match ask.cell {
        1 => return false,
        2..4 => 24 << 20,
        _ => 16 << 20,
    };
    let row = ask.cols.saturating_mul(ask.dst_step.unsigned_abs());
    row < short && row.saturating_mul(ask.rows) >= least && from_zen5()
}

/// Bytes between a store and the prefetch that goes before it; 2048 is the same. 4 Mi f32 to every
/// second, milliseconds with and without: 2.8, 4.0.
pub(crate) const AHEAD: usize = 1024;

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
    let reach = panel.rows * cols * bytes;
    let cold = step > 0 && (ahead::pays(reach, COLD) || reach >= FAR && from_zen5());
    let ahead = cold.then(|| Ahead::new(panel, AHEAD));
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows.
        let (src, dst, asked) = unsafe { ahead::row(panel, ahead, r) };
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
                for byte in (c * bytes..(c + lanes) * bytes).step_by(LINE) {
                    asked.at(byte);
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
