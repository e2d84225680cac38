//! `transpose` with AVX2: 2-byte cells in tiles of 8x16, and of 4x4 where panels are narrower.
//!
//! As for single bytes, a register is 16 bytes of each of two source rows, here eight rows apart; what
//! is left are two independent 8x8 transpositions, one in each lane: three perfect shuffles, 24 in all
//! for 8 rows.
//!
//! ```text
//!   register i: cells 0..8 of rows i and i + 8           register j: dst row j
//!
//!     row 0  | row 8                                        cells 0..16
//!     row 1  | row 9                      ->                of source rows
//!     ..                                                    0..16
//!     row 7  | row 15
//! ```

use core::arch::x86_64::{
    __m256i, _mm_unpackhi_epi16, _mm_unpacklo_epi16, _mm256_storeu_si256, _mm256_unpackhi_epi16,
    _mm256_unpacklo_epi16,
};

use super::avx2_one::{eight, halves, has, row, store_halves};
use super::far::ways_of_avx2;
use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk};
use crate::panel::Panel;
use crate::row::{Call, Row};

/// Cells of 16 bytes: registers of a tile.
const R: usize = 8;
/// Cells of a register.
const N: usize = 16;

/// A perfect shuffle of the registers, in each lane. Written out: a loop over sixteen registers goes
/// through the stack, with calls of the memory copy.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn stage(a: [__m256i; R]) -> [__m256i; R] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        [
            _mm256_unpacklo_epi16(a[0], a[4]),
            _mm256_unpackhi_epi16(a[0], a[4]),
            _mm256_unpacklo_epi16(a[1], a[5]),
            _mm256_unpackhi_epi16(a[1], a[5]),
            _mm256_unpacklo_epi16(a[2], a[6]),
            _mm256_unpackhi_epi16(a[2], a[6]),
            _mm256_unpacklo_epi16(a[3], a[7]),
            _mm256_unpackhi_epi16(a[3], a[7]),
        ]
    }
}

/// Transposes `R` by `R` cells in each lane.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn transposed(rows: [__m256i; R]) -> [__m256i; R] {
    // SAFETY: ISA: the caller's.
    unsafe { stage(stage(stage(rows))) }
}

/// Cells `first ..` of destination rows `R * block ..`, `N` of each of `R`: from source rows `first`
/// to `first + N - 1`.
///
/// # Safety
/// As [`halves`], for rows from `first` to `first + R - 1`.
#[inline(always)]
pub(super) unsafe fn rows(src: impl Lines, first: usize, block: usize) -> [__m256i; R] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        transposed([
            halves::<R>(src, first, block),
            halves::<R>(src, first + 1, block),
            halves::<R>(src, first + 2, block),
            halves::<R>(src, first + 3, block),
            halves::<R>(src, first + 4, block),
            halves::<R>(src, first + 5, block),
            halves::<R>(src, first + 6, block),
            halves::<R>(src, first + 7, block),
        ])
    }
}

/// A whole tile.
#[derive(Clone, Copy)]
pub(super) struct Whole;

impl RegisterTile for Whole {
    const CELL: usize = 2;
    const SIDE: usize = N;

    #[inline(always)]
    fn rows(self) -> usize {
        R
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..N of the source exist, and 0..R of the destination; range: R cells
        // of a source line are 16 bytes, N cells of a destination line a register; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned stores;
        // ISA: the caller has AVX2.
        unsafe {
            let rows = rows(src, 0, 0);
            for (i, row) in rows.iter().enumerate() {
                _mm256_storeu_si256(dst.at(i).cast(), *row);
            }
        }
    }
}

/// Four rows of four cells.
#[derive(Clone, Copy)]
struct Four;

impl RegisterTile for Four {
    const CELL: usize = 2;
    const SIDE: usize = 4;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..4 exist on both sides; range: 4 cells are 8 bytes; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned accesses;
        // ISA: part of SSE2.
        unsafe {
            let even = _mm_unpacklo_epi16(eight(src, 0), eight(src, 2));
            let odd = _mm_unpacklo_epi16(eight(src, 1), eight(src, 3));
            store_halves(_mm_unpacklo_epi16(even, odd), dst, 0);
            store_halves(_mm_unpackhi_epi16(even, odd), dst, 2);
        }
    }
}

ways_of_avx2!(tiles, Whole, walk, walk);

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fours(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes 2-byte cells and panels of 4 rows and columns or more; ISA:
    // AVX2 is enabled here.
    unsafe { walk(panel, Four) }
}

of_tile!(one, strips, "avx2", Whole);

/// Where the portable tile fits, it stands before the smaller ones here.
pub(super) static ROWS: &[Row] = &[
    row(
        "transpose-2-avx2-8x16",
        2,
        (R, N),
        |ask| ask.rows >= R && ask.cols >= N,
        Call::Tiles {
            call: tiles,
            one,
            strips,
        },
    ),
    row(
        "transpose-2-avx2-4x4",
        2,
        (4, 4),
        |ask| has(ask, 4) && !has(ask, R),
        Call::Cached(fours),
    ),
];
