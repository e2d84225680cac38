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
    __m512i, _mm512_loadu_si512, _mm512_shuffle_i64x2, _mm512_store_si512, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::lines::Lines;

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

/// Stores line `r` of a square.
///
/// # Safety
/// - Range: 64 bytes can be written at `r * apart` bytes from `to`.
/// - Alignment: `to` and `apart` are multiples of 64.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn store(line: __m512i, to: *mut u8, r: usize, apart: usize) {
    // SAFETY: range, alignment and ISA are the caller's.
    unsafe { _mm512_store_si512(to.wrapping_add(r * apart).cast(), line) }
}

/// 16x16 cells of four bytes.
///
/// # Safety
/// As [`LineTile::square`](super::line::LineTile::square), of sixteen lines.
#[inline(always)]
pub(super) unsafe fn sixteen(src: impl Lines, to: *mut u8, apart: usize) {
    // SAFETY: shape: lines 0 to 15 exist; the rest is passed on.
    unsafe {
        // Rows 4g to 4g + 3: lane L of register k is column 4L + k of them.
        let mut fours = [[line(src, 0); 4]; 4];
        for g in 0..4 {
            let (a, b) = (line(src, 4 * g), line(src, 4 * g + 1));
            let (c, d) = (line(src, 4 * g + 2), line(src, 4 * g + 3));
            let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            fours[g] = [
                _mm512_unpacklo_epi64(ab, cd),
                _mm512_unpackhi_epi64(ab, cd),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
            ];
        }
        for k in 0..4 {
            let rows = [fours[0][k], fours[1][k], fours[2][k], fours[3][k]];
            for (lane, row) in lanes_transposed(rows).into_iter().enumerate() {
                store(row, to, 4 * lane + k, apart);
            }
        }
    }
}

/// 8x8 cells of eight bytes.
///
/// # Safety
/// As [`LineTile::square`](super::line::LineTile::square), of eight lines.
#[inline(always)]
pub(super) unsafe fn eight(src: impl Lines, to: *mut u8, apart: usize) {
    // SAFETY: shape: lines 0 to 7 exist; the rest is passed on.
    unsafe {
        // Rows 2g and 2g + 1: lane L of register k is column 2L + k of them.
        let mut twos = [[line(src, 0); 2]; 4];
        for g in 0..4 {
            let (a, b) = (line(src, 2 * g), line(src, 2 * g + 1));
            twos[g] = [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)];
        }
        for k in 0..2 {
            let rows = [twos[0][k], twos[1][k], twos[2][k], twos[3][k]];
            for (lane, row) in lanes_transposed(rows).into_iter().enumerate() {
                store(row, to, 2 * lane + k, apart);
            }
        }
    }
}

/// 4x4 cells of sixteen bytes.
///
/// # Safety
/// As [`LineTile::square`](super::line::LineTile::square), of four lines.
#[inline(always)]
pub(super) unsafe fn four(src: impl Lines, to: *mut u8, apart: usize) {
    // SAFETY: shape: lines 0 to 3 exist; the rest is passed on.
    unsafe {
        let rows = [line(src, 0), line(src, 1), line(src, 2), line(src, 3)];
        for (r, row) in lanes_transposed(rows).into_iter().enumerate() {
            store(row, to, r, apart);
        }
    }
}
