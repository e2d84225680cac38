//! `fill` with 32-byte vectors, two to a line: as drawn in `avx512`.

use core::arch::x86_64::{
    _mm_loadu_si128, _mm256_broadcastsi128_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_epi64x,
};
use core::ops::Range;

use super::{lines, turning};
use crate::fence::StreamFence;
use crate::gather::avx2::Two;
use crate::gather::pick::{Line, Pick};
use crate::gather::stream::stream;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Picks one cell for all lanes.
#[derive(Clone, Copy)]
struct Repeated<const CELL: usize>;

impl<const CELL: usize> Pick for Repeated<CELL> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = Two;

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> Two {
        // SAFETY: range: a cell, passed on; alignment: unaligned reads; ISA: passed on.
        unsafe {
            let half = match CELL {
                1 => _mm256_set1_epi8(src.cast::<i8>().read_unaligned()),
                2 => _mm256_set1_epi16(src.cast::<i16>().read_unaligned()),
                4 => _mm256_set1_epi32(src.cast::<i32>().read_unaligned()),
                8 => _mm256_set1_epi64x(src.cast::<i64>().read_unaligned()),
                _ => _mm256_broadcastsi128_si256(_mm_loadu_si128(src.cast())),
            };
            Two([half, half])
        }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> Two {
        // SAFETY: range: the cell of all lanes is the same; ISA: passed on.
        unsafe { self.whole(src).only(lanes.start * CELL..lanes.end * CELL) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn cached<const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: the step is 0; ISA: AVX2 is enabled here.
    unsafe { lines::walk(panel, Repeated::<CELL>) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn streamed<const CELL: usize>(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on: the step is 0; ISA: AVX2 is enabled here.
    unsafe { stream(panel, Repeated::<CELL>, None) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn any_cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { turning::walk::<Two, false>(panel) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn any_streamed(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { turning::walk::<Two, true>(panel) }
}

/// The two rows of a cell size.
macro_rules! rows {
    ($($cell:literal, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("fill-", $cell, "-avx2-1x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx2,
                tile: Tile { rows: 1, cols: $lanes },
                needs: |ask| ask.dst_step == $cell && ask.cols >= $lanes,
                call: Call::Cached(cached::<$cell>),
            },
            Row {
                name: concat!("fill-", $cell, "-avx2-2x", $lanes),
                family: Family::Fill,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx2,
                tile: Tile { rows: 2, cols: $lanes },
                needs: |ask| ask.dst_step == $cell && ask.cols >= $lanes,
                call: Call::Streaming {
                    call: streamed::<$cell>,
                    scratch: |_| 0,
                },
            },
        )*
        Row {
            name: "fill-any-avx2-1x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx2,
            tile: Tile { rows: 1, cols: LINE },
            needs: turning::takes,
            call: Call::Cached(any_cached),
        },
        Row {
            name: "fill-any-avx2-2x64",
            family: Family::Fill,
            cell: CellSize::Any,
            isa: Isa::Avx2,
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
