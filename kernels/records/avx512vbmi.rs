//! Turns of [records](super) with AVX-512 VBMI.
//!
//! A register is picked from two others at a time. Which cells of two it takes is the same for all of them, so that
//! one order does for each, and what is not of these two is taken from the others. Of cells of three bytes a register
//! has 21, and a byte of no use, which is neither read nor written.

use core::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi8, _mm512_permutex2var_epi16,
    _mm512_permutex2var_epi32, _mm512_permutexvar_epi8, _mm512_permutexvar_epi16,
    _mm512_permutexvar_epi32, _mm512_storeu_si512, _mm512_ternarylogic_epi32,
};

use super::Turn;
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

impl<const N: usize, const CELL: usize> Picks<N, CELL>
where
    Zmm: Permute<CELL>,
{
    /// Cells of a register.
    const CELLS: usize = <Zmm as Turn<CELL>>::RECORDS;
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
                let (mut byte, unit) = (0, <Zmm as Permute<CELL>>::UNIT);
                while byte < CELL {
                    // Permutes look at as many bits as they need of the first byte of a place.
                    let place = register % 2 * (LINE / unit) + (lane * CELL + byte) / unit;
                    all[nth].places.0[i * CELL + byte] = place as u8;
                    if register >= 2 {
                        all[nth].others[register / 2 - 1].0[i * CELL + byte] = !0;
                    }
                    byte += 1;
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
    /// Bytes of what is permuted.
    const UNIT: usize;

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
pub(crate) struct Zmm;

macro_rules! permute {
    ($cell:literal, $unit:literal, $two:ident, $one:ident) => {
        impl Permute<$cell> for Zmm {
            const UNIT: usize = $unit;

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

permute!(1, 1, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8);
permute!(2, 2, _mm512_permutex2var_epi16, _mm512_permutexvar_epi16);
permute!(3, 1, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8);
permute!(4, 4, _mm512_permutex2var_epi32, _mm512_permutexvar_epi32);
permute!(6, 2, _mm512_permutex2var_epi16, _mm512_permutexvar_epi16);
permute!(12, 4, _mm512_permutex2var_epi32, _mm512_permutexvar_epi32);

/// Bytes of the cells that a register has.
const fn used<const CELL: usize>() -> usize {
    LINE / CELL * CELL
}

/// Loads the cells of a register.
///
/// # Safety
/// - Range: they can be read.
/// - ISA: AVX-512 F and BW are enabled where this is inlined.
#[inline(always)]
unsafe fn load<const CELL: usize>(from: *const u8) -> __m512i {
    let used = const { used::<CELL>() };
    // SAFETY: range and ISA: passed on; masked bytes are not read.
    unsafe {
        if used == LINE {
            _mm512_loadu_si512(from.cast())
        } else {
            _mm512_maskz_loadu_epi8(!0 >> (LINE - used), from.cast())
        }
    }
}

/// Stores the cells of a register.
///
/// # Safety
/// - Range: they can be written.
/// - ISA: as [`load`].
#[inline(always)]
unsafe fn store<const CELL: usize>(to: *mut u8, register: __m512i) {
    let used = const { used::<CELL>() };
    // SAFETY: range and ISA: passed on; masked bytes are not written.
    unsafe {
        if used == LINE {
            _mm512_storeu_si512(to.cast(), register);
        } else {
            _mm512_mask_storeu_epi8(to.cast(), !0 >> (LINE - used), register);
        }
    }
}

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
            let mut records = [load::<CELL>(from); N];
            for (i, register) in records.iter_mut().enumerate().skip(1) {
                *register = load::<CELL>(from.wrapping_add(i * const { used::<CELL>() }));
            }
            for (i, field) in fields.iter().enumerate() {
                let pick = const { &Picks::<N, CELL>::FIELDS };
                let register = picked::<N, CELL>(&pick[i], &records);
                store::<CELL>(field.wrapping_add(at), register);
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: range: a register of each field, and as many of records; ISA: passed on.
        unsafe {
            let mut each = [load::<CELL>(fields[0].wrapping_add(at)); N];
            for (i, register) in each.iter_mut().enumerate().skip(1) {
                *register = load::<CELL>(fields[i].wrapping_add(at));
            }
            for i in 0..N {
                let pick = const { &Picks::<N, CELL>::RECORDS };
                let register = picked::<N, CELL>(&pick[i], &each);
                store::<CELL>(to.wrapping_add(i * const { used::<CELL>() }), register);
            }
        }
    }
}
