//! Rows shorter than a line: picked and stored under masks that are the same for all of them.

use core::arch::x86_64::_mm512_mask_storeu_epi8;

use super::avx512::{Granule, Shuffled};
use super::coming::ComingRows;
use super::places::bits;
use crate::panel::{LINE, Panel};

/// The most vectors that such a row is picked from: those that have tables.
const VECTORS: usize = 4;

/// Whether rows of so many cells are some that [`short`] moves.
pub(super) fn takes<const CELL: usize>(step: isize, cols: usize) -> bool {
    let near = step.unsigned_abs() <= VECTORS * CELL;
    near && cols >= SHORTEST && is_short::<CELL>(cols)
}

/// Whether rows of so many cells are shorter than a line, of cells that have this walk.
#[inline(always)]
pub(super) fn is_short<const CELL: usize>(cols: usize) -> bool {
    CELL <= LARGEST && cols < LINE / CELL
}

/// Bytes of the largest cell, and cells of the shortest row. Times as fast as cell by cell, 2000 cells in all (Xeon): u8
/// every third, 24 cells 2.8, 63 5.7; u16 12 2.3, 31 3.2; f32 8 1.3, 15 2.1; every fourth, u16 12 1.7, 31 2.8; f32 6 0.6,
/// 8 1.0, 15 1.4; every second f64, 3 0.7, 6 0.8.
const LARGEST: usize = 4;
const SHORTEST: usize = 8;

/// Moves a panel of rows that are shorter than a line.
///
/// # Safety
/// The contract of the crate, with a panel of the family of `CELL` byte cells that [`takes`] admits, whose step is one of
/// cells; AVX-512 F and BW and the ISA of the granule are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn short<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: each pick is for this step.
    unsafe {
        match panel.src.step.unsigned_abs() / CELL {
            1 => rows(panel, Shuffled::<G, CELL, 1>::new(panel)),
            2 => rows(panel, Shuffled::<G, CELL, 2>::new(panel)),
            3 => rows(panel, Shuffled::<G, CELL, 3>::new(panel)),
            _ => rows(panel, Shuffled::<G, CELL, VECTORS>::new(panel)),
        }
    }
}

/// # Safety
/// As [`short`]; the pick is for the panel.
#[inline(always)]
unsafe fn rows<G: Granule, const CELL: usize, const V: usize>(
    panel: &Panel<'_>,
    pick: Shuffled<G, CELL, V>,
) {
    let coming = ComingRows::of(panel);
    let masks = pick.masks(&(0..panel.cols));
    let written = bits(0, (panel.cols * CELL) as isize);
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come; range and aliasing: the cells of the row, others are
        // not accessed; ISA: passed on.
        unsafe {
            coming.ask(panel, r, |row| row);
            let line = pick.pick(panel.src.cell(r, 0), masks);
            _mm512_mask_storeu_epi8(panel.dst.cell(r, 0).cast(), written, line);
        }
    }
}
