//! `gather` with AVX2: pixels lose their fourth part, as from RGBA to RGB, where fourth parts may be
//! read.
//!
//! Each sixteen bytes become twelve, two of them 24 that follow each other. Stores are whole
//! registers: the eight bytes behind belong to the next pixels and are written again.
//!
//! ```text
//!   r g b - r g b - ..  ->  r g b r g b ..  - - - -  ->  24 bytes | 8 that are written again
//! ```
//!
//! AVX2 has no masks for bytes. So the row asks for gaps that are readable, and the last pixels,
//! after which nothing may be read or written, go cell by cell.

use core::arch::x86_64::{
    _mm256_loadu_si256, _mm256_permutevar8x32_epi32, _mm256_setr_epi32, _mm256_shuffle_epi8,
    _mm256_storeu_si256,
};

use crate::cell::Fixed;
use crate::isa::Isa;
use crate::panel::{Panel, SourceGaps};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};
use crate::scalar::straight;

/// Bytes of a register.
const BYTES: usize = 32;

/// For each byte of sixteen, twice, where it comes from: four parts without the fourth.
const fn without_fourth(part: usize) -> [u8; BYTES] {
    let (mut from, mut i) = ([0; BYTES], 0);
    while i < BYTES {
        let byte = i % 16;
        if byte < 12 {
            from[i] = (byte / (3 * part) * 4 * part + byte % (3 * part)) as u8;
        }
        i += 1;
    }
    from
}

/// Moves the pixels of a row, of `CELL` bytes each, and says how many.
///
/// # Safety
/// The contract of the crate, for a row of `len` pixels whose gaps are readable; ISA: AVX2 is enabled
/// where this is inlined.
#[inline(always)]
unsafe fn pixels<const CELL: usize>(src: *const u8, dst: *mut u8, len: usize) -> usize {
    let (part, step) = (CELL / 3, BYTES / (CELL / 3 * 4));
    let mut at = 0;
    // A pixel behind those of the register, so that its last fourth part is a gap; and as many as
    // 8 bytes are.
    let behind = 8_usize.div_ceil(CELL);
    // SAFETY: range: 8 * part pixels with a pixel behind them can be read whole, gaps included, and
    // what is written ends before `behind` more; aliasing: it is cells of the row, of which later
    // ones are written again; ISA: the caller's.
    unsafe {
        let table = const { &without_fourth(CELL / 3) };
        let table = _mm256_loadu_si256(table.as_ptr().cast());
        let together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
        while at + step + behind <= len {
            let four = _mm256_loadu_si256(src.wrapping_add(at * 4 * part).cast());
            let three = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(four, table), together);
            _mm256_storeu_si256(dst.wrapping_add(at * CELL).cast(), three);
            at += step;
        }
    }
    at
}

/// # Safety
/// The contract of the crate, with a panel of cells of `CELL` bytes that this row takes.
#[target_feature(enable = "avx2")]
unsafe fn rows<const CELL: usize>(panel: &Panel<'_>) {
    for r in 0..panel.rows {
        // SAFETY: passed on; shape: r is below rows, and so many pixels of it have been moved; the
        // row takes panels with these steps; ISA: enabled here.
        unsafe {
            let (src, dst) = (panel.src_cell(r, 0), panel.dst_cell(r, 0));
            let done = pixels::<CELL>(src, dst, panel.cols);
            let rest = panel.part(r..r + 1, done..panel.cols);
            straight(&rest, Fixed::<CELL>, (CELL / 3 * 4) as isize, CELL as isize);
        }
    }
}

/// Whether pixels lose a part that may be read, and some are moved by registers.
fn takes(ask: &Ask) -> bool {
    ask.src_step.checked_mul(3) == Some(4 * ask.cell as isize)
        && ask.gaps == SourceGaps::Readable
        && ask.cols * ask.cell >= 2 * BYTES
}

const fn row(name: &'static str, cell: usize, call: unsafe fn(&Panel<'_>)) -> Row {
    Row {
        name,
        family: Family::Gather,
        cell: CellSize::Exact(cell),
        isa: Isa::Avx2,
        tile: Tile {
            rows: 1,
            cols: BYTES / (cell / 3 * 4),
        },
        needs: takes,
        call: Call::Cached(call),
    }
}

pub(super) static ROWS: &[Row] = &[
    row("gather-3-avx2-1x8", 3, rows::<3>),
    row("gather-6-avx2-1x4", 6, rows::<6>),
    row("gather-12-avx2-1x2", 12, rows::<12>),
];
