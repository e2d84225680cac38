//! `transpose` with AVX2: 8-byte cells in tiles of 4x4.
//!
//! As for 4-byte cells, a register is halves of two source rows, here every second one, put together
//! by an insert from memory; what is left are 2x2 transpositions in each half:
//!
//! ```text
//!   pair p: cells 2p, 2p + 1 of rows a to d         dst rows 2p, 2p + 1
//!
//!     a0 a1 | c0 c1                                   a0 b0 | c0 d0
//!     b0 b1 | d0 d1                          ->       a1 b1 | c1 d1
//! ```

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_castsi128_si256, _mm256_inserti128_si256, _mm256_storeu_si256,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

use super::far::ways_of_avx2;
use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk_far, walk_near};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 4;

/// Cells `2 * pair` and the next of source rows `i` (low lane) and `i + 2` (high lane).
///
/// # Safety
/// - Shape: lines `i` and `i + 2` exist.
/// - Range: the two cells can be read in both.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn halves(src: impl Lines, i: usize, pair: usize) -> __m256i {
    // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
    unsafe {
        let low = _mm_loadu_si128(src.at(i).wrapping_add(16 * pair).cast());
        let high = _mm_loadu_si128(src.at(i + 2).wrapping_add(16 * pair).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// Cells `first ..` of destination rows `2 * pair` and the next, four of each: from source rows
/// `first` to `first + 3`.
///
/// # Safety
/// As [`halves`], for `i` of `first` and `first + 1`.
#[inline(always)]
pub(crate) unsafe fn two_rows(src: impl Lines, first: usize, pair: usize) -> [__m256i; 2] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let (even, odd) = (halves(src, first, pair), halves(src, first + 1, pair));
        [
            _mm256_unpacklo_epi64(even, odd),
            _mm256_unpackhi_epi64(even, odd),
        ]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Tile4x4;

impl RegisterTile for Tile4x4 {
    const CELL: usize = 8;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for pair in 0..2 {
            // SAFETY: shape: lines 0..4 exist on both sides; range: pairs 0 and 1 are cells 0..4 of
            // a source line, a register is cells 0..4 of a destination line; aliasing: the sides do
            // not overlap, so pair 1 reads what it would have read before the first store;
            // alignment: unaligned stores; ISA: the caller has AVX2.
            unsafe {
                for (i, row) in two_rows(src, 0, pair).into_iter().enumerate() {
                    _mm256_storeu_si256(dst.at(2 * pair + i).cast(), row);
                }
            }
        }
    }

    const BLOCK: usize = 2;

    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 4 lines of src and 2 of dst exist; range: the first pair is cells 0 and 1 of a source
        // line; the rest as above.
        unsafe {
            for (i, row) in two_rows(src, 0, 0).into_iter().enumerate() {
                _mm256_storeu_si256(dst.at(i).cast(), row);
            }
        }
    }
}

ways_of_avx2!(tiles, Tile4x4, walk_near, walk_far);

of_tile!(one, strips, "avx2", Tile4x4);

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-8-avx2-4x4",
    family: Family::Transpose,
    cell: CellSize::Exact(8),
    isa: Isa::Avx2,
    tile: Tile { rows: N, cols: N },
    needs: |ask| ask.rows >= N && ask.cols >= N,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
