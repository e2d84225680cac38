//! `transpose` with AVX-512, streaming: a register is a destination line.

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi32, _mm512_permutex2var_epi32,
    _mm512_store_si512, _mm512_stream_si512,
};
use core::ops::Range;

use super::avx512::{four_rows, tiles};
use super::line::LineTile;
use super::lines::Lines;
use super::stream::{scratch, stream};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Sixteen cells in a register.
#[derive(Clone, Copy)]
struct Four;

/// Which of 32 double words go to a line: sixteen from `16 - phase` on.
static DOUBLE_WORDS: [u32; 32] = {
    let mut all = [0; 32];
    let mut i = 0;
    while i < 32 {
        all[i] = i as u32;
        i += 1;
    }
    all
};

/// The last `phase` double words of `before`, and the first ones of `after`.
///
/// # Safety
/// - Shape: `phase` is at most 16.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn joined(before: __m512i, after: __m512i, phase: usize) -> __m512i {
    // SAFETY: range: sixteen indices from `16 - phase` on, at most 16, are in the table of 32;
    // alignment: an unaligned load; ISA: the caller's.
    unsafe {
        let from = DOUBLE_WORDS.as_ptr().wrapping_add(16 - phase);
        _mm512_permutex2var_epi32(before, _mm512_loadu_si512(from.cast()), after)
    }
}

/// The double words of a line that `range` names.
#[inline(always)]
fn mask(range: Range<usize>) -> u16 {
    (0xffff_u16 << range.start) & (0xffff_u16 >> (16 - range.end))
}

impl LineTile<4> for Four {
    const CELL: usize = 4;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [__m512i; 4] {
        // SAFETY: passed on.
        unsafe { four_rows(src, block, None) }
    }

    #[inline(always)]
    unsafe fn stream(self, line: __m512i, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_stream_si512(to.cast(), line) }
    }

    #[inline(always)]
    unsafe fn store_part(self, line: __m512i, cells: Range<usize>, to: *mut u8) {
        // SAFETY: shape: the range lies within sixteen cells, and is not empty; range: masked-out
        // cells are not accessed; the rest is passed on.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), mask(cells), line) }
    }

    #[inline(always)]
    unsafe fn joined(self, before: __m512i, after: __m512i, phase: usize) -> __m512i {
        // SAFETY: passed on.
        unsafe { joined(before, after, phase) }
    }

    #[inline(always)]
    unsafe fn keep(self, line: __m512i, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_store_si512(to.cast(), line) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m512i {
        // SAFETY: passed on.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn four(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 4-byte cells and panels of 16 rows and 32 columns or more;
    // ISA: AVX-512 F and VL are enabled here.
    unsafe {
        if !stream(panel, fence, Four) {
            tiles(panel);
        }
    }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-4-avx512-16x32",
    family: Family::Transpose,
    cell: CellSize::Exact(4),
    isa: Isa::Avx512,
    tile: Tile { rows: 16, cols: 32 },
    needs: |ask| ask.rows >= 16 && ask.cols >= 32,
    call: Call::Streaming {
        call: four,
        scratch,
    },
}];
