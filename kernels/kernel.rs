//! Rows that this machine runs: how they are called.
//!
//! A file of its own because a row is data, and what calls it proves the ISA.

use core::mem::MaybeUninit;

use crate::fence::StreamFence;
use crate::isa::Token;
use crate::panel::{Panel, Rows};
use crate::row::{Along, Ask, Call, Moves, OneTile, Row, Strip, Tile};

impl Row {
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
            Call::Cached(_) | Call::Along { .. } | Call::Everywhere { .. } | Call::Tiles { .. } => {
                0
            }
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
        if let Call::Streaming { call, scratch } = self.row.call {
            debug_assert!(fence.is_armed() && fence.scratch().1 >= scratch(panel));
            // SAFETY: shape, stride, range, aliasing and alignment are the caller's by the same contract; ISA: the token in
            // self.
            return unsafe { call(panel, fence) };
        }
        // SAFETY: as above, of a row that does not stream.
        unsafe { self.run_cached(panel) }
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
            Call::Cached(call)
            | Call::Along { call, .. }
            | Call::Everywhere { call, .. }
            | Call::Tiles { call, .. } => {
                // SAFETY: shape, stride, range, aliasing and alignment are the caller's by the same contract; ISA: the
                // token in self.
                unsafe { call(panel) }
            }
            Call::Streaming { .. } => unreachable!("{self:?} streams"),
        }
    }

    /// [`Kernel::run_cached`] for `times` panels, each `src` and `dst` bytes on from the one before it, the first of `left`
    /// that are still to be moved. One panel that moves on.
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
        (times, left): (usize, usize),
        (src, dst): (isize, isize),
    ) {
        debug_assert!(times <= left, "{times} of {left}");
        debug_assert!(
            self.row.takes(&Ask::of(&panel, false)),
            "{self:?} {panel:?}"
        );
        let panels = Along {
            times,
            src,
            dst,
            left,
        };
        match self.row.call {
            Call::Cached(call) | Call::Everywhere { call, .. } | Call::Tiles { call, .. } => {
                for _ in 0..times {
                    // SAFETY: as in `run_cached`.
                    unsafe { call(&panel) };
                    panel.move_on(src, dst);
                }
            }
            // SAFETY: as in `run_cached`, for each of the panels.
            Call::Along { along, .. } => unsafe { along(&panel, panels) },
            Call::Streaming { .. } => unreachable!("{self:?} streams"),
        }
    }

    /// [`Kernel::run_cached`] for `panel` and those that `moves` lead to.
    ///
    /// # Panics
    /// If the row streams.
    ///
    /// # Safety
    /// As [`Kernel::run_cached`], for each of the panels.
    #[inline(always)]
    pub unsafe fn run_everywhere(&self, mut panel: Panel<'_>, mut moves: Moves<'_>) {
        debug_assert!(
            self.row.takes(&Ask::of(&panel, false)),
            "{self:?} {panel:?}"
        );
        if let Call::Everywhere { everywhere, .. } = self.row.call {
            // SAFETY: as in `run_cached`, for each of the panels.
            return unsafe { everywhere(&panel, &mut moves) };
        }
        loop {
            // SAFETY: as in `run_cached`.
            unsafe { self.run_cached(&panel) };
            let Some((src, dst)) = moves.next() else {
                return;
            };
            panel.move_on(src, dst);
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
