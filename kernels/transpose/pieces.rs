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

use core::ops::Range;
use core::ptr::copy_nonoverlapping;

use super::cut::{Ahead, Cut, Place, until};
use super::extent::first_stride;
use super::line::Line;
use super::lines::{self, Addressing, Strided, strided};
use super::segments::Segments;
use super::stream as bands;
use super::walk::RegisterTile;
use crate::cpu::to_zen3;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of each source row in a piece. Two lines of f32, rows of 16448 bytes: 0.50 of the roof instead of 0.62.
const HIGH: usize = LINE;

/// The same where source rows are whole pages apart, or nearly. One line and four, of memcpy: u8 4097x4097 0.50 and
/// 0.56; of the roof, u16 4096 rows of 8194 bytes 0.42 and 0.49, f32 4096x4096 0.48 and 0.50.
const HIGH_OF_CROWDED: usize = 4 * LINE;

/// How near: u8 4096 rows of 4104 bytes 0.43 of the roof with one line, 0.40 with four.
const NEAR: usize = 4;

/// Rows of which what waits is kept: *guess*, half of the second-level cache.
const BLOCK: usize = 4 << 10;

/// Bytes of what is copied of a source row, an odd number of lines, so that rows are in different sets.
const COPIED: usize = HIGH_OF_CROWDED + LINE;

/// Bytes of a destination row that source rows are copied for at a time. f32 4096x4096 with half as many: the same.
const GROUP: usize = LINE;

/// Rows of a panel at least, in bytes of a source row: *guess*, a line.
const LEAST: usize = LINE;

/// Bytes of a row from which on it is moved in pieces: shorter ones are [staged](super::staged). Carried
/// instead, on a 2-core server VM with AVX2, Zen 4, of the roof: u8 2100x2100 0.13 and, in pieces, 0.30;
/// 1500x1500 0.10, 0.26; u16 1000 columns, 5000 rows, 0.16, 0.34; 999x999 0.12, 0.28.
const SHORTEST: usize = 1 << 10;

/// Bytes of a destination row in a piece. Of the roof, 512, 1024 and 2048 bytes: u8, rows of 4112 bytes 0.44, 0.40, -;
/// f32, 16448 bytes -, 0.78, 0.67; f64, 16448 bytes -, 0.71, 0.85; 17384 bytes 0.60, -, 0.70.
const fn wide(cell: usize, crowded: bool) -> usize {
    match cell {
        1 if !crowded => 512,
        8.. => 2048,
        _ => 1024,
    }
}

/// Bytes from a row of the stage to the next: what waits, a piece, and less than a group more; an odd number of lines,
/// so that rows are in different sets.
const fn pitch(cell: usize) -> usize {
    wide(cell, true) + 3 * LINE
}

/// Rows of the stage: those of a piece and less than a tile more, which is at most half a line.
const fn stage_rows(cell: usize) -> usize {
    (HIGH_OF_CROWDED + LINE / 2) / cell
}

/// Whether a panel has enough rows, and they are long enough, for pieces; and it does not go better in bands, which on
/// Zen 3 it never does.
///
/// On others it does where the source is read in [segments](Segments) and rows start whole lines apart or
/// cells are wide. Bands so and pieces of 1 KiB of 256 rows, AVX2, of the roof on a VM with Zen 4: u16 4000x4000 0.74
/// and 0.35, 8192x8192 0.64 and 0.42; u8 4032x4032 0.45 and 0.26, 8192x8192 0.40 and 0.19; f32 4096x4096 0.62 and 0.55,
/// 8192x8192 0.68 and 0.51; where rows are carried, f32 4097x4095 0.64 and 0.44, 4100x4100 0.80 and 0.49,
/// 2050x2050 0.61 and 0.47, 1028x1028 0.33 and 0.40; but u16 4097x4095 0.25 and 0.36.
pub(super) fn takes(panel: &Panel<'_>) -> bool {
    let in_segments = || Segments::several(2 * LINE / panel.cell, panel.rows * panel.cell);
    let in_bands = || panel.cell > 2 || bands::apart(panel);
    may_take(panel) && (to_zen3() || !(in_segments() && in_bands()))
}

/// The first half of that, which is true of a panel if it is of a part of it.
fn may_take(panel: &Panel<'_>) -> bool {
    let long = panel.rows * panel.cell >= LEAST && panel.cols * panel.cell > SHORTEST;
    long && match panel.cell {
        _ if to_zen3() => true,
        1 | 2 => true,
        4 => pages_apart(panel),
        _ => false,
    }
}

/// Bytes of scratch of a row that moves some panels in pieces, and others as [`stream`](super::stream::stream) does:
/// those may be parts of this one.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    let cell = panel.cell;
    let slots = panel.rows.min(BLOCK + LINE / 2) * LINE;
    let bytes = LINE + stage_rows(cell) * pitch(cell) + copied_rows(cell) * COPIED + slots;
    bands::scratch(panel).max(if may_take(panel) { bytes } else { 0 })
}

/// Source rows that are copied at a time: a group, and less than a tile more, which is at most half a line.
const fn copied_rows(cell: usize) -> usize {
    (GROUP + LINE / 2) / cell
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

/// Moves a panel in pieces.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] is true of; `fence` is the guard of this task, with
/// what [`scratch`] says; a tile is half a line of a row and, at most, of a source row. The ISA of the line and the tile
/// is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn stream<L: Line, T: RegisterTile>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) {
    let near = |stride| lines::pages_apart(&Rows::Stride(stride), NEAR);
    let crowded = T::CELL < 8 && first_stride(&panel.src).is_some_and(near);
    let wide = wide(T::CELL, crowded) / T::CELL;
    // SAFETY: shape: the panel has rows.
    let phase = unsafe { panel.dst.row(0) }.addr() % LINE;
    let at_lines = bands::apart(panel) && phase.is_multiple_of(T::CELL);
    let cut = Cut {
        all: (panel.rows, panel.cols),
        least: (tile.rows(), LINE / T::CELL),
        piece: (if crowded { HIGH_OF_CROWDED } else { HIGH } / T::CELL, wide),
        first: wide - if at_lines { phase / T::CELL } else { 0 },
        block: BLOCK,
    };
    let pieces = Pieces {
        panel,
        tile,
        waits: !at_lines,
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
        // SAFETY: shape: the place is one of the panel, and the next one too; the rest is passed on.
        unsafe {
            match panel.src.rows {
                Rows::Stride(stride) if T::CELL >= 4 && !crowded => {
                    pieces.direct(&place, strided(panel.src.base, stride));
                }
                _ => pieces.copied::<L>(&place),
            }
            pieces.stream::<L>(&place, &Ahead::of(src, T::CELL, &next));
        }
        match after {
            Some(next) => place = next,
            None => return,
        }
    }
}

/// Where things are in the scratch of the guard.
#[derive(Clone, Copy)]
struct Room {
    /// The first row of the stage, behind a line for what waits.
    stage: *mut u8,
    /// What is copied of source rows.
    copied: *mut u8,
    /// What waits of each row of a block: its last line.
    slots: *mut u8,
}

impl Room {
    #[inline(always)]
    fn of(fence: &StreamFence<'_>, cell: usize) -> Self {
        let (scratch, _) = fence.scratch();
        let start = scratch.wrapping_add(scratch.align_offset(LINE));
        let copied = start.wrapping_add(stage_rows(cell) * pitch(cell));
        Self {
            stage: start.wrapping_add(LINE),
            copied,
            slots: copied.wrapping_add(copied_rows(cell) * COPIED),
        }
    }
}

/// A panel that is moved in pieces.
struct Pieces<'a, 'p, T> {
    panel: &'a Panel<'p>,
    tile: T,
    /// Whether rows end pieces inside lines.
    waits: bool,
    room: Room,
}

impl<T: RegisterTile> Pieces<'_, '_, T> {
    const PITCH: usize = pitch(T::CELL);

    /// Where a cell of a piece stands in the stage, and the rows from there on.
    #[inline(always)]
    fn stage(&self, row: usize, col: usize) -> Strided {
        let base = self.room.stage.wrapping_add(row * Self::PITCH);
        Strided::apart(base.wrapping_add(col * T::CELL), Self::PITCH)
    }

    /// Moves a piece to the stage from where it is.
    ///
    /// # Safety
    /// - Shape: the place is one of the panel, of whose source these are the rows; a tile and more.
    /// - ISA: that of the tile.
    #[inline(always)]
    unsafe fn direct(&self, place: &Place, src: impl Addressing) {
        let (high, wide) = (self.tile.rows(), self.tile.cols());
        let (rows, cols) = (place.rows.len(), place.cols.len());
        for c in (0..cols).step_by(wide) {
            let c = c.min(cols - wide);
            for r in (0..rows).step_by(high) {
                let r = r.min(rows - high);
                // SAFETY: shape and range: the tile is inside the piece, which is one of the panel and for which the stage
                // has room; aliasing: the stage is scratch; ISA: passed on.
                unsafe {
                    let bytes = (place.rows.start + r) * T::CELL;
                    let from = src.lines(place.cols.start + c, wide, bytes);
                    self.tile.transpose(from, self.stage(r, c));
                }
            }
        }
    }

    /// The same, by way of copies of a few source rows at a time.
    ///
    /// # Safety
    /// As [`Self::direct`]; ISA: and that of the line.
    #[inline(always)]
    unsafe fn copied<L: Line>(&self, place: &Place) {
        let src = self.panel.src;
        let (high, wide) = (self.tile.rows(), self.tile.cols());
        let (rows, cols) = (place.rows.len(), place.cols.len());
        let mut start = 0;
        while start < cols {
            let end = until(start, GROUP / T::CELL, wide, cols);
            let group = place.cols.start + start..place.cols.start + end;
            // SAFETY: shape: columns of the piece, so source rows; range: a tile's rows and more are 16 bytes and more,
            // for which there is room; alignment: copies start at lines; aliasing: they are scratch; ISA: passed on.
            unsafe {
                let src = src.moved((place.rows.start * T::CELL) as isize);
                match src.rows {
                    Rows::Stride(stride) => {
                        let row = |i| strided(src.base, stride).row(i);
                        copy_rows::<L>(group, row, self.room.copied, rows * T::CELL);
                    }
                    kinds => {
                        let row = |i| kinds.at(src.base, i);
                        copy_rows::<L>(group, row, self.room.copied, rows * T::CELL);
                    }
                }
            }
            for r in (0..rows).step_by(high) {
                let r = r.min(rows - high);
                for c in (start..end).step_by(wide) {
                    let c = c.min(end - wide);
                    let from = (c - start) * COPIED + r * T::CELL;
                    let from = self.room.copied.wrapping_add(from);
                    // SAFETY: shape and range: the tile is inside what was copied, and inside the piece, for which the
                    // stage has room; aliasing: two places in scratch; ISA: passed on.
                    unsafe {
                        let from = Strided::apart(from, COPIED);
                        self.tile.transpose(from, self.stage(r, c));
                    }
                }
            }
            start = end;
        }
    }

    /// Streams the lines of a piece from the stage, asking for those of the next one; what does not fill a line waits, or
    /// goes through the caches at either end of a row.
    ///
    /// # Safety
    /// - Shape: the place is one of the panel, and is in the stage; those above it, and before it in its rows, were
    ///   streamed.
    /// - ISA: that of the line.
    #[inline(always)]
    unsafe fn stream<L: Line>(&self, place: &Place, ahead: &Ahead<'_>) {
        let dst = self.panel.dst;
        let (begins, ends) = (place.cols.start == 0, place.cols.end == self.panel.cols);
        let bytes = place.cols.len() * T::CELL;
        let top = place.rows.start - place.block.start;
        let slot = |r| self.room.slots.wrapping_add((top + r) * LINE);
        // Stores through the caches wait for those around them, so what waits goes and comes for all rows at once.
        if self.waits {
            for r in 0..place.rows.len() {
                let row = self.stage(r, 0).base;
                // SAFETY: range: a line in front of each row of the stage, and a line at the end of what is in it, of
                // which a piece is at least one; each row of the block has a slot, which was written where the row
                // began before; alignment: the stage and the slots start at lines, and rows are lines apart; ISA:
                // passed on.
                unsafe {
                    if !begins {
                        L::load(slot(r)).store(row.wrapping_sub(LINE));
                    }
                    if !ends {
                        L::load(row.wrapping_add(bytes).wrapping_sub(LINE)).store(slot(r));
                    }
                }
            }
        }
        for (r, row) in place.rows.clone().enumerate() {
            // SAFETY: shape: a row of the panel; range: what is in the stage is what lies from `to` on, with what waits
            // in front of it, up to `end`, and lines are those between; alignment: they start where lines do; aliasing:
            // the stage is scratch; ISA: passed on.
            unsafe {
                let mut from = self.stage(r, 0).base;
                let mut to = dst.row(row).wrapping_add(place.cols.start * T::CELL);
                let end = to.wrapping_add(bytes);
                if begins {
                    let head = to.align_offset(LINE);
                    copy_nonoverlapping(from, to, head);
                    (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
                } else {
                    let waits = to.addr() % LINE;
                    (from, to) = (from.wrapping_sub(waits), to.wrapping_sub(waits));
                }
                let rest = (end.addr() - to.addr()) % LINE;
                let last = end.wrapping_sub(rest);
                ahead.ask(r, place.rows.len());
                while to != last {
                    L::load(from).stream(to);
                    (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
                }
                if ends {
                    copy_nonoverlapping(from, to, rest);
                }
            }
        }
    }
}

/// Copies 16 bytes and more of each of some rows side by side.
///
/// # Safety
/// - Shape: `row` knows where those rows are.
/// - Range: so many bytes of each can be read, and there is room for them.
/// - Alignment: `to` is a multiple of 64.
/// - Aliasing: the two do not overlap.
/// - ISA: that of the line.
#[inline(always)]
unsafe fn copy_rows<L: Line>(
    rows: Range<usize>,
    row: impl Fn(usize) -> *mut u8,
    to: *mut u8,
    bytes: usize,
) {
    let places = rows
        .enumerate()
        .map(|(i, r)| (row(r), to.wrapping_add(i * COPIED)));
    // SAFETY: passed on.
    unsafe {
        match bytes {
            HIGH => places.for_each(|(from, to)| copy_lines::<L, 1>(from, to)),
            HIGH_OF_CROWDED => places.for_each(|(from, to)| copy_lines::<L, 4>(from, to)),
            _ => places.for_each(|(from, to)| copy::<L>(from, to, bytes)),
        }
    }
}

/// Copies some lines.
///
/// # Safety
/// As [`copy`].
#[inline(always)]
unsafe fn copy_lines<L: Line, const LINES: usize>(from: *const u8, to: *mut u8) {
    for at in (0..LINES).map(|i| i * LINE) {
        // SAFETY: passed on.
        unsafe { L::load(from.wrapping_add(at)).store(to.wrapping_add(at)) };
    }
}

/// Copies 16 bytes and more.
///
/// # Safety
/// As [`copy_rows`], of one.
#[inline(always)]
unsafe fn copy<L: Line>(from: *const u8, to: *mut u8, bytes: usize) {
    const PART: usize = 16;
    let lines = bytes / LINE * LINE;
    // SAFETY: range: lines and parts of 16 bytes that are in `bytes`, the last of which is moved back to end there;
    // alignment, aliasing and ISA are the caller's.
    unsafe {
        for at in (0..lines).step_by(LINE) {
            L::load(from.wrapping_add(at)).store(to.wrapping_add(at));
        }
        for at in (lines..bytes).step_by(PART) {
            let at = at.min(bytes - PART);
            copy_nonoverlapping(from.wrapping_add(at), to.wrapping_add(at), PART);
        }
    }
}
