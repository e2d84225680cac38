//! The recipe: everything a plan has decided, as plain data.
//!
//! A recipe names its kernel but holds no pointer and no token, so it can be made for a machine
//! that is described rather than present, compared and printed. Binding it makes a plan.

use std::sync::Arc;

use restride_kernels::{CacheSizes, Family, Pairing, Row, Tile};

use super::batch::Batch;
use super::direct::{StridedPanel, StridedSide};
use super::normalise::{Dims, Normal};
use super::problem::Problem;
use super::repeat::Repeat;

/// Where the rows of one side of a panel start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowPlan {
    /// At multiples of a stride, in bytes.
    Stride(isize),
    /// At the offsets of a table, in bytes: several dimensions that no one stride expresses.
    Offsets(Arc<[isize]>),
    /// At the sums of multiples of a few strides, in bytes: the same for a small panel, whose table is
    /// made where it is run, so that planning takes no heap.
    Nested(Nest),
    /// At the pointers of a list that is given when the plan is run.
    Listed,
}

/// Strides inside of each other: row `i + j * inner + ..` starts `i` times the first stride, `j` times
/// the second, and so on, from the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nest {
    extents: [usize; Self::DIMS],
    strides: [isize; Self::DIMS],
}

impl Nest {
    /// Strides at most.
    pub const DIMS: usize = 3;

    /// Rows at most: a table of so many is made on the stack. *Guess*: a line of bytes.
    pub const ROWS: usize = 64;

    /// One row.
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            extents: [1; Self::DIMS],
            strides: [0; Self::DIMS],
        }
    }

    /// Puts a dimension into its place, innermost first.
    #[inline]
    pub(crate) fn put(&mut self, place: usize, extent: usize, stride: isize) {
        (self.extents[place], self.strides[place]) = (extent, stride);
    }

    /// Extents, innermost first; 1 where there is no further stride.
    #[must_use]
    #[inline]
    pub fn extents(&self) -> [usize; Self::DIMS] {
        self.extents
    }

    /// Strides in bytes, innermost first.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> [isize; Self::DIMS] {
        self.strides
    }
}

/// One side of a panel, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidePlan {
    /// From the address of index `[0, 0, ..]` to the first cell of the first panel.
    pub shift: isize,
    /// Where rows start.
    pub rows: RowPlan,
    /// From one cell of a row to the next.
    pub step: isize,
}

/// The panel that one kernel call moves, and how it is cut among ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelPlan {
    /// Bytes of a cell. Runs have cells of one byte.
    pub cell: usize,
    /// Destination rows.
    pub rows: usize,
    /// Cells in a destination row.
    pub cols: usize,
    /// Which source cell goes where.
    pub pairing: Pairing,
    /// The source.
    pub src: SidePlan,
    /// The destination.
    pub dst: SidePlan,
}

impl PanelPlan {
    /// A panel whose rows are strides.
    #[inline(always)]
    pub(super) fn of(panel: &StridedPanel) -> Self {
        let side = |side: &StridedSide| SidePlan {
            shift: side.shift,
            rows: RowPlan::Stride(side.stride),
            step: side.step,
        };
        Self {
            cell: panel.cell,
            rows: panel.rows,
            cols: panel.cols,
            pairing: panel.pairing,
            src: side(&panel.src),
            dst: side(&panel.dst),
        }
    }
}

/// Which stores a plan uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stored {
    /// Through the caches.
    Cached,
    /// Around the caches, whole lines.
    Streaming,
}

/// The side of a panel along which ranges cut it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitAxis {
    /// Between destination rows.
    Rows,
    /// Between cells of destination rows.
    Cols,
}

/// How the work is cut: the tasks are the blocks of all panels, numbered outer loops first, and a
/// range is a contiguous piece of that numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Where panels may be cut.
    pub axis: SplitAxis,
    /// Rows or cells in a block: whole tiles and whole lines.
    pub unit: usize,
    /// Blocks in a panel.
    pub blocks: usize,
    /// Blocks in all panels together.
    pub tasks: usize,
}

/// The number of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// When the copy is started from outside the pool.
    pub cold: usize,
    /// When it is started by a worker of the pool.
    pub warm: usize,
}

/// What a plan does. See [`Display`](std::fmt::Display) for its words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recipe {
    /// What is copied.
    pub problem: Problem,
    /// How, `None` if there is nothing to move.
    pub work: Option<Work>,
    /// Where the source repeats cells that are better read once: how they are moved and copied instead, in pieces of one
    /// or two kinds. The work is then done only for a part of a copy, where many copies are shared among threads.
    pub repeats: Vec<Repeat>,
}

impl Recipe {
    /// The normal form that this was chosen for, `None` if there is nothing to move.
    #[must_use]
    pub fn normal(&self) -> Option<Normal> {
        Normal::of(&self.problem)
    }

    /// The names of the kernel rows that carry it out, in order: one, but where the source
    /// [repeats](Self::repeats) cells, and none if there is nothing to move.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        match self.repeats.first() {
            Some(repeat) => repeat.recipes().flat_map(Self::kernels).collect(),
            None => self.work.iter().map(Work::kernel).collect(),
        }
    }

    /// Which stores reach most of the destination, `None` if there is nothing to move.
    #[must_use]
    pub fn stores(&self) -> Option<Stored> {
        match self
            .repeats
            .first()
            .and_then(|repeat| repeat.recipes().last())
        {
            Some(last) => last.stores(),
            None => self.work.as_ref().map(Work::stores),
        }
    }
}

/// The part of a recipe that exists where there is something to move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The kernel row: a line of a table, compared and printed by name.
    pub(super) row: &'static Row,
    /// The row that stands in for one that streams, where no memory for its scratch can be had; the
    /// same row where that wants none.
    pub(super) cached_row: &'static Row,
    /// What one call of it moves.
    pub panel: PanelPlan,
    /// The loops around the panel, outermost first.
    pub loops: Dims,
    /// How the work may be cut.
    pub split: Split,
    /// Into how many ranges it is cut.
    pub threads: Threads,
    /// Bytes of the source cells, and as many of the destination.
    pub bytes: usize,
    /// How blocks are moved, where the copy is a batch of small ones: tasks are blocks then.
    pub batch: Option<Batch>,
    /// Whether the lines of the next panel are asked for before one is moved.
    pub fetches: bool,
    /// The caches it was chosen for.
    pub caches: CacheSizes,
}

impl Work {
    /// The name of the kernel row.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.row.name
    }

    /// The kernel family.
    #[must_use]
    pub fn family(&self) -> Family {
        self.row.family
    }

    /// What the row moves in registers.
    #[must_use]
    pub fn tile(&self) -> Tile {
        self.row.tile
    }

    /// Which stores reach the destination.
    #[must_use]
    pub fn stores(&self) -> Stored {
        if self.row.streams() || self.batch.is_some() {
            Stored::Streaming
        } else {
            Stored::Cached
        }
    }
}
