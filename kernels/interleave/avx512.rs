//! `interleave` with 64-byte vectors: a register is a line.
//!
//! **Three planes.** 3 and the cells of a line have no common divisor, so the cells of one plane stand
//! at different places in the three lines, and together at all of them. One register takes them all
//! in by masks, one permutation puts them in order: three permutations for three lines.
//!
//! ```text
//!   line 0   r g b r g b r g       r from each line       in order
//!   line 1   b r g b r g b r   ->  r r r r r r r r   ->   r r r r r r r r
//!   line 2   g b r g b r g b       0 3 6 1 4 7 2 5        0 1 2 3 4 5 6 7
//! ```
//!
//! **Two and four.** Each line groups its cells by plane, then halves or quarters change places:
//!
//! ```text
//!   r g b a r g b a ..  ->  r r | g g | b b | a a        r r | r r | r r | r r
//!   r g b a r g b a ..  ->  r r | g g | b b | a a   ->   g g | g g | ..
//! ```
//!
//! Merging is the same backwards.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_mask_storeu_epi8, _mm_maskz_loadu_epi8, _mm512_loadu_si512,
    _mm512_mask_blend_epi8, _mm512_mask_blend_epi16, _mm512_mask_blend_epi32,
    _mm512_mask_blend_epi64, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_permutexvar_epi8, _mm512_permutexvar_epi16, _mm512_permutexvar_epi32,
    _mm512_permutexvar_epi64, _mm512_shuffle_i64x2, _mm512_storeu_si512, _mm512_stream_si512,
};

use core::marker::PhantomData;

use super::avx512_pairs;
use super::avx512_places::{Places, of_plane};
use super::rows::rows;
use super::scalar::cells;
use super::weave::{Cells, Line, Turn, Walk, Weave, Weaves, walk_apart};
use super::woven::Woven;
use crate::panel::{LINE, Panel};
use crate::row::Row;

impl Line for __m512i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on; an unaligned load.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self {
        // SAFETY: range: masked-out bytes are not accessed; the rest is passed on.
        unsafe { _mm512_maskz_loadu_epi8(bytes, from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on; an unaligned store.
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn store_some(self, to: *mut u8, bytes: u64) {
        // SAFETY: range: masked-out bytes are not accessed; the rest is passed on.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), bytes, self) }
    }

    #[inline(always)]
    unsafe fn load_few(from: *const u8, bytes: u16) -> __m128i {
        // SAFETY: range: masked-out bytes are not accessed; the rest is passed on.
        unsafe { _mm_maskz_loadu_epi8(bytes, from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_few(few: __m128i, to: *mut u8, bytes: u16) {
        // SAFETY: range: masked-out bytes are not accessed; the rest is passed on.
        unsafe { _mm_mask_storeu_epi8(to.cast(), bytes, few) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_stream_si512(to.cast(), self) }
    }
}

/// What depends on the size of a cell.
trait Sized512: Copy {
    /// Bytes of a cell.
    const CELL: usize;

    /// Puts the cells of a line to other places.
    ///
    /// # Safety
    /// - ISA: what the rows of this cell enable.
    unsafe fn place(places: &Places, line: __m512i) -> __m512i;

    /// Cells of `b` where the mask says so, of `a` elsewhere.
    ///
    /// # Safety
    /// As [`Self::place`].
    unsafe fn choose(mask: u64, a: __m512i, b: __m512i) -> __m512i;

    /// As [`Weaves::apart`].
    ///
    /// # Safety
    /// As there.
    unsafe fn apart<K: Walk>(woven: &Woven) -> bool;
}

/// Lines of cells, a register each.
#[derive(Clone, Copy)]
struct Wide<C>(PhantomData<C>);

impl<C: Sized512> Cells for Wide<C> {
    const CELL: usize = C::CELL;
    const MASKS: bool = true;
    /// Three planes in the first-level cache take 0.36 of memcpy with and 0.41 without; 150 KiB and more gain.
    const COLD: usize = 20 << 10;
    type Line = __m512i;
}

impl<C: Sized512> Turn for Wide<C> {
    #[inline(always)]
    unsafe fn turned(line: __m512i) -> __m512i {
        // SAFETY: ISA: the caller's.
        unsafe { C::place(const { &Places::turned(C::CELL) }, line) }
    }
}

/// Stamps one size of cells.
macro_rules! cells {
    ($name:ident, $bytes:literal, $permute:ident, $blend:ident, $mask:ty, $features:literal) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Sized512 for $name {
            const CELL: usize = $bytes;

            #[inline(always)]
            unsafe fn place(places: &Places, line: __m512i) -> __m512i {
                // SAFETY: range: a table is a line; ISA: the caller's.
                unsafe { $permute(_mm512_loadu_si512(places.0.as_ptr().cast()), line) }
            }

            #[inline(always)]
            unsafe fn choose(mask: u64, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: ISA: the caller's.
                unsafe { $blend(mask as $mask, a, b) }
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn apart<K: Walk>(woven: &Woven) -> bool {
                // SAFETY: passed on; ISA: enabled here.
                unsafe { walk_apart::<K, Wide<Self>>(woven) }
            }
        }
    };
}

cells!(
    One,
    1,
    _mm512_permutexvar_epi8,
    _mm512_mask_blend_epi8,
    u64,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi"
);
cells!(
    Two,
    2,
    _mm512_permutexvar_epi16,
    _mm512_mask_blend_epi16,
    u32,
    "avx512f,avx512bw,avx512dq,avx512vl"
);
cells!(
    Four,
    4,
    _mm512_permutexvar_epi32,
    _mm512_mask_blend_epi32,
    u16,
    "avx512f,avx512bw,avx512dq,avx512vl"
);
cells!(
    Eight,
    8,
    _mm512_permutexvar_epi64,
    _mm512_mask_blend_epi64,
    u8,
    "avx512f,avx512bw,avx512dq,avx512vl"
);

impl<C: Sized512> Weaves for Wide<C> {
    #[inline(always)]
    unsafe fn scattered(panel: &Panel<'_>, streams: bool) {
        // SAFETY: passed on.
        unsafe {
            match C::CELL {
                4 => avx512_pairs::scattered::<4>(panel, streams),
                8 => avx512_pairs::scattered::<8>(panel, streams),
                _ => cells(panel),
            }
        }
    }

    #[inline(always)]
    unsafe fn apart<K: Walk>(woven: &Woven) -> bool {
        // SAFETY: passed on.
        unsafe { C::apart::<K>(woven) }
    }
}

impl<C: Sized512> Weave<2> for Wide<C> {
    #[inline(always)]
    unsafe fn split([a, b]: [__m512i; 2]) -> [__m512i; 2] {
        let places = const { &Places::grouped(C::CELL, 2) };
        // SAFETY: ISA: the caller's.
        unsafe { halves([C::place(places, a), C::place(places, b)]) }
    }

    #[inline(always)]
    unsafe fn merge(planes: [__m512i; 2]) -> [__m512i; 2] {
        let places = const { &Places::ungrouped(C::CELL, 2) };
        // SAFETY: ISA: the caller's.
        unsafe {
            let [a, b] = halves(planes);
            [C::place(places, a), C::place(places, b)]
        }
    }
}

impl<C: Sized512> Weave<3> for Wide<C> {
    #[inline(always)]
    unsafe fn split(lines: [__m512i; 3]) -> [__m512i; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            [
                C::place(
                    const { &Places::in_order(C::CELL, 0) },
                    one_of_three::<C, 0>(lines),
                ),
                C::place(
                    const { &Places::in_order(C::CELL, 1) },
                    one_of_three::<C, 1>(lines),
                ),
                C::place(
                    const { &Places::in_order(C::CELL, 2) },
                    one_of_three::<C, 2>(lines),
                ),
            ]
        }
    }

    #[inline(always)]
    unsafe fn merge([r, g, b]: [__m512i; 3]) -> [__m512i; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let r = C::place(const { &Places::apart(C::CELL, 0) }, r);
            let g = C::place(const { &Places::apart(C::CELL, 1) }, g);
            let b = C::place(const { &Places::apart(C::CELL, 2) }, b);
            [
                one_of_lines::<C, 0>([r, g, b]),
                one_of_lines::<C, 1>([r, g, b]),
                one_of_lines::<C, 2>([r, g, b]),
            ]
        }
    }
}

impl<C: Sized512> Weave<4> for Wide<C> {
    #[inline(always)]
    unsafe fn split([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let places = const { &Places::grouped(C::CELL, 4) };
        // SAFETY: ISA: the caller's.
        unsafe {
            quarters([
                C::place(places, a),
                C::place(places, b),
                C::place(places, c),
                C::place(places, d),
            ])
        }
    }

    #[inline(always)]
    unsafe fn merge(planes: [__m512i; 4]) -> [__m512i; 4] {
        let places = const { &Places::ungrouped(C::CELL, 4) };
        // SAFETY: ISA: the caller's.
        unsafe {
            let [a, b, c, d] = quarters(planes);
            [
                C::place(places, a),
                C::place(places, b),
                C::place(places, c),
                C::place(places, d),
            ]
        }
    }
}

/// The cells of plane `P` from three lines, each where it stands.
///
/// # Safety
/// As [`Sized512::place`].
#[inline(always)]
unsafe fn one_of_three<C: Sized512, const P: usize>([a, b, c]: [__m512i; 3]) -> __m512i {
    // SAFETY: ISA: the caller's.
    unsafe {
        let two = C::choose(const { of_plane(LINE / C::CELL, 1, P) }, a, b);
        C::choose(const { of_plane(LINE / C::CELL, 2, P) }, two, c)
    }
}

/// Line `J` of three from the planes, whose cells stand where they belong.
///
/// # Safety
/// As [`Sized512::place`].
#[inline(always)]
unsafe fn one_of_lines<C: Sized512, const J: usize>([r, g, b]: [__m512i; 3]) -> __m512i {
    // SAFETY: ISA: the caller's.
    unsafe {
        let two = C::choose(const { of_plane(LINE / C::CELL, J, 1) }, r, g);
        C::choose(const { of_plane(LINE / C::CELL, J, 2) }, two, b)
    }
}

/// The second half of `a` and the first of `b` change places.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn halves([a, b]: [__m512i; 2]) -> [__m512i; 2] {
    // SAFETY: ISA: the caller's.
    unsafe {
        [
            _mm512_shuffle_i64x2::<0x44>(a, b),
            _mm512_shuffle_i64x2::<0xee>(a, b),
        ]
    }
}

/// Quarter `i` of line `j` and quarter `j` of line `i` change places.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let [ab, ab_high] = halves([a, b]);
        let [cd, cd_high] = halves([c, d]);
        [
            _mm512_shuffle_i64x2::<0x88>(ab, cd),
            _mm512_shuffle_i64x2::<0xdd>(ab, cd),
            _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
            _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
        ]
    }
}

pub(super) static ONE: [Row; 4] = rows!(
    Wide<One>,
    Avx512Vbmi,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi",
    [
        "interleave-1-avx512vbmi-4x64",
        "interleave-1-avx512vbmi-64x4",
        "interleave-1-avx512vbmi-4x128",
        "interleave-1-avx512vbmi-128x4",
    ]
);

pub(super) static TWO: [Row; 4] = rows!(
    Wide<Two>,
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl",
    [
        "interleave-2-avx512-4x32",
        "interleave-2-avx512-32x4",
        "interleave-2-avx512-4x64",
        "interleave-2-avx512-64x4",
    ]
);

pub(super) static FOUR: [Row; 4] = rows!(
    Wide<Four>,
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl",
    [
        "interleave-4-avx512-4x16",
        "interleave-4-avx512-16x4",
        "interleave-4-avx512-4x32",
        "interleave-4-avx512-32x4",
    ]
);

pub(super) static EIGHT: [Row; 4] = rows!(
    Wide<Eight>,
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl",
    [
        "interleave-8-avx512-4x8",
        "interleave-8-avx512-8x4",
        "interleave-8-avx512-4x16",
        "interleave-8-avx512-16x4",
    ]
);
