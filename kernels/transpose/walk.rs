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

use super::lines::{Addressing, LINE, Lines, Settled, settle};
use crate::isa::prefetch;
use crate::panel::Panel;

/// A rectangle of cells transposed in registers: it reads `rows` cells of each of `cols` source
/// rows and writes `cols` cells of each of `rows` destination rows.
pub(super) trait RegisterTile: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Rows and columns of a whole tile, at most 16.
    const SIDE: usize;
    /// Lines of a destination row in a band, where destination rows start whole lines apart.
    const BAND: usize;
    /// The same where they do not, so that every border of a band cuts lines in two.
    const CUT_BAND: usize;

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
}

/// What the size and the strides of a panel say about the way through it.
#[derive(Clone, Copy)]
struct Course {
    /// Columns of the first band: what is left of a line, so that the others start at lines.
    first: usize,
    /// Columns of the other bands.
    band: usize,
    /// Whether the destination is prefetched.
    dst_ahead: bool,
    /// Whether the source is prefetched.
    src_ahead: bool,
}

/// Figures are ratios to memcpy of the same bytes in the same run, huge pages, on a 2-core AVX-512
/// server VM with 2 MiB of second-level cache.
impl Course {
    /// Where the destination is prefetched: panels of 3 MiB a side and more. f32 of 2.3 MiB
    /// (768x768), AVX-512 tile: 0.82 of memcpy with, 0.81 without; of 3.8 MiB (1000x1000): 0.82,
    /// 0.57; of 16 MiB: 0.66, 0.32. 512x512: 0.58, 0.62.
    const DST_AHEAD_FROM: usize = 3 << 20;
    /// Where the source is prefetched as well: 24 MiB. f32 of 16 MiB, AVX-512 tile: 0.57 of memcpy
    /// with, 0.66 without; of 32 MiB: 0.68, 0.38; of 64 MiB: 0.52, 0.40.
    const SRC_AHEAD_FROM: usize = 24 << 20;
    /// Destination rows between a store and the prefetch that goes before it. 16 to 64 rows differ
    /// by less than the noise.
    const DST_ROWS: usize = 32;
    /// Bytes between a load and the prefetch that goes before it. 128, 256, 512 at 4096x4096: 0.43,
    /// 0.45, 0.42 of memcpy.
    const SRC_BYTES: usize = 256;

    /// Bands start where destination lines start, if one place does for all rows: f32 1024x1024, 16
    /// bytes off a line, AVX2 tile: 0.53 of memcpy, without 0.30; 256x256, AVX-512 tile: 0.58, 0.41.
    ///
    /// # Safety
    /// - Shape: `dst` addresses the rows of the panel, which are at least one.
    #[inline(always)]
    unsafe fn of<T: RegisterTile>(panel: &Panel<'_>, dst: impl Addressing) -> Self {
        let bytes = panel.rows * panel.cols * T::CELL;
        let (band, cut) = (T::BAND * LINE / T::CELL, T::CUT_BAND * LINE / T::CELL);
        // SAFETY: shape: passed on.
        let (first, band) = match unsafe { dst.phase(panel.rows) } {
            Some(0) => (band, band),
            Some(phase) if phase.is_multiple_of(T::CELL) && panel.cols >= 2 * band => {
                ((LINE - phase) / T::CELL, band)
            }
            _ => (cut, cut),
        };
        Self {
            first,
            band,
            dst_ahead: bytes >= Self::DST_AHEAD_FROM,
            src_ahead: bytes >= Self::SRC_AHEAD_FROM,
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
    unsafe { settle(panel, Bands { panel, tile }) }
}

/// [`bands`], to be done once the kinds of rows are settled.
struct Bands<'a, 'p, T> {
    panel: &'a Panel<'p>,
    tile: T,
}

impl<T: RegisterTile> Settled for Bands<'_, '_, T> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) {
        // SAFETY: passed on: src and dst address the rows of the panel's sides.
        unsafe { bands(self.panel, self.tile, src, dst) }
    }
}

/// The loops of [`walk`]. Places are clamped, so that the last tile ends where the panel ends.
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
    if rows == tile.rows() && cols == tile.cols() {
        // Nothing to walk: running a plan of f32 4x4 takes 8 ns this way, 13 through the loops below.
        // SAFETY: shape and range: the tile is the panel; aliasing: the panel's sides do not
        // overlap; ISA: passed on.
        return unsafe { tile.transpose(src.lines(0, cols, 0), dst.lines(0, rows, 0)) };
    }
    // SAFETY: shape: the panel has the rows of a tile, so at least one.
    let course = unsafe { Course::of::<T>(panel, dst) };
    let (mut start, mut end) = (0, course.first.min(cols));
    while start < cols {
        for r in (0..rows).step_by(tile.rows()) {
            if course.dst_ahead {
                let ahead = r + Course::DST_ROWS;
                for r in ahead..rows.min(ahead + tile.rows()) {
                    // SAFETY: shape: r is below rows.
                    let row = unsafe { dst.row(r) };
                    for byte in (start * T::CELL..end * T::CELL).step_by(LINE) {
                        prefetch(row.wrapping_add(byte));
                    }
                }
            }
            let r = r.min(rows - tile.rows());
            let new_lines = (r * T::CELL).is_multiple_of(LINE);
            for c in (start..end).step_by(tile.cols()) {
                let c = c.min(cols - tile.cols());
                // SAFETY: shape and range: r + tile rows <= rows and c + tile cols <= cols, so all
                // lines are the panel's and all their cells inside it; aliasing: cells of the
                // panel's two sides do not overlap; ISA: passed on.
                unsafe {
                    let from = src.lines(c, tile.cols(), r * T::CELL);
                    let to = dst.lines(r, tile.rows(), c * T::CELL);
                    if course.src_ahead && new_lines {
                        for i in 0..tile.cols() {
                            prefetch(from.at(i).wrapping_add(Course::SRC_BYTES));
                        }
                    }
                    tile.transpose(from, to);
                }
            }
        }
        (start, end) = (end, cols.min(end + course.band));
    }
}
