//! `strided` where both sides have the same step: cells stand in the lines of the source as they do in
//! those of the destination, so masks are all it takes. Every second cell:
//!
//! ```text
//!   src   0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 .     masked load: gaps are not read
//!   dst   0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 .     masked store: nor are they written
//! ```
//!
//! Stores of long rows are to aligned lines, those of short ones start where the row does. Where the
//! step does not divide a line, each line of a row has its cells elsewhere.

use core::arch::x86_64::{_mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8};

use crate::ahead::{self, Ahead, LEAD_ZEN5};
use crate::gather::coming::{Coming, ComingRows};
use crate::gather::places::bits;
use crate::isa::Isa;
use crate::panel::{LINE, Pairing, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Bytes between cells at most. Times as fast as cell by cell in the first-level cache and in the second:
/// every second u8 7.6 and 4.6; every second f32 2.0 and 1.4, every third 0.9 and 1.1, every fourth 1.1 and
/// 1.1; every second f64 0.9 and 1.1; every sixteenth u8 1.1 and 1.1. With the permutes of the other rows
/// every second f32 was 0.8 and 1.1. Out of those caches all are bound by lines.
const NEAR: usize = 16;

/// Where cells of one step stand in a line that starts anywhere in a step: a bit for each byte of a
/// cell.
struct Masks([u64; NEAR]);

impl Masks {
    #[inline(always)]
    fn new(cell: usize, step: usize) -> Self {
        let mut pattern: u128 = (1 << cell) - 1;
        let mut apart = step;
        while apart < 2 * LINE {
            pattern |= pattern << apart;
            apart *= 2;
        }
        let mut masks = [0; NEAR];
        for (phase, mask) in masks.iter_mut().enumerate().take(step) {
            *mask = (pattern >> phase) as u64;
        }
        Self(masks)
    }
}

/// Moves the bytes that `mask` names of a line.
///
/// # Safety
/// - Range: those bytes can be read from `src` on, and written from `dst` on; others are not accessed.
/// - ISA: AVX-512 BW is enabled where this is inlined.
#[inline(always)]
unsafe fn line(src: *const u8, dst: *mut u8, mask: u64) {
    // SAFETY: range: masked-out bytes are not accessed, the others are passed on; ISA: passed on.
    unsafe {
        let cells = _mm512_maskz_loadu_epi8(mask, src.cast());
        _mm512_mask_storeu_epi8(dst.cast(), mask, cells);
    }
}

/// Moves a panel of rows of a few lines, from where they start, under masks that are the same for all of them.
///
/// # Safety
/// As [`walk`], with rows of at most [`SHORT`] lines' bytes from their first cell to the end of their last one.
#[inline(always)]
unsafe fn short(panel: &Panel<'_>, bytes: usize) {
    let step = panel.dst.step.unsigned_abs();
    let (Masks(phases), turn) = (Masks::new(panel.cell, step), LINE % step);
    let (mut masks, lines) = ([0; SHORT], bytes.div_ceil(LINE));
    let mut phase = 0;
    for (j, mask) in masks.iter_mut().enumerate() {
        *mask = phases[phase % NEAR] & bits(0, bytes as isize - (j * LINE) as isize);
        phase = (phase + turn) % step;
    }
    let coming = ComingRows::half_as_far(panel);
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come.
        let (src, dst) = unsafe {
            coming.ask(panel, r, |row| row);
            (panel.src.cell(r, 0), panel.dst.cell(r, 0))
        };
        for (j, &mask) in masks[..lines].iter().enumerate() {
            // SAFETY: range and aliasing: bytes of cells of the row; ISA: passed on.
            unsafe { line(src.wrapping_add(j * LINE), dst.wrapping_add(j * LINE), mask) };
        }
    }
}

/// Moves a panel.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits; AVX-512 F and BW are enabled where
/// this is inlined.
#[inline(always)]
unsafe fn walk(panel: &Panel<'_>) {
    let step = panel.dst.step.unsigned_abs();
    let bytes = (panel.cols - 1) * step + panel.cell;
    if bytes <= SHORT * LINE {
        // SAFETY: passed on.
        return unsafe { short(panel, bytes) };
    }
    let Masks(masks) = Masks::new(panel.cell, step);
    let turn = LINE % step;
    let next = |phase: usize| {
        let next = phase + turn;
        next - if next >= step { step } else { 0 }
    };
    let ahead = Ahead::of_masked(panel);
    // Half as far, as lines of the destination are asked for as well: of 44 a row 0.18 and, as far as they, 0.15.
    let (coming, coming_rows) = (Coming::of(panel), ComingRows::half_as_far(panel));
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come.
        let (src, dst, asked) = unsafe {
            coming_rows.ask(panel, r, |row| row);
            ahead::row(panel, ahead, r)
        };
        // From here on bytes are counted from the start of the destination's first line.
        let first = dst.addr() % LINE;
        let (src, dst, end) = (
            src.wrapping_sub(first),
            dst.wrapping_sub(first),
            first + bytes,
        );
        let ending = end.saturating_sub(LEAD_ZEN5);
        let ask = |at: usize| {
            if let Some(asked) = asked {
                asked.at(at.saturating_sub(first));
            }
            let coming = if at < ending { coming } else { coming.ending() };
            coming.ask(src.wrapping_add(at), 1);
        };
        let mut phase = (LINE - first + (step - turn)) % step;
        ask(0);
        let reach = bits(first as isize, end as isize);
        // SAFETY: range and aliasing: bytes of cells of the row; ISA: passed on.
        unsafe { line(src, dst, masks[phase % NEAR] & reach) };
        let mut at = LINE;
        if turn == 0 {
            let mask = masks[phase % NEAR];
            while at + LINE <= end {
                ask(at);
                // SAFETY: as above, from the first cell of the row to the last.
                unsafe { line(src.wrapping_add(at), dst.wrapping_add(at), mask) };
                at += LINE;
            }
        } else {
            while at + LINE <= end {
                phase = next(phase);
                ask(at);
                // SAFETY: as above, from the first cell of the row to the last.
                unsafe {
                    line(
                        src.wrapping_add(at),
                        dst.wrapping_add(at),
                        masks[phase % NEAR],
                    )
                };
                at += LINE;
            }
        }
        if at < end {
            ask(at);
            phase = next(phase);
            let mask = masks[phase % NEAR] & bits(0, (end - at) as isize);
            // SAFETY: as above.
            unsafe { line(src.wrapping_add(at), dst.wrapping_add(at), mask) };
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { walk(panel) }
}

/// Lines of rows that are moved from where they start. Times as fast as by lines of the destination, then after all had
/// been flushed (Xeon): 2000 rows of u8, every second, of 2 lines 3.0 and 1.3, 4 1.9 and 1.2, 7 1.4 and 1.2, 8 1.1 and
/// 1.0; far from each other 2.0 and 2.0, 2.0 and 1.6, 1.2 and 1.2, 1.2 and 1.2; f32 3 1.8 and 1.3, 6 1.1 and 1.1; every
/// third u8 2 2.8 and 1.4, 5 1.9 and 1.1; rows of 20 to 80 MB of two lines 1.0 to 2.3, longer 0.9 to 1.5.
const SHORT: usize = 7;

/// Cells of the shortest row. Times as fast as cell by cell: every second u8 4 5, 12 5.5, 31 13; u16 4 5, f32 4 4.5.
const SHORTEST: usize = 4;

/// Straight rows whose cells are as far apart on both sides.
pub(super) fn takes(ask: &Ask) -> bool {
    let step = ask.dst_step;
    let near = (1..=NEAR as isize).contains(&step) && ask.cell as isize <= step;
    let same = ask.pairing == Pairing::Straight && ask.src_step == step;
    same && near && ask.cols >= SHORTEST
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "strided-any-avx512-1x64",
    family: Family::Strided,
    cell: CellSize::Any,
    isa: Isa::Avx512,
    tile: Tile {
        rows: 1,
        cols: LINE,
    },
    needs: takes,
    call: Call::Cached(cached),
}];
