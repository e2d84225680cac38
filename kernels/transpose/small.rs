//! Small tiles for copies of a few cells: no row of the table, so that nothing is looked up, and inlined where
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

/// Moves a crossed tile of `ROWS` by `COLS` cells of `CELL` bytes: cell `r` of row `c` of the source to cell `c`
/// of row `r` of the destination. Each side is the address of its first cell, and the bytes from one row to the
/// next. There are tiles of 4 by 4 cells of 1, 2, 4 and 8 bytes, of 8 by 8 of 1 and 2, and of 2 or 3 by 4 and 4 by
/// 2 or 3 of 4 and 8; no other compiles.
///
/// # Safety
/// - Range: the cells of the tile can be read in the source and written in the destination.
/// - Aliasing: destination cells are disjoint from each other and from the source cells, and no other thread
///   touches them.
/// - Alignment: none.
/// - ISA: the build's own.
#[inline(always)]
pub unsafe fn move_tile<const CELL: usize, const ROWS: usize, const COLS: usize>(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
) {
    const {
        let square = matches!((CELL, ROWS, COLS), (1 | 2 | 4 | 8, 4, 4) | (1 | 2, 8, 8));
        let narrow = matches!((ROWS, COLS), (2 | 3, 4) | (4, 2 | 3));
        assert!(square || narrow && matches!(CELL, 4 | 8));
    }
    // SAFETY: passed on, for the cells, rows and columns that each function names.
    unsafe {
        match (CELL, ROWS, COLS) {
            (1, 4, _) => bytes_by_4(src, dst),
            (1, ..) => bytes_by_8(src, dst),
            (2, 4, _) => pairs_by_4(src, dst),
            (2, ..) => one::<u16x8, 8>(src, dst),
            (4, 4, 4) => one::<u32x4, 4>(src, dst),
            (4, 4, _) => fours_tall::<COLS>(src, dst),
            (4, ..) => fours_wide::<ROWS>(src, dst),
            _ => eights::<ROWS, COLS>(src, dst),
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
/// As [`move_tile`], 4 by 4 cells of a byte.
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
/// As [`move_tile`], 8 by 8 cells of a byte.
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
/// As [`move_tile`], 4 by 4 cells of two bytes.
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
/// As [`move_tile`], 4 rows by 2 or 3 columns of cells of four bytes.
#[inline(always)]
unsafe fn fours_tall<const COLS: usize>(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on: a source row is 16 bytes, of which there are `COLS`, a destination row 8 or 12.
    unsafe {
        let one = |i: isize| -> u32x4 { cast(row::<16>(src, i)) };
        let (a, b) = (one(0), one(1));
        if COLS == 2 {
            for (i, pair) in [(0, a.unpack_lo(b)), (2, a.unpack_hi(b))] {
                let [low, high]: [[u8; 8]; 2] = cast(pair);
                put(dst, i, low);
                put(dst, i + 1, high);
            }
            return;
        }
        for (i, three) in (0..).zip(u32x4::transpose([a, b, one(2), u32x4::default()])) {
            let [pair, last]: [[u8; 8]; 2] = cast(three);
            put(dst, i, pair);
            put((dst.0.wrapping_add(8), dst.1), i, quad(last));
        }
    }
}

/// # Safety
/// As [`move_tile`], 2 or 3 rows by 4 columns of cells of four bytes.
#[inline(always)]
unsafe fn fours_wide<const ROWS: usize>(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on: a source row is 8 or 12 bytes, of which there are four, a destination row 16.
    unsafe {
        let one = |i: isize| -> u32x4 {
            let last = match ROWS {
                3 => row::<4>((src.0.wrapping_add(8), src.1), i),
                _ => [0; 4],
            };
            let [low, high]: [u32; 2] = cast(row::<8>(src, i));
            u32x4::from([low, high, cast(last), 0])
        };
        let rows = u32x4::transpose([one(0), one(1), one(2), one(3)]);
        for (i, &row) in (0..).zip(&rows[..ROWS]) {
            put::<16>(dst, i, cast(row));
        }
    }
}

/// The first four bytes of eight.
#[inline(always)]
fn quad(bytes: [u8; 8]) -> [u8; 4] {
    cast::<[u8; 8], [[u8; 4]; 2]>(bytes)[0]
}

/// # Safety
/// As [`move_tile`], cells of eight bytes: in squares of 2 by 2, and what is left over cell by cell.
#[inline(always)]
unsafe fn eights<const ROWS: usize, const COLS: usize>(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
) {
    let at = |r: usize, c: usize| {
        let (row, col) = (r as isize, c as isize);
        let from = src.0.wrapping_offset(col * src.1 + row * 8);
        let to = dst.0.wrapping_offset(row * dst.1 + col * 8);
        ((from, src.1), (to, dst.1))
    };
    // SAFETY: passed on, for two rows and columns of the tile, or for one.
    unsafe {
        for (r, c) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
            if r + 2 <= ROWS && c + 2 <= COLS {
                let (from, to) = at(r, c);
                one::<u64x2, 2>(from, to);
            }
        }
        if ROWS == 3 {
            for c in 0..COLS {
                let (from, to) = at(2, c);
                put(to, 0, row::<8>(from, 0));
            }
        }
        if COLS == 3 {
            for r in 0..ROWS {
                let (from, to) = at(r, 2);
                put(to, 0, row::<8>(from, 0));
            }
        }
    }
}
