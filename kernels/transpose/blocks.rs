//! Pieces that are blocks of short source rows, moved while the next one is asked for: on Zen 3 and before.
//!
//! A file of its own because it is [`pieces`](super::pieces) at another size. Where source rows are short, a piece is all
//! of each of some rows, as many as leave the first-level cache room for what they become: a block of the source that is
//! one sequence, or few lines of each row, and in the destination some lines of each of few rows. What comes next is asked
//! for evenly, some of it with each tile and the rest with each row that is streamed, so that memory is never idle, and
//! never asked for more than it answers at a time:
//!
//! ```text
//!   src   | block 0 | block 1 | ..        dst   row 0   | 0 0 0 | 1 1 1 | ..
//!                                               row 1   | 0 0 0 | 1 1 1 | ..
//!         | tiles of 0, and some of 1 | lines of 0, and the rest of 1 | tiles of 1, and some of 2 | ..
//! ```
//!
//! Of the roof, as it was and so, again and again, and after a streaming copy, 17 MB (2-core server VM, Zen 3, AVX2). Rows
//! that follow each other: u8 354176x48 0.38 and 0.75, 0.41 and 0.76; 106304x160 0.34 and 0.66, 0.38 and 0.70; 66432x256
//! 0.43 and 0.65, 0.42 and 0.60; 33216x512 0.50 and 0.57, 0.49 and 0.48; u16 177088x48 0.49 and 1.01, 0.48 and 0.82;
//! 66432x128 0.43 and 0.64, 0.42 and 0.66; 33216x256 0.50 and 0.69, 0.53 and 0.66; f32 265664x16 0.72 and 1.02, 0.80 and
//! 0.79; 132864x32 0.53 and 0.84, 0.55 and 0.86; 66432x64 0.57 and 0.82, 0.68 and 0.71; 33216x128 0.71 and 0.70, 0.65 and
//! 0.65; f64 177088x12 0.53 and 0.82, 0.57 and 0.88; 66432x32 0.52 and 0.78, 0.50 and 0.82; 33216x64 0.55 and 0.74, 0.56 and
//! 0.72. In the mean of 62 up to 256 bytes 0.51 and 0.77, 0.51 and 0.73. Of 640 bytes u8, u16 and f32 are level or lose.
//! What is asked for with tiles, nothing, 30, 50 and 70 %: f32 64000x64 0.62, 0.70, 0.74, 0.72; u16 128000x64 0.68, 0.82,
//! 0.78, 0.75.
//!
//! Rows that lie apart: f32 66432x64 0.23 and 0.35, 0.22 and 0.36; 42560x100 0.36 and 0.40, 0.31 and 0.36; f64 66432x32
//! 0.29 and 0.43, 0.27 and 0.41; 42560x50 0.36 both, 0.44 and 0.41; 33216x64 level; of a table, f64 [3, 5, 1, 4, 0, 2] 0.21
//! and 0.63, 0.21 and 0.41; u16 [5, 4, 3, 2, 1, 0], 360 bytes, 0.25 and 0.59, 0.22 and 0.38; f32
//! [3, 1, 2, 0] 0.31 and 0.53, 0.31 and 0.53; but f64 16x6840 0.72 and 0.62, 0.59 and 0.52. u8, and u16 at strides, are
//! level or lose: u8 [3, 1, 2, 0] 0.44 and 0.39, 0.43 and 0.39.

use super::cut::{Cut, Place};
use super::line::Line;
use super::lines::{Addressing, strided, tabled};
use super::piece::Pieces;
use super::pieces;
use super::walk::RegisterTile;
use crate::cpu::to_zen3;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel, Rows, Side};

/// Bytes of source rows that follow each other, at most.
pub(super) const LONGEST: usize = 8 * LINE;

/// The same of rows that lie apart.
const LONGEST_APART: usize = 400;

/// Bytes of a source row at least: *guess*, half a line, which is a tile. 48 were measured.
const SHORTEST: usize = LINE / 2;

/// Bytes of a block. Rows that follow each other, of up to 256 bytes, in the mean of 62, 8, 16, 32 and 64 KiB: 0.74, 0.75,
/// 0.77 and 0.76, after a streaming copy 0.73, 0.73, 0.73 and 0.71.
const BYTES: usize = 32 << 10;

/// Bytes of each destination row in a block: less is slow where [lines crowd](super::extent::lines_crowd), and there is no
/// room for more. 128 and 256 bytes: f32 64000x64 0.63 and 0.70.
const NARROWEST: usize = 4 * LINE;
const WIDEST: usize = pieces::WIDE;

/// What of the next block is asked for with the tiles of this one, in percent.
const WITH_TILES: usize = 40;

/// Whether a panel, or a part of it, may be moved so: source rows may be any.
pub(super) fn may_take(panel: &Panel<'_>) -> bool {
    let high = panel.rows * panel.cell >= SHORTEST;
    to_zen3() && panel.cell <= 8 && high && panel.cols * panel.cell > pieces::SHORTEST
}

/// Bytes of each source row and of each destination row in a block, if a panel goes best so.
#[inline]
pub(super) fn size(panel: &Panel<'_>) -> Option<(usize, usize)> {
    let row = panel.rows * panel.cell;
    let most = match panel.src.rows {
        _ if !may_take(panel) => return None,
        rows if rows.follow(row) => LONGEST,
        Rows::Offsets(_) if panel.cell >= 2 => LONGEST_APART,
        Rows::Stride(_) if panel.cell >= 4 => LONGEST_APART,
        _ => return None,
    };
    let wide = (BYTES / row / LINE * LINE).clamp(NARROWEST, WIDEST);
    (row <= most).then_some((row, wide))
}

/// What is read for a piece, to be asked for in parts.
#[derive(Clone, Copy)]
pub(super) struct Asked<A> {
    src: A,
    /// The first source row, and how many parts there are: lines of a sequence, or rows.
    first: usize,
    parts: usize,
    /// Bytes of a row.
    bytes: usize,
    /// Whether rows are one sequence.
    sequence: bool,
}

impl<A: Addressing> Asked<A> {
    /// All of the source rows of a place in a panel of such cells; `src` addresses them, whose rows `side` has.
    #[inline(always)]
    pub(super) fn of(src: A, side: Side<'_>, cell: usize, place: &Place) -> Self {
        let bytes = place.rows.len() * cell;
        let sequence = side.rows.follow(bytes);
        let rows = place.cols.len();
        Self {
            src,
            first: place.cols.start,
            parts: match sequence {
                true => (rows * bytes).div_ceil(LINE),
                false => rows,
            },
            bytes,
            sequence,
        }
    }

    /// Asks for a part.
    ///
    /// # Safety
    /// - Shape: there is such a part, and the source has the rows of the place.
    #[inline(always)]
    unsafe fn ask(&self, part: usize) {
        if self.sequence {
            // SAFETY: shape: passed on.
            prefetch(unsafe { self.src.row(self.first) }.wrapping_add(part * LINE));
            return;
        }
        // SAFETY: shape: passed on.
        let row = unsafe { self.src.row(self.first + part) };
        for byte in (0..self.bytes).step_by(LINE) {
            prefetch(row.wrapping_add(byte));
        }
        prefetch(row.wrapping_add(self.bytes - 1));
    }
}

/// Parts that are done in so many steps, as evenly as that goes.
struct Evenly {
    /// Of which the next one is this.
    next: usize,
    parts: usize,
    steps: usize,
    owed: usize,
}

impl Evenly {
    /// So many parts from `next` on.
    #[inline(always)]
    fn of(next: usize, parts: usize, steps: usize) -> Self {
        Self {
            next,
            parts,
            steps,
            owed: 0,
        }
    }

    /// Does the parts of a step.
    #[inline(always)]
    fn step(&mut self, mut part: impl FnMut(usize)) {
        self.owed += self.parts;
        while self.owed >= self.steps {
            self.owed -= self.steps;
            part(self.next);
            self.next += 1;
        }
    }
}

impl<T: RegisterTile> Pieces<'_, '_, T> {
    /// Whether [`block`](Self::block) moves a place of a panel that is cut so: it is a whole piece, and begins and ends with
    /// whole lines of each row, or what waits.
    #[inline(always)]
    pub(super) fn is_block(&self, place: &Place, cut: &Cut) -> bool {
        let (begins, ends) = (place.cols.start == 0, place.cols.end == self.panel.cols);
        let in_lines = match self.waits {
            true => !begins && !ends,
            false => !begins || cut.first == cut.piece.1,
        };
        in_lines && (place.rows.len(), place.cols.len()) == cut.piece
    }

    /// Moves a place to the stage and from there around the caches, and asks for what is read next meanwhile.
    ///
    /// # Safety
    /// - Shape: the place is one of the panel, whose source rows `src` addresses, and [is a block](Self::is_block) of whole
    ///   lines of each row, and a tile and more; those above it, and before it in its rows, were streamed. What is asked
    ///   for has source rows.
    /// - ISA: that of the line and the tile.
    #[inline(always)]
    pub(super) unsafe fn block<L: Line>(
        &self,
        place: &Place,
        src: impl Addressing,
        asked: &Asked<impl Addressing>,
    ) {
        let (high, wide) = (self.tile.rows(), self.tile.cols());
        let (rows, cols) = (place.rows.len(), place.cols.len());
        let with_tiles = asked.parts * WITH_TILES / 100;
        let mut evenly = Evenly::of(0, with_tiles, rows.div_ceil(high) * (cols / wide));
        for c in (0..cols).step_by(wide) {
            for r in (0..rows).step_by(high) {
                // SAFETY: shape: what is asked for has these parts.
                evenly.step(|part| unsafe { asked.ask(part) });
                let r = r.min(rows - high);
                // SAFETY: shape and range: the tile is inside the piece, whose columns are whole tiles, as lines are; the
                // piece is one of the panel, and the stage has room for it; aliasing: the stage is scratch; ISA: passed on.
                unsafe {
                    let bytes = (place.rows.start + r) * T::CELL;
                    let from = src.lines(place.cols.start + c, wide, bytes);
                    self.tile.transpose(from, self.stage(r, c));
                }
            }
        }
        let evenly = Evenly::of(with_tiles, asked.parts - with_tiles, rows);
        let dst = self.panel.dst;
        // SAFETY: passed on; tables have an entry for each row.
        unsafe {
            self.wait::<L>(place);
            match dst.rows {
                Rows::Stride(stride) => {
                    self.lines::<L>(place, strided(dst.base, stride), evenly, asked);
                }
                Rows::Offsets(offsets) => {
                    self.lines::<L>(place, tabled(dst.base, offsets), evenly, asked);
                }
                Rows::Pointers(..) => self.lines::<L>(place, dst, evenly, asked),
            }
        }
    }

    /// Streams the lines of a block.
    ///
    /// # Safety
    /// As [`Self::block`]; the place is in the stage, what waited in front of it, and `dst` addresses the destination's rows.
    #[inline(always)]
    unsafe fn lines<L: Line>(
        &self,
        place: &Place,
        dst: impl Addressing,
        mut evenly: Evenly,
        asked: &Asked<impl Addressing>,
    ) {
        let bytes = place.cols.len() * T::CELL;
        for (r, row) in place.rows.clone().enumerate() {
            // SAFETY: shape: what is asked for has these parts; row `row` is one of the panel's; range: what is in the stage
            // belongs from `to` on, and as much of a line as is in front of that waited there; alignment: lines start so
            // many bytes before; aliasing: the stage is scratch, and what is left of the last line waits; ISA: passed on.
            unsafe {
                evenly.step(|part| asked.ask(part));
                let to = dst.row(row).wrapping_add(place.cols.start * T::CELL);
                let waits = to.addr() % LINE;
                let from = self.stage(r, 0).base.wrapping_sub(waits);
                let to = to.wrapping_sub(waits);
                for byte in (0..bytes).step_by(LINE) {
                    L::load(from.wrapping_add(byte)).stream(to.wrapping_add(byte));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn all_parts_are_done_in_so_many_steps() {
        for (parts, steps) in [(0, 3), (1, 1), (5, 7), (7, 5), (128, 64), (100, 33)] {
            let mut evenly = Evenly::of(2, parts, steps);
            let mut done = Vec::new();
            for step in 1..=steps {
                evenly.step(|part| done.push(part));
                assert_eq!(done.len(), parts * step / steps, "{parts} in {steps}");
            }
            assert!(done.into_iter().eq(2..2 + parts), "{parts} in {steps}");
        }
    }
}
