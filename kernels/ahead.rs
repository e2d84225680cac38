//! Destination lines that are asked for before they are written, in the order of a panel.
//!
//! A file of its own because several families do that, and the ends of rows are the same for all: where
//! a row ends the next one is asked for, not what lies between them.

use core::ops::Range;

use crate::cpu::{by_amd, from_zen5};
use crate::isa::prefetch_write;
use crate::panel::{LINE, Panel, Rows};

/// Whether a destination of so many bytes is asked for before it is written, which on Xeon pays from `cold`
/// bytes on: not on AMD's cores. With and without, of memcpy, Zen 4: transposed, f32 128x128 0.77 and 0.92,
/// 256x256 0.68 and 0.80, 480x480 0.59 and 0.67, 2000x2000 0.29 and 0.30, f64 256x256 0.57 and 0.66, u16 0.46
/// and 0.51, 16 bytes 100x100 0.69 and 0.88; every second f32, 1 MiB 0.54 and 0.63, 5.5 MiB 0.45 and 0.57, on
/// both sides 0.40 and 0.52; every third 0.30 and 0.37; RGB to RGBA u8 0.64 and 0.76. Zen 3: transposed, f32
/// 96x96 0.53 and 0.66, 256x256 0.43 and 0.59.
#[inline(always)]
pub(crate) fn pays(bytes: usize, cold: usize) -> bool {
    bytes >= cold && !by_amd()
}

/// From which bytes on a destination is asked for before it is written under masks: *guess*, about a first-level cache.
const FROM: usize = 32 << 10;

/// Bytes between such a store and what is asked for before it; 2048 is the same. 4 Mi f32 to every second, milliseconds
/// with and without: 2.8, 4.0.
const LEAD: usize = 1024;

/// The same on Zen 5, where masked stores wait for lines out of the caches, one after the other, so that those of single
/// cells are faster; and so do masked loads.
///
/// Of the roof, without and with, and cell by cell, again and again, then after all had been flushed. Every second f32 to
/// every second, 1 MiB from the first cell to the last, 0.31, 0.28, and 0.16, 0.29, 0.41, and 0.40; 2 MiB 0.49, 0.42, 0.27,
/// 0.33, 0.47, 0.45; 8 MiB 0.34, 0.52, 0.26, 0.33, 0.47, 0.44; 64 MiB 0.31, 0.48, 0.45, 0.36, 0.50, 0.49; 20 a row, 64 MB,
/// 0.15, 0.43, 0.42, 0.15, 0.38, 0.37. To every second, 128 KiB 0.49, 0.39, 0.21, 0.41, 0.56, 0.47; 1 MiB 0.41, 0.39, 0.26,
/// 0.37, 0.53, 0.50; 4 MiB 0.71, 0.65, 0.47, 0.43, 0.62, 0.59.
pub(crate) const FROM_ZEN5: usize = 1 << 20;

/// The same there. To every second f32, 8 MB, 1, 2, and 8 KiB ahead 0.66, 0.67, and 0.79; every fourth 0.29, 0.32, 0.40.
pub(crate) const LEAD_ZEN5: usize = 8 << 10;

/// How far ahead of the stores lines are asked for. Made once per panel.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    /// Bytes of a row, each cell with the gap behind it, and how many bytes come between.
    row: usize,
    lead: usize,
    /// How many rows on the next one is that is asked for.
    rows: usize,
}

impl Ahead {
    /// For stores under masks to a destination that reaches over so many bytes, if it pays.
    #[inline(always)]
    pub(crate) fn of_masked(panel: &Panel<'_>, reach: usize) -> Option<Self> {
        if from_zen5() {
            let far = || Self::new(panel, LEAD_ZEN5).over_rows(panel);
            return (reach >= FROM_ZEN5).then(far);
        }
        (reach >= FROM && !by_amd()).then(|| Self::new(panel, LEAD))
    }

    /// So many bytes before the stores of a panel of ascending cells; not farther than a row, but where
    /// rows follow each other without a gap.
    #[inline(always)]
    pub(crate) fn new(panel: &Panel<'_>, bytes: usize) -> Self {
        let reach = panel.cols * panel.dst.step.unsigned_abs();
        let adjacent = panel.dst.rows.follow(reach);
        let row = if adjacent { isize::MAX as usize } else { reach };
        let lead = bytes.min(row);
        Self { row, lead, rows: 1 }
    }

    /// Over more rows than the next, where those are shorter. 100 f32 to every second, a third of each row left out, a row
    /// ahead, 1, 2, 4, and 8 KiB: 0.37, 0.37, 0.39, 0.40, 0.39 of the roof; a cell each 40 times, to every second, 0.60, 0.61, 0.63, 0.66, 0.67.
    #[inline(always)]
    fn over_rows(self, panel: &Panel<'_>) -> Self {
        let rows = match panel.dst.rows {
            Rows::Stride(stride) if self.lead == self.row && stride != 0 => {
                (LEAD_ZEN5 / 2).div_ceil(stride.unsigned_abs())
            }
            _ => 1,
        };
        Self { rows, ..self }
    }

    /// What is asked for while row `r` is written.
    ///
    /// # Safety
    /// - Shape: `r` is a row of the panel that `self` was made for, whose tables have an entry for each.
    #[inline(always)]
    unsafe fn row(self, panel: &Panel<'_>, r: usize) -> Asked {
        let split = self.row - self.lead;
        let next = (r + self.rows).min(panel.rows - 1);
        // SAFETY: shape: both are rows of the panel, which has one at least: r.
        let (this, next) = unsafe { (panel.dst.cell(r, 0), panel.dst.cell(next, 0)) };
        Asked {
            split,
            this: this.wrapping_add(self.lead),
            next: next.wrapping_sub(split),
        }
    }
}

/// Where row `r` of a panel starts on both sides, and what is asked for while it is written, if that is
/// wanted.
///
/// # Safety
/// - Shape: `r` is a row of the panel, whose tables have an entry for each; `ahead` was made for it.
#[inline(always)]
pub(crate) unsafe fn row(
    panel: &Panel<'_>,
    ahead: Option<Ahead>,
    r: usize,
) -> (*const u8, *mut u8, Option<Asked>) {
    // SAFETY: shape: passed on.
    unsafe {
        (
            panel.src.cell(r, 0).cast_const(),
            panel.dst.cell(r, 0),
            ahead.map(|ahead| ahead.row(panel, r)),
        )
    }
}

/// What is asked for while a row is written: lines of the row itself, then of the next one.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// From which byte of the row on it is the next one.
    split: usize,
    /// What is asked for at byte 0, if it is this row and if it is the next.
    this: *mut u8,
    next: *mut u8,
}

impl Asked {
    /// Asks for the line that is written a while after the byte of the row.
    #[inline(always)]
    pub(crate) fn at(self, byte: usize) {
        let base = if byte < self.split {
            self.this
        } else {
            self.next
        };
        prefetch_write(base.wrapping_add(byte));
    }

    /// The same for all lines of some bytes of the row.
    #[inline(always)]
    pub(crate) fn all(self, bytes: Range<usize>) {
        let last = bytes.end.wrapping_sub(1);
        for byte in bytes.step_by(LINE) {
            self.at(byte);
        }
        self.at(last);
    }
}
