//! Plans that come down to one call, or to a few cells: what it is called with, ready.
//!
//! A file of its own because this repeats what the recipe says, for speed alone. f32 4x4 takes 6.6 ns
//! instead of 8.0 through the recipe, 64 bytes 2.9 instead of 5.9 (memory copy 2.3; 2-core AVX-512
//! server VM).

use restride_kernels::{Family, Kernel, Pairing, TileKernel};

use super::bind::Kernels;
use super::normalise::{FEW, Form};
use super::problem::{Dim, Problem};
use super::recipe::{PanelPlan, RowPlan, SidePlan, Work};

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
    /// A few cells, which no panel of strides holds: one by one.
    Cells(Cells),
}

/// A few cells in normal form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
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
    /// Cells at most. A run of a plan with its kernel and cell by cell, ns on a 2-core AVX-512 server VM (Zen 4):
    /// f32 2x3x4 reversed 36 and 15, 3x3x3 41 and 18, 2x2x2x2 25 and 21; 32 cells in three dimensions 20 to 22 and
    /// 16 to 19.
    const MOST: usize = 32;
    /// Dimensions at most, so that a plan is not much larger for them.
    const DIMS: usize = 4;

    /// Those of a problem, if they are few.
    fn of(problem: &Problem, bytes: usize) -> Option<Self> {
        if bytes > Self::MOST * problem.cell_bytes() || problem.dims.len() > FEW {
            return None;
        }
        let mut room = [Dim::NONE; FEW];
        let form = Form::of(problem, &mut room)?;
        let rank = form.dims.len();
        let mut dims = [Dim::NONE; Self::DIMS];
        dims.get_mut(..rank)?.copy_from_slice(form.dims);
        Some(Self {
            cell: form.cell,
            src_shift: form.src_shift,
            dst_shift: form.dst_shift,
            dims,
            rank,
        })
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
    pub(super) fn of(problem: &Problem, work: &Work, kernels: &Kernels) -> Self {
        if !kernels.simple || problem.listed.is_some() {
            return Self::No;
        }
        let panel = StridedPanel::of(&work.panel).filter(|_| work.loops.is_empty());
        let Some(panel) = panel else {
            return Cells::of(problem, work.bytes).map_or(Self::No, Self::Cells);
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
            None => Self::Panel(kernels.chosen, panel),
        }
    }
}
