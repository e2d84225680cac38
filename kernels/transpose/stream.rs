//! How a streaming transposition walks over a panel: whole destination lines around the caches,
//! two of each row back to back, once each.
//!
//! A file of its own because the order, the edges and the prefetches are the same whatever the
//! registers are: an ISA file supplies a [`LineTile`], this file calls it at every place. Bands are
//! two aligned lines wide, and inside a band the walk follows the source rows:
//!
//! ```text
//!                    dst                          src (row c of src is column c of dst)
//!        head   band 0    band 1   tail
//!       +----+---------+---------+----+          +--------------------+
//!   r0  | .. | 1    1  | 5    5  | .. |          | 1    2    3    4   |  2 * CELLS source rows,
//!   r1  | .. | 2    2  | 6    6  | .. |          |                    |  16 bytes of each at a
//!   r2  | .. | 3    3  | 7    7  | .. |          +--------------------+  time
//!   r3  | .. | 4    4  | 8 ..    | .. |          | 5    6    7    8   |
//!       +----+---------+---------+----+          +--------------------+
//! ```
//!
//! The last line of rows of an odd number of lines is a band of its own: 48x48 panels 0.78 of the roof
//! so, 0.63 where the last three lines are one band (whose 48 source rows are too many streams), 0.28
//! where it is an edge. Head and tail fill no line and are written through the caches, never into a line that is
//! streamed; where rows follow each other in memory, a tail and the next head are one line, and are
//! streamed after all. Where rows do not start whole lines apart, no band is aligned for all of them, and
//! `carry` shifts each row by its phase. Where cells straddle lines (a destination that is not
//! aligned to its cells), nothing can be streamed and the cached walk runs.

use core::ops::Range;

use super::carry::{Carry, edge};
use super::line::{Line, LineTile};
use super::lines::{Addressing, LINE, Settled, Wrapped, settle};
use super::reads::{Reads, lines};
use crate::fence::StreamFence;
use crate::panel::{Panel, Rows};

/// Bytes of scratch: none where destination rows start whole lines apart.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    let line = LINE as isize;
    let apart = match panel.dst.rows {
        Rows::Stride(stride) => stride % line == 0,
        Rows::Offsets(offsets) => offsets.iter().all(|at| (at - offsets[0]) % line == 0),
        Rows::Pointers(list, _) => list
            .iter()
            .all(|at| at.addr() % LINE == list[0].addr() % LINE),
    };
    if apart { 0 } else { Carry::bytes(panel.rows) }
}

/// Bytes of a row from which on it is streamed where rows do not start whole lines apart: below it,
/// lines that two rows share are most of them. f32, ratio to the roof of this and of the cached tile,
/// AVX-512, 2-core AVX-512 server VM: 64x33 panels 0.28, 0.39; 64x50 0.27, 0.31; 1000x50 0.65, 0.48;
/// 64x66 0.34, 0.35; 100x100 0.55, 0.37.
const SHORTEST_CUT: usize = 3 * LINE;

/// Moves a panel, streaming whole lines. False if that cannot be, or does not pay: where the
/// destination is not aligned to its cells, or its rows are short and cut; then nothing was moved.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at
/// least `R` rows and columns for two lines; `fence` is the guard of this task, with the scratch
/// that [`scratch`] says; the ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn stream<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
) -> bool {
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, Chunks::<T, R> { panel, fence, tile }) }
}

/// [`chunks`], to be done once the kinds of rows are settled.
struct Chunks<'a, 'p, 's, T, const R: usize> {
    panel: &'a Panel<'p>,
    fence: &'a StreamFence<'s>,
    tile: T,
}

impl<T: LineTile<R>, const R: usize> Settled for Chunks<'_, '_, '_, T, R> {
    type Answer = bool;

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) -> bool {
        // SAFETY: passed on: src and dst address the rows of the panel's sides.
        unsafe { chunks(self.panel, self.fence, self.tile, src, dst) }
    }
}

/// [`stream`], chunk by chunk of the rows: as many as the carry has room for, where one is needed.
///
/// # Safety
/// As [`stream`]; `src` and `dst` address the rows of the panel's sides.
#[inline(always)]
unsafe fn chunks<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
) -> bool {
    // SAFETY: shape: the panel has R rows and more.
    let phase = unsafe { dst.phase(panel.rows) };
    let bytes = panel.cols * T::CELL;
    // SAFETY: shape: r - 1 and r are below rows.
    let follows = |r| unsafe { dst.row(r - 1).wrapping_add(bytes) == dst.row(r) };
    let wraps = phase.is_some_and(|phase| phase > 0)
        && bytes.is_multiple_of(LINE)
        && (1..panel.rows).all(follows);
    let refused = match phase {
        Some(phase) if !phase.is_multiple_of(T::CELL) => true,
        Some(0) => false,
        _ if !wraps && bytes < SHORTEST_CUT => true,
        Some(_) => false,
        None => (0..panel.rows).any(|r| {
            // SAFETY: shape: r is below rows.
            let row = unsafe { dst.row(r) };
            !row.addr().is_multiple_of(T::CELL)
        }),
    };
    if refused {
        return false;
    }
    let (fit, chunk) = match phase {
        Some(0) => (Fit::Lines, panel.rows),
        Some(phase) => {
            let first = (LINE - phase) / T::CELL;
            (Fit::After { first, wraps }, panel.rows)
        }
        None => (Fit::Carried(Carry::new(fence)), Carry::chunk(panel.rows)),
    };
    for start in (0..panel.rows).step_by(chunk) {
        let rows = start..panel.rows.min(start + chunk);
        // SAFETY: passed on; how rows lie to lines was found out above, and the carry has room for
        // the rows of a chunk.
        unsafe { bands(panel, tile, (src, dst), rows, fit) }
    }
    true
}

/// How destination rows lie to lines.
#[derive(Clone, Copy)]
enum Fit {
    /// Each starts at a line.
    Lines,
    /// Each starts so many columns before a line, and, where it wraps, ends where the next starts.
    After { first: usize, wraps: bool },
    /// Anyhow.
    Carried(Carry),
}

/// The bands of some rows of a panel: where they are not carried, of all.
///
/// A row that wraps shares a line with the next one, which the last band takes as its own: columns
/// of the next row are the same source rows, a cell further on. Only the beginning of the first row
/// and the end of the last one are edges then.
///
/// # Safety
/// As [`stream`]; `src` and `dst` address the rows of the panel's sides, `rows` are rows of the
/// panel, and `fit` is true of them; a carry has room for them.
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
unsafe fn bands<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    tile: T,
    (src, dst): (impl Addressing, impl Addressing),
    rows: Range<usize>,
    fit: Fit,
) {
    let cols = panel.cols;
    let (line, band) = (LINE / T::CELL, 2 * LINE / T::CELL);
    let (first, wraps, carry) = match fit {
        Fit::Lines => (None, false, None),
        Fit::After { first, wraps } => (Some(first), wraps, None),
        Fit::Carried(carry) => (None, false, Some(carry)),
    };
    // SAFETY: shape: the panel has as many source rows as it has columns, two lines at least.
    let reads = unsafe { Reads::of(panel.rows * T::CELL, src) };
    let mut start = 0;
    loop {
        let wide = match first {
            Some(first) if start == 0 => first,
            _ => band,
        };
        let end = cols.min(start + wide);
        let whole = end - start == band;
        // A single line at the end of the rows, which where they wrap the next row fills.
        let one = carry.is_none()
            && match first {
                None => end - start == line,
                Some(_) => wraps && start > 0 && end - start < line,
            };
        let mut place = Place {
            rows: rows.clone(),
            cols: start..end,
            of: panel.rows,
        };
        let bytes = start * T::CELL;
        let out = Aligned { dst, bytes };
        // SAFETY: shape and range: start..end are columns of the panel, a band of two lines where
        // `edge` is not called, or with the beginning of the next row, for all rows but the last,
        // which are R and more; alignment: the first band ends at a line, and so does each after it
        // that is whole; with a carry each row is shifted to lines. The rest is passed on.
        unsafe {
            match carry {
                None if whole => lines::<T, R, 2>(tile, src, &place, reads, out),
                None if one && !wraps => lines::<T, R, 1>(tile, src, &place, reads, out),
                Some(carry) if whole && start > 0 => {
                    let out = carry.shifted(dst, bytes, rows.start);
                    lines::<T, R, 2>(tile, src, &place, reads, out);
                }
                _ => {
                    if wraps && start == 0 {
                        place.rows.end = 1;
                    } else if wraps {
                        let (rows, cell) = (cols, T::CELL);
                        let src = Wrapped { src, rows, cell };
                        place.rows.end -= 1;
                        place.of -= 1;
                        if one {
                            lines::<T, R, 1>(tile, src, &place, reads, out);
                        } else {
                            lines::<T, R, 2>(tile, src, &place, reads, out);
                        }
                        place.rows = place.rows.end..panel.rows;
                        place.of += 1;
                    }
                    edge(tile, src, dst, &place, carry, !whole);
                }
            }
        }
        // With a carry, what the last whole band left over is still to be written.
        if end == cols && (carry.is_none() || !whole) {
            return;
        }
        start = end;
    }
}

/// A rectangle of a panel.
pub(super) struct Place {
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
    /// Rows of the panel: where a block that is moved back may still read.
    pub(super) of: usize,
}

/// Where the two lines of each row of a band go.
pub(super) trait Out<L, const N: usize>: Copy {
    /// Takes the lines of row `r`.
    ///
    /// # Safety
    /// - Shape: row `r` is one of those this was made for, and each is given once.
    /// - Range, aliasing, alignment: said where this is made.
    /// - ISA: as [`Line`].
    unsafe fn put(self, r: usize, lines: [L; N]);
}

/// Rows that start at a line: lines go where they belong.
#[derive(Clone, Copy)]
struct Aligned<D> {
    dst: D,
    /// Bytes from the start of a row to the band.
    bytes: usize,
}

impl<L: Line, D: Addressing, const N: usize> Out<L, N> for Aligned<D> {
    #[inline(always)]
    unsafe fn put(self, r: usize, lines: [L; N]) {
        // SAFETY: shape: row r exists; range and alignment: the band is N whole lines of each row;
        // aliasing: each line is written once; ISA: the caller's.
        unsafe {
            let to = self.dst.row(r).wrapping_add(self.bytes);
            for (i, line) in lines.into_iter().enumerate() {
                line.stream(to.wrapping_add(i * LINE));
            }
        }
    }
}
