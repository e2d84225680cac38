//! Pixels and planes: which dimensions are such, and whether they are woven or moved as blocks.
//!
//! A file of its own because both the draft of a recipe and the group that it deals from ask for it.

use restride_kernels::Family;

use super::group::Grow;
use super::problem::Dim;

/// The longest short side of an interleave, in cells. Four planes, 32 MiB, ratio to the roof as an
/// interleave and as a transposition: f32 apart 1.00 and 0.51, together 1.01 and 0.52; f64 1.00 and
/// 0.98, 1.01 and 0.45.
pub(super) const INTERLEAVED: usize = 4;

/// The family of a crossed panel with so many rows and columns.
#[inline(always)]
pub(super) fn crossed_family(rows: usize, cols: usize) -> Family {
    if rows.min(cols) < INTERLEAVED {
        Family::Interleave
    } else {
        Family::Transpose
    }
}

/// Whether one side has pixels that follow each other, [as many as are worth it](woven_bytes), with all of a pixel in
/// planes on the other side; `a` is the dimension in which the source is contiguous, `b` that of the destination.
#[inline(always)]
pub(super) fn is_woven(cell: usize, a: Dim, b: Dim, line: usize) -> bool {
    const STEPS: [usize; INTERLEAVED - 1] = [2, 3, INTERLEAVED];
    let pixels_of = |planes: Dim, pixels: Dim, stride: isize| {
        // Short rows from last to first have no row of their own.
        let least = match (pixels.src < 0) == (pixels.dst < 0) {
            true => woven_bytes(cell, planes.extent, line),
            false => line,
        };
        planes.extent <= INTERLEAVED
            && pixels.extent * cell >= least
            && STEPS
                .iter()
                .any(|&step| step >= planes.extent && stride.unsigned_abs() == step * cell)
    };
    pixels_of(a, b, b.src) || pixels_of(b, a, a.dst)
}

/// Bytes of a row of all pixels of so many planes from which on they are woven. Patches of three planes to pixels, then
/// back, 1.2 MB, of the roof, otherwise and so, AVX-512 VBMI, then AVX2 (Xeon): u8 8 0.07 and 0.39, 0.05 and 0.22, 0.03
/// and 0.38, 0.03 and 0.23; 14 0.11 and 0.34, 0.12 and 0.36, 0.04 and 0.34, 0.06 and 0.35; 32 0.31 and 0.82, 0.20 and
/// 0.52, 0.12 and 0.84, 0.09 and 0.50; f32 8 0.14 and 0.45, 0.21 and 0.47, 0.12 and 0.47, 0.15 and 0.48. Alone, ns: u8
/// 8x3 77 and 17, 16x2 104 and 13. Not four of 4 bytes or more, which have tiles: f32 4x4 3.4 and 8, 4x8 8 and 10, 4x16
/// 11 and 19.
#[inline(always)]
fn woven_bytes(cell: usize, planes: usize, line: usize) -> usize {
    /// Bytes that are woven in half a register.
    const FEW: usize = 8;
    let tiles = planes == INTERLEAVED && cell >= 4;
    if tiles || !has_weaves(cell) {
        line
    } else {
        FEW
    }
}

/// Whether pixels and planes of such cells are woven in registers.
pub(super) fn has_weaves(cell: usize) -> bool {
    matches!(cell, 1 | 2 | 4 | 8)
}

/// Whether these are planes from so few pixels of three parts that a row for them has little to do where it streams: a
/// block. Of the roof, woven and as blocks, Xeon, patches of three planes back to planes: f32 16x16 0.43 and 0.60, u16
/// 32x32 0.38 and 0.45, u8 64x64 0.33 and 0.36. Not through the caches, u8 64x64 0.41 and 0.23, f32 16x16 0.45 and
/// 0.24; not of two or four, f32 four of 16x16 0.66 and 0.51, f64 two 0.93 and 0.72; nor to pixels, u8 64x64 0.56 and
/// 0.50, u16 32x32 0.49 and 0.46.
fn are_few_triples(cell: usize, planes: Dim, pixels: Dim, grow: Grow) -> bool {
    const FEW: usize = 256;
    let row = pixels.extent * cell;
    let streamed = grow.streaming && row >= grow.line;
    streamed && pixels.src.unsigned_abs() == 3 * cell && planes.extent * row <= FEW
}

/// Whether these are planes from short rows of pixels that have holes. Of the roof, woven and as blocks, 0.5 to 1 MB,
/// three planes of four (Xeon, AVX-512 VBMI): u8 8 0.19 and 0.26, 16 0.26 and 0.35, 40 0.30 and 0.32, u16 6 0.15 and 0.28,
/// f32 3 0.14 and 0.28, 8 0.34 and 0.46; not u8 64, 0.32 and 0.25.
fn are_short_with_holes(cell: usize, planes: Dim, pixels: Dim, line: usize) -> bool {
    let step = pixels.src.unsigned_abs();
    let holes = planes.extent * cell < step && step <= INTERLEAVED * cell;
    holes && pixels.extent * cell < line
}

/// Whether pixels and planes, of which `a` is the dimension where the source is contiguous, are rather moved as blocks, if
/// [they can be](super::PanelDims::gathered): of cells that are neither woven nor [taken as records](are_records), few
/// triples, or short rows with holes.
pub(super) fn are_rather_blocks(cell: usize, dims: &[Dim], a: usize, grow: Grow) -> bool {
    if has_weaves(cell) {
        let few = are_few_triples(cell, dims[a], dims[0], grow);
        return few || are_short_with_holes(cell, dims[a], dims[0], grow.line);
    }
    !are_records(cell, dims, a, grow)
}

/// Whether they follow each other in pixels of cells that kernels have records of. To pixels only where these are
/// written through the caches, as no such row streams, and are not pairs, of which blocks have two windows.
///
/// Of the roof, as blocks and so, again and again, then after all had been flushed, Xeon: 4 to 34 MB of pixels of 3, 6, and
/// 12 bytes a cell, 0.38 to 0.87 and 0.40 to 0.82, 0.62 to 0.90 and 0.46 to 0.52; pairs, 30 KB to 1 MB, 3 bytes 0.81 and
/// 0.62, 6 bytes 0.71 and 0.61, 0.78 and 0.60, 12 bytes 0.68 and 0.61, 0.89 and 0.86; pixels of three and four 0.60 and 0.59,
/// 0.69 and 0.60, 0.40 and 0.65, 0.58 and 0.64, 0.47 and 0.61.
fn are_records(cell: usize, dims: &[Dim], a: usize, grow: Grow) -> bool {
    let unit = cell as isize;
    let few = |channels: usize, stride: isize| {
        channels <= INTERLEAVED && stride == unit * channels as isize
    };
    let (from, to) = (dims[a], dims[0]);
    let apart = from.src == unit && few(from.extent, to.src);
    let together = to.dst == unit && to.extent > 2 && few(to.extent, from.dst);
    // Rows of blocks without masks do not stream either, and there are none of records of 12 bytes.
    let masks = grow.shuffled.masks;
    let records = matches!(cell, 3 | 6) || cell == 12 && masks;
    records && (apart || together && !(grow.streaming && masks))
}
