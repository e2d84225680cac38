//! Panels that are asked for before they are moved.
//!
//! A file of its own because this is no kernel's: it is done between two panels, whatever moves them. Where
//! rows of a panel lie far apart, each piece of one is too short for the CPU to see where it leads. All
//! lines of the next panel, asked for at once, come together; a panel that is moved after that finds them
//! in the second-level cache, those that it writes as well.

use crate::isa::prefetch_second;
use crate::panel::{LINE, Pairing, Panel, Side};

impl Panel<'_> {
    /// Asks for all lines that this panel reads or writes to be brought into the second-level cache. A hint:
    /// nothing is accessed but the entries of tables and lists, one for each row.
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
    /// # Panics
    /// If a table or a list is shorter than its rows.
    pub fn fetch(&self, on: (isize, isize)) {
        let (rows, cells) = match self.pairing {
            Pairing::Straight => (self.rows, self.cols),
            Pairing::Crossed => (self.cols, self.rows),
        };
        self.src.fetch(rows, cells, self.cell, on.0);
        self.dst.fetch(self.rows, self.cols, self.cell, on.1);
    }
}

impl Side<'_> {
    /// Asks for the lines in which rows of so many cells lie, which are `on` bytes on from rows whose lines were.
    fn fetch(&self, rows: usize, cells: usize, cell: usize, on: isize) {
        let reach = (cells as isize - 1) * self.step;
        let (low, bytes) = (reach.min(0), reach.unsigned_abs() + cell);
        let (rows, bytes) = if self.rows.follow(bytes) {
            (1, rows * bytes)
        } else {
            (rows, bytes)
        };
        assert!(self.rows.has(rows), "an entry for each row");
        // Where rows go on, the line in which one starts is that in which the one before it ended.
        let goes_on = on == bytes as isize;
        let behind = if goes_on { LINE - 1 } else { 0 };
        for r in 0..rows {
            // SAFETY: shape: tables and lists have so many entries.
            let start = unsafe { self.rows.at(self.base, r) }.wrapping_offset(low);
            if goes_on && bytes < LINE {
                // At most one, and no branch that is as often taken as not.
                prefetch_second(start.wrapping_add(bytes - 1));
                continue;
            }
            let end = start.wrapping_add(bytes).addr();
            let mut line = start.wrapping_add(behind);
            line = line.wrapping_sub(line.addr() % LINE);
            while line.addr() < end {
                prefetch_second(line);
                line = line.wrapping_add(LINE);
            }
        }
    }
}
