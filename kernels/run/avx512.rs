//! `run` with 64-byte vectors and byte masks.
//!
//! ```text
//!   100 bytes   |<-------- 64 -------->|            a joined line   |<- end ->|<--- start --->|
//!                      |<-------- 64 -------->|                     |  mask   |     !mask     |
//! ```

use core::arch::x86_64::{
    __m512i, __mmask64, _mm512_loadu_si512, _mm512_mask_loadu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_storeu_si512, _mm512_stream_si512,
};

use super::avx2;
use super::each::{Called, Few, Once, Sixteen, Times, TwoMoves, Vector, Vectors, each, only};
use super::line::{Line, Parts};
use super::staged;
use super::stream;
use crate::cpu::{by_amd, from_zen5};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Along, Call, CellSize, Family, Row, Tile};

/// A 64-byte register: a line.
#[derive(Clone, Copy)]
pub(crate) struct Zmm;

impl Vector for Zmm {
    const BYTES: usize = 64;

    #[inline(always)]
    unsafe fn copy(src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: passed on to the caller; alignment: unaligned accesses; ISA:
        // the caller has AVX-512 F.
        unsafe { _mm512_storeu_si512(dst.cast(), _mm512_loadu_si512(src.cast())) }
    }
}

/// The first `bytes` of a line, 1 to 64 of them.
#[inline(always)]
fn first(bytes: usize) -> __mmask64 {
    !0 >> (LINE - bytes)
}

impl Line for Zmm {
    #[inline(always)]
    unsafe fn stream(src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: passed on to the caller; alignment: an unaligned load, and
        // dst starts a line; ISA: the caller has AVX-512 F.
        unsafe { _mm512_stream_si512(dst.cast::<__m512i>(), _mm512_loadu_si512(src.cast())) }
    }

    #[inline(always)]
    unsafe fn join<const N: usize>(parts: Parts<N>, dst: *mut u8) {
        let mut before = first(parts.ends[0]);
        // SAFETY: range: masks name the bytes of each part, and what they leave out is not accessed; aliasing: passed
        // on; alignment: unaligned loads, and dst starts a line; ISA: the caller has AVX-512 F and BW.
        unsafe {
            let mut line = _mm512_maskz_loadu_epi8(before, parts.lines[0].cast());
            for i in 1..N {
                let all = first(parts.ends[i]);
                line = _mm512_mask_loadu_epi8(line, all & !before, parts.lines[i].cast());
                before = all;
            }
            _mm512_stream_si512(dst.cast::<__m512i>(), line);
        }
    }
}

/// From this many bytes on, a run is a call of the memory copy. Both sides in the first-level cache
/// of a 2-core AVX-512 server VM, runs 8 bytes apart: 512 bytes 105 GB/s here and 79 there, 1 KiB
/// 105 and 89, 2 KiB 99 and 98, 3000 bytes 117 and 102, 4 KiB 93 and 90; 8 KiB the same.
const CALL_FROM: usize = 4096;
/// Up to this many bytes not if it is the same run again and again, which stays in the first-level cache, on Zen 5: by
/// string moves, of which the memory copy makes use, 110 to 220 GB/s, by registers 205 to 240; 32 KiB 250 and 140.
const AGAIN: usize = 16 << 10;

/// Up to 64 bytes by overlapping moves: one masked vector takes 0.97 ns a run instead of 0.38 (4
/// bytes), 0.47 (8) and 0.92 (32), and as long as they do from 49 bytes on.
///
/// Up to two lines by 32 bytes on AMD's cores, to which a store of 64 bytes that crosses a line is dear. Of memcpy
/// on Zen 4, by 64 bytes and by 32: 66 bytes of 80, 100 of them, 0.36 and 0.51, 1000, 0.62 and 0.78; 100 bytes of
/// 128, 0.79 and 0.82.
///
/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn by_length(panel: &Panel<'_>, times: impl Times) {
    let cols = panel.cols;
    // SAFETY: passed on; each arm names the lengths that its move asks for; ISA: AVX-512 F is
    // enabled here.
    unsafe {
        match cols {
            0 => {}
            1 => each(panel, times, TwoMoves::<1>::of(cols)),
            2..4 => each(panel, times, TwoMoves::<2>::of(cols)),
            4..8 => each(panel, times, TwoMoves::<4>::of(cols)),
            8..16 => each(panel, times, TwoMoves::<8>::of(cols)),
            16..=32 => each(panel, times, TwoMoves::<16>::of(cols)),
            33..=48 => each(panel, times, Few::<Sixteen, 3>::of(cols)),
            49..=64 => each(panel, times, TwoMoves::<32>::of(cols)),
            65..=128 if by_amd() => avx2::by_length(panel, times),
            65..=128 => each(panel, times, Few::<Zmm, 2>::of(cols)),
            129..=192 => each(panel, times, Few::<Zmm, 3>::of(cols)),
            193..=256 => each(panel, times, Few::<Zmm, 4>::of(cols)),
            257..=320 => each(panel, times, Few::<Zmm, 5>::of(cols)),
            321..=384 => each(panel, times, Few::<Zmm, 6>::of(cols)),
            385..=448 => each(panel, times, Few::<Zmm, 7>::of(cols)),
            449..=512 => each(panel, times, Few::<Zmm, 8>::of(cols)),
            513..CALL_FROM => each(panel, times, Vectors::<Zmm>::of(cols)),
            CALL_FROM..=AGAIN if panel.src.rows.follow(0) && from_zen5() => {
                each(panel, times, Vectors::<Zmm>::of(cols));
            }
            _ => each(panel, times, Called(cols)),
        }
    }
}

/// A panel of one run has nothing to decide once for many, so it is a call of the memory copy and
/// nothing else. Such calls through [`by_length`]: 64 bytes 5.6 ns instead of 3.3, 500 bytes 8.4
/// instead of 4.2, 4 KiB 29 instead of 23.
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

/// Moves the runs of a panel around the caches, in a stage or by `L`.
///
/// # Safety
/// The contract of the crate, with a panel of runs of a line and more; the ISA of `L`, and AVX-512 F, BW and VL, are enabled
/// where this is inlined.
#[inline(always)]
pub(super) unsafe fn streamed_by<L: Line>(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; [`runs`] takes any.
    unsafe {
        if staged::takes_lines(panel, false) {
            staged::runs::<Zmm>(panel, fence.next(), runs);
        } else {
            stream::runs::<L>(panel, fence.next());
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn streamed(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; the row takes runs of a line and more; ISA: enabled here.
    unsafe { streamed_by::<Zmm>(panel, fence) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn staged(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; the row takes runs shorter than a line, [`runs`] any; ISA: enabled here.
    unsafe { staged::runs::<Zmm>(panel, fence.next(), runs) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "run-1-avx512-1x64",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512,
        tile: Tile { rows: 1, cols: 64 },
        needs: |_| true,
        call: Call::Along {
            call: runs,
            along: runs_along,
        },
    },
    Row {
        name: "run-1-avx512-2x64",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512,
        tile: Tile { rows: 2, cols: 64 },
        needs: |ask| ask.cols >= LINE,
        call: Call::Streaming {
            call: streamed,
            scratch: |_| 0,
        },
    },
    Row {
        name: "run-1-avx512-16x64",
        family: Family::Run,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512,
        tile: Tile { rows: 16, cols: 64 },
        needs: |ask| ask.cols < LINE,
        call: Call::Streaming {
            call: staged,
            scratch: |_| 0,
        },
    },
];
