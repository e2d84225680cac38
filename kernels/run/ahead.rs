//! What is asked for of a source while the lines of a [stage](super::staged) are streamed, which read nothing from memory.
//!
//! A file of its own because what serves depends on how runs lie in the source, and on whose cores these are. Elsewhere
//! lines are asked for at one distance from each other, beginning with the next piece; on Zen 4 all lines of each run of a
//! piece that comes later, or none.

use crate::cpu::zen4;
use crate::fence::in_panels;
use crate::isa::{prefetch, prefetch_ahead, prefetch_second};
use crate::panel::{LINE, PAGE, Panel, Rows};

/// How a source is asked for, which is the same for all pieces of a panel.
#[derive(Clone, Copy)]
enum How {
    /// Not at all.
    Not,
    /// So many lines with each that is streamed, so far apart: a run, or a line.
    Lines { apart: isize, each: usize },
    /// All lines of runs that have as many bytes as are streamed, so many pieces on: into the first-level cache, or the
    /// second.
    Runs { pieces: usize, first: bool },
}

/// What is ahead of the pieces of a panel.
#[derive(Clone, Copy)]
pub(super) struct Ahead<'a, 'p> {
    panel: &'a Panel<'p>,
    /// Bytes from the source of this panel to that of the next one, if there is one.
    next: Option<isize>,
    /// Bytes from one run to the next; 0 where no stride says it.
    stride: isize,
    /// Runs of a piece.
    piece: usize,
    how: How,
}

impl<'a, 'p> Ahead<'a, 'p> {
    /// Of a panel in pieces of so many runs.
    #[inline(always)]
    pub(super) fn of(panel: &'a Panel<'p>, next: Option<isize>, piece: usize) -> Self {
        let (stride, how) = match panel.src.rows {
            Rows::Stride(stride) if zen4() => (stride, on_zen4(panel.cols, stride)),
            Rows::Stride(stride) => (stride, lines(panel.cols, stride)),
            // Where runs are is not known without reading a table.
            _ => (0, How::Not),
        };
        Self {
            panel,
            next,
            stride,
            piece,
            how,
        }
    }

    /// What is ahead of the piece of so many runs from `r` on.
    ///
    /// After the last piece of a panel that is the next one's, if there is one, taken to follow. Panels of 16 runs, so and
    /// asked for where it is (Xeon): 64 bytes of 128 0.40 and 0.67, of 256 0.28 and 0.41, 100 of 200 0.43 and 0.56.
    #[inline(always)]
    pub(super) fn piece(self, r: usize, runs: usize) -> Asking {
        let Panel { src, rows, .. } = *self.panel;
        let pieces = match self.how {
            How::Runs { pieces, .. } => pieces,
            _ => 1,
        };
        let run = r + runs + (pieces - 1) * self.piece;
        let at = |run: usize| {
            src.base
                .wrapping_offset(self.stride.wrapping_mul(run as isize))
        };
        let (coming, left) = match in_panels(run, rows, self.next) {
            Some((run, on)) => (at(run).wrapping_offset(on), rows - run),
            None => (at(run), 0),
        };
        Asking {
            how: self.how,
            bytes: self.panel.cols,
            stride: self.stride,
            coming,
            left,
            due: 0,
        }
    }
}

/// Lines at one distance: those of runs shorter than a line that lie apart are all there are, of longer ones they are some.
///
/// 48 MiB in pieces of 8 KiB, milliseconds with them and without: 20 bytes of 32 8.1 and 9.1, 48 of 64 6.5 and 6.9, 7 of 8
/// 7.6 and 9.9.
fn lines(bytes: usize, stride: isize) -> How {
    let apart = stride.unsigned_abs().max(LINE);
    // The source of a line, which is as many runs as have its bytes.
    let source = LINE.saturating_mul(stride.unsigned_abs()) / bytes;
    How::Lines {
        apart: apart as isize * stride.signum(),
        each: source.div_ceil(apart),
    }
}

/// All lines of runs, of the next piece into the first-level cache, or of the one after it into the second, or nothing.
///
/// Of the roof, lines at one distance and so, 33.5 MB, each time after a streaming copy: 64 bytes of 192 0.55 and 0.77,
/// of 2112 0.57 and 0.68; 128 of 384 0.39 and 0.89; 192 of 384 0.36 and 0.71, of 576 0.34 and 0.78; 80 of 400 0.30 and
/// 0.56; 240 of 1200 0.25 and 0.65. Into the first-level cache at any distance 0.47, 0.42, 0.42, 0.54, 0.40, 0.25 and
/// 0.28. But runs that nearly follow each other, nothing, the one and the other: 64 of 96 0.54, 0.81 and 0.71; 96 of 128
/// 0.77, 0.92 and 0.84; 240 of 320 0.76, 0.92 and 0.88; 20 of 32 0.61, 0.47 and 0.61; 48 of 64 0.81, 0.76 and 0.69; 64 of
/// 68 0.98, 0.86 and 0.80. And where every line is the first of two, or a few lines lie at few places of a page: 64 of
/// 256 0.33, 0.43 and 0.29; of 384 0.35, 0.45 and 0.30; 128 of 512 0.35, 0.41 and 0.34; 192 of 512 0.33, 0.39 and 0.32;
/// 64 of 4096, of the next piece, 0.21, 0.23 and 0.35.
fn on_zen4(bytes: usize, stride: isize) -> How {
    /// Bytes from one run to the next below which the hardware does it.
    const NEAR: usize = LINE + LINE / 2;
    /// Bytes of which strides are multiples where lines lie at few places of a page.
    const FEW_PLACES: usize = PAGE / 8;
    let apart = stride.unsigned_abs();
    let firsts = bytes <= LINE && apart.is_multiple_of(2 * LINE);
    let few_places = apart.is_multiple_of(FEW_PLACES) && apart < PAGE / 2;
    let (pieces, first) = match apart {
        0..NEAR => return How::Not,
        PAGE.. if firsts => return lines(bytes, stride),
        _ if firsts || few_places || apart < 2 * bytes => (1, true),
        _ => (2, false),
    };
    How::Runs { pieces, first }
}

/// What is asked for with the lines of a piece.
pub(super) struct Asking {
    how: How,
    /// Bytes of a run, and from one to the next.
    bytes: usize,
    stride: isize,
    /// The next line, or run.
    coming: *const u8,
    /// Runs of the panel from that one on, of [`How::Runs`]: none are asked for beyond.
    left: usize,
    /// Bytes that were streamed since the last one.
    due: usize,
}

impl Asking {
    /// Asks for as much as belongs to a line that is streamed.
    #[inline(always)]
    pub(super) fn line(&mut self) {
        match self.how {
            How::Not => {}
            How::Lines { apart, each } => {
                for _ in 0..each {
                    prefetch_ahead(self.coming);
                    self.coming = self.coming.wrapping_offset(apart);
                }
            }
            How::Runs { first, .. } => {
                self.due += LINE;
                while self.due >= self.bytes && self.left > 0 {
                    self.due -= self.bytes;
                    self.left -= 1;
                    if first {
                        self.run(prefetch);
                    } else {
                        self.run(prefetch_second);
                    }
                }
            }
        }
    }

    /// Asks for all lines of a run, the last of which may be one more than it has bytes for.
    #[inline(always)]
    fn run(&mut self, ask: impl Fn(*const u8)) {
        for byte in (0..self.bytes).step_by(LINE) {
            ask(self.coming.wrapping_add(byte));
        }
        ask(self.coming.wrapping_add(self.bytes - 1));
        self.coming = self.coming.wrapping_offset(self.stride);
    }
}
