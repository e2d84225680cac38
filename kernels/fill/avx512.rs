//! `fill` with 64-byte vectors: a line of one cell again and again.
//!
//! ```text
//!   cells of 1, 2, 4, 8, 16 bytes         cells of 5 bytes
//!   |abcdabcd..abcd|abcdabcd..abcd|       |abcdeabc..abcd|eabcdeab..eabc|deabcdea.. |
//!   every line the same                   a line starts 64 % 5 bytes further in the cell
//! ```

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_broadcast_i32x4, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_set1_epi64,
};
use core::ops::Range;

use super::turning;
use crate::fence::StreamFence;
use crate::gather::pick::{LINE, Line, Pick};
use crate::gather::stream::stream;
use crate::gather::walk::walk;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Picks one cell for all lanes.
#[derive(Clone, Copy)]
struct Repeated<const CELL: usize>;

impl<const CELL: usize> Pick for Repeated<CELL> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> __m512i {
        // SAFETY: range: a cell, passed on; alignment: unaligned reads; ISA: passed on.
        unsafe {
            match CELL {
                1 => _mm512_set1_epi8(src.cast::<i8>().read_unaligned()),
                2 => _mm512_set1_epi16(src.cast::<i16>().read_unaligned()),
                4 => _mm512_set1_epi32(src.cast::<i32>().read_unaligned()),
                8 => _mm512_set1_epi64(src.cast::<i64>().read_unaligned()),
                _ => _mm512_broadcast_i32x4(_mm_loadu_si128(src.cast())),
            }
        }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> __m512i {
        // SAFETY: range: the cell of all lanes is the same; ISA: passed on.
        unsafe { self.whole(src).only(lanes.start * CELL..lanes.end * CELL) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached<const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: the step is 0; ISA: AVX-512 F and BW are enabled here.
    unsafe { walk(panel, Repeated::<CELL>) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn streamed<const CELL: usize>(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on: the step is 0; ISA: AVX-512 F and BW are enabled here.
    unsafe { stream(panel, Repeated::<CELL>) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn any_cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { turning::walk::<__m512i, false>(panel) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn any_streamed(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { turning::walk::<__m512i, true>(panel) }
}

/// The two rows of a cell size.
macro_rules! rows {
    ($($cell:literal, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("fill-", $cell, "-avx512-1x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 1, cols: $lanes },
                needs: |ask| ask.dst_step == $cell && ask.cols >= $lanes,
                call: Call::Cached(cached::<$cell>),
            },
            Row {
                name: concat!("fill-", $cell, "-avx512-2x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 2, cols: $lanes },
                needs: |ask| ask.dst_step == $cell && ask.cols >= $lanes,
                call: Call::Streaming {
                    call: streamed::<$cell>,
                    scratch: |_| 0,
                },
            },
        )*
        Row {
            name: "fill-any-avx512-1x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx512,
            tile: Tile { rows: 1, cols: LINE },
            needs: turning::takes,
            call: Call::Cached(any_cached),
        },
        Row {
            name: "fill-any-avx512-2x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx512,
            tile: Tile { rows: 2, cols: LINE },
            needs: turning::takes,
            call: Call::Streaming {
                call: any_streamed,
                scratch: |_| 0,
            },
        }]
    };
}

pub(super) static ROWS: &[Row] = rows!(1, 64; 2, 32; 4, 16; 8, 8; 16, 4);
