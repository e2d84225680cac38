//! `transpose` with AVX-512, cached and streaming: cells of 12 and 24 bytes, triples of words.
//!
//! Three lines are a whole number of such cells, a *unit* of 16 or 8. One of a destination row is put together
//! from as many source rows: a register has four cells of 12 bytes, or two of 24, each in a slot of 16 or 32, and
//! four registers are closed up to three lines:
//!
//! ```text
//!   registers     aaa- bbb- ccc- ddd-     eee- fff- ggg- hhh-     iii- ..           words; - is the next cell's
//!   lines         aaabbbcccdddeeef        ffggghhhiiijjjkk        kllmmm ..
//! ```
//!
//! A slot is read whole: its last bytes are the next cell of the source row, or, of the last row of a panel, its first
//! bytes are the cell before.
//!
//! Of the roof on a 2-core AVX-512 server VM (Zen 4), the scalar rows and these: 12 bytes 2000x2000 0.21 and 0.70,
//! 2048x2048 0.17 and 0.45, 1080x1920 0.20 and 0.48, through the caches 300x300 0.34 and 0.45, 64x64 0.34 and 0.41;
//! 24 bytes 2000x2000 0.32 and 0.77, 1001x1003 0.16 and 0.86, through the caches 300x300 0.61 and 0.60.

use core::arch::x86_64::{
    __m256i, __m512i, _mm256_loadu_si256, _mm512_castsi256_si512, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_permutex2var_epi32, _mm512_storeu_si512, _mm512_stream_si512,
};

use super::avx512_quarters::quarters;
use super::each::Unit;
use super::lines::Lines;
use super::triples::{self, rows_of};
use crate::panel::LINE;
use crate::row::Row;

/// Words of a unit's register that are cells.
const WORDS: usize = 12;

/// Cells in slots.
trait Slots: Copy {
    /// Bytes of a cell.
    const BYTES: usize;
    /// Cells of a register.
    const HELD: usize = 48 / Self::BYTES;
    /// Bytes of a slot.
    const SLOT: usize = LINE / Self::HELD;

    /// The slots at the lines from `first` on, `back` bytes before them.
    ///
    /// # Safety
    /// - Shape: `HELD` lines from `first` on exist.
    /// - Range: so many bytes as a slot has can be read there.
    /// - ISA: AVX-512 F.
    unsafe fn register(src: impl Lines, first: usize, back: usize) -> __m512i;
}

/// Cells of 12 bytes.
#[derive(Clone, Copy)]
struct Twelve;

impl Slots for Twelve {
    const BYTES: usize = 12;

    #[inline(always)]
    unsafe fn register(src: impl Lines, first: usize, back: usize) -> __m512i {
        // SAFETY: passed on.
        unsafe { quarters(src, first, 1, -(back as isize)) }
    }
}

/// Cells of 24 bytes.
#[derive(Clone, Copy)]
struct TwentyFour;

impl TwentyFour {
    /// The slot at a line, `back` bytes before it.
    ///
    /// # Safety
    /// - Shape: the line exists.
    /// - Range: 32 bytes can be read there.
    /// - ISA: AVX.
    #[inline(always)]
    unsafe fn slot(src: impl Lines, line: usize, back: usize) -> __m256i {
        // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
        unsafe { _mm256_loadu_si256(src.at(line).wrapping_sub(back).cast()) }
    }
}

impl Slots for TwentyFour {
    const BYTES: usize = 24;

    #[inline(always)]
    unsafe fn register(src: impl Lines, first: usize, back: usize) -> __m512i {
        // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
        unsafe {
            let register = _mm512_castsi256_si512(Self::slot(src, first, back));
            _mm512_inserti64x4::<1>(register, Self::slot(src, first + 1, back))
        }
    }
}

/// Where the words of each line of a unit are, in two registers that follow each other; cells stand at the start
/// of their slots, or, if they were read from before, at the end.
pub(super) const fn places(cell: usize, at_end: bool) -> [[u32; 16]; 3] {
    let words = cell / 4;
    let slot = LINE / (48 / cell) / 4;
    let skipped = if at_end { slot - words } else { 0 };
    let mut all = [[0; 16]; 3];
    let mut word = 0;
    while word < 48 {
        let (line, n) = (word / 16, word % WORDS);
        let place = n / words * slot + n % words + skipped;
        let second = if word / WORDS > line { 16 } else { 0 };
        all[line][word % 16] = (place + second) as u32;
        word += 1;
    }
    all
}

/// The words of two registers that stand at the places of a line.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn closed(low: __m512i, places: &[u32; 16], high: __m512i) -> __m512i {
    // SAFETY: range: the places of a line are a register; alignment: an unaligned load; ISA: passed on.
    unsafe {
        let places = _mm512_loadu_si512(places.as_ptr().cast());
        _mm512_permutex2var_epi32(low, places, high)
    }
}

/// The three lines that four registers are closed up to, the words of each line standing at its places.
///
/// # Safety
/// - ISA: AVX-512 F.
#[inline(always)]
pub(super) unsafe fn closed_up(
    [a, b, c, d]: [__m512i; 4],
    places: &[[u32; 16]; 3],
) -> [__m512i; 3] {
    // SAFETY: passed on.
    unsafe {
        [
            closed(a, &places[0], b),
            closed(b, &places[1], c),
            closed(c, &places[2], d),
        ]
    }
}

/// The three lines of a unit of cells that stand at these lines.
///
/// # Safety
/// - Shape: the lines of a unit exist.
/// - Range: a slot can be read at each, or, if `at_end`, one that ends where the cell does.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn lines<S: Slots>(src: impl Lines, at_end: bool) -> [__m512i; 3] {
    let all = const { &[places(S::BYTES, false), places(S::BYTES, true)] };
    let (places, back) = if at_end {
        (&all[1], S::SLOT - S::BYTES)
    } else {
        (&all[0], 0)
    };
    // SAFETY: passed on.
    unsafe {
        let a = S::register(src, 0, back);
        let b = S::register(src, S::HELD, back);
        let c = S::register(src, 2 * S::HELD, back);
        let d = S::register(src, 3 * S::HELD, back);
        closed_up([a, b, c, d], places)
    }
}

/// Units of such cells.
#[derive(Clone, Copy)]
struct Triples<S>(S);

impl<S: Slots> Unit for Triples<S> {
    const CELL: usize = S::BYTES;
    const CELLS: usize = 3 * LINE / S::BYTES;

    #[inline(always)]
    fn before_a_line(address: usize) -> Option<usize> {
        triples::before_a_line::<Self>(address)
    }

    #[inline(always)]
    unsafe fn put(self, src: impl Lines, last: bool, to: *mut u8, stream: bool) {
        // SAFETY: shape and ISA: passed on; range: a slot ends in the next cell, or begins in the one before;
        // three lines are a unit; alignment: passed on.
        unsafe {
            for (i, line) in lines::<S>(src, last).into_iter().enumerate() {
                let to = to.wrapping_add(i * LINE).cast();
                if stream {
                    _mm512_stream_si512(to, line);
                } else {
                    _mm512_storeu_si512(to, line);
                }
            }
        }
    }
}

pub(super) static TWELVE: [Row; 2] = rows_of!(
    Avx512 "avx512f",
    Twelve,
    "transpose-12-avx512-2x16",
    "transpose-12-avx512-2x32"
);
pub(super) static TWENTY_FOUR: [Row; 2] = rows_of!(
    Avx512 "avx512f",
    TwentyFour,
    "transpose-24-avx512-2x8",
    "transpose-24-avx512-2x16"
);
