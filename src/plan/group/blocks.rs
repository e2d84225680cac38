//! Blocks of a few bytes, with their cells in another order on either side.

use restride_kernels::Shuffled;

use crate::plan::problem::Dim;

/// Whether [`filling`] may find some: what most copies fail to have is looked at first.
#[inline(always)]
pub(in crate::plan) fn may_fill(cell: usize, dims: &[Dim], most: Shuffled) -> bool {
    let [first, second, others @ ..] = dims else {
        return false;
    };
    let bytes = cell.wrapping_mul(first.extent);
    let pairs =
        first.dst == cell as isize && second.dst == bytes as isize && bytes <= most.following;
    pairs && (first.src.unsigned_abs() == cell || !others.is_empty())
}

/// How many dimensions fill a block on both sides, if such blocks follow each other in the destination's next one.
#[inline]
pub(in crate::plan) fn filling(cell: usize, dims: &[Dim], most: Shuffled) -> Option<usize> {
    let mut bytes = cell;
    for (inside, dim) in dims.iter().enumerate() {
        if dim.dst.unsigned_abs() != bytes || bytes > most.following {
            return None;
        }
        let follow = dim.src.unsigned_abs() == bytes;
        let most = if follow { most.following } else { most.apart };
        if inside > 0 && bytes <= most && fills(cell, &dims[..inside], bytes) {
            let enough = follow || dim.extent * bytes >= FEW_APART * cell;
            let are_many = enough && dim.extent >= least_blocks(cell, &dims[..inside], bytes);
            return are_many.then_some(inside);
        }
        bytes = bytes.checked_mul(dim.extent)?;
    }
    None
}

/// Cells of all blocks of a panel from which on it is worth finding out where those of a register go, where blocks are
/// loose, and where they are filled but apart in the source. Cell by cell and in blocks, of memcpy, Zen 5: a cell twice, u8
/// 100 0.06 and 0.08, 400 0.02 and 0.10; f32 100 0.08 and 0.13; three times, u8 48 0.08 and 0.09, 100 0.05 and 0.09; f32
/// 48 0.12 and 0.22; every second of three of seven, u8 48 0.10 and 0.11, 100 0.05 and 0.12; f32 48 0.11 and 0.12. RGBA to
/// BGR, u8 48 0.10 and 0.09, 100 0.08 and 0.10; f32 48 0.13 and 0.12, 100 0.14 and 0.16; f64 48 0.20 and 0.16, 100 0.32
/// and 0.33, 200 0.28 and 0.40.
const FEW_IN_ALL: usize = 144;
const FEW_APART: usize = 240;

/// From how many cells on loose blocks are worth finding out what is done to each.
struct Least {
    /// Cells of all blocks of a panel.
    in_all: usize,
    /// Cells that are blocks themselves.
    odd: usize,
}

impl Least {
    /// Of a panel.
    const OF_ONE: Self = Self {
        in_all: FEW_IN_ALL,
        odd: 256,
    };
    /// Of a panel that is one of [`MANY`]: that is found out once for all of them. A row of 100, ns, cell by cell and in
    /// blocks, Xeon, in AVX2: RGBA to BGR u8 10 pixels 19.5 and 13.7, u16 6 13.8 and 12.7, f32 4 11.1 and 13.6; a cell twice,
    /// u16 10 20.7 and 9.1; two of three, u16 6 12.4 and 19.5, 8 16.5 and 14.2. Pixels of RGB mirrored, 8 images of 28x224 and
    /// of 28x56, u8 0.19 and 0.046 us a row, 0.049 and 0.018, u16 0.19 and 0.075, 0.055 and 0.025; five of ten bytes, 56 of
    /// them, 0.056 and 0.026.
    const OF_MANY: Self = Self {
        in_all: 16,
        odd: 16,
    };
    /// The same with masks: RGBA to BGR f32 5 12.6 and 6.2; two of three, u16 7 13.9 and 6.1; of five, f32 4 9.8 both ways.
    const OF_MANY_MASKED: Self = Self {
        in_all: 12,
        ..Self::OF_MANY
    };
}

/// Panels that are many: *guess*.
const MANY: usize = 4;

/// How many dimensions are a block in the destination and loose in the source, if such blocks follow each other in the
/// destination's next one: as many as there may be. None are a block if cells are, and are no power of two. Where the
/// source is contiguous in another dimension than the destination, the `a`th and not 0, that one is inside of them.
///
/// Where a register holds few of their cells, that takes longer than cell by cell: *guess*. Cells themselves, as runs and
/// so, of memcpy, Zen 5: 256 of 5 of 8 bytes 0.11 and 0.15, 60000 0.14 and 0.54; of 9 of 16 0.30 and 0.32, 0.22 and 0.48;
/// 11 of 13 0.24 and 0.64; but 128 of 5 of 8 0.16 and 0.14; and two to a register, 20 of 24 0.45 and 0.33, 0.38 and 0.40.
/// Every second of 3 bytes, from last to first, and without a fourth one, have rows of their own.
#[inline]
pub(in crate::plan) fn loose(cell: usize, dims: &[Dim], a: usize, most: Shuffled) -> Option<usize> {
    loose_from(&Least::OF_ONE, cell, dims, a, most)
}

/// The same where panels are many, and may be smaller.
#[inline]
pub(in crate::plan) fn loose_of_many(cell: usize, dims: &[Dim], most: Shuffled) -> Option<usize> {
    let least = match most.masks {
        true => &Least::OF_MANY_MASKED,
        false => &Least::OF_MANY,
    };
    let found = loose_from(least, cell, dims, 0, most);
    found.filter(|&inside| {
        let mut others = dims[inside + 1..].iter().map(|dim| dim.extent);
        others
            .try_fold(1, usize::checked_mul)
            .is_none_or(|panels| panels >= MANY)
    })
}

/// [`loose`], from so many cells on.
#[inline(always)]
fn loose_from(least: &Least, cell: usize, dims: &[Dim], a: usize, most: Shuffled) -> Option<usize> {
    /// Cells of a register.
    const FEW: usize = 4;
    /// Cells of a register that are blocks.
    const FEW_TOGETHER: usize = 3;
    let (mut bytes, mut span, mut found) = (cell, cell, None);
    for (inside, dim) in dims.iter().enumerate() {
        if dim.dst != bytes as isize || bytes.max(span) > most.loose {
            break;
        }
        let apart = dim.src.unsigned_abs();
        let others = (most.loose - span).checked_div(apart).unwrap_or(most.loose);
        let together = (others + 1).min(most.loose / bytes);
        let cells = bytes / cell;
        let enough = match inside {
            0 => {
                let many = together >= FEW_TOGETHER && dim.extent >= least.odd;
                many && is_odd(cell, dim, most.triples)
            }
            _ => together * cells >= FEW && dim.extent * cells >= least.in_all,
        };
        if enough {
            found = Some(inside);
        }
        let reach = apart.saturating_mul(dim.extent - 1);
        bytes = bytes.saturating_mul(dim.extent);
        span = span.saturating_add(reach);
    }
    found.filter(|&inside| a < inside || a == 0)
}

/// Whether cells at such a step are runs, or picked one by one: not of a power of two, nor of three parts if those have rows
/// of their own, nor one that fills little. Filled with one cell, of memcpy, by rows for that and in blocks, Zen 5: 3 KB of
/// 7 bytes 0.42 and 0.34; 300 KB of 3 bytes 0.54 and 0.73, of 5 0.51 and 0.95; 6 MB 1.46 and 1.92, 1.44 and 2.51.
fn is_odd(cell: usize, dim: &Dim, triples: usize) -> bool {
    const FILLED: usize = 16 << 10;
    let pixels = cell.is_multiple_of(3) && (cell / 3).is_power_of_two() && cell / 3 >= triples;
    let (unit, step) = (cell as isize, dim.src);
    let own = pixels && (step == unit / 3 * 4 || step == -unit || step == 2 * unit);
    let little = step == 0 && dim.extent.saturating_mul(cell) < FILLED;
    !cell.is_power_of_two() && !own && !little
}

/// Blocks that follow each other in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) struct Batched {
    /// How many dimensions fill a block in the destination.
    pub(in crate::plan) inside: usize,
    /// Bytes of a block.
    pub(in crate::plan) bytes: usize,
    /// How many blocks in the next dimension are moved together.
    pub(in crate::plan) together: usize,
    /// Bytes of the piece of the source that these, and what is read next, fill; 0 if they fill none.
    pub(in crate::plan) region: usize,
    /// Whether a block is a row of which each source row has a cell.
    pub(in crate::plan) of_rows: bool,
}

impl Batched {
    /// Blocks that fill the source as well and follow each other there, if there are any, of so many bytes at most;
    /// together they have so many, or one does.
    pub(in crate::plan) fn on_both_sides(
        cell: usize,
        dims: &[Dim],
        most: usize,
        group: usize,
    ) -> Option<Self> {
        let mut bytes = cell;
        for (inside, dim) in dims.iter().enumerate() {
            let end = bytes as isize;
            if dim.dst != end || bytes > most {
                return None;
            }
            if inside > 0 && dim.src == end && fills(cell, &dims[..inside], bytes) {
                return Some(Self {
                    inside,
                    bytes,
                    together: (group / bytes).clamp(1, dim.extent),
                    region: bytes,
                    of_rows: false,
                });
            }
            bytes = bytes.checked_mul(dim.extent)?;
        }
        None
    }

    /// Blocks that are read with others in between, if there are any: the smallest ones of at least so many bytes,
    /// and at most, as many together as have up to `group` bytes and lie in a region of up to `region`.
    pub(in crate::plan) fn spread(
        cell: usize,
        dims: &[Dim],
        (least, most): (usize, usize),
        (group, region): (usize, usize),
    ) -> Option<Self> {
        let (mut bytes, mut reach, mut contiguous) = (cell, cell, false);
        for (inside, dim) in dims.iter().enumerate() {
            if dim.dst != bytes as isize || bytes > most {
                return None;
            }
            if contiguous && bytes >= least {
                let around = &dims[inside..];
                let found = |together: usize| {
                    let filled = filled(bytes, reach, together, around);
                    let region = filled.filter(|&filled| filled <= region)?;
                    Some(Self {
                        inside,
                        bytes,
                        together,
                        region,
                        of_rows: false,
                    })
                };
                let most = (group / bytes).clamp(1, dim.extent);
                return (1..=most).rev().find_map(found);
            }
            let src = usize::try_from(dim.src).ok().filter(|&src| src > 0)?;
            contiguous |= src == cell;
            reach = reach.max(src.checked_mul(dim.extent)?);
            bytes = bytes.checked_mul(dim.extent)?;
        }
        None
    }
}

impl Batched {
    /// Rows that follow each other in the destination, of which each source row has a cell: together all of them or as
    /// many as a stage is best with, which are whole lines of source rows, but no fewer than a tile has, as are those left
    /// over, which one kernel has to take as well.
    ///
    /// Source rows that follow each other are a region, of up to so many bytes.
    ///
    /// How many cells a row has, of the roof without and so, 16 MiB, after one call: u8 6 0.43 and 0.61, 8 0.49 and 0.71, 12
    /// 0.48 and 0.86, 16 0.57 and 0.92, 28 0.69 and 0.95, 40 0.65 and 0.97; but 4 1.04 both ways, 20 0.93 and 0.76, 24 0.95
    /// and 0.91; u16 5 0.53 and 0.82, 8 0.66 and 0.97, 12 0.70 and 0.85, 24 0.96 and 0.99; but 13 0.94 and 0.85, 18 0.91 and
    /// 0.80; f32 24 0.86 and 1.01, but 12 1.02 and 0.94, 16 1.00 both ways; f64 19 0.80 and 1.01, but 12 0.99 and 0.98.
    ///
    /// Of up to `most` bytes, three quarters of that where they are some of many: both halves of a stage, what is read and
    /// what is asked for share the first-level cache. 8 KiB, 12 and 16 of 48, of the roof (Xeon, 16 MiB, after one call):
    /// f32 45 columns 1.00, 0.97 and 0.94, 46 1.01, 0.88 and 0.79; f64 38 1.02, 0.99 and 0.96, 40 1.05, 1.00 and 0.94; u8
    /// 64 0.93, 0.86 and 0.78. Cells of source rows that are no whole line: u8 257 columns 0.54, without a stage 0.89. Not
    /// rows of whole lines, which are streamed as they are: f32 48 columns 0.99 and 0.96, f64 40 0.98 and 0.95; but one or
    /// two of narrow cells, u8 64 columns 0.89 and 0.95, 0.34 and 0.91 after all had been flushed, 128 0.95 and 0.95, 0.63
    /// and 0.65, u16 32 0.95 and 1.03, 0.92 and 1.03, 64 1.00 and 0.96, 0.54 and 0.88; u8 192 0.95 and 0.88. In a region
    /// cells may be no whole line: u8 255x257 0.62 and, 32 rows together, 0.87, 0.46 and 0.81 after all had been flushed.
    pub(in crate::plan) fn rows(
        cell: usize,
        dims: &[Dim],
        most: usize,
        region: usize,
        line: usize,
    ) -> Option<Self> {
        let [row, along, ..] = dims else {
            return None;
        };
        let next = cell as isize;
        let bytes = cell.checked_mul(row.extent)?;
        let crossed = row.dst == next && along.dst == bytes as isize && along.src == next;
        // Others fill their lines in registers, or by way of two stages.
        let columns = match cell {
            1 => matches!(row.extent, 5..17 | 28..),
            2 => matches!(row.extent, 5..13 | 24..),
            _ => row.extent >= 17,
        };
        let few = !columns || along.extent * cell < line;
        let whole = bytes.is_multiple_of(line) && (cell > 2 || bytes > 2 * line);
        if !crossed || few || row.src < 0 || whole {
            return None;
        }
        // Rows of the highest tile of such cells.
        let tile = match cell {
            1 | 4 => 16,
            2 | 8 => 8,
            _ => 4,
        };
        // The kernel that was chosen for all moves those left over, and may take no fewer: few columns in tiles that are
        // turned around, a line of each source row high, three bytes in tiles of eight.
        let least_left = match (cell, row.extent) {
            (1, ..=16) | (2, ..8) => line / cell,
            (3, _) => 8,
            _ => tile,
        };
        let all = bytes.checked_mul(along.extent).filter(|all| *all <= region);
        let region = all.filter(|_| row.src as usize == along.extent * cell);
        let together = if along.extent <= most / bytes {
            along.extent
        } else {
            // A region is in a cache, whatever is read of it at a time.
            let unit = match region {
                Some(_) => tile,
                None => (line / cell).max(1),
            };
            let least = tile.next_multiple_of(unit);
            let some = if least * bytes <= most {
                (most / 4 * 3 / bytes).max(least)
            } else {
                0
            };
            let left =
                |&rows: &usize| along.extent % rows == 0 || along.extent % rows >= least_left;
            let lines = (least / unit..=some / unit).rev().map(|n| n * unit);
            lines.chain((least..=some).rev()).find(left)?
        };
        (together >= tile).then_some(Self {
            inside: 1,
            bytes,
            together,
            region: region.unwrap_or(0),
            of_rows: true,
        })
    }
}

/// Bytes of the piece of the source that so many blocks in the first of `around` lie in, each of so many bytes, which
/// reach over `reach`: if they and those of the other dimensions in it fill it.
fn filled(bytes: usize, reach: usize, together: usize, around: &[Dim]) -> Option<usize> {
    let (along, others) = around.split_first()?;
    let (piece, others) = if together > 1 {
        let all = usize::try_from(along.src).ok()?.checked_mul(together)?;
        (reach.max(all), others)
    } else {
        (reach, around)
    };
    let in_it = |dim: &&Dim| (1..piece as isize).contains(&dim.src);
    let mut inside = others.iter().filter(in_it).map(|dim| dim.extent);
    let cells = inside.try_fold(bytes.checked_mul(together)?, usize::checked_mul)?;
    (cells == piece).then_some(piece)
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

#[cfg(test)]
mod tests;
