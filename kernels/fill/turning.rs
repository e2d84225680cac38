//! Rows of one cell whose size does not divide a line: lines are loaded from a pattern in memory,
//! each from where the line before ended in the cell.
//!
//! A file of its own because it is the same for all registers. A line that no row fills is written
//! through the caches.

use core::mem::MaybeUninit;

use crate::gather::pick::Line;
use crate::panel::{LINE, Panel};
use crate::row::Ask;

/// The largest cell: larger ones are runs.
const MOST: usize = LINE;

/// Contiguous rows of a line and more. Rows of 64 cells, so that a row of a cell this small or
/// large is worth its pattern.
pub(super) fn takes(ask: &Ask) -> bool {
    (1..=MOST).contains(&ask.cell) && ask.dst_step == ask.cell as isize && ask.cols >= LINE
}

/// Fills a panel, around the caches if `STREAM`.
///
/// # Safety
/// The contract of the crate, with a panel of the family that [`takes`] admits, and where lines are
/// streamed the guard of its task; the ISA of `L` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn walk<L: Line, const STREAM: bool>(panel: &Panel<'_>) {
    let (cell, bytes) = (panel.cell, panel.cols * panel.cell);
    // A line from anywhere in the cell; the part that is read has been written before.
    let mut pattern = [MaybeUninit::<u8>::uninit(); 2 * MOST + LINE];
    let pattern = pattern.as_mut_ptr().cast::<u8>();
    let turn = LINE % cell;
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; range: whole cells below MOST + LINE + cell, in a pattern
        // of this function's own.
        let dst = unsafe {
            let src = panel.src.cell(r, 0);
            for at in (0..cell + LINE).step_by(cell) {
                core::ptr::copy_nonoverlapping(src, pattern.add(at), cell);
            }
            panel.dst.cell(r, 0)
        };
        let head = dst.addr().wrapping_neg() % LINE;
        let mut at = head;
        let mut from = head % cell;
        // SAFETY: range and aliasing: the row has `bytes`, at least a line of them; `from` is
        // below `cell`, from where a line of the pattern has been written; alignment: lines of dst
        // from `head` on; ISA: passed on.
        unsafe {
            if head > 0 {
                L::load(pattern).store_part(0..head, dst);
            }
            while at + LINE <= bytes {
                let line = L::load(pattern.add(from));
                if STREAM {
                    line.stream(dst.add(at));
                } else {
                    line.store(dst.add(at));
                }
                at += LINE;
                from += turn;
                from -= if from >= cell { cell } else { 0 };
            }
            if at < bytes {
                L::load(pattern.add(from)).store_part(0..bytes - at, dst.add(at));
            }
        }
    }
}
