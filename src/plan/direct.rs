//! Plans that come down to one call, or to a few cells: what it is called with, ready.
//!
//! A file of its own because this repeats what the recipe says, for speed alone. f32 4x4 takes 6.6 ns
//! instead of 8.0 through the recipe, 64 bytes 2.9 instead of 5.9 (memory copy 2.3; 2-core AVX-512
//! server VM).

use restride_kernels::{Ask, Family, Isa, Kernel, Pairing, SourceGaps, Tile, TileKernel};

use super::bind::Kernels;
use super::normalise::{FEW, Form};
use super::problem::{Dim, Problem};
use super::recipe::{PanelPlan, RowPlan, SidePlan, Work};
use super::tiny::Way;

/// What running a plan is, where it is one call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direct {
    /// Something else.
    No,
    /// A call of the memory copy.
    Run {
        /// Bytes of the run.
        bytes: usize,
        /// From the address of index `[0, 0, ..]` to the run, in the source.
        src: isize,
        /// The same in the destination.
        dst: isize,
    },
    /// One tile, without a panel around it.
    Tile {
        kernel: TileKernel,
        src: StridedSide,
        dst: StridedSide,
    },
    /// A call of a kernel that makes no streaming stores.
    Panel(Kernel, StridedPanel),
    /// A few cells, without a kernel.
    Cells(Cells),
}

/// A few cells in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) way: Way,
    /// Bytes of each.
    pub(crate) cell: usize,
    /// From the address of index `[0, 0, ..]` to the first cell, in the source.
    pub(crate) src_shift: isize,
    /// The same in the destination.
    pub(crate) dst_shift: isize,
    dims: [Dim; Self::DIMS],
    rank: usize,
}

impl Cells {
    /// Cells at most, if one by one. A run of a plan with its kernel and cell by cell, ns on a 2-core AVX-512 server
    /// VM (Zen 4), of u8 and f64: 4x5x2 reversed 36 and 18, 39 and 17; 5x5x3 reversed 49 and 26, 39 and 29; 5x7x3 to
    /// 021 117 and 33 (f64 in tiles); 3x3x3x3 reversed 51 and 27, 65 and 27; 2x3x4x5 reversed 73 and 39, 70 and 38;
    /// but u8 2x4x4x4 reversed 32 and 40. Of more cells those of three dimensions lose: u8 3x8x8 reversed 32 and 54,
    /// 3x7x9 reversed 51 and 66, 82 and 66.
    const MOST: usize = 128;
    /// The same of four dimensions: 3x3x4x5 reversed 59 and 51, 93 and 51; 2x2x8x6 reversed 63 and 56, 87 and 56;
    /// 3x7x3x3 to 3102 156 and 54, 104 and 53; 2x8x5x2 to 1302 111 and 47, 142 and 48; f32 4x4x4x4 to 0213, which is
    /// 64 cells of 16 bytes, 57 and 32. Of 300 cells 3x5x4x5 reversed 62 and 80, 98 and 85.
    const MOST_OF_FOUR: usize = 256;
    /// Bytes at most: tiles that are few have no more.
    const BYTES: usize = 2 << 10;
    /// Dimensions at most, so that a plan is not much larger for them.
    const DIMS: usize = 4;

    /// Those of a problem of so many bytes, if they are few. Where a kernel would be called several times, ns with it
    /// and in tiles, same machine: f32 sixteen of 4x4 66 and 28, 3x4x5x4 to 0312 100 and 46, f64 4x4x4 reversed 40
    /// and 15, u16 4x5x6 reversed 52 and 21, but f32 4x4x4x4 reversed 41 and 43.
    #[inline(never)] // beside the planning of larger ones
    fn of(problem: &Problem, bytes: usize, isa: Isa) -> Option<Self> {
        if bytes > Self::BYTES || problem.dims.len() > FEW {
            return None;
        }
        let mut room = [Dim::NONE; FEW];
        let form = Form::of(problem, &mut room)?;
        let most = match form.dims.len() {
            Self::DIMS => Self::MOST_OF_FOUR,
            _ => Self::MOST,
        };
        match Way::of(&form, isa)? {
            Way::Cells if form.bytes > most * form.cell => None,
            way => Self::in_form(&form, way),
        }
    }

    /// Those of a block of a batch, if they are moved in a few small tiles and those take less time than a panel like
    /// this one in tiles like that. Of the roof, so and in small ones, 16 MB, Zen 4: blocks between each other, u16 23x22
    /// 0.43 and 0.50, f32 20x19 0.49 and 0.58, 15x17 0.37 and 0.50; AVX2 u8 27x26 0.26 and 0.32.
    #[inline(never)] // beside the planning of others
    pub(super) fn of_block(
        form: &Form<'_>,
        isa: Isa,
        (tile, panel): (Tile, &StridedPanel),
    ) -> Option<Self> {
        match Way::of(form, isa)? {
            way @ Way::Tiles(_) if Self::beats(tile, panel) => Self::in_form(form, way),
            _ => None,
        }
    }

    fn in_form(form: &Form<'_>, way: Way) -> Option<Self> {
        let rank = form.dims.len();
        let mut dims = [Dim::NONE; Self::DIMS];
        dims.get_mut(..rank)?.copy_from_slice(form.dims);
        Some(Self {
            way,
            cell: form.cell,
            src_shift: form.src_shift,
            dst_shift: form.dst_shift,
            dims,
            rank,
        })
    }

    /// Whether a few small tiles take less time than one call of a kernel with such tiles: where that has edges. ns
    /// with the kernel and in small tiles, same machine: f32 10x10 30 and 16, 17x17 67 and 42, 13x17 43 and 34; f64
    /// 11x11 51 and 29; u16 22x23 53 and 37; u8 24x24 47 and 30; and where there are none, f64 8x16 20 and 24, u8
    /// 32x16 16 and 26.
    fn beats(tile: Tile, panel: &StridedPanel) -> bool {
        let whole = panel.rows.is_multiple_of(tile.rows) && panel.cols.is_multiple_of(tile.cols);
        panel.pairing == Pairing::Crossed && !whole
    }

    /// The dimensions.
    #[inline(always)]
    pub(crate) fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }
}

/// A panel whose rows are strides, without its addresses: what a kernel is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StridedPanel {
    pub(crate) cell: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) pairing: Pairing,
    pub(crate) src: StridedSide,
    pub(crate) dst: StridedSide,
}

/// One side of it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StridedSide {
    /// From the address of index `[0, 0, ..]` to the first cell.
    pub(crate) shift: isize,
    /// From one row to the next.
    pub(crate) stride: isize,
    /// From one cell of a row to the next.
    pub(crate) step: isize,
}

impl StridedPanel {
    /// `panel`, if it has neither tables nor lists.
    #[inline]
    fn of(panel: &PanelPlan) -> Option<Self> {
        Some(Self {
            cell: panel.cell,
            rows: panel.rows,
            cols: panel.cols,
            pairing: panel.pairing,
            src: StridedSide::of(&panel.src)?,
            dst: StridedSide::of(&panel.dst)?,
        })
    }

    /// Bytes that it moves.
    pub(super) fn bytes(&self) -> usize {
        self.rows * self.cols * self.cell
    }

    /// What a kernel for it is asked for.
    #[inline(always)]
    pub(super) fn ask(&self, gaps: SourceGaps, streaming: bool) -> Ask {
        Ask {
            cell: self.cell,
            rows: self.rows,
            cols: self.cols,
            pairing: self.pairing,
            src_step: self.src.step,
            dst_step: self.dst.step,
            gaps,
            streaming,
        }
    }
}

impl StridedSide {
    #[inline]
    fn of(side: &SidePlan) -> Option<Self> {
        let RowPlan::Stride(stride) = side.rows else {
            return None;
        };
        Some(Self {
            shift: side.shift,
            stride,
            step: side.step,
        })
    }
}

impl Direct {
    /// Whether and how `work`, which was chosen for `problem`, comes down to one call of its kernel.
    #[inline]
    pub(super) fn of(problem: &Problem, work: &Work, kernels: &Kernels, isa: Isa) -> Self {
        if !kernels.simple || problem.listed.is_some() {
            return Self::No;
        }
        let panel = StridedPanel::of(&work.panel).filter(|_| work.loops.is_empty());
        let Some(panel) = panel else {
            return Cells::of(problem, work.bytes, isa).map_or(Self::No, Self::Cells);
        };
        if work.family() == Family::Run && panel.rows == 1 {
            return Self::Run {
                bytes: panel.cols,
                src: panel.src.shift,
                dst: panel.dst.shift,
            };
        }
        match kernels.chosen.one_tile(panel.rows, panel.cols) {
            Some(kernel) => Self::Tile {
                kernel,
                src: panel.src,
                dst: panel.dst,
            },
            None if Cells::beats(work.row.tile, &panel) => {
                let few = Cells::of(problem, work.bytes, isa);
                let tiles = few.filter(|few| matches!(few.way, Way::Tiles(_)));
                tiles.map_or(Self::Panel(kernels.chosen, panel), Self::Cells)
            }
            None => Self::Panel(kernels.chosen, panel),
        }
    }
}
