//! Kernel rows: a function, its name and what it needs.
//!
//! A strategy is a row of a table, so the planner, the tests and the benches see the same list, and
//! a new kernel is one function and one row in its family's folder.

use core::mem::MaybeUninit;

use crate::fence::StreamFence;
use crate::isa::{Isa, Token};
use crate::panel::{Pairing, Panel, Rows, SourceGaps};

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
}

impl Along {
    /// A panel by itself.
    pub(crate) const ONCE: Self = Self {
        times: 1,
        src: 0,
        dst: 0,
    };
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

    /// Whether a crossed panel of so many rows and columns is at least a tile of this row, and one can be moved by
    /// itself.
    #[must_use]
    pub fn has_tiles(&self, rows: usize, cols: usize) -> bool {
        matches!(self.call, Call::Tiles { .. }) && rows >= self.tile.rows && cols >= self.tile.cols
    }

    /// This row as something that can be run, if `token` proves its ISA.
    #[must_use]
    #[inline]
    pub fn bind(&'static self, token: Token) -> Option<Kernel> {
        (token.isa() >= self.isa).then_some(Kernel {
            row: self,
            _token: token,
        })
    }
}

/// A row and the proof that this machine runs it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    row: &'static Row,
    _token: Token,
}

impl Kernel {
    /// The row behind this kernel.
    #[must_use]
    #[inline]
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// Bytes of scratch that this kernel wants for `panel`, its parts, and panels that start
    /// elsewhere with the same rows.
    #[must_use]
    #[inline]
    pub fn scratch_bytes(&self, panel: &Panel<'_>) -> usize {
        match self.row.call {
            Call::Cached(_) | Call::Along { .. } | Call::Tiles { .. } => 0,
            Call::Streaming { scratch, .. } => scratch(panel),
        }
    }

    /// The guard that a task holds while it runs this kernel: its drop orders what was streamed.
    /// `scratch` has the bytes that [`Kernel::scratch_bytes`] asks for.
    #[inline(always)]
    pub fn begin<'s>(&self, scratch: &'s mut [MaybeUninit<u8>]) -> StreamFence<'s> {
        StreamFence::new(self.row.streams(), scratch)
    }

    /// Moves one panel.
    ///
    /// # Safety
    /// The obligations of the crate's contract. In short:
    /// - Shape: tables and lists have an entry for each row of their side; `fence` was begun by a
    ///   copy of this kernel with the scratch that it wants.
    /// - Stride: `self.row().takes(..)` is true of the panel.
    /// - Range: source cells (and source gaps, where readable) can be read, destination cells
    ///   written.
    /// - Aliasing: destination cells are disjoint from each other and from what may be read, and
    ///   no other thread touches them.
    /// - Alignment: none.
    /// - ISA: met by this value.
    #[inline(always)]
    pub unsafe fn run(&self, panel: &Panel<'_>, fence: &StreamFence<'_>) {
        debug_assert!(
            self.row.takes(&Ask::of(panel, self.row.streams())),
            "{self:?} {panel:?}"
        );
        match self.row.call {
            // SAFETY: shape, stride, range, aliasing and alignment are the caller's by the same
            // contract; ISA: the token in self.
            Call::Cached(call) | Call::Along { call, .. } | Call::Tiles { call, .. } => unsafe {
                call(panel)
            },
            Call::Streaming { call, scratch } => {
                debug_assert!(fence.is_armed() && fence.scratch().1 >= scratch(panel));
                // SAFETY: as above.
                unsafe { call(panel, fence) }
            }
        }
    }

    /// As [`Kernel::run`], for a row that makes no streaming stores: without a fence.
    ///
    /// # Panics
    /// If the row streams.
    ///
    /// # Safety
    /// As [`Kernel::run`], but for the fence.
    #[inline(always)]
    pub unsafe fn run_cached(&self, panel: &Panel<'_>) {
        debug_assert!(self.row.takes(&Ask::of(panel, false)), "{self:?} {panel:?}");
        match self.row.call {
            // SAFETY: shape, stride, range, aliasing and alignment are the caller's by the same contract;
            // ISA: the token in self.
            Call::Cached(call) | Call::Along { call, .. } | Call::Tiles { call, .. } => unsafe {
                call(panel)
            },
            Call::Streaming { .. } => unreachable!("{self:?} streams"),
        }
    }

    /// [`Kernel::run_cached`] for `times` panels, each `src` and `dst` bytes on from the one before it.
    /// One panel that moves on.
    ///
    /// # Panics
    /// If the row streams.
    ///
    /// # Safety
    /// As [`Kernel::run_cached`], for each of the panels.
    #[inline(always)]
    pub unsafe fn run_cached_along(
        &self,
        mut panel: Panel<'_>,
        times: usize,
        (src, dst): (isize, isize),
    ) {
        debug_assert!(
            self.row.takes(&Ask::of(&panel, false)),
            "{self:?} {panel:?}"
        );
        match self.row.call {
            Call::Cached(call) | Call::Tiles { call, .. } => {
                for _ in 0..times {
                    // SAFETY: as in `run_cached`.
                    unsafe { call(&panel) };
                    panel.move_on(src, dst);
                }
            }
            // SAFETY: as in `run_cached`, for each of the panels.
            Call::Along { along, .. } => unsafe { along(&panel, Along { times, src, dst }) },
            Call::Streaming { .. } => unreachable!("{self:?} streams"),
        }
    }

    /// This kernel for panels of so many rows and columns whose rows are strides on both sides, if that is
    /// one tile, crossed, and it can be moved by itself.
    #[must_use]
    #[inline]
    pub fn one_tile(&self, rows: usize, cols: usize) -> Option<TileKernel> {
        self.tile()
            .filter(|kernel| kernel.tile == (Tile { rows, cols }))
    }

    /// What moves the tiles of `panel` one by one, if its rows are strides on both sides, it is at least a tile, and
    /// one can be moved by itself. Not if the row does not take the panel.
    #[must_use]
    #[inline]
    pub fn tiles_of(&self, panel: &Panel<'_>) -> Option<TileKernel> {
        let strided = matches!(
            (panel.src.rows, panel.dst.rows),
            (Rows::Stride(_), Rows::Stride(_))
        );
        let large = self.row.has_tiles(panel.rows, panel.cols);
        let tile = self.tile();
        tile.filter(|_| strided && large && self.row.takes(&Ask::of(panel, false)))
    }

    /// This kernel for one of its tiles, if one can be moved by itself.
    #[inline(always)]
    fn tile(&self) -> Option<TileKernel> {
        match self.row.call {
            Call::Tiles { one, strips, .. } => Some(TileKernel {
                one,
                strips,
                tile: self.row.tile,
                _token: self._token,
            }),
            _ => None,
        }
    }
}

/// What moves a tile, or some one above the other, and the proof that this machine can. A prepared f32 4x4 takes 4.9 ns
/// this way and 9.3 as a panel, 8x8 7.9 and 12.0 (2-core AVX2 server VM).
#[derive(Clone, Copy, Debug)]
pub struct TileKernel {
    one: OneTile,
    strips: Strip,
    tile: Tile,
    _token: Token,
}

impl TileKernel {
    /// Rows and cells of a row of the destination.
    #[must_use]
    #[inline(always)]
    pub fn tile(self) -> Tile {
        self.tile
    }

    /// Moves one crossed tile: cell `r` of row `c` of the source to cell `c` of row `r` of the destination.
    /// Each side is the address of its first cell, and the bytes from one row to the next.
    ///
    /// # Safety
    /// - Range: the cells of the tile that this was made for can be read in the source and written in the
    ///   destination.
    /// - Aliasing: destination cells are disjoint from each other and from the source cells, and no other
    ///   thread touches them.
    /// - Alignment: none.
    /// - ISA: met by this value.
    #[inline(always)]
    pub unsafe fn run(self, src: (*const u8, isize), dst: (*mut u8, isize)) {
        // SAFETY: range, aliasing and alignment are the caller's; ISA: the token in self.
        unsafe { (self.one)(src, dst) }
    }

    /// Moves so many rows, of so many columns more than the tile has.
    ///
    /// # Safety
    /// - Shape: these are at least the rows of the tile.
    /// - As [`TileKernel::run`], for all these cells.
    #[inline(always)]
    pub unsafe fn run_strip(
        self,
        src: (*const u8, isize),
        dst: (*mut u8, isize),
        size: (usize, usize),
    ) {
        // SAFETY: shape, range, aliasing and alignment are the caller's; ISA: the token in self.
        unsafe { (self.strips)(src, dst, size) }
    }
}
