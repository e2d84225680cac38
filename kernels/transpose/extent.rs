//! How many lines wide the bands of a streaming transposition are, and how many rows high.
//!
//! A file of its own because these are measurements: what a band reads at a time are as many source rows as
//! its lines have columns, what it writes are its lines in as many places as it has rows, and memory likes few
//! of either. The walk is [`stream`](super::stream)'s.

use super::lines::{crowded, pages_apart, ragged};
use super::segments::Segments;
use super::squares;
use super::stream::apart;
use crate::cpu::{before_zen5, by_amd, to_zen3, zen4};
use crate::panel::{LINE, PAGE, Panel, Rows, Side};

/// Lines of a row from which on bands are four lines wide, not two, whatever is left over.
const LONG: usize = 8;

/// Whether bands of four lines pay, of cells of 8 and 16 bytes: 32 source rows are then two bands or one.
/// f64 8192x8192 0.84 of the roof, with two lines 0.81; 4096x4096 0.94, 0.86; 4000x4000 1.01, 0.90. 16
/// bytes 4096x4096 0.94, 0.87, with eight lines 0.91; 4000x4000 1.06, 0.95, 1.04. Not where 8-byte cells
/// are carried: 4097x4095 0.78, with two lines 0.80.
///
/// On Zen 4 there as well, if bands are [many]. Of the roof, two lines and four, again and again, and after all had been
/// flushed: 4097x4095 0.61 and 0.75, 0.59 and 0.73; rows of 4131 cells 0.80 and 0.89, 0.77 and 0.87; 1000x1003 0.44 and
/// 0.52; 54834 columns of 39x38x40 [3, 1, 0, 2] 0.54 and 0.81, 0.62 and 0.83; in the mean of 76 permutations of 17 MB 0.69
/// and 0.73, 0.82 and 0.86. With AVX2 4131 cells 0.89 and 0.88.
pub(super) fn wide(panel: &Panel<'_>) -> bool {
    let carried = || zen4() && many(panel, 4);
    fills_four(panel) && (panel.cell > 8 || apart(panel) || carried())
}

/// Whether rows are long enough for bands of so many lines to be many: what begins and ends a row is moved otherwise, and
/// slower. f64 from 306 columns, two lines and four: 0.55 and 0.50, after all had been flushed 0.75 and 0.57.
fn many(panel: &Panel<'_>, lines: usize) -> bool {
    /// *Guess*, between 10 and 31.
    const MANY: usize = 16;
    panel.cols * panel.cell >= MANY * lines * LINE
}

/// Whether source rows are so short that bands of so many lines pay, 48 source rows, or 32 of 16-byte cells, on Zen 4:
/// of 4- and 8-byte cells where they are carried.
///
/// Of the roof, bands of two lines of 4-byte cells and three, again and again, and after all had been flushed: 24 source
/// rows' cells 0.40 and 0.46, 0.52 and 0.63; 47 0.64 and 0.73, 0.67 and 0.83; 96 0.66 and 0.75, 0.77 and 0.86; 256 0.70 and
/// 0.75, 0.85 both; but 388 0.68 and 0.71, 0.87 and 0.73, 1500 0.68 and 0.60; four lines, 130 0.67 and 0.67. Four lines of
/// 8-byte cells and six: 16 0.53 and 0.59, 0.54 and 0.66; 40 0.67 and 0.76, 0.74 and 0.76; 96 0.81 and 0.84, 0.82 and 0.77;
/// from rows 1 KB farther apart 0.49 and 0.62, 0.63 and 0.68; but 1024 0.73 and 0.70. Eight lines, 40 of
/// 40x54834 0.57 and 0.65, six 0.70. Of 16-byte cells four and eight: 24 0.65 and 0.82, 0.65 and 0.75; 48 0.97 and 1.03,
/// 1.26 and 1.31; but 64 1.13 and 1.03, 1.30 and 1.09; twelve, 48 1.00 and 0.96. Where nothing is carried, 4-byte cells
/// lose: 32 0.90 and 0.69.
pub(super) fn short(panel: &Panel<'_>, lines: usize) -> bool {
    const SHORT: usize = 1 << 10;
    const SHORT_OF_SIXTEEN: usize = 768;
    let bytes = panel.rows * panel.cell;
    zen4()
        && many(panel, lines)
        && match panel.cell {
            16 => bytes <= SHORT_OF_SIXTEEN,
            _ => bytes <= SHORT && !apart(panel),
        }
}

/// The same of 4-byte cells, of which those are 64 source rows: where rows of both sides start whole pages apart, on AMD's
/// cores before Zen 5, and on others than AMD's where bands are moved [in turns](squares).
///
/// Of the roof (Zen 4), two lines and four: 4096x4096 0.74 and 0.82, 8192x8192 0.76 and 0.87; axes reversed,
/// 48x28x28x28x48 0.67 and 0.88, 352x4x28x28x48 0.68 and 0.83, 48x4x28x28x352 0.64 and 0.73. Other rows lose:
/// 7296x7296 0.85 and 0.75, 65536 of 1 KiB 0.86 and 0.49, axes reversed, 96x12x75x608 0.87 and 0.79; where
/// those of the destination start so, 48x4x28x352x28 [3, 2, 1, 4, 0] 0.89 and 0.66. So do other cores: 4096x4096
/// 0.89 and 0.65, 7296x7296 0.96 and 0.60 (2-core AVX-512 server VM, Xeon, not in turns); 4096x4096 1.11 and 0.73,
/// 8192x8192 1.09 and 0.68, axes reversed 48x28x28x28x48 0.91 and 0.56 (Zen 5); and tiles that load quarters.
///
/// In turns (Xeon), again and again, and after all had been flushed: 4096x4096 0.90 and 0.89, 0.79 and 0.82; 8192x8192 0.77
/// and 0.79, 0.77 and 0.79; 16384x16384 0.59 and 0.75, 0.58 and 0.74; 1024x65536 0.77 and 0.83, 0.81 and 0.86; 3072x5120
/// 0.91 and 0.93, 0.79 and 0.85. Where those of the source alone do, 4096x4000 0.97 and 0.82; of the destination,
/// 4000x4096 level; rows of tables, 48x4x28x28x352 reversed 0.76 and 0.68.
pub(super) fn wide_by_pages(panel: &Panel<'_>) -> bool {
    let turns = || !by_amd() && squares::blocks(panel.rows, LINE / panel.cell) >= 2;
    let by_pages = |side: &Side<'_>| match side.rows {
        Rows::Offsets(_) if !before_zen5() => false,
        _ => first_stride(side).is_some_and(|stride| pages_apart(&Rows::Stride(stride), 0)),
    };
    (before_zen5() || turns())
        && fills_four(panel)
        && by_pages(&panel.dst)
        && by_pages(&panel.src)
        && apart(panel)
}

/// Whether bands of four lines leave little over.
fn fills_four(panel: &Panel<'_>) -> bool {
    let bytes = panel.cols * panel.cell;
    bytes >= LONG * LINE || bytes.is_multiple_of(4 * LINE)
}

/// Whether lines of rows that follow each other crowd on Zen 3 and before, so that some of a row have to be written
/// one after the other: where rows are multiples of 512 bytes apart, or nearly. Lines go by eight ways there, and the
/// place of a line decides by which.
///
/// GB/s of writes around the caches, one, two and four lines of a row at a time (2-core server VM, Zen 3): rows 4096,
/// 4608 and 16384 bytes apart 7, 14 and 24.5; an odd multiple of 256 bytes 13, 24 and 24; all others 24.
pub(super) fn lines_crowd(panel: &Panel<'_>) -> bool {
    const WAYS: usize = 8 * LINE;
    const NEAR: usize = LINE / 4;
    let near = |stride: isize| (stride.unsigned_abs() + NEAR) % WAYS <= 2 * NEAR;
    to_zen3() && first_stride(&panel.dst).is_some_and(near)
}

/// Bytes from the first row to the second one: of a table, those of its innermost dimension.
pub(super) fn first_stride(side: &Side<'_>) -> Option<isize> {
    match side.rows {
        Rows::Stride(stride) => Some(stride),
        Rows::Offsets(&[first, second, ..]) => Some(second - first),
        _ => None,
    }
}

/// Whether bands of one line pay, where destination rows start whole lines apart, on Zen 3 and before: those follow 16
/// source rows, and read 64 half as fast, and the more lines of a row are written at a time, the more source rows
/// there are.
///
/// Of the roof, two lines and one (2-core server VM, Zen 3, AVX2): f32 4000x4000 0.57 and 0.82, 2000x2008 0.75 and
/// 0.95; f64 4000x4000 0.65 and 0.74; u16 4000x4000 0.45 and 0.60; u8 4032x4032 0.35 and 0.52. Where rows are carried
/// f64 loses, 4097x4095 0.43 and 0.35, and so do others where [lines crowd](lines_crowd).
pub(super) fn single(panel: &Panel<'_>) -> bool {
    to_zen3() && !lines_crowd(panel) && apart(panel)
}

/// Whether bands of one line pay, of cells of 1 and 2 bytes.
///
/// On AMD's cores. Of single bytes two lines are 128 source rows, which where those are whole pages apart are too many
/// for the sets of the second-level cache to be read in segments. Of the roof (Zen 4), one line and two: 4096x4096
/// 0.55, 0.51; 8192x8192 0.56, 0.41; 2048x16384 0.46, 0.43. Not others: 4032x4032 0.35, 0.74; 4001x4001 0.25, 0.34.
///
/// Of two-byte cells they are 64, each line of which is read in two parts where rows do not start at lines:
/// 4001x4001 0.86, 0.63; 2001x7001 0.89, 0.65; 600x30011 0.72, 0.50; 4097x4095 0.53, 0.53; with AVX2, of rows that
/// go whole lines apart, 3001x3001 0.84, 0.58. Not where they do: 5001 rows 0.79, 0.85; nor shorter rows:
/// 300x60001 0.67, 0.69. Wider cells lose by it (f32 3001x5003 0.80, 0.91).
///
/// On others, of two-byte cells, where the second line of a band is in another pair than the first, in some rows or in all:
/// a CPU that follows 32 source rows loses half of 64. Not where those [share sets](crowded) of the first-level cache. Of
/// the roof, two lines and one, again and again, and after all had been flushed (Xeon): 5003x6001 0.89 and 0.88, 0.53 and
/// 0.79; 2896x2895 0.91 and 0.90, 0.59 and 0.79; 100x100x1601 reversed 0.95 and 0.93, 0.54 and 0.86; 3001x3904 0.89 and
/// 0.86, 0.53 and 0.76; whole lines, an odd number of them in a row, 5024x6016 0.95 and 0.98, 0.85 and 0.96; an even one,
/// 4992x4992 0.94 and 0.75, 0.83 and 0.65; or nearly that, 1801 rows that go so many bytes beyond whole pairs: 2 0.89 and
/// 0.70, 0.71 and 0.62; 4 0.89 and 0.77, 0.70 and 0.69; 6 0.91 and 0.86, 0.71 and 0.74; 8 0.89 and 0.88, 0.70 and 0.77; 12
/// and more 0.90 and 0.90, 0.71 and 0.80; two and four before them as two and four beyond. Sets shared by some, 5000x6016
/// 0.84 and 0.80, 0.54 and 0.63; by many, 4097x4095 0.88 and 0.64, 0.59 and 0.50. Single bytes and wider cells lose.
pub(super) fn narrow(panel: &Panel<'_>) -> bool {
    const LONG: usize = 1 << 10;
    /// Rows that would be as many as their sets have ways: four times those of a band of one line.
    const SHARING: usize = 4 * LINE / 2;
    /// Bytes from a whole number of pairs by which some rows are as good as that.
    const NEAR: usize = 6;
    let (bytes, src) = (panel.rows * panel.cell, panel.src);
    match (panel.cell, src.rows) {
        (1, rows) => pages_apart(&rows, 0) && Segments::several(LINE, bytes),
        (_, Rows::Stride(stride)) if by_amd() => {
            bytes >= LONG && ragged(src.base.addr(), stride.cast_unsigned())
        }
        (2, _) if !by_amd() => {
            let pairs = |stride: isize| (stride.unsigned_abs() + NEAR) % (2 * LINE) <= 2 * NEAR;
            let shared = |stride: isize| crowded(stride.unsigned_abs(), SHARING);
            first_stride(&panel.dst).is_some_and(|stride| !pairs(stride))
                && first_stride(&src).is_some_and(|stride| !shared(stride))
        }
        _ => false,
    }
}

/// The same, or [single].
pub(super) fn narrow_or_single(panel: &Panel<'_>) -> bool {
    single(panel) || narrow(panel)
}

/// Rows of a band where nothing is carried, those of a panel dealt out evenly: as many as lie in pages whose places
/// AMD's cores before Zen 5 remember from one band to the next. Zen 4 remembers 3072 of 4 KiB, which is what pages are
/// to it where a host has none that are larger, whatever its guests have.
///
/// Of the roof on such a host, all rows, 2048 and 1024: f32 4000x4000 0.93, 1.08, 0.93 to 1.04; 1216x43408
/// 0.92, 1.0, 0.91; axes reversed, 112x5x15x15x15x32 0.60, 0.77, 0.85; 352x48x4x28x28 [1, 3, 0, 4, 2] 0.90,
/// 1.01, 1.0; f64 5008x3000 0.92, 1.0, 0.97; 16 bytes 3000x3000 0.89, 0.98, 0.96. Cells of 1 and 2 bytes: u16
/// 4000x4000 0.63, 0.68, 0.70; u8 8192x8192 0.37, 0.39, 0.43. Rows that are four pages apart, or eight, share
/// the places for a quarter of the pages, and short reads lose more: f32 8192x8192 0.78, 0.70, 0.65; two, f32
/// 2048x2048 0.58, 0.60, 0.67.
///
/// Zen 5 loses by it, so and all rows, huge pages, and pages of 4 KiB: f32 7264x7264 1.06 and 1.26, 1.11 and 1.24;
/// 43408x1216 1.00 and 1.20, 1.03 and 1.30; 12000x12000 1.01 and 1.20, level; f64 6000x6000 1.10 and 1.26, 1.08 and
/// 1.21; u16 7200x7200 0.86 and 1.17, 0.89 and 1.18; u8 level.
pub(super) fn high(panel: &Panel<'_>) -> usize {
    /// Pages that are remembered beside those of the source.
    const PAGES: usize = 2048;
    const PAGES_OF_SMALL: usize = 1024;
    if !before_zen5() {
        return panel.rows;
    }
    let sharing = match panel.dst.rows {
        Rows::Stride(stride) if pages_apart(&panel.dst.rows, 0) => {
            (stride.unsigned_abs() / PAGE).trailing_zeros()
        }
        _ => 0,
    };
    let most = match (sharing, panel.cell) {
        (0, 4..) => PAGES,
        (0 | 1, _) => PAGES_OF_SMALL,
        _ => return panel.rows,
    };
    if panel.rows <= most {
        return panel.rows;
    }
    let pieces = pages(&panel.dst.rows, panel.rows).div_ceil(most);
    panel.rows.div_ceil(pieces).next_multiple_of(LINE)
}

/// How many pages, about, so many rows of a panel start in. A table is taken to be one of nested dimensions.
fn pages(rows: &Rows<'_>, count: usize) -> usize {
    let along = |apart: isize, times: usize| {
        let apart = apart.unsigned_abs().min(PAGE);
        (apart * times).div_ceil(PAGE).max(1)
    };
    match *rows {
        Rows::Stride(stride) => along(stride, count),
        Rows::Offsets(table) => {
            let (mut all, mut inner) = (1, 1);
            while inner < count {
                let apart = table[inner] - table[0];
                let goes_on = |&i: &usize| table[i * inner] - table[0] == i as isize * apart;
                let times = (1..count.div_ceil(inner)).take_while(goes_on).count() + 1;
                all *= along(apart, times);
                inner *= times;
            }
            all
        }
        Rows::Pointers(..) => count,
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    /// Starts of rows in nested dimensions, innermost first.
    fn table(dims: &[(usize, isize)]) -> Vec<isize> {
        dims.iter().fold(vec![0], |inner, &(extent, apart)| {
            let starts = (0..extent as isize).map(|i| i * apart);
            starts
                .flat_map(|start| inner.iter().map(move |at| at + start))
                .collect()
        })
    }

    #[test]
    fn pages_are_counted_where_rows_start() {
        let page = PAGE as isize;
        assert_eq!(pages(&Rows::Stride(page), 100), 100);
        assert_eq!(pages(&Rows::Stride(-3 * page), 100), 100);
        assert_eq!(pages(&Rows::Stride(page / 4), 100), 25);
        assert_eq!(pages(&Rows::Stride(64), 10), 1);
        for (dims, expected) in [
            (&[(32, 10 * page), (15, 1000 * page)][..], 480),
            (&[(96, 500 * page), (75, 384)], 96 * 8),
            (&[(32, page + 64), (5, 800 * page), (15, 448)], 32 * 5 * 2),
            (&[(8, 64), (8, 512)], 1),
        ] {
            let table = table(dims);
            let count = pages(&Rows::Offsets(&table), table.len());
            assert_eq!(count, expected, "{dims:?}");
        }
    }
}
