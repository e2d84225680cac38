//! `transpose` with AVX-512: panels of few rows, in tiles that are a block of 16 bytes of the source
//! high and a destination line wide.
//!
//! The register tiles are a part of those of `avx512` and `avx512_eight`: four rows of sixteen 4-byte
//! cells, two rows of eight 8-byte cells.

use core::arch::x86_64::_mm512_storeu_si512;

use super::avx512::four_rows;
use super::avx512_eight::two_rows;
use super::lines::Lines;
use super::walk::{RegisterTile, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Four rows of 4-byte cells.
#[derive(Clone, Copy)]
struct Tile4x16;

impl RegisterTile for Tile4x16 {
    const CELL: usize = 4;
    const SIDE: usize = 16;

    #[inline(always)]
    fn rows(self) -> usize {
        4
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 16 lines of src and 4 of dst exist; range: the first quarter is cells 0..4
        // of a source line, a register is cells 0..16 of a destination line; aliasing: all is read
        // before the first store; alignment: unaligned stores; ISA: the caller has AVX-512 F and VL.
        unsafe {
            for (i, row) in four_rows(src, 0, None).into_iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), row);
            }
        }
    }
}

/// Two rows of 8-byte cells.
#[derive(Clone, Copy)]
struct Tile2x8;

impl RegisterTile for Tile2x8 {
    const CELL: usize = 8;
    const SIDE: usize = 8;

    #[inline(always)]
    fn rows(self) -> usize {
        2
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: 8 lines of src and 2 of dst exist; range: the first pair is cells 0 and 1
        // of a source line, a register is cells 0..8 of a destination line; aliasing: all is read
        // before the first store; alignment: unaligned stores; ISA: the caller has AVX-512 F.
        unsafe {
            for (i, row) in two_rows(src, 0).into_iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), row);
            }
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel of 4-byte cells, 4 rows and 16 columns or more.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn four(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and VL are enabled here.
    unsafe { walk(panel, Tile4x16) }
}

/// # Safety
/// The contract of the crate, with a panel of 8-byte cells, 2 rows and 8 columns or more.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn eight(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F is enabled here.
    unsafe { walk(panel, Tile2x8) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-4-avx512-4x16",
        family: Family::Transpose,
        cell: CellSize::Exact(4),
        isa: Isa::Avx512,
        tile: Tile { rows: 4, cols: 16 },
        needs: |ask| (4..16).contains(&ask.rows) && ask.cols >= 16,
        call: Call::Cached(four),
    },
    Row {
        name: "transpose-8-avx512-2x8",
        family: Family::Transpose,
        cell: CellSize::Exact(8),
        isa: Isa::Avx512,
        tile: Tile { rows: 2, cols: 8 },
        needs: |ask| (2..8).contains(&ask.rows) && ask.cols >= 8,
        call: Call::Cached(eight),
    },
];
