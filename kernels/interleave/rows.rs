//! The rows of this family, of the lines that an ISA file supplies.
//!
//! A file of its own because they are the same for all ISAs.

use super::weave::Cells;
use super::woven::{MOST, is_short};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Along, Ask, Call, CellSize, Family, Row, Tile};

/// Stamps the functions of one size of cells, and gives the rows around them: lines of these cells, and the ISA they need.
macro_rules! rows {
    ($cells:ty, $isa:ident, $features:literal, $names:expr) => {{
        use $crate::interleave::{cached, short, stream, woven::is_short};
        use $crate::{fence::StreamFence, isa::Isa, panel::Panel, row::Along};
        const CELL: usize = <$cells as $crate::interleave::weave::Cells>::CELL;
        #[target_feature(enable = $features)]
        unsafe fn wide_split(panel: &Panel<'_>) {
            // SAFETY: the contract of the crate, with a panel this row takes; ISA: enabled here.
            unsafe { cached::split::<$cells>(panel) }
        }
        #[target_feature(enable = $features)]
        unsafe fn wide_merge(panel: &Panel<'_>) {
            // SAFETY: as above.
            unsafe { cached::merge::<$cells>(panel) }
        }
        #[target_feature(enable = $features)]
        unsafe fn split_along(panel: &Panel<'_>, along: Along) {
            // SAFETY: as above, for all panels of a loop.
            unsafe {
                // Of a panel with two short sides either may be the planes.
                let short = short::split::<$cells>(panel, along)
                    || is_short(panel.cols) && short::merge::<$cells>(panel, along);
                if !short {
                    cached::each::<$cells>(panel, panel.cols, along, wide_split);
                }
            }
        }
        #[target_feature(enable = $features)]
        unsafe fn merge_along(panel: &Panel<'_>, along: Along) {
            // SAFETY: as above.
            unsafe {
                if !short::merge::<$cells>(panel, along) {
                    cached::each::<$cells>(panel, panel.rows, along, wide_merge);
                }
            }
        }
        #[target_feature(enable = $features)]
        unsafe fn split_around(panel: &Panel<'_>, _: &StreamFence<'_>) {
            // SAFETY: as above, and the guard of the task is held.
            unsafe { stream::split::<$cells>(panel) }
        }
        #[target_feature(enable = $features)]
        unsafe fn merge_around(panel: &Panel<'_>, _: &StreamFence<'_>) {
            // SAFETY: as above, and the guard of the task is held.
            unsafe { stream::merge::<$cells>(panel) }
        }
        unsafe fn split(panel: &Panel<'_>) {
            // SAFETY: as above; ISA: a row is bound with a token of its ISA.
            unsafe {
                if short::is_short_row(panel.cols * CELL) {
                    split_along(panel, Along::ONCE)
                } else {
                    wide_split(panel)
                }
            }
        }
        unsafe fn merge(panel: &Panel<'_>) {
            // SAFETY: as above.
            unsafe {
                if short::is_short_row(panel.rows * CELL) {
                    merge_along(panel, Along::ONCE)
                } else {
                    wide_merge(panel)
                }
            }
        }
        let through: [$crate::interleave::rows::Through; 2] =
            [(split, split_along), (merge, merge_along)];
        $crate::interleave::rows::four::<$cells>(
            Isa::$isa,
            $names,
            through,
            [split_around, merge_around],
        )
    }};
}

pub(super) use rows;

/// How a panel is moved through the caches, and how all of a loop are.
pub(super) type Through = (unsafe fn(&Panel<'_>), unsafe fn(&Panel<'_>, Along));

const fn through((call, along): Through) -> Call {
    Call::Along { call, along }
}

/// The rows of one size of cells: split and merge through the caches, and both around them. Tiles
/// are a group, and two where they are streamed: as little as is worth it.
pub(super) const fn four<C: Cells>(
    isa: Isa,
    names: [&'static str; 4],
    [split, merge]: [Through; 2],
    [split_around, merge_around]: [unsafe fn(&Panel<'_>, &StreamFence<'_>); 2],
) -> [Row; 4] {
    [
        row::<C>(names[0], isa, true, through(split)),
        row::<C>(names[1], isa, false, through(merge)),
        row::<C>(
            names[2],
            isa,
            true,
            Call::Streaming {
                call: split_around,
                scratch: |_| 0,
            },
        ),
        row::<C>(
            names[3],
            isa,
            false,
            Call::Streaming {
                call: merge_around,
                scratch: |_| 0,
            },
        ),
    ]
}

/// Bytes of the long side of the least panel that is moved by registers: half of one of the smallest.
const LEAST: usize = 8;

/// One row. Where it streams, a panel has at least a tile of pixels.
const fn row<C: Cells>(name: &'static str, isa: Isa, splits: bool, call: Call) -> Row {
    let (pixels, streams) = match call {
        Call::Streaming { .. } => (2 * C::GROUP, true),
        _ => (C::GROUP, false),
    };
    let (rows, cols) = if splits {
        (MOST, pixels)
    } else {
        (pixels, MOST)
    };
    let needs: fn(&Ask) -> bool = match (splits, streams) {
        (true, false) => |ask| is_short(ask.rows) && ask.cols * ask.cell >= LEAST,
        (false, false) => |ask| is_short(ask.cols) && ask.rows * ask.cell >= LEAST,
        (true, true) => |ask| is_short(ask.rows) && ask.cols * ask.cell >= LINE,
        (false, true) => |ask| is_short(ask.cols) && ask.rows * ask.cell >= LINE,
    };
    Row {
        name,
        family: Family::Interleave,
        cell: CellSize::Exact(C::CELL),
        isa,
        tile: Tile { rows, cols },
        needs,
        call,
    }
}
