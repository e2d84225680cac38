//! `transpose` with AVX-512, streaming: panels of few columns, whose rows follow each other. By tiles of AVX2, or by
//! ones that AVX2 has two of.
//!
//! By one stage, which [two](super::two_stages) leave them to: of the roof, by tiles of AVX2 that fit and by these, Zen
//! 5, u16 17 columns, 23 MiB, 0.52 and 0.56, 24 columns, 32 MiB 0.67 and 0.73, 366 MiB 0.45 and 0.79; f32 9 0.39 and
//! 0.41, 12 0.47 and 0.56, 183 MiB 0.53 and 0.75; f64 6 0.48 and 0.50, 183 MiB 0.44 and 0.69. Not columns that two tiles
//! of AVX2 cover: f32 16 0.74 and 0.68, f64 8 0.76 and 0.66. Nor single bytes: 40 columns, 23 MiB, 0.50 and 0.46, 153
//! MiB 0.65 and 0.71, 56 0.64 and 0.58.

use core::arch::x86_64::__m512i;

use super::avx2_eight::tiles as eight_tiles;
use super::avx2_short::{
    four_tiles, fours_to_stage, one_tiles, ones_to_stage, two_tiles, twos_to_stage,
};
use super::avx2_sixteen::tiles as sixteen_tiles;
use super::avx512::Tile16x16;
use super::avx512_cells_stream::{Ones, Twos};
use super::avx512_eight::Tile8x8;
use super::overhang::{SHORT, overhanging, short, short_rows};
use super::{avx512_one as one, avx512_turns as turns, avx512_two as two};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Single bytes through the caches.
///
/// # Safety
/// The contract of the crate, with a panel of 1-byte cells, of 16 rows and 4 columns or more.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn few_ones(panel: &Panel<'_>) {
    // SAFETY: passed on: so many rows and columns are a tile, whole or turned around; ISA: enabled here.
    unsafe {
        if panel.cols <= one::R && panel.rows >= one::N {
            one::tiles(panel);
        } else if (one::R..one::N / 2).contains(&panel.cols) {
            one::squares(panel);
        } else {
            one_tiles(panel);
        }
    }
}

/// The same of 2-byte cells.
///
/// # Safety
/// As [`few_ones`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn few_twos(panel: &Panel<'_>) {
    // SAFETY: as above.
    unsafe {
        if panel.rows >= two::N && panel.cols < two::R || panel.cols >= two::N / 2 {
            two::tiles(panel);
        } else {
            two_tiles(panel);
        }
    }
}

/// 2-byte cells to the stage.
///
/// # Safety
/// As [`overhanging`], with a panel of 16 rows and 4 columns or more, and room for a line.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn few_twos_to_stage(panel: &Panel<'_>) {
    // SAFETY: passed on: tiles of 8 rows that store them in their order; ISA: enabled here.
    unsafe {
        if (two::N / 2 + 1..=two::N).contains(&panel.cols) {
            overhanging(panel, two::WHOLE);
        } else {
            twos_to_stage(panel);
        }
    }
}

/// The same of 4-byte cells.
///
/// # Safety
/// As [`few_twos_to_stage`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn few_fours_to_stage(panel: &Panel<'_>) {
    // SAFETY: as above, of 16 rows.
    unsafe {
        if (9..16).contains(&panel.cols) {
            overhanging(panel, Tile16x16);
        } else {
            fours_to_stage(panel);
        }
    }
}

/// The same of 8-byte cells.
///
/// # Safety
/// As [`few_twos_to_stage`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn few_eights_to_stage(panel: &Panel<'_>) {
    // SAFETY: as above.
    unsafe {
        if panel.cols < 8 {
            overhanging(panel, Tile8x8);
        } else {
            eight_tiles(panel);
        }
    }
}

pub(super) static ROWS: &[Row] = &[
    short!("transpose-1-avx512-16x4", 1, 4..=127, Avx512 "avx512f,avx512bw,avx512vl" Ones, few_ones, ones_to_stage, turns::ones),
    short!("transpose-2-avx512-16x4", 2, 4..=63, Avx512 "avx512f,avx512bw,avx512vl" Twos, few_twos, few_twos_to_stage, turns::twos),
    short!("transpose-4-avx512-16x5", 4, 5..=31, Avx512 "avx512f,avx512bw,avx512vl" __m512i, four_tiles, few_fours_to_stage, turns::fours),
    short!("transpose-8-avx512-16x5", 8, 5..=15, Avx512 "avx512f,avx512bw,avx512vl" __m512i, eight_tiles, few_eights_to_stage, turns::eights),
    short!("transpose-16-avx512-16x5", 16, 5..=7, Avx512 "avx512f,avx512bw,avx512vl" __m512i, sixteen_tiles, sixteen_tiles, turns::sixteens),
];
