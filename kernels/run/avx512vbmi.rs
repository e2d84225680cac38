//! `run` with permutes of the bytes of two registers: the line that two runs share is one of those.
//!
//! ```text
//!   | the end of a run |     | the start of the next |
//!             |<--- joined line --->|                     two loads of 64 bytes, and indices that go on from one to the other
//! ```

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_permutex2var_epi8, _mm512_stream_si512,
};

use super::avx512::{Zmm, streamed_by};
use super::line::{Line, Parts, Reach};
use crate::cpu::from_zen5;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// A 64-byte register whose bytes are permuted: as [`Zmm`], but for lines of two runs.
#[derive(Clone, Copy)]
struct Permuted;

/// Which bytes of two lines: 64 from any on.
static INDICES: [u8; 2 * LINE] = {
    let mut all = [0; 2 * LINE];
    let mut i = 0;
    while i < 2 * LINE {
        all[i] = i as u8;
        i += 1;
    }
    all
};

impl Line for Permuted {
    #[inline(always)]
    unsafe fn stream(src: *const u8, dst: *mut u8) {
        // SAFETY: passed on.
        unsafe { Zmm::stream(src, dst) }
    }

    #[inline(always)]
    unsafe fn join<const N: usize>(parts: Parts<N>, dst: *mut u8) {
        if parts.reach != Reach::Runs {
            // SAFETY: passed on.
            return unsafe { Zmm::join(parts, dst) };
        }
        let bytes = parts.ends[0];
        let end = parts.lines[0].wrapping_add(bytes).wrapping_sub(LINE);
        let start = parts.lines[1].wrapping_add(bytes);
        // SAFETY: range: a line before the end of the one run, and from the start of the other on (the reach); 64
        // indices from `64 - bytes` on, which is at most 63, are in the table of 128; aliasing: passed on; alignment:
        // unaligned loads, and dst starts a line; ISA: the caller has AVX-512 F and VBMI.
        unsafe {
            let indices = INDICES.as_ptr().wrapping_add(LINE - bytes);
            let (end, start) = (
                _mm512_loadu_si512(end.cast()),
                _mm512_loadu_si512(start.cast()),
            );
            let line = _mm512_permutex2var_epi8(end, _mm512_loadu_si512(indices.cast()), start);
            _mm512_stream_si512(dst.cast::<__m512i>(), line);
        }
    }
}

/// Lines of two runs by a permute on Zen 5, to which a masked load that crosses a line is dear. Of the roof, by masks, by
/// way of memory and so, 24 MiB: 428 bytes of 856 0.47, 0.78 and 0.83; 856 of 1712 0.58, 0.92 and 1.04; 1712 of 2140 0.93,
/// 1.19 and 1.26; 200 of 250 1.10, 0.96 and 1.14. Others were not asked.
///
/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn streamed(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; the row takes runs of a line and more; ISA: enabled here.
    unsafe {
        if from_zen5() {
            streamed_by::<Permuted>(panel, fence);
        } else {
            streamed_by::<Zmm>(panel, fence);
        }
    }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "run-1-avx512vbmi-2x64",
    family: Family::Run,
    cell: CellSize::Exact(1),
    isa: Isa::Avx512Vbmi,
    tile: Tile { rows: 2, cols: 64 },
    needs: |ask| ask.cols >= LINE,
    call: Call::Streaming {
        call: streamed,
        scratch: |_| 0,
    },
}];
