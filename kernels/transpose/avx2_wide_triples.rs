//! `transpose` with AVX2, cached and streaming: cells of 12 and 24 bytes, [triples](super::triples) of words.
//!
//! A cell is loaded with what is beside it, into a lane or a register: the next cell of its source row or, in the last
//! row of a panel, the one before. Four of them are closed up to three; of 12-byte cells in both lanes, whose halves are
//! then brought into order:
//!
//! ```text
//!   loaded         aaa- bbb- ccc- ddd-        words; - is another cell's
//!   closed up      aaab bbcc cddd
//! ```
//!
//! Of the roof (Xeon), the scalar rows and these: 12 bytes 1920x1080 0.14 and 0.53, 2048x2048 0.18 and 0.72, through the
//! caches 500x500 0.36 and 0.56, 64x64 0.26 and 0.30; 24 bytes 1000x1001 0.34 and 0.89, 2000x2000 0.28 and 0.88, through
//! the caches 300x301 0.53 and 0.69, 64x64 0.44 and 0.48.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_blend_epi32, _mm256_castsi128_si256, _mm256_inserti128_si256,
    _mm256_loadu_si256, _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_shuffle_epi32,
    _mm256_storeu_si256, _mm256_stream_si256,
};

use super::each::Unit;
use super::lines::Lines;
use super::triples::{self, rows_of};
use crate::panel::LINE;
use crate::row::Row;

/// Registers of a unit.
const REGISTERS: usize = 3 * LINE / 32;

/// Words that are loaded as four, of which the first three or the last three are a cell.
trait Slots: Copy {
    /// Bytes of a cell.
    const BYTES: usize;
    /// Bytes of what is loaded.
    const SLOT: usize = Self::BYTES / 3 * 4;

    /// The slots of a lane or a register, the `i`th ones of the `group`th half of a unit, `back` bytes before the cells.
    ///
    /// # Safety
    /// - Shape: the lines of a unit exist.
    /// - Range: slots can be read there.
    /// - ISA: AVX2.
    unsafe fn slots(src: impl Lines, group: usize, i: usize, back: usize) -> __m256i;

    /// The words of each slot in the order that `ORDER` says, two bits for each.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn ordered<const ORDER: i32>(slots: __m256i) -> __m256i;

    /// The first three words of one and the last one of the other, in each slot.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn three_and_one(a: __m256i, b: __m256i) -> __m256i;

    /// Two and two.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn two_and_two(a: __m256i, b: __m256i) -> __m256i;

    /// One and three.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn one_and_three(a: __m256i, b: __m256i) -> __m256i;

    /// Three registers in the order of the destination.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn in_order(closed: [__m256i; 3]) -> [__m256i; 3];
}

/// Cells of 12 bytes: a lane is a slot.
#[derive(Clone, Copy)]
struct Twelve;

impl Slots for Twelve {
    const BYTES: usize = 12;

    #[inline(always)]
    unsafe fn slots(src: impl Lines, group: usize, i: usize, back: usize) -> __m256i {
        let line = 8 * group + i;
        // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
        unsafe {
            let low = _mm_loadu_si128(src.at(line).wrapping_sub(back).cast());
            let high = _mm_loadu_si128(src.at(line + 4).wrapping_sub(back).cast());
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        }
    }

    #[inline(always)]
    unsafe fn ordered<const ORDER: i32>(slots: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_shuffle_epi32::<ORDER>(slots) }
    }

    #[inline(always)]
    unsafe fn three_and_one(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1000_1000>(a, b) }
    }

    #[inline(always)]
    unsafe fn two_and_two(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1100_1100>(a, b) }
    }

    #[inline(always)]
    unsafe fn one_and_three(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1110_1110>(a, b) }
    }

    /// The three low lanes are before the three high ones.
    #[inline(always)]
    unsafe fn in_order([a, b, c]: [__m256i; 3]) -> [__m256i; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x30>(c, a),
                _mm256_permute2x128_si256::<0x31>(b, c),
            ]
        }
    }
}

/// Cells of 24 bytes: a register is a slot.
#[derive(Clone, Copy)]
struct TwentyFour;

impl Slots for TwentyFour {
    const BYTES: usize = 24;

    #[inline(always)]
    unsafe fn slots(src: impl Lines, group: usize, i: usize, back: usize) -> __m256i {
        // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
        unsafe { _mm256_loadu_si256(src.at(4 * group + i).wrapping_sub(back).cast()) }
    }

    #[inline(always)]
    unsafe fn ordered<const ORDER: i32>(slots: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permute4x64_epi64::<ORDER>(slots) }
    }

    #[inline(always)]
    unsafe fn three_and_one(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1100_0000>(a, b) }
    }

    #[inline(always)]
    unsafe fn two_and_two(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1111_0000>(a, b) }
    }

    #[inline(always)]
    unsafe fn one_and_three(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_blend_epi32::<0b1111_1100>(a, b) }
    }

    #[inline(always)]
    unsafe fn in_order(closed: [__m256i; 3]) -> [__m256i; 3] {
        closed
    }
}

/// An order of words, of which `-` is any.
const fn order(words: &[u8; 4]) -> i32 {
    let (mut all, mut i) = (0, 0);
    while i < 4 {
        if words[i] != b'-' {
            all |= ((words[i] - b'0') as i32) << (2 * i);
        }
        i += 1;
    }
    all
}

/// Half of a unit, of the slots of its cells: cells stand at the start of their slots, or, if they were read from before,
/// at the end.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn closed_up<S: Slots>([a, b, c, d]: [__m256i; 4], at_end: bool) -> [__m256i; 3] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        let closed = if at_end {
            [
                S::three_and_one(
                    S::ordered::<{ order(b"123-") }>(a),
                    S::ordered::<{ order(b"---1") }>(b),
                ),
                S::two_and_two(
                    S::ordered::<{ order(b"23--") }>(b),
                    S::ordered::<{ order(b"--12") }>(c),
                ),
                S::one_and_three(S::ordered::<{ order(b"3---") }>(c), d),
            ]
        } else {
            [
                S::three_and_one(a, S::ordered::<{ order(b"---0") }>(b)),
                S::two_and_two(
                    S::ordered::<{ order(b"12--") }>(b),
                    S::ordered::<{ order(b"--01") }>(c),
                ),
                S::one_and_three(
                    S::ordered::<{ order(b"2---") }>(c),
                    S::ordered::<{ order(b"-012") }>(d),
                ),
            ]
        };
        S::in_order(closed)
    }
}

/// The registers of a half of a unit. No closure below: one that is called from several places is not inlined for sure.
///
/// # Safety
/// As [`registers`].
#[inline(always)]
unsafe fn half<S: Slots>(src: impl Lines, group: usize, at_end: bool) -> [__m256i; 3] {
    let back = if at_end { S::SLOT - S::BYTES } else { 0 };
    // SAFETY: passed on.
    unsafe {
        let slots = [
            S::slots(src, group, 0, back),
            S::slots(src, group, 1, back),
            S::slots(src, group, 2, back),
            S::slots(src, group, 3, back),
        ];
        closed_up::<S>(slots, at_end)
    }
}

/// The registers of a unit of cells that stand at these lines.
///
/// # Safety
/// - Shape: the lines of a unit exist.
/// - Range: a slot can be read at each, or, if `at_end`, one that ends where the cell does.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn registers<S: Slots>(src: impl Lines, at_end: bool) -> [__m256i; REGISTERS] {
    // SAFETY: passed on.
    let ([a, b, c], [d, e, f]) = unsafe { (half::<S>(src, 0, at_end), half::<S>(src, 1, at_end)) };
    [a, b, c, d, e, f]
}

/// Units of such cells.
#[derive(Clone, Copy)]
struct Triples<S>(S);

impl<S: Slots> Unit for Triples<S> {
    const CELL: usize = S::BYTES;
    const CELLS: usize = 3 * LINE / S::BYTES;

    #[inline(always)]
    fn before_a_line(address: usize) -> Option<usize> {
        triples::before_a_line::<Self>(address)
    }

    #[inline(always)]
    unsafe fn put(self, src: impl Lines, last: bool, to: *mut u8, stream: bool) {
        // SAFETY: shape and ISA: passed on; range: a slot ends in the next cell, or begins in the one before;
        // so many registers are a unit; alignment: passed on.
        unsafe {
            for (i, register) in registers::<S>(src, last).into_iter().enumerate() {
                let to = to.wrapping_add(i * 32).cast();
                if stream {
                    _mm256_stream_si256(to, register);
                } else {
                    _mm256_storeu_si256(to, register);
                }
            }
        }
    }
}

pub(super) static TWELVE: [Row; 2] = rows_of!(
    Avx2 "avx2",
    Twelve,
    "transpose-12-avx2-2x16",
    "transpose-12-avx2-2x32"
);
pub(super) static TWENTY_FOUR: [Row; 2] = rows_of!(
    Avx2 "avx2",
    TwentyFour,
    "transpose-24-avx2-2x8",
    "transpose-24-avx2-2x16"
);
