//! Rows of one cell whose size divides a line, through the caches: the same line again and again.
//!
//! A file of its own because it is the same for all registers, and unlike the walk of `gather` it asks
//! for lines before they are written: a fill reads nothing else.

use crate::ahead::{self, Ahead};
use crate::gather::pick::{Line, Pick};
use crate::panel::{LINE, Panel};

/// Destinations of so many bytes are prefetched: about a second-level cache, in which that is neither
/// gain nor loss.
const COLD: usize = 1 << 20;

/// Bytes between a store and the prefetch that goes before it: 1024 is the same up to 16 MiB. 4 MiB after all
/// had been flushed, and after 64 MiB of something else had been read: 369 and 140 us, without 449 and 158;
/// 32 MiB, 2.7 ms and 1.2, without 3.5 and 1.6. In the steady state up to 32 MiB there is no difference.
const AHEAD: usize = 4096;

/// Fills a panel through the caches.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `P::CELL` byte cells and contiguous rows of
/// a line or more; the ISA of `pick`, which picks one cell for all lanes, is enabled where this is
/// inlined.
#[inline(always)]
pub(super) unsafe fn walk<P: Pick>(panel: &Panel<'_>, pick: P) {
    let bytes = panel.cols * P::CELL;
    let cold = panel.rows * bytes >= COLD;
    let ahead = cold.then(|| Ahead::new(panel, AHEAD));
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; range: the cell of the row; ISA: passed on.
        let (line, dst, asked) = unsafe {
            let (src, dst, asked) = ahead::row(panel, ahead, r);
            (pick.whole(src), dst, asked)
        };
        // The first line and the last overlap their neighbours, which write the same bytes.
        let head = dst.addr().wrapping_neg() % LINE;
        let mut at = 0;
        if head.is_multiple_of(P::CELL) && head > 0 {
            // SAFETY: range and aliasing: the row has a line and more; ISA: passed on.
            unsafe { line.store(dst) };
            at = head;
        }
        while at + LINE <= bytes {
            if let Some(asked) = asked {
                asked.at(at);
            }
            // SAFETY: range and aliasing: a line of whole cells of the row; ISA: passed on.
            unsafe { line.store(dst.wrapping_add(at)) };
            at += LINE;
        }
        if at < bytes {
            // SAFETY: range and aliasing: the last line of cells of the row; ISA: passed on.
            unsafe { line.store(dst.wrapping_add(bytes - LINE)) };
        }
    }
}
