//! How a transposition walks over the tiles of a panel, once for every row of the family.
//!
//! A file of its own because order, edges and row addressing are the same whatever the registers
//! are: an ISA file supplies a [`RegisterTile`], this file calls it at every place of the panel.
//! The order is bands of destination rows, two lines of each source row high, and inside a band
//! along the destination rows:
//!
//! ```text
//!                  dst                        src (row c of src is column c of dst)
//!       +----------------------+              +-----------+-----------+
//!   r0  | 1    3    5          |  band 0      | 1 -> 2    | 7 -> 8    |
//!   r1  | 2    4    6          |              | 3 -> 4    | 9 ..      |
//!       +----------------------+              | 5 -> 6    |           |
//!   r2  | 7    9    ..         |  band 1      |           |           |
//!   r3  | 8    ..              |              |           |           |
//!       +----------------------+              +-----------+-----------+
//! ```
//!
//! so each destination row of a band is one sequential stream, a line is completed by stores that
//! follow each other, and every source line is read once, by loads that follow each other.

use core::ops::Range;
use core::ptr::copy_nonoverlapping;

use super::lines::{Addressing, Lines, Settled, settle};
use super::next_band::NextBand;
use super::strips::few_columns;
use crate::ahead::pays;
use crate::isa::prefetch_write;
use crate::panel::{LINE, Panel};

/// From which bytes a side on the destination is prefetched, where that [pays]: two first-level caches. f32 64x64:
/// 0.30 with, 0.34 without; 96x96: 1.01, 0.88; 256x256: 0.80, 0.73; 480x480: 0.96, 0.87.
const COLD: usize = 20 << 10;

/// A rectangle of cells transposed in registers: it reads `rows` cells of each of `cols` source
/// rows and writes `cols` cells of each of `rows` destination rows.
pub(super) trait RegisterTile: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Rows and columns of a whole tile, at most 64.
    const SIDE: usize;

    /// Destination rows of the tile: cells of a source row. Constant for a panel.
    #[inline(always)]
    fn rows(self) -> usize {
        Self::SIDE
    }

    /// Cells of a destination row: source rows of the tile. Constant for a panel.
    #[inline(always)]
    fn cols(self) -> usize {
        Self::SIDE
    }

    /// Moves one tile.
    ///
    /// # Safety
    /// - Shape: lines below `cols()` of `src` and below `rows()` of `dst` exist.
    /// - Range: `rows()` cells can be read at each line of `src`, `cols()` cells written at each of
    ///   `dst`.
    /// - Aliasing: what is read and what is written do not overlap.
    /// - Alignment: none.
    /// - ISA: what the tile's file names is enabled where this is inlined.
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines);

    /// Rows of a block, of which a tile is some, and which can be moved by itself.
    const BLOCK: usize = Self::SIDE;

    /// Moves one block: where few rows are left, a tile would move most of them twice.
    ///
    /// # Safety
    /// As [`Self::transpose`], of `BLOCK` rows instead of `rows()`.
    #[inline(always)]
    unsafe fn block(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: passed on: a block is a tile.
        unsafe { self.transpose(src, dst) }
    }
}

/// How a panel is walked. Figures are ratios to memcpy of the same bytes in the same run, huge pages,
/// on a 2-core AVX-512 server VM with 2 MiB of second-level cache.
#[derive(Clone, Copy)]
struct Course {
    /// Destination rows of a band: whole tiles.
    band: usize,
    /// Columns that are moved in one row of tiles before the next: whole tiles, a line or more.
    columns: usize,
    /// How many they are the first time: what is left of a line, so that the others start where lines
    /// do, if one place does for all rows.
    first: usize,
    /// Whether the destination is prefetched.
    ahead: bool,
}

impl Course {
    /// Lines of a source row in a band. f32 256x256, AVX-512: 0.76 with 2, 0.54 with 4; 768x768 0.78,
    /// 0.58; 1 line: 0.74, 0.53.
    const BAND: usize = 2 * LINE;
    /// A band is all rows where source rows have no more bytes than this, so that the source is read in
    /// one go, in panels of [`Self::LARGE`] bytes a side and more. f32 64x10000: 0.98, with two lines
    /// 0.77; 96x9000: 0.98, 0.83; 128x8000: 0.59, 0.68; in the second-level cache, 64x3136: 0.72, 0.86.
    const SHORT: usize = 6 * LINE;
    /// *Guess*, between panels of 0.8 MB and of 2.5 MB.
    const LARGE: usize = 3 << 19;
    /// Panels of fewer bytes a side are in the first-level cache on both: *guess*.
    const NEAR: usize = 20 << 10;
    /// Bytes between a store and the prefetch that goes before it. One line, two, four: 0.81, 0.80, 0.78
    /// at 256x256; 0.70, 0.78, 0.78 at 1024x1024. A prefetch that does not ask to write: 0.81, 0.62.
    const AHEAD: usize = 2 * LINE;

    /// # Safety
    /// - Shape: `dst` addresses the rows of the panel, which are at least one.
    #[inline(always)]
    unsafe fn of<T: RegisterTile>(panel: &Panel<'_>, tile: T, dst: impl Addressing) -> Self {
        let (high, wide) = (tile.rows(), tile.cols());
        let row = panel.rows * T::CELL;
        let bytes = row * panel.cols;
        let columns = wide.max(LINE / T::CELL / wide * wide);
        // SAFETY: shape: passed on.
        let first = match unsafe { dst.phase(panel.rows) } {
            Some(phase) if phase > 0 && phase.is_multiple_of(T::CELL) => (LINE - phase) / T::CELL,
            _ => columns,
        };
        Self {
            band: if row <= Self::SHORT && bytes >= Self::LARGE {
                panel.rows
            } else {
                high.max(Self::BAND / T::CELL / high * high)
            },
            columns,
            first,
            ahead: pays(bytes, COLD),
        }
    }
}

/// Moves a panel tile by tile; the last tile of a direction overlaps the one before it.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at
/// least `tile.rows()` rows and `tile.cols()` columns; the ISA of the tile is enabled where this
/// is inlined.
#[inline(always)]
pub(super) unsafe fn walk<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, Loops::<_, true, true>(panel, tile)) }
}

/// The same of a panel that is [near](is_near), in tiles that are square.
///
/// # Safety
/// As [`walk`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn walk_near<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: as above.
    unsafe { settle(panel, Loops::<_, true, false>(panel, tile)) }
}

/// The same of one that need not be.
///
/// # Safety
/// As [`walk`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn walk_far<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: as above.
    unsafe { settle(panel, Loops::<_, false, true>(panel, tile)) }
}

/// Moves some columns cell by cell.
///
/// # Safety
/// - Shape: `src` and `dst` address the rows of a panel's sides, which has these rows and columns.
/// - Aliasing: as [`RegisterTile::transpose`].
#[inline(always)]
pub(super) unsafe fn cells<T: RegisterTile>(
    (src, dst): (impl Addressing, impl Addressing),
    rows: usize,
    columns: Range<usize>,
) {
    for c in columns {
        // SAFETY: shape: the caller has this column and these rows, each of `T::CELL` bytes; aliasing: passed on;
        // alignment: bytes have none.
        unsafe {
            let from = src.row(c);
            for r in 0..rows {
                let (from, to) = (from.add(r * T::CELL), dst.row(r).add(c * T::CELL));
                copy_nonoverlapping(from, to, T::CELL);
            }
        }
    }
}

/// Whether what is left of so many rows from `r` on, which is no whole tile, is moved in blocks: where these are fewer than
/// a tile has.
#[inline(always)]
pub(super) fn ends_in_blocks<T: RegisterTile>(tile: T, r: usize, rows: usize) -> bool {
    tile.rows() == T::SIDE && r + T::SIDE >= rows + T::BLOCK
}

/// Moves the tiles one above the other whose first column is `c`, and by blocks or a tile that is moved back what is
/// left over of so many rows.
///
/// # Safety
/// - Shape: `src` and `dst` address the rows of a panel's sides, which has these rows, at least those of the tile, and
///   its columns from `c` on.
/// - Aliasing, ISA: as [`RegisterTile::transpose`].
#[inline(always)]
pub(super) unsafe fn column<T: RegisterTile>(
    tile: T,
    (src, dst): (impl Addressing, impl Addressing),
    rows: usize,
    c: usize,
) {
    let high = tile.rows();
    let mut r = 0;
    // SAFETY: shape: tiles and blocks end at `rows`; aliasing, ISA: passed on.
    unsafe {
        loop {
            move_tile(tile, src, dst, r, c);
            r += high;
            if r + high > rows {
                break;
            }
        }
        if ends_in_blocks(tile, r, rows) {
            for r in (r..rows).step_by(T::BLOCK) {
                move_block(tile, src, dst, r.min(rows - T::BLOCK), c);
            }
        } else if r < rows {
            move_tile(tile, src, dst, rows - high, c);
        }
    }
}

/// Moves a panel of so many rows and columns, the last few of which cell by cell, that the first-level cache holds on both
/// sides: the shortest code is best.
///
/// Through the loops of [`bands`] and so, ns (Xeon): f32 9x8 29 and 20; f64 9x8 32 and 24, 9x9 48 and 33; 16 bytes 9x8 45
/// and 25, 17x17 141 and 82; but in tiles that are not square u8 64x64 140 and 154.
///
/// # Safety
/// - Shape: `src` and `dst` address the rows of a panel's sides, which has at least the rows of the tile, and its columns
///   beside the few.
/// - Aliasing, ISA: as [`RegisterTile::transpose`].
#[inline(always)]
unsafe fn near<T: RegisterTile>(
    panel: &Panel<'_>,
    tile: T,
    (src, dst): (impl Addressing, impl Addressing),
) {
    let (rows, cols) = (panel.rows, panel.cols);
    let (high, wide) = (tile.rows(), tile.cols());
    let few = few_columns(wide, T::CELL, cols);
    // SAFETY: shape: tiles and columns end where the panel does, or before; the rest is passed on.
    unsafe {
        if is_tile(panel, tile) {
            // Nothing to walk: running a plan of f32 4x4 takes 8 ns this way, 13 through the loops below.
            return move_tile(tile, src, dst, 0, 0);
        }
        if rows.is_multiple_of(high) && cols.is_multiple_of(wide) {
            // f64 16x16 takes 38 ns this way, 49 column by column.
            for r in (0..rows).step_by(high) {
                for c in (0..cols).step_by(wide) {
                    move_tile(tile, src, dst, r, c);
                }
            }
            return;
        }
        for c in (0..cols - few).step_by(wide) {
            column(tile, (src, dst), rows, c.min(cols - wide));
        }
        if few > 0 {
            cells::<T>((src, dst), rows, cols - few..cols);
        }
    }
}

/// Whether the first-level cache holds a panel of so many bytes a side on both: its tiles are moved in the shortest code.
#[inline(always)]
pub(super) fn is_near(panel: &Panel<'_>) -> bool {
    panel.rows * panel.cols * panel.cell < Course::NEAR
}

/// The loops of [`walk`], to be done once the kinds of rows are settled: those for panels that are [near](is_near), or for
/// others, or for either.
struct Loops<'a, 'p, T, const NEAR: bool, const FAR: bool>(&'a Panel<'p>, T);

impl<T: RegisterTile, const NEAR: bool, const FAR: bool> Settled for Loops<'_, '_, T, NEAR, FAR> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) {
        let Self(panel, tile) = self;
        let is_short = || {
            let square = tile.rows() == T::SIDE && tile.cols() == T::SIDE;
            let few = few_columns(tile.cols(), T::CELL, panel.cols);
            is_near(panel) && (square || few > 0) || is_tile(panel, tile)
        };
        // SAFETY: passed on: src and dst address the rows of the panel's sides.
        unsafe {
            if NEAR && (!FAR || is_short()) {
                near(panel, tile, (src, dst));
            } else if FAR {
                bands(panel, tile, src, dst);
            }
        }
    }
}

/// Whether a panel is one tile.
#[inline(always)]
fn is_tile<T: RegisterTile>(panel: &Panel<'_>, tile: T) -> bool {
    panel.rows == tile.rows() && panel.cols == tile.cols()
}

/// The loops of [`walk`] over a panel that is no single tile. Places are clamped, so that the last tile ends where the
/// panel ends.
///
/// # Safety
/// As [`walk`]; `src` and `dst` address the rows of the panel's sides.
#[inline(always)]
unsafe fn bands<T: RegisterTile>(
    panel: &Panel<'_>,
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
) {
    let (rows, cols) = (panel.rows, panel.cols);
    let (high, wide) = (tile.rows(), tile.cols());
    // SAFETY: shape: the panel has the rows of a tile, so at least one.
    let course = unsafe { Course::of(panel, tile, dst) };
    let next_band = NextBand::of(panel);
    for start in (0..rows).step_by(course.band) {
        let end = rows.min(start + course.band);
        let (mut left, mut right) = (0, course.first);
        while left < cols {
            let ahead = left * T::CELL + Course::AHEAD;
            if course.ahead && ahead < cols * T::CELL {
                // SAFETY: shape: the rows of the band exist; the address is only prefetched.
                unsafe { prefetch_rows(dst, start, end, ahead) };
            }
            let (next, columns) = (end..rows.min(end + course.band), left..right.min(cols));
            // SAFETY: shape: rows and columns of the panel.
            unsafe { next_band.ask(panel, (src, dst), next, columns) };
            let two = const { T::SIDE * T::CELL == LINE && Course::BAND == 2 * LINE };
            let whole = end - start == 2 * T::SIDE && right - left == T::SIDE && right <= cols;
            if two && whole && high == T::SIDE && wide == T::SIDE {
                // Two loops less: 256x256 takes 7.1 us instead of 7.5 (f32), 13.5 instead of 15.6 (f64).
                // SAFETY: shape and range: both tiles are whole and inside the panel; aliasing, ISA:
                // passed on.
                unsafe {
                    move_tile(tile, src, dst, start, left);
                    move_tile(tile, src, dst, start + T::SIDE, left);
                }
            } else {
                for r in (start..end).step_by(high) {
                    if ends_in_blocks(tile, r, rows) {
                        for r in (r..rows).step_by(T::BLOCK) {
                            let r = r.min(rows - T::BLOCK);
                            for c in (left..right.min(cols)).step_by(wide) {
                                let c = c.min(cols - wide);
                                // SAFETY: shape and range: r + rows of a block <= rows and c + tile cols <= cols;
                                // aliasing, ISA: passed on.
                                unsafe { move_block(tile, src, dst, r, c) };
                            }
                        }
                        continue;
                    }
                    let r = r.min(rows - high);
                    for c in (left..right.min(cols)).step_by(wide) {
                        let c = c.min(cols - wide);
                        // SAFETY: shape and range: r + tile rows <= rows and c + tile cols <= cols;
                        // aliasing, ISA: passed on.
                        unsafe { move_tile(tile, src, dst, r, c) };
                    }
                }
            }
            (left, right) = (right, right + course.columns);
        }
    }
}

/// Moves the tile whose first cell is `(r, c)` of the destination.
///
/// # Safety
/// - Shape: `src` and `dst` address the rows of a panel's sides; the tile lies inside the panel.
/// - Aliasing, ISA: as [`RegisterTile::transpose`].
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn move_tile<T: RegisterTile>(
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
    r: usize,
    c: usize,
) {
    // SAFETY: shape: the tile's lines are the panel's; range: and its cells; the rest is passed on.
    unsafe {
        let from = src.lines(c, tile.cols(), r * T::CELL);
        let to = dst.lines(r, tile.rows(), c * T::CELL);
        tile.transpose(from, to);
    }
}

/// Moves the block whose first cell is `(r, c)` of the destination.
///
/// # Safety
/// As [`move_tile`], of a block.
#[cfg_attr(not(debug_assertions), inline(always))] // as above
unsafe fn move_block<T: RegisterTile>(
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
    r: usize,
    c: usize,
) {
    // SAFETY: as above.
    unsafe {
        let from = src.lines(c, tile.cols(), r * T::CELL);
        let to = dst.lines(r, T::BLOCK, c * T::CELL);
        tile.block(from, to);
    }
}

/// Prefetches a line of each of the rows `start` to `end`, those that start `bytes` into them.
///
/// # Safety
/// - Shape: `rows` addresses those rows.
#[inline(always)]
unsafe fn prefetch_rows(rows: impl Addressing, start: usize, end: usize, bytes: usize) {
    const TOGETHER: usize = 8;
    let mut r = start;
    while r + TOGETHER <= end {
        // SAFETY: shape: the rows are below end.
        let lines = unsafe { rows.lines(r, TOGETHER, bytes) };
        for i in 0..TOGETHER {
            // SAFETY: shape: as above.
            prefetch_write(unsafe { lines.at(i) });
        }
        r += TOGETHER;
    }
    for r in r..end {
        // SAFETY: shape: r is below end.
        prefetch_write(unsafe { rows.row(r) }.wrapping_add(bytes));
    }
}
