//! `interleave` with AVX-512: two planes of 4- or 8-byte cells into pairs that lie anywhere, and back.
//!
//! Where the rows of `avx512` find pixels that do not follow each other: those of many short axes,
//! which an offset table lists.
//!
//! ```text
//!   planes    a0 a1 a2 ..                    pairs   a0 b0 a1 b1 a2 b2 ..
//!             b0 b1 b2 ..
//! ```
//!
//! Two registers of planes are two of pairs, by one permute of both for each. Pairs are rows of the
//! panel, so they may lie anywhere: as many as follow each other, up to a register of each plane, are
//! moved at a time, by masks where that is fewer. Streaming, a step ends where a line ends, and a
//! register that is a whole line goes around the caches, any other through them: lines are whole or
//! cut for good, never both.

use core::arch::x86_64::{
    __m512i, _mm512_cmpeq_epi64_mask, _mm512_loadu_si512, _mm512_mask_storeu_epi32,
    _mm512_maskz_loadu_epi32, _mm512_mullo_epi64, _mm512_permutex2var_epi32, _mm512_set1_epi64,
    _mm512_setr_epi64, _mm512_stream_si512, _mm512_sub_epi64,
};

use super::scalar::cells;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel, Rows};

/// Bytes between a load and the prefetch that goes before it: *guess*.
const AHEAD: usize = 1024;

/// Words of two registers.
type Order = [u32; 16];

/// The words of the first and the second register of pairs of `CELL` byte cells.
const fn to_pairs<const CELL: usize>() -> [Order; 2] {
    let (words, mut order) = (CELL / 4, [[0; 16]; 2]);
    let mut i = 0;
    while i < 32 {
        let (cell, word) = (i / words, i % words);
        // Cell `cell / 2` of plane `cell % 2`.
        order[i / 16][i % 16] = (cell % 2 * 16 + cell / 2 * words + word) as u32;
        i += 1;
    }
    order
}

/// The words of the register of each plane.
const fn to_planes<const CELL: usize>() -> [Order; 2] {
    let (words, mut order) = (CELL / 4, [[0; 16]; 2]);
    let mut i = 0;
    while i < 32 {
        let (plane, at) = (i / 16, i % 16);
        order[plane][at] = ((at / words * 2 + plane) * words + at % words) as u32;
        i += 1;
    }
    order
}

/// The orders of a cell size.
struct Orders<const CELL: usize>;

impl<const CELL: usize> Orders<CELL> {
    const PAIRS: [Order; 2] = to_pairs::<CELL>();
    const PLANES: [Order; 2] = to_planes::<CELL>();
}

/// Of two registers, the words of an order.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn ordered(a: __m512i, b: __m512i, order: &Order) -> __m512i {
    // SAFETY: range: an order is a register; alignment: an unaligned load; ISA: the caller's.
    unsafe { _mm512_permutex2var_epi32(a, _mm512_loadu_si512(order.as_ptr().cast()), b) }
}

/// A mask of the first words.
#[inline(always)]
fn first(bytes: usize) -> u16 {
    ((1_u32 << (bytes / 4)) - 1) as u16
}

/// Loads the first `bytes` of a register.
///
/// # Safety
/// - Range: `bytes`, a multiple of 4 up to 64, can be read at `from`.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn load(from: *const u8, bytes: usize) -> __m512i {
    // SAFETY: range: masked-out words are not accessed; alignment: an unaligned load; ISA: the
    // caller's.
    unsafe { _mm512_maskz_loadu_epi32(first(bytes), from.cast()) }
}

/// Stores the first `bytes` of a register: around the caches if they are to be and are a line.
///
/// # Safety
/// - Range: `bytes`, a multiple of 4 up to 64, can be written at `to`.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn store<const STREAM: bool>(to: *mut u8, register: __m512i, bytes: usize) {
    // SAFETY: range: masked-out words are not accessed; alignment: streamed is what starts a line;
    // ISA: the caller's.
    unsafe {
        if STREAM && bytes == LINE && to.addr().is_multiple_of(LINE) {
            _mm512_stream_si512(to.cast(), register);
        } else {
            _mm512_mask_storeu_epi32(to.cast(), first(bytes), register);
        }
    }
}

/// How many rows from `r` on, of `rows`, follow each other `unit` bytes apart; at least one, at most
/// `most`, which is 8 or 16.
///
/// # Safety
/// - Shape: `r` is below `rows`, and tables and lists have an entry for each row.
/// - ISA: AVX-512 F and DQ.
#[inline(always)]
unsafe fn following(side: Rows<'_>, r: usize, rows: usize, unit: usize, most: usize) -> usize {
    let left = most.min(rows - r);
    match side {
        Rows::Stride(stride) if stride == unit as isize => left,
        Rows::Offsets(table) if left == most => {
            let mut count = 0;
            while count < most {
                // SAFETY: shape: entries r to r + most exist, eight of them from `count` on; ISA:
                // the caller's.
                let equal = unsafe {
                    let entries = table.as_ptr().add(r);
                    let place = count as i64;
                    let from = |i: i64| place + i;
                    let places = _mm512_setr_epi64(
                        from(0),
                        from(1),
                        from(2),
                        from(3),
                        from(4),
                        from(5),
                        from(6),
                        from(7),
                    );
                    let apart = _mm512_sub_epi64(
                        _mm512_loadu_si512(entries.add(count).cast()),
                        _mm512_set1_epi64(*entries as i64),
                    );
                    let wanted = _mm512_mullo_epi64(places, _mm512_set1_epi64(unit as i64));
                    _mm512_cmpeq_epi64_mask(apart, wanted)
                };
                if equal != 0xff {
                    return count + equal.trailing_ones() as usize;
                }
                count += 8;
            }
            most
        }
        _ => {
            // SAFETY: shape: rows below `rows`.
            let at = |i| unsafe { side.at(core::ptr::null_mut(), r + i) }.addr();
            (1..left)
                .find(|&i| at(i) != at(0).wrapping_add(i * unit))
                .unwrap_or(left)
        }
    }
}

/// Two planes into pairs: the panel has two columns.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `CELL` byte cells and two columns. ISA:
/// AVX-512 F and DQ.
#[inline(always)]
unsafe fn pairs<const CELL: usize, const STREAM: bool>(panel: &Panel<'_>) {
    let mut r = 0;
    // SAFETY: shape: the panel has two source rows, and has not none where cells are moved; range:
    // `n` rows from r on are the panel's, their cells are `n` of each source row, and their pairs
    // follow each other at `to`; ISA: the caller's.
    unsafe {
        while r < panel.rows {
            let (a, b) = (panel.src.cell(0, r), panel.src.cell(1, r));
            let to = panel.dst.cell(r, 0);
            let mut n = following(panel.dst.rows, r, panel.rows, 2 * CELL, LINE / CELL);
            if STREAM {
                n = n.min((2 * LINE - to.addr() % LINE) / (2 * CELL));
            }
            prefetch(a.wrapping_add(AHEAD));
            prefetch(b.wrapping_add(AHEAD));
            let (a, b) = (load(a, n * CELL), load(b, n * CELL));
            let [low, high] = &Orders::<CELL>::PAIRS;
            let bytes = 2 * n * CELL;
            store::<STREAM>(to, ordered(a, b, low), bytes.min(LINE));
            if bytes > LINE {
                store::<STREAM>(to.add(LINE), ordered(a, b, high), bytes - LINE);
            }
            r += n;
        }
    }
}

/// Pairs into two planes: the panel has two rows.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `CELL` byte cells and two rows. ISA:
/// AVX-512 F and DQ.
#[inline(always)]
unsafe fn planes<const CELL: usize, const STREAM: bool>(panel: &Panel<'_>) {
    let mut c = 0;
    // SAFETY: as in `pairs`, with the sides exchanged.
    unsafe {
        while c < panel.cols {
            let from = panel.src.cell(c, 0).cast_const();
            let (a, b) = (panel.dst.cell(0, c), panel.dst.cell(1, c));
            let mut n = following(panel.src.rows, c, panel.cols, 2 * CELL, LINE / CELL);
            if STREAM {
                n = n.min((LINE - a.addr() % LINE).div_ceil(CELL));
            }
            prefetch(from.wrapping_add(AHEAD));
            prefetch(from.wrapping_add(AHEAD + LINE));
            let bytes = 2 * n * CELL;
            let low = load(from, bytes.min(LINE));
            let high = load(from.wrapping_add(LINE), bytes.saturating_sub(LINE));
            let [first, second] = &Orders::<CELL>::PLANES;
            store::<STREAM>(a, ordered(low, high, first), n * CELL);
            store::<STREAM>(b, ordered(low, high, second), n * CELL);
            c += n;
        }
    }
}

/// Whether some of the rows that a side lists follow each other so many bytes apart: the first two do where dimensions
/// of which any goes on where the one before it ends make the table.
///
/// # Safety
/// - Shape: tables and lists have an entry for each of `rows`.
#[inline(always)]
unsafe fn follow(side: Rows<'_>, rows: usize, unit: usize) -> bool {
    let base = core::ptr::null_mut();
    // SAFETY: shape: rows 0 and 1 exist.
    let second = || unsafe {
        side.at(base, 1)
            .addr()
            .wrapping_sub(side.at(base, 0).addr())
    };
    !matches!(side, Rows::Stride(_)) && (rows < 2 || second() == unit)
}

/// Moves a panel of two planes some of whose pairs follow each other; another one cell by cell, as also where
/// none do: f32 of 2048 pairs a line apart took 6 times as long as a plain loop, and so as long.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `CELL` byte cells; the guard of the task
/// is held if this `streams`. ISA: AVX-512 F and DQ.
#[inline(always)]
pub(super) unsafe fn scattered<const CELL: usize>(panel: &Panel<'_>, streams: bool) {
    // SAFETY: shape: as the contract says; and passed on: each arm is of two columns or two rows, the last of any;
    // ISA: the caller's.
    unsafe {
        let to = || follow(panel.dst.rows, panel.rows, 2 * CELL);
        let from = || follow(panel.src.rows, panel.cols, 2 * CELL);
        match (panel.rows, panel.cols, streams) {
            (_, 2, false) if to() => pairs::<CELL, false>(panel),
            (_, 2, true) if to() => pairs::<CELL, true>(panel),
            (2, _, false) if from() => planes::<CELL, false>(panel),
            (2, _, true) if from() => planes::<CELL, true>(panel),
            _ => cells(panel),
        }
    }
}
