//! Crossed panels cell by cell: the last rows of the families that transpose, and what their other rows leave.
//!
//! ```text
//!   a block      c ->              few of the one side, many of the other: the inner loop is the long one
//!          r     0  4  8 ..
//!          |     1  5  9 ..
//!          v     2  6 10 ..
//! ```
//!
//! No over-read, no vector, no alignment: what is touched is exactly the cells.

use core::ops::Range;

use crate::cell::Cell;
use crate::panel::{LINE, PAGE, Panel, Rows};
use crate::starts::{AT_ONCE, Starts, Strided, Tabled};

/// Rows or columns of a block, whichever are fewer: *guess*; 16 lines a side are a fraction of any first-level cache.
const FEW: usize = 16;

/// The others where they are lines apart: *guess*, as many again for each line of the few.
const MANY: usize = 64;

/// Cells of a block whose long side is in lines that follow each other, and of a panel that is one block: *guess*, a
/// line for each is about a first-level cache, and few sides are so far apart.
const CELLS: usize = 1024;

/// Bytes of rows that are near each other: a block is all of them. Of the roof, in blocks and so, again and again, and after
/// all had been flushed (Zen 5): f32 300x5 of every second, 400 times 0.26 and 0.33, 0.17 and 0.53, 4000 times 0.16 and 0.48,
/// 0.20 and 0.59; f64 500x3 0.41 and 0.48, 0.28 and 0.57, 100x12 0.18 and 0.29, 0.26 and 0.43; u16 600x4 0.16 and 0.19, 0.13
/// and 0.24. What is longer is better off in blocks of [`CELLS`]: f32 100000x5 0.37 and, in blocks of so many bytes, 0.25.
const NEAR: usize = 24 << 10;

/// Lines of a set of the first-level cache, at least, on any machine of today: rows whose lines share fewer sets than
/// they need push each other out. f32 2048x8 whose destination rows are 5 pages apart took 3.6 times as long by columns
/// as by rows; but 64x3, 1536 bytes apart, 0.57 times.
const WAYS: usize = 8;

/// Cells of a panel that are moved as they come, and of one of small cells whose rows are short. Of memcpy in blocks
/// and so: 16 bytes 3x2 0.32 and 0.42, 32x2 0.05 and 0.11, f64 13x2 0.27 and 0.31; but u16 32x2 0.030 and 0.012.
const TINY: usize = 64;
const TINY_SHORT: usize = 32;

/// Cells of a row that is not short, and bytes of a cell that is not small.
const LONG: usize = 4;
const WIDE: isize = 8;

/// Moves a crossed panel.
///
/// # Safety
/// The contract of the crate; the panel's pairing is crossed.
#[inline(always)]
pub(crate) unsafe fn crossed<C: Cell>(panel: &Panel<'_>, cell: C) {
    let (rows, cols) = (panel.rows, panel.cols);
    let short = cols < LONG && cell.bytes() < WIDE;
    let tiny = if short { TINY_SHORT } else { TINY };
    if rows.saturating_mul(cols) > tiny {
        // SAFETY: passed on.
        return unsafe { in_blocks(panel, cell) };
    }
    for r in 0..rows {
        for c in 0..cols {
            // SAFETY: shape: r and c lie inside the panel; range and aliasing: both are cells of it.
            unsafe { cell.copy(panel.src.cell(c, r), panel.dst.cell(r, c)) };
        }
    }
}

/// Moves a crossed panel in blocks, so that each line is used whole while it is in the cache.
///
/// # Safety
/// As [`crossed`].
#[inline(never)] // its registers are saved for it alone
unsafe fn in_blocks<C: Cell>(panel: &Panel<'_>, cell: C) {
    let (rows, cols) = (panel.rows, panel.cols);
    let by_columns = rows > cols && reaches(panel.dst.rows) >= rows.min(2 * FEW);
    let near = || {
        if by_columns {
            are_near(panel.dst.rows, rows)
        } else {
            are_near(panel.src.rows, cols)
        }
    };
    if rows.saturating_mul(cols) <= CELLS || near() {
        // SAFETY: passed on: all of the panel.
        return unsafe {
            if by_columns {
                down(panel, cell, 0..rows, 0..cols);
            } else {
                across(panel, cell, 0..rows, 0..cols);
            }
        };
    }
    let (high, wide) = if by_columns {
        long(panel.dst.rows, cols)
    } else {
        let (wide, high) = long(panel.src.rows, rows);
        (high, wide)
    };
    for c in (0..cols).step_by(wide) {
        let cols = c..cols.min(c + wide);
        for r in (0..rows).step_by(high) {
            let rows = r..rows.min(r + high);
            // SAFETY: passed on; the ranges are clamped to the panel.
            unsafe {
                if by_columns {
                    down(panel, cell, rows, cols.clone());
                } else {
                    across(panel, cell, rows, cols.clone());
                }
            }
        }
    }
}

/// Of how many of these rows the first-level cache holds a line, about.
#[inline(always)]
fn reaches(rows: Rows<'_>) -> usize {
    match rows {
        Rows::Stride(stride) if stride.unsigned_abs() < LINE => CELLS,
        Rows::Stride(stride) => {
            let pages = stride.trailing_zeros().min(PAGE.trailing_zeros());
            (WAYS * (PAGE >> pages)).min(MANY)
        }
        _ => FEW,
    }
}

/// Whether so many of these rows lie in a few pages.
#[inline(always)]
fn are_near(rows: Rows<'_>, many: usize) -> bool {
    matches!(rows, Rows::Stride(stride) if many.saturating_mul(stride.unsigned_abs().max(1)) <= NEAR)
}

/// The long side of a block, along these rows, and the other one, of so many.
#[inline(always)]
fn long(rows: Rows<'_>, others: usize) -> (usize, usize) {
    let few = others.clamp(1, FEW);
    (reaches(rows).min(CELLS / few), few)
}

/// These of these rows, from low addresses to high ones, which is where the next panel goes on. Of the roof, first to last
/// and so: three planes of every second f64, the last one first, 2048x154, 0.15 and 0.38 (Zen 5).
#[inline(always)]
fn upwards(rows: Rows<'_>, some: Range<usize>) -> impl Iterator<Item = usize> {
    let down = matches!(rows, Rows::Stride(stride) if stride < 0);
    let Range { start, end } = some;
    (start..end).map(move |i| if down { start + end - 1 - i } else { i })
}

/// Moves a block, source row after source row.
///
/// # Safety
/// The contract of the crate; the panel's pairing is crossed and the ranges lie inside it.
#[inline(always)]
unsafe fn down<C: Cell>(panel: &Panel<'_>, cell: C, rows: Range<usize>, cols: Range<usize>) {
    let (len, first) = (rows.len(), rows.start);
    for c in upwards(panel.src.rows, cols) {
        // SAFETY: shape: c and the rows lie inside the panel; range and aliasing: what is moved are cells of it.
        unsafe {
            let from = Strided {
                base: panel.src.cell(c, first),
                stride: panel.src.step,
            };
            let side = panel.dst.moved((c as isize).wrapping_mul(panel.dst.step));
            match side.rows {
                Rows::Stride(stride) => {
                    let base = side.cell(first, 0);
                    along(cell, len, from, Strided { base, stride });
                }
                Rows::Offsets(offsets) => {
                    let (base, offsets) = (side.base, offsets.get_unchecked(first..));
                    along(cell, len, from, Tabled { base, offsets });
                }
                Rows::Pointers(..) => along(cell, len, from, After(side, first)),
            }
        }
    }
}

/// Moves a block, destination row after destination row.
///
/// # Safety
/// As [`down`].
#[inline(always)]
unsafe fn across<C: Cell>(panel: &Panel<'_>, cell: C, rows: Range<usize>, cols: Range<usize>) {
    let (len, first) = (cols.len(), cols.start);
    for r in upwards(panel.dst.rows, rows) {
        // SAFETY: as in `down`, with the sides exchanged.
        unsafe {
            let to = Strided {
                base: panel.dst.cell(r, first),
                stride: panel.dst.step,
            };
            let side = panel.src.moved((r as isize).wrapping_mul(panel.src.step));
            match side.rows {
                Rows::Stride(stride) => {
                    let base = side.cell(first, 0);
                    along(cell, len, Strided { base, stride }, to);
                }
                Rows::Offsets(offsets) => {
                    let (base, offsets) = (side.base, offsets.get_unchecked(first..));
                    along(cell, len, Tabled { base, offsets }, to);
                }
                Rows::Pointers(..) => along(cell, len, After(side, first), to),
            }
        }
    }
}

/// The rows of a side from one of them on.
#[derive(Clone, Copy)]
struct After<S>(S, usize);

impl<S: Starts> Starts for After<S> {
    #[inline(always)]
    unsafe fn at(self, r: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.0.at(self.1 + r) }
    }

    #[inline(always)]
    fn moved(self, bytes: isize) -> Self {
        Self(self.0.moved(bytes), self.1)
    }
}

/// Moves the first `len` of some cells to as many places.
///
/// # Safety
/// - Shape: both sides have so many.
/// - Range and aliasing: as [`Cell::copy`], for each of them.
#[inline(never)]
unsafe fn along<C: Cell>(cell: C, len: usize, src: impl Starts, dst: impl Starts) {
    let mut i = 0;
    while i + AT_ONCE <= len {
        // SAFETY: passed on.
        unsafe {
            let (from, to) = (src.some(i), dst.some(i));
            for j in 0..AT_ONCE {
                cell.copy(from[j], to[j]);
            }
        }
        i += AT_ONCE;
    }
    while i < len {
        // SAFETY: passed on.
        unsafe { cell.copy(src.at(i), dst.at(i)) };
        i += 1;
    }
}
