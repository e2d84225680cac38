//! Which destinations consist of pieces too short to be streamed.
//!
//! A file of its own because it holds for all families but transpositions of cells, which put the lines together that
//! their rows cut.

use restride_kernels::{Cores, Family, Pairing, Row};

use super::direct::StridedPanel;
use super::draft::RUN_BYTES;
use super::group::PanelDims;
use super::normalise::Form;
use super::stores::near_bytes;
use crate::machine::Facts;

/// Whether a destination consists of pieces that lines are not cut of, with a gap or a row of another place after
/// each, and so short that it is better to write them through the caches: the ends of a piece are lines in part,
/// and what is streamed waits for each of them to be loaded.
pub(super) fn are_short(
    row: &Row,
    panel: &StridedPanel,
    dealt: &PanelDims,
    normal: &Form<'_>,
    facts: &Facts,
) -> bool {
    let line = facts.caches.line;
    let bytes = panel.cols * panel.cell;
    // Planes, and rows of crossed runs and of pixels, have ends of their own, wherever the next one is.
    let ends = match row.family {
        Family::Interleave => panel.rows < panel.cols,
        Family::Gather => are_pixels(panel.cell),
        family => family == Family::Transpose,
    };
    let continued = panel.dst.stride == bytes as isize && !dealt.has_tables() && !ends;
    let piece = if continued { panel.rows * bytes } else { bytes };
    let cut = || {
        let dims = normal.dims;
        let starts_vary = if continued {
            dealt.moves_on_in_parts(dims, line)
        } else {
            dealt.cuts_lines(dims, line)
        };
        starts_vary || !piece.is_multiple_of(line)
    };
    let thin = row.family == Family::Run && is_thin(panel, continued, facts);
    thin || piece < least(row.family, panel, normal.bytes, facts) && cut()
}

/// Whether runs are read from a source of which whole lines are left out, and are so short that streaming them does not
/// pay on Zen 5: there what is streamed waits for lines that no other one announces.
///
/// Through the caches and streamed, in the mean of some of 20 to 60 MB, again and again, and after all had been flushed: 64
/// bytes of 128 0.73 and 0.68, 0.80 and 0.77, of 192 0.77 and 0.59, 0.84 and 0.63, short rows to 128 0.64 and 0.44, 0.73 and
/// 0.54; to one sequence, 96 of 288 0.69 and 0.43, 0.76 and 0.48, 128 of 384 0.83 and 0.53, 0.87 and 0.58, 192 of 576 0.82 and
/// 0.52, 0.90 and 0.56; but 128 of 256 0.84 and 0.97, 0.82 and 1.02; and to gaps, 128 of 256 0.67 and 0.80, 0.69 and 0.86, 192
/// of 384 0.56 and 0.83, 0.60 and 0.83.
fn is_thin(panel: &StridedPanel, continued: bool, facts: &Facts) -> bool {
    /// Bytes of a run of which nothing more is known.
    const LONG: usize = 256;
    let (line, bytes) = (facts.caches.line, panel.cols);
    let gap = panel.src.stride.unsigned_abs().saturating_sub(bytes);
    let short = bytes < 2 * line && gap >= line;
    let few = continued && bytes <= LONG && gap >= 2 * bytes;
    facts.cores == Cores::FromZen5 && (short || few)
}

/// Bytes of the shortest piece that is worth streaming.
///
/// Streamed and through the caches, of the roof, each piece 8 bytes after the one before, 96 MB, Zen 4 (the same at 16
/// MB): runs of 96 bytes 0.32 and 0.60, of 200 0.84 and 0.64; every second cell, 200 bytes 0.22 and 0.44, 520
/// 0.39 and 0.42, 728 0.45 and 0.39; backwards, 200 bytes 0.29 and 0.69, 520 0.32 and 0.39, 1000 0.36 and 0.36; one
/// row repeated, 200 bytes 0.37 and 1.1, 520 0.51 and 1.2, 728 1.1 and 1.1, 1000 0.87 and 1.0. Pixels to planes, u8:
/// two planes of 200 bytes 0.05 and 0.70, of 520 0.13 and 0.45, of 1000 0.25 and 0.42, of 2056 0.44 and 0.46, of
/// 2504 0.52 and 0.46; four of 200 bytes 0.09 and 0.57, of 1000 0.39 and 0.40, of 1480 0.53 and 0.43; three of
/// 300 bytes, rows of the planes of an image 0.10 and 0.65. Planes to pixels: rows of 400 bytes 0.24 and 0.65, of 900
/// 0.34 and 0.60, of 1040 0.36 and 0.42, of 2000 0.40 and 0.36, of 2080 0.40 and 0.38.
///
/// Zen 5, 16 MB, again and again, and after all had been flushed: two planes of 1608 bytes 0.27 and 0.62, 0.42 and 0.76,
/// of 2120 0.41 and 0.62, 0.62 and 0.75, of 3080 0.46 and 0.53, 0.84 and 0.78; three of 2004 0.52 and 0.59, 0.71 and 0.76,
/// of 2604 0.62 and 0.57, 0.84 and 0.80; four of 1444 0.41 and 0.49, 0.65 and 0.69, of 1804 0.52 and 0.55, 0.78 and 0.75.
/// Crossed runs, 7 MB: two of 56 bytes 0.29 and 0.73, 0.75 and 0.85, six 0.54 and 0.67, 0.81 and 0.69, eight 0.54 and 0.49,
/// 1.27 and 0.67; three of 140 0.54 and 0.61, 0.66 and 0.73; two of 200 0.71 and 0.69, 0.82 and 0.79; but 78 MB, two of 56
/// 0.84 and 0.69, five of 40 0.66 and 0.38.
///
/// Cut runs on Zen 5, streamed and through the caches, in the mean of some of 24 and 70 MB, again and again: 96 bytes whose
/// source has gaps 0.47 and 0.51, 160 0.56 and 0.54, 192 0.67 and 0.62, 224 0.66 and 0.59; whose source has none, 160 to every
/// 256 0.83 and 0.74, to every 320 0.83 and 0.68. Where two of the destination meet in a line, 160 of 200 0.53 and 0.67,
/// 224 of 280 0.69 and 0.71; but whole lines, 128 of 160 0.85 and 0.80.
fn least(family: Family, panel: &StridedPanel, bytes: usize, facts: &Facts) -> usize {
    let zen5 = facts.cores == Cores::FromZen5;
    match (family, panel.pairing) {
        (Family::Run, _) if zen5 && shares_lines(panel, facts.caches.line) => 256,
        (Family::Run, _) if zen5 && panel.src.stride.unsigned_abs() > panel.cols => 160,
        (Family::Run, _) => 128,
        (Family::Gather, Pairing::Straight) if are_pixels(panel.cell) => of_pixels(panel),
        (Family::Gather, Pairing::Straight) => 640,
        (Family::Fill, _) => 640,
        (Family::Interleave, _) if panel.rows < panel.cols && zen5 => 2560,
        // Planes are written side by side: what counts is all of them.
        (Family::Interleave, _) if panel.rows < panel.cols => 4096 / panel.rows,
        (Family::Interleave, _) => 2048,
        (Family::Transpose, _) if panel.cell >= RUN_BYTES && 2 * bytes <= near_bytes(facts) => 400,
        _ => 0,
    }
}

/// Whether cells of so many bytes are cut by lines, so that each row of them ends and starts on its own.
fn are_pixels(cell: usize) -> bool {
    !cell.is_power_of_two()
}

/// Bytes of the shortest row of pixels of three parts that is worth streaming, where the next one shares its last line.
///
/// Streamed and through the caches, 24 MB, Zen 5, again and again, and after all had been flushed. From last to first: u8,
/// 900 bytes 0.57 and 0.66, 0.63 both, 2700 0.82 and 0.76, 0.84 and 0.81; u16, 600 bytes 0.38 and 0.57, 0.40 and 0.61, 1800
/// 0.57 and 0.66, 0.63 and 0.77, 5400 0.80 and 0.73, 0.82 and 0.75; f32, 1200 bytes 0.48 and 0.64, 0.49 and 0.68, 3600 0.81
/// and 0.72, 0.86 and 0.79. Without a fourth part: u8, 300 bytes 0.21 and 0.69, 0.23 and 0.68, 900 0.69 and 0.85, 0.75 and
/// 0.81; u16, 1800 0.74 and 0.86, 0.84 and 0.78; f32, 1200 0.70 and 0.79, 0.79 both, 10800 0.92 both, 1.00 and 0.80. Every
/// second one: u8, 300 bytes 0.16 and 0.48, 0.21 and 0.55, 3900 0.59 and 0.75, 0.60 both; u16, 7800 0.52 and 0.64, 0.57 and
/// 0.66; f32, 10800 0.62 and 0.57, 0.59 both.
fn of_pixels(panel: &StridedPanel) -> usize {
    let halved = panel.src.step >= 2 * panel.cell as isize;
    if halved { 8 << 10 } else { 2 << 10 }
}

/// Whether a run that is not whole lines ends less than a line before the next one.
fn shares_lines(panel: &StridedPanel, line: usize) -> bool {
    let gap = panel.dst.stride.unsigned_abs().saturating_sub(panel.cols);
    (1..line).contains(&gap) && !panel.cols.is_multiple_of(line)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
