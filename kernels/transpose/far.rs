//! Large panels through the caches, both sides of which the second-level one does not hold: whole lines of the
//! source, each loaded once.
//!
//! A file of its own because nothing stays in the first-level cache here: a line that is come back to has left. A
//! band is a line of each destination row, and the source lines of a tile are asked for some tiles before.
//!
//! ```text
//!             src                                dst
//!   row c0    | 1  | n+1 | ..        row r0..   | 1  | 2  | 3  | ..
//!   row c1    | 2  | n+2 | ..        row r1..   | n+1| n+2| n+3| ..
//!   row c2    | 3  | n+3 | ..
//! ```

use super::lines::{Addressing, Lines, Pitched, strided};
use super::walk::{RegisterTile, move_tile};
use crate::cpu::by_amd;
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a panel's side from which on it is walked like this, if its source rows start where lines do: where they
/// do not, a tile takes two lines a row, and each is loaded twice. Of memcpy, by [`walk`](super::walk::walk) and like
/// this, Zen 4 with 1 MiB of second-level cache: f32 368x368, 0.78 and 0.87; 512x512, 0.46 and 0.58; 640x640, 0.61
/// and 0.67; 880x880, 0.65 and 0.76; f64 304x304, 0.76 and 0.88; 456x456, 0.70 and 0.84; 656x656, 0.68 and 0.77; but
/// f32 450x450, 0.62 and 0.58; 1000x1000, 0.69 and 0.57; f64 650x650, 0.67 and 0.55.
const LARGE: usize = 512 << 10;

/// The same if they start anywhere. f32 1100x1100, 0.42 and 0.48; 1260x1260, 0.24 and 0.35; f64 850x850, 0.37 and
/// 0.50. Where rows start where lines do: f32 1024x1024, 0.29 and 0.40; 1152x1152, 0.43 and 0.75; 1280x1280, 0.33 and
/// 0.68; f64 752x752, 0.60 and 0.79; 896x896, 0.38 and 0.66.
const HUGE: usize = 4 << 20;

/// From this many bytes on source lines are asked for: 4 tiles before and not, f32 880x880, 0.77 and 0.75; 1280x1280,
/// 0.64 and 0.45; 2, 8 and 16 tiles before, 0.58, 0.64 and 0.55.
const COLD: usize = 3 << 20;
/// Tiles between a load and the prefetch that goes before it.
const AHEAD: usize = 4;

/// Bytes of a row at least, on both sides. *Guess*: as far as the tiles that are asked for reach.
const LONG: usize = 8 * LINE;

/// The rows of both sides of a panel that is walked like this.
#[inline(always)]
pub(super) fn sides(panel: &Panel<'_>) -> Option<(Pitched, Pitched)> {
    let (Rows::Stride(from), Rows::Stride(to)) = (panel.src.rows, panel.dst.rows) else {
        return None;
    };
    let bytes = panel.rows * panel.cols * panel.cell;
    if bytes < LARGE || panel.rows.min(panel.cols) * panel.cell < LONG || !by_amd() {
        return None;
    }
    let (src, dst) = (panel.src.base, panel.dst.base);
    let at_lines = (src.addr() | from.unsigned_abs()).is_multiple_of(LINE);
    (bytes >= HUGE || at_lines).then(|| (strided(src, from), strided(dst, to)))
}

/// Moves a panel tile by tile; the last tile of a direction overlaps the one before it.
///
/// # Safety
/// As [`walk`](super::walk::walk), with the panel's [sides], and a tile of as many rows as columns, which are a line.
#[inline(always)]
pub(super) unsafe fn walk<T: RegisterTile>(
    panel: &Panel<'_>,
    (src, dst): (Pitched, Pitched),
    tile: T,
) {
    let Panel { rows, cols, .. } = *panel;
    let (last_row, last_col) = (rows - T::SIDE, cols - T::SIDE);
    let cold = rows * cols * T::CELL >= COLD;
    for r in (0..rows).step_by(T::SIDE) {
        for c in (0..cols).step_by(T::SIDE) {
            if cold {
                let ahead = c + AHEAD * T::SIDE;
                let (r, c) = match ahead < cols {
                    true => (r, ahead),
                    false => (r + T::SIDE, ahead - cols),
                };
                let (r, c) = (r.min(last_row), c.min(last_col));
                // SAFETY: shape: columns c to c + SIDE are the panel's, so their source rows exist.
                unsafe { ask(src.lines(c, T::SIDE, r * T::CELL), T::SIDE) };
            }
            let (r, c) = (r.min(last_row), c.min(last_col));
            // SAFETY: shape and range: the tile is inside the panel; aliasing, ISA: passed on.
            unsafe { move_tile(tile, src, dst, r, c) };
        }
    }
}

/// Asks for so many lines.
///
/// # Safety
/// - Shape: they exist.
#[inline(always)]
unsafe fn ask(lines: impl Lines, count: usize) {
    for i in 0..count {
        // SAFETY: shape: passed on; the address is only asked for.
        prefetch_second(unsafe { lines.at(i) });
    }
}
