//! `transpose` with 128-bit vectors: square tiles of 16 / cell rows, on every target.
//!
//! A tile of `N` rows goes through `log2 N` perfect shuffles: row `i` is interleaved with row
//! `i + N/2`, which moves the highest bit of the row index to the lowest place of the column index
//! and the highest bit of the column index to the lowest place of the row index. After `log2 N` of
//! them the two indices have changed places. For four cells of 4 bytes:
//!
//! ```text
//!   a0 a1 a2 a3        a0 c0 a1 c1  lo(0, 2)        a0 b0 c0 d0  lo(0, 2)
//!   b0 b1 b2 b3   ->   a2 c2 a3 c3  hi(0, 2)   ->   a1 b1 c1 d1  hi(0, 2)
//!   c0 c1 c2 c3        b0 d0 b1 d1  lo(1, 3)        a2 b2 c2 d2  lo(1, 3)
//!   d0 d1 d2 d3        b2 d2 b3 d3  hi(1, 3)        a3 b3 c3 d3  hi(1, 3)
//! ```
//!
//! Integer vectors only: a float could lose the payload of a NaN on its way through a register.

use core::marker::PhantomData;

use wide::{u8x16, u16x8, u32x4, u64x2};

use super::lines::Lines;
use super::strips::{alone, strip};
use super::walk::{RegisterTile, walk};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// `N` cells in 16 bytes, and the transposition of `N` of them.
pub(super) trait Vector<const N: usize>: Copy + Default {
    fn transposed(rows: [Self; N]) -> [Self; N];
}

impl Vector<16> for u8x16 {
    #[inline(always)]
    fn transposed(rows: [Self; 16]) -> [Self; 16] {
        shuffled(rows, Self::unpack_low, Self::unpack_high)
    }
}

/// `wide` has no interleave of two-byte cells, but the whole transposition.
impl Vector<8> for u16x8 {
    #[inline(always)]
    fn transposed(rows: [Self; 8]) -> [Self; 8] {
        Self::transpose(rows)
    }
}

impl Vector<4> for u32x4 {
    #[inline(always)]
    fn transposed(rows: [Self; 4]) -> [Self; 4] {
        shuffled(rows, Self::unpack_lo, Self::unpack_hi)
    }
}

impl Vector<2> for u64x2 {
    #[inline(always)]
    fn transposed(rows: [Self; 2]) -> [Self; 2] {
        shuffled(rows, Self::unpack_lo, Self::unpack_hi)
    }
}

/// `log2 N` perfect shuffles, as drawn above. Written out, because a loop of four stages of sixteen
/// registers is not unrolled but goes through the stack.
#[inline(always)]
fn shuffled<V: Copy, const N: usize>(
    rows: [V; N],
    low: impl Fn(V, V) -> V,
    high: impl Fn(V, V) -> V,
) -> [V; N] {
    let stage = |from: [V; N]| {
        let mut rows = from;
        for i in 0..N / 2 {
            rows[2 * i] = low(from[i], from[i + N / 2]);
            rows[2 * i + 1] = high(from[i], from[i + N / 2]);
        }
        rows
    };
    match N {
        2 => stage(rows),
        4 => stage(stage(rows)),
        16 => stage(stage(stage(stage(rows)))),
        _ => unreachable!("no tile has {N} rows"),
    }
}

/// A tile of `N` vectors of `N` cells.
#[derive(Clone, Copy)]
pub(super) struct Square<V, const N: usize>(PhantomData<V>);

/// Sixteen rows of sixteen bytes.
#[cfg(target_arch = "x86_64")]
pub(super) const SIXTEEN: Square<u8x16, 16> = Square(PhantomData);
/// Eight rows of eight cells of two bytes.
#[cfg(target_arch = "x86_64")]
pub(super) const EIGHT: Square<u16x8, 8> = Square(PhantomData);

impl<V: Vector<N>, const N: usize> RegisterTile for Square<V, N> {
    const CELL: usize = size_of::<V>() / N;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let mut tile = [V::default(); N];
        // Loops of up to eight, which are unrolled with their addresses: u8 16x16 takes 12 ns, 200 with
        // one loop.
        let (groups, group) = const { (N.div_ceil(8), if N < 8 { N } else { 8 }) };
        for first in (0..groups).map(|k| k * group) {
            for i in 0..group {
                let i = first + i;
                // SAFETY: shape: i is below N, the tile's lines on both sides; range: N cells are one
                // vector; aliasing: only read; alignment: an unaligned read; ISA: the build's own.
                tile[i] = unsafe { src.at(i).cast::<V>().read_unaligned() };
            }
        }
        let tile = V::transposed(tile);
        for first in (0..groups).map(|k| k * group) {
            for i in 0..group {
                let i = first + i;
                // SAFETY: shape: i is below N, the tile's lines on both sides; range: N cells are one
                // vector; aliasing: the source was read before, and does not overlap; alignment: an
                // unaligned write; ISA: the build's own.
                unsafe { dst.at(i).cast::<V>().write_unaligned(tile[i]) };
            }
        }
    }
}

/// A row moves the last tile of a direction back over the one before, so it needs one tile.
const fn row<V: Vector<N>, const N: usize>(name: &'static str) -> Row {
    Row {
        name,
        family: Family::Transpose,
        cell: CellSize::Exact(size_of::<V>() / N),
        isa: Isa::Portable,
        tile: Tile { rows: N, cols: N },
        needs: |ask| ask.rows >= N && ask.cols >= N,
        call: Call::Tiles {
            call: tiles::<V, N>,
            one: called::<V, N>,
            strips: strips::<V, N>,
        },
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
unsafe fn tiles<V: Vector<N>, const N: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: the row takes panels of its cell size with N rows and columns or more; the
    // ISA is the build's own.
    unsafe { walk(panel, Square::<V, N>(PhantomData)) }
}

/// # Safety
/// As [`strip`], with a tile of `N` rows and columns of the cells of `V`.
unsafe fn strips<V: Vector<N>, const N: usize>(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    size: (usize, usize),
) {
    let tile = Square::<V, N>(PhantomData);
    // SAFETY: passed on: a block is a tile; the ISA is the build's own.
    unsafe { strip(tile, (called::<V, N>, called::<V, N>), src, dst, size) }
}

/// [`one`], called.
///
/// # Safety
/// As [`one`].
#[inline(never)] // see the top of `strips`
unsafe fn called<V: Vector<N>, const N: usize>(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on.
    unsafe { one::<V, N>(src, dst) }
}

/// # Safety
/// As [`alone`], with a tile of `N` rows and columns of the cells of `V`.
#[inline(always)]
pub(super) unsafe fn one<V: Vector<N>, const N: usize>(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
) {
    // SAFETY: passed on; the ISA is the build's own.
    unsafe { alone::<_, false>(Square::<V, N>(PhantomData), src, dst) }
}

pub(super) static ROWS: &[Row] = &[
    row::<u8x16, 16>("transpose-1-portable-16x16"),
    row::<u16x8, 8>("transpose-2-portable-8x8"),
    row::<u32x4, 4>("transpose-4-portable-4x4"),
    row::<u64x2, 2>("transpose-8-portable-2x2"),
];
