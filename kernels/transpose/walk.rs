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

use crate::isa::prefetch;
use crate::panel::{Panel, Rows, Side};

/// Bytes of a cache line: the unit of bands and prefetches.
const LINE: usize = 64;

/// A rectangle of cells transposed in registers: it reads `rows` cells of each of `cols` source
/// rows and writes `cols` cells of each of `rows` destination rows.
pub(super) trait RegisterTile: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Lines of a destination row in a band, where destination rows start whole lines apart.
    const BAND: usize;

    /// Destination rows of the tile: cells of a source row. Constant for a panel, at most 16.
    fn rows(self) -> usize;

    /// Cells of a destination row: source rows of the tile. Constant for a panel, at most 16.
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
    /// How the lines of a tile are held.
    type Lines: Lines;

    /// The start of row `i`.
    ///
    /// # Safety
    /// - Shape: row `i` exists.
    unsafe fn row(self, i: usize) -> *mut u8;

    /// The lines of a tile that start `bytes` into the `count` rows from `first` on.
    ///
    /// # Safety
    /// - Shape: those rows exist, and they are at most 16.
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Self::Lines;
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
    type Lines = Self;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.at(i) }
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, _: usize, bytes: usize) -> Self {
        // SAFETY: shape: the caller has a row `first`.
        let start = unsafe { self.row(first) };
        Self {
            base: start.wrapping_add(bytes),
            stride: self.stride,
        }
    }
}

/// The lines of one tile, one address each: what a table or a list is turned into, so that its kind
/// is asked for once per tile. The rest of the 16 are null and never asked for.
#[derive(Clone, Copy)]
struct Listed([*mut u8; 16]);

impl Lines for Listed {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        // SAFETY: shape: the tile has this line, so it is one of 16.
        unsafe { *self.0.get_unchecked(i) }
    }
}

impl Addressing for Side<'_> {
    type Lines = Listed;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.rows.at(self.base, i) }
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Listed {
        let mut lines = [core::ptr::null_mut(); 16];
        for (i, line) in lines.iter_mut().enumerate().take(count) {
            // SAFETY: shape: the caller has `count` rows from `first` on.
            *line = unsafe { self.row(first + i).wrapping_add(bytes) };
        }
        Listed(lines)
    }
}

/// What the size and the strides of a panel say about the way through it.
#[derive(Clone, Copy)]
struct Course {
    /// Columns of a band.
    band: usize,
    /// Whether the destination is prefetched.
    dst_ahead: bool,
    /// Whether the source is prefetched.
    src_ahead: bool,
}

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

    /// Where destination rows are not whole lines apart, every band border cuts lines in two, and
    /// bands are twice as wide: f32 4097x4095, AVX2 tile: 0.50 of memcpy instead of 0.36; portable
    /// tile 0.51 instead of 0.39.
    #[inline(always)]
    fn of<T: RegisterTile>(panel: &Panel<'_>) -> Self {
        let bytes = panel.rows * panel.cols * T::CELL;
        let whole_lines = match panel.dst.rows {
            Rows::Stride(stride) => stride.unsigned_abs().is_multiple_of(LINE),
            Rows::Offsets(_) | Rows::Pointers(..) => true, // *guess*: not worth reading the table
        };
        let lines = if whole_lines { T::BAND } else { 2 * T::BAND };
        Self {
            band: lines * LINE / T::CELL,
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
    let course = Course::of::<T>(panel);
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
            unsafe { bands(panel, course, tile, src, dst) }
        }
        // SAFETY: passed on; the tables have an entry for each row of their side (contract).
        _ => unsafe { bands(panel, course, tile, panel.src, panel.dst) },
    }
}

/// The loops of [`walk`]. Places are clamped, so that the last tile ends where the panel ends.
///
/// # Safety
/// As [`walk`]; `src` and `dst` address the rows of the panel's sides.
#[inline(always)]
unsafe fn bands<T: RegisterTile>(
    panel: &Panel<'_>,
    course: Course,
    tile: T,
    src: impl Addressing,
    dst: impl Addressing,
) {
    let (rows, cols) = (panel.rows, panel.cols);
    for start in (0..cols).step_by(course.band) {
        let end = cols.min(start + course.band);
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
    }
}
