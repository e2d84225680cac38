//! `transpose` with AVX-512, streaming, for cells of one and two bytes: a register is a destination
//! line, which the tiles of `avx512_one` and `avx512_two` make from 16 bytes of each of 64 or 32
//! source rows.
//!
//! Lines are joined by cells. Two-byte cells have a permute of two registers. Of single bytes, words of
//! four are permuted twice, from two places a word apart, and shifted together; the byte permute of two
//! registers (VBMI) is no faster (4097x4095: 0.58 of the roof with it, 0.60 so):
//!
//! ```text
//!   words from w on     abcd efgh ..        shifted right by a byte    bcd. fgh. ..
//!   words from w + 1    efgh ijkl ..        shifted left by three      ...e ...i ..
//!                                           joined                     bcde fghi ..
//! ```

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_loadu_si512, _mm512_mask_storeu_epi8,
    _mm512_mask_storeu_epi16, _mm512_or_si512, _mm512_permutex2var_epi16,
    _mm512_permutex2var_epi32, _mm512_sll_epi32, _mm512_srl_epi32, _mm512_store_si512,
    _mm512_stream_si512,
};
use core::ops::Range;

use super::avx512_quarters::lines;
use super::extent::narrow;
use super::line::{Apart, Line, LineTile};
use super::lines::Lines;
use super::stream::{Others, stream_in};
use super::{avx2_one, avx2_two, avx512_one as one, avx512_two as two, kept, pieces};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Stamps what lines have in common, whatever they are joined by.
macro_rules! moves {
    ($word:literal) => {
        const WORD: usize = $word;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> Self {
            // SAFETY: passed on.
            unsafe { Self(_mm512_loadu_si512(from.cast())) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: passed on.
            unsafe { _mm512_store_si512(to.cast(), self.0) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            // SAFETY: passed on.
            unsafe { _mm512_stream_si512(to.cast(), self.0) }
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        #[inline(never)]
        unsafe fn apart(what: impl Apart) {
            // SAFETY: passed on; ISA: enabled here.
            unsafe { what.run() }
        }
    };
}

/// Indices of the two-byte words of two lines.
static PAIRS: [u16; LINE] = {
    let mut all = [0; LINE];
    let mut i = 0;
    while i < LINE {
        all[i] = i as u16;
        i += 1;
    }
    all
};

/// Indices of the four-byte words of two lines, and the first one again: where words are shifted by
/// none of their bytes, nothing is taken from the word after the last.
static WORDS: [u32; 33] = {
    let mut all = [0; 33];
    let mut i = 0;
    while i < 32 {
        all[i] = i as u32;
        i += 1;
    }
    all
};

/// A line of two-byte cells.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Twos(__m512i);

impl Line for Twos {
    moves!(2);

    #[inline(always)]
    unsafe fn store_part(self, words: Range<usize>, to: *mut u8) {
        let mask = (u32::MAX << words.start) & (u32::MAX >> (Self::WORDS - words.end));
        // SAFETY: shape: words is within 0..32; range: masked-out words are not accessed; the rest
        // is passed on.
        unsafe { _mm512_mask_storeu_epi16(to.cast(), mask, self.0) }
    }

    #[inline(always)]
    unsafe fn joined(self, after: Self, words: usize) -> Self {
        // SAFETY: range: 32 indices from `32 - words` on, at most 32, are in the table of 64;
        // alignment: an unaligned load; ISA: the caller's.
        unsafe {
            let from = PAIRS.as_ptr().wrapping_add(Self::WORDS - words);
            let indices = _mm512_loadu_si512(from.cast());
            Self(_mm512_permutex2var_epi16(self.0, indices, after.0))
        }
    }
}

/// A line of single bytes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Ones(pub(super) __m512i);

impl Line for Ones {
    moves!(1);

    #[inline(always)]
    unsafe fn store_part(self, words: Range<usize>, to: *mut u8) {
        let mask = (u64::MAX << words.start) & (u64::MAX >> (LINE - words.end));
        // SAFETY: shape: words is within 0..64; range: masked-out words are not accessed; the rest
        // is passed on.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask, self.0) }
    }

    #[inline(always)]
    unsafe fn joined(self, after: Self, words: usize) -> Self {
        let (from, bits) = ((LINE - words) / 4, 8 * ((LINE - words) % 4) as i32);
        // SAFETY: range: 16 indices from `from` on, at most 16, and from the next on, are in the
        // table of 33; alignment: unaligned loads; ISA: the caller's. A shift by 32 bits leaves 0.
        unsafe {
            let at = WORDS.as_ptr().wrapping_add(from);
            let low = _mm512_loadu_si512(at.cast());
            let high = _mm512_loadu_si512(at.wrapping_add(1).cast());
            let low = _mm512_permutex2var_epi32(self.0, low, after.0);
            let high = _mm512_permutex2var_epi32(self.0, high, after.0);
            let low = _mm512_srl_epi32(low, _mm_cvtsi32_si128(bits));
            let high = _mm512_sll_epi32(high, _mm_cvtsi32_si128(32 - bits));
            Self(_mm512_or_si512(low, high))
        }
    }
}

/// Stamps a tile of lines of a kind.
macro_rules! tile {
    ($(#[$doc:meta])* $name:ident, $cell:literal, $rows:literal, $line:ident, $cells:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name;

        impl LineTile<$rows> for $name {
            const CELL: usize = $cell;
            type Line = $line;

            #[inline(always)]
            unsafe fn lines(self, src: impl Lines, block: usize) -> [$line; $rows] {
                // Not mapped: over sixteen registers that is a call, and through memory (u8 of the roof, Zen 4,
                // mapped and so: 5056x5056 0.39 and 0.62, 3840x2161 0.30 and 0.46, 3001x3003 0.22 and 0.27).
                // SAFETY: passed on; a line is a register by another name.
                unsafe { core::mem::transmute::<[__m512i; $rows], [$line; $rows]>(lines::<$cells>(src, block)) }
            }
        }
    };
}

tile!(
    /// 32 cells of two bytes in a line.
    Two, 2, 8, Twos, two::Pairs
);
tile!(
    /// 64 cells of a byte in a line.
    One, 1, 16, Ones, one::Bytes
);

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn twos(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 2-byte cells and panels of 8 rows and 64 columns or more;
    // ISA: AVX-512 F, BW and VL are enabled here.
    unsafe {
        if pieces::pay_beside_registers(panel) {
            pieces::stream::<Twos, _>(panel, fence, avx2_two::Whole);
        } else {
            let others = Others {
                cached: two::tiles,
                in_turns: None,
            };
            stream_in::<_, 8, 1>(narrow, panel, fence, Two, others);
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn ones(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 1-byte cells and panels of 16 rows and 128 columns or more;
    // ISA: AVX-512 F, BW and VL are enabled here.
    unsafe {
        if pieces::pay_beside_registers(panel) {
            pieces::stream::<Ones, _>(panel, fence, avx2_one::Whole);
        } else if kept::takes(panel) {
            kept::rows(panel, fence, One);
        } else {
            let others = Others {
                cached: one::tiles,
                in_turns: None,
            };
            stream_in::<_, 16, 1>(narrow, panel, fence, One, others);
        }
    }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-1-avx512-16x128",
        family: Family::Transpose,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512,
        tile: Tile {
            rows: 16,
            cols: 128,
        },
        needs: |ask| ask.rows >= 16 && ask.cols >= 128,
        call: Call::Streaming {
            call: ones,
            scratch: |panel| kept::scratch(panel).max(pieces::scratch_beside_registers(panel)),
        },
    },
    Row {
        name: "transpose-2-avx512-8x64",
        family: Family::Transpose,
        cell: CellSize::Exact(2),
        isa: Isa::Avx512,
        tile: Tile { rows: 8, cols: 64 },
        needs: |ask| ask.rows >= 8 && ask.cols >= 64,
        call: Call::Streaming {
            call: twos,
            scratch: pieces::scratch_beside_registers,
        },
    },
];
