//! How a transposition walks over the tiles of a panel, once for every row of the family.
//!
//! A file of its own because order, edges and row addressing are the same whatever the registers
//! are: an ISA file supplies a [`RegisterTile`], this file calls it at every place of the panel.
//! The order is bands of destination lines, and inside a band along the source rows:
//!
//! ```text
//!                  dst                    src (row c of src is column c of dst)
//!           band 0      band 1
//!       +-----------+-----------+       +----------------------+
//!   r0  | 1 -> 2    | 7 -> 8    |       | 1    3    5          |  band 0: COLS source rows
//!   r1  | 3 -> 4    | 9 ..      |       | 2    4    6          |
//!   r2  | 5 -> 6    |           |       +----------------------+
//!       +-----------+-----------+       | 7    9    ..         |  band 1
//! ```
//!
//! so a destination line is completed by tiles that follow each other, and every source row of a
//! band is one sequential stream.

use crate::panel::{Panel, Rows, Side};

/// Destination bytes of a band, in one destination row.
const BAND_BYTES: usize = 128;

/// A rectangle of cells transposed in registers: it reads `rows` cells of each of `cols` source
/// rows and writes `cols` cells of each of `rows` destination rows.
pub(super) trait RegisterTile: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// The most rows or columns a tile can have.
    const LONGEST: usize;

    /// Destination rows of the tile: cells of a source row. Constant for a panel.
    fn rows(self) -> usize;

    /// Cells of a destination row: source rows of the tile. Constant for a panel.
    fn cols(self) -> usize;

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
}

/// Where the lines of one tile start.
pub(super) trait Lines: Copy {
    /// The address of line `i`.
    ///
    /// # Safety
    /// - Shape: the tile has a line `i` on this side.
    unsafe fn at(self, i: usize) -> *mut u8;
}

/// One side of a panel, its kind of rows settled.
trait Addressing: Copy {
    /// The lines of `T` that start `cells` cells into row `first` and the rows after it.
    ///
    /// # Safety
    /// - Shape: `count` rows from `first` on exist, and `count` is at most `T::LONGEST`.
    unsafe fn lines<T: RegisterTile>(self, first: usize, count: usize, cells: usize) -> impl Lines;
}

/// Rows, or the lines of a tile, at a constant distance.
#[derive(Clone, Copy)]
struct Strided {
    base: *mut u8,
    stride: isize,
}

impl Lines for Strided {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        let bytes = (i as isize).wrapping_mul(self.stride);
        self.base.wrapping_offset(bytes)
    }
}

impl Addressing for Strided {
    #[inline(always)]
    unsafe fn lines<T: RegisterTile>(self, first: usize, _: usize, cells: usize) -> impl Lines {
        // SAFETY: shape: a row at a stride exists wherever it is asked for.
        let start = unsafe { self.at(first) };
        Self {
            base: start.wrapping_add(cells * T::CELL),
            stride: self.stride,
        }
    }
}

/// The longest tile of any row: 16 lines.
const MOST_LINES: usize = 16;

/// The lines of one tile, one address each.
#[derive(Clone, Copy)]
struct Listed([*mut u8; MOST_LINES]);

impl Lines for Listed {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        self.0[i]
    }
}

impl Addressing for Side<'_> {
    #[inline(always)]
    unsafe fn lines<T: RegisterTile>(self, first: usize, count: usize, cells: usize) -> impl Lines {
        const { assert!(T::LONGEST <= MOST_LINES) };
        let side = self.moved((cells * T::CELL) as isize);
        let mut lines = [core::ptr::null_mut(); MOST_LINES];
        for (i, line) in lines[..count].iter_mut().enumerate() {
            // SAFETY: shape: the caller has `count` rows from `first` on.
            *line = unsafe { side.rows.at(side.base, first + i) };
        }
        Listed(lines)
    }
}

/// Moves a panel tile by tile; the last tile of a direction overlaps the one before it.
///
/// # Safety
/// The contract of the crate, with a transposed panel of `T::CELL` byte cells that has at least
/// `tile.rows()` rows and `tile.cols()` columns; the ISA of the tile is enabled where this is
/// inlined.
#[inline(always)]
pub(super) unsafe fn walk<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    match (panel.src.rows, panel.dst.rows) {
        (Rows::Stride(src), Rows::Stride(dst)) => {
            let side = |base, stride| Strided { base, stride };
            let (src, dst) = (side(panel.src.base, src), side(panel.dst.base, dst));
            // SAFETY: passed on; rows at a stride need no table.
            unsafe { bands(panel.rows, panel.cols, tile, src, dst) }
        }
        // SAFETY: passed on; the tables have an entry for each row of their side (contract).
        _ => unsafe { bands(panel.rows, panel.cols, tile, panel.src, panel.dst) },
    }
}

/// The loops of [`walk`]. Places are clamped, so that the last tile ends where the panel ends.
///
/// # Safety
/// As [`walk`]; `src` and `dst` address the `cols` and `rows` rows of the panel's sides.
#[inline(always)]
unsafe fn bands<T: RegisterTile>(
    rows: usize,
    cols: usize,
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
) {
    let band = BAND_BYTES / T::CELL;
    let (last_r, last_c) = (rows - tile.rows(), cols - tile.cols());
    for band_start in (0..cols).step_by(band) {
        let band_end = cols.min(band_start + band);
        for r in (0..rows).step_by(tile.rows()) {
            let r = r.min(last_r);
            for c in (band_start..band_end).step_by(tile.cols()) {
                let c = c.min(last_c);
                // SAFETY: shape and range: r + tile rows <= rows and c + tile cols <= cols, so all
                // lines are the panel's and all their cells inside it; aliasing: cells of the
                // panel's two sides do not overlap; ISA: passed on.
                unsafe {
                    let from = src.lines::<T>(c, tile.cols(), r);
                    let to = dst.lines::<T>(r, tile.rows(), c);
                    tile.transpose(from, to);
                }
            }
        }
    }
}
