//! `transpose` with AVX-512, streaming: tiles that fill one of [two stages](super::two_stages).
//!
//! The widest ones, but where half of one would do, of the roof, Zen 5: by those of AVX2 and so, u8 63 columns 0.52 and
//! 0.69, f64 13 0.70 and 0.88, 16 bytes 6 0.82 and 1.02; but f32 5 0.49 and 0.31, 7 0.66 and 0.42.

use core::arch::x86_64::__m512i;

use super::avx2::Tile8x8;
use super::avx2_one::Whole as HalfOfOnes;
use super::avx2_two::Whole as HalfOfTwos;
use super::avx512::Tile16x16;
use super::avx512_cells_stream::{Ones, Twos};
use super::avx512_eight::Tile8x8 as Eights;
use super::avx512_one::WHOLE as LINE_OF_ONES;
use super::avx512_sixteen::Tile4x4 as Sixteens;
use super::avx512_two::WHOLE as LINE_OF_TWOS;
use super::two_stages::{Pace, rows};
use crate::fence::StreamFence;
use crate::panel::Panel;

/// Moves panels of single bytes.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn ones(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: passed on: tiles of 16 rows, short ones of which are a piece at most, stored in their order; ISA: enabled
    // here.
    unsafe {
        if panel.cols <= 32 {
            rows::<Ones, _>(panel, fence, pace, HalfOfOnes);
        } else {
            rows::<Ones, _>(panel, fence, pace, LINE_OF_ONES);
        }
    }
}

/// The same of 2-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn twos(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe {
        if panel.cols <= 16 {
            rows::<Twos, _>(panel, fence, pace, HalfOfTwos);
        } else {
            rows::<Twos, _>(panel, fence, pace, LINE_OF_TWOS);
        }
    }
}

/// The same of 4-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn fours(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe {
        if panel.cols <= 8 {
            rows::<__m512i, _>(panel, fence, pace, Tile8x8);
        } else {
            rows::<__m512i, _>(panel, fence, pace, Tile16x16);
        }
    }
}

/// The same of 8-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn eights(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<__m512i, _>(panel, fence, pace, Eights) }
}

/// The same of 16-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn sixteens(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<__m512i, _>(panel, fence, pace, Sixteens) }
}
