//! `transpose` with AVX2, streaming: panels of few columns, whose rows follow each other.
//!
//! Of the roof, streamed and through the caches, Zen 3: u16 3080x54, 53 of them, 0.36 and 0.21; 200x32, 1000 of
//! them, 0.55 and 0.35; u8 200x64, 0.48 and 0.27; 12544x64, 16 of them, 0.41 and 0.25. By tiles that overhang and, as
//! before, through the caches or by tiles that fit, Zen 5: u8 5 columns, 14 MiB, 0.20 and 0.18, 10 0.34 and 0.29, 15
//! 0.55 and 0.44, 24 0.46 and 0.35; u16 7 0.52 and 0.32, 12 0.62 and 0.31, 183 MiB 0.65 and 0.25, 15 0.66 and 0.61; f32
//! 5 0.48 and 0.42, 7 0.63 and 0.60.

use super::avx2::{Tile8x8, tiles};
use super::avx2_eight::tiles as eight_tiles;
use super::avx2_narrow::few_columns;
use super::avx2_sixteen::tiles as sixteen_tiles;
use super::avx2_stream::Pair;
use super::overhang::{SHORT, overhanging, short, short_rows};
use super::portable::{EIGHT, SIXTEEN};
use super::walk::walk;
use super::{avx2_one as one, avx2_turns as turns, avx2_two as two};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// # Safety
/// The contract of the crate, with a panel of 1-byte cells, of 16 rows and 4 columns or more.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn one_tiles(panel: &Panel<'_>) {
    // SAFETY: passed on: so many columns are a whole tile; ISA: AVX2 is enabled here.
    unsafe {
        match panel.cols {
            0..=7 => one::fours(panel),
            8..=15 => one::eights(panel),
            16..=31 => walk(panel, SIXTEEN),
            _ => one::tiles(panel),
        }
    }
}

/// The same of 2-byte cells.
///
/// # Safety
/// As [`one_tiles`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn two_tiles(panel: &Panel<'_>) {
    // SAFETY: as above.
    unsafe {
        match panel.cols {
            0..=7 => two::fours(panel),
            8..=15 => walk(panel, EIGHT),
            _ => two::tiles(panel),
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel of 4-byte cells, of 8 rows and 4 columns or more.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn four_tiles(panel: &Panel<'_>) {
    // SAFETY: passed on: 8 columns or more are a whole tile; ISA: AVX2 is enabled here.
    unsafe {
        if panel.cols < 8 {
            few_columns(panel);
        } else {
            tiles(panel);
        }
    }
}

/// Single bytes to the stage.
///
/// # Safety
/// As [`overhanging`], with a panel of 16 rows and 4 columns or more, and room for a line.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn ones_to_stage(panel: &Panel<'_>) {
    // SAFETY: passed on: tiles of up to 16 rows that store them in their order; ISA: AVX2 is enabled here.
    unsafe {
        match panel.cols {
            0..=4 => one::fours(panel),
            5..=8 => overhanging(panel, one::Eight),
            9..=16 => overhanging(panel, SIXTEEN),
            17..=32 => overhanging(panel, one::Whole),
            _ => one::tiles(panel),
        }
    }
}

/// The same of 2-byte cells.
///
/// # Safety
/// As [`ones_to_stage`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn twos_to_stage(panel: &Panel<'_>) {
    // SAFETY: as above.
    unsafe {
        match panel.cols {
            0..=4 => two::fours(panel),
            5..=8 => overhanging(panel, EIGHT),
            9..=16 => overhanging(panel, two::Whole),
            _ => two::tiles(panel),
        }
    }
}

/// The same of 4-byte cells.
///
/// # Safety
/// As [`ones_to_stage`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fours_to_stage(panel: &Panel<'_>) {
    // SAFETY: as above.
    unsafe {
        match panel.cols {
            0..=4 => few_columns(panel),
            5..=8 => overhanging(panel, Tile8x8),
            _ => tiles(panel),
        }
    }
}

pub(super) static ROWS: &[Row] = &[
    short!("transpose-1-avx2-16x4", 1, 4..=127, Avx2 "avx2" Pair, one_tiles, ones_to_stage, turns::ones),
    short!("transpose-2-avx2-16x4", 2, 4..=63, Avx2 "avx2" Pair, two_tiles, twos_to_stage, turns::twos),
    short!("transpose-4-avx2-16x4", 4, 4..=31, Avx2 "avx2" Pair, four_tiles, fours_to_stage, turns::fours),
    short!("transpose-8-avx2-16x4", 8, 4..=15, Avx2 "avx2" Pair, eight_tiles, eight_tiles, turns::eights),
    short!("transpose-16-avx2-16x4", 16, 4..=7, Avx2 "avx2" Pair, sixteen_tiles, sixteen_tiles, turns::sixteens),
];
