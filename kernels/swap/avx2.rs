//! `swap` with AVX2: cells of 4 bytes in tiles of 8x8, cells of 8 bytes in tiles of 4x4.
//!
//! The tiles are those of `transpose`, drawn there. Of 4-byte cells a part is half of a tile, four
//! registers, so that one tile and half of another are 12 of the 16; of 8-byte cells two tiles are 8.

use core::arch::x86_64::{__m256i, _mm256_storeu_si256};
use core::ops::Range;

use super::tiles::{Registers, walk};
use super::{Allowed, Square, SwapRow};
use crate::isa::Isa;
use crate::row::{CellSize, Tile};
use crate::transpose::avx2::four_rows;
use crate::transpose::avx2_eight::two_rows;
use crate::transpose::lines::Lines;

#[derive(Clone, Copy)]
struct Tile8x8;

impl Registers<2> for Tile8x8 {
    const SIDE: usize = 8;
    type Part = [__m256i; 4];

    #[inline(always)]
    unsafe fn transposed(src: impl Lines, part: usize) -> [__m256i; 4] {
        // SAFETY: passed on; ISA: AVX2.
        unsafe { four_rows(src, 0, part) }
    }

    #[inline(always)]
    unsafe fn store(rows: [__m256i; 4], part: usize, dst: impl Lines) {
        for (i, row) in rows.into_iter().enumerate() {
            // SAFETY: shape: line 4 * part + i is below 8; range: 8 cells are a register; alignment:
            // an unaligned store; ISA: AVX2.
            unsafe { _mm256_storeu_si256(dst.at(4 * part + i).cast(), row) };
        }
    }
}

#[derive(Clone, Copy)]
struct Tile4x4;

impl Registers<2> for Tile4x4 {
    const SIDE: usize = 4;
    type Part = [__m256i; 2];

    #[inline(always)]
    unsafe fn transposed(src: impl Lines, part: usize) -> [__m256i; 2] {
        // SAFETY: passed on; ISA: AVX2.
        unsafe { two_rows(src, 0, part) }
    }

    #[inline(always)]
    unsafe fn store(rows: [__m256i; 2], part: usize, dst: impl Lines) {
        for (i, row) in rows.into_iter().enumerate() {
            // SAFETY: shape: line 2 * part + i is below 4; range: 4 cells are a register; alignment:
            // an unaligned store; ISA: AVX2.
            unsafe { _mm256_storeu_si256(dst.at(2 * part + i).cast(), row) };
        }
    }
}

/// # Safety
/// The obligations of the family, of a square this row takes.
#[target_feature(enable = "avx2")]
unsafe fn four(square: &Square, allowed: Allowed, rows: Range<usize>, cols: Range<usize>) {
    // SAFETY: passed on: the row takes 4-byte cells side by side; ISA: enabled here.
    unsafe { walk::<Tile8x8, 2>(square, allowed, rows, cols) }
}

/// # Safety
/// The obligations of the family, of a square this row takes.
#[target_feature(enable = "avx2")]
unsafe fn eight(square: &Square, allowed: Allowed, rows: Range<usize>, cols: Range<usize>) {
    // SAFETY: passed on: the row takes 8-byte cells side by side; ISA: enabled here.
    unsafe { walk::<Tile4x4, 2>(square, allowed, rows, cols) }
}

pub(super) static ROWS: &[SwapRow] = &[
    SwapRow {
        name: "swap-4-avx2-8x8",
        cell: CellSize::Exact(4),
        isa: Isa::Avx2,
        tile: Tile { rows: 8, cols: 8 },
        call: four,
    },
    SwapRow {
        name: "swap-8-avx2-4x4",
        cell: CellSize::Exact(8),
        isa: Isa::Avx2,
        tile: Tile { rows: 4, cols: 4 },
        call: eight,
    },
];
