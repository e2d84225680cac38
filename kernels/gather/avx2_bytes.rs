//! `gather` of single bytes and pairs with AVX2, which has no masked loads for them: 16 bytes at a time
//! are loaded with the gaps between the cells, where those are readable or there are none, and
//! shuffled. Every third byte, a quarter of a line:
//!
//! ```text
//!   src    0..1..2..3..4..5 | ..6..7..8..9..A. | .B..C..D..E..F..
//!          012345----------   ------6789A-----   -----------BCDEF      a shuffle each
//!                             0123456789ABCDEF                         or'ed
//! ```
//!
//! The gap of the last cell is read as well: of a line that ends a row, the gap before the first.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_castsi128_si256, _mm256_inserti128_si256, _mm256_loadu_si256,
    _mm256_or_si256, _mm256_setzero_si256, _mm256_shuffle_epi8,
};
use core::ops::Range;

use super::avx2::{HALF, Two};
use super::pick::{Pick, cells};
use crate::panel::LINE;

/// Bytes of a quarter of a line: what one shuffle fills.
const QUARTER: usize = LINE / 4;

/// Where the bytes of a quarter of a line stand in `V` times 16 bytes of the source.
struct Quarters<const V: usize> {
    /// Bytes from the cell of the first lane to the first 16 bytes.
    base: isize,
    /// Which of them go where, twice; a byte whose highest bit is set gives zero.
    index: [[u8; HALF]; V],
}

impl<const V: usize> Quarters<V> {
    /// For cells of `cell` bytes, `V` cells apart, up or down, each with the gap below it, or above.
    const fn new(cell: usize, down: bool, below: bool) -> Self {
        let distance = (V * cell) as isize;
        let step = if down { -distance } else { distance };
        // Where the cell of the first lane stands: in the last place of the window or the first,
        // and in that at its end or its start.
        let place = if down { V * QUARTER - V * cell } else { 0 };
        let first = place + if below { (V - 1) * cell } else { 0 };
        let mut index = [[0x80; HALF]; V];
        let mut to = 0;
        while to < QUARTER {
            let at = (first as isize + (to / cell) as isize * step) as usize + to % cell;
            index[at / QUARTER][to] = (at % QUARTER) as u8;
            index[at / QUARTER][QUARTER + to] = (at % QUARTER) as u8;
            to += 1;
        }
        Self {
            base: -(first as isize),
            index,
        }
    }
}

/// Halves of lines of cells of one or two bytes, each quarter of a line from `V` times 16 bytes, gaps
/// included.
#[derive(Clone, Copy)]
struct Window<const CELL: usize, const V: usize> {
    step: isize,
    /// Bytes from the cell of the first lane to the first 16 bytes.
    base: isize,
    index: [__m256i; V],
}

impl<const CELL: usize, const V: usize> Window<CELL, V> {
    const UP: &Quarters<V> = &Quarters::new(CELL, false, false);
    const UP_BELOW: &Quarters<V> = &Quarters::new(CELL, false, true);
    const DOWN: &Quarters<V> = &Quarters::new(CELL, true, false);
    const DOWN_BELOW: &Quarters<V> = &Quarters::new(CELL, true, true);

    /// For cells `V` cells apart in the direction of `step`, with the gap on the side of the first
    /// lane that lies `below` it, or above.
    ///
    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn new(step: isize, below: bool) -> Self {
        let quarters = match (step < 0, below) {
            (false, false) => Self::UP,
            (false, true) => Self::UP_BELOW,
            (true, false) => Self::DOWN,
            (true, true) => Self::DOWN_BELOW,
        };
        // SAFETY: ISA: passed on.
        let mut shuffles = [unsafe { _mm256_setzero_si256() }; V];
        for (shuffle, table) in shuffles.iter_mut().zip(&quarters.index) {
            // SAFETY: range: a vector of the table; ISA: passed on.
            *shuffle = unsafe { _mm256_loadu_si256(table.as_ptr().cast()) };
        }
        Self {
            step,
            base: quarters.base,
            index: shuffles,
        }
    }

    /// # Safety
    /// - Range: the cells of half a line can be read, with the gaps between them and the one that
    ///   the window includes at its end.
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn half(self, src: *const u8) -> __m256i {
        let low = src.wrapping_offset(self.base);
        let high = low.wrapping_offset((QUARTER / CELL) as isize * self.step);
        // SAFETY: range: 16 bytes of a quarter's cells with a gap each; ISA: passed on.
        unsafe {
            let mut half = _mm256_setzero_si256();
            for v in 0..V {
                let (low, high) = (
                    low.wrapping_add(v * QUARTER),
                    high.wrapping_add(v * QUARTER),
                );
                let both = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
                let both = _mm256_inserti128_si256::<1>(both, _mm_loadu_si128(high.cast()));
                half = _mm256_or_si256(half, _mm256_shuffle_epi8(both, self.index[v]));
            }
            half
        }
    }
}

/// Lines of cells of one or two bytes.
#[derive(Clone, Copy)]
pub(super) struct Shuffled<const CELL: usize, const V: usize> {
    step: isize,
    /// With the gaps behind the cells.
    behind: Window<CELL, V>,
    /// With the gaps before the cells.
    before: Window<CELL, V>,
}

impl<const CELL: usize, const V: usize> Shuffled<CELL, V> {
    /// For cells `V` cells apart in the direction of `step`.
    ///
    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    pub(super) unsafe fn new(step: isize) -> Self {
        // Behind a cell is above it where the step leads upwards.
        // SAFETY: passed on.
        unsafe {
            Self {
                step,
                behind: Window::new(step, step < 0),
                before: Window::new(step, step > 0),
            }
        }
    }
}

impl<const CELL: usize, const V: usize> Pick for Shuffled<CELL, V> {
    const CELL: usize = CELL;
    const BEYOND: bool = V > 1;
    const BY_CELL: bool = true;
    type Line = Two;

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> Two {
        let second = src.wrapping_offset((HALF / CELL) as isize * self.step);
        // SAFETY: range: the cells of all lanes, and where there are gaps another one behind them;
        // ISA: passed on.
        unsafe { Two([self.behind.half(src), self.behind.half(second)]) }
    }

    #[inline(always)]
    unsafe fn last(self, src: *const u8) -> Two {
        let second = src.wrapping_offset((HALF / CELL) as isize * self.step);
        // SAFETY: range: the cells of all lanes, and where there are gaps another one before them;
        // ISA: passed on.
        unsafe { Two([self.before.half(src), self.before.half(second)]) }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> Two {
        // SAFETY: passed on.
        unsafe { cells::<Two, CELL>(src, self.step, lanes) }
    }
}
