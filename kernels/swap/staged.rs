//! Blocks of any cells, by way of a stage on the stack, with the rows of other families.
//!
//! ```text
//!   1. block a  -- transposed -->  stage
//!   2. block b  -- transposed -->  block a
//!   3. stage    -- as it is   -->  block b
//! ```
//!
//! Three moves instead of two, one of them inside the first-level cache, and every cell that any family
//! has vectors for has them here too. The last row of the table: it takes all cells.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::{Allowed, Square, SwapRow};
use crate::isa::Isa;
use crate::panel::{Pairing, Panel, Rows, Side, SourceGaps};
use crate::row::{Ask, CellSize, Family, Tile};
use crate::table::find;

/// Bytes of the stage: a block of 64x64 cells of 4 bytes, a third of a first-level cache of 48 KiB.
const STAGE: usize = 16 << 10;

/// Rows and columns of a block at most.
const SIDE: usize = 64;

/// Bytes that start where a line does.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; STAGE]);

/// # Safety
/// The obligations of the family.
pub(super) unsafe fn exchange(
    square: &Square,
    allowed: Allowed,
    rows: Range<usize>,
    cols: Range<usize>,
) {
    let most = (STAGE / square.cell.max(1)).isqrt().min(SIDE);
    if most < 2 {
        // SAFETY: passed on.
        return unsafe { cell_by_cell(square, rows, cols) };
    }
    let mut stage = Stage([MaybeUninit::uninit(); STAGE]);
    let stage = stage.0.as_mut_ptr().cast();
    let diagonal = rows == cols;
    for r in rows.clone().step_by(most) {
        let high = most.min(rows.end - r);
        for c in cols.clone().step_by(most) {
            let wide = most.min(cols.end - c);
            if diagonal && c < r {
                continue;
            }
            let block = square.at(r, c);
            let mirror = square.at(c, r);
            let staged = Panel {
                cell: square.cell,
                rows: wide,
                cols: high,
                pairing: Pairing::Crossed,
                gaps: SourceGaps::Forbidden,
                src: side(block, square.row, square.step),
                dst: side(stage, (high * square.cell) as isize, square.cell as isize),
            };
            let over = Panel {
                rows: high,
                cols: wide,
                src: side(mirror, square.row, square.step),
                dst: side(block, square.row, square.step),
                ..staged
            };
            let back = Panel {
                pairing: Pairing::Straight,
                src: staged.dst,
                dst: side(mirror, square.row, square.step),
                ..staged
            };
            // SAFETY: range: high x wide cells from (r, c) on, their mirror images and as many cells
            // of the stage, which is large enough, as neither side is above `most`; aliasing: the
            // stage is on this stack, block and mirror image are different unless r == c.
            unsafe {
                moved(&staged, allowed);
                if block != mirror {
                    moved(&over, allowed);
                }
                moved(&back, allowed);
            }
        }
    }
}

fn side(base: *mut u8, row: isize, step: isize) -> Side<'static> {
    let rows = Rows::Stride(row);
    Side { base, rows, step }
}

/// Moves a panel whose cells, on one side at least, stand side by side.
///
/// # Safety
/// - Range, aliasing: those of a panel, in the crate's contract.
unsafe fn moved(panel: &Panel<'_>, allowed: Allowed) {
    let unit = panel.cell as isize;
    let (from, to) = (panel.src.step == unit, panel.dst.step == unit);
    let bytes = Panel {
        cell: 1,
        cols: panel.cols * panel.cell,
        src: Side {
            step: 1,
            ..panel.src
        },
        dst: Side {
            step: 1,
            ..panel.dst
        },
        ..*panel
    };
    let (family, panel) = match panel.pairing {
        Pairing::Crossed if from && to => (Family::Transpose, panel),
        Pairing::Straight if from && to => (Family::Run, &bytes),
        Pairing::Straight if from => (Family::Scatter, panel),
        _ => (Family::Strided, panel),
    };
    let row = find(family, &Ask::of(panel, false), allowed.cap);
    let kernel = row.bind(allowed.token);
    let kernel = kernel.expect("no row above the cap, and no cap above the token");
    // SAFETY: stride: the row was found for the panel; range and aliasing: passed on; ISA: bound.
    unsafe { kernel.run_cached(panel) };
}

/// Cells too large for the stage.
///
/// # Safety
/// The obligations of the family.
unsafe fn cell_by_cell(square: &Square, rows: Range<usize>, cols: Range<usize>) {
    let diagonal = rows == cols;
    for r in rows {
        let first = if diagonal { r + 1 } else { cols.start };
        for c in first..cols.end {
            let (a, b) = (square.at(r, c), square.at(c, r));
            // SAFETY: range: two cells of the call; aliasing: they are different, as c is not r.
            unsafe { core::ptr::swap_nonoverlapping(a, b, square.cell) };
        }
    }
}

pub(super) static ROWS: &[SwapRow] = &[SwapRow {
    name: "swap-any-scalar-64x64",
    cell: CellSize::Any,
    isa: Isa::Scalar,
    tile: Tile {
        rows: SIDE,
        cols: SIDE,
    },
    call: exchange,
}];
