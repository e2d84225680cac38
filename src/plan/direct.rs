//! Plans that come down to one call: what it is called with, ready.
//!
//! A file of its own because this repeats what the recipe says, for speed alone. f32 4x4 takes 6.6 ns
//! instead of 8.0 through the recipe, 64 bytes 2.9 instead of 5.9 (memory copy 2.3; 2-core AVX-512
//! server VM).

use restride_kernels::{Family, Kernel, Pairing, TileKernel};

use super::bind::Kernels;
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
    /// Whether and how `work` comes down to one call of its kernel.
    #[inline]
    pub(super) fn of(work: &Work, kernels: &Kernels) -> Self {
        if !kernels.simple || !work.loops.is_empty() {
            return Self::No;
        }
        let Some(panel) = StridedPanel::of(&work.panel) else {
            return Self::No;
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
