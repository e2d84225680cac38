//! Which destinations consist of pieces too short to be streamed.
//!
//! A file of its own because it holds for all families but transpositions, which put the lines together that their
//! rows cut.

use restride_kernels::{Family, Pairing};

use super::direct::StridedPanel;
use super::group::PanelDims;
use super::normalise::Form;

/// Whether a destination consists of pieces that lines are not cut of, with a gap or a row of another place after
/// each, and so short that it is better to write them through the caches: the ends of a piece are lines in part,
/// and what is streamed waits for each of them to be loaded.
pub(super) fn are_short(
    family: Family,
    panel: &StridedPanel,
    dealt: &PanelDims,
    normal: &Form<'_>,
    line: usize,
) -> bool {
    let row = panel.cols * panel.cell;
    let continued = panel.dst.stride == row as isize && !dealt.has_tables();
    let piece = if continued { panel.rows * row } else { row };
    let cut = || {
        let dims = normal.dims;
        let starts_vary = if continued {
            dealt.moves_on_in_parts(dims, line)
        } else {
            dealt.cuts_lines(dims, line)
        };
        starts_vary || !piece.is_multiple_of(line)
    };
    piece < least(family, panel) && cut()
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
fn least(family: Family, panel: &StridedPanel) -> usize {
    match (family, panel.pairing) {
        (Family::Run, _) => 128,
        (Family::Gather, Pairing::Straight) => 640,
        (Family::Fill, _) => 640,
        // Planes are written side by side: what counts is all of them.
        (Family::Interleave, _) if panel.rows < panel.cols => 4096 / panel.rows,
        (Family::Interleave, _) => 2048,
        _ => 0,
    }
}
