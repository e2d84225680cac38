//! Turns of [records](super) of 8- and 16-byte cells with AVX2: pairs of cells that follow each other in the records.
//!
//! A file of its own because nothing is picked from registers. A turn has a line of each field, and as many lines of
//! records as a record has cells. In records of an odd number of cells every second one starts in the second half of a
//! pair:
//!
//! ```text
//!   fields      | a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 c2 c3 |          of three cells of 16 bytes
//!   records     | a0 b0 | c0 a1 | b1 c1 | a2 b2 | c2 a3 | b3 c3 |    pairs
//! ```
//!
//! A register is a pair of 16-byte cells, each of which is loaded into its half, or two pairs of 8-byte cells, two records
//! apart, from a register of each of two fields.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm_stream_si128, _mm256_castpd_si256,
    _mm256_castsi256_pd, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_set_m128i, _mm256_shuffle_pd, _mm256_storeu_si256, _mm256_stream_si256,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

use super::Turn;
use super::stream::Streamed;
use crate::panel::LINE;

/// Pairs of cells.
pub(crate) struct Pairs;

/// Stores a register, around the caches or through them.
///
/// # Safety
/// - Range: it can be written.
/// - Alignment: half a line, if it goes around the caches.
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn put<const STREAM: bool>(register: __m256i, to: *mut u8) {
    // SAFETY: passed on.
    unsafe {
        if STREAM {
            _mm256_stream_si256(to.cast(), register);
        } else {
            _mm256_storeu_si256(to.cast(), register);
        }
    }
}

/// The same of half a register.
///
/// # Safety
/// As [`put`], of a quarter of a line.
#[inline(always)]
unsafe fn put_half<const STREAM: bool>(half: __m128i, to: *mut u8) {
    // SAFETY: passed on.
    unsafe {
        if STREAM {
            _mm_stream_si128(to.cast(), half);
        } else {
            _mm_storeu_si128(to.cast(), half);
        }
    }
}

/// Does something with each pair of two records of `N` cells that follow each other: with the number of its first cell,
/// counted from that of the first record, with the two fields its cells are of, and of which of the records they are. A macro,
/// as what is done needs AVX2, which a function that is handed over has not.
macro_rules! each_pair {
    ($n:ident, |$nth:ident, $fields:pat, $of:ident| $what:expr) => {
        for i in (0..$n - 1).step_by(2) {
            let ($nth, $fields, $of) = (i, [i, i + 1], Of::First);
            $what
        }
        if !$n.is_multiple_of(2) {
            let ($nth, $fields, $of) = ($n - 1, [$n - 1, 0], Of::Both);
            $what
        }
        for i in ($n % 2..$n).step_by(2) {
            let ($nth, $fields, $of) = ($n + i, [i, i + 1], Of::Second);
            $what
        }
    };
}

/// Of which record a pair is.
#[derive(Clone, Copy)]
enum Of {
    First,
    Both,
    Second,
}

/// Two cells of 16 bytes, from where they are.
///
/// # Safety
/// - Range: they can be read.
/// - ISA: AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn sixteens(first: *const u8, second: *const u8) -> __m256i {
    // SAFETY: range and ISA: passed on; alignment: none is asked for.
    unsafe {
        let low = _mm_loadu_si128(first.cast());
        _mm256_set_m128i(_mm_loadu_si128(second.cast()), low)
    }
}

impl Turn<16> for Pairs {
    const RECORDS: usize = LINE / 16;

    #[inline(always)]
    unsafe fn apart<const N: usize>(from: *const u8, fields: &[*mut u8; N], at: usize) {
        for (i, field) in fields.iter().enumerate() {
            for two in [0, 2] {
                let first = from.wrapping_add((two * N + i) * 16);
                // SAFETY: range: as many records as a line has cells are read, and a line of each field is written;
                // ISA: passed on.
                unsafe {
                    let register = sixteens(first, first.wrapping_add(N * 16));
                    put::<false>(register, field.wrapping_add(at + two * 16));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { sixteens_together::<N, false>(fields, at, to) }
    }
}

impl Streamed<16> for Pairs {
    type Line = [__m256i; 2];

    #[inline(always)]
    unsafe fn streamed<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { sixteens_together::<N, true>(fields, at, to) }
    }
}

/// Puts a line of each field together to as many of records, which are streamed or not.
///
/// # Safety
/// As [`Turn::together`], or [`Streamed::streamed`].
#[inline(always)]
unsafe fn sixteens_together<const N: usize, const STREAM: bool>(
    fields: &[*mut u8; N],
    at: usize,
    to: *mut u8,
) {
    for two in [0, 2] {
        let cell = |i: usize, record| fields[i].cast_const().wrapping_add(at + record * 16);
        each_pair!(N, |nth, [i, j], of| {
            let (first, second) = match of {
                Of::First => (cell(i, two), cell(j, two)),
                Of::Both => (cell(i, two), cell(j, two + 1)),
                Of::Second => (cell(i, two + 1), cell(j, two + 1)),
            };
            // SAFETY: range: cells of a line of the fields are read, and as many lines of records are written;
            // alignment: registers that are streamed are halves of lines; ISA: passed on.
            unsafe {
                put::<STREAM>(
                    sixteens(first, second),
                    to.wrapping_add((two * N + nth) * 16),
                )
            };
        });
    }
}

impl Turn<8> for Pairs {
    const RECORDS: usize = LINE / 8;

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { eights_together::<N, false>(fields, at, to) }
    }
}

impl Streamed<8> for Pairs {
    type Line = [__m256i; 2];

    #[inline(always)]
    unsafe fn streamed<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { eights_together::<N, true>(fields, at, to) }
    }
}

/// The same of cells of 8 bytes.
///
/// # Safety
/// As [`sixteens_together`].
#[inline(always)]
unsafe fn eights_together<const N: usize, const STREAM: bool>(
    fields: &[*mut u8; N],
    at: usize,
    to: *mut u8,
) {
    for four in [0, 4] {
        let field = |i: usize| fields[i].cast_const().wrapping_add(at + four * 8);
        each_pair!(N, |nth, [i, j], of| {
            // SAFETY: range: half a line of each field is read, and as many lines of records are written; alignment:
            // halves of registers that are streamed are quarters of lines; ISA: passed on.
            unsafe {
                let one = _mm256_loadu_si256(field(i).cast());
                let other = _mm256_loadu_si256(field(j).cast());
                let two = match of {
                    Of::First => _mm256_unpacklo_epi64(one, other),
                    Of::Second => _mm256_unpackhi_epi64(one, other),
                    Of::Both => {
                        let (one, other) = (_mm256_castsi256_pd(one), _mm256_castsi256_pd(other));
                        _mm256_castpd_si256(_mm256_shuffle_pd::<0b1010>(one, other))
                    }
                };
                let place = |record: usize| to.wrapping_add(((four + record) * N + nth) * 8);
                put_half::<STREAM>(_mm256_castsi256_si128(two), place(0));
                put_half::<STREAM>(_mm256_extracti128_si256::<1>(two), place(2));
            }
        });
    }
}
