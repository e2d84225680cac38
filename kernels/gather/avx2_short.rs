//! Rows shorter than a line: every second, third or fourth cell is a plane of pixels that have as many cells, the others
//! of which are holes that may be read. So parts of such rows are put together as `interleave` does those of planes.

use crate::interleave::avx2::Pairs;
use crate::interleave::avx2_cells::Small;
use crate::interleave::short::parts::{Split, row};
use crate::interleave::short::{HALF, WHOLE};
use crate::panel::{LINE, Panel, SourceGaps};
use crate::row::Ask;

/// Whether rows are some that [`short`] moves. Times as fast as cell by cell, again and again, then after all had been
/// flushed (Xeon): 2000 cells of u8, every third, 12 a row 2.0 and 1.3, 31 3.0 and 2.5, 63 3.3 and 2.9; every second, 24
/// 2.7 and 2.2; u16 every second 12 3.0 and 1.7, every fourth 6 1.0 and 0.8, 16 1.4 and 0.9, 31 1.8 and 1.3; 10 to 20 MB,
/// u8 every second 48 2.9 and 1.6, rows far from each other 7.3 and 5.2.
pub(super) fn takes<const CELL: usize>(ask: &Ask) -> bool {
    let steps = (2 * CELL as isize..=4 * CELL as isize).contains(&ask.src_step);
    let whole = steps && ask.src_step % CELL as isize == 0;
    let short = ask.cols * CELL >= HALF && is_short::<CELL>(ask.cols);
    whole && short && ask.gaps == SourceGaps::Readable
}

/// Whether rows of so many cells are shorter than a line, of cells that have parts.
#[inline(always)]
pub(super) fn is_short<const CELL: usize>(cols: usize) -> bool {
    CELL <= LARGEST && cols < LINE / CELL
}

/// Bytes of the largest cell that has parts.
const LARGEST: usize = 2;

/// Moves a panel of rows that are shorter than a line.
///
/// # Safety
/// The contract of the crate, with a panel of the family of `CELL` byte cells that [`takes`] admits; AVX2 is enabled where
/// this is inlined.
#[inline(always)]
pub(super) unsafe fn short<const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: each arm is of the panel's step.
    unsafe {
        match panel.src.step.unsigned_abs() / CELL {
            2 => by_parts::<CELL, 2>(panel),
            3 => by_parts::<CELL, 3>(panel),
            _ => by_parts::<CELL, 4>(panel),
        }
    }
}

/// # Safety
/// As [`short`], with cells `STEP` of them apart.
#[inline(always)]
unsafe fn by_parts<const CELL: usize, const STEP: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on; shape: rows are half a register at least.
    unsafe {
        if panel.cols * CELL >= WHOLE {
            rows::<CELL, STEP, WHOLE>(panel);
        } else {
            rows::<CELL, STEP, HALF>(panel);
        }
    }
}

/// # Safety
/// As [`by_parts`], with rows of a part at least.
#[inline(always)]
unsafe fn rows<const CELL: usize, const STEP: usize, const PART: usize>(panel: &Panel<'_>) {
    let bytes = panel.cols * CELL;
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; range and aliasing: passed on, the cells of the row, and what lies between those
        // of the source; ISA: passed on.
        unsafe {
            let (src, dst) = (panel.src.cell(r, 0), panel.dst.cell(r, 0));
            row::<Split, Pairs<Small<CELL>>, 1, STEP, PART>(src, [dst], bytes);
        }
    }
}
