//! Kernel rows: a function, its name and what it needs.
//!
//! A strategy is a row of a table, so the planner, the tests and the benches see the same list, and
//! a new kernel is one function and one row in its family's folder.

use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{Pairing, Panel, SourceGaps};

/// The kernel families, one folder each. The pair of strides of a panel decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Contiguous to contiguous. Cells are single bytes and a panel row is a run.
    Run,
    /// Crossed: two different unit dimensions, both long.
    Transpose,
    /// Crossed: two different unit dimensions, one of 2 to 4 or so.
    Interleave,
    /// Straight: strided, repeated or reversed source cells, contiguous destination.
    Gather,
    /// Straight: contiguous source cells, strided or reversed destination.
    Scatter,
    /// Straight: the same source cell everywhere in a destination row.
    Fill,
    /// Straight or crossed: neither side has a unit dimension.
    Strided,
    /// Crossed: short rows that follow each other, whose cells stand in another order in a cell of the source.
    Shuffle,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 8] = [
        Self::Run,
        Self::Transpose,
        Self::Interleave,
        Self::Gather,
        Self::Scatter,
        Self::Fill,
        Self::Strided,
        Self::Shuffle,
    ];

    /// The first part of the names of this family's rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Transpose => "transpose",
            Self::Interleave => "interleave",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Fill => "fill",
            Self::Strided => "strided",
            Self::Shuffle => "shuffle",
        }
    }

    /// What every panel of this family has, whatever the row: the pair of strides that defines
    /// the family.
    #[must_use]
    #[inline]
    pub fn admits(self, ask: &Ask) -> bool {
        let cell = ask.cell as isize;
        let crossed = ask.pairing == Pairing::Crossed;
        match self {
            Self::Run => !crossed && ask.cell == 1 && ask.src_step == 1 && ask.dst_step == 1,
            Self::Transpose | Self::Interleave => {
                crossed && ask.src_step == cell && ask.dst_step == cell
            }
            Self::Gather => !crossed && ask.dst_step == cell,
            Self::Scatter => !crossed && ask.src_step.unsigned_abs() == ask.cell,
            Self::Fill => !crossed && ask.src_step == 0,
            Self::Strided => true,
            Self::Shuffle => crossed && ask.dst_step == cell,
        }
    }
}

/// The cells a row moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellSize {
    /// Cells of this many bytes.
    Exact(usize),
    /// Cells of any number of bytes.
    Any,
}

/// The piece of a panel that a row moves in registers: destination rows x cells of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Destination rows.
    pub rows: usize,
    /// Cells of a destination row.
    pub cols: usize,
}

/// What a row may know before it takes a panel: everything but the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Bytes of one cell.
    pub cell: usize,
    /// Destination rows.
    pub rows: usize,
    /// Cells in a destination row.
    pub cols: usize,
    /// Which source cell goes where.
    pub pairing: Pairing,
    /// Bytes from one source cell to the next.
    pub src_step: isize,
    /// Bytes from one destination cell to the next.
    pub dst_step: isize,
    /// Whether bytes between source cells may be read.
    pub gaps: SourceGaps,
    /// Whether a row that streams is wanted.
    pub streaming: bool,
}

impl Ask {
    /// What `panel` asks for.
    #[must_use]
    pub fn of(panel: &Panel<'_>, streaming: bool) -> Self {
        Self {
            cell: panel.cell,
            rows: panel.rows,
            cols: panel.cols,
            pairing: panel.pairing,
            src_step: panel.src.step,
            dst_step: panel.dst.step,
            gaps: panel.gaps,
            streaming,
        }
    }
}

/// Moves one tile of a crossed panel: the address of the first cell and the bytes from one row to the
/// next, of the source and of the destination.
pub(crate) type OneTile = unsafe fn((*const u8, isize), (*mut u8, isize));

/// Moves rows of a crossed panel that is as wide as a tile, or a little wider: the address of the first cell and the
/// bytes from one row to the next, of the source and of the destination, and how many rows of the latter and columns
/// more than those of the tile.
pub(crate) type Strip = unsafe fn((*const u8, isize), (*mut u8, isize), (usize, usize));

/// The panels of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// How many they are.
    pub(crate) times: usize,
    /// Bytes from each to the next one, of the source and of the destination.
    pub(crate) src: isize,
    pub(crate) dst: isize,
    /// How many panels of the same kind are still to be moved, these among them.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "rows that ask for lines are those of x86-64")
    )]
    pub(crate) left: usize,
}

impl Along {
    /// A panel by itself.
    pub(crate) const ONCE: Self = Self {
        times: 1,
        src: 0,
        dst: 0,
        left: 1,
    };
}

/// Bytes from a panel to another one, of the source and of the destination.
pub type Move = (isize, isize);

/// Where the panels of some loops lie, from one on.
pub struct Moves<'a> {
    /// How many follow each other, this one counted, and how far each is from the one before it.
    pub along: (usize, Move),
    /// How far the first one of others is from the last one, and how many they are; and so on.
    pub others: &'a mut dyn Iterator<Item = (Move, usize)>,
}

impl Iterator for Moves<'_> {
    type Item = Move;

    /// How far the next panel is.
    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        let (left, on) = &mut self.along;
        if *left > 1 {
            *left -= 1;
            return Some(*on);
        }
        let (on, count) = self.others.next()?;
        *left = count;
        Some(on)
    }
}

/// How a row is called. What stands inside is an `unsafe fn` under the contract of this crate.
#[derive(Clone, Copy)]
pub(crate) enum Call {
    /// Stores go through the caches.
    Cached(unsafe fn(&Panel<'_>)),
    /// The same, and all panels of a loop are moved by one call, which may take longer than a panel of few short runs:
    /// 4 of 32 bytes, 0.23 of the speed of plain loops with a call for each, which asked for the next one, and 0.8 so.
    Along {
        call: unsafe fn(&Panel<'_>),
        along: unsafe fn(&Panel<'_>, Along),
    },
    /// The same, and all panels of all loops are moved by one call: what is found out about the first one is true of them all.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows are
    Everywhere {
        call: unsafe fn(&Panel<'_>),
        everywhere: unsafe fn(&Panel<'_>, &mut Moves<'_>),
    },
    /// The same, of crossed tiles of which one, or some one above the other, can be moved without a panel around them.
    Tiles {
        call: unsafe fn(&Panel<'_>),
        one: OneTile,
        strips: Strip,
    },
    /// Stores go around the caches and are pending until the fence drops.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
    Streaming {
        call: unsafe fn(&Panel<'_>, &StreamFence<'_>),
        /// Bytes of scratch that it wants for a panel with rows like these, no more of them,
        /// whatever the base: a bounded number.
        scratch: fn(&Panel<'_>) -> usize,
    },
}

/// One kernel: a line of a family's table.
pub struct Row {
    /// `family-cell-isa-tile`, unique over all tables.
    pub name: &'static str,
    /// The family whose table this stands in.
    pub family: Family,
    /// The cells it moves.
    pub cell: CellSize,
    /// The ISA it needs.
    pub isa: Isa,
    /// What it moves in registers at a time.
    pub tile: Tile,
    /// Whether it takes a panel of its family and cell size, beyond [`Family::admits`].
    pub(crate) needs: fn(&Ask) -> bool,
    pub(crate) call: Call,
}

/// Names are unique over all tables.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

impl core::fmt::Debug for Row {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

impl Row {
    /// Whether this row may be called with a panel that asks for this.
    #[must_use]
    #[inline]
    pub fn takes(&self, ask: &Ask) -> bool {
        self.moves(ask.cell) && self.family.admits(ask) && (self.needs)(ask)
    }

    /// Whether it moves cells of this many bytes.
    #[inline]
    pub(crate) fn moves(&self, cell: usize) -> bool {
        match self.cell {
            CellSize::Exact(bytes) => bytes == cell,
            CellSize::Any => true,
        }
    }

    /// Whether its stores go around the caches.
    #[must_use]
    #[inline]
    pub const fn streams(&self) -> bool {
        matches!(self.call, Call::Streaming { .. })
    }

    /// Whether the panels of all loops are best moved by [one call](crate::Kernel::run_everywhere).
    #[must_use]
    #[inline(always)]
    pub const fn goes_everywhere(&self) -> bool {
        matches!(self.call, Call::Everywhere { .. })
    }

    /// Whether a crossed panel of so many rows and columns is at least a tile of this row, and one can be moved by
    /// itself.
    #[must_use]
    pub fn has_tiles(&self, rows: usize, cols: usize) -> bool {
        matches!(self.call, Call::Tiles { .. }) && rows >= self.tile.rows && cols >= self.tile.cols
    }
}
