//! How a panel looks to the walks of this family: a pointer to pixels and one to each plane.
//!
//! A file of its own because it says where pixels and planes are, and the walks say in which order they move.

use super::weave::{Cells, Weave};
use crate::panel::{LINE, Panel, Rows, Side, reached};

/// The most planes.
pub(super) const MOST: usize = 4;

/// Cells from one pixel to the next: pixels of two, three, and four, and every second one of three and four.
const STEPS: [usize; 5] = [2, 3, MOST, 6, 2 * MOST];

/// A panel as pixels and planes. Looked at where it was made: its planes are stored one by one, and to move them as
/// an array waits for all of those stores, half of what 64 f32 of two planes take.
#[derive(Clone, Copy)]
pub(super) struct Woven {
    pub(super) pixels: *mut u8,
    /// The first cell of each plane; the first plane again where there are fewer.
    pub(super) planes: [*mut u8; MOST],
    /// Cells of a pixel that move: as many planes there are.
    pub(super) moved: usize,
    /// Cells from one pixel to the next.
    pub(super) step: usize,
    /// Whether they lie from last to first.
    pub(super) back: bool,
    /// Pixels.
    pub(super) len: usize,
}

impl Woven {
    /// The panel whose destination rows are planes.
    #[inline(always)]
    pub(super) fn split(panel: &Panel<'_>) -> Option<Self> {
        Self::of(
            panel.cell,
            (&panel.src, panel.cols),
            (&panel.dst, panel.rows),
        )
    }

    /// The panel whose source rows are planes.
    #[inline(always)]
    pub(super) fn merge(panel: &Panel<'_>) -> Option<Self> {
        Self::of(
            panel.cell,
            (&panel.dst, panel.rows),
            (&panel.src, panel.cols),
        )
    }

    /// `None` where pixels do not follow each other.
    #[inline(always)]
    fn of(
        cell: usize,
        (pixels, len): (&Side<'_>, usize),
        (planes, moved): (&Side<'_>, usize),
    ) -> Option<Self> {
        if !is_short(moved) || len == 0 {
            return None;
        }
        let (step, back) = match pixels.rows {
            Rows::Stride(stride) if len > 1 => {
                let mut steps = STEPS.into_iter();
                let step = steps.find(|step| step * cell == stride.unsigned_abs())?;
                (step, stride < 0)
            }
            _ if len == 1 => (moved, false),
            _ => return None,
        };
        let (most, any_way) = if step > MOST {
            (step / 2, false)
        } else {
            (step, true)
        };
        if moved > most || back && !any_way {
            return None;
        }
        // SAFETY: shape: both sides have a row 0, and the planes `moved` rows.
        let (pixels, first) = unsafe { (pixels.cell(0, 0), planes.cell(0, 0)) };
        let mut starts = [first; MOST];
        // Not `take(moved)`, which is a call.
        for (p, start) in starts.iter_mut().enumerate().skip(1) {
            if p < moved {
                // SAFETY: shape: p is below `moved`.
                *start = unsafe { planes.cell(p, 0) };
            }
        }
        Some(Self {
            pixels,
            planes: starts,
            moved,
            step,
            back,
            len,
        })
    }

    /// Where the group of pixels begins that the `at`th is the first of.
    #[inline(always)]
    pub(super) fn group<W: Weave<STEP>, const STEP: usize>(&self, at: usize) -> *mut u8 {
        if W::BACK {
            self.pixels
                .wrapping_sub((at + W::GROUP - 1) * STEP * W::CELL)
        } else {
            self.pixels.wrapping_add(at * STEP * W::CELL)
        }
    }

    /// Where the line of plane `p` begins whose first cell is the `at`th.
    #[inline(always)]
    pub(super) fn line<W: Cells>(&self, p: usize, at: usize) -> *mut u8 {
        self.planes[p].wrapping_add(at * W::CELL)
    }

    /// Whether pixels leave cells out.
    #[inline(always)]
    pub(super) fn has_holes(&self) -> bool {
        self.moved < self.step
    }

    /// All pixels but the one whose holes, as those behind it, lie behind all other cells. None if it is the only one.
    #[inline(always)]
    pub(super) fn before_the_last<W: Cells>(&self) -> Option<Self> {
        let mut woven = *self;
        woven.len = self.len.checked_sub(1).filter(|&len| len > 0)?;
        if self.back {
            woven.pixels = self.pixels.wrapping_sub(self.step * W::CELL);
            for plane in &mut woven.planes {
                *plane = plane.wrapping_add(W::CELL);
            }
        }
        Some(woven)
    }

    /// For each line of pixels the bytes that are loaded or stored: those that move, or all without masks.
    #[inline(always)]
    pub(super) fn moved_bytes<W: Cells, const STEP: usize>(&self) -> [u64; STEP] {
        let (mut bytes, cell) = ([!0; STEP], W::CELL);
        if !W::MASKS {
            return bytes;
        }
        let (pixel, moved) = (STEP * cell, (1_u128 << (self.moved * cell)) - 1);
        // From the pixel on that reaches into the line; what is shifted out is of other lines.
        for (j, line) in bytes.iter_mut().enumerate() {
            let before = j * LINE % pixel;
            let mut all = moved >> before;
            let mut at = pixel - before;
            while at < LINE {
                all |= moved << at;
                at += pixel;
            }
            *line = all as u64;
        }
        bytes
    }
}

/// Which bytes of line `j` of a group are of its first `len` pixels, as a mask.
#[inline(always)]
pub(super) fn of_first<W: Weave<STEP>, const STEP: usize>(len: usize, j: usize) -> u64 {
    if W::BACK {
        !reached((W::GROUP - len) * STEP * W::CELL, j)
    } else {
        reached(len * STEP * W::CELL, j)
    }
}

/// Whether there are so many planes.
pub(super) fn is_short(side: usize) -> bool {
    (2..=MOST).contains(&side)
}
