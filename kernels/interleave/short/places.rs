//! Where the bytes of a part come from.
//!
//! A file of its own because these tables are made when the crate is.

use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_or_si128, _mm_shuffle_epi8};

use super::WHOLE;

/// What says that a byte of a part comes from another one.
const NONE: u8 = 0x80;

/// For each part that is made of others, where its bytes come from in each of these.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Places<const MADE: usize, const OF: usize>([[[u8; WHOLE]; OF]; MADE]);

impl<const N: usize, const STEP: usize> Places<N, STEP> {
    /// Parts of planes from parts of pixels, of so many bytes; the last part of the pixels starts so much before its place.
    pub(super) const fn split(cell: usize, part: usize, early: usize) -> Self {
        let (mut places, mut plane) = ([[[NONE; WHOLE]; STEP]; N], 0);
        while plane < N {
            let mut i = 0;
            while i < part {
                let at = (i / cell * STEP + plane) * cell + i % cell;
                let early = if at / part == STEP - 1 { early } else { 0 };
                places[plane][at / part][i] = (at % part + early) as u8;
                i += 1;
            }
            plane += 1;
        }
        Self(places)
    }
}

impl<const STEP: usize, const N: usize> Places<STEP, N> {
    /// Parts of pixels from parts of planes.
    pub(super) const fn merge(cell: usize, part: usize) -> Self {
        let (mut places, mut at) = ([[[NONE; WHOLE]; N]; STEP], 0);
        while at < STEP * part {
            let (pixel, plane) = (at / (STEP * cell), at / cell % STEP);
            if plane < N {
                places[at / part][plane][at % part] = (pixel * cell + at % cell) as u8;
            }
            at += 1;
        }
        Self(places)
    }
}

impl<const MADE: usize, const OF: usize> Places<MADE, OF> {
    /// Part `i`.
    ///
    /// # Safety
    /// - Shape: `i` is below `MADE`.
    /// - ISA: AVX2.
    #[inline(always)]
    pub(super) unsafe fn part(&self, i: usize, of: [__m128i; OF]) -> __m128i {
        let places = &self.0[i];
        // SAFETY: range: registers of the table; ISA: the caller's.
        unsafe {
            let mut made = _mm_shuffle_epi8(of[0], _mm_loadu_si128(places[0].as_ptr().cast()));
            for (j, part) in of.iter().enumerate().skip(1) {
                let places = _mm_loadu_si128(places[j].as_ptr().cast());
                made = _mm_or_si128(made, _mm_shuffle_epi8(*part, places));
            }
            made
        }
    }
}
