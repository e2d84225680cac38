//! Panels through the caches on Zen 3 and before: some source rows from end to end, then the next ones.
//!
//! A file of its own because the order is another one than that of a [`walk`](super::walk), which goes along destination
//! rows: those cores follow as many source rows as a tile has columns, and wait for others. Lines of the destination stay
//! in the second-level cache until the next source rows come to them, and so that they do, the rows of a panel are dealt
//! out to pieces:
//!
//! ```text
//!              src                              dst
//!   row c0..   | 1  2  3  4 | n+1 ..            row r0..   | 1 | 5 | ..
//!   row c1..   | 5  6  7  8 |                   row r1..   | 2 | 6 | ..
//!              piece 0      piece 1             row r2..   | 3 | 7 | ..
//! ```
//!
//! A strip is the shortest code there is: what waits for memory is what a core has begun, a few hundred instructions on,
//! and the fewer of them a tile is, the more lines those are. Of the roof, by the loops of a walk in this order and by
//! strips, again and again, after a streaming copy, and for f32 and f64 of up to 200 KB after all had been flushed (2-core
//! server VM, Zen 3, AVX2): f32 1000x1003 0.76 and 0.84, 0.32 and 0.46; 1507x1500 0.50 and 0.74, 0.43 and 0.53; 500x3000
//! 0.77 and 0.85, 0.40 and 0.60; f64 1000x1003 0.64 and 1.00, 0.35 and 0.75; 900x800 0.23 and 0.93, 0.30 and 0.50; u16
//! 1600x1603 0.48 and 0.73, 0.32 and 0.37; u8 2100x2103 0.24 and 0.57, 0.24 and 0.30. By the order of a walk: f32 120x123
//! 0.64 and 0.68, 0.37 and 0.46; f64 140x143 0.59 and 0.76, 0.33 and 0.54; u16 500x503 0.78 and 0.72, 0.33 and 0.34;
//! 1000x1003 0.80 and 0.71, 0.25 and 0.43; u8 1000x1003 0.62 and 0.57, 0.25 and 0.37.

use super::lines::{Pitched, spreads, strided};
use super::walk::{RegisterTile, column};
use crate::cpu::to_zen3;
use crate::panel::{Panel, Rows};

/// Rows of a piece, at most: their lines are an eighth of the second-level cache. Of the roof, 1024, 2048 and all: f32
/// 2001x2003 0.48, 0.40 and 0.42; 4097x4095 0.41, 0.29 and 0.26; f64 4097x4095 0.37, 0.30 and 0.28. 512 are level with
/// 1024.
const PIECE: usize = 1024;

/// Bytes from row to row of both sides of a panel that is moved like this. Where either side crowds, it loses: f32
/// 1024x1024 0.28 and 0.12, 256x256 0.56 and 0.26.
#[inline(always)]
fn strides(panel: &Panel<'_>) -> Option<(isize, isize)> {
    let apart = |stride: isize| spreads(stride.unsigned_abs());
    match (panel.src.rows, panel.dst.rows) {
        (Rows::Stride(from), Rows::Stride(to)) if to_zen3() && apart(from) && apart(to) => {
            Some((from, to))
        }
        _ => None,
    }
}

/// Moves a panel strip by strip, if that is for it, and says so; the last strip overlaps the one before it, and the last
/// tile of each strip.
///
/// # Safety
/// As [`walk`](super::walk::walk).
#[inline(always)]
pub(super) unsafe fn moved<T: RegisterTile>(panel: &Panel<'_>, tile: T) -> bool {
    let Some((from, to)) = strides(panel) else {
        return false;
    };
    let Panel { rows, cols, .. } = *panel;
    let (high, wide) = (tile.rows(), tile.cols());
    let piece = rows.div_ceil(rows.div_ceil(PIECE)).next_multiple_of(high);
    for start in (0..rows).step_by(piece) {
        // The last piece has the rows of a tile as well.
        let start = start.min(rows - high);
        let end = rows.min(start + piece);
        let src: Pitched = strided(panel.src.base.wrapping_add(start * T::CELL), from);
        let dst: Pitched = strided(panel.dst.base.wrapping_offset(start as isize * to), to);
        for c in (0..cols).step_by(wide) {
            // SAFETY: shape: rows of the panel from `start` on, at least those of a tile, and as many of its columns as
            // a tile has; aliasing, ISA: passed on.
            unsafe { column(tile, (src, dst), end - start, c.min(cols - wide)) };
        }
    }
    true
}
