//! Crossed panels that no vector row moves: the more cells one has, the less its call is felt.

use restride_kernels::Family;

use super::dims::Group;
use super::grow::Grow;
use super::order::Order;
use super::{Form, PanelDims};
use crate::plan::woven::{crossed_family, has_weaves};

impl PanelDims {
    /// Whether a crossed panel has so few cells that none but scalar rows take it: fewer than an interleave asks for.
    #[inline]
    pub(in crate::plan) fn are_few(&self, cell: usize) -> bool {
        /// Bytes of the longer side.
        const FEW: usize = 32;
        /// Cells of the shorter one.
        const SHORT: usize = 4;
        let (rows, cols) = (self.rows.len, self.cols.len);
        rows.min(cols) < SHORT && rows.max(cols) * cell < FEW
    }

    /// Whether one side of a crossed panel is so short that tiles are mostly edges, and what lies in order of the other one is
    /// no line: up to four cells, or fewer than eight of those that have few tiles.
    #[inline]
    pub(in crate::plan) fn are_narrow(&self, cell: usize, line: usize) -> bool {
        let most = if cell.is_power_of_two() { 4 } else { 7 };
        let first = |group: &Group| group.first.map_or(1, |dim| dim.extent);
        let longer = first(&self.rows).max(first(&self.cols));
        let parts = longer * cell < line || !has_weaves(cell);
        self.rows.len.min(self.cols.len) <= most && parts
    }

    /// Whether a crossed panel is pixels and planes at the offsets of a table, which no row weaves, and no windows are to be
    /// had. Of the roof, with a table and cell by cell, AVX2 (Xeon): patches of 16x16 pixels from three planes u8 0.02 and
    /// 0.06, u16 0.05 and 0.14; back u8 0.06 and 0.07, u16 0.08 and 0.14.
    #[inline]
    pub(in crate::plan) fn are_pixels_apart(&self, grow: Grow) -> bool {
        let woven = crossed_family(self.rows.len, self.cols.len) == Family::Interleave;
        woven && self.has_tables() && !grow.shuffled.masks
    }

    /// A crossed panel that is moved cell by cell: columns from the dimension with the smallest destination stride,
    /// rows from `a`, in which the source is nearest to contiguous; where those are few cells, the longest dimension
    /// that is left takes the place of the shorter one.
    ///
    /// Of memcpy, without and with that, Zen 5: u16 6x4x16x4x2, 6 KiB, in 384 panels of 4x2 0.008 and, in 96 of 16x2,
    /// 0.025; f32 2x4x80 2.5 KiB, in four of 2x80 0.103 and, in two of 4x80, 0.142; 16 bytes 3x16x4x5x2x2, 60 KiB,
    /// 0.050 and 0.097.
    pub(in crate::plan) fn apart(&mut self, normal: &Form<'_>, a: usize) {
        /// Cells of a panel from which on they are enough: *guess*, ten times as long as a call.
        const ENOUGH: usize = 256;
        /// Cells up to which the lines of a panel stay in the first-level cache until the next one, which is in the
        /// same lines: *guess*.
        const MOST: usize = 1024;
        /// Bytes that stay in the caches anyhow: *guess*, a fraction of a second-level cache.
        const SMALL: usize = 256 << 10;
        let dims = normal.dims;
        let (mut rows, mut cols) = (a, 0);
        let (down, across) = (dims[rows].extent, dims[cols].extent);
        let most = match normal.bytes <= SMALL {
            true => usize::MAX,
            false => MOST / down.max(across),
        };
        let longest = (1..dims.len())
            .filter(|&i| i != a && dims[i].extent <= most && dims[i].src != 0)
            .max_by_key(|&i| dims[i].extent);
        if let Some(longest) = longest
            && down * across < ENOUGH
            && dims[longest].extent > down.min(across)
        {
            let shorter = if across < down { &mut cols } else { &mut rows };
            *shorter = longest;
            self.order = Order::Cost;
        }
        self.take_rows(dims, rows);
        self.take_columns(dims, cols);
        self.read_rows_forwards();
    }
}
