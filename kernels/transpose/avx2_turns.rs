//! `transpose` with AVX2, streaming: tiles that fill one of [two stages](super::two_stages).

use super::avx2::Tile8x8;
use super::avx2_eight::Tile4x4 as Eights;
use super::avx2_one::Whole as Ones;
use super::avx2_sixteen::Tile4x4 as Sixteens;
use super::avx2_stream::Pair;
use super::avx2_two::Whole as Twos;
use super::two_stages::{Pace, rows};
use crate::fence::StreamFence;
use crate::panel::Panel;

/// Moves panels of single bytes.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn ones(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: passed on: tiles of up to 16 rows, short ones of which are a piece at most, stored in their order; ISA:
    // enabled here.
    unsafe { rows::<Pair, _>(panel, fence, pace, Ones) }
}

/// The same of 2-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn twos(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<Pair, _>(panel, fence, pace, Twos) }
}

/// The same of 4-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fours(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<Pair, _>(panel, fence, pace, Tile8x8) }
}

/// The same of 8-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn eights(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<Pair, _>(panel, fence, pace, Eights) }
}

/// The same of 16-byte cells.
///
/// # Safety
/// As [`rows`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sixteens(panel: &Panel<'_>, fence: &StreamFence<'_>, pace: Pace) {
    // SAFETY: as above.
    unsafe { rows::<Pair, _>(panel, fence, pace, Sixteens) }
}
