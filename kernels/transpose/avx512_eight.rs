//! `transpose` with AVX-512: 8-byte cells in tiles of 8x8.
//!
//! As for 4-byte cells, a register is quarters of four source rows, here every second one, put
//! together by inserts from memory; what is left are 2x2 transpositions in each quarter:
//!
//! ```text
//!   pair p: cells 2p, 2p + 1 of rows a to h         dst rows 2p, 2p + 1
//!
//!     a0 a1 | c0 c1 | e0 e1 | g0 g1                   a0 b0 | c0 d0 | e0 f0 | g0 h0
//!     b0 b1 | d0 d1 | f0 f1 | h0 h1          ->       a1 b1 | c1 d1 | e1 f1 | g1 h1
//! ```

use core::arch::x86_64::{
    __m128i, __m512i, _mm_castpd_si128, _mm_castsi128_pd, _mm_loadh_pd, _mm_loadl_epi64,
    _mm_loadu_si128, _mm512_castsi128_si512, _mm512_inserti32x4, _mm512_storeu_si512,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use super::avx512_square::Eight;
use super::far::{self, ways};
use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk_far, walk_near};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 8;

/// Cells `2 * pair` and the next of source row `line`.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: the two cells can be read.
#[inline(always)]
unsafe fn two_cells(src: impl Lines, line: usize, pair: usize) -> __m128i {
    // SAFETY: shape and range are the caller's; alignment: an unaligned load; ISA: part of SSE2.
    unsafe { _mm_loadu_si128(src.at(line).wrapping_add(16 * pair).cast()) }
}

/// Cells `2 * pair` and the next of source rows `i`, `i + 2`, `i + 4` and `i + 6`.
///
/// # Safety
/// - Shape: the four lines exist.
/// - Range: the two cells can be read in each.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn quarters(src: impl Lines, i: usize, pair: usize) -> __m512i {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let register = _mm512_castsi128_si512(two_cells(src, i, pair));
        let register = _mm512_inserti32x4::<1>(register, two_cells(src, i + 2, pair));
        let register = _mm512_inserti32x4::<2>(register, two_cells(src, i + 4, pair));
        _mm512_inserti32x4::<3>(register, two_cells(src, i + 6, pair))
    }
}

/// Destination rows `2 * pair` and the next of a tile.
///
/// # Safety
/// As [`quarters`], for `i` from 0 to 1.
#[inline(always)]
pub(crate) unsafe fn two_rows(src: impl Lines, pair: usize) -> [__m512i; 2] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let (even, odd) = (quarters(src, 0, pair), quarters(src, 1, pair));
        [
            _mm512_unpacklo_epi64(even, odd),
            _mm512_unpackhi_epi64(even, odd),
        ]
    }
}

/// A cell of each of eight source rows.
///
/// # Safety
/// - Shape: lines 0 to 7 exist.
/// - Range: a cell can be read at each.
/// - ISA: AVX-512 F.
#[inline(always)]
pub(super) unsafe fn cells(src: impl Lines) -> __m512i {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let register = _mm512_castsi128_si512(cell_pair(src, 0));
        let register = _mm512_inserti32x4::<1>(register, cell_pair(src, 2));
        let register = _mm512_inserti32x4::<2>(register, cell_pair(src, 4));
        _mm512_inserti32x4::<3>(register, cell_pair(src, 6))
    }
}

/// A cell of source row `i` and one of the next.
///
/// # Safety
/// - Shape: the two lines exist.
/// - Range: a cell can be read at each.
#[inline(always)]
unsafe fn cell_pair(src: impl Lines, i: usize) -> __m128i {
    // SAFETY: shape and range are the caller's; alignment: unaligned loads; ISA: part of SSE2.
    unsafe {
        let first = _mm_castsi128_pd(_mm_loadl_epi64(src.at(i).cast()));
        _mm_castpd_si128(_mm_loadh_pd(first, src.at(i + 1).cast()))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Tile8x8;

impl RegisterTile for Tile8x8 {
    const CELL: usize = 8;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for pair in 0..4 {
            // SAFETY: shape: lines 0..8 exist on both sides; range: pairs 0..4 are cells 0..8 of a
            // source line, a register is cells 0..8 of a destination line; aliasing: the sides do
            // not overlap, so a later pair reads what it would have read before the first store;
            // alignment: unaligned stores; ISA: the caller has AVX-512 F.
            unsafe {
                for (i, row) in two_rows(src, pair).into_iter().enumerate() {
                    _mm512_storeu_si512(dst.at(2 * pair + i).cast(), row);
                }
            }
        }
    }

    const BLOCK: usize = 2;

    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 8 lines of src and 2 of dst exist; range: the first pair is cells 0 and 1 of a source
        // line; the rest as above.
        unsafe {
            for (i, row) in two_rows(src, 0).into_iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), row);
            }
        }
    }
}

ways!(
    tiles, "avx512f,avx512vl", |panel|
    near walk_near(panel, Tile8x8);
    or far::by_stage::<__m512i, _>(panel, Eight);
    or far::by_squares(panel, Eight);
    else walk_far(panel, Tile8x8)
);

of_tile!(one, strips, "avx512f,avx512vl", Tile8x8);

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-8-avx512-8x8",
    family: Family::Transpose,
    cell: CellSize::Exact(8),
    isa: Isa::Avx512,
    tile: Tile { rows: N, cols: N },
    needs: |ask| ask.rows >= N && ask.cols >= N,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
