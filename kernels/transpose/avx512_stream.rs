//! `transpose` with AVX-512, streaming: a register is a destination line.
//!
//! 4-byte cells: four rows of 16 source rows, from 16 bytes of each, as drawn in `avx512`. 8-byte
//! cells: two rows of eight source rows, the same with two cells in a quarter:
//!
//! ```text
//!   a0 a1 | c0 c1 | e0 e1 | g0 g1        a0 b0 | c0 d0 | e0 f0 | g0 h0
//!   b0 b1 | d0 d1 | f0 f1 | h0 h1   ->   a1 b1 | c1 d1 | e1 f1 | g1 h1
//! ```

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi32, _mm512_permutex2var_epi32,
    _mm512_store_si512, _mm512_stream_si512,
};
use core::ops::Range;

use super::avx512::{four_rows, tiles};
use super::avx512_eight::{cells, tiles as eight_tiles, two_rows};
use super::avx512_narrow::{eight as few_rows_of_eight, four as few_rows};
use super::avx512_sixteen::{row, tiles as sixteen_tiles};
use super::avx512_square;
use super::avx512_turns as turns;
use super::extent::{wide, wide_by_pages};
use super::large::{moves, runs};
use super::line::{Apart, Line, LineTile};
use super::lines::{Lines, Strided};
use super::stream::{Others, scratch, stream_short_in};
use super::walk::RegisterTile;
use crate::cpu::from_zen5;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};
use crate::run::{Ymm, Zmm};

/// Words of a line.
const WORDS: usize = <__m512i as Line>::WORDS;

/// Which words go to a line of two: sixteen from any on.
static INDICES: [u32; 2 * WORDS] = {
    let mut all = [0; 2 * WORDS];
    let mut i = 0;
    while i < 2 * WORDS {
        all[i] = i as u32;
        i += 1;
    }
    all
};

impl Line for __m512i {
    const WORD: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_store_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_stream_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn store_part(self, words: Range<usize>, to: *mut u8) {
        let mask = (0xffff_u16 << words.start) & (0xffff_u16 >> (Self::WORDS - words.end));
        // SAFETY: shape: words is within 0..16; range: masked-out words are not accessed; the rest
        // is passed on.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), mask, self) }
    }

    #[inline(always)]
    unsafe fn joined(self, after: Self, words: usize) -> Self {
        // SAFETY: range: sixteen indices from `16 - words` on, at most 16, are in the table of 32;
        // alignment: an unaligned load; ISA: the caller's.
        unsafe {
            let from = INDICES.as_ptr().wrapping_add(Self::WORDS - words);
            _mm512_permutex2var_epi32(self, _mm512_loadu_si512(from.cast()), after)
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline(never)]
    unsafe fn apart(what: impl Apart) {
        // SAFETY: passed on; ISA: enabled here.
        unsafe { what.run() }
    }
}

/// Sixteen cells of four bytes in a line.
#[derive(Clone, Copy)]
struct Four;

impl LineTile<4> for Four {
    const CELL: usize = 4;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [__m512i; 4] {
        // SAFETY: passed on: sixteen source rows are a line.
        unsafe { four_rows(src, block, None) }
    }

    const SQUARE: bool = true;

    #[inline(always)]
    unsafe fn square(self, src: impl Lines, to: *mut u8, apart: usize) {
        // SAFETY: passed on.
        unsafe { avx512_square::Sixteen.transpose(src, Strided::apart(to, apart)) }
    }
}

/// Eight cells of eight bytes in a line.
#[derive(Clone, Copy)]
struct Eight;

impl LineTile<2> for Eight {
    const CELL: usize = 8;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [__m512i; 2] {
        // SAFETY: passed on: eight source rows are a line.
        unsafe { two_rows(src, block) }
    }

    const CELLWISE: bool = true;

    #[inline(always)]
    unsafe fn cellwise(self, src: impl Lines) -> __m512i {
        // SAFETY: passed on: eight cells are a line.
        unsafe { cells(src) }
    }

    const SQUARE: bool = true;

    #[inline(always)]
    unsafe fn square(self, src: impl Lines, to: *mut u8, apart: usize) {
        // SAFETY: passed on.
        unsafe { avx512_square::Eight.transpose(src, Strided::apart(to, apart)) }
    }
}

/// Four cells of sixteen bytes in a line.
#[derive(Clone, Copy)]
struct Sixteen;

impl LineTile<1> for Sixteen {
    const CELL: usize = 16;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [__m512i; 1] {
        // SAFETY: passed on: four source rows are a line.
        unsafe { [row(src, block)] }
    }

    const CELLWISE: bool = true;

    #[inline(always)]
    unsafe fn cellwise(self, src: impl Lines) -> __m512i {
        // SAFETY: passed on: four cells are a line.
        unsafe { row(src, 0) }
    }

    const SQUARE: bool = true;

    #[inline(always)]
    unsafe fn square(self, src: impl Lines, to: *mut u8, apart: usize) {
        // SAFETY: passed on.
        unsafe { avx512_square::Four.transpose(src, Strided::apart(to, apart)) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn four(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 4-byte cells and panels of 4 rows and 32 columns or more;
    // ISA: AVX-512 F and VL are enabled here.
    unsafe {
        let cached = if panel.rows < 16 { few_rows } else { tiles };
        let others = Others {
            cached,
            in_turns: Some(turns::fours),
        };
        stream_short_in::<_, 4, 3, 4>(wide_by_pages, panel, fence, Four, others);
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn eight(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 8-byte cells and panels of 2 rows and 16 columns or more;
    // ISA: AVX-512 F and VL are enabled here.
    unsafe {
        let cached = if panel.rows < 8 {
            few_rows_of_eight
        } else {
            eight_tiles
        };
        let others = Others {
            cached,
            in_turns: Some(turns::eights),
        };
        stream_short_in::<_, 2, 6, 4>(wide, panel, fence, Eight, others);
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn sixteen(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 16-byte cells and panels of 4 rows and 8 columns or more;
    // ISA: AVX-512 F and VL are enabled here.
    unsafe {
        let others = Others {
            cached: sixteen_tiles,
            in_turns: Some(turns::sixteens),
        };
        stream_short_in::<_, 1, 8, 4>(wide, panel, fence, Sixteen, others);
    }
}

/// Runs shorter than a line by 32 bytes on Zen 5, to which a masked load that crosses a line is dear. Of the roof, by 64
/// bytes and by 32: 32 bytes 100000x20 0.83 and 1.09, 28x14x4084 0.88 and 1.08, 48 bytes 20000x20 0.81 and 0.90; longer
/// ones gain as often as they lose.
///
/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn large(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes cells that are moved so; ISA: what is enabled here, AVX2 as well.
    unsafe {
        if panel.cell < LINE && from_zen5() {
            runs::<Ymm>(panel, fence);
        } else {
            runs::<Zmm>(panel, fence);
        }
    }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-4-avx512-16x32",
        family: Family::Transpose,
        cell: CellSize::Exact(4),
        isa: Isa::Avx512,
        tile: Tile { rows: 16, cols: 32 },
        needs: |ask| ask.rows >= 4 && ask.cols >= 32,
        call: Call::Streaming {
            call: four,
            scratch,
        },
    },
    Row {
        name: "transpose-8-avx512-8x16",
        family: Family::Transpose,
        cell: CellSize::Exact(8),
        isa: Isa::Avx512,
        tile: Tile { rows: 8, cols: 16 },
        needs: |ask| ask.rows >= 2 && ask.cols >= 16,
        call: Call::Streaming {
            call: eight,
            scratch,
        },
    },
    Row {
        name: "transpose-16-avx512-4x8",
        family: Family::Transpose,
        cell: CellSize::Exact(16),
        isa: Isa::Avx512,
        tile: Tile { rows: 4, cols: 8 },
        needs: |ask| ask.rows >= 4 && ask.cols >= 8,
        call: Call::Streaming {
            call: sixteen,
            scratch,
        },
    },
    Row {
        name: "transpose-any-avx512-1x8",
        family: Family::Transpose,
        cell: CellSize::Any,
        isa: Isa::Avx512,
        tile: Tile { rows: 1, cols: 8 },
        needs: |ask| moves(ask.cell),
        call: Call::Streaming {
            call: large,
            scratch: |_| 0,
        },
    },
];
