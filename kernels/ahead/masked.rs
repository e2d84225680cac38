//! Destinations that are written under masks.
//!
//! A file of its own because only rows with masks need it: their stores wait where others do not.

use core::ops::Range;

use super::{Ahead, Asked};
use crate::cpu::{by_amd, from_zen5};
use crate::panel::{LINE, Panel, Rows};

/// From which bytes on, gaps and all, a destination is asked for before it is written under masks: *guess*, about a first-level cache.
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

impl Ahead {
    /// For stores under masks to the destination of a panel, if it pays: not where cells descend.
    #[inline(always)]
    pub(crate) fn of_masked(panel: &Panel<'_>) -> Option<Self> {
        let step = panel.dst.step;
        if step <= 0 {
            return None;
        }
        let reach = panel.rows * panel.cols * step.unsigned_abs();
        if from_zen5() {
            let far = || Self::new(panel, LEAD_ZEN5).over_rows(panel);
            return (reach >= FROM_ZEN5).then(far);
        }
        (reach >= FROM && !by_amd()).then(|| Self::new(panel, LEAD))
    }

    /// Over more rows than the next, where those are shorter. 100 f32 to every second, a third of each row left out, a row
    /// ahead, 1, 2, 4, and 8 KiB: 0.37, 0.37, 0.39, 0.40, 0.39 of the roof; a cell each 40 times, to every second, 0.60, 0.61, 0.63,
    /// 0.66, 0.67.
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
}

impl Asked {
    /// Asks for as many lines as some bytes of the row are, which are written a while after those.
    #[inline(always)]
    pub(crate) fn lines(self, bytes: Range<usize>) {
        for byte in bytes.step_by(LINE) {
            self.at(byte);
        }
    }

    /// The same and for the line of the last byte, which may be one more.
    #[inline(always)]
    pub(crate) fn all(self, bytes: Range<usize>) {
        let last = bytes.end.wrapping_sub(1);
        self.lines(bytes);
        self.at(last);
    }
}
