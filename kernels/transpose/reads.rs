//! How a streaming transposition reads the source of a band: `2 * CELLS` rows, along the rows.
//!
//! A file of its own because out of the caches the reads decide, and what serves them depends on how
//! source rows lie to each other:
//!
//! - anyhow: the next line of each row is prefetched;
//! - short rows back to back are one sequential stream, and one stream alone is slow: it is read as
//!   four, by prefetching the quarters of the window after this one, all at the same time;
//! - rows a multiple of 4 KiB apart share one set of the first-level cache, which has fewer ways than
//!   the band has rows: two lines of each row are copied side by side at once, and transposed there;
//! - bands of 1- and 2-byte cells have so many rows that they fill a set sooner, and are staged more
//!   often; where they share one, more lines of each row are prefetched at a time, row by row.
//!
//! Figures are ratios to the roof (the better of memcpy and a streaming copy of four interleaved
//! pages) of f32 panels with AVX-512 on a 2-core AVX-512 server VM with huge pages.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::line::{Line, LineTile};
use super::lines::{Addressing, LINE, Lines, Strided, crowded};
use super::stream::{Pairs, Place};
use crate::isa::{prefetch, prefetch_second};

/// What the rows of a source ask for.
#[derive(Clone, Copy)]
pub(super) struct Reads {
    /// Rows share a set of the cache.
    staged: bool,
    /// Small cells whose rows share one: segments are prefetched.
    segments: bool,
    /// Rows are short and lie back to back; where the first one starts.
    stream: Option<*const u8>,
    /// Bytes of a row.
    row: usize,
    /// Rows.
    count: usize,
    /// Bytes of a window of the stream.
    window: usize,
}

impl Reads {
    /// Bytes between a load and the prefetch that goes before it. 7264x7264: 0.98 with 128, 0.98 with
    /// 256, 0.78 with none; 384x2320, 59 of them: 0.75, 0.71, 0.49.
    const AHEAD: usize = 128;
    /// Rows below this many bytes are short. 4864 bytes (1216x43408): 0.85 with the next line alone,
    /// 0.87 with four streams; 3072: 0.91, 0.89; 2048: 0.85, 0.89; 1536 (384x2320): 0.75, 0.91; 384:
    /// 0.55, 0.82.
    const SHORT: usize = 4096;
    /// Bytes of a window. It leads beyond the panel, where the next one is if panels follow the
    /// source, and nothing useful if they do not. 96x608, 900 of them, in order: 0.81 to 0.94 with
    /// 32 to 128 KiB; in another order: 0.90 with 32 KiB, 0.72 with 64, 0.52 with 128, 0.57 without.
    const WINDOW: usize = 32 << 10;
    /// The same in sources of [`Self::LONG`] bytes and more: 384x2320 (3.4 MiB): 0.91, with 32 KiB 0.79.
    const LONG_WINDOW: usize = 128 << 10;
    /// *guess*, between the two panels measured.
    const LONG: usize = 1 << 20;
    /// Bytes of a window after which each of its quarters is prefetched a quarter of that further.
    const PIECE: usize = 1024;
    /// Rows this many bytes apart are staged. 4096x4096: 0.92 so, 0.77 with the next line prefetched
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
    /// cells: 4097x4095 0.72 instead of 0.66, but 5000x5000 0.64 instead of 0.87.
    #[inline(always)]
    fn staged(cell: usize, apart: usize) -> bool {
        match cell {
            1 => true,
            2 => crowded(apart, 2 * LINE / cell),
            _ => apart.is_multiple_of(Self::ALIAS),
        }
    }

    /// # Safety
    /// - Shape: `src` addresses at least two rows, of `row` bytes, `count` of them; cells have `cell`
    ///   bytes.
    #[inline(always)]
    pub(super) unsafe fn of(cell: usize, row: usize, count: usize, src: impl Addressing) -> Self {
        // SAFETY: shape: passed on.
        let (first, second) = unsafe { (src.row(0), src.row(1)) };
        let apart = second.addr().wrapping_sub(first.addr());
        Self {
            staged: Self::staged(cell, apart),
            segments: cell <= 2 && apart.is_multiple_of(Self::ALIAS),
            stream: (apart == row && row < Self::SHORT).then_some(first.cast_const()),
            row,
            count,
            window: if row * count < Self::LONG {
                Self::WINDOW
            } else {
                Self::LONG_WINDOW
            },
        }
    }

    /// Prefetches what the loads from some lines of source rows should not wait for.
    ///
    /// # Safety
    /// - Shape: lines below `cells` of both exist.
    #[inline(always)]
    unsafe fn ahead(self, cells: usize, first: impl Lines, second: impl Lines) {
        for i in 0..cells {
            // SAFETY: shape: i is below cells.
            let (first, second) = unsafe { (first.at(i), second.at(i)) };
            prefetch(first.wrapping_add(Self::AHEAD));
            prefetch(second.wrapping_add(Self::AHEAD));
        }
    }

    /// Prefetches as much of the next segments of the rows of a band, or of the first ones of the next
    /// band, as is about to be read of these: two lines of each of its `rows`, from the `at`th of
    /// `bytes` bytes of them on. The band begins with row `first`, and `start` bytes into each.
    ///
    /// # Safety
    /// - Shape: `src` addresses the rows that this was made for.
    #[inline(always)]
    unsafe fn segments_ahead(
        self,
        src: impl Addressing,
        (first, rows): (usize, usize),
        (start, bytes): (usize, usize),
        at: usize,
    ) {
        let next = (at / Self::SEGMENT + 1) * Self::SEGMENT;
        let (first, next) = if next < bytes {
            (first, next)
        } else {
            (first + rows, 0)
        };
        let part = rows * 2 * LINE / Self::SEGMENT;
        let from = first + at % Self::SEGMENT / (2 * LINE) * part;
        for i in from..self.count.min(from + part) {
            // SAFETY: shape: i is below the number of rows.
            let segment = unsafe { src.row(i) }.wrapping_add(start + next);
            for line in (0..Self::SEGMENT).step_by(LINE) {
                prefetch_second(segment.wrapping_add(line));
            }
        }
    }

    /// Prefetches as much of the next window as is about to be read of this one: `bytes`, a multiple
    /// of [`Self::PIECE`], after `read` bytes of the source.
    #[inline(always)]
    fn window_ahead(self, start: *const u8, read: usize, bytes: usize) {
        let next = start.wrapping_add((read / self.window + 1) * self.window);
        let part = read % self.window / Self::PIECE * (Self::PIECE / 4);
        for piece in (part..part + bytes / 4).step_by(LINE) {
            for quarter in 0..4 {
                prefetch_second(next.wrapping_add(quarter * (self.window / 4) + piece));
            }
        }
    }
}

/// Two lines of each of the rows of a band, side by side.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; Self::BYTES]);

impl Stage {
    /// Bytes of a row.
    const ROW: usize = 2 * LINE;
    /// 128 rows of 1-byte cells, 64 of 2-byte cells, 32 of 4-byte cells, 16 of 8-byte cells.
    const BYTES: usize = 128 * Self::ROW;

    /// Copies two lines of each of some rows of the source; the lines of the copy.
    ///
    /// # Safety
    /// - Shape: lines below `LINE / CELL` of `from` exist, and so many rows from `row` on are
    ///   rows of the stage.
    /// - Range: 128 bytes can be read at each.
    /// - ISA: as [`LineTile::lines`].
    #[inline(always)]
    unsafe fn fill<T: LineTile<R>, const R: usize>(
        &mut self,
        row: usize,
        from: impl Lines,
    ) -> Strided {
        let base = self
            .0
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_add(row * Self::ROW);
        for i in 0..LINE / T::CELL {
            let to = base.wrapping_add(i * Self::ROW);
            // SAFETY: shape: line i and its row of the stage exist; range: two lines of both, and
            // the stage has no other reference; alignment: the stage starts at a line, and rows are
            // whole lines; ISA: passed on.
            unsafe {
                let from = from.at(i);
                T::Line::load(from).store(to);
                T::Line::load(from.wrapping_add(LINE)).store(to.wrapping_add(LINE));
            }
        }
        Strided {
            base,
            stride: Self::ROW as isize,
        }
    }
}

/// Moves two lines of each row of a place, along the source rows.
///
/// # Safety
/// The contract of the crate, for a place two lines wide of a panel whose source `src` addresses and
/// that has `R` rows or more; `out` was made for the rows of the place. ISA: as [`LineTile::lines`].
#[inline(always)]
pub(super) unsafe fn pairs<T: LineTile<R>, const R: usize>(
    tile: T,
    src: impl Addressing,
    place: &Place,
    reads: Reads,
    out: impl Pairs<T::Line>,
) {
    let (cells, c) = (LINE / T::CELL, place.cols.start);
    let (mut r, end) = (place.rows.start, place.rows.end);
    let mut stage = Stage([MaybeUninit::uninit(); Stage::BYTES]);
    // SAFETY: shape: the place has 2 * cells columns from c on, all source rows; range: from row r
    // on, as many rows as are read are the place's; blocks that are not whole are moved back to the
    // last one of the panel; the rest is passed on.
    unsafe {
        while reads.staged && r + 2 * cells <= end {
            if reads.segments {
                let start = place.rows.start * T::CELL;
                let bytes = place.rows.len() * T::CELL;
                let at = r * T::CELL - start;
                reads.segments_ahead(src, (c, 2 * cells), (start, bytes), at);
            }
            let first = src.lines(c, cells, r * T::CELL);
            let first = stage.fill::<T, R>(0, first);
            let second = src.lines(c + cells, cells, r * T::CELL);
            let second = stage.fill::<T, R>(cells, second);
            blocks(tile, first, second, r..r + 2 * cells, out);
            r += 2 * cells;
        }
        while r + cells <= end {
            let first = src.lines(c, cells, r * T::CELL);
            let second = src.lines(c + cells, cells, r * T::CELL);
            reads.ahead(cells, first, second);
            if let Some(start) = reads.stream {
                let band = 2 * cells * LINE;
                reads.window_ahead(start, c * reads.row + r / cells * band, band);
            }
            blocks(tile, first, second, r..r + cells, out);
            r += cells;
        }
        while r < end {
            let at = r.min(place.of - R);
            let first = tile.lines(src.lines(c, cells, at * T::CELL), 0);
            let second = tile.lines(src.lines(c + cells, cells, at * T::CELL), 0);
            for i in r - at..R.min(end - at) {
                out.put(at + i, [first[i], second[i]]);
            }
            r = at + R;
        }
    }
}

/// Moves two lines of each of some rows.
///
/// # Safety
/// As [`pairs`], for whole blocks; `first` and `second` are the lines of the source from which
/// they are read.
#[inline(always)]
unsafe fn blocks<T: LineTile<R>, const R: usize>(
    tile: T,
    first: impl Lines,
    second: impl Lines,
    rows: Range<usize>,
    out: impl Pairs<T::Line>,
) {
    for (block, r) in rows.step_by(R).enumerate() {
        // SAFETY: shape: passed on; range: a block is R rows.
        unsafe {
            let (first, second) = (tile.lines(first, block), tile.lines(second, block));
            for i in 0..R {
                out.put(r + i, [first[i], second[i]]);
            }
        }
    }
}
