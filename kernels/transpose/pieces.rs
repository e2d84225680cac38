//! How a streaming transposition moves long rows in pieces, through a stage in the second-level cache.
//!
//! Bands (`stream`) follow as many source rows as make a line or two of each destination row, and write those. Memory
//! may want neither: lines of rows a page apart are written faster the more of a row follow each other, and source rows
//! that start anywhere in a line are read in two parts, the second of which is gone when it is come back to. Here a
//! piece is a line of many source rows, moved to a stage by tiles that write through the caches; what is streamed from
//! there are many lines of few rows. The next piece is the next line of the same source rows, and is asked for while
//! this one is streamed, a line for a line, so memory is read and written at the same time:
//!
//! ```text
//!   src                              stage                                   dst
//!   row c0    | 1 | 2 | 3 | ..       row r0    | waits | c0 c1 c2 .. |       | 1 1 1 1 1 | 9 ..
//!   row c0+1  | 1 | 2 | 3 | ..  ->   row r0+1  | waits | c0 c1 c2 .. |  ->   | 1 1 1 1 1 | 9 ..
//!   ..                               ..                                      | 2 2 2 2 2 | ..
//! ```
//!
//! What a piece leaves of a row's last line is kept until the next columns come to that row, so rows may start anywhere.
//! Where source rows share sets of the caches, lines are four at a time and copied side by side first, from a few rows
//! after the other, as they would push each other out before the tiles come to them.
//!
//! Loops in C of the same shape, what is asked for between tiles and between streamed lines, of the roof on a 2-core
//! server VM with AVX2, Zen 3: u8, rows of 4160 bytes 0.58 and 0.63; u16, 8256 bytes 0.55 and 0.70; f32, 16448 bytes
//! 0.62 and 0.78; f64, 16448 bytes 0.68 and 0.85; f32, 17384 bytes 0.51 and 0.64.

use super::blocks::{self, Asked};
use super::cut::{Ahead, Cut};
use super::extent::{first_stride, lines_crowd};
use super::line::Line;
use super::lines::{self, strided, tabled};
use super::piece::{Pieces, Room};
use super::segments::Segments;
use super::stream as bands;
use super::walk::RegisterTile;
use crate::cpu::{to_zen3, zen4};
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of each source row in a piece. Two lines of f32, rows of 16448 bytes: 0.50 of the roof instead of 0.62.
pub(super) const HIGH: usize = LINE;

/// The same where source rows are whole pages apart, or nearly. One line and four, of memcpy: u8 4097x4097 0.50 and
/// 0.56; of the roof, u16 4096 rows of 8194 bytes 0.42 and 0.49, f32 4096x4096 0.48 and 0.50.
pub(super) const HIGH_OF_CROWDED: usize = 4 * LINE;

/// Rows of which what waits is kept: *guess*, half of the second-level cache.
pub(super) const BLOCK: usize = 4 << 10;

/// Rows of a panel at least, in bytes of a source row: *guess*, a line.
const LEAST: usize = LINE;

/// Bytes of a row from which on it is moved in pieces: shorter ones are [staged](super::staged). Carried
/// instead, on a 2-core server VM with AVX2, Zen 4, of the roof: u8 2100x2100 0.13 and, in pieces, 0.30;
/// 1500x1500 0.10, 0.26; u16 1000 columns, 5000 rows, 0.16, 0.34; 999x999 0.12, 0.28.
pub(super) const SHORTEST: usize = 1 << 10;

/// Bytes of a row of the stage that are moved at a time, and at most of a piece: of single bytes half of that, but where
/// source rows are crowded. Of the roof, 512, 1024 and 2048 bytes: u8, rows of 4112 bytes 0.44, 0.40, -; f32, 16448
/// bytes -, 0.78, 0.67; f64 4096x4096 -, 0.57, 0.54; 4097x4095 -, 0.54, 0.47.
pub(super) const WIDE: usize = 1 << 10;

/// Whether a panel has enough rows, and they are long enough, for pieces; and it does not go better in bands.
///
/// That it does, but for Zen 3, where the source is read in [segments](Segments) and rows start whole lines apart or
/// cells are wide. Bands so and pieces, which were of 256 rows and followed each other along them, AVX2, of the roof on a
/// VM with Zen 4: u16 4000x4000 0.74 and 0.35, 8192x8192 0.64 and 0.42; u8 4032x4032 0.45 and 0.26, 8192x8192 0.40 and
/// 0.19; f32 4096x4096 0.62 and 0.55, 8192x8192 0.68 and 0.51; where rows are carried, f32 4097x4095 0.64 and 0.44,
/// 4100x4100 0.80 and 0.49, 2050x2050 0.61 and 0.47, 1028x1028 0.33 and 0.40; but u16 4097x4095 0.25 and 0.36.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    let in_segments = || Segments::several(2 * LINE / panel.cell, panel.rows * panel.cell);
    let in_bands = || panel.cell > 2 || bands::apart(panel);
    let pays = || match to_zen3() {
        true => pays_on_zen3(panel),
        false => !(in_segments() && in_bands()),
    };
    blocks::size(panel).is_some() || may_take(panel) && pays()
}

/// Whether that is so with AVX-512, of cells of one and two bytes: on Zen 4, where rows are carried.
///
/// Bands, or rows that are [kept](super::kept), and pieces, of the roof, again and again, and after all had been flushed:
/// u8 4097x4095 0.39 and 0.43, 0.49 both; 9001x9007 0.55 and 0.60, 0.59 and 0.65; 300x60001 0.39 and 0.52, 0.48 and 0.50;
/// 1023x20001 0.40 and 0.54, 0.43 and 0.60; axes reversed, 14 to 18 of each, 0.34 and 0.46, 0.39 and 0.61; but 20001x1500
/// 0.50 and 0.40, if it is not crowded: 16385x1025 0.36 and 0.42, 0.51 and 0.59. Two-byte cells where rows are [short]
/// 0.46 and 0.57, 0.60 and 0.71, or those of the destination pages apart, 4097x8191 0.39 and 0.53, 0.42 and 0.56,
/// 6145x4095 0.46 and 0.51, 0.48 and 0.55; not others, 3001x3003 0.57 and 0.49, 0.67 and 0.62, nor 4099x4093 0.47 and
/// 0.39. Rows that are whole lines apart lose, u8 300x60032 0.62 and 0.55, 0.64 and 0.44.
pub(super) fn pay_beside_registers(panel: &Panel<'_>) -> bool {
    /// How many times as many rows as columns are too many.
    const TALL: usize = 10;
    /// Bytes from whole pages that are near.
    const NEAR: usize = 4;
    let carried = || may_take(panel) && !bands::apart(panel);
    zen4()
        && carried()
        && match panel.cell {
            1 => panel.rows < TALL * panel.cols || crowded(panel),
            _ => short(panel) || lines::pages_apart(&panel.dst.rows, NEAR),
        }
}

/// Bytes of scratch for a panel that pieces may pay for there, and its parts.
pub(super) fn scratch_beside_registers(panel: &Panel<'_>) -> usize {
    if zen4() {
        scratch(panel)
    } else {
        bands::scratch(panel)
    }
}

/// Whether source rows are two lines, or less.
fn short(panel: &Panel<'_>) -> bool {
    panel.rows * panel.cell <= 2 * HIGH
}

/// Bytes of each source row in a piece, and of each row of the stage.
///
/// On Zen 4, of two-byte cells, one line and two, where that is all of a row, 0.52 and 0.57, 0.52 and 0.71; where source
/// rows are crowded, 1024 bytes of the stage and 256: 8191x2049 0.46 and 0.49, 0.47 and 0.54, 4097x8191 0.48 and 0.53,
/// 0.53 and 0.56. Single bytes lose, one line and two: 300x60001 0.58 and 0.47, 0.50 and 0.37; 1024 and 256: 4097x4095
/// 0.44 and 0.38.
fn size(panel: &Panel<'_>, crowded: bool) -> (usize, usize) {
    match (panel.cell, crowded) {
        (1, false) => (HIGH, WIDE / 2),
        (2, false) if zen4() && short(panel) => (2 * HIGH, WIDE),
        (2, true) if zen4() => (HIGH_OF_CROWDED, WIDE / 4),
        (_, true) => (HIGH_OF_CROWDED, WIDE),
        (_, false) => (HIGH, WIDE),
    }
}

/// What is true of a panel if that is of a part of it.
fn may_take(panel: &Panel<'_>) -> bool {
    let strided = |rows| matches!(rows, Rows::Stride(_));
    let long = panel.rows * panel.cell >= LEAST && panel.cols * panel.cell > SHORTEST;
    long && match panel.cell {
        1 | 2 => true,
        4 => to_zen3() || pages_apart(panel),
        _ => to_zen3() && strided(panel.src.rows) && strided(panel.dst.rows),
    }
}

/// Whether bands go less well, of a panel that is not too small. They do for cells of one and two bytes; of more, where
/// they write slowly, as [lines crowd](lines_crowd), or, of four bytes, are carried, or read slowly, as source rows are
/// [crowded].
///
/// Bands and pieces, of the roof (2-core server VM, Zen 3, AVX2): u8 4000x4000 0.22 and 0.54, 4096x4096 0.22 and 0.36,
/// 4097x4095 0.22 and 0.35; u16 3001x3003 0.30 and 0.51, 4096x4096 0.29 and 0.42, 4000x4000 0.64 and 0.65;
/// permutations of 17 MB, u8 780x21924 0.16 and 0.43, u16 56x2862 0.20 and 0.40, f32 19x10626 0.25 and 0.48, 2068x2070
/// 0.42 and 0.50; f32 3001x3003 0.45 and 0.57, 4096x4096 0.38 and 0.44, 4097x4095 0.37 and 0.41; axes reversed,
/// 48x4x28x28x352 0.25 and 0.40, 48x28x28x48x28 [3, 2, 1, 4, 0] 0.27 and 0.54; f64 4096x4096 0.51 and 0.57, 4097x4095
/// 0.38 and 0.54, 1024x1024 0.37 and 0.46. But f32 4000x4000 0.82 and 0.76, 384x2320 from rows of 1536 bytes 0.83 and
/// 0.59, 8400x480 0.51 and 0.29, 48x9856 0.67 and 0.39; and f64 of tables, 40x54834 0.51 and 0.35, or from source rows
/// that are all in one set of the second-level cache, 8192x8192 0.50 and 0.22.
fn pays_on_zen3(panel: &Panel<'_>) -> bool {
    /// Bytes that a way of the second-level cache is.
    const WAY: usize = 64 << 10;
    match panel.cell {
        1 | 2 => true,
        4 => {
            let high = panel.rows * panel.cell > HIGH_OF_CROWDED;
            !bands::apart(panel) || high && lines_crowd(panel) || crowded(panel)
        }
        _ => {
            let one_set = |stride: isize| stride.unsigned_abs().is_multiple_of(WAY);
            lines_crowd(panel) && !first_stride(&panel.src).is_some_and(one_set)
        }
    }
}

/// Whether the destination's rows are whole pages apart, or so near to that that lines of several rows
/// share a set of the first-level cache. f32 in bands and in pieces, AVX2, of the roof on that VM with Zen 4:
/// 1023x1023 0.12 and 0.33, 1028x1028 0.24 and 0.38, 2044x2044 0.27 and 0.42, 2050x2050 0.32 and 0.45,
/// 4097x4095 0.27 and 0.42; but 4100x4100 0.55 and 0.44. Farther from it: 1040x1040 0.69 and 0.47,
/// 2056x2056 0.46 and 0.49, 4090x4090 0.55 and 0.46.
fn pages_apart(panel: &Panel<'_>) -> bool {
    const NEAR: usize = 16;
    lines::pages_apart(&panel.dst.rows, NEAR)
}

/// Whether source rows are whole pages apart, or so near to that that they share sets of the caches. Lines that are read
/// where they are, and copied, of the roof: u8 4096 rows of 4104 bytes 0.43 and 0.40; u16 3001x3003 0.51 and 0.45;
/// permutations of 17 MB, u8 66x4095 0.39 and 0.25; of memcpy, u8 4097x4097 0.36 and 0.56.
fn crowded(panel: &Panel<'_>) -> bool {
    const NEAR: usize = 4;
    let near = |stride| lines::pages_apart(&Rows::Stride(stride), NEAR);
    first_stride(&panel.src).is_some_and(near)
}

/// Bytes of scratch of a row that moves some panels in pieces, and others as [`stream`](super::stream::stream) does:
/// those may be parts of this one.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    bands::scratch(panel).max(if may_take(panel) || blocks::may_take(panel) {
        Room::bytes(panel)
    } else {
        0
    })
}

/// Moves a panel in pieces.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] or [`pay_beside_registers`] is true of; `fence` is the guard of
/// this task, with what [`scratch`] says; a tile is half a line of a row and, at most, of a source row. The ISA of the
/// line and the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn stream<L: Line, T: RegisterTile>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) {
    let block = blocks::size(panel);
    let crowded = T::CELL < 8 && block.is_none() && crowded(panel);
    let (high, wide) = block.unwrap_or_else(|| size(panel, crowded));
    let (high, wide) = (high / T::CELL, wide / T::CELL);
    let phase = bands::phase(panel).filter(|phase| phase.is_multiple_of(T::CELL));
    let cut = Cut {
        all: (panel.rows, panel.cols),
        least: (tile.rows(), LINE / T::CELL),
        piece: (high, wide),
        first: wide - phase.unwrap_or(0) / T::CELL,
        block: BLOCK,
    };
    let pieces = Pieces {
        panel,
        tile,
        waits: phase.is_none(),
        room: Room::of(fence, T::CELL),
    };
    let mut place = cut.first();
    loop {
        let after = cut.after(&place);
        // At last, the first one of the next panel, if there is one.
        let (src, next) = match (&after, fence.next()) {
            (Some(next), _) => (panel.src, next.clone()),
            (None, Some(bytes)) => (panel.src.moved(bytes), cut.first()),
            (None, None) => (panel.src, place.none()),
        };
        if block.is_some() && pieces.is_block(&place, &cut) {
            // SAFETY: shape: the place is one of the panel, and the next one too, if there is one; both have all rows; the
            // rest is passed on.
            unsafe {
                match panel.src.rows {
                    Rows::Stride(stride) => {
                        let asked = Asked::of(strided(src.base, stride), src, T::CELL, &next);
                        pieces.block::<L>(&place, strided(panel.src.base, stride), &asked);
                    }
                    Rows::Offsets(offsets) => {
                        let asked = Asked::of(tabled(src.base, offsets), src, T::CELL, &next);
                        pieces.block::<L>(&place, tabled(panel.src.base, offsets), &asked);
                    }
                    Rows::Pointers(..) => unreachable!("blocks are of strides and tables"),
                }
            }
        } else {
            // SAFETY: shape: the place is one of the panel, and the next one too; the rest is passed on.
            unsafe {
                match panel.src.rows {
                    Rows::Stride(stride) if !crowded => {
                        pieces.direct(&place, strided(panel.src.base, stride));
                    }
                    Rows::Offsets(offsets) if !crowded => {
                        pieces.direct(&place, tabled(panel.src.base, offsets));
                    }
                    _ => pieces.copied::<L>(&place),
                }
                let ahead = Ahead::of(src, T::CELL, &next, place.rows.len());
                pieces.stream::<L>(&place, &ahead);
            }
        }
        match after {
            Some(next) => place = next,
            None => return,
        }
    }
}
