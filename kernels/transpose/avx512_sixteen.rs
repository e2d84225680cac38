//! `transpose` with AVX-512: 16-byte cells in tiles of 4x4.
//!
//! A cell is a lane, so nothing is shuffled between registers: the load ports put a destination line
//! together from four source rows.
//!
//! ```text
//!   src rows a to d, cell r          dst row r
//!
//!     ar | br | cr | dr      ->      ar | br | cr | dr
//! ```

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm512_castsi128_si512, _mm512_inserti32x4,
    _mm512_storeu_si512,
};

use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 4;

/// Cell `i` of source row `line`.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: the cell can be read.
#[inline(always)]
unsafe fn cell(src: impl Lines, line: usize, i: usize) -> __m128i {
    // SAFETY: shape and range are the caller's; alignment: an unaligned load; ISA: part of SSE2.
    unsafe { _mm_loadu_si128(src.at(line).wrapping_add(16 * i).cast()) }
}

/// Destination row `i` of a tile.
///
/// # Safety
/// - Shape: lines 0 to 3 exist.
/// - Range: cell `i` of each can be read.
/// - ISA: AVX-512 F.
#[inline(always)]
pub(super) unsafe fn row(src: impl Lines, i: usize) -> __m512i {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let register = _mm512_castsi128_si512(cell(src, 0, i));
        let register = _mm512_inserti32x4::<1>(register, cell(src, 1, i));
        let register = _mm512_inserti32x4::<2>(register, cell(src, 2, i));
        _mm512_inserti32x4::<3>(register, cell(src, 3, i))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Tile4x4;

impl RegisterTile for Tile4x4 {
    const CELL: usize = 16;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for i in 0..N {
            // SAFETY: shape: lines 0..4 exist on both sides; range: cell i of a source line, and
            // cells 0..4 of a destination line, a register; aliasing: the sides do not overlap, so
            // a later row reads what it would have read before the first store; alignment:
            // unaligned stores; ISA: the caller has AVX-512 F.
            unsafe { _mm512_storeu_si512(dst.at(i).cast(), row(src, i)) };
        }
    }

    const BLOCK: usize = 1;

    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 4 lines of src and one of dst exist; range: the first cell of a source line; the rest as
        // above.
        unsafe { _mm512_storeu_si512(dst.at(0).cast(), row(src, 0)) };
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn tiles(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes 16-byte cells and panels of 4 rows and columns or more; ISA:
    // AVX-512 F is enabled here.
    unsafe { walk(panel, Tile4x4) }
}

of_tile!(one, strips, "avx512f,avx512vl", Tile4x4);

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-16-avx512-4x4",
    family: Family::Transpose,
    cell: CellSize::Exact(16),
    isa: Isa::Avx512,
    tile: Tile { rows: N, cols: N },
    needs: |ask| ask.rows >= N && ask.cols >= N,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
