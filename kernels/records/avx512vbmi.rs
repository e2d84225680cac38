//! Turns of [records](super) with AVX-512 VBMI.
//!
//! A register is picked from two others at a time, and cells of two fields are made one first where there are even
//! numbers of them. Which cells of two it takes is the same for all of them, so that
//! one order does for each, and what is not of these two is taken from the others. Of cells of three bytes a register
//! has 21, and a byte of no use, which is neither read nor written.

use core::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi8, _mm512_permutex2var_epi16,
    _mm512_permutex2var_epi32, _mm512_permutex2var_epi64, _mm512_permutexvar_epi8,
    _mm512_permutexvar_epi16, _mm512_permutexvar_epi32, _mm512_permutexvar_epi64,
    _mm512_storeu_si512, _mm512_stream_si512, _mm512_ternarylogic_epi32,
};

use super::Turn;
use super::stream::Streamed;
use crate::panel::LINE;

/// Pairs of registers but the first one, of sixteen.
const OTHERS: usize = 7;

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

impl Pick {
    const NONE: Self = Self {
        places: Bytes::ZEROS,
        others: [Bytes::ZEROS; OTHERS],
    };
}

/// How the registers of `N` fields are put together to those of records, and the other way round: cells of two fields are
/// zipped to cells twice as wide, of half as many fields, as often as that goes; then those of fewer fields are picked.
///
/// ```text
///   fields      | a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 ..    | d0 d1 ..    | e0 e1 ..    | f0 ..
///   zipped      | a0 b0 a1 b1 | c0 d0 c1 d1 | e0 f0 e1 f1 | a2 b2 a3 b3 | c2 d2 ..    | e2 f2 ..
///   records     | a0 b0 c0 d0 | e0 f0 a1 b1 | c1 d1 e1 f1 | a2 b2 c2 d2 | e2 f2 ..    | ..
/// ```
struct Picks<const N: usize, const CELL: usize>;

/// The most times that cells are zipped: of sixteen fields, to two.
const ZIPS: usize = 3;

impl<const N: usize, const CELL: usize> Picks<N, CELL>
where
    Zmm: Permute<CELL>,
{
    /// How often cells are zipped: two fields are left at least. Cells that do not fill a register are not.
    const LEVELS: usize = {
        let mut levels = 0;
        while LINE.is_multiple_of(CELL) && (N >> levels).is_multiple_of(2) && N >> levels > 2 {
            levels += 1;
        }
        levels
    };
    /// Fields after that.
    const LEFT: usize = N >> Self::LEVELS;
    /// The first [`Self::LEFT`] of them.
    const FIELDS: [Pick; N] = all::<N>(Self::LEFT, CELL << Self::LEVELS, Self::UNIT, true);
    const RECORDS: [Pick; N] = all::<N>(Self::LEFT, CELL << Self::LEVELS, Self::UNIT, false);
    /// What zips two registers of the cells of a level, and what takes them apart.
    const ZIPPED: [[Pick; 2]; ZIPS] = Self::levels(false);
    const UNZIPPED: [[Pick; 2]; ZIPS] = Self::levels(true);
    const UNIT: usize = <Zmm as Permute<CELL>>::UNIT;

    const fn levels(apart: bool) -> [[Pick; 2]; ZIPS] {
        let (mut each, mut level) = ([[Pick::NONE; 2]; ZIPS], 0);
        while level < Self::LEVELS {
            each[level] = all::<2>(2, CELL << level, Self::UNIT, apart);
            level += 1;
        }
        each
    }
}

/// What registers of so many fields, of cells of so many bytes, are picked from, or those of records.
const fn all<const N: usize>(count: usize, cell: usize, unit: usize, fields: bool) -> [Pick; N] {
    let (mut all, mut nth) = ([Pick::NONE; N], 0);
    let cells = LINE / cell;
    while nth < count {
        let mut i = 0;
        while i < cells {
            let (register, lane) = if fields {
                let at = i * count + nth;
                (at / cells, at % cells)
            } else {
                let at = nth * cells + i;
                (at % count, at / count)
            };
            let mut byte = 0;
            while byte < cell {
                // Permutes look at as many bits as they need of the first byte of a place.
                let place = register % 2 * (LINE / unit) + (lane * cell + byte) / unit;
                all[nth].places.0[i * cell + byte] = place as u8;
                if register >= 2 {
                    all[nth].others[register / 2 - 1].0[i * cell + byte] = !0;
                }
                byte += 1;
            }
            i += 1;
        }
        nth += 1;
    }
    all
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
permute!(8, 8, _mm512_permutex2var_epi64, _mm512_permutexvar_epi64);
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

/// Picks a register from `count` of these, from the one at `first` on.
///
/// # Safety
/// - ISA: AVX-512 F, BW and VBMI are enabled where this is inlined.
#[inline(always)]
unsafe fn picked<const N: usize, const CELL: usize>(
    pick: &Pick,
    from: &[__m512i; N],
    (first, count): (usize, usize),
) -> __m512i
where
    Zmm: Permute<CELL>,
{
    /// For each of three bits, the second if the third is set, and else the first.
    const SECOND_IF_THIRD: i32 = 0b1101_1000;
    // SAFETY: ISA: passed on.
    unsafe {
        let places = pick.places.load();
        let mut all = Zmm::two(places, (from[first], from[first + 1]));
        for pair in 1..count.div_ceil(2) {
            let at = first + 2 * pair;
            let some = if 2 * pair + 1 < count {
                Zmm::two(places, (from[at], from[at + 1]))
            } else {
                Zmm::one(places, from[at])
            };
            let others = pick.others[pair - 1].load();
            all = _mm512_ternarylogic_epi32::<SECOND_IF_THIRD>(all, some, others);
        }
        all
    }
}

/// Picks the `i`th register of all parts of these, of which there are some after all zips.
///
/// # Safety
/// - ISA: as [`picked`].
#[inline(always)]
unsafe fn picked_in_parts<const N: usize, const CELL: usize>(
    picks: &[Pick; N],
    from: &[__m512i; N],
    i: usize,
) -> __m512i
where
    Zmm: Permute<CELL>,
{
    let left = const { Picks::<N, CELL>::LEFT };
    // SAFETY: ISA: passed on.
    unsafe { picked::<N, CELL>(&picks[i % left], from, (i / left * left, left)) }
}

/// Zips the registers of a level, or takes them apart.
///
/// # Safety
/// - ISA: as [`picked`].
#[inline(always)]
unsafe fn zipped<const N: usize, const CELL: usize, const APART: bool>(
    from: [__m512i; N],
    level: usize,
) -> [__m512i; N]
where
    Zmm: Permute<CELL>,
{
    let [low, high] = match APART {
        true => const { &Picks::<N, CELL>::UNZIPPED },
        false => const { &Picks::<N, CELL>::ZIPPED },
    }[level];
    let (fields, mut to) = (N >> level, from);
    for i in 0..N / 2 {
        // Two fields of a part, and the same of each half of it.
        let (part, pair) = (i / (fields / 2), i % (fields / 2));
        let two = [part * fields + 2 * pair, part * fields + 2 * pair + 1];
        let halves = [2 * part, 2 * part + 1].map(|half| half * (fields / 2) + pair);
        let (source, target) = if APART { (halves, two) } else { (two, halves) };
        let registers = (from[source[0]], from[source[1]]);
        // SAFETY: ISA: passed on.
        unsafe {
            to[target[0]] = Zmm::two(low.places.load(), registers);
            to[target[1]] = Zmm::two(high.places.load(), registers);
        }
    }
    to
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
            let (picks, levels) = const { (&Picks::<N, CELL>::FIELDS, Picks::<N, CELL>::LEVELS) };
            let mut each = records;
            for (i, field) in fields.iter().enumerate() {
                let register = picked_in_parts::<N, CELL>(picks, &records, i);
                if levels == 0 {
                    store::<CELL>(field.wrapping_add(at), register);
                }
                each[i] = register;
            }
            if levels == 0 {
                return;
            }
            for level in (0..levels).rev() {
                each = zipped::<N, CELL, true>(each, level);
            }
            for (field, register) in fields.iter().zip(each) {
                store::<CELL>(field.wrapping_add(at), register);
            }
        }
    }

    #[inline(always)]
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { together::<N, CELL, false>(fields, at, to) }
    }
}

impl<const CELL: usize> Streamed<CELL> for Zmm
where
    Self: Permute<CELL>,
{
    type Line = __m512i;

    #[inline(always)]
    unsafe fn streamed<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8) {
        const { assert!(LINE.is_multiple_of(CELL), "registers are lines") };
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
) where
    Zmm: Permute<CELL>,
{
    // SAFETY: range: a register of each field, and as many of records; alignment: those that are streamed are lines, one
    // after the other; ISA: passed on.
    unsafe {
        let mut each = [load::<CELL>(fields[0].wrapping_add(at)); N];
        for (i, register) in each.iter_mut().enumerate().skip(1) {
            *register = load::<CELL>(fields[i].wrapping_add(at));
        }
        for level in 0..const { Picks::<N, CELL>::LEVELS } {
            each = zipped::<N, CELL, false>(each, level);
        }
        let picks = const { &Picks::<N, CELL>::RECORDS };
        for i in 0..N {
            let register = picked_in_parts::<N, CELL>(picks, &each, i);
            let to = to.wrapping_add(i * const { used::<CELL>() });
            if STREAM {
                _mm512_stream_si512(to.cast(), register);
            } else {
                store::<CELL>(to, register);
            }
        }
    }
}
