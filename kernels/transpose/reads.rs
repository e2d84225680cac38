//! How a streaming transposition reads the source of a band, along its rows.
//!
//! A file of its own because out of the caches the reads decide, and what serves them depends on how
//! source rows lie to each other:
//!
//! - anyhow: the next line of each row is prefetched, or, on cores that lose track of so many streams,
//!   [`segments`](super::segments) of one row after the other;
//! - short rows back to back are one sequential stream, and one stream alone is slow: it is read as
//!   four, by prefetching the quarters of the window after this one, all at the same time;
//! - rows a multiple of 4 KiB apart share one set of the first-level cache, which has fewer ways than
//!   the band has rows, and what is prefetched does not stay. A tile that comes back to a line finds it
//!   gone: tiles that take whole lines ([`LineTile::SQUARE`]) do not; for others, two lines of each row
//!   are copied side by side at once, and transposed there;
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

use core::mem::MaybeUninit;
use core::ops::Range;

use super::columns::{Columns, Places};
use super::line::{Line, LineTile};
use super::lines::{Addressing, Lines, Strided, crowded};
use super::segments::Segments;
use super::stream::{Out, Place};
use crate::isa::{prefetch, prefetch_second};
use crate::panel::LINE;

/// What the rows of a source ask for.
#[derive(Clone, Copy)]
pub(super) struct Reads {
    /// Rows share a set of the cache: they are staged, where tiles are no squares.
    staged: bool,
    ahead: Ahead,
    /// Rows are short and lie back to back; where the first one starts.
    stream: Option<*const u8>,
    /// Bytes of a row.
    row: usize,
    /// Rows.
    count: usize,
}

/// What is prefetched while a band is read.
#[derive(Clone, Copy)]
enum Ahead {
    Nothing,
    /// A line of each row, a while before it is read.
    Lines,
    /// Segments of rows, row by row, while those before them are read of all rows.
    Segments(Segments),
}

impl Reads {
    /// Bytes between a load and the prefetch that goes before it. 7264x7264: 0.98 with 128, 0.98 with
    /// 256, 0.78 with none; 384x2320, 59 of them: 0.75, 0.71, 0.49.
    const AHEAD: usize = 128;
    /// Rows below this many bytes are short. 4864 bytes (1216x43408): 0.85 with the next line alone,
    /// 0.87 with four streams; 3072: 0.91, 0.89; 2048: 0.85, 0.89; 1536 (384x2320): 0.75, 0.91; 384:
    /// 0.55, 0.82.
    const SHORT: usize = 4096;
    /// Bytes of a window. It leads beyond the panel, where the next one is: panels follow the source.
    /// Separate runs of 32 KiB from the start of each panel, and of this with windows at multiples of
    /// their size: 384x384, 355 of them: 0.80, 0.90; 384x2320, 59 of them: 0.88, 0.91; 96x96, 5625 of
    /// them: 0.75, 0.84; 96x608, 900 of them: 0.88, 0.89. Which of the two changes helps was not
    /// measured.
    const WINDOW: usize = 128 << 10;
    /// Rows this many bytes apart are crowded. Staged, 4096x4096: 0.92, 0.77 with the next line prefetched
    /// or not; 2048x2048: 0.97, 0.81; 8192x8192: 0.71, 0.40. One line of each row instead of two:
    /// 0.80, 0.90, 0.60. Other rows lose by it (7264x7264: 0.74).
    const ALIAS: usize = 4096;
    /// Bytes of each row of a band that are prefetched at a time where rows of small cells are
    /// [`Self::ALIAS`] bytes apart. u16 8192x8192: 0.40 without, 0.42, 0.67, 0.68 and 0.65 with 128,
    /// 256, 512 and 1024; u8 0.52, 0.43, 0.53, 0.55, 0.58; 4096x4096, u16: 0.84, 0.77, 0.88, 0.87, 0.88.
    /// Four rows at a time instead of one after the other: the same. Rows that are staged but not
    /// aliased lose (u8 5000x5000 0.66, 0.62), and so do 4-byte cells (8192x8192 0.66, 0.60).
    const SEGMENT: usize = 512;

    /// Whether bands of 128, 64 or fewer rows are staged. Always, of single bytes: 5000x5000 0.66
    /// instead of 0.59, 1000x16000 0.75 instead of 0.66, 4097x4095 0.61 instead of 0.48. Two-byte
    /// cells: 4097x4095 0.72 instead of 0.66, but 5000x5000 0.64 instead of 0.87. Squares are not, but are
    /// not prefetched either where that is crowded: f32 4097x4097 1.28 of memcpy instead of 1.14,
    /// 2047x2047 0.80 instead of 0.74, 1025x1025 0.76 instead of 0.70; and 8-byte cells the same. Others where
    /// that is crowded: with AVX2 (Zen 4), f32 512 rows of 1500 cells, of which source rows are 2 KiB apart, 0.44
    /// of the roof instead of 0.25; other strides below a page the same.
    #[inline(always)]
    fn staged<T: LineTile<R>, const R: usize>(apart: usize) -> bool {
        match T::CELL {
            1 => true,
            _ => crowded(apart, 2 * T::CELLS),
        }
    }

    /// # Safety
    /// - Shape: `src` addresses at least two rows, of `row` bytes, `count` of them.
    #[inline(always)]
    pub(super) unsafe fn of<T: LineTile<R>, const R: usize, const N: usize>(
        row: usize,
        count: usize,
        src: impl Addressing,
    ) -> Self {
        // SAFETY: shape: passed on.
        let (first, second) = unsafe { (src.row(0), src.row(1)) };
        let apart = second.addr().wrapping_sub(first.addr());
        let staged = Self::staged::<T, R>(apart);
        let aliased = T::CELL <= 2 && apart.is_multiple_of(Self::ALIAS);
        let ahead = match Segments::of(N * T::CELLS, row, count) {
            Some(segments) => Ahead::Segments(segments),
            None if aliased => Ahead::Segments(Segments::new(Self::SEGMENT)),
            None if staged => Ahead::Nothing,
            None => Ahead::Lines,
        };
        Self {
            staged,
            ahead,
            stream: (apart == row && row < Self::SHORT).then_some(first.cast_const()),
            row,
            count,
        }
    }

    /// Prefetches what later loads from the source rows of a band should not wait for, before `bytes` are read
    /// of each of them, `at` bytes into the place: those are read by lines, `from` on.
    ///
    /// # Safety
    /// - Shape: lines below `T::CELLS` of each of `from` exist; `src` addresses the rows that this was made
    ///   for, and the columns of the place are some of them.
    #[inline(always)]
    unsafe fn prefetch<T: LineTile<R>, const R: usize, const N: usize>(
        self,
        src: impl Addressing,
        from: &[impl Lines; N],
        place: &Place,
        (at, bytes): (usize, usize),
    ) {
        match self.ahead {
            Ahead::Nothing => {}
            Ahead::Lines => {
                for i in 0..T::CELLS {
                    for lines in from {
                        // SAFETY: shape: i is below CELLS.
                        prefetch(unsafe { lines.at(i) }.wrapping_add(Self::AHEAD));
                    }
                }
            }
            Ahead::Segments(segments) => {
                let row = place.rows.len() * T::CELL;
                let asked = segments.asked((at, bytes), N * T::CELLS, row);
                let first = place.cols.start;
                let skipped = place.rows.start * T::CELL + asked.bytes.start;
                for i in first + asked.rows.start..(first + asked.rows.end).min(self.count) {
                    // SAFETY: shape: i is below the number of rows.
                    let start = unsafe { src.row(i) }.wrapping_add(skipped);
                    for line in (0..asked.bytes.len()).step_by(LINE) {
                        prefetch_second(start.wrapping_add(line));
                    }
                }
            }
        }
    }

    /// Prefetches as much of the next window as is about to be read of this one: `bytes`, as if they
    /// were those after `read` bytes of the source. Windows start at multiples of their size, so that
    /// those of panels that follow each other are the same.
    #[inline(always)]
    fn window_ahead(start: *const u8, read: usize, bytes: usize) {
        let at = start.wrapping_add(read);
        let done = at.addr() % Self::WINDOW;
        let next = at.wrapping_sub(done).wrapping_add(Self::WINDOW);
        let piece = |done: usize| done / 4 / LINE * LINE;
        for piece in (piece(done)..piece(done + bytes)).step_by(LINE) {
            for quarter in 0..4 {
                prefetch_second(next.wrapping_add(quarter * (Self::WINDOW / 4) + piece));
            }
        }
    }
}

/// Two lines of each of the rows of a band, side by side; or the lines of the destination that a square
/// was transposed to, until those beside them are there as well.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; Self::BYTES]);

impl Stage {
    /// Bytes of a row.
    const ROW: usize = 2 * LINE;
    /// 128 rows of 1-byte cells, 64 of 2-byte cells, 32 of 4-byte cells, 16 of 8-byte cells.
    const BYTES: usize = 128 * Self::ROW;

    /// Where line `i` of row `r` of a block of lines, `N` a row, goes.
    #[inline(always)]
    fn line<const N: usize>(&mut self, r: usize, i: usize) -> *mut u8 {
        self.0[(r * N + i) * LINE..].as_mut_ptr().cast()
    }

    /// The lines of row `r` of such a block.
    ///
    /// # Safety
    /// - Shape: the block has a row `r`, which was written.
    /// - ISA: as [`Line`].
    #[inline(always)]
    unsafe fn row<L: Line, const N: usize>(&mut self, r: usize) -> [L; N] {
        // SAFETY: shape, range and ISA are the caller's: a line of the block is 64 bytes of it.
        unsafe {
            let mut lines = [L::load(self.line::<N>(r, 0)); N];
            for (i, line) in lines.iter_mut().enumerate().skip(1) {
                *line = L::load(self.line::<N>(r, i));
            }
            lines
        }
    }

    /// Copies two lines of each of some rows of the source; the lines of the copy.
    ///
    /// # Safety
    /// - Shape: lines below `CELLS` of `from` exist, and so many rows from `row` on are rows of the
    ///   stage.
    /// - Range: 128 bytes can be read at each.
    /// - ISA: as [`LineTile::lines`].
    #[inline(always)]
    unsafe fn fill<T: LineTile<R>, const R: usize>(
        &mut self,
        row: usize,
        from: impl Lines,
    ) -> Strided {
        let base = self.0.as_mut_ptr().cast::<u8>();
        let base = base.wrapping_add(row * Self::ROW);
        for rows in (0..T::CELLS).step_by(16) {
            // SAFETY: shape: lines below CELLS exist, and so many rows of the stage; range: two lines
            // of both, and the stage has no other reference; ISA: passed on.
            unsafe { copy_lines::<T::Line>(base, &from, rows..T::CELLS.min(rows + 16)) }
        }
        Strided {
            base,
            stride: Self::ROW as isize,
        }
    }
}

/// Copies two lines of each of some rows of the source to a stage. At most sixteen rows, so that the
/// loop is unrolled: f64 4096x4096 0.67 of the roof through a loop, 0.84 so.
///
/// # Safety
/// - Shape: those lines and rows of the stage exist.
/// - Range: two lines can be read at each line and written to each row, which starts at a line.
/// - Aliasing: the stage has no other reference.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn copy_lines<L: Line>(stage: *mut u8, from: &impl Lines, rows: Range<usize>) {
    for i in rows {
        let to = stage.wrapping_add(i * Stage::ROW);
        // SAFETY: shape, range, aliasing and ISA are the caller's; alignment: rows of the stage are
        // whole lines.
        unsafe {
            let from = from.at(i);
            L::load(from).store(to);
            L::load(from.wrapping_add(LINE)).store(to.wrapping_add(LINE));
        }
    }
}

/// Moves `N` lines of each row of a place, along the source rows, which are `columns`.
///
/// # Safety
/// The contract of the crate, for a place `N` lines wide of a panel whose source `src` addresses and
/// that has `R` rows or more; all source rows of the place are found; `out` was made for the rows of
/// the place. ISA: as [`LineTile::lines`].
#[expect(
    clippy::needless_range_loop,
    reason = "iterators of lines are not inlined for sure"
)]
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn whole_lines<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    (src, columns): (impl Addressing, &Columns),
    place: &Place,
    reads: Reads,
    out: impl Out<T::Line, N>,
) {
    let (cells, c) = (T::CELLS, place.cols.start);
    let (mut r, end) = (place.rows.start, place.rows.end);
    let mut stage = Stage([MaybeUninit::uninit(); Stage::BYTES]);
    // SAFETY: shape: the place has N * cells columns, all source rows; range: from row r on, as many
    // rows as are read are the place's; blocks that are not whole are moved back to the last one of
    // the panel; the rest is passed on.
    unsafe {
        while !T::SQUARE && reads.staged && r + 2 * cells <= end {
            let at = (r - place.rows.start) * T::CELL;
            let rows = lines::<N>(columns, cells, r * T::CELL);
            reads.prefetch::<T, R, N>(src, &rows, place, (at, 2 * LINE));
            let mut from = [stage.fill::<T, R>(0, columns.lines(0, r * T::CELL)); N];
            for i in 1..N {
                from[i] = stage.fill::<T, R>(i * cells, columns.lines(i * cells, r * T::CELL));
            }
            blocks(tile, &from, r..r + 2 * cells, out);
            r += 2 * cells;
        }
        while r + cells <= end {
            let from = lines::<N>(columns, cells, r * T::CELL);
            let at = (r - place.rows.start) * T::CELL;
            reads.prefetch::<T, R, N>(src, &from, place, (at, LINE));
            if let Some(start) = reads.stream {
                let band = N * cells * LINE;
                Reads::window_ahead(start, c * reads.row + r / cells * band, band);
            }
            if T::SQUARE {
                for (i, from) in from.into_iter().enumerate() {
                    tile.square(from, stage.line::<N>(0, i), N * LINE);
                }
                for i in 0..cells {
                    out.put(r + i, stage.row(i));
                }
            } else {
                blocks(tile, &from, r..r + cells, out);
            }
            r += cells;
        }
        if let (true, Some(start)) = (r < end, reads.stream) {
            // Less than a line of each row, or rows of less than one.
            let row = N * cells * T::CELL;
            Reads::window_ahead(start, c * reads.row + r * row, (end - r) * row);
        }
        while r < end {
            let at = r.min(place.of - R);
            let lines = band(tile, &lines::<N>(columns, cells, at * T::CELL), 0);
            for i in r - at..R.min(end - at) {
                out.put(at + i, lines[i]);
            }
            r = at + R;
        }
    }
}

/// The lines that start `bytes` into the source rows of a band of `N` lines of so many cells.
#[inline(always)]
pub(super) fn lines<const N: usize>(
    columns: &Columns,
    cells: usize,
    bytes: usize,
) -> [Places<'_>; N] {
    let mut lines = [columns.lines(0, bytes); N];
    for (i, lines) in lines.iter_mut().enumerate() {
        *lines = columns.lines(i * cells, bytes);
    }
    lines
}

/// Bytes `16 * block ..` of the source rows of a band: its lines of each of `R` rows.
///
/// # Safety
/// As [`LineTile::lines`], for each of `from`.
#[inline(always)]
pub(super) unsafe fn band<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    from: &[impl Lines; N],
    block: usize,
) -> [[T::Line; N]; R] {
    // SAFETY: passed on.
    unsafe {
        let lines = tile.lines(from[0], block);
        let mut rows = [[lines[0]; N]; R];
        for r in 0..R {
            rows[r][0] = lines[r];
        }
        for i in 1..N {
            let lines = tile.lines(from[i], block);
            for r in 0..R {
                rows[r][i] = lines[r];
            }
        }
        rows
    }
}

/// Moves the lines of each of some rows.
///
/// # Safety
/// As [`whole_lines`], for whole blocks; `from` are the lines of the source from which they are
/// read.
#[expect(
    clippy::needless_range_loop,
    reason = "iterators of lines are not inlined for sure"
)]
#[inline(always)]
unsafe fn blocks<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    from: &[impl Lines; N],
    rows: Range<usize>,
    out: impl Out<T::Line, N>,
) {
    for (block, r) in rows.step_by(R).enumerate() {
        // SAFETY: shape: passed on; range: a block is R rows.
        unsafe {
            let lines = band(tile, from, block);
            for i in 0..R {
                out.put(r + i, lines[i]);
            }
        }
    }
}
