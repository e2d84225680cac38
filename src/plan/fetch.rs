//! Panels that are fetched: the lines of the next one are asked for before one is moved.
//!
//! Where a transposition, or a copy of short runs, is many small panels, and their rows lie far apart, the CPU
//! sees no stream to follow: f32 47x45, 2024 of them, ran at 0.23 of the roof through the caches and at 0.14
//! around them, and runs at 0.55 fetched. All figures are ratios to the roof on a 2-core server VM (Zen 4, AVX2
//! where nothing is said, 1 MiB of second-level cache, 32 MiB of third-level cache), one thread, huge pages,
//! 16 MiB a side where no other size is said.

use restride_kernels::{Cores, Family, Pairing, Row, has_next_band};

use super::direct::StridedPanel;
use super::group::PanelDims;
use super::normalise::Form;
use super::stores::{held_bytes, held_far, is_far, streaming_from};
use crate::machine::Facts;

/// Whether the next panel of those that `row` moves is fetched.
///
/// Not where the third-level cache holds both sides: 4 MiB in f32 32x33, 0.40 fetched and 0.47 not; 6 MiB,
/// 0.45 and 0.28; 12 MiB, 0.40 and 0.21. Not panels that would push each other out of the second-level cache:
/// an eighth of it is f32 160x162, 0.27 fetched and 0.23 not; 8 bytes 128x128, 0.39 and 0.28. And not tiny ones
/// that follow each other on both sides, which the CPU sees: f32 19x23, 0.42 and 0.60, 8 bytes 16x20, 0.53 and
/// 0.51; but 8 bytes 12x9 that are apart, 0.58 and 0.27. Whole panels in another order, with AVX-512, 16 MiB and 64:
/// f32 19x23, 0.38 and 0.26, 0.37 and 0.27; 8 bytes 12x9, 0.27 and 0.17, 0.28 and 0.20; u8 40x33, 0.30 and 0.22, 0.32
/// and 0.23; f32 12x11, 0.20 and 0.17; but less than 512 bytes, f32 9x8, 0.18 and 0.26. Runs of a line or two that
/// are apart as well: 65 of 66 bytes, 0.49 fetched and 0.38 not; 4160 of them, 0.35 and 0.29; 6600 of 100 bytes,
/// 0.41 and 0.35; but 65280 of 255 bytes, 0.48 and 0.52. Not a few of them, for which that takes longer than they do:
/// 2 of 48 bytes, 162416 times, 0.10 and 0.41; 4 of 32, 73728 times, 0.11 and 0.35 (Zen 5). Nor runs on Zen 5 at all: fetched
/// and not, 24 to 40 MB, 100 of 32 bytes 0.22 and 0.41, of 40 0.15 and 0.21, 272 of 24 0.16 and 0.25, 11 of 40 0.16 and 0.28.
///
/// Nor where a far one does (Xeon, AVX-512, 16 MiB): fetched and not, f32 161x162, 0.69 and 0.95; f64 127x129, 0.67 and
/// 0.95; 16 bytes 34x31, 0.62 and 0.75; u16 202x203, 0.63 and 0.79; f32 47x45 far apart, 0.64 and 0.81; f64 108x156 of
/// tables, 0.63 and 0.93. Out of it, 130 MiB of f32 47x45, 0.42 and 0.21.
pub(super) fn fetches(
    row: &Row,
    panel: &StridedPanel,
    dealt: &PanelDims,
    normal: &Form<'_>,
    facts: &Facts,
) -> bool {
    are_small(row, panel, dealt, normal, facts) && !held_far(normal.bytes, facts)
}

/// Whether panels that `row` moves are small and many, and lie so that the CPU does not see where they lead.
pub(super) fn are_small(
    row: &Row,
    panel: &StridedPanel,
    dealt: &PanelDims,
    normal: &Form<'_>,
    facts: &Facts,
) -> bool {
    /// Bytes of a panel from which on it is not tiny: u8 63x66, 0.50 fetched and 0.32 not.
    const TINY: usize = 4 << 10;
    /// Bytes from which on it pays to ask for one that the CPU does not see, and for short runs.
    const FEW: usize = 512;
    let short = panel.cols < 2 * facts.caches.line && reads_apart(panel);
    let bytes = panel.bytes();
    let pieces = match row.family {
        Family::Transpose => true,
        Family::Run => short && bytes >= FEW && facts.cores != Cores::FromZen5,
        _ => false,
    };
    let listed = normal.listed.or(normal.listed_dst).is_some();
    let apart = dealt.has_tables() || listed || reads_apart(panel) || writes_apart(panel);
    let jumps = bytes >= FEW && !dealt.follows(normal.dims, bytes);
    pieces
        && !row.streams()
        && normal.bytes >= streaming_from(normal, facts)
        && (apart || bytes >= TINY || jumps)
        && bytes <= facts.caches.l2 / 8
        && dealt.leaves(normal.dims)
}

/// Whether a transposition is better off with cached stores by `row` and panels that are small, `panel`
/// being one of those and fetched where that pays, than `streamed`: where pieces of the source are short, so that
/// panels are small, and destination rows are apart, and one line or cut lines. Not where the third-level cache holds both sides, nor where
/// what would be streamed is some bands long: with AVX2 on Zen 4 some of those gained by being fetched, on Zen 3 all
/// lose, f32 [3, 2, 1, 0] of 44 to 47 0.18 fetched and 0.50 streamed, [1, 3, 2, 0] 0.20 and 0.40, [0, 3, 2, 1] 0.20 and
/// 0.37; u16 of 53 to 56 0.15 and 0.30, u8 of 63 to 66 0.15 and 0.25, [3, 1, 0, 2] 0.13 and 0.28; f64 3^15 reversed
/// 0.14 and 0.50; 47x900x45 reversed 0.17 and 0.24.
///
/// Fetched and streamed, 16 MiB a side and 90: u8 63x64 0.37 and 0.15, 0.53 and 0.18; u16 56x54 0.60 and
/// 0.22, 0.44 and 0.25; u16 56x275 0.28 and 0.21 (90); f32 47x45 0.54 and 0.14, 0.34 and 0.20; f32 24x500
/// 0.37 and 0.26. Longer pieces: f32 100x20 0.32 and 0.43. Wider cells: f64 40x38 0.38 and 0.54 or,
/// dimensions in another order, 0.53 and 0.34. Where destination rows follow each other: u16 0.59 and 0.22,
/// 0.48 and 0.23; f32 0.45 and 0.46, 0.40 and 0.50; source rows as well, u16 0.38 and 0.42, 0.39 and 0.46.
/// Rows of one line: f32 47x16 0.37 and 0.20; of two, 47x32 0.42 and 0.51. Groups of dimensions that make
/// large panels: f32 154x156 0.28 and 0.11, 154x210 0.27 and 0.37. Where tiles move much more than the
/// panel: u8 66x65 in tiles of 16x64 0.13 and 0.26 (AVX-512: in tiles of 16x32 0.32 and 0.16; rows that share
/// sets of the caches, all but a byte of a page apart, 0.18 and 0.26; 66x63 of those 0.30 and 0.15).
///
/// The same on that VM with AVX-512, 5 MiB a side, 9, 13, 16 and 90: f32 47x45 0.31 and 0.40, 0.43 and 0.34, 0.49
/// and 0.14, 0.45 and 0.12, 0.43 and 0.18; u16 56x54 0.21 and 0.32, 0.47 and 0.18, 0.43 and 0.19, 0.61 and 0.24,
/// 0.51 and 0.24; u8 66x64, 16 and 90, 0.30 and 0.17, 0.26 and 0.17. Least, 16 MiB: u16 180x210 0.26 and 0.36, f32
/// 47x45 reversed 0.53 and 0.66. A Xeon whose third-level cache holds them streams such panels of 16 MiB at 0.4 to
/// 0.9. Nor where what would be streamed is some bands long, in which the next one is asked for: f32 47x44 and
/// 47x1980, 0.40 and 0.60; u16 0.41 and 0.52; 56x54 and 2968x2970, 0.55 and 0.74; f32 19x483 and 19x10626, 0.41 and
/// 0.50; but short source rows that lie apart, u8 66x64 and 66x4032 0.43 and 0.20, u16 22x650 and 22x15600 0.44 and
/// 0.37; rows that follow each other, u8 66x63 and 66x4032 0.39 and 0.53.
///
/// Pieces of up to 96 bytes are short, whatever the cells, and those of up to 32 cells even where they follow each
/// other: f32 19x483 0.53 and 0.34, u16 15x156 0.40 and 0.21, f32 14x132 0.38 and 0.31, f64 12x90 0.49 and 0.32; but
/// panels of 96 KiB and more, f32 154x156 0.22 and 0.31, f64 0.21 and 0.42.
///
/// Where the third-level cache is far, and does not hold both sides, pieces of any length do, and some bands. Fetched
/// and streamed, Xeon, AVX-512, 32 MiB: f32 47x45 0.43 and 0.21; 50 to 350 MiB: f32 47x45 0.43 and 0.21, 100x20 0.43 and
/// 0.20, 75x77 0.51 and 0.32, 127x250 0.41 and 0.33, 60x500 0.40 and 0.31; f64 31x33 0.57 and 0.26, 60x62 0.50 and
/// 0.46; u16 100x130 0.39 and 0.30, 150x151 0.45 and 0.26; u8 63x66 0.31 and 0.13, 300x301 0.40 and 0.23; but rows of
/// five bands and more, f32 170x171 0.43 and 0.47, 250x127 0.38 and 0.49, f64 127x121 0.41 and 0.50.
///
/// Zen 5, which asks for short rows that lie apart when it reads those some bands before them, where rows are some
/// bands long, 16 MiB, again and again, and after all had been flushed: u16 22x624 0.41 and 0.55, 0.47 and 0.58; f32
/// 0.48 and 0.66, 0.49 and 0.82; f64 12x90 0.43 and 0.65, 0.48 and 0.72; u8 0.37 and 0.47, 0.46 and 0.53; but rows of
/// less, u16 56x55 0.56 and 0.40, u8 0.40 and 0.23.
///
/// Zen 3, where rows are pieces of a line and more, 16 MiB, again and again, and after a streaming copy, orders of four axes
/// of 45 to 65: [1, 3, 2, 0], u8 64 bytes 0.23 and 0.38, 0.26 and 0.40, 66 0.29 and 0.62, 0.27 and 0.51, 90 0.25 and 0.39,
/// 0.23 and 0.37; u16 64 0.22 and 0.45 both ways, 80 0.20 and 0.35, 0.22 and 0.41, 96 0.21 and 0.31, 0.20 and 0.29; f32 96
/// 0.34 and 0.40, 0.37 and 0.35; [3, 0, 2, 1], u16 72 0.20 and 0.36, 0.22 and 0.41; but of 44 bytes u16 0.34 and 0.17.
///
/// Where it holds them, what is cached need not be there. Long rows whose pieces of the source are short, through the
/// caches, not fetched, and streamed, 16 MiB, again and again, and after all had been flushed: f32 19x483 0.90 and 0.77,
/// 0.47 and 0.75; u16 22x650 0.87 and 0.68, 0.48 and 0.70; u8 26x870 0.72 and 0.61, 0.26 and 0.59; f64 108x110 of tables
/// 0.93 and 0.81, 0.26 and 0.62; others 0.49 to 0.60 and 0.63 to 0.85, again and again.
pub(super) fn beats_streaming(
    (row, panel): (&Row, &StridedPanel),
    streamed: &StridedPanel,
    dealt: &PanelDims,
    normal: &Form<'_>,
    facts: &Facts,
) -> bool {
    /// Bytes of a piece up to which it is short, whatever the cells.
    const SHORT: usize = 96;
    /// Cells up to which it is, even if the next one follows it.
    const FEW: usize = 32;
    /// Bands of a row from which on it is streamed, where the third-level cache is near, and where it is far.
    const BANDS: usize = 2;
    const BANDS_FAR: usize = 5;
    let is_far = is_far(facts);
    let line = facts.caches.line;
    let (cells, tile) = (panel.rows * panel.cols, row.tile);
    let tiled = panel.rows.next_multiple_of(tile.rows) * panel.cols.next_multiple_of(tile.cols);
    let joined = dealt.cuts_lines(normal.dims, line) || panel.cols * panel.cell == line;
    let piece = dealt.rows.first.map_or(1, |dim| dim.extent) * panel.cell;
    let small_cells = |most| panel.cell <= most || piece <= SHORT;
    let apart = writes_apart(panel) || small_cells(2) && reads_apart(panel);
    let short = is_far || small_cells(4) && piece < 4 * line;
    let most = if near_pages(panel.dst.stride, line) {
        7
    } else {
        8
    };
    let share = if panel.cell >= 4 { 2 } else { 3 };
    let small = 32 * panel.bytes() <= share * facts.caches.l2 && 4 * tiled <= most * cells;
    let bands = streamed.cols * streamed.cell / (2 * line);
    let follow = !reads_apart(streamed) && streamed.rows > FEW;
    let short_row = match facts.cores {
        Cores::ToZen3 => line - 1,
        _ => SHORT,
    };
    let long = streamed.rows * streamed.cell > short_row || follow;
    let ahead = bands >= if is_far { BANDS_FAR } else { BANDS } && (long || asks_later(facts));
    let large = if is_far {
        !held_far(normal.bytes, facts)
    } else {
        normal.bytes > 2 * held_bytes(facts)
    };
    large && !ahead && joined && apart && short && small
}

/// Whether a transposition of groups of dimensions is better off with cached stores in bands of one large panel, the
/// next of which kernels ask for, than streamed in panels whose source rows are short.
///
/// Streamed or in fetched panels, and so, of the roof, those for which that changes much of some two hundred permutations
/// of four to seven dimensions, of one to four bytes, 9 to 60 MiB (Zen 4, AVX-512): 0.15 and 0.31, 0.17 and 0.42, 0.21
/// and 0.46, 0.23 and 0.36, 0.26 and 0.36, 0.29 and 0.36, 0.31 and 0.54, 0.36 and 0.46, 0.40 and 0.50, 0.41 and 0.64, 0.51
/// and 0.56; 0.27 and 0.24, 0.47 and 0.45; but with streamed source rows of 5434 bytes, 0.57 and 0.44.
pub(super) fn bands_beat_streaming(
    panel: &StridedPanel,
    streamed: &StridedPanel,
    dealt: &PanelDims,
    line: usize,
) -> bool {
    let short = streamed.rows * streamed.cell < 4 * line;
    dealt.has_bands(panel.cell) && has_next_band(panel.rows, panel.cols, panel.cell) && short
}

/// Whether kernels ask for short rows that lie apart some bands before they read them, where the third-level cache is
/// near.
fn asks_later(facts: &Facts) -> bool {
    facts.cores == Cores::FromZen5
}

/// Whether rows so many bytes apart are less than a line from whole pages apart.
fn near_pages(stride: isize, line: usize) -> bool {
    const PAGE: usize = 4096;
    (stride.unsigned_abs() + line) % PAGE < 2 * line
}

/// Whether source rows do not follow each other.
fn reads_apart(panel: &StridedPanel) -> bool {
    let cells = match panel.pairing {
        Pairing::Straight => panel.cols,
        Pairing::Crossed => panel.rows,
    };
    panel.src.stride != (cells * panel.cell) as isize
}

/// Whether destination rows do not.
fn writes_apart(panel: &StridedPanel) -> bool {
    panel.dst.stride != (panel.cols * panel.cell) as isize
}

#[cfg(test)]
mod tests;
