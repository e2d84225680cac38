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
//! Head and tail fill no line and are written through the caches, never into a line that is
//! streamed. Where rows do not start whole lines apart, no band is aligned for all of them, and
//! `carry` shifts each row by its phase. Where cells straddle lines (a destination that is not
//! aligned to its cells), nothing can be streamed and the cached walk runs.

use core::ops::Range;

use super::carry::{Carry, edge};
use super::lines::{Addressing, LINE, Lines, Strided, Tabled};
use crate::fence::StreamFence;
use crate::isa::prefetch;
use crate::panel::{Panel, Rows};

/// Bytes of a source row that are transposed at a time: one 128-bit load.
const BLOCK: usize = 16;

/// Registers that hold destination lines: `R` rows of one line each are 16 bytes of each of
/// `LINE / CELL` source rows. `R` is `16 / CELL`.
pub(super) trait LineTile<const R: usize>: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// One line in registers.
    type Line: Copy;

    /// Transposes bytes `16 * block ..` of `LINE / CELL` source rows.
    ///
    /// # Safety
    /// - Shape: lines below `LINE / CELL` of `src` exist.
    /// - Range: those 16 bytes can be read in each.
    /// - Alignment: none.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Self::Line; R];

    /// Stores a line around the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: as [`LineTile::lines`]. The caller holds a [`StreamFence`].
    unsafe fn stream(self, line: Self::Line, to: *mut u8);

    /// Stores some cells of a line, through the caches, to where they stand in the line at `to`.
    ///
    /// # Safety
    /// - Shape: `cells` is a range within `0..LINE / CELL`.
    /// - Range: those cells can be written.
    /// - Alignment: none.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn store_part(self, line: Self::Line, cells: Range<usize>, to: *mut u8);

    /// The line of the last `phase` cells of `before` and the first ones of `after`.
    ///
    /// # Safety
    /// - Shape: `phase` is below `LINE / CELL`.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn joined(self, before: Self::Line, after: Self::Line, phase: usize) -> Self::Line;

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn keep(self, line: Self::Line, to: *mut u8);

    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes, written before, can be read.
    /// - Alignment: `from` is a multiple of 64.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn kept(self, from: *const u8) -> Self::Line;
}

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

/// Where source rows are prefetched.
#[derive(Clone, Copy)]
struct Ahead {
    /// In each row, some bytes ahead.
    in_rows: bool,
}

impl Ahead {
    /// Bytes between a load and the prefetch that goes before it.
    const BYTES: usize = 256;
    /// Shortest source rows that are prefetched so.
    const FROM: usize = 4096;

    /// # Safety
    /// - Shape: `src` addresses at least two rows.
    #[inline(always)]
    unsafe fn of(bytes: usize, src: impl Addressing) -> Self {
        // SAFETY: shape: passed on.
        let apart = unsafe { src.row(1).addr().wrapping_sub(src.row(0).addr()) };
        Self {
            in_rows: bytes >= Self::FROM && !apart.is_multiple_of(4096),
        }
    }
}

/// Moves a panel, streaming whole lines. False if the destination is not aligned to its cells:
/// then nothing was moved.
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
    match (panel.src.rows, panel.dst.rows) {
        (Rows::Stride(src), Rows::Stride(dst)) => {
            let src = Strided {
                base: panel.src.base,
                stride: src,
            };
            let dst = Strided {
                base: panel.dst.base,
                stride: dst,
            };
            // SAFETY: passed on; rows at a stride need no table.
            unsafe { chunks(panel, fence, tile, src, dst) }
        }
        (Rows::Offsets(src), Rows::Offsets(dst)) => {
            let src = Tabled {
                base: panel.src.base,
                offsets: src,
            };
            let dst = Tabled {
                base: panel.dst.base,
                offsets: dst,
            };
            // SAFETY: passed on; the tables have an entry for each row of their side (contract).
            unsafe { chunks(panel, fence, tile, src, dst) }
        }
        // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
        _ => unsafe { chunks(panel, fence, tile, panel.src, panel.dst) },
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
    let straddles = match phase {
        Some(phase) => !phase.is_multiple_of(T::CELL),
        None => (0..panel.rows).any(|r| {
            // SAFETY: shape: r is below rows.
            let row = unsafe { dst.row(r) };
            !row.addr().is_multiple_of(T::CELL)
        }),
    };
    if straddles {
        return false;
    }
    let cells = LINE / T::CELL;
    let (carry, first, chunk) = match phase {
        Some(0) => (None, 2 * cells, panel.rows),
        Some(phase) => (None, cells - phase / T::CELL, panel.rows),
        None => {
            let carry = Carry::new(fence);
            (Some(carry), 2 * cells, Carry::chunk(panel.rows))
        }
    };
    for start in (0..panel.rows).step_by(chunk) {
        let rows = start..panel.rows.min(start + chunk);
        // SAFETY: passed on; where rows start whole lines apart, the first band ends at a line in
        // all; elsewhere the carry has room for the rows of a chunk.
        unsafe { bands(panel, tile, src, dst, rows, first, carry) }
    }
    true
}

/// The bands of some rows of a panel.
///
/// # Safety
/// As [`stream`]; `src` and `dst` address the rows of the panel's sides, and `rows` are rows of the
/// panel. Either `first` columns reach from the start of each row to the start of a line, or are
/// two lines, and the rows start at lines; or there is a carry with room for the rows.
#[inline(always)]
unsafe fn bands<T: LineTile<R>, const R: usize>(
    panel: &Panel<'_>,
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
    rows: Range<usize>,
    first: usize,
    carry: Option<Carry>,
) {
    let (cells, cols) = (LINE / T::CELL, panel.cols);
    let band = 2 * cells;
    // SAFETY: shape: the panel has as many source rows as it has columns, two lines at least.
    let ahead = unsafe { Ahead::of(panel.rows * T::CELL, src) };
    let mut start = 0;
    loop {
        let end = cols.min(start + if start == 0 { first } else { band });
        let whole = end - start == band;
        // SAFETY: shape and range: start..end are columns of the panel, a band of two lines where
        // `edge` is not called; alignment: the first band ends at a line, and so does each after it
        // that is whole; with a carry each row is shifted to lines. The rest is passed on.
        unsafe {
            let place = Place {
                rows: rows.clone(),
                cols: start..end,
                of: panel.rows,
            };
            let bytes = start * T::CELL;
            match carry {
                None if whole => pairs(tile, src, &place, ahead, Aligned { dst, bytes }),
                Some(carry) if whole && start > 0 => {
                    pairs(
                        tile,
                        src,
                        &place,
                        ahead,
                        carry.shifted(dst, bytes, rows.start),
                    );
                }
                _ => edge(tile, src, dst, &place, carry, !whole),
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
    /// Rows of the panel: what a block may read of the source where it is moved back.
    pub(super) of: usize,
}

/// Where the two lines of each row of a band go.
pub(super) trait Pairs<T: LineTile<R>, const R: usize>: Copy {
    /// Takes the lines of row `r`.
    ///
    /// # Safety
    /// - Shape: row `r` is one of those this was made for, and each is given once.
    /// - Range, aliasing, alignment: said where this is made.
    /// - ISA: as [`LineTile::lines`].
    unsafe fn put(self, tile: T, r: usize, lines: [T::Line; 2]);
}

/// Rows that start at a line: lines go where they belong.
#[derive(Clone, Copy)]
struct Aligned<D> {
    dst: D,
    /// Bytes from the start of a row to the band.
    bytes: usize,
}

impl<T: LineTile<R>, const R: usize, D: Addressing> Pairs<T, R> for Aligned<D> {
    #[inline(always)]
    unsafe fn put(self, tile: T, r: usize, [first, second]: [T::Line; 2]) {
        // SAFETY: shape: row r exists; range and alignment: the band is two whole lines of each
        // row; aliasing: each line is written once; ISA: the caller's.
        unsafe {
            let to = self.dst.row(r).wrapping_add(self.bytes);
            tile.stream(first, to);
            tile.stream(second, to.wrapping_add(LINE));
        }
    }
}

/// A band of two lines of some rows, along the source rows.
///
/// # Safety
/// As [`bands`], for a place two lines wide whose rows `out` was made for.
#[inline(always)]
unsafe fn pairs<T: LineTile<R>, const R: usize>(
    tile: T,
    src: impl Addressing,
    place: &Place,
    ahead: Ahead,
    out: impl Pairs<T, R>,
) {
    let (cells, c) = (LINE / T::CELL, place.cols.start);
    let (mut r, end) = (place.rows.start, place.rows.end);
    // SAFETY: shape: the place has 2 * cells columns from c on, all source rows; range: blocks that
    // are not whole are moved back to the last whole one, so that 16 bytes from row `at` on are
    // cells of the panel; the rest is passed on.
    unsafe {
        while r + cells <= end {
            let first = src.lines(c, cells, r * T::CELL);
            let second = src.lines(c + cells, cells, r * T::CELL);
            if ahead.in_rows {
                for i in 0..cells {
                    prefetch(first.at(i).wrapping_add(Ahead::BYTES));
                    prefetch(second.at(i).wrapping_add(Ahead::BYTES));
                }
            }
            for block in 0..LINE / BLOCK {
                let (first, second) = (tile.lines(first, block), tile.lines(second, block));
                for i in 0..R {
                    out.put(tile, r + block * R + i, [first[i], second[i]]);
                }
            }
            r += cells;
        }
        while r < end {
            let at = r.min(place.of - R);
            let first = tile.lines(src.lines(c, cells, at * T::CELL), 0);
            let second = tile.lines(src.lines(c + cells, cells, at * T::CELL), 0);
            for i in r - at..R.min(end - at) {
                out.put(tile, at + i, [first[i], second[i]]);
            }
            r = at + R;
        }
    }
}
