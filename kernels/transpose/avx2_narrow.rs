//! `transpose` with AVX2: panels of few rows or few columns.
//!
//! The register tiles are parts of the one in `avx2`: four rows of eight 4-byte cells, or eight rows
//! of four, of which a register holds two:
//!
//! ```text
//!   cells 0..8 of src rows a to d           dst rows 0..4, and 4..8
//!
//!     a0 a1 a2 a3 | a4 a5 a6 a7               a0 b0 c0 d0 | a4 b4 c4 d4
//!     b0 b1 b2 b3 | b4 b5 b6 b7       ->      a1 b1 c1 d1 | a5 b5 c5 d5
//!     c0 c1 c2 c3 | c4 c5 c6 c7               a2 b2 c2 d2 | a6 b6 c6 d6
//!     d0 d1 d2 d3 | d4 d5 d6 d7               a3 b3 c3 d3 | a7 b7 c7 d7
//! ```

use core::arch::x86_64::{
    __m256i, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_storeu_si256,
};

use super::avx2::{four_rows, transposed};
use super::lines::Lines;
use super::walk::{RegisterTile, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Four rows of eight cells.
#[derive(Clone, Copy)]
struct Tile4x8;

impl RegisterTile for Tile4x8 {
    const CELL: usize = 4;
    const SIDE: usize = 8;

    #[inline(always)]
    fn rows(self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 8 lines of src and 4 of dst exist; range: the first half is cells 0..4 of
        // a source line, a register is cells 0..8 of a destination line; aliasing: all is read
        // before the first store; alignment: unaligned stores; ISA: the caller has AVX2.
        unsafe {
            for (i, row) in four_rows(src, 0, 0).into_iter().enumerate() {
                _mm256_storeu_si256(dst.at(i).cast(), row);
            }
        }
    }
}

/// Eight rows of four cells.
#[derive(Clone, Copy)]
struct Tile8x4;

/// Cells 0 to 7 of source row `line`.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: its first eight cells can be read.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn eight_cells(src: impl Lines, line: usize) -> __m256i {
    // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
    unsafe { _mm256_loadu_si256(src.at(line).cast()) }
}

impl RegisterTile for Tile8x4 {
    const CELL: usize = 4;
    const SIDE: usize = 8;

    #[inline(always)]
    fn cols(self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 4 lines of src and 8 of dst exist; range: a register is cells 0..8 of a
        // source line, half of one cells 0..4 of a destination line; aliasing: all is read before
        // the first store; alignment: unaligned accesses; ISA: the caller has AVX2.
        unsafe {
            let rows = transposed([
                eight_cells(src, 0),
                eight_cells(src, 1),
                eight_cells(src, 2),
                eight_cells(src, 3),
            ]);
            for (i, row) in rows.into_iter().enumerate() {
                _mm_storeu_si128(dst.at(i).cast(), _mm256_castsi256_si128(row));
                _mm_storeu_si128(dst.at(i + 4).cast(), _mm256_extracti128_si256::<1>(row));
            }
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel of 4-byte cells, 4 rows and 8 columns or more.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn few_rows(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { walk(panel, Tile4x8) }
}

/// # Safety
/// The contract of the crate, with a panel of 4-byte cells, 8 rows and 4 columns or more.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn few_columns(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { walk(panel, Tile8x4) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-4-avx2-4x8",
        family: Family::Transpose,
        cell: CellSize::Exact(4),
        isa: Isa::Avx2,
        tile: Tile { rows: 4, cols: 8 },
        needs: |ask| (4..8).contains(&ask.rows) && ask.cols >= 8,
        call: Call::Cached(few_rows),
    },
    Row {
        name: "transpose-4-avx2-8x4",
        family: Family::Transpose,
        cell: CellSize::Exact(4),
        isa: Isa::Avx2,
        tile: Tile { rows: 8, cols: 4 },
        needs: |ask| ask.rows >= 8 && (4..8).contains(&ask.cols),
        call: Call::Cached(few_columns),
    },
];
