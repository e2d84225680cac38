//! Short source rows back to back: what is asked for ahead of them.
//!
//! A file of its own because this knows nothing of bands: the rows are one sequential stream, of which some bytes are
//! read after others, and one stream alone is slow out of the caches. So it is read as four, by prefetching the quarters
//! of the window after this one, all at the same time:
//!
//! ```text
//!   window        |  read  |           |           |           |
//!   the next one  | asked  |    | asked     | asked     | asked     |
//! ```
//!
//! Or, where one is best, what comes some bytes later is. And what is copied to a [stage](super::band_stage) at a time is
//! asked for while what is there is moved, in the order in which it will be copied.

use core::ops::Range;

use super::line::LineTile;
use super::lines::Addressing;
use crate::cpu::{before_zen5, by_amd};
use crate::isa::prefetch_second;
use crate::panel::LINE;

/// Rows below this many bytes are short. 4864 bytes (1216x43408): 0.85 with the next line alone,
/// 0.87 with four streams; 3072: 0.91, 0.89; 2048: 0.85, 0.89; 1536 (384x2320): 0.75, 0.91; 384:
/// 0.55, 0.82.
pub(super) const SHORT: usize = 4096;
/// Bytes of a window. It leads beyond the panel, where the next one is: panels follow the source.
/// Separate runs of 32 KiB from the start of each panel, and of this with windows at multiples of
/// their size: 384x384, 355 of them: 0.80, 0.90; 384x2320, 59 of them: 0.88, 0.91; 96x96, 5625 of
/// them: 0.75, 0.84; 96x608, 900 of them: 0.88, 0.89. Which of the two changes helps was not
/// measured.
const WINDOW: usize = 128 << 10;
/// The same of rows of at most so many bytes, on other than AMD's cores. After all had been flushed, and again and again
/// (Xeon): f32 512x128, 48 of them, 0.81 and 0.88, 0.91 and 0.93; 512x256 0.85 and 0.90, 0.92 both; f64 512x64 0.89 and
/// 0.93, 0.95 and 0.96; longer ones are level or lose, 30000x900 0.85 and 0.83, 0.92 and 0.89.
const WINDOW_OF_SHORTER: usize = 64 << 10;
const SHORTER: usize = 1 << 10;

/// Rows of at most so many bytes, of whole lines that are not joined, are one stream that is asked for [`NEAR_BY`] bytes
/// ahead, on other than AMD's cores.
///
/// By windows of 128 KiB, of 64 KiB, and so, again and again (Xeon): f32 512x64, 96 of them, 0.87, 0.92, 1.00; 3136x64, 30
/// of them, 0.87, 0.92, 1.02; 512x48 0.90, 0.94, 0.99; 512x16 0.86, 0.91, 0.96; f64 512x32 0.93, 0.96, 1.03; 512x16 0.91,
/// 0.94, 1.01; 16 bytes 512x16 0.94, 0.96, 1.03; 512x8 0.96, 0.95, 1.01. If the destination has been flushed, the same;
/// if the source has, 0.93, 1.01, 0.96 in the mean; if both have, 0.82, 0.88, 0.80. Longer rows gain less again and again,
/// and lose more: f32 512x128 0.88, 0.93, 0.96, and 0.83, 0.88, 0.72.
const ONE_BLOCK: usize = 4 * LINE;
/// 3.5, 4, 4.25, 4.5, 4.75, 5 and 5.5 KiB, those in the mean: 0.98, 0.99, 1.00, 1.00, 1.00, 0.99, 0.99; 8 and 64 KiB 0.96.
pub(super) const NEAR_BY: usize = 18 << 8;

/// Source rows that are read as one stream.
#[derive(Clone, Copy)]
pub(super) struct BackToBack {
    /// Where the first one starts.
    start: *const u8,
    /// Bytes of each.
    row: usize,
    order: Order,
    /// What is copied to a stage is asked for.
    staged: bool,
}

/// What is asked for while bytes are read.
#[derive(Clone, Copy)]
enum Order {
    /// The same part of the four quarters of the next window of so many bytes. Windows start at multiples of their
    /// size, so that those of panels that follow each other are the same.
    Windows(usize),
    /// What comes so many bytes after them.
    Lead(usize),
}

impl BackToBack {
    /// Such rows of `row` bytes from `start` on, in bands of `N` lines, which are joined with what is carried or not;
    /// none if they are too long for that.
    ///
    /// On AMD's cores before Zen 5 what is asked for is a quarter of a window ahead, or a band: of the roof, Zen 4, by
    /// windows and so, f32 64x32, 16384 of them, 0.70 and 0.89; 96x96 1.00 and 1.01; u16 96x96 0.67 and 0.79; f32
    /// 2320x384 1.10 and 1.10. Of bands of 60 KiB, a quarter of a window and a band: f32 480x32 0.73 and 0.83. Zen 5: f32
    /// 16x32x15x32x15x15 [0, 3, 2, 5, 4, 1] 0.82 and 0.64, 40000x384 1.20 and 1.10, u16 30000x384 0.82 and 0.76.
    #[inline(always)]
    pub(super) fn of<T: LineTile<R>, const R: usize, const N: usize>(
        start: *const u8,
        row: usize,
        joins: bool,
    ) -> Option<Self> {
        let order = match row {
            _ if before_zen5() => Order::Lead((N * T::CELLS * row).max(WINDOW / 4)),
            _ if by_amd() => Order::Windows(WINDOW),
            ..=ONE_BLOCK if T::SQUARE && !joins => Order::Lead(NEAR_BY),
            ..=SHORTER => Order::Windows(WINDOW_OF_SHORTER),
            _ => Order::Windows(WINDOW),
        };
        (row < SHORT && follows(T::CELL)).then_some(Self {
            start,
            row,
            order,
            staged: row <= longest_staged(T::CELL) && !before_zen5(),
        })
    }

    /// What is so many bytes after the start of a row.
    #[inline(always)]
    fn at(self, (row, after): (usize, usize)) -> *const u8 {
        self.start.wrapping_add(row * self.row + after)
    }

    /// Prefetches what is to be read after `bytes` of them are, which are those so many after the start of a row, or
    /// as many.
    #[inline(always)]
    pub(super) fn ask(self, read: (usize, usize), bytes: usize) {
        let at = self.at(read);
        match self.order {
            Order::Lead(lead) => {
                for line in (0..bytes).step_by(LINE) {
                    prefetch_second(at.wrapping_add(lead + line));
                }
            }
            Order::Windows(window) => {
                let done = at.addr() % window;
                let next = at.wrapping_sub(done).wrapping_add(window);
                let piece = |done: usize| done / 4 / LINE * LINE;
                for piece in (piece(done)..piece(done + bytes)).step_by(LINE) {
                    for quarter in 0..4 {
                        prefetch_second(next.wrapping_add(quarter * (window / 4) + piece));
                    }
                }
            }
        }
    }

    /// What starts so many bytes after the start of a row, if it is to be asked for.
    #[inline(always)]
    pub(super) fn fill<const LINES: usize>(self, first: (usize, usize)) -> Option<Fill<LINES>> {
        self.staged.then(|| Fill {
            start: self.at(first),
            row: self.row,
        })
    }
}

/// Some lines of each of some rows, which are copied to a stage together.
#[derive(Clone, Copy)]
pub(super) struct Fill<const LINES: usize> {
    /// Where those of the first row start.
    start: *const u8,
    /// Bytes from row to row.
    row: usize,
}

impl<const LINES: usize> Fill<LINES> {
    /// Asks for some of its lines, those of a row after each other.
    #[inline(always)]
    pub(super) fn ask(self, lines: Range<usize>) {
        for i in lines {
            let at = i / LINES * self.row + i % LINES * LINE;
            prefetch_second(self.start.wrapping_add(at));
        }
    }
}

/// Bytes of rows of such cells, at most, of which what is copied to a stage is asked for.
///
/// Of the roof without and so, again and again, and after all had been flushed (Xeon): u16 512x64, 192 of them, 0.92
/// and 0.95, 0.59 and 0.81; 512x128 0.95 and 0.97, 0.64 and 0.79; 3136x128 0.95 and 0.98, 0.63 and 0.78; 512x1024 0.95
/// both, 0.68 and 0.81; 30000x384 0.93 and 0.90, 0.61 and 0.72; u8 512x128 0.93 both, 0.63 and 0.72; but 512x256 0.91
/// and 0.85, 0.57 and 0.66; 512x1000 0.93 and 0.91, 0.65 and 0.67. In bursts, by windows: u16 512x64 0.87, 0.80;
/// before a block is moved, not after it: 0.93, 0.72. Zen 5, after all had been flushed: u16 100000x256 0.49 and 0.75,
/// x512 0.49 and 0.78, x64 level. Not on what AMD made before.
fn longest_staged(cell: usize) -> usize {
    if cell == 1 { 2 * LINE } else { SHORT }
}

/// Whether short rows of such cells that follow each other are read as one stream: not single bytes on AMD's
/// cores. Of the roof (Zen 4), by windows and as rows that do not follow each other: u8 384 columns of 384
/// 0.41 and 0.56, of 2320 0.33 and 0.46; u16 0.65 and 0.44, 1.0 and 0.73, 0.68 and 0.88; f32 0.90 and 0.57,
/// 1.06 and 0.77.
fn follows(cell: usize) -> bool {
    cell > 1 || !by_amd()
}

/// Whether each of `count` rows starts `row` bytes after the one before it.
///
/// Of a table, whose dimensions are as many strides, it is enough to look at powers of two: the first row that does not
/// follow is the end of one dimension and the start of the next, and the power of two after it is in the same place of
/// that. Of a list it is a guess, which may cost time and nothing else.
///
/// # Safety
/// - Shape: `src` addresses so many rows, two at least.
pub(super) unsafe fn follow(src: impl Addressing, count: usize, row: usize) -> bool {
    // SAFETY: shape: the first row, and others below the count.
    let start = |i| unsafe { src.row(i) }.addr();
    let follows = |i: usize| start(i).wrapping_sub(start(0)) == i * row;
    core::iter::successors(Some(1), |i| Some(2 * i))
        .take_while(|&i| i < count)
        .all(follows)
        && follows(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::{Rows, Side};
    use std::vec::Vec;

    /// Three dimensions in any order: rows follow each other in one of six, though in all the second one may and the
    /// last one ends where all end.
    #[test]
    fn rows_follow_if_all_do() {
        const ROW: usize = 24;
        for extents in [
            [2, 2, 2],
            [2, 3, 4],
            [5, 2, 7],
            [37, 38, 3],
            [4, 64, 2],
            [3, 8, 16],
        ] {
            let strides = [1, extents[0], extents[0] * extents[1]].map(|n| n * ROW);
            for order in [
                [0, 1, 2],
                [0, 2, 1],
                [1, 0, 2],
                [1, 2, 0],
                [2, 0, 1],
                [2, 1, 0],
            ] {
                let [[n, a], [m, b], [l, c]] = order.map(|i| [extents[i], strides[i]]);
                let at = |i: usize| (i % n * a + i / n % m * b + i / n / m * c) as isize;
                let offsets: Vec<_> = (0..n * m * l).map(at).collect();
                let side = Side {
                    base: core::ptr::null_mut(),
                    rows: Rows::Offsets(&offsets),
                    step: 1,
                };
                let apart = |rows: &[isize]| rows[1] - rows[0] == ROW as isize;
                let all = offsets.windows(2).all(apart);
                // SAFETY: shape: there are so many rows.
                let found = unsafe { follow(side, offsets.len(), ROW) };
                assert_eq!(found, all, "{extents:?} {order:?}");
            }
        }
    }
}
