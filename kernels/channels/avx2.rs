//! `channels` with AVX2: a register is two lanes, each loaded from where its own bytes start, so what lies behind them
//! is read as well. A shuffle brings them to their places, and the value comes between them.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_broadcastsi128_si256, _mm256_loadu2_m128i, _mm256_or_si256,
    _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_stream_si256,
};

use super::walk::{Spread, walk};
use super::{Channels, ChannelsRow, LANE};
use crate::isa::Isa;
use crate::panel::LINE;

/// Bytes of a register.
const REGISTER: usize = 2 * LANE;

#[derive(Clone, Copy)]
struct Pair {
    /// Source bytes of a lane.
    lane: usize,
    places: __m256i,
    value: __m256i,
}

impl Spread for Pair {
    #[inline(always)]
    fn beyond(lane: usize) -> usize {
        LANE - lane
    }

    #[inline(always)]
    unsafe fn of(channels: &Channels) -> Self {
        // SAFETY: range: places and value are a lane; ISA: passed on.
        unsafe {
            let both = |lane: &[u8; LANE]| {
                _mm256_broadcastsi128_si256(_mm_loadu_si128(lane.as_ptr().cast()))
            };
            Self {
                lane: channels.lane,
                places: both(&channels.places),
                value: both(&channels.value),
            }
        }
    }

    #[inline(always)]
    unsafe fn line<const STREAMED: bool>(self, src: *const u8, dst: *mut u8) {
        for i in 0..LINE / REGISTER {
            let from = src.wrapping_add(2 * i * self.lane);
            let to = dst.wrapping_add(i * REGISTER).cast();
            // SAFETY: passed on: the last lane is read to its end and beyond; ISA: passed on.
            unsafe {
                let lanes = _mm256_loadu2_m128i(from.wrapping_add(self.lane).cast(), from.cast());
                let made = _mm256_or_si256(_mm256_shuffle_epi8(lanes, self.places), self.value);
                if STREAMED {
                    _mm256_stream_si256(to, made);
                } else {
                    _mm256_storeu_si256(to, made);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, dst: *mut u8, bytes: (usize, usize)) {
        let (mut from, mut to) = ([0_u8; LINE], [0_u8; LINE]);
        // SAFETY: range: passed on, at most a line; a line of lanes and what is read beyond the last one is a line at
        // most; ISA: passed on.
        unsafe {
            src.copy_to_nonoverlapping(from.as_mut_ptr(), bytes.0);
            self.line::<false>(from.as_ptr(), to.as_mut_ptr());
            dst.copy_from_nonoverlapping(to.as_ptr(), bytes.1);
        }
    }
}

/// # Safety
/// The obligations of the family; ISA: what is enabled here.
#[target_feature(enable = "avx2")]
unsafe fn cached(channels: &Channels, src: *const u8, dst: *mut u8, pixels: usize) {
    // SAFETY: passed on.
    unsafe { walk::<Pair, false>(channels, src, dst, pixels) }
}

/// # Safety
/// As [`cached`].
#[target_feature(enable = "avx2")]
unsafe fn streamed(channels: &Channels, src: *const u8, dst: *mut u8, pixels: usize) {
    // SAFETY: passed on.
    unsafe { walk::<Pair, true>(channels, src, dst, pixels) }
}

pub(super) static ROWS: &[ChannelsRow] = &[ChannelsRow {
    name: "channels-avx2",
    isa: Isa::Avx2,
    cached,
    streamed,
}];
