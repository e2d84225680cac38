//! Blocks of a few bytes, with their cells in another order on either side.

use crate::plan::problem::Dim;

/// Whether [`filling`] may find some: what most copies fail to have is looked at first.
#[inline(always)]
pub(in crate::plan) fn may_fill(cell: usize, dims: &[Dim], (following, _): (usize, usize)) -> bool {
    let [first, second, others @ ..] = dims else {
        return false;
    };
    let bytes = cell.wrapping_mul(first.extent);
    let pairs = first.dst == cell as isize && second.dst == bytes as isize && bytes <= following;
    pairs && (first.src.unsigned_abs() == cell || !others.is_empty())
}

/// How many dimensions fill a block on both sides, if such blocks follow each other in the destination's next one:
/// of at most so many bytes if they do in the source as well, and if they do not.
#[inline]
pub(super) fn filling(
    cell: usize,
    dims: &[Dim],
    (following, any): (usize, usize),
) -> Option<usize> {
    let mut bytes = cell;
    for (inside, dim) in dims.iter().enumerate() {
        if dim.dst.unsigned_abs() != bytes || bytes > following {
            return None;
        }
        let most = match dim.src.unsigned_abs() == bytes {
            true => following,
            false => any,
        };
        if inside > 0 && bytes <= most && fills(cell, &dims[..inside], bytes) {
            let are_many = dim.extent >= least_blocks(cell, &dims[..inside], bytes);
            return are_many.then_some(inside);
        }
        bytes = bytes.checked_mul(dim.extent)?;
    }
    None
}

/// How many dimensions fill a block on both sides, and its bytes, `most` at most, if such blocks follow each other in
/// the next one on both sides.
pub(in crate::plan) fn following(cell: usize, dims: &[Dim], most: usize) -> Option<(usize, usize)> {
    let mut bytes = cell;
    for (inside, dim) in dims.iter().enumerate() {
        let end = bytes as isize;
        if dim.dst != end || bytes > most {
            return None;
        }
        if inside > 0 && dim.src == end && fills(cell, &dims[..inside], bytes) {
            return Some((inside, bytes));
        }
        bytes = bytes.checked_mul(dim.extent)?;
    }
    None
}

/// How many blocks of these dimensions are worth finding out where each of their cells goes, which takes 60 ns and
/// 2 for each cell. Tiles of transpositions take 3 to 12 ns a block, but ragged ones 10 to 50. Runs of a plan, ns,
/// without and with, Zen 4: f32 4x4, 16 blocks 107 and 121, 32 183 and 152; u8 8x8 111 and 178, 206 and 185; u8
/// 16x16, 32 blocks 379 and 776; f32 3x3, 8 blocks 90 and 93, 32 342 and 120; u8 3x16, 4 blocks 221 and 145.
fn least_blocks(cell: usize, dims: &[Dim], bytes: usize) -> usize {
    /// Cells of the side of the smallest tile.
    const TILE: usize = 4;
    let tiled = dims.len() > 1 && dims.iter().all(|dim| dim.extent.is_multiple_of(TILE));
    let cells = bytes / cell;
    if tiled {
        cells.max(16)
    } else {
        (cells / 4).max(8)
    }
}

/// Whether the cells of these dimensions, as many as there are in so many bytes, fill them in the source.
fn fills(cell: usize, dims: &[Dim], bytes: usize) -> bool {
    let mut end = cell;
    while end < bytes {
        let Some(next) = dims.iter().find(|dim| dim.src.unsigned_abs() == end) else {
            return false;
        };
        end *= next.extent;
    }
    true
}
