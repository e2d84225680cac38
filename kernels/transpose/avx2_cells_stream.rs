//! `transpose` with AVX2, streaming, for cells of one and two bytes: two registers are a destination
//! line, stored back to back, which the tiles of `avx2_one` and `avx2_two` make from 16 bytes of each
//! of 64 or 32 source rows.
//!
//! Lines are joined by 16-byte pieces: the five in which the result lies are picked by loading what
//! was stored a moment before (inside the registers that were stored, so the loads are served from
//! the stores), and bytes are moved across each two neighbours by two byte permutes, each of which
//! leaves zeros where the other one has something:
//!
//! ```text
//!   before, after   [ 0 .. 15 ][ 16 .. 31 ] .. [ 112 .. 127 ]      3 bytes of before: from 61 on
//!   picked          [ 48 .. 63 ][ 64 .. 79 ] .. [ 112 .. 127 ]     piece 61 / 16 and the next
//!   joined          [ 61 .. 76 ][ 77 .. 92 ] ..                    moved by 61 % 16
//! ```

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_castsi128_si256, _mm256_inserti128_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_shuffle_epi8,
    _mm256_store_si256, _mm256_stream_si256,
};
use core::mem::MaybeUninit;
use core::ops::Range;

use super::extent::narrow_or_single;
use super::line::{Apart, Line, LineTile};
use super::lines::Lines;
use super::pieces;
use super::stream::{Others, stream_in};
use super::{avx2_one as one, avx2_two as two};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// A line of cells of so many bytes.
#[derive(Clone, Copy)]
struct Cells<const BYTES: usize>([__m256i; 2]);

/// Two lines in memory.
#[repr(align(64))]
struct Stored([MaybeUninit<u8>; 2 * LINE]);

/// 16-byte pieces `piece` and the next of the lines at `stored`. Piece 8 is piece 7 again.
///
/// # Safety
/// - Shape: `piece` is below 8.
/// - Range: two lines can be read.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn pieces(stored: *const u8, piece: usize) -> __m256i {
    // SAFETY: shape: passed on; range: pieces below 8 are within two lines; ISA: the caller's.
    unsafe {
        let low = _mm_loadu_si128(stored.wrapping_add(16 * piece).cast());
        let high = _mm_loadu_si128(stored.wrapping_add(16 * (piece + 1).min(7)).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// Sixteen bytes from `from` on of the pieces `first` and `next` in each lane.
///
/// # Safety
/// - Shape: `from` is below 16.
/// - ISA: AVX2.
#[inline(always)]
unsafe fn moved(first: __m256i, next: __m256i, from: usize) -> __m256i {
    // SAFETY: ISA: the caller's; registers only. A permute leaves zero where the highest bit of an
    // index is set: indices from 16 on are given it for the first piece, those below for the next.
    unsafe {
        let all = _mm256_setr_epi8(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
            11, 12, 13, 14, 15,
        );
        let indices = _mm256_add_epi8(all, _mm256_set1_epi8(from as i8));
        let of_first = _mm256_add_epi8(indices, _mm256_set1_epi8(0x70));
        let of_next = _mm256_add_epi8(indices, _mm256_set1_epi8(-16));
        _mm256_or_si256(
            _mm256_shuffle_epi8(first, of_first),
            _mm256_shuffle_epi8(next, of_next),
        )
    }
}

impl<const BYTES: usize> Line for Cells<BYTES> {
    const WORD: usize = BYTES;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            Self([
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.wrapping_add(32).cast()),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            _mm256_store_si256(to.cast(), self.0[0]);
            _mm256_store_si256(to.wrapping_add(32).cast(), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: passed on: two registers are 64 bytes.
        unsafe {
            _mm256_stream_si256(to.cast(), self.0[0]);
            _mm256_stream_si256(to.wrapping_add(32).cast(), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_part(self, words: Range<usize>, to: *mut u8) {
        /// Copies a piece of this many bytes if the rest of a part is so long, and steps over it.
        ///
        /// # Safety
        /// - Range: `left` bytes can be read at `from` and written at `to`.
        /// - Aliasing: the two do not overlap.
        #[inline(always)]
        unsafe fn piece<const N: usize>(
            (from, to, left): (*const u8, *mut u8, usize),
        ) -> (*const u8, *mut u8, usize) {
            if left < N {
                return (from, to, left);
            }
            // SAFETY: range: N bytes are left; aliasing: passed on.
            unsafe { core::ptr::copy_nonoverlapping(from, to, N) };
            (from.wrapping_add(N), to.wrapping_add(N), left - N)
        }

        let mut stored = Stored([MaybeUninit::uninit(); 2 * LINE]);
        let base = stored.0.as_mut_ptr().cast::<u8>();
        let start = words.start * BYTES;
        // SAFETY: range: the words are within the line that was stored, and can be written; less than
        // a line is at most one piece of each size; aliasing: the copy is on this stack; alignment:
        // it starts at a line; ISA: passed on.
        unsafe {
            self.store(base);
            let part = (
                base.wrapping_add(start).cast_const(),
                to.wrapping_add(start),
                words.len() * BYTES,
            );
            piece::<1>(piece::<2>(piece::<4>(piece::<8>(piece::<16>(
                piece::<32>(part),
            )))));
        }
    }

    #[inline(always)]
    unsafe fn joined(self, after: Self, words: usize) -> Self {
        let from = LINE - words * BYTES;
        let mut stored = Stored([MaybeUninit::uninit(); 2 * LINE]);
        let base = stored.0.as_mut_ptr().cast::<u8>();
        // SAFETY: shape: words is below those of a line, so from is 1 to 64, and pieces up to the
        // third after from / 16 are below 8; where that is 4, nothing is taken from beyond the last
        // piece; range and alignment: two lines, stored before they are loaded; ISA: the caller's.
        unsafe {
            self.store(base);
            after.store(base.wrapping_add(LINE));
            let (piece, from) = (from / 16, from % 16);
            let [a, b] = [pieces(base, piece), pieces(base, piece + 1)];
            let [c, d] = [pieces(base, piece + 2), pieces(base, piece + 3)];
            Self([moved(a, b, from), moved(c, d, from)])
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn apart(what: impl Apart) {
        // SAFETY: passed on; ISA: enabled here.
        unsafe { what.run() }
    }
}

/// 64 cells of a byte in a line.
#[derive(Clone, Copy)]
struct One;

impl LineTile<16> for One {
    const CELL: usize = 1;
    type Line = Cells<1>;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Cells<1>; 16] {
        // SAFETY: passed on: the first 32 of the source rows, and the others.
        unsafe {
            let (first, second) = (one::rows(src, 0, block), one::rows(src, 32, block));
            [
                Cells([first[0], second[0]]),
                Cells([first[1], second[1]]),
                Cells([first[2], second[2]]),
                Cells([first[3], second[3]]),
                Cells([first[4], second[4]]),
                Cells([first[5], second[5]]),
                Cells([first[6], second[6]]),
                Cells([first[7], second[7]]),
                Cells([first[8], second[8]]),
                Cells([first[9], second[9]]),
                Cells([first[10], second[10]]),
                Cells([first[11], second[11]]),
                Cells([first[12], second[12]]),
                Cells([first[13], second[13]]),
                Cells([first[14], second[14]]),
                Cells([first[15], second[15]]),
            ]
        }
    }
}

/// 32 cells of two bytes in a line.
#[derive(Clone, Copy)]
struct Two;

impl LineTile<8> for Two {
    const CELL: usize = 2;
    type Line = Cells<2>;

    #[inline(always)]
    unsafe fn lines(self, src: impl Lines, block: usize) -> [Cells<2>; 8] {
        // SAFETY: passed on: the first 16 of the source rows, and the others.
        unsafe {
            let (first, second) = (two::rows(src, 0, block), two::rows(src, 16, block));
            [
                Cells([first[0], second[0]]),
                Cells([first[1], second[1]]),
                Cells([first[2], second[2]]),
                Cells([first[3], second[3]]),
                Cells([first[4], second[4]]),
                Cells([first[5], second[5]]),
                Cells([first[6], second[6]]),
                Cells([first[7], second[7]]),
            ]
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn ones(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 1-byte cells and panels of 16 rows and 128 columns or more;
    // ISA: AVX2 is enabled here.
    unsafe {
        if pieces::takes(panel) {
            pieces::stream::<Cells<1>, _>(panel, fence, one::Whole);
        } else {
            let others = Others {
                cached: one::tiles,
                in_turns: None,
            };
            stream_in::<_, 16, 1>(narrow_or_single, panel, fence, One, others);
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn twos(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on: the row takes 2-byte cells and panels of 8 rows and 64 columns or more;
    // ISA: AVX2 is enabled here.
    unsafe {
        if pieces::takes(panel) {
            pieces::stream::<Cells<2>, _>(panel, fence, two::Whole);
        } else {
            let others = Others {
                cached: two::tiles,
                in_turns: None,
            };
            stream_in::<_, 8, 1>(narrow_or_single, panel, fence, Two, others);
        }
    }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose-1-avx2-16x128",
        family: Family::Transpose,
        cell: CellSize::Exact(1),
        isa: Isa::Avx2,
        tile: Tile {
            rows: 16,
            cols: 128,
        },
        needs: |ask| ask.rows >= 16 && ask.cols >= 128,
        call: Call::Streaming {
            call: ones,
            scratch: pieces::scratch,
        },
    },
    Row {
        name: "transpose-2-avx2-8x64",
        family: Family::Transpose,
        cell: CellSize::Exact(2),
        isa: Isa::Avx2,
        tile: Tile { rows: 8, cols: 64 },
        needs: |ask| ask.rows >= 8 && ask.cols >= 64,
        call: Call::Streaming {
            call: twos,
            scratch: pieces::scratch,
        },
    },
];
