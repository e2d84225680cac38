//! Square tiles for copies of a few cells: no row of the table, so that nothing is looked up, and inlined where
//! they are called.
//!
//! A tile is transposed as [`portable`](super::portable) does it, by perfect shuffles, though its rows may be shorter
//! than a register: then they are the first cells of one, or two of them share one. Either way a shuffle interleaves
//! the first half of *all* cells with the second, whatever rows they are of:
//!
//! ```text
//!   a0 a1 a2 a3 ..        a0 c0 a1 c1 a2 c2 a3 c3        a0 b0 c0 d0 a1 b1 c1 d1
//!   b0 b1 b2 b3 ..   ->   b0 d0 b1 d1 b2 d2 b3 d3   ->   a2 b2 c2 d2 a3 b3 c3 d3
//!   c0 c1 c2 c3 ..
//!   d0 d1 d2 d3 ..
//! ```

use wide::bytemuck::cast;
use wide::{u8x16, u16x8, u32x4, u64x2};

use super::portable::one;

/// Moves a crossed tile of `SIDE` by `SIDE` cells of `CELL` bytes: cell `r` of row `c` of the source to cell `c`
/// of row `r` of the destination. Each side is the address of its first cell, and the bytes from one row to the
/// next. There are tiles of 4 by 4 cells of 1, 2, 4 and 8 bytes, and of 8 by 8 of 1 and 2; no other compiles.
///
/// # Safety
/// - Range: the cells of the tile can be read in the source and written in the destination.
/// - Aliasing: destination cells are disjoint from each other and from the source cells, and no other thread
///   touches them.
/// - Alignment: none.
/// - ISA: the build's own.
#[inline(always)]
pub unsafe fn move_square<const CELL: usize, const SIDE: usize>(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
) {
    const { assert!(matches!((CELL, SIDE), (1 | 2 | 4 | 8, 4) | (1 | 2, 8))) };
    // SAFETY: passed on, for the cells and the side that each function names.
    unsafe {
        match (CELL, SIDE) {
            (1, 4) => bytes_by_4(src, dst),
            (1, 8) => bytes_by_8(src, dst),
            (2, 4) => pairs_by_4(src, dst),
            (2, _) => one::<u16x8, 8>(src, dst),
            (4, _) => one::<u32x4, 4>(src, dst),
            _ => eights_by_4(src, dst),
        }
    }
}

/// `N` bytes of row `i` of a side.
///
/// # Safety
/// They can be read.
#[inline(always)]
unsafe fn row<const N: usize>((base, stride): (*const u8, isize), i: isize) -> [u8; N] {
    // SAFETY: passed on; bytes have no alignment.
    unsafe { base.wrapping_offset(i * stride).cast::<[u8; N]>().read() }
}

/// Writes `N` bytes to row `i` of a side.
///
/// # Safety
/// They can be written.
#[inline(always)]
unsafe fn put<const N: usize>((base, stride): (*mut u8, isize), i: isize, row: [u8; N]) {
    // SAFETY: passed on; bytes have no alignment.
    unsafe {
        base.wrapping_offset(i * stride)
            .cast::<[u8; N]>()
            .write(row)
    }
}

/// Both of `low` and `high`, `low` first.
#[inline(always)]
fn joined(low: [u8; 8], high: [u8; 8]) -> u8x16 {
    cast(u64x2::from([cast(low), cast(high)]))
}

/// # Safety
/// As [`move_square`], 4 by 4 cells of a byte.
#[inline(always)]
unsafe fn bytes_by_4(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on: a row is four bytes, and there are four.
    unsafe {
        let one = |i: isize| -> u8x16 { cast(u32x4::from([cast(row::<4>(src, i)), 0, 0, 0])) };
        let low = u8x16::unpack_low;
        let rows: [[u8; 4]; 4] = cast(low(low(one(0), one(2)), low(one(1), one(3))));
        put(dst, 0, rows[0]);
        put(dst, 1, rows[1]);
        put(dst, 2, rows[2]);
        put(dst, 3, rows[3]);
    }
}

/// # Safety
/// As [`move_square`], 8 by 8 cells of a byte.
#[inline(always)]
unsafe fn bytes_by_8(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on: a row is eight bytes, and there are eight.
    unsafe {
        let two = |i: isize| joined(row(src, i), row(src, i + 1));
        let mut pairs = [two(0), two(2), two(4), two(6)];
        for _ in 0..3 {
            let [a, b, c, d] = pairs;
            let (low, high) = (u8x16::unpack_low, u8x16::unpack_high);
            pairs = [low(a, c), high(a, c), low(b, d), high(b, d)];
        }
        for (i, pair) in (0..).zip(pairs) {
            let [low, high]: [[u8; 8]; 2] = cast(pair);
            put(dst, 2 * i, low);
            put(dst, 2 * i + 1, high);
        }
    }
}

/// # Safety
/// As [`move_square`], 4 by 4 cells of two bytes.
#[inline(always)]
unsafe fn pairs_by_4(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on: a row is eight bytes, and there are four.
    unsafe {
        let one = |i: isize| -> u16x8 { cast(joined(row(src, i), [0; 8])) };
        let none = u16x8::default();
        let rows = u16x8::transpose([one(0), one(1), one(2), one(3), none, none, none, none]);
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| cast::<u16x8, [[u8; 8]; 2]>(rows[i])[0]);
        put(dst, 0, a);
        put(dst, 1, b);
        put(dst, 2, c);
        put(dst, 3, d);
    }
}

/// # Safety
/// As [`move_square`], 4 by 4 cells of eight bytes.
#[inline(always)]
unsafe fn eights_by_4(src: (*const u8, isize), dst: (*mut u8, isize)) {
    for (i, j) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
        let from = src.0.wrapping_offset(i * src.1 + j * 8);
        let to = dst.0.wrapping_offset(j * dst.1 + i * 8);
        // SAFETY: passed on, for a quarter of the tile.
        unsafe { one::<u64x2, 2>((from, src.1), (to, dst.1)) };
    }
}
