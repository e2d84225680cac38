//! The source lines that the next lines of cells are picked from, which are asked for before they are loaded.
//!
//! A file of its own because masked loads want that, whatever is picked from them: on Zen 5 those that miss the caches
//! wait for each other, and prefetches do not.

use crate::cpu::from_zen5;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};

/// Bytes of the source, gaps and all, from which on its lines are asked for. Of the roof without and with, again and
/// again, then after all had been flushed: every second f32, 32 KiB of source 0.56 and 0.57, 0.48 and 0.57; 2 MiB 0.69 and
/// 0.61, 0.51 and 0.61; 4 MiB 0.75 and 0.65, 0.51 and 0.60; 8 MiB 0.66 and 0.67, 0.53 and 0.62; every fourth, 4 MiB 0.43 and
/// 0.37, 0.28 and 0.36, 16 MiB 0.38 and 0.42, 0.28 and 0.37; every eighth byte, 32 MiB 0.11 and 0.16, 0.14 and 0.20.
const FROM: usize = 6 << 20;

/// Bytes between a load and what is asked for before it. Of the roof without, with those of the load itself, 1, 4, 8, 12,
/// 16, and 24 KiB: every second f32, streamed, 0.55, 0.74, 0.75, 0.78, 0.82, 0.84, 0.82, 0.80; backwards, rows of 400, 0.47,
/// 0.71, 0.76, 0.83, 0.88, 0.88, 0.85, 0.82; every third 0.47, 0.53, 0.54, 0.59, 0.61, 0.65, 0.64, 0.58; every fourth, rows of
/// 40, 0.36, 0.40, 0.42, 0.46, 0.48, 0.50, 0.48, 0.41; every eighth byte, 4 MB, 0.11, 0.14, 0.15, 0.17, 0.20, 0.22, 0.24, 0.25.
const LEAD: isize = 8 << 10;

/// How many lines are asked for with each line of the destination, and where. Made once per panel.
#[derive(Clone, Copy)]
pub(crate) struct Coming {
    lead: isize,
    lines: usize,
}

impl Coming {
    /// Nothing is asked for.
    pub(crate) const NOTHING: Self = Self { lead: 0, lines: 0 };

    /// What a panel whose lines are each picked from so many wants: nothing where its source is small, or an other CPU's.
    #[inline(always)]
    pub(crate) fn of(panel: &Panel<'_>, lines: usize) -> Self {
        let step = panel.src.step;
        let reach = panel.rows * panel.cols * step.unsigned_abs();
        if reach < FROM || !from_zen5() {
            return Self::NOTHING;
        }
        let lead = LEAD * step.signum();
        Self { lead, lines }
    }

    /// Asks for what is picked a while after the lines from `base` on.
    #[inline(always)]
    pub(crate) fn ask(self, base: *const u8) {
        let start = base.wrapping_offset(self.lead);
        for v in 0..self.lines {
            prefetch(start.wrapping_add(v * LINE));
        }
    }
}
