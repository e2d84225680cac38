//! How a panel is cut into [pieces](super::pieces), which one follows on which, and which source lines each is made of.
//!
//! A file of its own because this is arithmetic, and is tested as such. Pieces follow each other down the rows, so the
//! next one is the next line of the same source rows; then come the next columns; and, where rows are many, the next
//! block of them, as something is kept of each row of a block:
//!
//! ```text
//!                 dst
//!         +-----+-----+---+
//!   block |  1  |  4  | 7 |
//!         |  2  |  5  | 8 |
//!         |  3  |  6  | 9 |
//!         +-----+-----+---+
//!   block | 10  | 12  | 14|
//!         | 11  | 13  | 15|
//!         +-----+-----+---+
//! ```

use core::ops::Range;

use crate::isa::prefetch_second;
use crate::panel::{LINE, Rows, Side};

/// How a panel is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Rows and columns of the panel.
    pub(super) all: (usize, usize),
    /// Rows and columns of a piece, at least: a tile's rows, a line's columns. Less that is left over goes with what is
    /// before it.
    pub(super) least: (usize, usize),
    /// Rows and columns of a piece.
    pub(super) piece: (usize, usize),
    /// Columns of the first piece of a row.
    pub(super) first: usize,
    /// Rows of a block.
    pub(super) block: usize,
}

/// A piece.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) block: Range<usize>,
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
}

/// Where what starts at `start` ends: after `most`, or at the end if less than `least` would be left.
pub(super) fn until(start: usize, most: usize, least: usize, end: usize) -> usize {
    if end - start < most + least {
        end
    } else {
        start + most
    }
}

impl Place {
    /// Nothing of it.
    pub(super) fn none(&self) -> Self {
        Self {
            cols: 0..0,
            ..self.clone()
        }
    }
}

impl Cut {
    pub(super) fn first(&self) -> Place {
        self.from(0)
    }

    /// The first piece of the block that starts there.
    fn from(&self, row: usize) -> Place {
        let end = until(row, self.block, self.least.0, self.all.0);
        self.at(row..end, row, 0)
    }

    /// The piece of a block that starts there.
    fn at(&self, block: Range<usize>, row: usize, col: usize) -> Place {
        let wide = if col == 0 { self.first } else { self.piece.1 };
        Place {
            rows: row..until(row, self.piece.0, self.least.0, block.end),
            cols: col..until(col, wide, self.least.1, self.all.1),
            block,
        }
    }

    /// The piece after this one, if there is one.
    pub(super) fn after(&self, place: &Place) -> Option<Place> {
        let block = place.block.clone();
        if place.rows.end < block.end {
            Some(self.at(block, place.rows.end, place.cols.start))
        } else if place.cols.end < self.all.1 {
            let top = block.start;
            Some(self.at(block, top, place.cols.end))
        } else if block.end < self.all.0 {
            Some(self.from(block.end))
        } else {
            None
        }
    }
}

/// The source lines of a piece, asked for while another one is streamed.
pub(super) struct Ahead<'a> {
    src: Side<'a>,
    /// Source rows.
    rows: Range<usize>,
    /// A byte in each line that is asked for of a row: from which on, a line apart, and the last one.
    bytes: Range<usize>,
    /// Source rows of a part.
    part: usize,
}

impl<'a> Ahead<'a> {
    /// Of a place in a panel of such cells and with such a source, in so many parts.
    pub(super) fn of(src: Side<'a>, cell: usize, place: &Place, parts: usize) -> Self {
        // The line that the first byte is in was read with the rows before.
        let known = if place.rows.start > place.block.start {
            LINE - 1
        } else {
            0
        };
        Self {
            src,
            rows: place.cols.clone(),
            bytes: place.rows.start * cell + known..place.rows.end * cell - 1,
            part: place.cols.len().div_ceil(parts),
        }
    }

    /// Asks for the lines of a part.
    ///
    /// # Safety
    /// - Shape: the columns of the place have source rows.
    #[inline(always)]
    pub(super) unsafe fn ask(&self, part: usize) {
        let base = self.src.base;
        // A loop for each kind of rows: less than ten cycles are left for a line.
        match self.src.rows {
            Rows::Stride(stride) => {
                let row = |i: usize| base.wrapping_offset((i as isize).wrapping_mul(stride));
                self.each(part, row, prefetch_second);
            }
            rows => {
                // SAFETY: shape: the rows are those of the place.
                let row = |i| unsafe { rows.at(base, i) };
                self.each(part, row, prefetch_second);
            }
        }
    }

    /// Does something with each line of a part.
    #[inline(always)]
    fn each(&self, part: usize, row: impl Fn(usize) -> *mut u8, mut line: impl FnMut(*const u8)) {
        let from = self.rows.start + part * self.part;
        let until = self.rows.end.min(from + self.part);
        let Range { start, end: last } = self.bytes;
        for i in from..until {
            let row = row(i);
            line(row.wrapping_add(start.min(last)));
            let mut at = start;
            while at < last {
                at += LINE;
                line(row.wrapping_add(at.min(last)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn cuts() -> impl Iterator<Item = Cut> {
        let extents = [16, 47, 64, 79, 80, 130, 200];
        let all = extents
            .into_iter()
            .flat_map(move |rows| extents.map(|cols| (rows, cols)));
        all.filter(|&(_, cols)| cols >= 64).flat_map(|all| {
            [(64, 64, 128), (57, 64, 100), (64, 16, 1000)].map(|(first, high, block)| Cut {
                all,
                least: (16, 32),
                piece: (high, 64),
                first,
                block,
            })
        })
    }

    fn places(cut: &Cut) -> Vec<Place> {
        core::iter::successors(Some(cut.first()), |place| cut.after(place)).collect()
    }

    /// Each cell is in one piece, none of which is too small or too large.
    #[test]
    fn pieces_are_the_panel() {
        for cut in cuts() {
            let mut times = vec![0; cut.all.0 * cut.all.1];
            for Place { block, rows, cols } in places(&cut) {
                assert!(
                    block.start <= rows.start && rows.end <= block.end,
                    "{cut:?}"
                );
                assert!(block.len() < cut.block + cut.least.0, "{cut:?}");
                let (high, wide) = (rows.len(), cols.len());
                assert!(
                    cut.least.0 <= high && high < cut.piece.0 + cut.least.0,
                    "{cut:?}"
                );
                assert!(
                    cut.least.1 <= wide && wide < cut.piece.1 + cut.least.1,
                    "{cut:?}"
                );
                for row in rows {
                    for col in cols.clone() {
                        times[row * cut.all.1 + col] += 1;
                    }
                }
            }
            assert!(times.iter().all(|&times| times == 1), "{cut:?}");
        }
    }

    /// All lines of the source are asked for, each with the piece that needs it first or before.
    #[test]
    fn lines_are_asked_for() {
        for (cut, start) in cuts().zip([0, 1, 17, 63].into_iter().cycle()) {
            let apart = 3 * LINE + 5;
            let base = core::ptr::without_provenance_mut::<u8>(LINE * LINE + start);
            let src = Side {
                base,
                rows: Rows::Stride(apart as isize),
                step: 1,
            };
            let row = |i| base.wrapping_add(i * apart);
            let mut asked = BTreeSet::new();
            for place in places(&cut) {
                let ahead = Ahead::of(src, 1, &place, 7);
                for part in 0..7 {
                    ahead.each(part, row, |line| {
                        asked.insert(line.addr() / LINE);
                    });
                }
                for col in place.cols {
                    for byte in place.rows.clone() {
                        let line = (row(col).addr() + byte) / LINE;
                        assert!(asked.contains(&line), "{cut:?}: byte {byte} of row {col}");
                    }
                }
            }
        }
    }
}
