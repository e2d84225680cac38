//! The source lines that the next lines of cells are picked from, which are asked for before they are loaded.
//!
//! A file of its own because masked loads want that, whatever is picked from them: on Zen 5 those that miss the caches
//! wait for each other, and prefetches do not.

use crate::ahead::{FROM_ZEN5, LEAD_ZEN5};
use crate::cpu::from_zen5;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};

/// Bytes of the source, gaps and all, from which on its lines are asked for: as of [destinations](FROM_ZEN5), since what
/// waits for one side need not wait for the other.
///
/// Of the roof without and with, again and again, then after all had been flushed: every second f32, 1 MiB of source 0.45
/// and 0.44, 0.45 and 0.55; 2 MiB 0.64 and 0.59, 0.53 and 0.64; 4 MiB 0.73 and 0.65, 0.58 and 0.69; 8 MiB 0.66 and 0.67, 0.53
/// and 0.62; every fourth, 4 MiB 0.42 and 0.35, 0.26 and 0.34, 16 MiB 0.38 and 0.42, 0.28 and 0.37; every eighth byte, 32 MiB
/// 0.11 and 0.16, 0.14 and 0.20. If the result is read next, 2 MiB 0.77 and 0.74, 4 MiB 0.79 and 0.74.
const FROM: usize = FROM_ZEN5;

/// Bytes between a load and what is asked for before it. Of the roof without, with those of the load itself, 1, 4, 8, 12,
/// 16, and 24 KiB: every second f32, streamed, 0.55, 0.74, 0.75, 0.78, 0.82, 0.84, 0.82, 0.80; backwards, rows of 400, 0.47,
/// 0.71, 0.76, 0.83, 0.88, 0.88, 0.85, 0.82; every third 0.47, 0.53, 0.54, 0.59, 0.61, 0.65, 0.64, 0.58; every fourth, rows of
/// 40, 0.36, 0.40, 0.42, 0.46, 0.48, 0.50, 0.48, 0.41; every eighth byte, 4 MB, 0.11, 0.14, 0.15, 0.17, 0.20, 0.22, 0.24, 0.25.
const LEAD: isize = LEAD_ZEN5 as isize;

/// How far ahead of loads under masks their lines are asked for, if they are. Made once per panel.
#[derive(Clone, Copy)]
pub(crate) struct Coming(Option<isize>);

impl Coming {
    /// Nothing is asked for.
    pub(crate) const NOTHING: Self = Self(None);

    /// What the cells of a panel want: nothing where their source is small, or on other cores.
    #[inline(always)]
    pub(crate) fn of(panel: &Panel<'_>) -> Self {
        let step = panel.src.step;
        let reach = panel.rows * panel.cols * step.unsigned_abs();
        let pays = reach >= FROM && from_zen5();
        Self(pays.then_some(LEAD * step.signum()))
    }

    /// Asks for what is loaded a while after so many lines from `base` on.
    #[inline(always)]
    pub(crate) fn ask(self, base: *const u8, lines: usize) {
        if let Some(lead) = self.0 {
            for v in 0..lines {
                prefetch(base.wrapping_offset(lead).wrapping_add(v * LINE));
            }
        }
    }
}
