//! Panels that are put into a stage a few tiles at a time, in turn with the lines that are streamed from it.
//!
//! A file of its own because a row that moves a whole panel streams nothing: what is done in the first-level
//! cache and what goes to memory take their times one after the other then. A core has room for some lines that wait to be
//! streamed, and goes on with what follows them. Some tiles one above the other, a part of a strip, and about as many
//! lines as they fill are few enough that it is never idle:
//!
//! ```text
//!   a block, then lines       | tiles of block 1 | lines of block 0        | tiles of block 2 | ..
//!   in turn                   | t l t l t l t l t l t l | t l t ..
//! ```

use super::Stage;
use super::pieces::Pieces;
use crate::cpu::{from_zen5, to_zen3, zen4};
use crate::kernel::{Kernel, TileKernel};
use crate::panel::{LINE, Panel, Rows};
use crate::row::Tile;
use crate::transpose::few_columns;

/// Bytes of a panel that is large on Zen 3 and before: a stage of one, what waits to be streamed of the one before it, and the
/// source of both do not fit the first-level cache.
const LARGE_PANEL: usize = 10 << 10;

/// Bytes of tiles that are large on Zen 5: eight lines.
const LARGE_TILE: usize = 8 * LINE;

/// Lines on Zen 5 at least between tiles. Of the roof, one, 8, 16, 32 and 64, in the mean of 66 kinds of batches:
/// 0.917, 0.944, 0.948, 0.910, 0.871; f64 30x32 1.29, 1.25, 1.10, 1.12, 0.99; u16 16 MiB [0, 1, 3, 2] 0.79, 0.91,
/// 0.96, 0.92, 0.88.
const IN_ONE_GO: usize = 16;

/// Bytes of a part of a strip, unless a tile is more. Of the roof (Xeon), so many, twice and four times as many: 29 kinds of
/// batches 0.705, 0.697 and 0.705; 50 permutations 0.694, 0.698 and 0.681.
const PART: usize = 8 * LINE;

/// How a panel is put into a stage.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    kernel: TileKernel,
    /// Strips of a panel, each as wide as a tile.
    strips: usize,
    /// Columns that the last strip has more than the others.
    more: usize,
    parts: Parts,
    /// Lines of pieces that are asked for after a part.
    asks: usize,
}

/// Parts of a strip.
#[derive(Clone, Copy, Debug)]
struct Parts {
    count: usize,
    /// Rows of all but the last one, which are whole tiles.
    rows: usize,
    /// Where the last one starts, which has what is left over. It may overlap the one before it.
    last: usize,
    /// Rows of the strip.
    high: usize,
}

impl Parts {
    /// Parts of `high` rows, each of `rows` but for the last one, or of as many as are whole tiles of `tile` rows. What is
    /// left over is a part of its own where it is nearly one: of the roof (Xeon, 17 MB), with the part before it, alone
    /// where it is half of one, and so: f32 47x44, 15 rows of 16 are left, 0.78, 0.88 and 0.88; f64 20x16, 4 of 16, 0.88,
    /// 0.76 and 0.88.
    #[inline]
    fn of(high: usize, rows: usize, tile: usize) -> Self {
        let rows = rows.min(high / tile * tile);
        let (whole, left) = (high / rows, high % rows);
        let (count, last) = match 4 * left >= 3 * rows {
            true => (whole + 1, high - left.max(tile)),
            false => (whole, (whole - 1) * rows),
        };
        Self {
            count,
            rows,
            last,
            high,
        }
    }
}

impl Turns {
    /// Parts of a panel, each of which is followed by lines.
    #[must_use]
    #[inline(always)]
    pub fn parts(&self) -> usize {
        self.strips * self.parts.count
    }

    /// What moves the tiles of panels like this one in turn with lines, where that is faster than all of it by `kernel`
    /// and then lines.
    ///
    /// A copy to a stage of 12 KiB in the first-level cache, that takes 12 cycles a line more than to load and store it:
    /// 28 GB/s with turns of up to eight lines, 24 of 32, 18 of 128; without that work 28 with each (Xeon). Zen 4 was not
    /// asked. Zen 3 gains by panels beyond the first-level cache, of the roof, staged in one go and so, again and again, and
    /// after a streaming copy: f32 90x91 0.46 and 0.49, 0.47 and 0.51; 96x96 0.48 and 0.67, 0.48 and 0.62; f64 64x65 0.35
    /// and 0.45, 0.36 and 0.52; 16 bytes 45x46 0.50 and 0.71, 0.46 and 0.67; u16 128x128 0.39 and 0.69, 0.37 and 0.64; u8
    /// 192x192 0.45 and 0.65, 0.40 and 0.66. Eight lines at a time, 32 KiB to 128, gain less. By smaller ones it gains where
    /// all had been flushed, and loses again and again: f64 19x23 0.81 and 0.62.
    ///
    /// A Zen 5 core streams as fast as it does anything, after all of a panel, but where stores to the stage are slow:
    /// where they cross lines, and where tiles are large. Of the roof, after the panel and in turns: f64 24x24 0.74
    /// and 1.35, f32 32x32 0.68 and 1.38, 31x33 0.62 and 1.05, f64 23x25 0.83 and 1.26, 16 bytes 14x15 0.94 and 1.18,
    /// u8 80x80 0.68 and 1.29, 90x91 0.62 and 1.17; tiles of half a line whose stores end where lines and halves of
    /// them do: f64 20x16 0.92 and 0.48, f32 24x24 0.95 and 0.74; 16 bytes 12x12 1.01 and 0.77.
    #[must_use]
    pub fn of(kernel: &Kernel, panel: &Panel<'_>) -> Option<Self> {
        let slow = |tile: Tile| {
            let bytes = tile.cols * panel.cell;
            tile.rows * bytes >= LARGE_TILE || !(panel.cols * panel.cell).is_multiple_of(bytes)
        };
        let pays = |kernel: &TileKernel| match () {
            () if to_zen3() => panel.rows * panel.cols * panel.cell > LARGE_PANEL,
            () if from_zen5() => slow(kernel.tile()),
            () => !zen4(),
        };
        let tiles = kernel.tiles_of(panel).filter(pays);
        tiles.map(|kernel| Self::in_tiles(kernel, panel))
    }

    pub(super) fn in_tiles(kernel: TileKernel, panel: &Panel<'_>) -> Self {
        let tile = kernel.tile();
        let tiles = (PART / (tile.rows * tile.cols * panel.cell)).max(1);
        let more = few_columns(tile.cols, panel.cell, panel.cols);
        let strips = (panel.cols - more).div_ceil(tile.cols);
        let parts = Parts::of(panel.rows, tile.rows * tiles, tile.rows);
        let lines = panel.cols * panel.rows * panel.cell / LINE;
        Self {
            kernel,
            strips,
            more,
            parts,
            asks: lines.div_ceil(strips * parts.count),
        }
    }
}

impl Stage<'_> {
    /// Moves the strips of a panel, whose destination is the stage, and streams so many lines after each part of one, or
    /// as many after some. The last strip overlaps the one before it.
    ///
    /// # Panics
    /// If the rows of the panel are no strides, or it is smaller than a tile.
    ///
    /// # Safety
    /// As [`Kernel::run`], with a panel like the one that the turns were found for.
    #[inline]
    pub unsafe fn put(&mut self, turns: Turns, panel: &Panel<'_>, lines: usize) {
        let (Rows::Stride(from), Rows::Stride(to)) = (panel.src.rows, panel.dst.rows) else {
            unreachable!("rows of tiles are strides");
        };
        let (kernel, tile) = (turns.kernel, turns.kernel.tile());
        assert!(
            panel.rows >= tile.rows && panel.cols >= tile.cols,
            "a panel has tiles"
        );
        let parts = match panel.rows == turns.parts.high {
            true => turns.parts,
            // The last panel, which has fewer rows.
            false => Parts::of(panel.rows, turns.parts.rows, tile.rows),
        };
        // Lines that are streamed in one go at least, and that parts have been moved for.
        let (least, mut owed) = (if from_zen5() { IN_ONE_GO } else { 1 }, 0);
        for strip in 0..turns.strips {
            let (c, more) = match strip + 1 == turns.strips {
                true => (panel.cols - turns.more - tile.cols, turns.more),
                false => (strip * tile.cols, 0),
            };
            for part in 0..parts.count {
                let (r, rows) = match part + 1 == parts.count {
                    true => (parts.last, panel.rows - parts.last),
                    false => (part * parts.rows, parts.rows),
                };
                // SAFETY: shape: a part has the rows of a tile, which are strides; range: rows from r on and
                // these columns from c on are the panel's; the rest is passed on.
                unsafe {
                    let src = panel.src.cell(c, r).cast_const();
                    let (src, dst) = ((src, from), (panel.dst.cell(r, c), to));
                    if (rows, more) == (tile.rows, 0) {
                        kernel.run(src, dst);
                    } else {
                        kernel.run_strip(src, dst, (rows, more));
                    }
                    match &mut self.pieces {
                        Some(Pieces::Next(next)) => {
                            let bytes = r * panel.cell..(r + rows) * panel.cell;
                            next.ask(src, tile.cols + more, bytes);
                        }
                        Some(Pieces::Segments(segments)) => segments.ask(panel, turns.asks),
                        None => {}
                    }
                }
                owed += lines;
                if owed >= least {
                    self.stream(owed);
                    owed = 0;
                }
            }
        }
    }
}
