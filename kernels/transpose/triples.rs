//! Cells of 12 and 24 bytes, triples of words, whatever the registers are.
//!
//! Three lines are a whole number of such cells, a *unit* of 16 or 8. Nothing is shared between destination rows, so
//! each takes the columns of its own lines, as in [`each`](super::each): its first unit begins with the first cell that
//! starts a line. What is before that, and what is left after the last unit, is moved cell by cell.

use super::each::Unit;
use crate::panel::LINE;

/// [`Unit::before_a_line`] of cells of which three lines are a unit.
#[inline(always)]
pub(super) fn before_a_line<U: Unit>(address: usize) -> Option<usize> {
    /// Three times this is 1 more than a multiple of 16, and so of 8.
    const THIRD: usize = 11;
    // A cell is a triple of these.
    let part = U::CELL / 3;
    let phase = address % LINE;
    let parts = phase.wrapping_neg() % LINE / part;
    phase
        .is_multiple_of(part)
        .then_some(parts * THIRD % U::CELLS)
}

/// Stamps a row of so many bytes a cell, rows and columns.
macro_rules! row {
    ($isa:ident, $cell:expr, $rows:expr, $cols:expr, $name:literal, $call:expr) => {
        $crate::row::Row {
            name: $name,
            family: $crate::row::Family::Transpose,
            cell: $crate::row::CellSize::Exact($cell),
            isa: $crate::isa::Isa::$isa,
            tile: $crate::row::Tile {
                rows: $rows,
                cols: $cols,
            },
            needs: |ask| ask.rows >= $rows && ask.cols >= $cols,
            call: $call,
        }
    };
}

/// Stamps the two rows of `Triples` of some cells, whose units the file has.
macro_rules! rows_of {
    ($isa:ident $features:literal, $unit:ident, $cached:literal, $streaming:literal) => {
        [
            $crate::transpose::triples::row!(
                $isa,
                Triples::<$unit>::CELL,
                2,
                Triples::<$unit>::CELLS,
                $cached,
                $crate::row::Call::Cached({
                    /// # Safety
                    /// The contract of the crate, with a panel this row takes.
                    #[target_feature(enable = $features)]
                    unsafe fn cached(panel: &$crate::panel::Panel<'_>) {
                        // SAFETY: passed on: the row takes such panels; ISA: enabled here.
                        unsafe { $crate::transpose::each::rows::<_, false>(panel, Triples($unit)) }
                    }
                    cached
                })
            ),
            $crate::transpose::triples::row!(
                $isa,
                Triples::<$unit>::CELL,
                2,
                2 * Triples::<$unit>::CELLS,
                $streaming,
                $crate::row::Call::Streaming {
                    call: {
                        /// # Safety
                        /// The contract of the crate, with a panel this row takes.
                        #[target_feature(enable = $features)]
                        unsafe fn streamed(
                            panel: &$crate::panel::Panel<'_>,
                            _: &$crate::fence::StreamFence<'_>,
                        ) {
                            // SAFETY: passed on: the row takes such panels; ISA: enabled here.
                            unsafe {
                                $crate::transpose::each::rows::<_, true>(panel, Triples($unit))
                            }
                        }
                        streamed
                    },
                    scratch: |_| 0,
                }
            ),
        ]
    };
}
pub(super) use {row, rows_of};
