//! Strips: tiles one above the other, and a few columns beside them, of sides whose rows are strides.
//!
//! A file of its own because a strip is moved without a panel around it: a stage is filled by strips, some rows at a time.
//! A tile is a function that is called, and neither inlined nor in a loop, which would keep an address for every line of
//! it: those were stored when the strip began, in stores that waited behind the lines that are streamed. Of the roof,
//! tiles called by the stage one by one, inlined in a loop here, and called here (Xeon, 17 MB): u8 66x63 0.63, 0.45 and
//! 0.58; f32 47x44 0.86, 0.71 and 0.74; f64 20x16 0.61, 0.90 and 0.91. The first two are level where no part of a strip
//! has two large tiles.
//!
//! ```text
//!   strip 0       | strip 1       |  a strip: tiles, blocks or a tile that is moved back, and cells
//!   +-------+     +-------+-+
//!   | tile  |     | tile  |.|
//!   +-------+     +-------+.|
//!   | tile  |     | tile  |.|
//!   +-------+     +-------+.|
//!   | block |     | block |.|
//!   +-------+     +-------+-+
//! ```

use super::lines::{Strided, strided};
use super::walk::{RegisterTile, cells, ends_in_blocks};
use crate::row::OneTile;

/// Columns that are left over of so many, by tiles so wide, if they are so few that they are best moved cell by cell.
///
/// Of the roof, by a tile that is moved back and so (Xeon, 17 MB): f64 9x9 0.73 and 0.87, 12x9 0.80 and 0.94, 17x17 0.83
/// and 0.88; 16 bytes 13x13 0.81 and 0.95. In the first-level cache, ns: f32 17x17 70 and 54, f64 9x9 39 and 33, 16
/// bytes 12x9 45 and 37. Of more it is not: f32 in tiles of 16, 17x18, two of 16, 0.68 and 0.70, 17x19 0.70 and 0.64, 16x20
/// 0.63 and 0.46, 33x36 0.93 and 0.78; in tiles of 8, 12x10 0.32 and 0.36; f64 18x18 0.83 and 0.90, 9x11 0.78 and 0.84, but
/// in the first-level cache 0.12 and 0.11. Tiles of narrow cells take less time for a cell: *guess*.
#[inline(always)]
pub(crate) fn few_columns(wide: usize, cell: usize, cols: usize) -> usize {
    let rest = cols % wide;
    let few = (wide / if cell < 4 { 16 } else { 4 }).min(2);
    if rest <= few { rest } else { 0 }
}

/// Moves one tile, or a block of one.
///
/// # Safety
/// - Range: its cells can be read from `src` on and written from `dst` on, by these strides.
/// - Aliasing: what is read and what is written do not overlap.
/// - Alignment: none.
/// - ISA: that of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn alone<T: RegisterTile, const BLOCK: bool>(
    tile: T,
    src: (*const u8, isize),
    dst: (*mut u8, isize),
) {
    let lines = |base, stride| Strided { base, stride };
    let (src, dst) = (lines(src.0.cast_mut(), src.1), lines(dst.0, dst.1));
    // SAFETY: shape: strides have any line; the rest is passed on.
    unsafe {
        if BLOCK {
            tile.block(src, dst);
        } else {
            tile.transpose(src, dst);
        }
    }
}

/// Moves so many rows of a strip that is so many columns wider than the tile, which `one` moves, and `block` a block of it.
///
/// # Safety
/// - Shape: these are at least the rows of the tile.
/// - Range: the cells of the strip can be read from `src` on and written from `dst` on, by these strides.
/// - Aliasing: what is read and what is written do not overlap.
/// - Alignment: none.
/// - ISA: this machine has what `one` and `block` need.
#[inline(always)]
pub(super) unsafe fn strip<T: RegisterTile>(
    tile: T,
    (one, block): (OneTile, OneTile),
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    (rows, more): (usize, usize),
) {
    let high = tile.rows();
    let from = |r: usize| (src.0.wrapping_add(r * T::CELL), src.1);
    let to = |r: usize| (dst.0.wrapping_offset(r as isize * dst.1), dst.1);
    let mut r = 0;
    // SAFETY: range: tiles and blocks end at `rows`, and so do the cells beside them; aliasing, ISA: passed on.
    unsafe {
        while r + high <= rows {
            one(from(r), to(r));
            r += high;
        }
        if ends_in_blocks(tile, r, rows) {
            while r < rows {
                let at = r.min(rows - T::BLOCK);
                block(from(at), to(at));
                r += T::BLOCK;
            }
        } else if r < rows {
            one(from(rows - high), to(rows - high));
        }
        if more > 0 {
            let sides = (strided(src.0.cast_mut(), src.1), strided(dst.0, dst.1));
            cells::<T>(sides, rows, tile.cols()..tile.cols() + more);
        }
    }
}

/// Functions `one` and `strips` of a file whose row has this tile and needs these features: what [`Call::Tiles`] wants.
///
/// [`Call::Tiles`]: crate::row::Call::Tiles
#[cfg(target_arch = "x86_64")]
macro_rules! of_tile {
    ($one:ident, $strips:ident, $features:literal, $tile:expr) => {
        /// # Safety
        /// As [`alone`](super::strips::alone), with the tile of this row; ISA: the features that are enabled.
        #[target_feature(enable = $features)]
        #[inline(never)] // see the top of `strips`
        unsafe fn $one(src: (*const u8, isize), dst: (*mut u8, isize)) {
            // SAFETY: passed on; ISA: enabled here.
            unsafe { super::strips::alone::<_, false>($tile, src, dst) }
        }

        /// # Safety
        /// As [`strip`](super::strips::strip), with the tile of this row; ISA: the features that are enabled.
        #[target_feature(enable = $features)]
        unsafe fn $strips(src: (*const u8, isize), dst: (*mut u8, isize), size: (usize, usize)) {
            /// # Safety
            /// As the tile, for a block of it.
            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn block(src: (*const u8, isize), dst: (*mut u8, isize)) {
                // SAFETY: passed on; ISA: enabled here.
                unsafe { super::strips::alone::<_, true>($tile, src, dst) }
            }
            // SAFETY: passed on; ISA: enabled here.
            unsafe { super::strips::strip($tile, ($one, block), src, dst, size) }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use of_tile;
