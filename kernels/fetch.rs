//! Panels that are asked for before they are moved.
//!
//! A file of its own because this is no kernel's: it is done between two panels, whatever moves them. Where
//! rows of a panel lie far apart, each piece of one is too short for the CPU to see where it leads. All
//! lines of the next panel, asked for at once, come together; a panel that is moved after that finds them
//! in the second-level cache, those that it writes as well.

use crate::cpu::{from_zen5, to_zen3};
use crate::isa::{prefetch, prefetch_second};
use crate::panel::{LINE, Pairing, Panel, Side};

/// Bytes of a side of a panel that is asked for into the first-level cache on Zen 5, which drops much of what is asked for
/// into the second. Of the roof into the second, and into the first up to 2, 5, 10, and 20 KB, and whatever is asked for: u16
/// 18x1030x8x3x4x2x6, 28 MB, 0.18, 0.18, 0.50, 0.50, 0.49, 0.50; 12 bytes 4x40x31x8x2x3x2 0.47, 0.51, 0.54, 0.55, 0.55, 0.54; f64
/// 5x4x4x2x3x152x8 0.51, 0.49, 0.52, 0.49, 0.52, 0.51; 245 permutations and others in the mean 0.766, 0.765, 0.771, 0.772,
/// 0.774, 0.773.
const NEAR: usize = 16 << 10;

impl Panel<'_> {
    /// Asks for all lines that this panel reads or writes to be brought into the second-level cache, or of small ones, on
    /// Zen 5, into the first. A hint: nothing is accessed but the entries of tables and lists, one for each row.
    ///
    /// Asking into the first-level cache, to write, is worth less: a panel of f32 47x45, 2024 of them, 0.31
    /// of the roof so, 0.57 this way, and 0.23 unasked; of u16 56x54, 0.25, 0.46 and 0.23 (2-core AVX2
    /// server VM, Zen 4).
    ///
    /// `on` says how far this panel lies from the one before it, of the source and of the destination: where its
    /// rows go on where those ended, the line in which they do is not asked for again. Of the roof, all lines
    /// asked for and these, 16 MiB of single bytes: runs of 65 bytes 0.36 and 0.60, of 40 0.28 and 0.42, cells
    /// 66x64 0.33 and 0.51, 26x840 0.27 and 0.36; u16 56x54 0.38 and 0.58 (Zen 4, AVX-512).
    ///
    /// `part` is which part of them is asked for, counted from 0, and of how many: see [`Panel::fetch_parts`].
    ///
    /// # Panics
    /// If a table or a list is shorter than its rows.
    pub fn fetch(&self, on: (isize, isize), part: (usize, usize)) {
        let (rows, cells) = match self.pairing {
            Pairing::Straight => (self.rows, self.cols),
            Pairing::Crossed => (self.cols, self.rows),
        };
        self.src.fetch(rows, cells, self.cell, on.0, part);
        self.dst.fetch(self.rows, self.cols, self.cell, on.1, part);
    }

    /// In how many parts what this panel reads and writes is asked for, while as many parts of the one before it are
    /// moved: in one, but on Zen 3 and before, which drop what is asked for while some 64 lines are on their way. Of
    /// 300 lines that were asked for in a loop of nothing else, three quarters were not there after it; with 15 cycles
    /// between them, all were.
    ///
    /// Of the roof, all lines at once and in parts, axes of 16 MiB: u16 [2, 0, 3, 1] 0.20 and 0.30, [3, 1, 2, 0] 0.19
    /// and 0.26; f32 0.22 and 0.38; u8 0.16 and 0.24, [3, 1, 0, 2] 0.28 and 0.32 (2-core server VM, Zen 3).
    #[must_use]
    pub fn fetch_parts(&self) -> usize {
        /// Lines of a part.
        const AT_ONCE: usize = 64;
        if !to_zen3() {
            return 1;
        }
        let lines = 2 * (self.rows * self.cols * self.cell).div_ceil(LINE) + self.rows + self.cols;
        lines.div_ceil(AT_ONCE)
    }
}

impl Side<'_> {
    /// Asks for a part of the lines in which rows of so many cells lie, which are `on` bytes on from rows whose lines
    /// were.
    fn fetch(
        &self,
        rows: usize,
        cells: usize,
        cell: usize,
        on: isize,
        (part, parts): (usize, usize),
    ) {
        let near = rows * cells * cell <= NEAR && from_zen5();
        let ask = |line: *const u8| {
            if near {
                prefetch(line);
            } else {
                prefetch_second(line);
            }
        };
        let cut = |all: usize| all * part / parts..all * (part + 1) / parts;
        let reach = (cells as isize - 1) * self.step;
        let (low, bytes) = (reach.min(0), reach.unsigned_abs() + cell);
        let follow = self.rows.follow(bytes);
        let (rows, bytes) = if follow {
            (1, rows * bytes)
        } else {
            (rows, bytes)
        };
        assert!(self.rows.has(rows), "an entry for each row");
        // Where rows go on, the line in which one starts is that in which the one before it ended, and so is that of a
        // part of one.
        let goes_on = on == bytes as isize;
        let behind = if goes_on { LINE - 1 } else { 0 };
        let (rows, bytes, low) = if follow {
            let some = cut(bytes);
            (0..1, some.len(), low.wrapping_add_unsigned(some.start))
        } else {
            (cut(rows), bytes, low)
        };
        for r in rows {
            // SAFETY: shape: tables and lists have so many entries.
            let start = unsafe { self.rows.at(self.base, r) }.wrapping_offset(low);
            if goes_on && (1..LINE).contains(&bytes) {
                // At most one, and no branch that is as often taken as not.
                ask(start.wrapping_add(bytes - 1));
                continue;
            }
            let end = start.wrapping_add(bytes).addr();
            let mut line = start.wrapping_add(behind);
            line = line.wrapping_sub(line.addr() % LINE);
            while line.addr() < end {
                ask(line);
                line = line.wrapping_add(LINE);
            }
        }
    }
}
