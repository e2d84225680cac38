//! Where the source rows of a band of columns start: an address for each.
//!
//! A file of its own because everything that streams is compiled once for all kinds of rows: what a
//! stride, a table or a list say of the source is asked once per band, and so is what the last columns
//! of a row continue with. Each kind on its own, and each pair of them, made functions of 300 KB that
//! took minutes to compile.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::lines::Lines;
use crate::panel::Panel;

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
    /// # Safety
    /// - Shape: `cols` are columns of the panel, at least one; tables and lists have an entry for each
    ///   row (contract).
    #[inline(always)]
    pub(super) unsafe fn find(&mut self, panel: &Panel<'_>, cols: Range<usize>, count: usize) {
        let base = panel.src.base;
        let last = cols.end - 1;
        for (i, start) in self.starts.iter_mut().enumerate().take(count) {
            let i = last.min(cols.start + i);
            // SAFETY: shape: column i is one of the panel, so its source row exists.
            start.write(unsafe { panel.src.rows.at(base, i) });
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
