//! Copies of a few cells: the loops of their normal form, one in another.
//!
//! A folder of its own because cells are moved without a row of the kernels' table here.

mod cells;
mod tiles;

use crate::plan::{Dim, Way};

/// Moves the cells of `bytes` at all indices of `dims` in this way, from the first one at `at` on.
///
/// # Safety
/// - Shape: the way was found for a normal form of such cells and dimensions.
/// - Range: those cells can be read and written.
/// - Aliasing: no cell of the destination shares a byte with another one, or with one of the source; no
///   other thread touches them.
/// - Alignment: none.
#[inline(always)]
pub(super) unsafe fn carry_out(way: Way, (bytes, dims): (usize, &[Dim]), at: (*const u8, *mut u8)) {
    // SAFETY: passed on.
    unsafe {
        match way {
            Way::Cells => cells::carry_out(bytes, dims, at),
            Way::Tiles(tiles) => tiles::carry_out(tiles, bytes, dims, at),
        }
    }
}
