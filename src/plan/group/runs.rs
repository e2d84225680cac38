//! Which dimensions are rows where cells are runs.

use smallvec::SmallVec;

use super::amounts::{BYTES_OF_RUNS_A, RUNS_OF_B};
use super::order::Order;
use super::{Grow, PanelDims};
use crate::plan::normalise::Form;
use crate::plan::problem::Dim;

impl PanelDims {
    /// A straight panel of whole cells of so many bytes: rows are the dimension with the smallest destination stride,
    /// or, through the caches, the next one where that has few and the next one many. A panel takes longer than some
    /// runs.
    ///
    /// Of memcpy, rows of the first and of the next dimension, Zen 5: 2 runs of 128 bytes, 64 times, 4 MiB 0.72 and 0.98,
    /// 256 KiB 0.31 and 0.56; 4 of 32, 32 times, 0.73 and 0.85; 12 of 128, 512 times, 0.77 and 0.92; 15 of 256, 1000
    /// times, 0.92 and 1.06; 3 of 40, 2000 times, 0.21 and 0.39. But 32 of 128, 512 times, 0.70 and 0.27; shorter than a
    /// line, 12 of 36, 500 times, 0.57 and 0.53, 15 of 40, 2000 times, 0.65 and 0.60; and if lines that they share with
    /// others leave the first-level cache meanwhile, 3 of 40, 2000 times, 20 of those, 0.74 and 0.57, 5 of 48, 3000 times,
    /// 0.74 and 0.65, but 7 of 32, 300 times, 0.79 and 0.85.
    #[inline]
    pub(in crate::plan) fn runs(&mut self, dims: &[Dim], bytes: usize, grow: Grow) {
        /// Rows from which on they are enough, of runs of a line and of shorter ones.
        const ENOUGH: usize = 16;
        const ENOUGH_SHORT: usize = 8;
        /// How many times as many the next dimension has.
        const MORE: usize = 4;
        /// Bytes of a destination that is revisited for each of a few runs shorter than a line.
        const REVISITED: usize = 64 << 10;
        let (enough, most) = if bytes >= grow.line {
            (ENOUGH, usize::MAX)
        } else {
            (ENOUGH_SHORT, REVISITED)
        };
        match dims {
            [few, many, ..]
                if !(grow.streaming || grow.nested)
                    && few.extent < enough
                    && many.extent >= MORE * few.extent
                    && many.extent * few.extent * bytes <= most =>
            {
                self.order = Order::Cost;
                self.fill_rows(dims, [1, 0].into_iter().chain(2..dims.len()));
            }
            _ => self.straight(dims, None, grow),
        }
    }

    /// A straight panel of whole cells whose rows follow each other in the source, as do the loops.
    pub(in crate::plan) fn in_source_order(&mut self, dims: &[Dim]) {
        let mut nearest: SmallVec<[usize; 8]> = (0..dims.len()).collect();
        nearest.sort_by_key(|&i| dims[i].src.unsigned_abs());
        self.fill_rows(dims, nearest.into_iter());
    }

    /// A crossed panel of runs: columns from the dimension in which the destination is contiguous,
    /// rows from `a`, in which the source is, both grown to groups.
    pub(in crate::plan) fn crossed_runs(&mut self, normal: &Form<'_>, a: usize) {
        let (dims, cell) = (normal.dims, normal.cell);
        self.take_rows(dims, a);
        self.take_columns(dims, 0);
        self.grow_columns(dims, cell, RUNS_OF_B * cell);
        self.grow_rows(dims, cell, BYTES_OF_RUNS_A);
        self.read_rows_forwards();
    }
}
