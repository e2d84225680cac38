//! `transpose` with AVX2: cells of 3 and 6 bytes, triples of bytes and pairs.
//!
//! Twelve bytes of a source row (four cells of 3, two of 6) are loaded as sixteen, spread
//! to cells of 4 or 8 bytes, transposed as those are, and closed up again. Sixteen bytes are stored
//! where twelve belong; the next store of the row writes over the other four, and the last one of a
//! tile stores twelve:
//!
//! ```text
//!   loaded     aaabbbcccddd----        stored     AAAABBBBCCCC....
//!   spread     aaa-bbb-ccc-ddd-                               DDDDEEEEFFFF....
//!   closed     aaabbbcccddd....                                           GGGGHHHHIIII
//! ```
//!
//! What is loaded beside the twelve are cells of the tile as well: bytes after them in the first rows
//! of a tile, bytes before them in the others.
//!
//! Of memcpy, and the scalar rows: 3 bytes 256x256 0.26, 0.13; 1920x1080 0.38, 0.32; 6 bytes 256x256
//! 0.39, 0.25; 2000x2001 0.34, 0.19 (2-core AVX-512 server VM). Cells of 12 and 24 bytes are
//! [others](super::avx2_wide_triples).

use core::arch::x86_64::{
    __m128i, __m256i, _mm_extract_epi32, _mm_loadu_si128, _mm_storel_epi64, _mm_storeu_si128,
    _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_inserti128_si256, _mm256_setr_epi8, _mm256_shuffle_epi8, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi64,
};

use super::avx2::transposed;
use super::lines::Lines;
use super::walk::{RegisterTile, is_near, walk};
use super::{along, far::way};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Twelve bytes of source rows `i` (low lane) and `j` (high lane): the first of the tile, or those
/// after them. In the first case four bytes follow them in the register, in the other they come
/// first.
///
/// # Safety
/// - Shape: lines `i` and `j` exist.
/// - Range: 24 bytes can be read at both.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn twelves(src: impl Lines, i: usize, j: usize, second: bool) -> __m256i {
    let at = if second { 8 } else { 0 };
    // SAFETY: shape and ISA are the caller's; range: bytes 0..16 or 8..24 of both; alignment:
    // unaligned loads.
    unsafe {
        let low = _mm_loadu_si128(src.at(i).wrapping_add(at).cast());
        let high = _mm_loadu_si128(src.at(j).wrapping_add(at).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// Bytes of each lane, by their index; negative ones are zero.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn picked(register: __m256i, index: [i8; 16]) -> __m256i {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = index;
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        let index = _mm256_setr_epi8(
            a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a, b, c, d, e, f, g, h, i, j, k, l, m,
            n, o, p,
        );
        _mm256_shuffle_epi8(register, index)
    }
}

/// Where cells of `CELL` bytes, 3 or 6, stand in a lane before they are spread, `from` bytes into it.
const fn spread(cell: usize, from: usize) -> [i8; 16] {
    let wide = cell / 3 * 4;
    let mut index = [-1; 16];
    let mut i = 0;
    while i < 12 {
        index[i / cell * wide + i % cell] = (from + i) as i8;
        i += 1;
    }
    index
}

/// Where they stand after.
const fn closed(cell: usize) -> [i8; 16] {
    let wide = cell / 3 * 4;
    let mut index = [-1; 16];
    let mut i = 0;
    while i < 12 {
        index[i] = (i / cell * wide + i % cell) as i8;
        i += 1;
    }
    index
}

/// Stores the first twelve bytes; sixteen, if the last four are written after this.
///
/// # Safety
/// - Range: so many bytes can be written.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn store(to: *mut u8, register: __m128i, last: bool) {
    // SAFETY: range and ISA are the caller's; alignment: unaligned stores.
    unsafe {
        if last {
            _mm_storel_epi64(to.cast(), register);
            let end = _mm_extract_epi32::<2>(register);
            to.wrapping_add(8).cast::<i32>().write_unaligned(end);
        } else {
            _mm_storeu_si128(to.cast(), register);
        }
    }
}

/// Stores the twelve bytes of both lanes, one after the other, as [`store`].
///
/// # Safety
/// As [`store`], for 24 bytes, or 28.
#[inline(always)]
unsafe fn store_both(to: *mut u8, register: __m256i, last: bool) {
    // SAFETY: passed on: what the first store writes too much, the second writes over.
    unsafe {
        store(to, _mm256_castsi256_si128(register), false);
        let high = _mm256_extracti128_si256::<1>(register);
        store(to.wrapping_add(12), high, last);
    }
}

/// Eight rows of sixteen cells of 3 bytes.
#[derive(Clone, Copy)]
struct Threes;

impl Threes {
    /// Four cells each of rows `i` and `i + 4` from `i` on, spread to 4 bytes.
    ///
    /// # Safety
    /// As [`twelves`].
    #[inline(always)]
    unsafe fn row(src: impl Lines, i: usize, second: bool) -> __m256i {
        let index = const { [spread(3, 0), spread(3, 4)] };
        // SAFETY: passed on.
        unsafe { picked(twelves(src, i, i + 4, second), index[usize::from(second)]) }
    }
}

impl RegisterTile for Threes {
    const CELL: usize = 3;
    const SIDE: usize = 16;

    #[inline(always)]
    fn rows(self) -> usize {
        8
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for second in [false, true] {
            for half in 0..2 {
                // SAFETY: shape: 16 lines of src and 8 of dst exist; range: 24 bytes are 8 cells of
                // a source line, 24 bytes from 0 or 24 on 8 cells of a destination line, of which
                // the last store writes no more; aliasing: the sides do not overlap; ISA: the caller
                // has AVX2.
                unsafe {
                    let rows = transposed([
                        Self::row(src, 8 * half, second),
                        Self::row(src, 8 * half + 1, second),
                        Self::row(src, 8 * half + 2, second),
                        Self::row(src, 8 * half + 3, second),
                    ]);
                    for (i, row) in rows.into_iter().enumerate() {
                        let to = dst.at(4 * usize::from(second) + i);
                        let row = picked(row, const { closed(3) });
                        store_both(to.wrapping_add(24 * half), row, half == 1);
                    }
                }
            }
        }
    }
}

/// Four rows of eight cells of 6 bytes.
#[derive(Clone, Copy)]
struct Sixes;

impl Sixes {
    /// Two cells each of rows `i` and `i + 2`, spread to 8 bytes.
    ///
    /// # Safety
    /// As [`twelves`].
    #[inline(always)]
    unsafe fn row(src: impl Lines, i: usize, second: bool) -> __m256i {
        let index = const { [spread(6, 0), spread(6, 4)] };
        // SAFETY: passed on.
        unsafe { picked(twelves(src, i, i + 2, second), index[usize::from(second)]) }
    }
}

impl RegisterTile for Sixes {
    const CELL: usize = 6;
    const SIDE: usize = 8;

    #[inline(always)]
    fn rows(self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        for second in [false, true] {
            for half in 0..2 {
                // SAFETY: shape: 8 lines of src and 4 of dst exist; range: 24 bytes are 4 cells of a
                // source line, 24 bytes from 0 or 24 on 4 cells of a destination line, of which the
                // last store writes no more; aliasing: the sides do not overlap; ISA: the caller has
                // AVX2.
                unsafe {
                    let even = Self::row(src, 4 * half, second);
                    let odd = Self::row(src, 4 * half + 1, second);
                    let rows = [
                        _mm256_unpacklo_epi64(even, odd),
                        _mm256_unpackhi_epi64(even, odd),
                    ];
                    for (i, row) in rows.into_iter().enumerate() {
                        let to = dst.at(2 * usize::from(second) + i);
                        let row = picked(row, const { closed(6) });
                        store_both(to.wrapping_add(24 * half), row, half == 1);
                    }
                }
            }
        }
    }
}

/// Stamps the row of a tile: the function, and what stands in the table.
macro_rules! row {
    ($tile:ident, $rows:literal, $name:literal) => {
        Row {
            name: $name,
            family: Family::Transpose,
            cell: CellSize::Exact($tile::CELL),
            isa: Isa::Avx2,
            tile: Tile {
                rows: $rows,
                cols: $tile::SIDE,
            },
            needs: |ask| ask.rows >= $rows && ask.cols >= $tile::SIDE,
            call: Call::Cached({
                /// # Safety
                /// The contract of the crate, with a panel this row takes.
                #[target_feature(enable = "avx2")]
                unsafe fn tiles(panel: &Panel<'_>) {
                    // SAFETY: passed on: the row takes cells of the tile, and panels of its rows
                    // and columns or more; ISA: AVX2 is enabled here.
                    unsafe {
                        let far = !is_near(panel);
                        if far && way!("avx2", |panel| -> bool { along::moved(panel, $tile) }) {
                            return;
                        }
                        walk(panel, $tile)
                    }
                }
                tiles
            }),
        }
    };
}

pub(super) static ROWS: &[Row] = &[
    row!(Threes, 8, "transpose-3-avx2-8x16"),
    row!(Sixes, 4, "transpose-6-avx2-4x8"),
];
