//! Destination lines that are asked for before they are written, in the order of a panel.
//!
//! A file of its own because several families do that, and the ends of rows are the same for all: where
//! a row ends the next one is asked for, not what lies between them.

use crate::cpu::by_amd;
use crate::isa::prefetch_write;
use crate::panel::Panel;

#[cfg(target_arch = "x86_64")]
mod masked;
#[cfg(target_arch = "x86_64")]
pub(crate) use masked::{FROM_ZEN5, LEAD_ZEN5};

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
}
