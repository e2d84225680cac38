//! A line in two registers of 32 bytes. Parts of it are loaded and stored by words where they are such, else by stretches
//! of bytes, as there are masks for words only.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_maskload_epi32, _mm_maskstore_epi32, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_loadu_si256, _mm256_maskload_epi32,
    _mm256_maskstore_epi32, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_storeu_si256,
    _mm256_stream_si256,
};

use super::weave::Line;
use crate::panel::{LINE, stretches};

/// Bytes of a register.
pub(super) const HALF: usize = LINE / 2;

/// A line in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Halves(pub(super) [__m256i; 2]);

impl Line for Halves {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: range: the two halves of a line; unaligned loads.
        unsafe {
            Self([
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.wrapping_add(HALF).cast()),
            ])
        }
    }

    #[inline(always)]
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self {
        if is_words(bytes) {
            // SAFETY: range: masked-out words are not accessed; the rest is passed on.
            return unsafe {
                let high = from.wrapping_add(HALF).cast();
                Self([
                    _mm256_maskload_epi32(from.cast(), words_of(bytes as u32)),
                    _mm256_maskload_epi32(high, words_of((bytes >> HALF) as u32)),
                ])
            };
        }
        let mut line = [0_u8; LINE];
        let to = line.as_mut_ptr();
        // SAFETY: range: the mask has a bit for each of these bytes, which are less than a line, and the line above; the
        // rest is passed on.
        unsafe {
            for (at, len) in stretches(bytes) {
                to.add(at)
                    .copy_from_nonoverlapping(from.wrapping_add(at), len);
            }
            Self::load(to)
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: range: the two halves of a line; unaligned stores.
        unsafe {
            _mm256_storeu_si256(to.cast(), self.0[0]);
            _mm256_storeu_si256(to.wrapping_add(HALF).cast(), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_some(self, to: *mut u8, bytes: u64) {
        if is_words(bytes) {
            // SAFETY: range: masked-out words are not accessed; the rest is passed on.
            return unsafe {
                let high = to.wrapping_add(HALF).cast();
                _mm256_maskstore_epi32(to.cast(), words_of(bytes as u32), self.0[0]);
                _mm256_maskstore_epi32(high, words_of((bytes >> HALF) as u32), self.0[1]);
            };
        }
        let mut line = [0_u8; LINE];
        // SAFETY: range: the line above, and the mask has a bit for each of these bytes; the rest is passed on.
        unsafe {
            self.store(line.as_mut_ptr());
            for (at, len) in stretches(bytes) {
                to.wrapping_add(at)
                    .copy_from_nonoverlapping(line.as_ptr().add(at), len);
            }
        }
    }

    #[inline(always)]
    unsafe fn load_few(from: *const u8, bytes: u16) -> __m128i {
        // SAFETY: range: masked-out words are not accessed; the rest is passed on.
        unsafe { _mm_maskload_epi32(from.cast(), few_words_of(bytes)) }
    }

    #[inline(always)]
    unsafe fn store_few(few: __m128i, to: *mut u8, bytes: u16) {
        // SAFETY: range: masked-out words are not accessed; the rest is passed on.
        unsafe { _mm_maskstore_epi32(to.cast(), few_words_of(bytes), few) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: range and alignment: the two halves of an aligned line, back to back.
        unsafe {
            _mm256_stream_si256(to.cast(), self.0[0]);
            _mm256_stream_si256(to.wrapping_add(HALF).cast(), self.0[1]);
        }
    }
}

/// Whether a mask of bytes is one of words of four: all that AVX2 has masks for.
#[inline(always)]
fn is_words(bytes: u64) -> bool {
    bytes == (bytes & 0x1111_1111_1111_1111) * 0xf
}

/// The words of a register whose first bytes have a bit.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn words_of(bytes: u32) -> __m256i {
    // SAFETY: ISA: the caller's.
    unsafe {
        let firsts = _mm256_setr_epi32(
            1,
            1 << 4,
            1 << 8,
            1 << 12,
            1 << 16,
            1 << 20,
            1 << 24,
            1 << 28,
        );
        let bits = _mm256_and_si256(_mm256_set1_epi32(bytes as i32), firsts);
        _mm256_cmpeq_epi32(bits, firsts)
    }
}

/// The same of half a register.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn few_words_of(bytes: u16) -> __m128i {
    debug_assert!(is_words(u64::from(bytes)), "there are masks of words only");
    // SAFETY: ISA: the caller's.
    unsafe { _mm256_castsi256_si128(words_of(u32::from(bytes))) }
}
