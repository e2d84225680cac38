//! Short destination rows that follow each other, streamed as one run: by way of a stage, to which tiles move them that
//! are wider than rows are.
//!
//! A file of its own because nothing else may write beyond a row. A tile stores its rows from the first one to the
//! last; what a store has more than the row lies where the next row begins, which is stored after it. Beyond the
//! columns stand those of the last one again:
//!
//! ```text
//!   stage     | row 0           | row 1           | row 2           |
//!   store 0   |-----------------=====|
//!   store 1                     |-----------------=====|
//!   store 2                                       |-----------------=====|   <- a line behind the stage
//! ```
//!
//! Tiles that fit are narrower, or the last one of a row is moved back, and much is moved twice.

use super::line::Line;
use super::lines::{Addressing, Clamped, Settled, Strided, settle};
use super::staged;
use super::two_stages::{InTurns, Pace};
use super::walk::RegisterTile;
use crate::fence::StreamFence;
use crate::panel::Panel;

/// Bytes of rows that fill no band of lines.
pub(super) const SHORT: usize = 128;

/// Moves a panel of short rows, around the caches where they follow each other.
///
/// # Safety
/// The contract of the crate, with a panel of 16 rows or more, shorter than [`SHORT`], and a guard held;
/// `cached` takes it, and any 16 rows of it; `to_stage` as well, and may overhang; `in_turns` as well, at the pace
/// that is for it. The ISA of the line is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn short_rows<L: Line>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    cached: unsafe fn(&Panel<'_>),
    to_stage: unsafe fn(&Panel<'_>),
    in_turns: InTurns,
) {
    // SAFETY: passed on: 16 short rows fit into a stage, and a line behind them.
    unsafe {
        if !staged::one_run(panel) {
            cached(panel);
        } else if let Some(pace) = Pace::of(panel) {
            in_turns(panel, fence, pace);
        } else {
            staged::rows::<L>(panel, fence, to_stage);
        }
    }
}

/// Moves a panel to a stage.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at least `tile.rows()`
/// rows and at most `tile.cols()` columns, but that what a tile has more than columns is written behind the last row:
/// there is room for it. Rows follow each other in the destination. The tile stores its rows in their order, each by
/// as many bytes as it has columns, and its ISA is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn overhanging<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, Overhanging { panel, tile }) }
}

/// [`overhanging`], to be done once the kinds of rows are settled.
struct Overhanging<'a, 'p, T> {
    panel: &'a Panel<'p>,
    tile: T,
}

impl<T: RegisterTile> Settled for Overhanging<'_, '_, T> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, _: impl Addressing) {
        let Self { panel, tile } = self;
        let Panel { rows, cols, .. } = *panel;
        let stride = cols * T::CELL;
        for r in (0..rows).step_by(tile.rows()) {
            let r = r.min(rows - tile.rows());
            // SAFETY: shape: columns beyond the last one are that one; range: so many rows from `r` on are the panel's,
            // and follow each other, with room behind the last one; what a row is written beyond its end is written
            // again with the next one, by this tile or the next; aliasing, ISA: passed on.
            unsafe {
                let from = Clamped {
                    lines: src.lines(0, cols, r * T::CELL),
                    last: cols - 1,
                };
                let to = panel.dst.base.wrapping_add(r * stride);
                tile.transpose(from, Strided::apart(to, stride));
            }
        }
    }
}

/// A streaming row for 16 destination rows and more of so many cells, shorter than [`SHORT`], moved to the stage by
/// `$to_stage`, or to one of two by `$in_turns`, or, if they do not follow each other, by `$cached`.
macro_rules! short {
    ($name:literal, $cell:literal, $cols:expr, $isa:ident $features:literal $line:ty, $cached:path, $to_stage:path, $in_turns:path) => {{
        /// # Safety
        /// The contract of the crate, with a panel this row takes and the guard of its task.
        #[target_feature(enable = $features)]
        unsafe fn call(panel: &Panel<'_>, fence: &StreamFence<'_>) {
            // SAFETY: passed on: the row takes 16 rows and so many columns; ISA: what is enabled here.
            unsafe { short_rows::<$line>(panel, fence, $cached, $to_stage, $in_turns) }
        }
        Row {
            name: $name,
            family: Family::Transpose,
            cell: CellSize::Exact($cell),
            isa: Isa::$isa,
            tile: Tile {
                rows: 16,
                cols: *$cols.start(),
            },
            needs: |ask| ask.rows >= 16 && $cols.contains(&ask.cols) && ask.cols * ask.cell < SHORT,
            call: Call::Streaming {
                call,
                scratch: |_| 0,
            },
        }
    }};
}
pub(super) use short;
