//! Whole lines of as many source rows as make a destination line, transposed in registers: 16x16 cells
//! of four bytes, 8x8 of eight, 4x4 of sixteen.
//!
//! A file of its own because these tiles serve one purpose: sources whose rows share a set of the
//! first-level cache. Every line is loaded once, before anything is stored; tiles that load quarters
//! come back to a line that has left the cache. That costs shuffles, which out of the caches nobody
//! waits for: 64, 24 and 8, in stages of two registers each. A stage pairs rows, then pairs of rows,
//! and so on, first within lanes and then lanes:
//!
//! ```text
//!   a0 a1 | a2 a3 | ..        a0 b0 | a2 b2 | ..        a0 b0 | c0 d0 | ..
//!   b0 b1 | b2 b3 | ..   ->   a1 b1 | a3 b3 | ..   ->   a1 b1 | c1 d1 | ..
//!   c0 c1 | c2 c3 | ..        c0 d0 | c2 d2 | ..        a2 b2 | c2 d2 | ..
//!   d0 d1 | d2 d3 | ..        c1 d1 | c3 d3 | ..        a3 b3 | c3 d3 | ..
//! ```

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_shuffle_i64x2, _mm512_storeu_si512, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi64,
};

use super::avx512::transposed;
use super::lines::Lines;
use super::walk::RegisterTile;

/// Lanes 0 and 2 of each of two registers, and lanes 1 and 3.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn lanes(a: __m512i, b: __m512i) -> [__m512i; 2] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        [
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(a, b),
        ]
    }
}

/// Transposes 4x4 lanes.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn lanes_transposed([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let ([ab_even, ab_odd], [cd_even, cd_odd]) = (lanes(a, b), lanes(c, d));
        let ([first, third], [second, fourth]) = (lanes(ab_even, cd_even), lanes(ab_odd, cd_odd));
        [first, second, third, fourth]
    }
}

/// Line `i`.
///
/// # Safety
/// - Shape: it exists.
/// - Range: 64 bytes can be read.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn line(src: impl Lines, i: usize) -> __m512i {
    // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
    unsafe { _mm512_loadu_si512(src.at(i).cast()) }
}

/// Stores line `r`.
///
/// # Safety
/// - Shape: it exists.
/// - Range: 64 bytes can be written.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn store(line: __m512i, dst: impl Lines, r: usize) {
    // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned store.
    unsafe { _mm512_storeu_si512(dst.at(r).cast(), line) }
}

/// Four rows from `first` on: their 4x4 cells of four bytes transposed in each lane.
///
/// # Safety
/// As [`line`], for each of the rows.
#[inline(always)]
unsafe fn four_rows(src: impl Lines, first: usize) -> [__m512i; 4] {
    // SAFETY: passed on.
    unsafe {
        transposed([
            line(src, first),
            line(src, first + 1),
            line(src, first + 2),
            line(src, first + 3),
        ])
    }
}

/// Two rows from `first` on: their 2x2 cells of eight bytes transposed in each lane.
///
/// # Safety
/// As [`line`], for each of the rows.
#[inline(always)]
unsafe fn two_rows(src: impl Lines, first: usize) -> [__m512i; 2] {
    // SAFETY: passed on.
    unsafe {
        let (a, b) = (line(src, first), line(src, first + 1));
        [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]
    }
}

/// 16x16 cells of four bytes.
#[derive(Clone, Copy)]
pub(super) struct Sixteen;

impl RegisterTile for Sixteen {
    const CELL: usize = 4;
    const SIDE: usize = 16;

    #[expect(
        clippy::needless_range_loop,
        reason = "iterators of registers are not inlined for sure"
    )]
    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0 to 15 exist on both sides; the rest is passed on.
        unsafe {
            // Register k of rows 4g to 4g + 3: column 4L + k of them in lane L.
            let fours = [
                four_rows(src, 0),
                four_rows(src, 4),
                four_rows(src, 8),
                four_rows(src, 12),
            ];
            for k in 0..4 {
                let rows = [fours[0][k], fours[1][k], fours[2][k], fours[3][k]];
                for (lane, row) in lanes_transposed(rows).into_iter().enumerate() {
                    store(row, dst, 4 * lane + k);
                }
            }
        }
    }
}

/// 8x8 cells of eight bytes.
#[derive(Clone, Copy)]
pub(super) struct Eight;

impl RegisterTile for Eight {
    const CELL: usize = 8;
    const SIDE: usize = 8;

    #[expect(
        clippy::needless_range_loop,
        reason = "iterators of registers are not inlined for sure"
    )]
    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0 to 7 exist on both sides; the rest is passed on.
        unsafe {
            // Register k of rows 2g and 2g + 1: column 2L + k of them in lane L.
            let twos = [
                two_rows(src, 0),
                two_rows(src, 2),
                two_rows(src, 4),
                two_rows(src, 6),
            ];
            for k in 0..2 {
                let rows = [twos[0][k], twos[1][k], twos[2][k], twos[3][k]];
                for (lane, row) in lanes_transposed(rows).into_iter().enumerate() {
                    store(row, dst, 2 * lane + k);
                }
            }
        }
    }
}

/// 4x4 cells of sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Four;

impl RegisterTile for Four {
    const CELL: usize = 16;
    const SIDE: usize = 4;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0 to 3 exist on both sides; the rest is passed on.
        unsafe {
            let rows = [line(src, 0), line(src, 1), line(src, 2), line(src, 3)];
            for (r, row) in lanes_transposed(rows).into_iter().enumerate() {
                store(row, dst, r);
            }
        }
    }
}
