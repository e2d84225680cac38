//! `transpose` with AVX-512 VBMI: panels of which one side is [records](super::records) of a few cells.
//!
//! How many cells pay, of memcpy, by tiles and so, Xeon, 50000 records to fields: u8 5 0.08 and 0.50, 6 0.10 and 0.47, 8 0.22
//! and 0.38, 10 0.15 and 0.29, 12 0.18 and 0.23, but 14 0.20 both ways; u16 5 0.15 and 0.56, 7 0.20 and 0.43, 10 0.41 and
//! 0.57, 11 0.48 and 0.55, but 8, which a tile fits, 0.46 and 0.43, 12 of 1000 records 0.18 and 0.16; f32 5 0.39 and 0.91, 6
//! 0.68 and 0.94, of 1000 records 8 0.43 and 0.59, 10 0.51 and 0.57, but 12 0.54 and 0.53. To records: u8 5 0.13 and 0.52, 7
//! 0.18 and 0.38, 9 0.23 and 0.24, but 10 0.25 and 0.23; u16 5 0.26 and 0.51, 7 0.33 and 0.35, but 8 of 100 records 0.12 and
//! 0.08; f32 5 0.32 and 0.65, 7 0.48 and 0.71, but 8 0.71 and 0.69.

//!
//! A register is picked from two others at a time. Which cells of two it takes is the same for all of them, so that one order
//! does for each, and what is not of these two is taken from the others.

use core::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_permutex2var_epi8,
    _mm512_permutex2var_epi16, _mm512_permutex2var_epi32, _mm512_permutexvar_epi8,
    _mm512_permutexvar_epi16, _mm512_permutexvar_epi32, _mm512_storeu_si512,
    _mm512_ternarylogic_epi32,
};

use super::records::{Turn, rows};
use crate::panel::LINE;

/// Pairs of registers but the first one, of twelve.
const OTHERS: usize = 5;

/// A register of bytes.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Bytes([u8; LINE]);

impl Bytes {
    const ZEROS: Self = Self([0; LINE]);

    /// # Safety
    /// - ISA: AVX-512 F is enabled where this is inlined.
    #[inline(always)]
    unsafe fn load(&self) -> __m512i {
        // SAFETY: range and alignment: a line; ISA: passed on.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }
}

/// Where the cells of a register are.
#[derive(Clone, Copy)]
struct Pick {
    /// The place of each in a pair of registers, the same in all pairs.
    places: Bytes,
    /// All bits of those that are in another pair than the first one.
    others: [Bytes; OTHERS],
}

/// What the registers of `N` fields are picked from, and those of records.
struct Picks<const N: usize, const CELL: usize>;

impl<const N: usize, const CELL: usize> Picks<N, CELL> {
    /// Cells of a register.
    const CELLS: usize = LINE / CELL;
    const FIELDS: [Pick; N] = Self::all(true);
    const RECORDS: [Pick; N] = Self::all(false);

    const fn all(fields: bool) -> [Pick; N] {
        let none = Pick {
            places: Bytes::ZEROS,
            others: [Bytes::ZEROS; OTHERS],
        };
        let (mut all, mut nth) = ([none; N], 0);
        while nth < N {
            let mut i = 0;
            while i < Self::CELLS {
                let (register, lane) = if fields {
                    let cell = i * N + nth;
                    (cell / Self::CELLS, cell % Self::CELLS)
                } else {
                    let cell = nth * Self::CELLS + i;
                    (cell % N, cell / N)
                };
                // Permutes look at as many bits as they need of a place.
                all[nth].places.0[i * CELL] = (register % 2 * Self::CELLS + lane) as u8;
                if register >= 2 {
                    let mut byte = 0;
                    while byte < CELL {
                        all[nth].others[register / 2 - 1].0[i * CELL + byte] = !0;
                        byte += 1;
                    }
                }
                i += 1;
            }
            nth += 1;
        }
        all
    }
}

/// The permutes for cells of one size.
///
/// Every function needs AVX-512 F, BW and VBMI, enabled where it is inlined.
trait Permute<const CELL: usize> {
    /// The cells at these places of two registers.
    ///
    /// # Safety
    /// - ISA: see the trait.
    unsafe fn two(places: __m512i, from: (__m512i, __m512i)) -> __m512i;

    /// The same of one register.
    ///
    /// # Safety
    /// - ISA: see the trait.
    unsafe fn one(places: __m512i, from: __m512i) -> __m512i;
}

/// Registers of a line.
struct Zmm;

macro_rules! permute {
    ($cell:literal, $two:ident, $one:ident) => {
        impl Permute<$cell> for Zmm {
            #[inline(always)]
            unsafe fn two(places: __m512i, (a, b): (__m512i, __m512i)) -> __m512i {
                // SAFETY: ISA: passed on.
                unsafe { $two(a, places, b) }
            }

            #[inline(always)]
            unsafe fn one(places: __m512i, from: __m512i) -> __m512i {
                // SAFETY: ISA: passed on.
                unsafe { $one(places, from) }
            }
        }
    };
}

permute!(1, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8);
permute!(2, _mm512_permutex2var_epi16, _mm512_permutexvar_epi16);
permute!(4, _mm512_permutex2var_epi32, _mm512_permutexvar_epi32);

/// Picks a register from `N` others.
///
/// # Safety
/// - ISA: AVX-512 F, BW and VBMI are enabled where this is inlined.
#[inline(always)]
unsafe fn picked<const N: usize, const CELL: usize>(pick: &Pick, from: &[__m512i; N]) -> __m512i
where
    Zmm: Permute<CELL>,
{
    /// For each of three bits, the second if the third is set, and else the first.
    const SECOND_IF_THIRD: i32 = 0b1101_1000;
    // SAFETY: ISA: passed on.
    unsafe {
        let places = pick.places.load();
        let mut all = Zmm::two(places, (from[0], from[1]));
        for pair in 1..N.div_ceil(2) {
            let some = if 2 * pair + 1 < N {
                Zmm::two(places, (from[2 * pair], from[2 * pair + 1]))
            } else {
                Zmm::one(places, from[N - 1])
            };
            let others = pick.others[pair - 1].load();
            all = _mm512_ternarylogic_epi32::<SECOND_IF_THIRD>(all, some, others);
        }
        all
    }
}

impl<const CELL: usize> Turn<CELL> for Zmm
where
    Self: Permute<CELL>,
{
    const RECORDS: usize = LINE / CELL;

    #[inline(always)]
    unsafe fn apart<const N: usize>(from: *const u8, fields: &[*mut u8; N], at: usize) {
        // SAFETY: range: as many registers as a record has cells; ISA: passed on.
        unsafe {
            let mut records = [_mm512_loadu_si512(from.cast()); N];
            for (i, register) in records.iter_mut().enumerate().skip(1) {
                *register = _mm512_loadu_si512(from.wrapping_add(i * LINE).cast());
            }
            for (i, field) in fields.iter().enumerate() {
                let pick = const { &Picks::<N, CELL>::FIELDS };
                let register = picked::<N, CELL>(&pick[i], &records);
                _mm512_storeu_si512(field.wrapping_add(at).cast(), register);
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: range: a register of each field, and as many of records; ISA: passed on.
        unsafe {
            let mut each = [_mm512_loadu_si512(fields[0].wrapping_add(at).cast()); N];
            for (i, register) in each.iter_mut().enumerate().skip(1) {
                *register = _mm512_loadu_si512(fields[i].wrapping_add(at).cast());
            }
            for i in 0..N {
                let pick = const { &Picks::<N, CELL>::RECORDS };
                let register = picked::<N, CELL>(&pick[i], &each);
                _mm512_storeu_si512(to.wrapping_add(i * LINE).cast(), register);
            }
        }
    }
}

rows! {
    Zmm, Avx512Vbmi "avx512f,avx512bw,avx512vl,avx512vbmi", LINE;
    "transpose-1-avx512vbmi-5x64", ones_apart, 1, true, rows = 5..=12, cols;
    "transpose-1-avx512vbmi-64x5", ones_together, 1, false, cols = 5..=9, rows;
    "transpose-2-avx512vbmi-5x32", twos_apart, 2, true, rows = 5..=7 | 9..=11, cols;
    "transpose-2-avx512vbmi-32x5", twos_together, 2, false, cols = 5..=7, rows;
    "transpose-4-avx512vbmi-5x16", fours_apart, 4, true, rows = 5..=10, cols;
    "transpose-4-avx512vbmi-16x5", fours_together, 4, false, cols = 5..=7, rows;
}
