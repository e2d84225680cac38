//! Short source rows in groups, back to back in each: what is asked for ahead of them.
//!
//! A file of its own because the rows are one sequence only in the order of a table. Where columns are several dimensions,
//! each index of the outer ones has a group of rows, as long as a stream and as far from the next one as that dimension
//! goes. What is asked for goes on in the next group where one ends, and in the next panel after the last:
//!
//! ```text
//!   source     | group 0 |   ..   | group 1 |   ..   | group 2 |
//!   windows    |    |    |        |    |    |        |    |    |       quarters of the next one are asked for
//! ```

use super::back_to_back::{NEAR_BY, SHORT, follow};
use super::line::LineTile;
use crate::cpu::by_amd;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Rows, Side};

/// Bytes of a group at least: *guess*, what a stream of the CPU's own takes to begin.
const GROUP: usize = 2 << 10;

/// Bytes of a panel at least: to find groups takes time. Panels of 3 KiB, 16-byte cells, 0.81 and, found, 0.77; of 6, f32
/// 0.83 and 0.79; of 15, 16-byte cells, 0.74 and 0.91.
const PANEL: usize = 8 << 10;

/// Bytes of a window at least, and at most: as many as a band and a half have, or the next power of two, so that what is
/// asked for is of later bands. Of the roof, by windows of 16, 32, 64 and 128 KiB, after all had been flushed (Xeon),
/// f32: rows of 192 bytes, groups of 80, 0.83, 0.85, 0.84, 0.83; 384 bytes, groups of 48, 0.79, 0.82, 0.82, 0.82; 640
/// bytes 0.83, 0.86, 0.86, 0.85; 1280 bytes 0.75, 0.83, 0.85, 0.86; u16, 1280 bytes, 0.62 with 32 and 0.70 with 64.
const WINDOW: (usize, usize) = (32 << 10, 128 << 10);

/// Bytes ahead of what is read where a panel is less than a window: 8 and 16 KiB are the same, and larger than some panels.
/// After all had been flushed, by windows and so: 15 KiB, 16-byte cells, 0.59 and 0.80; 24 KiB, f64, 0.68 and 0.72; but 36
/// KiB, u16, 0.66 and 0.59; 60 KiB, 16-byte cells, 0.85 and 0.76.
const LEAD: usize = NEAR_BY;

/// Source rows that are read as one sequence of groups.
#[derive(Clone, Copy)]
pub(super) struct InGroups<'a> {
    /// Bytes of each.
    row: usize,
    /// Where they start, from the base on.
    base: *const u8,
    offsets: &'a [isize],
    /// Bytes from the first row to that of the panel after this one.
    next: Option<isize>,
    /// Bytes of a window, if there are any.
    window: Option<usize>,
}

impl<'a> InGroups<'a> {
    /// Such rows of a table, `count` of them, of `row` bytes, of bands of `N` lines; what is read after them starts `next`
    /// bytes after the first one. None if they are too long, or groups too short: on other than AMD's cores, which were
    /// not asked, and not of single bytes, of which bands are so high that most rows are staged.
    ///
    /// # Safety
    /// - Shape: `src` has so many rows, two at least.
    #[inline(always)]
    pub(super) unsafe fn of<T: LineTile<R>, const R: usize, const N: usize>(
        (row, count): (usize, usize),
        src: Side<'a>,
        next: Option<isize>,
    ) -> Option<Self> {
        let Rows::Offsets(offsets) = src.rows else {
            return None;
        };
        if by_amd() || T::CELL == 1 || row >= SHORT || count * row < PANEL {
            return None;
        }
        let few = GROUP.div_ceil(row).max(2);
        // SAFETY: shape: as many rows as that exist.
        if few > count || !unsafe { follow(src, few, row) } {
            return None;
        }
        let (least, most) = WINDOW;
        let band = N * T::CELLS * row;
        let window = (band + band / 2).next_power_of_two().clamp(least, most);
        Some(Self {
            row,
            base: src.base,
            offsets: &offsets[..count],
            next,
            window: Some(window).filter(|&window| count * row >= window),
        })
    }

    /// Prefetches what is to be read after `bytes` of them are, which are those so many after the start of a row, or
    /// as many.
    #[inline(never)] // beside what asks for streams
    pub(super) fn ask(&self, read: (usize, usize), bytes: usize) {
        let at = read.0 * self.row + read.1;
        let Some(window) = self.window else {
            return self.ask_for(at + LEAD, bytes);
        };
        let done = at % window;
        let next = at - done + window;
        let piece = |done: usize| done / 4 / LINE * LINE;
        let (from, to) = (piece(done), piece(done + bytes));
        for quarter in 0..4 {
            self.ask_for(next + quarter * (window / 4) + from, to - from);
        }
    }

    /// Asks for so many bytes of the sequence, if they are of this panel or the next one. Not where they go on if a group
    /// ends among them.
    #[inline(always)]
    fn ask_for(&self, at: usize, bytes: usize) {
        if let Some(start) = self.place(at) {
            for line in (0..bytes).step_by(LINE) {
                prefetch_second(start.wrapping_add(line));
            }
        }
    }

    /// Where a byte of the sequence is, of this panel or the next one.
    #[inline(always)]
    fn place(&self, at: usize) -> Option<*const u8> {
        let (row, skipped) = (at / self.row, at % self.row);
        let (row, on) = match row.checked_sub(self.offsets.len()) {
            None => (row, 0),
            Some(row) => (row, self.next?),
        };
        let bytes = self.offsets.get(row)?.wrapping_add(on);
        Some(self.base.wrapping_offset(bytes).wrapping_add(skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Groups of 40 rows, far apart, in any order: what is after a row of a group is the next row, after a group the next
    /// group, after all the next panel, and nothing after that.
    #[test]
    fn a_byte_is_where_the_table_has_its_row() {
        const ROW: usize = 64;
        let groups = [0, 70_000, -30_000];
        let offsets: Vec<isize> = (groups.into_iter())
            .flat_map(|start| (0..40).map(move |i| start + i * ROW as isize))
            .collect();
        let of = |next| InGroups {
            row: ROW,
            base: core::ptr::without_provenance(1 << 20),
            offsets: &offsets,
            next,
            window: None,
        };
        let (alone, followed) = (of(None), of(Some(500)));
        for at in (0..2 * 120 * ROW).step_by(7) {
            let (row, skipped) = (at / ROW % 120, at % ROW);
            let first = (1 << 20) + offsets[row] + skipped as isize;
            let (here, next) = (at < 120 * ROW, (first + 500) as usize);
            let want = if here { first as usize } else { next };
            assert_eq!(
                followed.place(at).map(<*const u8>::addr),
                Some(want),
                "{at}"
            );
            assert_eq!(alone.place(at).is_some(), here, "{at}");
        }
        assert_eq!(followed.place(2 * 120 * ROW), None);
    }
}
