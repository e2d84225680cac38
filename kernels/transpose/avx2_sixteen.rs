//! `transpose` with AVX2: 16-byte cells in tiles of 4x4.
//!
//! A cell is a lane, so nothing is shuffled between registers: the load ports put half a destination
//! line together from two source rows.
//!
//! ```text
//!   src rows a to d, cell r          dst row r
//!
//!     ar | br    cr | dr     ->      ar | br    cr | dr
//! ```

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_castsi128_si256, _mm256_inserti128_si256, _mm256_storeu_si256,
};

use super::lines::Lines;
use super::walk::{RegisterTile, alone, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 4;

/// Cell `i` of source rows `first` and the next.
///
/// # Safety
/// - Shape: the two lines exist.
/// - Range: cell `i` of both can be read.
/// - ISA: AVX2.
#[inline(always)]
pub(super) unsafe fn half(src: impl Lines, first: usize, i: usize) -> __m256i {
    // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
    unsafe {
        let low = _mm_loadu_si128(src.at(first).wrapping_add(16 * i).cast());
        let high = _mm_loadu_si128(src.at(first + 1).wrapping_add(16 * i).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

#[derive(Clone, Copy)]
struct Tile4x4;

impl RegisterTile for Tile4x4 {
    const CELL: usize = 16;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for i in 0..N {
            // SAFETY: shape: lines 0..4 exist on both sides; range: cell i of a source line, and
            // cells 0..4 of a destination line, two registers; aliasing: the sides do not overlap,
            // so a later row reads what it would have read before the first store; alignment:
            // unaligned stores; ISA: the caller has AVX2.
            unsafe {
                let to = dst.at(i);
                _mm256_storeu_si256(to.cast(), half(src, 0, i));
                _mm256_storeu_si256(to.wrapping_add(32).cast(), half(src, 2, i));
            }
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn tiles(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes 16-byte cells and panels of 4 rows and columns or more; ISA:
    // AVX2 is enabled here.
    unsafe { walk(panel, Tile4x4) }
}

/// # Safety
/// As [`alone`], with this tile; AVX2.
#[target_feature(enable = "avx2")]
unsafe fn one(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on; ISA: enabled here.
    unsafe { alone(Tile4x4, src, dst) }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-16-avx2-4x4",
    family: Family::Transpose,
    cell: CellSize::Exact(16),
    isa: Isa::Avx2,
    tile: Tile { rows: N, cols: N },
    needs: |ask| ask.rows >= N && ask.cols >= N,
    call: Call::Tiles { call: tiles, one },
}];
