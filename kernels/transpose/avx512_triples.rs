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
//! Nothing is shared between destination rows, so each takes the columns of its own lines, as in
//! [`each`](super::each): its first unit begins with the first cell that starts a line. What is before that, and
//! what is left after the last unit, is moved cell by cell. A slot is read whole: its last bytes are the next cell
//! of the source row, or, of the last row of a panel, its first bytes are the cell before.
//!
//! Of the roof on a 2-core AVX-512 server VM (Zen 4), the scalar rows and these: 12 bytes 2000x2000 0.21 and 0.70,
//! 2048x2048 0.17 and 0.45, 1080x1920 0.20 and 0.48, through the caches 300x300 0.34 and 0.45, 64x64 0.34 and 0.41;
//! 24 bytes 2000x2000 0.32 and 0.77, 1001x1003 0.16 and 0.86, through the caches 300x300 0.61 and 0.60.

use core::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm256_loadu_si256, _mm512_castsi128_si512,
    _mm512_castsi256_si512, _mm512_inserti32x4, _mm512_inserti64x4, _mm512_loadu_si512,
    _mm512_permutex2var_epi32, _mm512_storeu_si512, _mm512_stream_si512,
};

use super::columns::Columns;
use super::lines::{Addressing, Lines};
use crate::fence::StreamFence;
use crate::isa::{Isa, prefetch};
use crate::panel::{LINE, Panel};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Bytes between a load and the prefetch that goes before it, as in [`each`](super::each).
const AHEAD: usize = 2 * LINE;

/// Columns of a band, whole units: *guess*.
const BAND: usize = 16;

/// Words of a unit's register that are cells.
const WORDS: usize = 12;

/// Cells in slots.
trait Slots: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of a register.
    const CELLS: usize = 48 / Self::CELL;
    /// Bytes of a slot.
    const SLOT: usize = LINE / Self::CELLS;
    /// Cells of a unit.
    const UNIT: usize = 3 * LINE / Self::CELL;
    /// Bytes that a cell is a triple of.
    const PART: usize = Self::CELL / 3;

    /// The slots at the lines from `first` on, `back` bytes before them.
    ///
    /// # Safety
    /// - Shape: `CELLS` lines from `first` on exist.
    /// - Range: so many bytes as a slot has can be read there.
    /// - ISA: AVX-512 F.
    unsafe fn register(src: impl Lines, first: usize, back: usize) -> __m512i;
}

/// Cells of 12 bytes.
#[derive(Clone, Copy)]
struct Twelve;

impl Twelve {
    /// The slot at a line, `back` bytes before it.
    ///
    /// # Safety
    /// - Shape: the line exists.
    /// - Range: 16 bytes can be read there.
    #[inline(always)]
    unsafe fn slot(src: impl Lines, line: usize, back: usize) -> __m128i {
        // SAFETY: shape and range are the caller's; alignment: an unaligned load; ISA: part of SSE2.
        unsafe { _mm_loadu_si128(src.at(line).wrapping_sub(back).cast()) }
    }
}

impl Slots for Twelve {
    const CELL: usize = 12;

    #[inline(always)]
    unsafe fn register(src: impl Lines, first: usize, back: usize) -> __m512i {
        // SAFETY: shape, range and ISA are the caller's; alignment: unaligned loads.
        unsafe {
            let register = _mm512_castsi128_si512(Self::slot(src, first, back));
            let register = _mm512_inserti32x4::<1>(register, Self::slot(src, first + 1, back));
            let register = _mm512_inserti32x4::<2>(register, Self::slot(src, first + 2, back));
            _mm512_inserti32x4::<3>(register, Self::slot(src, first + 3, back))
        }
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
    const CELL: usize = 24;

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
const fn places(cell: usize, at_end: bool) -> [[u32; 16]; 3] {
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

/// The three lines of a unit of cells that stand at these lines.
///
/// # Safety
/// - Shape: the lines of a unit exist.
/// - Range: a slot can be read at each, or, if `at_end`, one that ends where the cell does.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn unit<S: Slots>(src: impl Lines, at_end: bool) -> [__m512i; 3] {
    let all = const { &[places(S::CELL, false), places(S::CELL, true)] };
    let (places, back) = if at_end {
        (&all[1], S::SLOT - S::CELL)
    } else {
        (&all[0], 0)
    };
    // SAFETY: passed on.
    unsafe {
        let a = S::register(src, 0, back);
        let b = S::register(src, S::CELLS, back);
        let c = S::register(src, 2 * S::CELLS, back);
        let d = S::register(src, 3 * S::CELLS, back);
        [
            closed(a, &places[0], b),
            closed(b, &places[1], c),
            closed(c, &places[2], d),
        ]
    }
}

/// Moves a panel row by row, a band of columns after the other; whole lines around the caches if `STREAM`.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `S::CELL` byte cells, that has two rows and a unit
/// of columns, or more; the guard of the task is held if lines are streamed. ISA: AVX-512 F.
#[inline(always)]
unsafe fn rows<S: Slots, const STREAM: bool>(panel: &Panel<'_>) {
    let (cell, cols, unit_cells) = (S::CELL, panel.cols, S::UNIT);
    let most = unit_cells - 1;
    let mut columns = Columns::new();
    let mut start = 0;
    loop {
        // A band of whole units, wherever those start among its first columns; at last all that is left.
        let whole = cols - start >= BAND + most;
        let count = if whole { BAND + most } else { cols - start };
        // SAFETY: shape: so many columns from `start` on are the panel's, no fewer than come before a unit, and
        // their source rows are found; r is below its rows. Range: a slot ends in the next cell of its source row,
        // but for the last, where it begins in the one before; a row's part of a band begins with its first unit,
        // so that its units and less than one more are its columns. Aliasing: the columns before the first unit
        // are moved with the first band, those after the last one with the last, and no line that is streamed
        // but by its own row. Alignment: units of rows that stream start lines. ISA: passed on.
        unsafe {
            columns.find(panel, start..start + count, count);
            for r in 0..panel.rows {
                let row = panel.dst.row(r);
                let first = before_a_line::<S>(row.addr());
                let stream = STREAM && first.is_some();
                let first = first.unwrap_or(0);
                let to = row.wrapping_add(start * cell);
                let move_cells = |from: usize, until: usize| {
                    for c in from..until {
                        let at = columns.lines(c, r * cell).at(0);
                        core::ptr::copy_nonoverlapping(at, to.wrapping_add(c * cell), cell);
                    }
                };
                if start == 0 {
                    move_cells(0, first);
                }
                if whole && r.is_multiple_of(LINE / cell) {
                    for c in 0..count {
                        prefetch(columns.lines(c, r * cell).at(0).wrapping_add(AHEAD));
                    }
                }
                let units = if whole {
                    BAND / unit_cells
                } else {
                    (count - first) / unit_cells
                };
                for i in 0..units {
                    let c = first + i * unit_cells;
                    let lines = unit::<S>(columns.lines(c, r * cell), r + 1 == panel.rows);
                    for (i, line) in lines.into_iter().enumerate() {
                        let to = to.wrapping_add(c * cell + i * LINE).cast();
                        if stream {
                            _mm512_stream_si512(to, line);
                        } else {
                            _mm512_storeu_si512(to, line);
                        }
                    }
                }
                if !whole {
                    move_cells(first + units * unit_cells, count);
                }
            }
        }
        if !whole {
            return;
        }
        start += BAND;
    }
}

/// How many cells from an address on come before one that starts a line, if one does.
#[inline(always)]
fn before_a_line<S: Slots>(address: usize) -> Option<usize> {
    /// Three times this is 1 more than a multiple of 16, and so of 8.
    const THIRD: usize = 11;
    let phase = address % LINE;
    let parts = phase.wrapping_neg() % LINE / S::PART;
    phase
        .is_multiple_of(S::PART)
        .then_some(parts * THIRD % S::UNIT)
}

/// Stamps a row.
macro_rules! row {
    ($slots:ident, $units:literal, $name:literal, $call:expr) => {
        Row {
            name: $name,
            family: Family::Transpose,
            cell: CellSize::Exact($slots::CELL),
            isa: Isa::Avx512,
            tile: Tile {
                rows: 2,
                cols: $units * $slots::UNIT,
            },
            needs: |ask| ask.rows >= 2 && ask.cols >= $units * $slots::UNIT,
            call: $call,
        }
    };
}

/// Stamps the two rows of a size of cells.
macro_rules! rows_of {
    ($slots:ident, $cached:literal, $streaming:literal) => {
        [
            row!(
                $slots,
                1,
                $cached,
                Call::Cached({
                    /// # Safety
                    /// The contract of the crate, with a panel this row takes.
                    #[target_feature(enable = "avx512f")]
                    unsafe fn cached(panel: &Panel<'_>) {
                        // SAFETY: passed on: the row takes such panels; ISA: enabled here.
                        unsafe { rows::<$slots, false>(panel) }
                    }
                    cached
                })
            ),
            row!(
                $slots,
                2,
                $streaming,
                Call::Streaming {
                    call: {
                        /// # Safety
                        /// The contract of the crate, with a panel this row takes.
                        #[target_feature(enable = "avx512f")]
                        unsafe fn streamed(panel: &Panel<'_>, _: &StreamFence<'_>) {
                            // SAFETY: passed on: the row takes such panels; ISA: enabled here.
                            unsafe { rows::<$slots, true>(panel) }
                        }
                        streamed
                    },
                    scratch: |_| 0,
                }
            ),
        ]
    };
}

pub(super) static TWELVE: [Row; 2] = rows_of!(
    Twelve,
    "transpose-12-avx512-2x16",
    "transpose-12-avx512-2x32"
);
pub(super) static TWENTY_FOUR: [Row; 2] = rows_of!(
    TwentyFour,
    "transpose-24-avx512-2x8",
    "transpose-24-avx512-2x16"
);
