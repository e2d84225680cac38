//! Turns of [records](super) with AVX2.
//!
//! Bytes stay within halves of a register, so halves are records that are sixteen bytes of each field apart, and each
//! register is put together of the bytes that are found in all others:
//!
//! ```text
//!   records     | a0 b0 c0 d0 e0 a1 .. | a16 b16 c16 ..    |  ..      the first half of five registers, and the second
//!   fields      | a0 a1 a2 ..          | a16 a17 ..        |  ..
//! ```
//!
//! Half a register has five cells of three bytes, and two of six. The bytes behind those of the last half are not the
//! panel's: it is loaded from before its start, and stored in two parts that overlap. The others read and write on,
//! into the next one, which is written after them.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_bsrli_si128, _mm_loadu_si128, _mm_storel_epi64, _mm_storeu_si128,
    _mm_stream_si128, _mm256_broadcastsi128_si256, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_or_si256, _mm256_set_m128i, _mm256_shuffle_epi8,
    _mm256_storeu_si256,
};

use super::Turn;
use super::stream::Streamed;

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
        let cells = HALF / CELL;
        while nth < N {
            let mut i = 0;
            while i < cells * CELL {
                let (cell, byte) = (i / CELL, i % CELL);
                let (register, lane) = if fields {
                    let cell = cell * N + nth;
                    (cell / cells, cell % cells)
                } else {
                    let cell = nth * cells + cell;
                    (cell % N, cell / N)
                };
                all[nth][register].0[i] = (lane * CELL + byte) as u8;
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

/// Bytes of the cells that half a register has.
const fn used<const CELL: usize>() -> usize {
    HALF / CELL * CELL
}

/// Where half a register is, among those that follow each other.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Others follow.
    Before,
    /// None does, but others lie before it.
    Last,
}

impl Place {
    const fn last_if(last: bool) -> Self {
        if last { Self::Last } else { Self::Before }
    }
}

/// Loads half a register of cells.
///
/// # Safety
/// - Range: the cells can be read, and as many bytes as half a register has more, which are those of the next half or,
///   of the
///   last one, of the one before.
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn load<const CELL: usize>(from: *const u8, place: Place) -> __m128i {
    let spare = const { HALF - used::<CELL>() };
    // SAFETY: range: passed on; unaligned loads; ISA: passed on.
    unsafe {
        if spare == 0 || place == Place::Before {
            return _mm_loadu_si128(from.cast());
        }
        let before = _mm_loadu_si128(from.wrapping_sub(spare).cast());
        match spare {
            1 => _mm_bsrli_si128::<1>(before),
            4 => _mm_bsrli_si128::<4>(before),
            _ => unreachable!("of cells of {CELL} bytes"),
        }
    }
}

/// Stores half a register of cells.
///
/// # Safety
/// - Range: the cells can be written, and if it is not the last one as many bytes as half a register has more, which
///   are written
///   again.
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn store<const CELL: usize>(to: *mut u8, half: __m128i, place: Place) {
    let used = const { used::<CELL>() };
    // SAFETY: range: passed on: eight bytes at the start of the cells, and at their end; ISA: passed on.
    unsafe {
        if used == HALF || place == Place::Before {
            return _mm_storeu_si128(to.cast(), half);
        }
        let end = match used {
            15 => _mm_bsrli_si128::<7>(half),
            12 => _mm_bsrli_si128::<4>(half),
            _ => unreachable!("of cells of {CELL} bytes"),
        };
        _mm_storel_epi64(to.cast(), half);
        _mm_storel_epi64(to.wrapping_add(used - 8).cast(), end);
    }
}

/// Registers of half a line.
pub(crate) struct Ymm;

impl Ymm {
    /// Loads two halves, of which the second is behind `N` of them.
    ///
    /// # Safety
    /// As [`load`], of both.
    #[inline(always)]
    unsafe fn load<const CELL: usize>(from: *const u8, halves: usize, last: bool) -> __m256i {
        let behind = from.wrapping_add(halves * const { used::<CELL>() });
        // SAFETY: passed on.
        unsafe {
            let low = load::<CELL>(from, Place::Before);
            _mm256_set_m128i(load::<CELL>(behind, Place::last_if(last)), low)
        }
    }
}

impl<const CELL: usize> Turn<CELL> for Ymm {
    const RECORDS: usize = 2 * (HALF / CELL);

    #[inline(always)]
    unsafe fn apart<const N: usize>(from: *const u8, fields: &[*mut u8; N], at: usize) {
        let used = const { used::<CELL>() };
        // SAFETY: range: twice as many halves as a record has cells, and two of each field, the first of which is written
        // first; ISA: passed on.
        unsafe {
            let mut records = [Self::load::<CELL>(from, N, N == 1); N];
            for (i, register) in records.iter_mut().enumerate().skip(1) {
                *register = Self::load::<CELL>(from.wrapping_add(i * used), N, i == N - 1);
            }
            for (i, field) in fields.iter().enumerate() {
                let places = const { &Picks::<N, CELL>::FIELDS };
                let register = picked(&places[i], &records);
                let (low, high) = (field.wrapping_add(at), field.wrapping_add(at + used));
                if used == HALF {
                    _mm256_storeu_si256(low.cast(), register);
                    continue;
                }
                store::<CELL>(low, _mm256_castsi256_si128(register), Place::Before);
                store::<CELL>(high, _mm256_extracti128_si256::<1>(register), Place::Last);
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { together::<N, CELL, false>(fields, at, to) }
    }
}

impl<const CELL: usize> Streamed<CELL> for Ymm {
    type Line = [__m256i; 2];

    #[inline(always)]
    unsafe fn streamed<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        const { assert!(HALF.is_multiple_of(CELL), "registers are parts of lines") };
        // SAFETY: passed on.
        unsafe { together::<N, CELL, true>(fields, at, to) }
    }
}

/// Puts a register of each field together to as many of records, which are streamed or not.
///
/// # Safety
/// As [`Turn::together`], or [`Streamed::streamed`].
#[inline(always)]
unsafe fn together<const N: usize, const CELL: usize, const STREAM: bool>(
    fields: &[*mut u8; N],
    at: usize,
    to: *mut u8,
) {
    let used = const { used::<CELL>() };
    // SAFETY: range: two halves of each field, and twice as many of records, in which what is written after the last of
    // the first ones was written before; alignment: halves that are streamed are parts of lines; ISA: passed on.
    unsafe {
        let mut each = [Ymm::load::<CELL>(fields[0].wrapping_add(at), 1, true); N];
        for (i, register) in each.iter_mut().enumerate().skip(1) {
            *register = Ymm::load::<CELL>(fields[i].wrapping_add(at), 1, true);
        }
        for i in 0..N {
            let places = const { &Picks::<N, CELL>::RECORDS };
            let register = picked(&places[i], &each);
            let halves = (
                _mm256_castsi256_si128(register),
                _mm256_extracti128_si256::<1>(register),
            );
            let (low, high) = (to.wrapping_add(i * used), to.wrapping_add((N + i) * used));
            if STREAM {
                _mm_stream_si128(low.cast(), halves.0);
                _mm_stream_si128(high.cast(), halves.1);
            } else {
                let place = Place::last_if(i == N - 1);
                store::<CELL>(low, halves.0, place);
                store::<CELL>(high, halves.1, place);
            }
        }
    }
}
