//! Bands whose source rows are staged, in turn with the stage of what comes next.
//!
//! A file of its own because of the order. [`staged`](super::whole_lines) copies some lines of each source row side by
//! side, and then moves them, in which time nothing is read. Here there are two such stages, and some lines of the
//! next one are copied after those of a few rows are streamed from this one:
//!
//! ```text
//!   stage 0   | copied | streamed         | copied           | streamed ..
//!   stage 1   |        | copied           | streamed         | copied   ..
//! ```
//!
//! Of the roof, [`staged`](super::whole_lines) and so, again and again, and after all had been flushed (2-core AVX-512
//! server VM, Zen 5): u16 4096x4096 0.65 and 0.85, 0.72 and 0.96; 8192x8192 0.73 and 0.98, 0.80 and 1.04; 4000x4096
//! 0.73 and 1.08, 0.81 and 1.04; joined with what is carried, 8191x2049 0.47 and 0.53, 0.52 and 0.57, 4097x4095 level;
//! AVX2, 4096x4096 0.67 and 0.80, 8192x8192 0.70 and 0.83, f32 4096x4096 0.59 and 0.65; but f64 0.89 and 0.75, 16
//! bytes 1.08 and 0.84.

use super::band_stage::Stage;
use super::columns::Columns;
use super::line::LineTile;
use super::lines::Addressing;
use super::reads::Reads;
use super::stream::{Out, Place};
use super::whole_lines::{lines, put};
use crate::cpu::from_zen5;

/// Bytes of single bytes at least: 8000x8000 0.93 and 0.92, 0.75 and 0.86, 12032x6016 0.72 and 0.83 both ways,
/// 4032x4032 0.73 and 0.67, 0.68 and 0.77; but axes reversed, 16 MiB, 0.58 and 0.48, 0.44 and 0.38.
const LARGE: usize = 32 << 20;

/// Whether a band of such a source is moved so, by so many lines of each row. On Zen 5, others were not asked. Not
/// where short rows follow each other: u16 100000x256 0.84 and 0.55, u8 0.40 and 0.34.
#[inline(always)]
pub(super) fn pays<T: LineTile<R>, const R: usize, const N: usize, const LINES: usize>(
    reads: Reads<'_>,
    rows: usize,
) -> bool {
    let pays = match T::CELL {
        1 => rows * reads.count >= LARGE,
        2 | 4 => true,
        _ => false,
    };
    pays && Stage::holds(2 * N * T::CELLS, LINES) && reads.sequence.is_none() && from_zen5()
}

/// Moves lines of each row of a place, from row `r` on, `LINES` at a time of each source row through one of two
/// stages; the row where less than that is left.
///
/// # Safety
/// As [`whole_lines`](super::whole_lines::whole_lines), where this [`pays`]; the stage has no other reference.
#[inline(always)]
pub(super) unsafe fn staged<T: LineTile<R>, const R: usize, const N: usize, const LINES: usize>(
    tile: T,
    (src, columns): (impl Addressing, &Columns),
    place: &Place,
    reads: Reads<'_>,
    out: impl Out<T::Line, N>,
    (stage, mut r): (&mut Stage, usize),
) -> usize {
    let (cells, band, end) = (T::CELLS, N * T::CELLS, place.rows.end);
    let high = LINES * cells;
    // Source rows that are copied after lines of `R` rows are streamed, which are `high / R` times in a stage.
    let each = band * R / high;
    debug_assert!(
        Stage::holds(2 * band, LINES) && each * high == band * R,
        "two stages, all rows of each"
    );
    // Where the rows of this stage, and of the next one, begin.
    let (mut this, mut next) = (0, band);
    if r + high <= end {
        // SAFETY: shape: the place has N * cells columns, all source rows, which the stage holds; range: from row r
        // on, as many rows as are read are the place's; ISA: passed on.
        unsafe { stage.fill::<T::Line, LINES>(this, band, columns.lines(0, r * T::CELL)) }
    }
    while r + high <= end {
        let after = r + high;
        let mut copied = 0;
        for line in 0..LINES {
            let rows = lines::<N>(columns, cells, r * T::CELL);
            let at = (r - place.rows.start) * T::CELL;
            // SAFETY: shape, range: as above, where there are so many rows after these; rows of this stage were
            // copied; the rest is passed on.
            unsafe {
                reads.prefetch::<T, R, N>(src, &rows, place, at);
                let mut from = [stage.lines::<LINES>(this, line); N];
                for (i, from) in from.iter_mut().enumerate().skip(1) {
                    *from = stage.lines::<LINES>(this + i * cells, line);
                }
                for block in 0..cells / R {
                    put(tile, &from, (block, r + block * R), out);
                    if after + high <= end {
                        let from = columns.lines(copied, after * T::CELL);
                        stage.fill::<T::Line, LINES>(next + copied, each, from);
                    }
                    copied += each;
                }
            }
            r += cells;
        }
        (this, next) = (next, this);
    }
    r
}
