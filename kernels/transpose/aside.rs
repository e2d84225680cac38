//! Small panels through the caches whose rows share few sets of the first-level cache: rows are copied aside, and
//! transposed there, or from there to where they belong.
//!
//! A file of its own because this is done before and after tiles, whatever those are. Tiles come back to a line, most
//! often those of small cells, and where rows share sets it has left the cache by then; runs are copied in one go:
//!
//! ```text
//!   src   rows about pages apart  ->  rows side by side  ->  tiles  ->  rows side by side  ->  dst
//! ```
//!
//! One side or both, whichever is so. Where rows are whole lines, tiles that load each line once are better
//! ([`far`](super::far)): AVX-512, u8 64x64, 64 of them, 0.20 of memcpy and, aside, 0.15.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::lines::{NEAR, crowded, pages_apart};
use crate::cpu::by_amd;
use crate::panel::{LINE, Pairing, Panel, Rows, Side, SourceGaps};
use crate::run::{Once, by_length};

/// Bytes of a panel at least: *guess*, two or three times what it costs to look at its rows.
const LEAST: usize = 2 << 10;
/// Bytes of a row that is copied, at most: *guess*, longer ones were not measured.
const SHORT: usize = 4 * LINE;
/// Bytes of rows aside, a side: with those of the other one, what the first-level cache holds.
const ROOM: usize = 17 << 10;
/// Rows that there is room for at least: half as many, which is what is left when they are dealt out, have a tile of
/// each row that calls this.
const FEWEST: usize = 64;

const _: () = assert!(FEWEST * pitch(SHORT) <= ROOM);

/// Rows of one side.
#[repr(align(64))]
struct Room([MaybeUninit<u8>; ROOM]);

/// Bytes from one row aside to the next: an odd number of quarters of a line, so that rows are in all sets.
const fn pitch(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE / 4) | (LINE / 4)
}

/// Whether rows, so many of so many bytes, are copied aside. `loads_once` says that tiles load whole lines once.
///
/// Of memcpy, left where they are and so, Zen 4. Rows that end inside lines: u8, panels of 66x65, 63 of them, source
/// rows 4095 bytes apart, 0.04 and 0.12; 66x66 of 4092 on both sides, 0.05 and 0.11; 65x66, destination rows 4095
/// apart, 0.09 and 0.12; 80x80 of 5120, 0.13 and 0.23; 96x96 of 6144, 0.16 and 0.24; 100x100 of 4100, 0.11 and 0.13.
/// u16 33x33 of 4092, 0.05 and 0.08; 66x66 of 4092, 0.09 and 0.15; but not near pages, 80x80 of 5120, 0.29 and 0.26.
/// Wider cells: f32 20x20 of 4080, 0.22 and 0.13; f64 18x17 of 4080, 0.41 and 0.24.
///
/// Whole lines, in tiles that come back to them (AVX2): u8 64x64 of 4096, 0.08 and 0.15; 256x256 of 8192, 0.10 and
/// 0.21; u16 64x64 of 8192, 0.13 and 0.21; f32 64x64 of 4096, 0.18 and 0.31; f64 32x32 of 8192, 0.28 and 0.36; but
/// 16x16 of 4096, 0.29 and 0.18, and 24x24 of 4608, 0.23 and 0.22.
#[inline(always)]
fn share_sets(
    rows: &Rows<'_>,
    (count, bytes): (usize, usize),
    cell: usize,
    loads_once: bool,
) -> bool {
    /// Bytes of a panel of wide cells at least.
    const LARGE: usize = 4 << 10;
    let Rows::Stride(stride) = rows else {
        return false;
    };
    let apart = stride.unsigned_abs();
    let often = !loads_once || !(apart | bytes).is_multiple_of(LINE);
    if !often || bytes > SHORT || apart <= pitch(bytes) {
        return false;
    }
    match cell {
        1 => crowded(apart, count.min(FEWEST)),
        2 => pages_apart(rows, NEAR),
        _ => pages_apart(rows, 0) && count * bytes >= LARGE,
    }
}

/// Moves the panel by way of rows aside, if it is one for that: false, and nothing moved, if not.
///
/// # Safety
/// The contract of the crate, with a panel that `tiles` moves, as it does any part of that with 32 rows and columns or
/// more; ISA: AVX2, and that of `tiles`.
#[inline(always)]
pub(super) unsafe fn moved(
    panel: &Panel<'_>,
    tiles: unsafe fn(&Panel<'_>),
    loads_once: bool,
) -> bool {
    let Panel {
        rows, cols, cell, ..
    } = *panel;
    if rows * cols * cell < LEAST || !by_amd() {
        return false;
    }
    let src = share_sets(&panel.src.rows, (cols, rows * cell), cell, loads_once);
    let dst = share_sets(&panel.dst.rows, (rows, cols * cell), cell, loads_once);
    if src || dst {
        // SAFETY: passed on; rows of a side that is copied are short.
        unsafe { by_way_of(panel, (src, dst), tiles) };
    }
    src || dst
}

/// Moves the panel, the source by way of rows aside, or the destination.
///
/// # Safety
/// As [`moved`]; rows of a side for which that is so have [`SHORT`] bytes at most.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn by_way_of(panel: &Panel<'_>, (src, dst): (bool, bool), tiles: unsafe fn(&Panel<'_>)) {
    let Panel {
        rows, cols, cell, ..
    } = *panel;
    let mut rooms = [const { Room([MaybeUninit::uninit(); ROOM]) }; 2];
    let [from, to] = rooms
        .each_mut()
        .map(|room| room.0.as_mut_ptr().cast::<u8>());
    for some in parts(cols, src, rows * cell) {
        let count = some.len();
        let mut part = panel.part(0..rows, some);
        if src {
            let room = aside(from, rows * cell, cell);
            // SAFETY: range and aliasing: the source rows of the part, for which there is room, and no other
            // reference; ISA: AVX2 is enabled here.
            unsafe { copy(part.src, room, count, rows * cell) };
            part.src = room;
        }
        for some in parts(rows, dst, count * cell) {
            let high = some.len();
            let mut piece = part.part(some, 0..count);
            let belongs = piece.dst;
            if dst {
                piece.dst = aside(to, count * cell, cell);
            }
            // SAFETY: passed on, the rest as above: a piece is all rows or columns of the panel, or 32 and more.
            unsafe {
                tiles(&piece);
                if dst {
                    copy(piece.dst, belongs, high, count * cell);
                }
            }
        }
    }
}

/// The rows of a side in as many parts as there is room for, if they are `copied`, of about as many rows each.
#[inline(always)]
fn parts(count: usize, copied: bool, bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let most = if copied { ROOM / pitch(bytes) } else { count };
    let parts = count.div_ceil(most);
    (0..parts).map(move |i| i * count / parts..(i + 1) * count / parts)
}

/// Rows of so many bytes, in cells, in a room.
#[inline(always)]
fn aside<'r>(base: *mut u8, bytes: usize, cell: usize) -> Side<'r> {
    Side {
        base,
        rows: Rows::Stride(pitch(bytes) as isize),
        step: cell as isize,
    }
}

/// Copies so many rows of so many bytes from one side to another.
///
/// # Safety
/// - Range: the rows can be read and written, and their cells follow each other.
/// - Aliasing: they do not overlap.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn copy(src: Side<'_>, dst: Side<'_>, rows: usize, bytes: usize) {
    let runs = Panel {
        cell: 1,
        rows,
        cols: bytes,
        pairing: Pairing::Straight,
        gaps: SourceGaps::Forbidden,
        src: Side { step: 1, ..src },
        dst: Side { step: 1, ..dst },
    };
    // SAFETY: passed on.
    unsafe { by_length(&runs, Once) }
}
