//! How a piece is moved: to the stage by tiles, and from there around the caches, what does not fill a line kept in
//! between.
//!
//! A file of its own because what is cut, and whether, is another question: see [`pieces`](super::pieces).

use core::ops::Range;
use core::ptr::copy_nonoverlapping;

use super::blocks;
use super::cut::{Ahead, Place, until};
use super::line::{Line, copy_lines};
use super::lines::{Addressing, Strided};
use super::pieces::{BLOCK, HIGH, HIGH_OF_CROWDED, WIDE};
use super::walk::RegisterTile;
use crate::cpu::to_zen3;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of what is copied of a source row, an odd number of lines, so that rows are in different sets.
const COPIED: usize = HIGH_OF_CROWDED + LINE;

/// Bytes of a destination row that source rows are copied for at a time. f32 4096x4096 with half as many: the same.
const GROUP: usize = LINE;

/// Bytes from a row of the stage to the next: what waits, a piece, and less than two lines more, an odd number of lines,
/// so that rows are in different sets.
const PITCH: usize = WIDE + 3 * LINE;

/// Rows of the stage: those of a piece and less than a tile more, which is at most half a line.
fn stage_rows(cell: usize) -> usize {
    let high = if to_zen3() {
        blocks::LONGEST
    } else {
        HIGH_OF_CROWDED
    };
    (high + LINE / 2) / cell
}

/// Source rows that are copied at a time: a group, and less than a tile more.
const fn copied_rows(cell: usize) -> usize {
    (GROUP + LINE / 2) / cell
}

/// Where things are in the scratch of the guard.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The first row of the stage, behind a line for what waits.
    stage: *mut u8,
    /// What is copied of source rows.
    copied: *mut u8,
    /// What waits of each row of a block: its last line.
    slots: *mut u8,
}

impl Room {
    /// Bytes of scratch for a panel and its parts.
    pub(super) fn bytes(panel: &Panel<'_>) -> usize {
        let cell = panel.cell;
        let slots = panel.rows.min(BLOCK + LINE / 2);
        LINE + stage_rows(cell) * PITCH + copied_rows(cell) * COPIED + slots * LINE
    }

    #[inline(always)]
    pub(super) fn of(fence: &StreamFence<'_>, cell: usize) -> Self {
        let (scratch, _) = fence.scratch();
        let start = scratch.wrapping_add(scratch.align_offset(LINE));
        let copied = start.wrapping_add(stage_rows(cell) * PITCH);
        Self {
            stage: start.wrapping_add(LINE),
            copied,
            slots: copied.wrapping_add(copied_rows(cell) * COPIED),
        }
    }
}

/// A panel that is moved in pieces.
pub(super) struct Pieces<'a, 'p, T> {
    pub(super) panel: &'a Panel<'p>,
    pub(super) tile: T,
    /// Whether pieces of rows end inside lines.
    pub(super) waits: bool,
    pub(super) room: Room,
}

impl<T: RegisterTile> Pieces<'_, '_, T> {
    /// Where a cell of a piece stands in the stage, and the rows from there on.
    #[inline(always)]
    pub(super) fn stage(&self, row: usize, col: usize) -> Strided {
        let base = self.room.stage.wrapping_add(row * PITCH);
        Strided::apart(base.wrapping_add(col * T::CELL), PITCH)
    }

    /// Moves a piece to the stage from where it is.
    ///
    /// # Safety
    /// - Shape: the place is one of the panel, of whose source these are the rows; a tile and more.
    /// - ISA: that of the tile.
    #[inline(always)]
    pub(super) unsafe fn direct(&self, place: &Place, src: impl Addressing) {
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
    pub(super) unsafe fn copied<L: Line>(&self, place: &Place) {
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
                        let row = |i| Rows::Stride(stride).at(src.base, i);
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

    /// Puts what waits in front of the rows of the stage, and keeps their last lines, where pieces of rows end inside lines.
    ///
    /// # Safety
    /// As [`Self::stream`].
    #[inline(always)]
    pub(super) unsafe fn wait<L: Line>(&self, place: &Place) {
        let (begins, ends) = (place.cols.start == 0, place.cols.end == self.panel.cols);
        let bytes = place.cols.len() * T::CELL;
        let top = place.rows.start - place.block.start;
        let slot = |r| self.room.slots.wrapping_add((top + r) * LINE);
        if !self.waits {
            return;
        }
        // Stores through the caches wait for those around them, so what waits goes and comes for all rows at once.
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

    /// Streams the lines of a piece from the stage, asking for those of the next one; what does not fill a line waits, or
    /// goes through the caches at either end of a row.
    ///
    /// # Safety
    /// - Shape: the place is one of the panel, and is in the stage; those above it, and before it in its rows, were
    ///   streamed.
    /// - ISA: that of the line.
    #[inline(always)]
    pub(super) unsafe fn stream<L: Line>(&self, place: &Place, ahead: &Ahead<'_>) {
        let dst = self.panel.dst;
        let (begins, ends) = (place.cols.start == 0, place.cols.end == self.panel.cols);
        let bytes = place.cols.len() * T::CELL;
        // SAFETY: passed on.
        unsafe { self.wait::<L>(place) };
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
                ahead.ask(r);
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
