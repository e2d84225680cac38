//! `transpose` with AVX2, streaming: two registers are a destination line, stored back to back.
//!
//! A line of 4-byte cells comes from two tiles of eight source rows side by side, one of 8-byte cells
//! from two of four. Nothing permutes words across four registers, so lines are joined in two steps: the
//! registers in which the result lies are picked, and words are rotated across each two neighbours:
//!
//! ```text
//!   before, after   [ 0 .. 7 ][ 8 .. 15 ] [ 16 .. 23 ][ 24 .. 31 ]     3 words of before: from 13 on
//!   picked                    [ 8 .. 15 ] [ 16 .. 23 ][ 24 .. 31 ]     register 13 / 8 and the next
//!   joined                    [ 13 ... 20 ][ 21 ... 28 ]               rotated by 13 % 8
//! ```
//!
//! Picked by a branch, which goes the same way again every few rows, not by loading what was stored a
//! moment before: stores wait in line behind those around the caches. Of the roof, loaded and picked
//! (2-core server VM, Zen 4): f32 1503x1501 0.36 and 0.44, 2003x2005 0.40 and 0.49, 3001x3003 0.48 and
//! 0.53; f64 1001x1003 0.46 and 0.61, 1403x1401 0.53 and 0.66, 3001x3003 0.65 and 0.74.

use core::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_andnot_si256, _mm256_blendv_epi8, _mm256_cmpgt_epi32,
    _mm256_loadu_si256, _mm256_maskstore_epi32, _mm256_permutevar8x32_epi32, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_store_si256, _mm256_storeu_si256, _mm256_stream_si256,
};
use core::ops::Range;

use super::avx2::{Tile8x8, four_rows, tiles};
use super::avx2_eight::{Tile4x4, tiles as eight_tiles, two_rows};
use super::avx2_narrow::few_rows;
use super::avx2_sixteen::{half, tiles as sixteen_tiles};
use super::avx2_turns as turns;
use super::each::{self, Unit};
use super::extent::{lines_crowd, single, wide};
use super::large::{moves, runs};
use super::line::{Apart, Line, LineTile};
use super::lines::Lines;
use super::pieces;
use super::stream::{Others, scratch, stream_in};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};
use crate::run::Ymm;

/// The words `from` to `from + 7`: 0 for the first word of a register.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
unsafe fn words(from: usize) -> __m256i {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        let all = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_add_epi32(all, _mm256_set1_epi32(from as i32))
    }
}

pub(super) type Pair = [__m256i; 2];

impl Line for Pair {
    const WORD: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            [
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.wrapping_add(32).cast()),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            _mm256_store_si256(to.cast(), self[0]);
            _mm256_store_si256(to.wrapping_add(32).cast(), self[1]);
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            _mm256_stream_si256(to.cast(), self[0]);
            _mm256_stream_si256(to.wrapping_add(32).cast(), self[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_part(self, part: Range<usize>, to: *mut u8) {
        for (i, half) in self.into_iter().enumerate() {
            // SAFETY: range: only words of the part are stored, others are not accessed; the rest
            // is passed on.
            unsafe {
                let words = words(8 * i);
                let start = _mm256_set1_epi32(part.start as i32);
                let end = _mm256_set1_epi32(part.end as i32);
                let before_start = _mm256_cmpgt_epi32(start, words);
                let stored = _mm256_andnot_si256(before_start, _mm256_cmpgt_epi32(end, words));
                _mm256_maskstore_epi32(to.wrapping_add(32 * i).cast(), stored, half);
            }
        }
    }

    #[inline(always)]
    unsafe fn joined(self, after: Self, count: usize) -> Self {
        let from = Self::WORDS - count;
        let registers = match from / 8 {
            0 => [self[0], self[1], after[0]],
            1 => [self[1], after[0], after[1]],
            _ => return after,
        };
        // SAFETY: ISA: the caller's; registers only.
        unsafe {
            let words = words(from % 8);
            let [first, second, third] =
                registers.map(|register| _mm256_permutevar8x32_epi32(register, words));
            let from_next = _mm256_cmpgt_epi32(words, _mm256_set1_epi32(7));
            [
                _mm256_blendv_epi8(first, second, from_next),
                _mm256_blendv_epi8(second, third, from_next),
            ]
        }
    }

    #[target_feature(enable = "avx2")]
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
    type Line = Pair;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Pair; 4] {
        // SAFETY: passed on: a block of 16 bytes is a half of the tile's rows, and sixteen source rows
        // are a line.
        unsafe {
            let (first, second) = (four_rows(src, 0, block), four_rows(src, 8, block));
            [
                [first[0], second[0]],
                [first[1], second[1]],
                [first[2], second[2]],
                [first[3], second[3]],
            ]
        }
    }
}

/// Eight cells of eight bytes in a line.
#[derive(Clone, Copy)]
struct Eight;

impl LineTile<2> for Eight {
    const CELL: usize = 8;
    type Line = Pair;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Pair; 2] {
        // SAFETY: passed on: a block of 16 bytes is a pair of the tile's rows, and eight source
        // rows are a line.
        unsafe {
            let (first, second) = (two_rows(src, 0, block), two_rows(src, 4, block));
            [[first[0], second[0]], [first[1], second[1]]]
        }
    }
}

/// Four cells of sixteen bytes in a line.
#[derive(Clone, Copy)]
struct Sixteen;

impl LineTile<1> for Sixteen {
    const CELL: usize = 16;
    type Line = Pair;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Pair; 1] {
        // SAFETY: passed on: a block of 16 bytes is a cell, and four source rows are a line.
        unsafe { [[half(src, 0, block), half(src, 2, block)]] }
    }

    const CELLWISE: bool = true;

    #[inline(always)]
    unsafe fn cellwise(self, src: impl Lines) -> Pair {
        // SAFETY: passed on: four cells are a line.
        let [line] = unsafe { self.lines(src, 0) };
        line
    }
}

impl Unit for Sixteen {
    const CELL: usize = 16;
    const CELLS: usize = 4;

    #[inline(always)]
    fn before_a_line(address: usize) -> Option<usize> {
        let bytes = address.wrapping_neg() % LINE;
        bytes.is_multiple_of(16).then_some(bytes / 16)
    }

    #[inline(always)]
    unsafe fn put(self, src: impl Lines, _: bool, to: *mut u8, stream: bool) {
        // SAFETY: passed on: four cells of sixteen bytes are a line.
        unsafe {
            let [line] = self.lines(src, 0);
            if stream {
                line.stream(to);
            } else {
                _mm256_storeu_si256(to.cast(), line[0]);
                _mm256_storeu_si256(to.wrapping_add(32).cast(), line[1]);
            }
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn four(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 4-byte cells and panels of 4 rows and 32 columns or more;
    // ISA: AVX2 is enabled here.
    unsafe {
        if pieces::takes(panel) {
            return pieces::stream::<Pair, _>(panel, fence, Tile8x8);
        }
        let cached = if panel.rows < 8 { few_rows } else { tiles };
        let others = Others {
            cached,
            in_turns: Some(turns::fours),
        };
        stream_in::<_, 4, 1>(single, panel, fence, Four, others);
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn eight(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 8-byte cells and panels of 4 rows and 16 columns or more;
    // ISA: AVX2 is enabled here.
    unsafe {
        if pieces::takes(panel) {
            return pieces::stream::<Pair, _>(panel, fence, Tile4x4);
        }
        let others = Others {
            cached: eight_tiles,
            in_turns: Some(turns::eights),
        };
        if lines_crowd(panel) {
            stream_in::<_, 2, 4>(wide, panel, fence, Eight, others)
        } else {
            stream_in::<_, 2, 1>(single, panel, fence, Eight, others)
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn sixteen(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 16-byte cells and panels of 4 rows and 8 columns or more;
    // ISA: AVX2 is enabled here.
    unsafe {
        if each::takes(panel) {
            return each::rows::<_, true>(panel, Sixteen);
        }
        let others = Others {
            cached: sixteen_tiles,
            in_turns: Some(turns::sixteens),
        };
        stream_in::<_, 1, 4>(wide, panel, fence, Sixteen, others);
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn large(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes cells that are moved so; ISA: what is enabled here.
    unsafe { runs::<Ymm>(panel, fence) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-4-avx2-8x32",
        family: Family::Transpose,
        cell: CellSize::Exact(4),
        isa: Isa::Avx2,
        tile: Tile { rows: 8, cols: 32 },
        needs: |ask| ask.rows >= 4 && ask.cols >= 32,
        call: Call::Streaming {
            call: four,
            scratch: pieces::scratch,
        },
    },
    Row {
        name: "transpose-8-avx2-4x16",
        family: Family::Transpose,
        cell: CellSize::Exact(8),
        isa: Isa::Avx2,
        tile: Tile { rows: 4, cols: 16 },
        needs: |ask| ask.rows >= 4 && ask.cols >= 16,
        call: Call::Streaming {
            call: eight,
            scratch: pieces::scratch,
        },
    },
    Row {
        name: "transpose-16-avx2-4x8",
        family: Family::Transpose,
        cell: CellSize::Exact(16),
        isa: Isa::Avx2,
        tile: Tile { rows: 4, cols: 8 },
        needs: |ask| ask.rows >= 4 && ask.cols >= 8,
        call: Call::Streaming {
            call: sixteen,
            scratch,
        },
    },
    Row {
        name: "transpose-any-avx2-1x8",
        family: Family::Transpose,
        cell: CellSize::Any,
        isa: Isa::Avx2,
        tile: Tile { rows: 1, cols: 8 },
        needs: |ask| moves(ask.cell),
        call: Call::Streaming {
            call: large,
            scratch: |_| 0,
        },
    },
];
