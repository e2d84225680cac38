//! `transpose` with AVX2: panels of which one side is [records](super::records) of a few cells.
//!
//! How many cells pay, of memcpy, by tiles and so, Xeon, 50000 records to fields: u8 5 0.15 and 0.54, 7 0.20 and 0.38, 9 0.18
//! and 0.29, 10 0.16 and 0.20, but 8, which a tile fits, 0.39 and 0.34, 11 0.28 and 0.25; u16 5 0.26 and 0.55, 7 0.35 and
//! 0.42, but 9 0.46 and 0.45; f32 5 0.44 and 0.65, 7 0.52 and 0.59, but 8 of 64 records 0.28 and 0.16, 9 in batches of 64, 17
//! MB, 0.76 and 0.56. To records: u8 5 0.12 and 0.58, 7 0.16 and 0.40, 9 0.23 and 0.32, but 10 of 1500000 0.59 and 0.50; u16
//! 5 0.22 and 0.59, 6 0.26 and 0.48, but 7 of 300000 0.70 and 0.63; f32 5 0.36 and 0.69, 7 0.42 and 0.56, but 9 in batches
//! 0.85 and 0.72.
//!
//! Bytes stay within halves of a register, so halves are records that are sixteen bytes of each field apart, and each
//! register is put together of the bytes that are found in all others:
//!
//! ```text
//!   records     | a0 b0 c0 d0 e0 a1 .. | a16 b16 c16 ..    |  ..      the first half of five registers, and the second
//!   fields      | a0 a1 a2 ..          | a16 a17 ..        |  ..
//! ```

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_broadcastsi128_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_set_m128i, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

use super::records::{Turn, rows};

/// Bytes of half a register.
const HALF: usize = 16;

/// Where each byte of half a register is in another one; none where the highest bit is set.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Places([u8; HALF]);

/// What the registers of `N` fields are picked from, and those of records: where in each one.
struct Picks<const N: usize, const CELL: usize>;

impl<const N: usize, const CELL: usize> Picks<N, CELL> {
    const FIELDS: [[Places; N]; N] = Self::all(true);
    const RECORDS: [[Places; N]; N] = Self::all(false);

    const fn all(fields: bool) -> [[Places; N]; N] {
        let (mut all, mut nth) = ([[Places([0x80; HALF]); N]; N], 0);
        while nth < N {
            let mut i = 0;
            while i < HALF {
                let (cell, byte) = (i / CELL, i % CELL);
                let (register, at) = if fields {
                    let at = (cell * N + nth) * CELL + byte;
                    (at / HALF, at % HALF)
                } else {
                    let cell = nth * HALF / CELL + cell;
                    (cell % N, cell / N * CELL + byte)
                };
                all[nth][register].0[i] = at as u8;
                i += 1;
            }
            nth += 1;
        }
        all
    }
}

/// The bytes of a register that are in another one, in their places; zeros elsewhere.
///
/// # Safety
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn found(places: &Places, from: __m256i) -> __m256i {
    // SAFETY: range: half a register; ISA: passed on.
    unsafe {
        let half = _mm_loadu_si128(places.0.as_ptr().cast());
        _mm256_shuffle_epi8(from, _mm256_broadcastsi128_si256(half))
    }
}

/// Picks a register from `N` others.
///
/// # Safety
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn picked<const N: usize>(places: &[Places; N], from: &[__m256i; N]) -> __m256i {
    // SAFETY: ISA: passed on.
    unsafe {
        let mut all = found(&places[0], from[0]);
        for i in 1..N {
            all = _mm256_or_si256(all, found(&places[i], from[i]));
        }
        all
    }
}

/// Loads two halves of a register.
///
/// # Safety
/// - Range: half a register can be read at each.
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn halves(low: *const u8, high: *const u8) -> __m256i {
    // SAFETY: range: passed on; unaligned loads; ISA: passed on.
    unsafe { _mm256_set_m128i(_mm_loadu_si128(high.cast()), _mm_loadu_si128(low.cast())) }
}

/// Registers of half a line.
struct Ymm;

impl<const CELL: usize> Turn<CELL> for Ymm {
    const RECORDS: usize = 2 * HALF / CELL;

    #[inline(always)]
    unsafe fn apart<const N: usize>(from: *const u8, fields: &[*mut u8; N], at: usize) {
        // SAFETY: range: twice as many halves as a record has cells; ISA: passed on.
        unsafe {
            let behind = from.wrapping_add(N * HALF);
            let mut records = [halves(from, behind); N];
            for (i, register) in records.iter_mut().enumerate().skip(1) {
                let at = i * HALF;
                *register = halves(from.wrapping_add(at), behind.wrapping_add(at));
            }
            for (i, field) in fields.iter().enumerate() {
                let places = const { &Picks::<N, CELL>::FIELDS };
                let register = picked(&places[i], &records);
                _mm256_storeu_si256(field.wrapping_add(at).cast(), register);
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: range: a register of each field, and twice as many halves of records; ISA: passed on.
        unsafe {
            let mut each = [_mm256_loadu_si256(fields[0].wrapping_add(at).cast()); N];
            for (i, register) in each.iter_mut().enumerate().skip(1) {
                *register = _mm256_loadu_si256(fields[i].wrapping_add(at).cast());
            }
            for i in 0..N {
                let places = const { &Picks::<N, CELL>::RECORDS };
                let register = picked(&places[i], &each);
                let (low, high) = (to.wrapping_add(i * HALF), to.wrapping_add((N + i) * HALF));
                _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(register));
                _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(register));
            }
        }
    }
}

rows! {
    Ymm, Avx2 "avx2", 2 * HALF;
    "transpose-1-avx2-5x32", ones_apart, 1, true, rows = 5..=7 | 9..=10, cols;
    "transpose-1-avx2-32x5", ones_together, 1, false, cols = 5..=7 | 9, rows;
    "transpose-2-avx2-5x16", twos_apart, 2, true, rows = 5..=7, cols;
    "transpose-2-avx2-16x5", twos_together, 2, false, cols = 5..=6, rows;
    "transpose-4-avx2-5x8", fours_apart, 4, true, rows = 5..=7, cols;
    "transpose-4-avx2-8x5", fours_together, 4, false, cols = 5..=7, rows;
}
