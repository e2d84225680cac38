//! `transpose` with AVX2: 4-byte cells in tiles of 8x8.
//!
//! A register is not one source row but halves of two, four rows apart, which the load ports put
//! together (a 128-bit insert from memory needs no shuffle port). What is left are two independent
//! 4x4 transpositions in each half: 16 shuffles in all, where eight whole rows need 24.
//!
//! ```text
//!   register i, cells 0..4 of rows i and i + 4        after the shuffles: dst rows 0..4
//!
//!     a0 a1 a2 a3 | e0 e1 e2 e3                         a0 b0 c0 d0 | e0 f0 g0 h0
//!     b0 b1 b2 b3 | f0 f1 f2 f3            ->           a1 b1 c1 d1 | e1 f1 g1 h1
//!     c0 c1 c2 c3 | g0 g1 g2 g3                         a2 b2 c2 d2 | e2 f2 g2 h2
//!     d0 d1 d2 d3 | h0 h1 h2 h3                         a3 b3 c3 d3 | e3 f3 g3 h3
//!
//!   and the same with cells 4..8, for dst rows 4..8
//! ```

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_castsi128_si256, _mm256_inserti128_si256, _mm256_storeu_si256,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::far::ways_of_avx2;
use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk_far, walk_near};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Tile8x8;

/// Cells `4 * half ..` of source rows `i` (low lane) and `i + 4` (high lane).
///
/// # Safety
/// - Shape: lines `i` and `i + 4` exist.
/// - Range: cells `4 * half .. 4 * half + 4` of both can be read.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn halves(src: impl Lines, i: usize, half: usize) -> __m256i {
    // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
    unsafe {
        let low = _mm_loadu_si128(src.at(i).wrapping_add(16 * half).cast());
        let high = _mm_loadu_si128(src.at(i + 4).wrapping_add(16 * half).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// Transposes 4x4 cells in each lane.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
pub(super) unsafe fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab_low, cd_low),
            _mm256_unpackhi_epi64(ab_low, cd_low),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

/// Cells `first ..` of destination rows `4 * half ..`, eight of each of four: from source rows
/// `first` to `first + 7`.
///
/// # Safety
/// As [`halves`], for `i` from `first` to `first + 3`.
#[inline(always)]
pub(crate) unsafe fn four_rows(src: impl Lines, first: usize, half: usize) -> [__m256i; 4] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        transposed([
            halves(src, first, half),
            halves(src, first + 1, half),
            halves(src, first + 2, half),
            halves(src, first + 3, half),
        ])
    }
}

impl RegisterTile for Tile8x8 {
    const CELL: usize = 4;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for half in 0..2 {
            // SAFETY: shape: lines 0..8 exist on both sides; range: halves 0 and 1 are cells 0..8
            // of a source line, a register is cells 0..8 of a destination line; aliasing: the sides
            // do not overlap, so half 1 reads what it would have read before the first store;
            // alignment: unaligned stores; ISA: the caller has AVX2.
            unsafe {
                for (i, row) in four_rows(src, 0, half).into_iter().enumerate() {
                    _mm256_storeu_si256(dst.at(4 * half + i).cast(), row);
                }
            }
        }
    }

    const BLOCK: usize = 4;

    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 8 lines of src and 4 of dst exist; range: the first half is cells 0..4 of a source line;
        // the rest as above.
        unsafe {
            for (i, row) in four_rows(src, 0, 0).into_iter().enumerate() {
                _mm256_storeu_si256(dst.at(i).cast(), row);
            }
        }
    }
}

ways_of_avx2!(tiles, Tile8x8, walk_near, walk_far);

of_tile!(one, strips, "avx2", Tile8x8);

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-4-avx2-8x8",
    family: Family::Transpose,
    cell: CellSize::Exact(4),
    isa: Isa::Avx2,
    tile: Tile { rows: N, cols: N },
    needs: |ask| ask.rows >= N && ask.cols >= N,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
