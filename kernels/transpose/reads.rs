//! How a streaming transposition reads the source of a band, along its rows.
//!
//! A file of its own because out of the caches the reads decide, and what serves them depends on how
//! source rows lie to each other:
//!
//! - anyhow: the next line of each row is prefetched, or, on cores that lose track of so many streams,
//!   [`segments`](super::segments) of one row after the other;
//! - short rows that lie apart: the same line of rows of a later band;
//! - short rows [`back_to_back`](super::back_to_back) are one sequential stream, or one in [groups](super::in_groups);
//! - rows a multiple of 4 KiB apart share one set of the first-level cache, which has fewer ways than
//!   the band has rows, and what is prefetched does not stay. A tile that comes back to a line finds it
//!   gone: tiles that take whole lines ([`LineTile::SQUARE`]) do not; for others, some lines of each row
//!   are copied side by side at once ([`band_stage`](super::band_stage)), and transposed there;
//! - bands of 1- and 2-byte cells have so many rows that they fill a set sooner, and are staged more
//!   often; where they share one, more lines of each row are prefetched at a time, row by row.
//!
//! Squares are worth their shuffles everywhere: loads of all lines of a tile come before its stores, so
//! that those of the next tiles are under way while this one is shuffled; a stage holds up what follows
//! for the length of its copy. f32, whole lines and quarters: 4096x4096 0.89 and (staged) 0.79, 8192x8192
//! 0.79, 0.67; 7296x7296 0.96, 0.88; 20480x2304 0.95, 0.83; 43392x1216 0.91, 0.78; f64 4096x4096 0.94, 0.79.
//!
//! Figures are ratios to the roof (the better of memcpy and a streaming copy of four interleaved
//! pages) of f32 panels with AVX-512 on a 2-core AVX-512 server VM with huge pages. Those of the constants
//! below were measured with quarters.

use super::back_to_back::{BackToBack, follow};
use super::in_groups::InGroups;
use super::line::LineTile;
use super::lines::{Addressing, Lines, crowded, ragged};
use super::segments::{Segments, Source};
use super::sequence::Sequence;
use super::stream::Place;
use crate::cpu::{before_zen5, by_amd, to_zen3};
use crate::fence::in_panels;
use crate::isa::{prefetch, prefetch_ahead};
use crate::panel::{Rows, Side};

/// What the rows of a source ask for.
#[derive(Clone, Copy)]
pub(super) struct Reads<'a> {
    /// Rows share a set of the cache: they are staged, where tiles are no squares.
    pub(super) staged: bool,
    /// There are so many in a set that lines do not stay until they are come back to. Asked of 2-byte cells alone.
    pub(super) crowded: bool,
    /// They are staged [`LONG`](super::band_stage::LONG) lines at a time, whatever the tiles are.
    pub(super) long: bool,
    pub(super) ahead: Ahead,
    /// Rows are short and one sequence.
    pub(super) sequence: Option<Sequence<'a>>,
    /// Whether they are at a stride.
    pub(super) strided: bool,
    /// Whether other threads move the rest.
    pub(super) shared: bool,
    /// Rows.
    pub(super) count: usize,
    /// Bytes from the first row to what is read after them.
    next: Option<isize>,
}

/// What is prefetched while a band is read.
#[derive(Clone, Copy)]
pub(super) enum Ahead {
    Nothing,
    /// A line of each row, a while before it is read.
    Lines,
    /// The next line of each row, of some rows before each tile.
    Between,
    /// Segments of rows, row by row, while those before them are read of all rows.
    Segments(Segments),
    /// The same line of each row, of rows so many columns on: if the panel ends before them, of another one, which is taken
    /// to be as far from the next one as that is from this. Of the roof, into the second-level cache and not so, and so, in
    /// the mean of panels of 32 to 2048 columns, 16 to 48 MB (Zen 5): f64, source rows of 32 bytes 0.33 and 0.63, of 64 0.48
    /// and 0.79, of 128 0.80 and 0.99, of 256 0.90 and 0.99, of 640 0.84 and 1.18; 16 bytes, of 96 0.72 and 0.80, of 192 0.72
    /// and 0.88, of 640 0.65 and 1.09; in the mean of 200 0.67 and 0.82.
    Later(usize),
}

impl<'a> Reads<'a> {
    /// Bytes between a load and the prefetch that goes before it. 7264x7264: 0.98 with 128, 0.98 with
    /// 256, 0.78 with none; 384x2320, 59 of them: 0.75, 0.71, 0.49.
    const AHEAD: usize = 128;
    /// Rows this many bytes apart are crowded. Staged, 4096x4096: 0.92, 0.77 with the next line prefetched
    /// or not; 2048x2048: 0.97, 0.81; 8192x8192: 0.71, 0.40. One line of each row instead of two:
    /// 0.80, 0.90, 0.60. Other rows lose by it (7264x7264: 0.74).
    const ALIAS: usize = 4096;
    /// Rows below this many bytes are over before the CPU has seen where they go: where the next one does not follow,
    /// lines of later rows are asked for, but on AMD's cores before Zen 5. Of the roof, 16 MiB, Xeon, after all had
    /// been flushed, the next line of each row and so: f32 47 columns of 44x45 [1, 3, 0, 2] 0.51 and 0.65, f64 40 of
    /// 37x38 0.54 and 0.71, 12 of 9x10x11 0.47 and 0.66, u16 56 of 53x54 0.44 and 0.58, 15 of 12x13x14 0.32 and 0.47,
    /// u8 66 of 63x65 0.42 and 0.67; f32 160 of 162x161, reversed, 0.62 and 0.81, again and again 0.86 and 0.89; in
    /// the mean of 29 0.57 and 0.67, again and again 0.86 both. Rows of 864 bytes are level. Zen 5, permutations of 16
    /// MiB: u8 [3, 0, 2, 1] 0.43 and 0.59, u16 [3, 1, 2, 0] 0.44 and 0.71, f32 [1, 3, 2, 0] 0.60 and 0.82, f64 [3, 2,
    /// 1, 0] 0.71 and 0.89, 16 bytes [3, 1, 0, 2] 0.80 and 1.13.
    const FEW_LINES: usize = 768;
    /// The same of 1- and 2-byte cells, of which a band has more rows. After all had been flushed, and again and again: u16
    /// 202 of 204x203, reversed, 0.60 and 0.59, 0.90 and 0.84; 180 of 12 to 16, reversed, 0.47 and 0.45, 0.81 and 0.70; u8
    /// 238 of 14 to 18 0.50 both ways, 0.72 and 0.66. *Guess* between them and 112 bytes.
    const FEW_LINES_OF_SMALL: usize = 192;
    /// The same of 2-byte cells in bands of one line, of 32 rows. So: u16 300 of 300x301 reversed 0.73 and 0.83, 0.89
    /// both ways; 202 of 204x203 0.59 and 0.74, 0.90 and 0.88; 572 of 22 to 26 reversed 0.75 and 0.72, 0.73 and 0.79.
    const FEW_LINES_OF_PAIRS: usize = 1200;
    /// Bytes of rows between a load and the lines of later ones that are asked for then, at least. With 4 KiB, f64 40
    /// columns of 1482x37 0.70, and 0.62 with this, but again and again 0.63 and 0.86; others by which this is more than
    /// the next band are level; 16 KiB and more lose.
    const LATER: usize = 8 << 10;
    /// Bytes of each row of a band that are prefetched at a time where rows of small cells are
    /// [`Self::ALIAS`] bytes apart. u16 8192x8192: 0.40 without, 0.42, 0.67, 0.68 and 0.65 with 128,
    /// 256, 512 and 1024; u8 0.52, 0.43, 0.53, 0.55, 0.58; 4096x4096, u16: 0.84, 0.77, 0.88, 0.87, 0.88.
    /// Four rows at a time instead of one after the other: the same. Rows that are staged but not
    /// aliased lose (u8 5000x5000 0.66, 0.62), and so do 4-byte cells (8192x8192 0.66, 0.60).
    const SEGMENT: usize = 512;

    /// Rows below so many bytes are over before the CPU has seen them, in bands of so many lines.
    fn few_lines<const N: usize>(cell: usize) -> usize {
        match (cell, N) {
            (2, 1) => Self::FEW_LINES_OF_PAIRS,
            (..=2, _) => Self::FEW_LINES_OF_SMALL,
            _ => Self::FEW_LINES,
        }
    }

    /// Whether bands of 128, 64 or fewer rows are staged. Always, of single bytes: 5000x5000 0.66
    /// instead of 0.59, 1000x16000 0.75 instead of 0.66, 4097x4095 0.61 instead of 0.48. Two-byte
    /// cells: 4097x4095 0.72 instead of 0.66, but 5000x5000 0.64 instead of 0.87. Squares are not, but are
    /// not prefetched either where that is crowded: f32 4097x4097 1.28 of memcpy instead of 1.14,
    /// 2047x2047 0.80 instead of 0.74, 1025x1025 0.76 instead of 0.70; and 8-byte cells the same. Others where
    /// that is crowded: with AVX2 (Zen 4), f32 512 rows of 1500 cells, of which source rows are 2 KiB apart, 0.44
    /// of the roof instead of 0.25; other strides below a page the same. Of 2-byte cells whose lines are joined, on other
    /// than AMD's cores, where rows are in half the sets as well: 5000x6016 0.56 and, so, 0.84, 3001x3904 0.74 and 0.88.
    /// Not bands of one line, which are for rows [that are in more](super::extent::narrow).
    #[inline(always)]
    fn staged<T: LineTile<R>, const R: usize, const N: usize>(apart: usize) -> bool {
        match T::CELL {
            1 => true,
            2 if !by_amd() => N > 1 && crowded(apart, 8 * T::CELLS),
            _ => crowded(apart, 2 * T::CELLS),
        }
    }

    /// Whether bands that are staged are so by [`LONG`](super::band_stage::LONG) lines of each row. On AMD's cores,
    /// where rows are `ragged`, and so each of their lines is read in two parts, but if it is read with the next one. With
    /// tiles that load quarters: they are as good as squares there. Of the roof (Zen 4), by two lines, or
    /// squares, and so: f32 4097x4095 0.50 and 0.65, 8191x2049 0.52 and 0.69, 1025x1025 0.27 and 0.40; f64
    /// 2049x2047 0.69 and 0.78; AVX2 f32 4097x4095 0.44 and 0.64, 8191x2049 0.44 and 0.72. Six lines or eight:
    /// f32 less than four. Not where rows start at lines: squares 4096x4096 0.79 and 0.74, f64 0.84 and 0.80;
    /// but single bytes in bands of one line, 4096x4096 0.48 and 0.57, 8192x8192 0.53 and 0.64. Not two-byte
    /// cells in bands of two lines, of which that is half the first-level cache: 4097x4095 0.50 and 0.40. Not on Zen
    /// 5, f32 4097x4095 0.85 and 0.57, u16 0.55 and 0.47, f64 1.09 and 1.03; single bytes are level there. Elsewhere
    /// 2-byte cells, anyhow: 4097x4095 0.84 and 0.88, after all had been flushed 0.54 and 0.59; 5024x6016 0.87 and 0.90.
    fn long<T: LineTile<R>, const R: usize, const N: usize>(ragged: bool) -> bool {
        let pays = match T::CELL {
            1 => N == 1,
            2 => N == 1 && ragged,
            _ => ragged,
        };
        if by_amd() {
            pays && before_zen5()
        } else {
            T::CELL == 2
        }
    }

    /// What is read after the rows starts `next` bytes after the first one; `shared` is what the guard says; `joins`
    /// says whether destination lines are joined with what is carried.
    ///
    /// # Safety
    /// - Shape: `src` addresses at least two rows, of `row` bytes, `count` of them.
    #[inline(always)]
    pub(super) unsafe fn of<T: LineTile<R>, const R: usize, const N: usize>(
        (row, count): (usize, usize),
        src: Side<'a>,
        (next, shared): (Option<isize>, bool),
        joins: bool,
    ) -> Self {
        // SAFETY: shape: passed on.
        let (first, second) = unsafe { (src.row(0), src.row(1)) };
        let apart = second.addr().wrapping_sub(first.addr());
        // SAFETY: shape: passed on.
        let follow = unsafe { follow(src, count, row) };
        let stream = match follow {
            true => BackToBack::of::<T, R, N>(first, row, joins),
            false => None,
        };
        let groups = match follow {
            true => None,
            // SAFETY: shape: passed on.
            false => unsafe { InGroups::of::<T, R, N>((row, count), src, next) },
        };
        let staged = Self::staged::<T, R, N>(apart);
        let aliased = T::CELL <= 2 && apart.is_multiple_of(Self::ALIAS);
        let ragged = ragged(first.addr(), apart);
        let source = Source {
            band: N * T::CELLS,
            count,
            bytes: row,
            cell: T::CELL,
            stream: stream.is_some(),
            follows: apart == row,
            crowded: staged,
            ragged,
        };
        // Of the roof, in segments and so, Zen 3, AVX2: f32 4000x4000 0.66 and 0.82, f64 0.60 and 0.68, u16 0.56 and 0.60;
        // but where rows crowd, u8 256x257x255 reversed 0.40 and 0.20.
        let between = N == 1 && to_zen3() && stream.is_none() && !crowded(apart, T::CELLS);
        let ahead = if between {
            Ahead::Between
        } else if groups.is_some() {
            Ahead::Nothing
        } else {
            match Segments::of(source) {
                Some(segments) => Ahead::Segments(segments),
                None if aliased => Ahead::Segments(Segments::new(Self::SEGMENT)),
                None if !follow && row < Self::few_lines::<N>(T::CELL) && !before_zen5() => {
                    Ahead::Later(Self::LATER.div_ceil(row).next_multiple_of(N * T::CELLS))
                }
                None if staged => Ahead::Nothing,
                None => Ahead::Lines,
            }
        };
        let staged = staged && !between;
        Self {
            staged,
            crowded: T::CELL == 2 && crowded(apart, 2 * T::CELLS),
            long: staged && Self::long::<T, R, N>(ragged),
            ahead,
            sequence: stream
                .map(Sequence::Stream)
                .or(groups.map(Sequence::Groups)),
            strided: matches!(src.rows, Rows::Stride(_)),
            shared,
            count,
            next,
        }
    }

    /// Prefetches what later loads from the source rows of a band should not wait for, before a line is read of
    /// each of them, `at` bytes into the place, from `from` on.
    ///
    /// # Safety
    /// - Shape: lines below `T::CELLS` of each of `from` exist; `src` addresses the rows that this was made
    ///   for, and the columns of the place are some of them.
    #[inline(always)]
    pub(super) unsafe fn prefetch<T: LineTile<R>, const R: usize, const N: usize>(
        self,
        src: impl Addressing,
        from: &[impl Lines; N],
        place: &Place,
        at: usize,
    ) {
        match self.ahead {
            Ahead::Nothing | Ahead::Between => {}
            Ahead::Lines => {
                for i in 0..T::CELLS {
                    for lines in from {
                        // SAFETY: shape: i is below CELLS.
                        prefetch(unsafe { lines.at(i) }.wrapping_add(Self::AHEAD));
                    }
                }
            }
            Ahead::Later(columns) => {
                let skipped = place.rows.start * T::CELL + at;
                let asked = (place.cols.start + columns, N * T::CELLS);
                // SAFETY: shape: passed on.
                unsafe { later(src, asked, (self.count, self.next), skipped) };
            }
            Ahead::Segments(segments) => {
                let row = place.rows.len() * T::CELL;
                let skipped = place.rows.start * T::CELL;
                let rows = place.cols.start..self.count;
                // SAFETY: shape: these are source rows.
                unsafe { segments.ask((at, N * T::CELLS, row), src, rows, skipped, self.next) };
            }
        }
    }

    /// Prefetches a line of each source row of the first line of the band after a place, if there is a whole one: so many
    /// bytes into the rows of the place. Of the roof, without and so, f32, again and again, and after all had been flushed
    /// (Xeon): 48x352x4x28x28 [1, 3, 0, 4, 2] 0.75 and 0.78 both ways, 96x12x75x608 reversed 0.82 and 0.85, 0.81 and 0.84;
    /// 28 panels of 1344x1408, source rows 38 pages and a half apart, 0.79 and 0.81; others are level.
    ///
    /// # Safety
    /// - Shape: as [`Self::prefetch`].
    #[inline(never)] // inlined, ten f32 of TTC 0.844 of the roof instead of 0.852: registers, where squares are made
    pub(super) unsafe fn next_band<T: LineTile<R>, const R: usize, const N: usize>(
        self,
        src: impl Addressing,
        place: &Place,
        at: usize,
    ) {
        let first = place.cols.end;
        if first + N * T::CELLS <= self.count {
            let skipped = place.rows.start * T::CELL + at;
            // SAFETY: shape: these are source rows.
            unsafe {
                src.each(first..first + T::CELLS, |row| {
                    prefetch(row.wrapping_add(skipped))
                })
            };
        }
    }

    /// How many source rows there are, if all are back to back.
    #[inline(always)]
    pub(super) fn streamed(self) -> Option<usize> {
        matches!(self.sequence, Some(Sequence::Stream(_))).then_some(self.count)
    }
}

/// Prefetches a line of each of `band` source rows from `first` on, `skipped` bytes into them: of a panel's `count` rows
/// or, if there are no such rows, of a panel after it.
///
/// # Safety
/// - Shape: `src` addresses `count` rows.
#[inline(never)] // with loops that do not need it, f32 10x1024x4x312 [3, 0, 1, 2] 0.87 of the roof instead of 1.07
unsafe fn later(
    src: impl Addressing,
    (first, band): (usize, usize),
    (count, next): (usize, Option<isize>),
    skipped: usize,
) {
    let Some((first, on)) = in_panels(first, count, next) else {
        return;
    };
    let skipped = skipped.wrapping_add_signed(on);
    let rows = first..count.min(first + band);
    // SAFETY: shape: these are source rows.
    unsafe { src.each(rows, |row| prefetch_ahead(row.wrapping_add(skipped))) };
}
