//! `run` with 32-byte vectors.
//!
//! ```text
//!   50 bytes   |<---- 32 ---->|           a streamed line   |<---- 32 ---->|<---- 32 ---->|
//!                    |<---- 32 ---->|
//! ```

use core::arch::x86_64::{
    __m256i, _mm256_blendv_epi8, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_stream_si256,
};
use core::mem::MaybeUninit;

use super::each::{Called, Few, Once, Sixteen, Times, TwoMoves, Vector, Vectors, each, only};
use super::line::{Line, Parts, Reach, piece};
use super::staged;
use super::stream;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Along, Call, CellSize, Family, Row, Tile};

/// A 32-byte register: half a line.
#[derive(Clone, Copy)]
pub(crate) struct Ymm;

impl Vector for Ymm {
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn copy(src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: passed on to the caller; alignment: unaligned accesses; ISA:
        // the caller has AVX2.
        unsafe { _mm256_storeu_si256(dst.cast(), _mm256_loadu_si256(src.cast())) }
    }
}

/// Which bytes of a line are before byte `i`: a line of this from `64 - i` on.
static BEFORE: [u8; 2 * LINE] = {
    let mut before = [0; 2 * LINE];
    let mut i = 0;
    while i < LINE {
        before[i] = u8::MAX;
        i += 1;
    }
    before
};

/// Where a line is put together before it is streamed.
#[repr(align(64))]
struct Joint(MaybeUninit<[u8; LINE]>);

impl Line for Ymm {
    #[inline(always)]
    unsafe fn stream(src: *const u8, dst: *mut u8) {
        let (src, dst) = (src.cast::<__m256i>(), dst.cast::<__m256i>());
        // SAFETY: range and aliasing: the two halves of a line, passed on to the caller; alignment:
        // unaligned loads, and dst starts a line; ISA: the caller has AVX2.
        unsafe {
            let (low, high) = (_mm256_loadu_si256(src), _mm256_loadu_si256(src.add(1)));
            _mm256_stream_si256(dst, low);
            _mm256_stream_si256(dst.add(1), high);
        }
    }

    #[inline(always)]
    unsafe fn join<const N: usize>(parts: Parts<N>, dst: *mut u8) {
        let Parts { lines, ends, reach } = parts;
        if reach != Reach::Lines {
            let mut joint = Joint(MaybeUninit::uninit());
            let line = joint.0.as_mut_ptr().cast::<u8>();
            let mut start = 0;
            for (part, end) in lines.into_iter().zip(ends) {
                if start < end {
                    // SAFETY: range: the bytes of the part, 1 to 64, as in the line, which is this function's own.
                    unsafe {
                        piece(
                            part.wrapping_add(start),
                            line.wrapping_add(start),
                            end - start,
                        )
                    };
                }
                start = end;
            }
            // SAFETY: range: the parts fill the line; aliasing: it is this function's own; alignment: dst starts a
            // line; ISA: passed on.
            return unsafe { Self::stream(line, dst) };
        }
        for half in [0, 32] {
            // SAFETY: range: half of a line at each part, and of the bytes before its start, as it starts at most 64
            // bytes into the line; aliasing: passed on; alignment: unaligned loads, and dst starts a line; ISA: the
            // caller has AVX2.
            unsafe {
                let load = |from: *const u8| _mm256_loadu_si256(from.wrapping_add(half).cast());
                let mut line = load(lines[0]);
                for i in 1..N {
                    let before = load(BEFORE.as_ptr().wrapping_add(LINE - ends[i - 1]));
                    line = _mm256_blendv_epi8(load(lines[i]), line, before);
                }
                _mm256_stream_si256(dst.wrapping_add(half).cast(), line);
            }
        }
    }
}

/// From this many bytes on, a run is a call of the memory copy. Both sides in the first-level cache
/// of a 2-core AVX-512 server VM, whose memory copy uses 64-byte vectors, runs 8 bytes apart: 256
/// bytes 78 GB/s here and 60 there, 512 bytes 90 and 75, 1 KiB 92 and 87, 2 KiB 91 and 98, 4 KiB 90
/// and 95; second-level cache: 2 KiB 56 and 56, 3000 bytes 59 and 51.
const CALL_FROM: usize = 2048;

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn by_length(panel: &Panel<'_>, times: impl Times) {
    let cols = panel.cols;
    // SAFETY: passed on; each arm names the lengths that its move asks for; ISA: AVX2 is enabled
    // here.
    unsafe {
        match cols {
            0 => {}
            1 => each(panel, times, TwoMoves::<1>::of(cols)),
            2..4 => each(panel, times, TwoMoves::<2>::of(cols)),
            4..8 => each(panel, times, TwoMoves::<4>::of(cols)),
            8..16 => each(panel, times, TwoMoves::<8>::of(cols)),
            16..=32 => each(panel, times, TwoMoves::<16>::of(cols)),
            33..=48 => each(panel, times, Few::<Sixteen, 3>::of(cols)),
            49..=64 => each(panel, times, Few::<Ymm, 2>::of(cols)),
            65..=96 => each(panel, times, Few::<Ymm, 3>::of(cols)),
            97..=128 => each(panel, times, Few::<Ymm, 4>::of(cols)),
            129..CALL_FROM => each(panel, times, Vectors::<Ymm>::of(cols)),
            _ => each(panel, times, Called(cols)),
        }
    }
}

/// A panel of one run has nothing to decide once for many, so it is a call of the memory copy and
/// nothing else. Such calls through [`by_length`]: 64 bytes 5.5 ns instead of 3.3, 4 KiB 28 instead
/// of 22.
///
/// # Safety
/// The contract of the crate, with a panel this row takes.
unsafe fn runs(panel: &Panel<'_>) {
    if panel.rows == 1 {
        // SAFETY: passed on: a panel of one run.
        unsafe { only(panel) }
    } else {
        // SAFETY: passed on; ISA: a row is bound with a token of its ISA.
        unsafe { by_length(panel, Once) }
    }
}

/// # Safety
/// The contract of the crate, with panels this row takes.
unsafe fn runs_along(panel: &Panel<'_>, along: Along) {
    // SAFETY: passed on; ISA: a row is bound with a token of its ISA.
    unsafe { by_length(panel, along) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn streamed(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; the row takes runs of a line and more, [`runs`] any; ISA: AVX2 is enabled here.
    unsafe {
        if staged::takes_lines(panel, true) {
            staged::runs::<Ymm>(panel, fence.next(), runs);
        } else {
            stream::runs::<Ymm>(panel, fence.next());
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn staged(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; the row takes runs shorter than a line, [`runs`] any; ISA: enabled here.
    unsafe { staged::runs::<Ymm>(panel, fence.next(), runs) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "run-1-avx2-1x32",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx2,
        tile: Tile { rows: 1, cols: 32 },
        needs: |_| true,
        call: Call::Along {
            call: runs,
            along: runs_along,
        },
    },
    Row {
        name: "run-1-avx2-2x64",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx2,
        tile: Tile { rows: 2, cols: 64 },
        needs: |ask| ask.cols >= LINE,
        call: Call::Streaming {
            call: streamed,
            scratch: |_| 0,
        },
    },
    Row {
        name: "run-1-avx2-16x64",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx2,
        tile: Tile { rows: 16, cols: 64 },
        needs: |ask| ask.cols < LINE,
        call: Call::Streaming {
            call: staged,
            scratch: |_| 0,
        },
    },
];
