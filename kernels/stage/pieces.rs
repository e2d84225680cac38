//! What is asked for while panels are put into a stage whose source rows are read a piece at a time.
//!
//! A file of its own because it is about the source alone: where all of it is read in order, lines are asked for with
//! those that are streamed instead.
//!
//! ```text
//!   rows    0    | piece | next  |                      segments:   | a b c d | 0 0 0 0 |
//!           1    | piece | next  |                                  | a b c d | 1 1 1 1 |
//!           2    | piece | next  |                                  | a b c d | 2 2 2 2 |
//! ```
//!
//! Segments are asked for row by row, all of them while the pieces before them, here `a` to `d`, are read of all rows.

use core::ops::Range;

use crate::isa::{prefetch, prefetch_second};
use crate::panel::{LINE, Panel};

/// What is asked for of source rows that are read a piece at a time, all of them, with a piece.
///
/// The CPU follows some rows by itself, and brings what comes next into the second-level cache; what is asked for of each
/// row only has to get from there to the first. Of more rows nothing comes, and a core waits for few lines that it asked
/// for; but what is asked for of one row in a sequence, it follows. Of the roof, pieces of the next and segments of
/// 256 bytes and of 512, 16 to 60 MiB, after one call, and after all had been flushed (Xeon): u16 56 rows 0.93, 0.90 and
/// 0.89, 0.40, 0.76 and 0.70, 60 rows 1.00, 0.94 and 0.92, 0.34, 0.85 and 0.83; u8 60 rows 0.97, 0.97 and 0.98, 0.46, 0.93
/// and 0.89; f32 56 rows 0.96, 0.96 and 0.94, 0.42, 0.82 and 0.76. But 40 rows, u16 0.91, 0.87 and 0.89, 0.86, 0.74 and 0.71,
/// f32 0.97, 0.96 and 0.96, 0.86, 0.80 and 0.79; up to 50 rows are followed. Pieces that are no whole lines, with segments
/// of 256 bytes, again and again, and after all had been flushed: u16 55 rows of 112 bytes 0.90 and 0.95, 0.42 and 0.80;
/// u8 64 of 66 0.96 both ways, 0.56 and 0.88, 65 of 66 0.87 and 0.85, 0.54 and 0.70.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pieces {
    /// The next piece of each.
    Next(Next),
    /// Of some rows several.
    Segments(Segments),
}

/// Lines of rows, one row after the other, while pieces of all rows are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    /// Bytes of a piece, and how many of them are a segment.
    piece: usize,
    pieces: usize,
    /// Which of them is read.
    reads: usize,
    /// The row and its line that come next.
    row: usize,
    line: usize,
}

impl Segments {
    /// Bytes of a segment, at least a piece.
    const BYTES: usize = 256;

    fn of(piece: usize) -> Self {
        Self {
            piece,
            pieces: (Self::BYTES / piece).max(1),
            reads: 0,
            row: 0,
            line: 0,
        }
    }

    /// Asks for so many lines of rows like these, and no more than there are.
    #[inline(always)]
    pub(super) fn ask(&mut self, panel: &Panel<'_>, lines: usize) {
        let each = (self.pieces * self.piece).div_ceil(LINE);
        let ahead = (self.pieces - self.reads) * self.piece;
        for _ in 0..lines {
            if self.row == panel.cols {
                return;
            }
            // SAFETY: shape: the row is below those of the source.
            let start = unsafe { panel.src.cell(self.row, 0) };
            prefetch_second(start.wrapping_add(ahead + self.line * LINE + LINE - 1));
            self.line += 1;
            if self.line == each {
                (self.row, self.line) = (self.row + 1, 0);
            }
        }
    }
}

impl Pieces {
    /// After these, for so many rows, of which the next pieces are so many bytes on.
    #[inline(always)]
    pub(super) fn after(before: Option<Self>, on: isize, rows: usize) -> Self {
        /// Rows that the CPU follows.
        const FOLLOWED: usize = 50;
        match before {
            Some(Self::Segments(mut segments)) if segments.piece as isize == on => {
                segments.reads += 1;
                if segments.reads == segments.pieces {
                    segments = Segments::of(segments.piece);
                }
                Self::Segments(segments)
            }
            _ if on > 0 && rows > FOLLOWED => Self::Segments(Segments::of(on.unsigned_abs())),
            _ => Self::Next(Next { on }),
        }
    }
}

/// The next pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// Bytes to them.
    on: isize,
}

impl Next {
    /// Asks for the lines that end in these bytes of the next pieces of so many rows: the first one's this piece is at the
    /// address, and they are so many bytes apart. The line in which a piece starts was asked for with the one before it.
    #[inline(always)]
    pub(super) fn ask(self, (first, stride): (*const u8, isize), rows: usize, bytes: Range<usize>) {
        // Tiles that read parts of lines come back to them.
        if !bytes.start.is_multiple_of(LINE) && bytes.len() < LINE {
            return;
        }
        for row in 0..rows as isize {
            let start = first.wrapping_offset(row.wrapping_mul(stride).wrapping_add(self.on));
            for end in (LINE..bytes.len()).step_by(LINE) {
                prefetch(start.wrapping_add(end - 1));
            }
            prefetch(start.wrapping_add(bytes.len().max(LINE) - 1));
        }
    }
}
