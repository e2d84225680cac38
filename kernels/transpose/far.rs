//! Panels through the caches whose source lines do not stay in the first-level one until they are come back to:
//! whole lines of the source, each loaded once.
//!
//! A file of its own because of that. Either the second-level cache does not hold both sides, or source rows share few
//! sets. A band is a line of each destination row, and the source lines of a tile are asked for some tiles before:
//!
//! ```text
//!             src                                dst
//!   row c0    | 1  | n+1 | ..        row r0..   | 1  | 2  | 3  | ..
//!   row c1    | 2  | n+2 | ..        row r1..   | n+1| n+2| n+3| ..
//!   row c2    | 3  | n+3 | ..
//! ```
//!
//! Where source rows are about pages apart, and destination rows are not, some lines of each source row are copied
//! side by side first: a row that starts anywhere in a line has a line in two parts, which are two of few in a set.

use super::band_stage::{LONG, Stage};
use super::line::Line;
use super::lines::{Addressing, Lines, NEAR, Pitched, crowded, pages_apart, strided};
use super::walk::{RegisterTile, move_tile};
use crate::cpu::{by_amd, from_zen5};
use crate::isa::prefetch_second;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a panel's side from which on it is walked like this, if its source rows start where lines do: where they
/// do not, a tile takes two lines a row, and each is loaded twice. Of memcpy, by [`walk`](super::walk::walk) and like
/// this, Zen 4 with 1 MiB of second-level cache: f32 368x368, 0.78 and 0.87; 512x512, 0.46 and 0.58; 640x640, 0.61
/// and 0.67; 880x880, 0.65 and 0.76; f64 304x304, 0.76 and 0.88; 456x456, 0.70 and 0.84; 656x656, 0.68 and 0.77; but
/// f32 450x450, 0.62 and 0.58; 1000x1000, 0.69 and 0.57; f64 650x650, 0.67 and 0.55. Zen 5: f32 368x368 0.61 and 0.65,
/// 448x448 0.60 and 0.67, 768x768 0.72 and 0.71; f64 304x304 0.62 and 0.68, 456x456 0.79 and 0.89.
const LARGE: usize = 512 << 10;

/// The same if they start anywhere. f32 1100x1100, 0.42 and 0.48; 1260x1260, 0.24 and 0.35; f64 850x850, 0.37 and
/// 0.50. Where rows start where lines do: f32 1024x1024, 0.29 and 0.40; 1152x1152, 0.43 and 0.75; 1280x1280, 0.33 and
/// 0.68; f64 752x752, 0.60 and 0.79; 896x896, 0.38 and 0.66. None of them on Zen 5: f32 1100x1100 0.75 and 0.69,
/// 1152x1152 0.80 and 0.76, 1280x1280 0.74 and 0.72; f64 850x850 0.77 and 0.69, 896x896 0.81 and 0.75.
const HUGE: usize = 4 << 20;

/// From this many bytes on source lines are asked for: 4 tiles before and not, f32 880x880, 0.77 and 0.75; 1280x1280,
/// 0.64 and 0.45; 2, 8 and 16 tiles before, 0.58, 0.64 and 0.55. Not on Zen 5: 1024x1024 0.30 and 0.32, f64 656x656
/// 0.78 and 0.86.
const COLD: usize = 3 << 20;
/// Tiles between a load and the prefetch that goes before it.
const AHEAD: usize = 4;

/// Bytes of a panel's side from which on it is, if its source rows share few sets: *guess*, as less was not tried. Of
/// memcpy, by tiles of quarters and like this, Zen 4: f32 513x1025, 0.11 and 0.16; 129x1025, 0.19 and 0.24; 256x256,
/// 0.80 and 0.89; f64 257x513, 0.16 and 0.26; 513x513, 0.29 and 0.45; but f32 512x512, 0.61 and 0.59. Zen 5, from
/// [`LARGE`] on: f32 513x1025 0.17 and 0.28, 512x256 0.47 and 0.86, 1024x1024 0.20 and 0.30; f64 513x513 0.25 and 0.60,
/// 512x512 0.35 and 0.58; but f32 256x256 0.45 and 0.42, f64 0.42 and 0.38, f32 129x1025 level.
const CROWDED: usize = 64 << 10;

/// Bytes of a row at least, on both sides. *Guess*: as far as the tiles that are asked for reach.
const LEAST: usize = 8 * LINE;

/// From row to row of both sides, on AMD's cores: all of this is theirs. Asked first, as small panels out of the
/// caches wait for all that is asked before them: f32 47x45, 12 MiB of them, 0.68 and 0.88 of the roof (Xeon).
#[inline(always)]
fn strides(panel: &Panel<'_>) -> Option<(isize, isize)> {
    match (panel.src.rows, panel.dst.rows) {
        (Rows::Stride(from), Rows::Stride(to)) if by_amd() => Some((from, to)),
        _ => None,
    }
}

/// The rows of both sides of a panel that is walked like this.
#[inline(always)]
fn sides(panel: &Panel<'_>) -> Option<(Pitched, Pitched)> {
    let (from, to) = strides(panel)?;
    let bytes = panel.rows * panel.cols * panel.cell;
    let least = if from_zen5() { LARGE } else { CROWDED };
    let crowds = bytes >= least && crowded(from.unsigned_abs(), 2 * LINE / panel.cell);
    if bytes < LARGE && !crowds || panel.rows.min(panel.cols) * panel.cell < LEAST {
        return None;
    }
    let (src, dst) = (panel.src.base, panel.dst.base);
    let at_lines = (src.addr() | from.unsigned_abs()).is_multiple_of(LINE);
    let long = if from_zen5() {
        at_lines && bytes < HUGE
    } else {
        at_lines || bytes >= HUGE
    };
    (long || crowds).then(|| (strided(src, from), strided(dst, to)))
}

/// The rows of both sides of a panel that is moved by way of a stage. Of memcpy, without one and with it, Zen 4: f32
/// 129x1025, 0.24 and 0.34; 257x1025, 0.20 and 0.34; 1030x1023, 0.24 and 0.34; 400x2049, 0.30 and 0.43; 300x1024, 0.40
/// and 0.46; 64x64 of rows of 4100 bytes, 0.11 and 0.19; f64 129x513, 0.33 and 0.42; 65x1025, 0.38 and 0.54; 300x512,
/// 0.47 and 0.75; and by squares of one line, u8 300x4097, 0.17 and 0.30; 64x4097, 0.15 and 0.32; 300x4096, 0.30 and
/// 0.37; u16 300x2049, 0.19 and 0.39; 64x2047, 0.17 and 0.42; 300x2048, 0.33 and 0.47; AVX2, f32 257x1025, 0.15 and
/// 0.32; f64 129x513, 0.27 and 0.42; u8 300x4097, 0.09 and 0.31; 64x4097, 0.08 and 0.37; u16 300x2048, 0.17 and 0.46.
/// But where destination rows share sets as well, f64 1025x513, 0.43 and 0.30; 513x513, 0.45 and 0.30; and half a page
/// apart, f32 300x513, 0.54 and 0.44.
#[inline(always)]
fn near_pages(panel: &Panel<'_>) -> Option<(Pitched, Pitched)> {
    let (from, to) = strides(panel)?;
    let (line, high) = (LINE / panel.cell, LONG * LINE / panel.cell);
    let staged = pages_apart(&panel.src.rows, NEAR)
        && panel.rows >= high
        && panel.cols >= line
        && !crowded(to.unsigned_abs(), high);
    staged.then(|| (strided(panel.src.base, from), strided(panel.dst.base, to)))
}

/// Moves a panel by way of a stage of either side, if that is for it, and says so.
///
/// # Safety
/// As [`walk`](super::walk::walk), with a tile of whose rows and columns a line is some.
#[inline(always)]
pub(super) unsafe fn by_stage<L: Line, T: RegisterTile>(panel: &Panel<'_>, tile: T) -> bool {
    // SAFETY: passed on, with what was found of the panel.
    unsafe {
        if let Some(sides) = to_pages(panel) {
            together(panel, sides, tile);
        } else if let Some(sides) = near_pages(panel) {
            staged::<L, _>(panel, sides, tile);
        } else {
            return false;
        }
    }
    true
}

/// Lines of each destination row that are put together before they are written.
const TOGETHER: usize = 8;

/// The rows of both sides of a panel whose destination rows are whole pages apart, on Zen 5: lines that are written
/// one by one push each other out of the caches. So many lines of each row are put together first. Of memcpy, without
/// and so: f32 1024x1024 0.33 and 0.39, 300 rows of 4 KiB 0.22 and 0.60, 700 0.22 and 0.58, 64 0.12 and 0.42, 512 from
/// rows of 2 KiB 0.34 and 0.50; f64 512x300 0.38 and 0.69, 512x64 0.20 and 0.42, but where each line is loaded once,
/// 512x512 0.60 and 0.48, 1024x256 0.68 and 0.61. Loops in C with four lines and eight: f32 1024x1024 0.39 and 0.44,
/// from rows of 4352 bytes 0.64 and 0.72; from pages to rows of 4352 without and so 0.52 and 0.43, half a page apart
/// 0.63 and 0.61. On Zen 4 f32 1024x1024 gained nothing; others were not tried there.
#[inline(always)]
fn to_pages(panel: &Panel<'_>) -> Option<(Pitched, Pitched)> {
    let (from, to) = strides(panel)?;
    let pays = pages_apart(&panel.dst.rows, 0)
        && (panel.cell < 8 || sides(panel).is_none())
        && panel.rows >= LINE / panel.cell
        && panel.cols >= TOGETHER * LINE / panel.cell
        && panel.rows * panel.cols * panel.cell >= CROWDED
        && from_zen5();
    pays.then(|| (strided(panel.src.base, from), strided(panel.dst.base, to)))
}

/// Whether a panel is near, and is not moved by way of a stage.
#[inline(always)]
pub(super) fn is_near(panel: &Panel<'_>) -> bool {
    super::walk::is_near(panel) && !pages_apart(&panel.src.rows, NEAR)
}

/// A function that moves panels of a row which needs these features: those that are [near](is_near) the near way, others
/// by the first of the ways in between that says it has moved them, or else by the last one. What stands before the near
/// way is asked of all panels, where they are.
///
/// Each way is a function by itself: beside others the compiler keeps addresses of tiles on the stack, which small panels
/// wait for. In one function and in some, of the roof, Zen 4: f64 16x16 0.43 and 0.59, 32x32 0.63 and 0.68; f32 32x32
/// 0.54 and 0.62; batches of 20 MB, f32 16x16 0.67 and 0.92, f64 16x16 0.91 and 1.05.
macro_rules! ways {
    ($tiles:ident, $features:literal, |$panel:ident|
     $(first $first:expr;)? near $near:expr; $(or $way:expr;)* else $last:expr) => {
        /// # Safety
        /// The contract of the crate, with a panel this row takes.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $tiles($panel: &Panel<'_>) {
            // SAFETY: passed on: cells and tiles are those of the row, whose features are enabled in each way.
            unsafe {
                $(if $first {
                    return;
                })?
                if super::far::is_near($panel) {
                    return super::far::way!($features, |$panel| -> () { $near });
                }
                $(if super::far::way!($features, |$panel| -> bool { $way }) {
                    return;
                })*
                super::far::way!($features, |$panel| -> () { $last })
            }
        }
    };
}
pub(super) use ways;

/// [`ways`] of a row of AVX2 with this tile, by which near panels and others are walked like this; panels whose rows share
/// sets go by way of rows [aside](super::aside), near or not.
macro_rules! ways_of_avx2 {
    ($tiles:ident, $tile:expr, $near:ident, $far:ident) => {
        super::far::ways!(
            $tiles, "avx2", |panel|
            first super::aside::moved(panel, $tiles, false);
            near $near(panel, $tile);
            or super::far::by_stage::<super::avx2_stream::Pair, _>(panel, $tile);
            or super::along::moved(panel, $tile);
            else $far(panel, $tile)
        );
    };
}
pub(super) use ways_of_avx2;

/// Calls a function of its own, which does this.
macro_rules! way {
    ($features:literal, |$panel:ident| -> $answer:ty { $way:expr }) => {{
        /// # Safety
        /// The contract of the crate, with a panel that the row takes.
        #[target_feature(enable = $features)]
        #[inline(never)]
        unsafe fn way($panel: &Panel<'_>) -> $answer {
            // SAFETY: passed on; ISA: enabled here.
            unsafe { $way }
        }
        way($panel)
    }};
}
pub(super) use way;

/// Moves a panel in tiles that are squares of whole lines, if its lines do not stay, and says so.
///
/// # Safety
/// As [`walk`](super::walk::walk), with a tile of as many rows as columns, which are a line.
#[inline(always)]
pub(super) unsafe fn by_squares<T: RegisterTile>(panel: &Panel<'_>, tile: T) -> bool {
    let sides = sides(panel);
    if let Some(sides) = sides {
        // SAFETY: passed on, with what was found of the panel.
        unsafe { walk(panel, sides, tile) };
    }
    sides.is_some()
}

/// Moves a panel tile by tile; the last tile of a direction overlaps the one before it.
///
/// # Safety
/// As [`walk`](super::walk::walk), with the panel's [sides], and a tile of as many rows as columns, which are a line.
#[inline(always)]
unsafe fn walk<T: RegisterTile>(panel: &Panel<'_>, (src, dst): (Pitched, Pitched), tile: T) {
    let Panel { rows, cols, .. } = *panel;
    let (last_row, last_col) = (rows - T::SIDE, cols - T::SIDE);
    let cold = rows * cols * T::CELL >= COLD && !from_zen5();
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

/// Moves a panel tile by tile, as many side by side as are [`TOGETHER`] lines before their rows are written; the last
/// ones of a direction overlap those before them.
///
/// # Safety
/// As [`walk`], with the sides that are [to pages](to_pages), and a tile of whose rows and columns a line is some.
#[inline(always)]
unsafe fn together<T: RegisterTile>(panel: &Panel<'_>, (src, dst): (Pitched, Pitched), tile: T) {
    let Panel { rows, cols, .. } = *panel;
    let (high, wide) = (tile.rows(), TOGETHER * LINE / T::CELL);
    let (last_row, last_col) = (rows - high, cols - wide);
    let mut stage = Stage::new();
    for r in (0..rows).step_by(high) {
        let r = r.min(last_row);
        for c in (0..cols).step_by(wide) {
            let c = c.min(last_col);
            // SAFETY: shape and range: the tiles are inside the panel, and the stage holds so many lines of a tile's
            // rows; aliasing, ISA: passed on; alignment: none for bytes.
            unsafe {
                for left in (0..wide).step_by(tile.cols()) {
                    let from = src.lines(c + left, tile.cols(), r * T::CELL);
                    let mut to = stage.lines::<TOGETHER>(0, 0);
                    to.base = to.base.wrapping_add(left * T::CELL);
                    tile.transpose(from, to);
                }
                let to = dst.lines(r, high, c * T::CELL);
                for i in 0..high {
                    for byte in (0..TOGETHER * LINE).step_by(LINE) {
                        let from = stage.line::<TOGETHER>(i, 0).wrapping_add(byte);
                        let to = to.at(i).wrapping_add(byte);
                        core::ptr::copy_nonoverlapping(from, to, LINE);
                    }
                }
            }
        }
    }
}

/// [`walk`] where source rows are [near pages](near_pages) apart: [`LONG`] lines of each are copied side by side, and
/// transposed there.
///
/// # Safety
/// As [`walk`], with those sides, and a tile of whose rows and columns a line is some.
#[inline(always)]
unsafe fn staged<L: Line, T: RegisterTile>(
    panel: &Panel<'_>,
    (src, dst): (Pitched, Pitched),
    tile: T,
) {
    let Panel { rows, cols, .. } = *panel;
    let (wide, high) = (LINE / T::CELL, LONG * LINE / T::CELL);
    let (last_row, last_col) = (rows - high, cols - wide);
    let mut stage = Stage::new();
    for r in (0..rows).step_by(high) {
        for c in (0..cols).step_by(wide) {
            let next = match c + wide < cols {
                true => (r, c + wide),
                false => (r + high, 0),
            };
            let (r, c) = (r.min(last_row), c.min(last_col));
            let (next_r, next_c) = (next.0.min(last_row), next.1.min(last_col));
            // SAFETY: shape and range: the tiles are inside the panel, and so are lines of their columns, for which
            // the stage has room; those of the next ones are only asked for; alignment: rows of the stage start at
            // lines; aliasing, ISA: passed on.
            unsafe {
                let from = src.lines(c, wide, r * T::CELL);
                let ahead = src.lines(next_c, wide, next_r * T::CELL);
                let rows = wide / LONG;
                stage.fill::<L, LONG>(0, wide, from);
                for line in 0..LONG {
                    for i in line * rows..(line + 1) * rows {
                        // What begins in a line was asked for with the one before.
                        for end in 1..=LONG {
                            prefetch_second(ahead.at(i).wrapping_add(end * LINE - 1));
                        }
                    }
                    for left in (0..wide).step_by(tile.cols()) {
                        for block in (0..wide).step_by(tile.rows()) {
                            let mut from = stage.lines::<LONG>(left, line);
                            from.base = from.base.wrapping_add(block * T::CELL);
                            let row = r + line * wide + block;
                            let to = dst.lines(row, tile.rows(), (c + left) * T::CELL);
                            tile.transpose(from, to);
                        }
                    }
                }
            }
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
