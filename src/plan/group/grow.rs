//! Whether groups are formed at all, of what kind, and how far they grow.

use restride_kernels::{Isa, Shuffled, SourceGaps};

use super::PanelDims;
use super::amounts::{
    BYTES_OF_A, BYTES_OF_AN_ENTRY, BYTES_OF_CUT_A, BYTES_OF_CUT_B, BYTES_OF_FETCHED_A,
    BYTES_OF_FIRST_B, LINES_OF_B, LINES_OF_CUT_A, LINES_OF_MORE_B, LINES_OF_ODD_B,
    LINES_OF_SHORT_A, SHORT_FOR_TABLES, STREAMED_TABLE_ENTRIES, TABLE_ENTRIES, WIDE_CELL,
};
use crate::machine::Facts;
use crate::plan::normalise::Form;
use crate::plan::problem::Dim;
use crate::plan::stores::{LEAST_STREAMED, held_far, is_far, streaming_bytes};

/// From this many dimensions on, groups with tables are formed. Below it each side of a panel is
/// one dimension, so that planning takes no heap and a fraction of a microsecond.
pub(super) const TABLE_RANK: usize = 5;

/// The same where the destination is streamed: copies so long do not feel a table. Nor do those that a far third-level
/// cache holds: Xeon, 16 MiB, four dimensions without and with tables, axes of five [3, 0, 1, 4, 2], u8 0.58 and 0.72,
/// u16 0.85 and 0.99, 16 bytes 0.85 and 0.94; of four [2, 0, 3, 1], f32 0.82 and 0.92.
const STREAMED_TABLE_RANK: usize = 3;

/// Copies up to this many bytes are made of few large panels, whose rows are nests: a table is made on
/// the stack when they are run. f32 4x4x4x4 reversed in one panel instead of sixteen: a run takes 40 ns
/// instead of 100, plan and run 102 instead of 171; 2x2x2x2, 17 and 48, 90 and 130; rows of 32 bytes
/// permuted, 31 and 62, 80 and 120 (2-core AVX-512 server VM). *Guess*: above 4 KiB, calls vanish beside
/// the cells.
const NESTED_BYTES: usize = 4 << 10;

/// Copies of so many bytes and more have tables from three dimensions on, if a side of their panels would be shorter than
/// a line without. Of the roof, without and with, Zen 5: u16 19x34x19x2 0.03 and 0.27, 256x128x3x2 whose columns are
/// pages apart 0.05 and 0.3; f32 64x128x3 0.11 and 0.25, 512x8x2x3 0.04 and 0.09; f64 12x5x32x2 0.07 and 0.24; 3 bytes
/// 244x256x16 0.07 and 0.3; but 16 bytes 3x5x201 0.41 and 0.31, f64 32x4x8x16 0.19 and 0.17. *Guess*: a table takes a
/// fraction of such a copy.
const LEAST_TABLED: usize = 16 << 10;

/// As many cells for each entry of such a table, at least: *guess*.
const CELLS_OF_AN_ENTRY: usize = 8;

/// What the growth of groups depends on.
#[derive(Clone, Copy, Debug)]
pub(in crate::plan) struct Grow {
    /// Bytes of a line.
    pub(in crate::plan) line: usize,
    /// Whether the destination is written around the caches.
    pub(in crate::plan) streaming: bool,
    /// Whether it is, on a machine with a near third-level cache.
    pub(in crate::plan) streams_near: bool,
    /// Whether groups are nests.
    pub(in crate::plan) nested: bool,
    /// Entries of a table at most.
    pub(in crate::plan) entries: usize,
    /// Whether panels may be fetched: cached stores to a destination that the caches do not hold.
    pub(in crate::plan) fetched: bool,
    /// Whether a far third-level cache holds both sides of what is too large for the others.
    pub(in crate::plan) held: bool,
    /// Bytes of a block whose cells are shuffled in registers, at most.
    pub(in crate::plan) shuffled: Shuffled,
}

impl Grow {
    /// For a copy of `bytes` with kernels that need no more than `isa`, and what they may read.
    #[inline]
    pub(in crate::plan) fn of(
        bytes: usize,
        facts: &Facts,
        (isa, gaps): (Isa, SourceGaps),
        streaming: bool,
    ) -> Self {
        Self {
            line: facts.caches.line,
            streaming,
            streams_near: streaming && !is_far(facts),
            nested: bytes <= NESTED_BYTES && !streaming,
            entries: if streaming {
                (bytes / BYTES_OF_AN_ENTRY).clamp(TABLE_ENTRIES, STREAMED_TABLE_ENTRIES)
            } else {
                TABLE_ENTRIES
            },
            fetched: !streaming && bytes >= LEAST_STREAMED && bytes >= streaming_bytes(facts),
            held: !streaming && bytes >= LEAST_STREAMED && held_far(bytes, facts),
            shuffled: Shuffled::most(isa, gaps),
        }
    }

    /// From this many dimensions on groups are formed.
    pub(super) fn table_rank(self) -> usize {
        if self.streaming || self.held {
            STREAMED_TABLE_RANK
        } else {
            TABLE_RANK
        }
    }
}

impl PanelDims {
    /// Grows both sides of a crossed panel to groups, columns first.
    pub(super) fn grow(&mut self, dims: &[Dim], cell: usize, grow: Grow) {
        self.entries = grow.entries;
        let wide = grow.streaming && cell >= WIDE_CELL;
        let lines = if wide || grow.streams_near {
            LINES_OF_MORE_B
        } else {
            LINES_OF_B
        };
        self.grow_columns(dims, cell, lines * grow.line);
        let cut = grow.streaming && self.cuts_lines(dims, grow.line);
        if cut {
            self.grow_columns(dims, cell, BYTES_OF_FIRST_B);
            self.grow_rows(dims, cell, LINES_OF_CUT_A * grow.line);
            self.grow_columns(dims, cell, BYTES_OF_CUT_B);
        }
        let bytes_of_a = match (cut, grow.fetched) {
            (true, _) => BYTES_OF_CUT_A,
            (_, true) => BYTES_OF_FETCHED_A,
            _ => BYTES_OF_A,
        };
        self.grow_rows(dims, cell, bytes_of_a);
        let long = self.rows.len * cell >= BYTES_OF_FETCHED_A;
        if grow.fetched && long && self.has_bands(cell) {
            self.grow_rows(dims, cell, BYTES_OF_A);
        }
        let short = if grow.streams_near {
            LINES_OF_SHORT_A
        } else {
            1
        };
        if self.rows.len * cell < short * grow.line {
            self.grow_columns(dims, cell, bytes_of_a.min(BYTES_OF_A));
        }
        let (long, row) = (self.rows.len * cell >= bytes_of_a, self.cols.len * cell);
        let odd = !row.is_multiple_of(2 * grow.line);
        if grow.streaming && odd && (long || !grow.streams_near) {
            self.grow_columns(dims, cell, LINES_OF_ODD_B * grow.line);
        }
    }

    /// Whether the rows or the columns of a pair of dimensions are shorter than a line, in a copy that does not feel a
    /// table.
    #[inline]
    pub(super) fn is_short(&self, normal: &Form<'_>, line: usize) -> bool {
        let cells = self.rows.len.min(self.cols.len);
        normal.bytes >= LEAST_TABLED && normal.dims.len() > 2 && cells * normal.cell < line
    }

    /// [`Self::grow`] of such a pair, of which `a` is the rows, with a table that is small beside the copy, unless one
    /// side has few cells even so.
    pub(super) fn grow_short(&mut self, normal: &Form<'_>, a: usize, grow: Grow) {
        /// Cells of a side at least: *guess*, those that tiles have.
        const ENOUGH: usize = 4;
        let (dims, cell) = (normal.dims, normal.cell);
        let entries = normal.bytes / cell / CELLS_OF_AN_ENTRY;
        self.grow(dims, cell, Grow { entries, ..grow });
        if self.rows.len.min(self.cols.len) < ENOUGH {
            *self = Self::new();
            self.crossed_pair(dims, a);
        }
    }

    /// Entries of a table at most that makes so many bytes longer.
    pub(super) fn most_entries(&self, bytes: usize) -> usize {
        if bytes < SHORT_FOR_TABLES {
            self.entries
        } else {
            TABLE_ENTRIES
        }
    }

    /// Whether a large crossed panel is moved in bands, the next of which is asked for: if both sides are several
    /// dimensions, and cells are not [wide](WIDE_CELL), f64 of 9 to 13 [3, 5, 1, 4, 0, 2] 0.44 of the roof and, so, 0.42.
    pub(in crate::plan) fn has_bands(&self, cell: usize) -> bool {
        let groups = !(self.rows.more.is_empty() || self.cols.more.is_empty());
        groups && cell < WIDE_CELL
    }
}
