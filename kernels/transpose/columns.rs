//! Where the source rows of a band of columns start: an address for each.
//!
//! A file of its own because everything that streams is compiled once for all kinds of rows: what a
//! stride, a table or a list say of the source is asked once per band, and so is what the last columns
//! of a row continue with. Each kind on its own, and each pair of them, made functions of 300 KB that
//! took minutes to compile.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::lines::Lines;
use crate::panel::{Panel, Rows};

/// Source rows of the widest band: two lines of single bytes.
const MOST: usize = 128;

/// The source rows of a band, one for each column.
pub(super) struct Columns {
    starts: [MaybeUninit<*mut u8>; MOST],
}

impl Columns {
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        let starts = [MaybeUninit::uninit(); MOST];
        Self { starts }
    }

    /// The source rows of `count` columns from `cols.start` on. Those from `cols.end` on are the last
    /// one before it again; where rows wrap, those from the last column of the panel on are the first
    /// ones, a cell further on.
    ///
    /// As many columns as are asked for are found at once, without a look at each. One by one and so, of the roof
    /// (Xeon, 16 MiB, again and again, and after all had been flushed): f32 19 rows 0.89 and 0.94, 0.84 and 0.88; u16 22
    /// 0.82 and 0.91, 0.72 and 0.81; u8 26 0.71 and 0.81, 0.59 and 0.69; at the offsets of a table, u8 26 0.50 and 0.61,
    /// 0.50 and 0.59.
    ///
    /// # Safety
    /// - Shape: `cols` are columns of the panel, at least one; tables and lists have an entry for each
    ///   row (contract).
    #[inline(always)]
    pub(super) unsafe fn find(&mut self, panel: &Panel<'_>, cols: Range<usize>, count: usize) {
        let base = panel.src.base;
        let starts = self.starts.iter_mut().take(count);
        match panel.src.rows {
            Rows::Stride(stride) if cols.len() == count => {
                let first = base.wrapping_offset((cols.start as isize).wrapping_mul(stride));
                let rows =
                    core::iter::successors(Some(first), |row| Some(row.wrapping_offset(stride)));
                starts
                    .zip(rows)
                    .for_each(|(start, row)| _ = start.write(row));
            }
            Rows::Offsets(offsets) if cols.len() == count => {
                // SAFETY: shape: these columns are source rows, of which each has an entry.
                let offsets = unsafe { offsets.get_unchecked(cols) };
                let rows = offsets.iter().map(|&offset| base.wrapping_offset(offset));
                starts
                    .zip(rows)
                    .for_each(|(start, row)| _ = start.write(row));
            }
            rows => {
                let last = cols.end - 1;
                for (i, start) in starts.enumerate() {
                    // SAFETY: shape: column i, or the last one, is one of the panel, so its source row exists.
                    start.write(unsafe { rows.at(base, last.min(cols.start + i)) });
                }
            }
        }
    }

    /// Goes on after `from` columns with the first source rows, a cell further on, up to `count`.
    ///
    /// # Safety
    /// - Shape: the panel has that many columns.
    #[inline(always)]
    pub(super) unsafe fn wrap(&mut self, panel: &Panel<'_>, from: usize, count: usize) {
        for (i, start) in self.starts.iter_mut().enumerate().take(count).skip(from) {
            // SAFETY: shape: passed on.
            let row = unsafe { panel.src.rows.at(panel.src.base, i - from) };
            start.write(row.wrapping_add(panel.cell));
        }
    }

    /// The lines that start `bytes` into the source rows from the `first`th on.
    #[inline(always)]
    pub(super) fn lines(&self, first: usize, bytes: usize) -> Places<'_> {
        let starts = &self.starts[first..];
        Places { starts, bytes }
    }
}

/// Lines of a tile: places in source rows.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    starts: &'a [MaybeUninit<*mut u8>],
    bytes: usize,
}

impl Lines for Places<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        // SAFETY: shape: line i exists, so it is one that was found.
        unsafe { self.starts.get_unchecked(i).assume_init() }.wrapping_add(self.bytes)
    }
}
