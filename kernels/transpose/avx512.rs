//! `transpose` with AVX-512: 4-byte cells in tiles of 16x16, edges by masks.
//!
//! **Halves.** A whole tile is moved in two halves, eight destination rows each. A register is half
//! of two source rows, eight rows apart, put together by an insert from memory; four independent 4x4
//! transpositions in its quarters are left, and a permutation that brings the quarters of two
//! registers together: 48 shuffles a tile, where sixteen whole rows need 64, and as many loads.
//!
//! ```text
//!   register i: cells 0..8 of rows i and i + 8
//!
//!     a0 a1 a2 a3 | a4 a5 a6 a7 | i0 .. | i4 ..         a0 b0 c0 d0 | a4 b4 c4 d4 | i0 .. | i4 ..
//!     b0 b1 b2 b3 | b4 b5 b6 b7 | j0 .. | j4 ..   ->    a1 b1 c1 d1 | a5 b5 c5 d5 | i1 .. | i5 ..
//!     c0 c1 c2 c3 | c4 c5 c6 c7 | k0 .. | k4 ..         a2 b2 c2 d2 | a6 b6 c6 d6 | i2 .. | i6 ..
//!     d0 d1 d2 d3 | d4 d5 d6 d7 | l0 .. | l4 ..         a3 b3 c3 d3 | a7 b7 c7 d7 | i3 .. | i7 ..
//!
//!   with the same of rows e to h and m to p:      a0 b0 c0 d0 | e0 f0 g0 h0 | i0 .. | m0 ..
//! ```
//!
//! **Quarters.** Where four destination rows are wanted at a time (streaming, masks), a register is
//! quarters of four source rows, four apart, by inserts from memory, and nothing is left to bring
//! together. The compiler makes pairs of the inserts and joins two pairs by one more shuffle, 48 in
//! all; true inserts or masked broadcasts keep it at 32 and are no faster, as every one of them waits
//! for the ports of the shuffles. f32 64x64 at 4 GHz, the loops unrolled: 188 ns by halves, 199 by
//! quarters, 205 with true inserts, 208 with broadcasts; 250 by AVX2.
//!
//! Panels of 16 rows and columns or more consist of whole tiles (the last one overlaps). In smaller
//! ones every tile has the same masks: cells beyond the panel are masked out of loads and stores,
//! which never fault there, and source rows beyond it are the last one again, of which nothing is
//! stored.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm_maskz_loadu_epi32, _mm256_loadu_si256,
    _mm512_castsi128_si512, _mm512_castsi256_si512, _mm512_inserti32x4, _mm512_inserti64x4,
    _mm512_mask_storeu_epi32, _mm512_permutex2var_epi64, _mm512_setr_epi64, _mm512_storeu_si512,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::avx512_square::Sixteen;
use super::far::{self, ways};
use super::lines::{Clamped, Lines};
use super::strips::of_tile;
use super::walk::{RegisterTile, walk, walk_far, walk_near};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Rows and columns of the tile.
const N: usize = 16;

/// Cells `4 * quarter ..` of source row `line`; only those whose bit in `mask` is set, if there is
/// one. A function, because a closure called from several places is not inlined for sure.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: those cells, or of those the ones that the mask names, can be read.
/// - ISA: AVX-512 F and VL.
#[inline(always)]
unsafe fn four_cells(src: impl Lines, line: usize, quarter: usize, mask: Option<u8>) -> __m128i {
    // SAFETY: shape, range and ISA are the caller's; masked-out cells are not accessed; alignment:
    // unaligned loads.
    unsafe {
        let start = src.at(line).wrapping_add(16 * quarter);
        match mask {
            None => _mm_loadu_si128(start.cast()),
            Some(mask) => _mm_maskz_loadu_epi32(mask, start.cast()),
        }
    }
}

/// Cells `4 * quarter ..` of source rows `i`, `i + 4`, `i + 8` and `i + 12`, one in each lane; only
/// the cells whose bit in `mask` is set, if there is one.
///
/// # Safety
/// - Shape: the four lines exist.
/// - Range: those cells, or of those the ones that the mask names, can be read in all four.
/// - ISA: AVX-512 F and VL.
#[inline(always)]
unsafe fn quarters(src: impl Lines, i: usize, quarter: usize, mask: Option<u8>) -> __m512i {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let register = _mm512_castsi128_si512(four_cells(src, i, quarter, mask));
        let register = _mm512_inserti32x4::<1>(register, four_cells(src, i + 4, quarter, mask));
        let register = _mm512_inserti32x4::<2>(register, four_cells(src, i + 8, quarter, mask));
        _mm512_inserti32x4::<3>(register, four_cells(src, i + 12, quarter, mask))
    }
}

/// Transposes 4x4 cells in each lane.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
pub(super) unsafe fn transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab_low, cd_low),
            _mm512_unpackhi_epi64(ab_low, cd_low),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

/// Destination rows `4 * quarter ..` of a tile.
///
/// # Safety
/// As [`quarters`], for `i` from 0 to 3.
#[inline(always)]
pub(super) unsafe fn four_rows(src: impl Lines, quarter: usize, mask: Option<u8>) -> [__m512i; 4] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        transposed([
            quarters(src, 0, quarter, mask),
            quarters(src, 1, quarter, mask),
            quarters(src, 2, quarter, mask),
            quarters(src, 3, quarter, mask),
        ])
    }
}

/// Cells `8 * half ..` of source rows `i` (low half) and `i + 8` (high half).
///
/// # Safety
/// - Shape: both lines exist.
/// - Range: those eight cells can be read in both.
/// - ISA: AVX-512 F and VL.
#[inline(always)]
unsafe fn halves(src: impl Lines, i: usize, half: usize) -> __m512i {
    // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
    unsafe {
        let low = _mm256_loadu_si256(src.at(i).wrapping_add(32 * half).cast());
        let high = _mm256_loadu_si256(src.at(i + 8).wrapping_add(32 * half).cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

/// Destination rows `8 * half ..` of a tile.
///
/// # Safety
/// As [`halves`], for `i` from 0 to 7.
#[inline(always)]
pub(crate) unsafe fn eight_rows(src: impl Lines, half: usize) -> [__m512i; 8] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        let first = transposed([
            halves(src, 0, half),
            halves(src, 1, half),
            halves(src, 2, half),
            halves(src, 3, half),
        ]);
        let second = transposed([
            halves(src, 4, half),
            halves(src, 5, half),
            halves(src, 6, half),
            halves(src, 7, half),
        ]);
        let mut rows = [first[0]; 8];
        for i in 0..4 {
            rows[i] = _mm512_permutex2var_epi64(first[i], even, second[i]);
            rows[4 + i] = _mm512_permutex2var_epi64(first[i], odd, second[i]);
        }
        rows
    }
}

/// A whole tile.
#[derive(Clone, Copy)]
pub(super) struct Tile16x16;

impl RegisterTile for Tile16x16 {
    const CELL: usize = 4;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for half in 0..2 {
            // SAFETY: shape: lines 0..16 exist on both sides; range: halves 0 and 1 are cells 0..16
            // of a source line, a register is cells 0..16 of a destination line; aliasing: the
            // sides do not overlap, so half 1 reads what it would have read before the first store;
            // alignment: unaligned stores; ISA: the caller has AVX-512 F and VL.
            unsafe {
                for (i, row) in eight_rows(src, half).into_iter().enumerate() {
                    _mm512_storeu_si512(dst.at(8 * half + i).cast(), row);
                }
            }
        }
    }

    const BLOCK: usize = 4;

    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 16 lines of src and 4 of dst exist; range: the first quarter is cells 0..4 of a source
        // line; the rest as above.
        unsafe {
            for (i, row) in four_rows(src, 0, None).into_iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), row);
            }
        }
    }
}

/// A tile of 1 to 16 rows and columns.
#[derive(Clone, Copy)]
struct Masked {
    rows: usize,
    cols: usize,
}

impl RegisterTile for Masked {
    const CELL: usize = 4;
    const SIDE: usize = N;

    #[inline(always)]
    fn rows(self) -> usize {
        self.rows
    }

    #[inline(always)]
    fn cols(self) -> usize {
        self.cols
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let src = Clamped {
            lines: src,
            last: self.cols - 1,
        };
        let stored = 0xffff_u16 >> (N - self.cols);
        for quarter in 0..self.rows.div_ceil(4) {
            let rows = 4.min(self.rows - 4 * quarter);
            let loaded = 0xf_u8 >> (4 - rows);
            // SAFETY: shape: source lines are clamped to those that exist, destination lines are
            // taken below rows; range: `loaded` names the cells below rows of a source line,
            // `stored` those below cols of a destination line; aliasing: the sides do not overlap,
            // so a later quarter reads what it would have read before the first store; alignment:
            // unaligned accesses; ISA: the caller has AVX-512 F and VL.
            unsafe {
                let registers = four_rows(src, quarter, Some(loaded));
                for (i, row) in registers.into_iter().enumerate().take(rows) {
                    _mm512_mask_storeu_epi32(dst.at(4 * quarter + i).cast(), stored, row);
                }
            }
        }
    }
}

ways!(
    whole, "avx512f,avx512vl", |panel|
    near walk_near(panel, Tile16x16);
    or far::by_stage::<__m512i, _>(panel, Sixteen);
    or far::by_squares(panel, Sixteen);
    else walk_far(panel, Tile16x16)
);

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn tiles(panel: &Panel<'_>) {
    let (rows, cols) = (panel.rows.min(N), panel.cols.min(N));
    if rows == N && cols == N {
        // SAFETY: passed on: the panel has a whole tile.
        unsafe { whole(panel) }
    } else if rows > 0 && cols > 0 {
        // SAFETY: passed on: the row takes 4-byte cells, and the tile is not larger than the panel;
        // ISA: AVX-512 F and VL are enabled here.
        unsafe { walk(panel, Masked { rows, cols }) }
    }
}

/// All panels but those whose destination rows are shorter than the tile and that a smaller tile
/// fits: there most of each store would be masked out, and the portable 4x4 tile takes 0.24 ns a
/// cell instead of 0.59 (8x8), 0.14 instead of 0.23 (1000x8). Panels of fewer than 4 rows or columns
/// have only the scalar row beside this one: 0.41 ns instead of 0.14 (3x1000), 0.90 instead of 0.53
/// (1000x3).
fn takes(ask: &Ask) -> bool {
    ask.cols >= N || ask.cols < 4 || ask.rows < 4
}

of_tile!(one, strips, "avx512f,avx512vl", Tile16x16);

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-4-avx512-16x16",
    family: Family::Transpose,
    cell: CellSize::Exact(4),
    isa: Isa::Avx512,
    tile: Tile { rows: N, cols: N },
    needs: takes,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
