//! `interleave` with 32-byte vectors: a line is two registers, each of which goes its own way.
//!
//! As with AVX-512: three planes by taking one in by masks, two and four by grouping. Cells of one
//! and two bytes are put in order inside of 16 bytes, so for three planes lines are dealt out by
//! sixteens first:
//!
//! ```text
//!   48 bytes | 48 bytes      0 1 | 2 3 | 4 5   ->   0 3 | 1 4 | 2 5
//! ```

use core::arch::x86_64::{
    __m256i, _mm256_permute2x128_si256, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};
use core::marker::PhantomData;

use super::avx2_cells::{Large, Sized256, Small, Table, choose};
use super::avx2_line::Halves;
use super::rows::rows;
use super::weave::{Cells, Turn, Walk, Weave, Weaves, walk_apart};
use super::woven::Woven;
use crate::row::Row;

/// Lines of cells, two registers each.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<C>(PhantomData<C>);

impl<C: Sized256> Cells for Pairs<C> {
    const CELL: usize = C::CELL;
    const MASKS: bool = C::CELL.is_multiple_of(4);
    /// With and without, of memcpy, Zen 3 (512 KiB of second-level cache): u8 3 planes of 50 KB 0.80 and 0.94,
    /// f32 4 planes of 400 KB 0.77 and 0.99, others up to 1.6 MB the same.
    const COLD: usize = 2 << 20;
    type Line = Halves;
}

impl<C: Sized256> Turn for Pairs<C> {
    #[inline(always)]
    unsafe fn turned(Halves([low, high]): Halves) -> Halves {
        // SAFETY: ISA: the caller's.
        unsafe { Halves([C::turned(high), C::turned(low)]) }
    }
}

impl<C: Sized256> Weaves for Pairs<C> {
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn apart<K: Walk>(woven: &Woven) -> bool {
        // SAFETY: passed on; ISA: enabled here.
        unsafe { walk_apart::<K, Self>(woven) }
    }
}

impl<C: Sized256> Weave<2> for Pairs<C> {
    #[inline(always)]
    unsafe fn split([a, b]: [Halves; 2]) -> [Halves; 2] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let [a, b] = [split_two::<C>(a.0), split_two::<C>(b.0)];
            [Halves([a[0], b[0]]), Halves([a[1], b[1]])]
        }
    }

    #[inline(always)]
    unsafe fn merge([a, b]: [Halves; 2]) -> [Halves; 2] {
        // SAFETY: ISA: the caller's.
        unsafe {
            [
                Halves(merge_two::<C>([a.0[0], b.0[0]])),
                Halves(merge_two::<C>([a.0[1], b.0[1]])),
            ]
        }
    }
}

impl<C: Sized256> Weave<3> for Pairs<C> {
    #[inline(always)]
    unsafe fn split([a, b, c]: [Halves; 3]) -> [Halves; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let first = split_three::<C>([a.0[0], a.0[1], b.0[0]]);
            let second = split_three::<C>([b.0[1], c.0[0], c.0[1]]);
            [
                Halves([first[0], second[0]]),
                Halves([first[1], second[1]]),
                Halves([first[2], second[2]]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn merge([a, b, c]: [Halves; 3]) -> [Halves; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let first = merge_three::<C>([a.0[0], b.0[0], c.0[0]]);
            let second = merge_three::<C>([a.0[1], b.0[1], c.0[1]]);
            [
                Halves([first[0], first[1]]),
                Halves([first[2], second[0]]),
                Halves([second[1], second[2]]),
            ]
        }
    }
}

impl<C: Sized256> Weave<4> for Pairs<C> {
    #[inline(always)]
    unsafe fn split([a, b, c, d]: [Halves; 4]) -> [Halves; 4] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let first = split_four::<C>([a.0[0], a.0[1], b.0[0], b.0[1]]);
            let second = split_four::<C>([c.0[0], c.0[1], d.0[0], d.0[1]]);
            [
                Halves([first[0], second[0]]),
                Halves([first[1], second[1]]),
                Halves([first[2], second[2]]),
                Halves([first[3], second[3]]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn merge([a, b, c, d]: [Halves; 4]) -> [Halves; 4] {
        // SAFETY: ISA: the caller's.
        unsafe {
            let first = merge_four::<C>([a.0[0], b.0[0], c.0[0], d.0[0]]);
            let second = merge_four::<C>([a.0[1], b.0[1], c.0[1], d.0[1]]);
            [
                Halves([first[0], first[1]]),
                Halves([first[2], first[3]]),
                Halves([second[0], second[1]]),
                Halves([second[2], second[3]]),
            ]
        }
    }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn split_two<C: Sized256>([a, b]: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: ISA: the caller's.
    unsafe { halves([C::grouped::<2>(a), C::grouped::<2>(b)]) }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn merge_two<C: Sized256>(planes: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let [a, b] = halves(planes);
        [C::ungrouped::<2>(a), C::ungrouped::<2>(b)]
    }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn split_three<C: Sized256>(lines: [__m256i; 3]) -> [__m256i; 3] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let pieces = C::deal(lines);
        [
            C::in_order::<0>(one_of_three::<C, 0>(pieces)),
            C::in_order::<1>(one_of_three::<C, 1>(pieces)),
            C::in_order::<2>(one_of_three::<C, 2>(pieces)),
        ]
    }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn merge_three<C: Sized256>([r, g, b]: [__m256i; 3]) -> [__m256i; 3] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let planes = [C::apart::<0>(r), C::apart::<1>(g), C::apart::<2>(b)];
        C::collect([
            one_of_pieces::<C, 0>(planes),
            one_of_pieces::<C, 1>(planes),
            one_of_pieces::<C, 2>(planes),
        ])
    }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn split_four<C: Sized256>([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe {
        quarters([
            C::grouped::<4>(a),
            C::grouped::<4>(b),
            C::grouped::<4>(c),
            C::grouped::<4>(d),
        ])
    }
}

/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn merge_four<C: Sized256>(planes: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let [a, b, c, d] = quarters(planes);
        [
            C::ungrouped::<4>(a),
            C::ungrouped::<4>(b),
            C::ungrouped::<4>(c),
            C::ungrouped::<4>(d),
        ]
    }
}

/// The cells of plane `P` from three pieces, each where it stands.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn one_of_three<C: Sized256, const P: usize>([a, b, c]: [__m256i; 3]) -> __m256i {
    // SAFETY: ISA: the caller's.
    unsafe {
        let two = choose(const { &Table::of_plane(C::CELL, C::PIECE, 1, P) }, a, b);
        choose(const { &Table::of_plane(C::CELL, C::PIECE, 2, P) }, two, c)
    }
}

/// Piece `J` of three from the planes, whose cells stand where they belong.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn one_of_pieces<C: Sized256, const J: usize>([r, g, b]: [__m256i; 3]) -> __m256i {
    // SAFETY: ISA: the caller's.
    unsafe {
        let two = choose(const { &Table::of_plane(C::CELL, C::PIECE, J, 1) }, r, g);
        choose(const { &Table::of_plane(C::CELL, C::PIECE, J, 2) }, two, b)
    }
}

/// The second half of `a` and the first of `b` change places.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn halves([a, b]: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: ISA: the caller's.
    unsafe {
        [
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x31>(a, b),
        ]
    }
}

/// Quarter `i` of register `j` and quarter `j` of register `i` change places.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn quarters([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: ISA: the caller's.
    unsafe {
        let (ab, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (cd, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        let ([first, third], [second, fourth]) = (halves([ab, cd]), halves([ab_odd, cd_odd]));
        [first, second, third, fourth]
    }
}

pub(super) static ONE: [Row; 4] = rows!(
    Pairs<Small<1>>,
    Avx2,
    "avx2",
    [
        "interleave-1-avx2-4x64",
        "interleave-1-avx2-64x4",
        "interleave-1-avx2-4x128",
        "interleave-1-avx2-128x4",
    ]
);

pub(super) static TWO: [Row; 4] = rows!(
    Pairs<Small<2>>,
    Avx2,
    "avx2",
    [
        "interleave-2-avx2-4x32",
        "interleave-2-avx2-32x4",
        "interleave-2-avx2-4x64",
        "interleave-2-avx2-64x4",
    ]
);

pub(super) static FOUR: [Row; 4] = rows!(
    Pairs<Large<4>>,
    Avx2,
    "avx2",
    [
        "interleave-4-avx2-4x16",
        "interleave-4-avx2-16x4",
        "interleave-4-avx2-4x32",
        "interleave-4-avx2-32x4",
    ]
);

pub(super) static EIGHT: [Row; 4] = rows!(
    Pairs<Large<8>>,
    Avx2,
    "avx2",
    [
        "interleave-8-avx2-4x8",
        "interleave-8-avx2-8x4",
        "interleave-8-avx2-4x16",
        "interleave-8-avx2-16x4",
    ]
);
