//! Panels that are put into a stage tile by tile, in turn with the lines that are streamed from it.
//!
//! A file of its own because a row that moves a whole panel streams nothing: what is done in the first-level
//! cache and what goes to memory take their times one after the other then. A core has room for some lines that wait to be
//! streamed, and goes on with what follows them. A tile and about as many lines as it fills are few enough that it is
//! never idle:
//!
//! ```text
//!   a block, then lines       | tiles of block 1 | lines of block 0        | tiles of block 2 | ..
//!   in turn                   | t l t l t l t l t l t l | t l t ..
//! ```

use super::Stage;
use super::pieces::Pieces;
use crate::cpu::{before_zen5, from_zen5};
use crate::panel::{LINE, Panel, Rows};
use crate::row::{Kernel, Tile, TileKernel};

/// Bytes of tiles that are large on Zen 5: eight lines.
const LARGE_TILE: usize = 8 * LINE;

/// Lines on Zen 5 at least between tiles. Of the roof, one, 8, 16, 32 and 64, in the mean of 66 kinds of batches:
/// 0.917, 0.944, 0.948, 0.910, 0.871; f64 30x32 1.29, 1.25, 1.10, 1.12, 0.99; u16 16 MiB [0, 1, 3, 2] 0.79, 0.91,
/// 0.96, 0.92, 0.88.
const IN_ONE_GO: usize = 16;

/// How a panel is put into a stage.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    kernel: TileKernel,
    /// Tiles of a panel.
    tiles: usize,
}

impl Turns {
    /// Tiles of a panel, each of which is followed by lines.
    #[must_use]
    #[inline(always)]
    pub fn tiles(&self) -> usize {
        self.tiles
    }

    /// What moves the tiles of panels like this one in turn with lines, where that is faster than all of it by `kernel`
    /// and then lines.
    ///
    /// A copy to a stage of 12 KiB in the first-level cache, that takes 12 cycles a line more than to load and store it:
    /// 28 GB/s with turns of up to eight lines, 24 of 32, 18 of 128; without that work 28 with each (Xeon). AMD's cores
    /// before Zen 5 were not asked.
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
        let pays = |kernel: &TileKernel| !before_zen5() && (!from_zen5() || slow(kernel.tile()));
        let tiles = kernel.tiles_of(panel).filter(pays);
        tiles.map(|kernel| Self::in_tiles(kernel, panel))
    }

    pub(super) fn in_tiles(kernel: TileKernel, panel: &Panel<'_>) -> Self {
        let tile = kernel.tile();
        let tiles = panel.rows.div_ceil(tile.rows) * panel.cols.div_ceil(tile.cols);
        Self { kernel, tiles }
    }
}

impl Stage<'_> {
    /// Moves the tiles of a panel, whose destination is the stage, and streams so many lines after each, or as many
    /// after some. Along the source rows, a band of them at a time; the last tile of a direction overlaps the one
    /// before it.
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
        let asks = (panel.cols * panel.rows * panel.cell / LINE).div_ceil(turns.tiles);
        assert!(
            panel.rows >= tile.rows && panel.cols >= tile.cols,
            "a panel has tiles"
        );
        // Lines that are streamed in one go at least, and that tiles have been moved for.
        let (least, mut owed) = (if from_zen5() { IN_ONE_GO } else { 1 }, 0);
        let (last_row, last_col) = (panel.rows - tile.rows, panel.cols - tile.cols);
        for c in (0..panel.cols).step_by(tile.cols) {
            let c = c.min(last_col);
            for r in (0..panel.rows).step_by(tile.rows) {
                let r = r.min(last_row);
                // SAFETY: shape: rows below those of the panel, which are strides; range: r + rows of a tile and c + its
                // columns are at most those of the panel; the rest is passed on.
                unsafe {
                    let src = panel.src.cell(c, r).cast_const();
                    kernel.run((src, from), (panel.dst.cell(r, c), to));
                    match &mut self.pieces {
                        Some(Pieces::Next(next)) => {
                            next.ask(
                                (src, from),
                                tile.cols,
                                r * panel.cell..(r + tile.rows) * panel.cell,
                            );
                        }
                        Some(Pieces::Segments(segments)) => segments.ask(panel, asks),
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
