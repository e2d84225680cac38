//! `swap` with AVX-512: cells of 4 bytes in tiles of 16x16, cells of 8 bytes in tiles of 8x8.
//!
//! The tiles are those of `transpose`, drawn there. Of 4-byte cells a part is half of a tile, eight
//! registers, so that one tile and half of another are 24 of the 32; of 8-byte cells two tiles are 16.

use core::arch::x86_64::{__m512i, _mm512_storeu_si512};
use core::ops::Range;

use super::tiles::{Registers, walk};
use super::{Allowed, Square, SwapRow};
use crate::isa::Isa;
use crate::row::{CellSize, Tile};
use crate::transpose::avx512::eight_rows;
use crate::transpose::avx512_eight::two_rows;
use crate::transpose::lines::Lines;

#[derive(Clone, Copy)]
struct Tile16x16;

impl Registers<2> for Tile16x16 {
    const SIDE: usize = 16;
    type Part = [__m512i; 8];

    #[inline(always)]
    unsafe fn transposed(src: impl Lines, part: usize) -> [__m512i; 8] {
        // SAFETY: passed on; ISA: AVX-512 F and VL.
        unsafe { eight_rows(src, part) }
    }

    #[inline(always)]
    unsafe fn store(rows: [__m512i; 8], part: usize, dst: impl Lines) {
        for (i, row) in rows.into_iter().enumerate() {
            // SAFETY: shape: line 8 * part + i is below 16; range: 16 cells are a register;
            // alignment: an unaligned store; ISA: AVX-512 F.
            unsafe { _mm512_storeu_si512(dst.at(8 * part + i).cast(), row) };
        }
    }
}

#[derive(Clone, Copy)]
struct Tile8x8;

impl Registers<4> for Tile8x8 {
    const SIDE: usize = 8;
    type Part = [__m512i; 2];

    #[inline(always)]
    unsafe fn transposed(src: impl Lines, part: usize) -> [__m512i; 2] {
        // SAFETY: passed on; ISA: AVX-512 F.
        unsafe { two_rows(src, part) }
    }

    #[inline(always)]
    unsafe fn store(rows: [__m512i; 2], part: usize, dst: impl Lines) {
        for (i, row) in rows.into_iter().enumerate() {
            // SAFETY: shape: line 2 * part + i is below 8; range: 8 cells are a register; alignment:
            // an unaligned store; ISA: AVX-512 F.
            unsafe { _mm512_storeu_si512(dst.at(2 * part + i).cast(), row) };
        }
    }
}

/// # Safety
/// The obligations of the family, of a square this row takes.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn four(square: &Square, allowed: Allowed, rows: Range<usize>, cols: Range<usize>) {
    // SAFETY: passed on: the row takes 4-byte cells side by side; ISA: enabled here.
    unsafe { walk::<Tile16x16, 2>(square, allowed, rows, cols) }
}

/// # Safety
/// The obligations of the family, of a square this row takes.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn eight(square: &Square, allowed: Allowed, rows: Range<usize>, cols: Range<usize>) {
    // SAFETY: passed on: the row takes 8-byte cells side by side; ISA: enabled here.
    unsafe { walk::<Tile8x8, 4>(square, allowed, rows, cols) }
}

pub(super) static ROWS: &[SwapRow] = &[
    SwapRow {
        name: "swap-4-avx512-16x16",
        cell: CellSize::Exact(4),
        isa: Isa::Avx512,
        tile: Tile { rows: 16, cols: 16 },
        call: four,
    },
    SwapRow {
        name: "swap-8-avx512-8x8",
        cell: CellSize::Exact(8),
        isa: Isa::Avx512,
        tile: Tile { rows: 8, cols: 8 },
        call: eight,
    },
];
