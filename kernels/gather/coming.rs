//! The source lines that the next lines of cells are picked from, which are asked for before they are loaded.
//!
//! A file of its own because masked loads want that, whatever is picked from them: on Zen 5, and on Zen 3, those that miss
//! the caches wait for each other, and prefetches do not.

use crate::ahead::{FROM_ZEN5, LEAD_ZEN5};
use crate::cpu::{from_zen5, to_zen3};
use crate::fence::in_panels;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of the source, gaps and all, from which on its lines are asked for: as of [destinations](FROM_ZEN5), since what
/// waits for one side need not wait for the other.
///
/// Of the roof without and with, again and again, then after all had been flushed: every second f32, 1 MiB of source 0.45
/// and 0.44, 0.45 and 0.55; 2 MiB 0.64 and 0.59, 0.53 and 0.64; 4 MiB 0.73 and 0.65, 0.58 and 0.69; 8 MiB 0.66 and 0.67, 0.53
/// and 0.62; every fourth, 4 MiB 0.42 and 0.35, 0.26 and 0.34, 16 MiB 0.38 and 0.42, 0.28 and 0.37; every eighth byte, 32 MiB
/// 0.11 and 0.16, 0.14 and 0.20. If the result is read next, 2 MiB 0.77 and 0.74, 4 MiB 0.79 and 0.74.
const FROM: usize = FROM_ZEN5;

/// The same on Zen 3. Of the roof without and with, again and again, then after all had been flushed: every second f32, 128
/// KiB of source 0.57 and 0.49, 0.34 and 0.50; 512 KiB 0.50 and 0.52, 0.31 and 0.48; 2 MiB 0.65 and 0.66, 0.31 and 0.50; 16
/// MiB 0.51 and 0.63, 0.27 and 0.52; 32 MiB 0.31 and 0.52, 0.27 and 0.50; every third, 48 MiB 0.23 and 0.41, 0.21 and 0.37.
const FROM_ZEN3: usize = 128 << 10;

/// How far ahead there. Every second, third and fourth f32, every second and third f64, every second of 16 bytes, 16 MiB
/// around the caches, times as fast as without in the mean, 512 bytes, 1, 2, 4, and 8 KiB ahead: 1.37, 1.45, 1.44, 1.39,
/// 1.29; without masks, where gaps may be read, 1.2.
const LEAD_ZEN3: usize = 1 << 10;

/// From how many bytes of source on its lines are asked for, and how many bytes ahead, on cores that want it.
#[derive(Clone, Copy)]
struct Wanted {
    from: usize,
    lead: usize,
}

impl Wanted {
    /// What these cores want.
    #[inline(always)]
    fn here() -> Option<Self> {
        let (from, lead) = if from_zen5() {
            (FROM, LEAD_ZEN5)
        } else if to_zen3() {
            (FROM_ZEN3, LEAD_ZEN3)
        } else {
            return None;
        };
        Some(Self { from, lead })
    }
}

/// How far ahead of loads under masks their lines are asked for, if they are: in rows longer than that. Made once per
/// panel.
///
/// Of the roof without, with those of the load itself, 1, 4, 8, 12, 16, and 24 KiB ahead: every second f32, streamed, 0.55,
/// 0.74, 0.75, 0.78, 0.82, 0.84, 0.82, 0.80; backwards 0.47, 0.71, 0.76, 0.83, 0.88, 0.88, 0.85, 0.82; every third 0.47, 0.53,
/// 0.54, 0.59, 0.61, 0.65, 0.64, 0.58; every fourth 0.36, 0.40, 0.42, 0.46, 0.48, 0.50, 0.48, 0.41; every eighth byte, 4 MB,
/// 0.11, 0.14, 0.15, 0.17, 0.20, 0.22, 0.24, 0.25.
#[derive(Clone, Copy)]
pub(crate) struct Coming {
    lead: Option<isize>,
    /// Bytes from the end of a row to the start of the next one.
    gap: isize,
}

impl Coming {
    /// Nothing is asked for.
    pub(crate) const NOTHING: Self = Self { lead: None, gap: 0 };

    /// What the cells of a panel want: nothing where their source is small, or on other cores.
    #[inline(always)]
    pub(crate) fn of(panel: &Panel<'_>) -> Self {
        let (step, row) = (panel.src.step, reach(panel));
        let whole = Self::over(panel.rows * row, step.signum());
        if whole.lead.is_none_or(|lead| row < lead.unsigned_abs()) {
            return Self::NOTHING;
        }
        let gap = match panel.src.rows {
            Rows::Stride(stride) => stride.wrapping_sub(step.wrapping_mul(panel.cols as isize)),
            _ => 0,
        };
        Self { gap, ..whole }
    }

    /// The same of a source that reaches over so many bytes, up or down.
    #[inline(always)]
    pub(crate) fn over(reach: usize, sign: isize) -> Self {
        let wanted = Wanted::here().filter(|wanted| reach >= wanted.from);
        let lead = wanted.map(|wanted| wanted.lead as isize * sign);
        Self { lead, gap: 0 }
    }

    /// The same where on Zen 5 it reaches over `from` bytes and more, and nowhere else.
    #[inline(always)]
    pub(crate) fn over_from(from: usize, reach: usize, sign: isize) -> Self {
        let pays = reach >= from && from_zen5();
        let lead = pays.then_some(LEAD_ZEN5 as isize * sign);
        Self { lead, gap: 0 }
    }

    /// What a source without gaps wants that is read in one sequence, up or down, beside stores around the caches: on Zen
    /// 3. GB/s of a copy of 16 and of 64 MiB without, 1, 2, and 4 KiB ahead: 31, 32, 37, 37; 26, 30, 28, 26.
    #[inline(always)]
    pub(crate) fn in_sequence(bytes: usize, sign: isize) -> Self {
        /// How far ahead.
        const LEAD: isize = 2 << 10;
        let pays = bytes >= FROM_ZEN3 && to_zen3();
        let lead = pays.then_some(LEAD * sign);
        Self { lead, gap: 0 }
    }

    /// What is asked for at the end of a row: the start of the next one.
    #[inline(always)]
    pub(crate) fn ending(self) -> Self {
        let lead = self.lead.map(|lead| lead.wrapping_add(self.gap));
        Self { lead, ..self }
    }

    /// Asks for what is loaded a while after so many lines from `base` on.
    #[inline(always)]
    pub(crate) fn ask(self, base: *const u8, lines: usize) {
        if let Some(lead) = self.lead {
            for v in 0..lines {
                prefetch(base.wrapping_offset(lead).wrapping_add(v * LINE));
            }
        }
    }
}

/// How many of the last cells of a row are moved by a pick that asks for the next row.
#[inline(always)]
pub(crate) fn last_cells(step: isize) -> usize {
    let lead = Wanted::here().map_or(0, |wanted| wanted.lead);
    lead / step.unsigned_abs().max(1)
}

/// Bytes of a row of the source, with the gap behind each cell.
fn reach(panel: &Panel<'_>) -> usize {
    panel.cols * panel.src.step.unsigned_abs()
}

/// Which rows of the source are asked for, all of their lines, before others are moved: where they are shorter than the
/// lead of [`Coming`]. Made once per panel.
///
/// Of the roof without and with, and cell by cell, again and again, then after all had been flushed, Zen 5, rows that lie
/// apart: every second f32, 20 a row 0.04, 0.15, and 0.14, 0.06, 0.20, 0.20; 44 a row 0.12, 0.41, 0.40, 0.14, 0.37, 0.39; 100
/// a row 0.23, 0.45, 0.46, 0.24, 0.46, 0.49; every third, 18 a row 0.05, 0.29, 0.27, 0.06, 0.32, 0.32; u8, 80 a row 0.19, 0.26,
/// 0.10, 0.11, 0.50, 0.19; 100 f64 backwards 0.45, 0.83, 0.78, 0.61, 0.87, 0.86; to every second, 44 a row 0.30, 0.34, 0.32,
/// 0.37, 0.38, 0.38.
///
/// Without and with, Zen 3: every second f32, 40 a row 0.17 and 0.36, 0.23 and 0.41, 100 a row 0.10 and 0.23, 0.12 and 0.26,
/// 200 a row 0.39 and 0.53, 0.40 and 0.57; 200 u16 backwards 0.28 and 0.47, 0.28 and 0.37.
#[derive(Clone, Copy)]
pub(crate) struct ComingRows {
    /// How many rows on; 0 where none are.
    on: usize,
    /// The bytes of a row: where they begin, counted from its first cell, and how many.
    low: isize,
    bytes: usize,
    /// Bytes from the panel to the next one, to which those after it are taken to be as far.
    next: Option<isize>,
}

impl ComingRows {
    /// None.
    const NONE: Self = Self {
        on: 0,
        low: 0,
        bytes: 0,
        next: None,
    };

    /// Those of a panel: none where its source is small, or contiguous, or on other cores.
    #[inline(always)]
    pub(crate) fn of(panel: &Panel<'_>) -> Self {
        Self::so_far(panel, 1, None)
    }

    /// The same half as far ahead, where lines of the destination are asked for as well.
    #[inline(always)]
    pub(crate) fn half_as_far(panel: &Panel<'_>) -> Self {
        Self::so_far(panel, 2, None)
    }

    /// Those of a panel whose destination is written around the caches, which is one of many where it is small: of the
    /// next ones as well, of which one lies so many bytes on.
    #[inline(always)]
    pub(super) fn streamed(panel: &Panel<'_>, next: Option<isize>) -> Self {
        Self::so_far(panel, 1, next)
    }

    /// Those of a panel, and of the next ones if one lies so many bytes on, a part of the lead ahead.
    #[inline(always)]
    fn so_far(panel: &Panel<'_>, part: usize, next: Option<isize>) -> Self {
        let Some(Wanted { from, lead }) = Wanted::here() else {
            return Self::NONE;
        };
        if panel.rows == 1 && next.is_none() {
            return Self::NONE;
        }
        let (step, row) = (panel.src.step, reach(panel));
        let Rows::Stride(stride) = panel.src.rows else {
            return Self::NONE;
        };
        let apart = stride.unsigned_abs();
        let small = next.is_none() && panel.rows * apart.max(row) < from;
        if small || row >= lead || step == 0 {
            return Self::NONE;
        }
        if panel.src.rows.follow(row) && step.unsigned_abs() == panel.cell {
            return Self::NONE;
        }
        Self {
            on: (lead / part).div_ceil(apart.max(1)),
            low: (step * (panel.cols as isize - 1)).min(0),
            bytes: row - step.unsigned_abs() + panel.cell,
            next,
        }
    }

    /// The same with so many bytes before the first cell and after the last, where masked loads reach as far: they wait for
    /// lines of which they load nothing as well.
    #[inline(always)]
    pub(crate) fn beyond(self, before: usize, after: usize) -> Self {
        Self {
            low: self.low - before as isize,
            bytes: self.bytes + before + after,
            ..self
        }
    }

    /// Asks for the row that is moved a while after the `i`th of so many; `row` says which row the `i`th is.
    ///
    /// # Safety
    /// - Shape: `row` gives rows of the panel that `self` was made for, whose tables have an entry for each.
    #[inline(always)]
    pub(crate) unsafe fn ask(self, panel: &Panel<'_>, i: usize, row: impl Fn(usize) -> usize) {
        if self.on == 0 {
            return;
        }
        let Some((i, on)) = in_panels(i + self.on, panel.rows, self.next) else {
            return;
        };
        // SAFETY: shape: passed on, as i is below rows.
        let cell = unsafe { panel.src.cell(row(i), 0) };
        let start = cell.wrapping_offset(self.low.wrapping_add(on)).cast_const();
        for byte in (0..self.bytes).step_by(LINE) {
            prefetch(start.wrapping_add(byte));
        }
        prefetch(start.wrapping_add(self.bytes - 1));
    }
}
