//! `channels` with AVX-512: a register is a line. The bytes of its lanes are loaded under a mask, a permute brings
//! those of each into it, a shuffle to their places, and the value comes between them.

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_broadcast_i32x4, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_or_si512, _mm512_permutexvar_epi32, _mm512_shuffle_epi8,
    _mm512_storeu_si512, _mm512_stream_si512,
};

use super::walk::{Spread, walk};
use super::{Channels, ChannelsRow, LANE};
use crate::isa::Isa;
use crate::panel::LINE;

/// For lanes of 4, 8 and 12 bytes, which four bytes go to each four of a line.
static FOURS: [[u32; LINE / 4]; 3] = {
    let (mut fours, mut i) = ([[0; LINE / 4]; 3], 0);
    while i < 3 * LINE / 4 {
        let (last, at) = (i / (LINE / 4), i % (LINE / 4));
        // What is beyond the lane's own comes from anywhere.
        let nth = if at % 4 < last { at % 4 } else { last };
        fours[last][at] = (at / 4 * (last + 1) + nth) as u32;
        i += 1;
    }
    fours
};

#[derive(Clone, Copy)]
struct Line {
    /// The source bytes of a line.
    loaded: u64,
    fours: __m512i,
    places: __m512i,
    value: __m512i,
}

/// The bits below `bytes`, from 1 to 64.
#[inline(always)]
fn first(bytes: usize) -> u64 {
    !0 >> (LINE - bytes)
}

impl Line {
    /// # Safety
    /// - Range: the bytes that the mask names can be read.
    /// - ISA: AVX-512 F and BW are enabled where this is inlined.
    #[inline(always)]
    unsafe fn made(self, src: *const u8, mask: u64) -> __m512i {
        // SAFETY: range: masked-out bytes are not accessed; ISA: passed on.
        unsafe {
            let bytes = _mm512_maskz_loadu_epi8(mask, src.cast());
            let lanes = _mm512_permutexvar_epi32(self.fours, bytes);
            _mm512_or_si512(_mm512_shuffle_epi8(lanes, self.places), self.value)
        }
    }
}

impl Spread for Line {
    #[inline(always)]
    fn beyond(_: usize) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn of(channels: &Channels) -> Self {
        // SAFETY: range: the tables are a line, places and value a lane; ISA: passed on.
        unsafe {
            let fours = &FOURS[channels.lane / 4 - 1];
            let lane =
                |lane: &[u8; LANE]| _mm512_broadcast_i32x4(_mm_loadu_si128(lane.as_ptr().cast()));
            Self {
                loaded: first(LINE / LANE * channels.lane),
                fours: _mm512_loadu_si512(fours.as_ptr().cast()),
                places: lane(&channels.places),
                value: lane(&channels.value),
            }
        }
    }

    #[inline(always)]
    unsafe fn line<const STREAMED: bool>(self, src: *const u8, dst: *mut u8) {
        // SAFETY: passed on.
        unsafe {
            let line = self.made(src, self.loaded);
            if STREAMED {
                _mm512_stream_si512(dst.cast(), line);
            } else {
                _mm512_storeu_si512(dst.cast(), line);
            }
        }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, dst: *mut u8, bytes: (usize, usize)) {
        // SAFETY: range: masked-out bytes are not accessed; the rest passed on.
        unsafe {
            let line = self.made(src, first(bytes.0));
            _mm512_mask_storeu_epi8(dst.cast(), first(bytes.1), line);
        }
    }
}

/// # Safety
/// The obligations of the family; ISA: what is enabled here.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached(channels: &Channels, src: *const u8, dst: *mut u8, pixels: usize) {
    // SAFETY: passed on.
    unsafe { walk::<Line, false>(channels, src, dst, pixels) }
}

/// # Safety
/// As [`cached`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn streamed(channels: &Channels, src: *const u8, dst: *mut u8, pixels: usize) {
    // SAFETY: passed on.
    unsafe { walk::<Line, true>(channels, src, dst, pixels) }
}

pub(super) static ROWS: &[ChannelsRow] = &[ChannelsRow {
    name: "channels-avx512",
    isa: Isa::Avx512,
    cached,
    streamed,
}];
