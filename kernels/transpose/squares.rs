//! A band by squares, in turn with the lines of the block before.
//!
//! A file of its own because of the order. Band by band, a square of each [`Line`](super::line::Line) of columns is
//! made, and then its lines are streamed, in which time nothing is read. Here a block is some lines of each source row,
//! and each of its squares is followed by about as many lines of the block before, out of the other half of a stage:
//!
//! ```text
//!   source rows of line 0   | 0  1  2  3 |            squares of block 1   0   1   2   3   4   5   6   7
//!   source rows of line 1   | 4  5  6  7 |            lines of block 0       l   l   l   l   l   l   l   l
//! ```
//!
//! So fewer source rows are read at a time as well, and some lines of each. Of the roof, band by band and so (2-core
//! AVX-512 server VM, Xeon), after one call: f32 4096x4096 0.83 and 0.91, 4000x4000 0.91 and 1.00, 8192x8192 0.57 and
//! 0.69, 7264x7264 0.99 and 1.03; axes reversed, 352x4x28x28x48 0.59 and 0.67, 64x4000x64 0.87 and 0.91; f64 4096x4096
//! 0.75 and 0.87, 8192x8192 0.80 and 0.85, 256x256x256 [2, 0, 1] 0.94 and 1.01. Cells of 16 bytes, of which four lines
//! are a square, gain nothing: 4096x4096 0.97 and 0.98, 4000x4000 1.05 and 1.02.

use super::band_stage::Stage;
use super::columns::Columns;
use super::line::LineTile;
use super::lines::Lines;
use super::stream::{Out, Place};
use crate::cpu::by_amd;
use crate::isa::prefetch;
use crate::panel::LINE;

/// Lines of each source row in a block. One, two, four and eight, f32 4096x4096 0.89, 0.92, 0.91, 0.90; 8192x8192 0.69,
/// 0.68, 0.69, 0.64; f64 4096x4096 0.80, 0.82, 0.87, 0.85.
const LINES: usize = 4;

/// Whether a band of so many rows is moved so, whose rows are joined with what is carried, or not.
///
/// Fewer than two blocks have too little of each other: f32 48x48x28x28x28 [1, 3, 0, 4, 2] 0.74 and 0.69. What joins
/// lines of 4-byte cells has enough to do: 2068x2070 0.95 and 0.91, 2047x4099 0.82 and 0.77; of 8-byte cells not,
/// 4097x4095 0.77 and 0.83, but in some blocks: 100x1000x100 reversed 0.96 and 0.94, after all has been flushed 0.83
/// and 0.76.
#[inline(always)]
pub(super) fn pays<T: LineTile<R>, const R: usize, const N: usize>(
    rows: usize,
    joins: bool,
) -> bool {
    let blocks = rows / (LINES * T::CELLS);
    T::SQUARE
        && holds::<T, R, N>()
        && match T::CELL {
            4 => blocks >= 2 && !joins,
            8 => blocks >= if joins { 8 } else { 2 },
            _ => false,
        }
        && !by_amd()
}

/// Whether there is room for two blocks: not of four lines of 4-byte cells.
const fn holds<T: LineTile<R>, const R: usize, const N: usize>() -> bool {
    Stage::holds(2 * LINES * T::CELLS, N)
}

/// Moves the blocks of a band, all but the last rows; the row that is next.
///
/// # Safety
/// As [`whole_lines`](super::reads::whole_lines), with a tile of [squares](LineTile::SQUARE); the stage has no other
/// reference.
#[inline(always)]
pub(super) unsafe fn in_turns<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    columns: &Columns,
    place: &Place,
    out: impl Out<T::Line, N>,
    stage: &mut Stage,
) -> usize {
    let cells = T::CELLS;
    let high = LINES * cells;
    debug_assert!(holds::<T, R, N>(), "two blocks in a stage");
    let (mut this, mut other) = (0, high);
    let mut before = None;
    let mut r = place.rows.start;
    while r + high <= place.rows.end {
        let mut done = 0;
        for i in 0..N {
            for line in 0..LINES {
                let at =
                    |i: usize, line: usize| columns.lines(i * cells, (r + line * cells) * T::CELL);
                let next = if i + 1 < N {
                    at(i + 1, line)
                } else {
                    at(0, LINES + line)
                };
                // SAFETY: shape: the place has N * cells columns, all source rows, and rows from r on for a block, of
                // which the stage holds two; rows of the block before are the place's, each given once, after all of
                // it was written; range: from row r on, lines of so many rows are the place's; the rest is passed on.
                unsafe {
                    let to = stage.line::<N>(this + line * cells, i);
                    tile.square(at(i, line), to, N * LINE);
                    for i in 0..cells {
                        // Of a row that starts inside a line, that ends in the next one; the other was read before.
                        prefetch(next.at(i).wrapping_add(LINE - 1));
                    }
                    if let Some(before) = before {
                        for _ in 0..cells / N {
                            out.put(before + done, stage.row(other + done));
                            done += 1;
                        }
                    }
                }
            }
        }
        before = Some(r);
        (this, other) = (other, this);
        r += high;
    }
    if let Some(before) = before {
        for i in 0..high {
            // SAFETY: as above: the last block is still to be streamed.
            unsafe { out.put(before + i, stage.row(other + i)) };
        }
    }
    r
}
