//! `transpose` with AVX2: 1-byte cells in tiles of 16x32, and of 8x8 and 4x4 where panels are narrower.
//!
//! A register is 16 bytes of each of two source rows, sixteen rows apart, which the load ports put
//! together. What is left are two independent 16x16 transpositions, one in each lane: four perfect
//! shuffles, as drawn in `portable`, 64 in all for 16 rows.
//!
//! ```text
//!   register i: cells 0..16 of rows i and i + 16         register j: dst row j
//!
//!     row 0  | row 16                                       cells 0..32
//!     row 1  | row 17                     ->                of source rows
//!     ..                                                    0..32
//!     row 15 | row 31
//! ```
//!
//! The smaller tiles are halves and quarters of 128-bit registers: eight rows of 8 bytes are three
//! interleaves, four rows of 4 bytes one byte permute.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si32, _mm_extract_epi32, _mm_loadl_epi64, _mm_loadu_si128,
    _mm_setr_epi8, _mm_setr_epi32, _mm_shuffle_epi8, _mm_storel_epi64, _mm_unpackhi_epi8,
    _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm256_castsi128_si256, _mm256_inserti128_si256,
    _mm256_storeu_si256, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16,
};

use super::avx2::transposed;
use super::far::ways_of_avx2;
use super::lines::Lines;
use super::strips::of_tile;
use super::walk::{RegisterTile, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Cells of 16 bytes: registers of a tile.
const R: usize = 16;
/// Cells of a register.
const N: usize = 32;

/// 16 bytes of source rows `row` (low lane) and `row + APART` (high lane), the `block`-th of each.
///
/// # Safety
/// - Shape: the two lines exist.
/// - Range: those bytes of both can be read.
/// - ISA: AVX2.
#[inline(always)]
pub(super) unsafe fn halves<const APART: usize>(
    src: impl Lines,
    row: usize,
    block: usize,
) -> __m256i {
    // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
    unsafe {
        let low = _mm_loadu_si128(src.at(row).wrapping_add(16 * block).cast());
        let high = _mm_loadu_si128(src.at(row + APART).wrapping_add(16 * block).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// Words of four cells, one of each of the source rows from `row` on, and in the high lanes of those sixteen further
/// on: register `i` has those of destination rows `R * block + 4 * i` to the third after that.
///
/// # Safety
/// As [`halves`], for rows from `row` to `row + 3`.
#[inline(always)]
unsafe fn words(src: impl Lines, row: usize, block: usize) -> [__m256i; 4] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let (a, b) = (
            halves::<R>(src, row, block),
            halves::<R>(src, row + 1, block),
        );
        let (c, d) = (
            halves::<R>(src, row + 2, block),
            halves::<R>(src, row + 3, block),
        );
        let (ab_low, ab_high) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi8(c, d), _mm256_unpackhi_epi8(c, d));
        [
            _mm256_unpacklo_epi16(ab_low, cd_low),
            _mm256_unpackhi_epi16(ab_low, cd_low),
            _mm256_unpacklo_epi16(ab_high, cd_high),
            _mm256_unpackhi_epi16(ab_high, cd_high),
        ]
    }
}

/// Cells `first ..` of destination rows `R * block + 4 * i` to the third after that, `N` of each, for an `i` below four,
/// of the words of source rows `first` to `first + N - 1`, four by four.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn four([a, b, c, d]: &[[__m256i; 4]; 4], i: usize) -> [__m256i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe { transposed([a[i], b[i], c[i], d[i]]) }
}

/// All [`words`] from source row `first` to `first + N - 1`.
///
/// Four source rows are done with before the next are loaded, so all but one or two values stay in registers. Ns in the
/// first-level cache, all rows step by step and so (2-core server VM, Zen 3): 64x64 145 and 120.
///
/// # Safety
/// As [`halves`], for rows from `first` to `first + R - 1`.
#[inline(always)]
unsafe fn all_words(src: impl Lines, first: usize, block: usize) -> [[__m256i; 4]; 4] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        [
            words(src, first, block),
            words(src, first + 4, block),
            words(src, first + 8, block),
            words(src, first + 12, block),
        ]
    }
}

/// Cells `first ..` of destination rows `R * block ..`, `N` of each of `R`: from source rows `first` to `first + N - 1`.
///
/// # Safety
/// As [`all_words`].
#[inline(always)]
pub(super) unsafe fn rows(src: impl Lines, first: usize, block: usize) -> [__m256i; R] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let words = all_words(src, first, block);
        // Written out: a loop over sixteen registers goes through the stack, with calls of the memory copy.
        let [a, b] = [four(&words, 0), four(&words, 1)];
        let [c, d] = [four(&words, 2), four(&words, 3)];
        [
            a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3], d[0], d[1],
            d[2], d[3],
        ]
    }
}

/// A whole tile.
#[derive(Clone, Copy)]
pub(super) struct Whole;

impl RegisterTile for Whole {
    const CELL: usize = 1;
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
            let words = all_words(src, 0, 0);
            for i in 0..4 {
                for (j, row) in four(&words, i).into_iter().enumerate() {
                    _mm256_storeu_si256(dst.at(4 * i + j).cast(), row);
                }
            }
        }
    }
}

/// Stores the halves of a register, 8 bytes each, to two lines.
///
/// # Safety
/// - Shape: lines `i` and `i + 1` exist.
/// - Range: 8 bytes can be written at both.
/// - Alignment: none.
#[inline(always)]
pub(super) unsafe fn store_halves(two: __m128i, dst: impl Lines, i: usize) {
    // SAFETY: shape and range are the caller's; ISA: part of SSE2.
    unsafe {
        _mm_storel_epi64(dst.at(i).cast(), two);
        _mm_storel_epi64(dst.at(i + 1).cast(), _mm_unpackhi_epi64(two, two));
    }
}

/// 8 bytes of a line.
///
/// # Safety
/// - Shape: line `i` exists.
/// - Range: 8 bytes can be read there.
/// - Alignment: none.
#[inline(always)]
pub(super) unsafe fn eight(src: impl Lines, i: usize) -> __m128i {
    // SAFETY: shape and range are the caller's; ISA: part of SSE2.
    unsafe { _mm_loadl_epi64(src.at(i).cast()) }
}

/// Eight rows of eight cells.
#[derive(Clone, Copy)]
pub(super) struct Eight;

impl RegisterTile for Eight {
    const CELL: usize = 1;
    const SIDE: usize = 8;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..8 exist on both sides; range: 8 cells are 8 bytes; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned accesses;
        // ISA: part of SSE2.
        unsafe {
            // Rows i and i + 4 side by side.
            let a = _mm_unpacklo_epi8(eight(src, 0), eight(src, 4));
            let b = _mm_unpacklo_epi8(eight(src, 1), eight(src, 5));
            let c = _mm_unpacklo_epi8(eight(src, 2), eight(src, 6));
            let d = _mm_unpacklo_epi8(eight(src, 3), eight(src, 7));
            // Rows i, i + 2, i + 4 and i + 6, cells 0..4 and 4..8.
            let (even_low, even_high) = (_mm_unpacklo_epi8(a, c), _mm_unpackhi_epi8(a, c));
            let (odd_low, odd_high) = (_mm_unpacklo_epi8(b, d), _mm_unpackhi_epi8(b, d));
            store_halves(_mm_unpacklo_epi8(even_low, odd_low), dst, 0);
            store_halves(_mm_unpackhi_epi8(even_low, odd_low), dst, 2);
            store_halves(_mm_unpacklo_epi8(even_high, odd_high), dst, 4);
            store_halves(_mm_unpackhi_epi8(even_high, odd_high), dst, 6);
        }
    }
}

/// Four rows of four cells.
#[derive(Clone, Copy)]
struct Four;

impl RegisterTile for Four {
    const CELL: usize = 1;
    const SIDE: usize = 4;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..4 exist on both sides; range: 4 cells are 4 bytes; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned accesses;
        // ISA: the caller has AVX2.
        unsafe {
            let rows = _mm_setr_epi32(
                src.at(0).cast::<i32>().read_unaligned(),
                src.at(1).cast::<i32>().read_unaligned(),
                src.at(2).cast::<i32>().read_unaligned(),
                src.at(3).cast::<i32>().read_unaligned(),
            );
            let order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            let rows = _mm_shuffle_epi8(rows, order);
            let lines = [
                _mm_cvtsi128_si32(rows),
                _mm_extract_epi32::<1>(rows),
                _mm_extract_epi32::<2>(rows),
                _mm_extract_epi32::<3>(rows),
            ];
            for (i, line) in lines.into_iter().enumerate() {
                dst.at(i).cast::<i32>().write_unaligned(line);
            }
        }
    }
}

ways_of_avx2!(tiles, Whole, walk, walk);

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn eights(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes 1-byte cells and panels of 8 rows and columns or more; ISA:
    // AVX2 is enabled here.
    unsafe { walk(panel, Eight) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fours(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes 1-byte cells and panels of 4 rows and columns or more; ISA:
    // AVX2 is enabled here.
    unsafe { walk(panel, Four) }
}

of_tile!(one, strips, "avx2", Whole);

/// Whether a panel has `side` rows and columns.
pub(super) fn has(ask: &Ask, side: usize) -> bool {
    ask.rows >= side && ask.cols >= side
}

/// A row of cells of so many bytes, with tiles of so many rows and columns.
pub(super) const fn row(
    name: &'static str,
    cell: usize,
    (rows, cols): (usize, usize),
    needs: fn(&Ask) -> bool,
    call: Call,
) -> Row {
    Row {
        name,
        family: Family::Transpose,
        cell: CellSize::Exact(cell),
        isa: Isa::Avx2,
        tile: Tile { rows, cols },
        needs,
        call,
    }
}

/// Where the portable tile fits, it stands before the smaller ones here.
pub(super) static ROWS: &[Row] = &[
    row(
        "transpose-1-avx2-16x32",
        1,
        (R, N),
        |ask| ask.rows >= R && ask.cols >= N,
        Call::Tiles {
            call: tiles,
            one,
            strips,
        },
    ),
    row(
        "transpose-1-avx2-8x8",
        1,
        (8, 8),
        |ask| has(ask, 8) && !has(ask, R),
        Call::Cached(eights),
    ),
    row(
        "transpose-1-avx2-4x4",
        1,
        (4, 4),
        |ask| has(ask, 4) && !has(ask, 8),
        Call::Cached(fours),
    ),
];
