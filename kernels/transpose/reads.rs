//! How a streaming transposition reads the source of a band: `2 * CELLS` rows, along the rows.
//!
//! A file of its own because out of the caches the reads decide, and what serves them depends on how
//! source rows lie to each other:
//!
//! - anyhow: the next line of each row is prefetched;
//! - short rows back to back are one sequential stream, and one stream alone is slow: it is read as
//!   four, by prefetching the quarters of the window after this one, all at the same time;
//! - rows a multiple of 4 KiB apart share one set of the first-level cache, which has fewer ways than
//!   the band has rows: two lines of each row are copied side by side at once, and transposed there.
//!
//! Figures are ratios to the roof (the better of memcpy and a streaming copy of four interleaved
//! pages) of f32 panels with AVX-512 on a 2-core AVX-512 server VM with huge pages.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::line::{Line, LineTile};
use super::lines::{Addressing, LINE, Lines, Strided};
use super::stream::{Out, Place};
use crate::isa::{prefetch, prefetch_second};

/// What the rows of a source ask for.
#[derive(Clone, Copy)]
pub(super) struct Reads {
    /// Rows share a set of the cache.
    staged: bool,
    /// Rows are short and lie back to back; where the first one starts.
    stream: Option<*const u8>,
    /// Bytes of a row.
    row: usize,
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
    /// Rows this many bytes apart are staged. 4096x4096: 0.92 so, 0.77 with the next line prefetched
    /// or not; 2048x2048: 0.97, 0.81; 8192x8192: 0.71, 0.40. One line of each row instead of two:
    /// 0.80, 0.90, 0.60. Other rows lose by it (7264x7264: 0.74).
    const ALIAS: usize = 4096;

    /// # Safety
    /// - Shape: `src` addresses at least two rows, of `row` bytes.
    #[inline(always)]
    pub(super) unsafe fn of(row: usize, src: impl Addressing) -> Self {
        // SAFETY: shape: passed on.
        let (first, second) = unsafe { (src.row(0), src.row(1)) };
        let apart = second.addr().wrapping_sub(first.addr());
        Self {
            staged: apart.is_multiple_of(Self::ALIAS),
            stream: (apart == row && row < Self::SHORT).then_some(first.cast_const()),
            row,
        }
    }

    /// Prefetches what the loads from some lines of source rows should not wait for.
    ///
    /// # Safety
    /// - Shape: lines below `cells` of each exist.
    #[inline(always)]
    unsafe fn ahead<const N: usize>(self, cells: usize, from: [impl Lines; N]) {
        for i in 0..cells {
            for lines in from {
                // SAFETY: shape: i is below cells.
                let line = unsafe { lines.at(i) };
                prefetch(line.wrapping_add(Self::AHEAD));
            }
        }
    }

    /// Prefetches as much of the next window as is about to be read of this one: `bytes`, as if they
    /// were those at `at`. Windows start at multiples of their size, so that those of panels that
    /// follow each other are the same.
    #[inline(always)]
    fn window_ahead(at: *const u8, bytes: usize) {
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

/// Two lines of each of the rows of a band, side by side.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; Self::BYTES]);

impl Stage {
    /// Bytes of a row.
    const ROW: usize = 2 * LINE;
    /// 32 rows of 4-byte cells, 16 of 8-byte cells.
    const BYTES: usize = 32 * Self::ROW;

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

/// Moves `N` lines of each row of a place, along the source rows.
///
/// # Safety
/// The contract of the crate, for a place `N` lines wide of a panel whose source `src` addresses and
/// that has `R` rows or more; `out` was made for the rows of the place. ISA: as [`LineTile::lines`].
#[expect(
    clippy::needless_range_loop,
    reason = "iterators of rows are not inlined for sure"
)]
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn lines<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    src: impl Addressing,
    place: &Place,
    reads: Reads,
    out: impl Out<T::Line, N>,
) {
    let (cells, c) = (LINE / T::CELL, place.cols.start);
    let (mut r, end) = (place.rows.start, place.rows.end);
    let mut stage = Stage([MaybeUninit::uninit(); Stage::BYTES]);
    // SAFETY: shape: the place has N * cells columns from c on, all source rows; range: from row r
    // on, as many rows as are read are the place's; blocks that are not whole are moved back to the
    // last one of the panel; the rest is passed on.
    unsafe {
        while reads.staged && r + 2 * cells <= end {
            let mut from = [stage.fill::<T, R>(0, src.lines(c, cells, r * T::CELL)); N];
            for i in 1..N {
                let lines = src.lines(c + i * cells, cells, r * T::CELL);
                from[i] = stage.fill::<T, R>(i * cells, lines);
            }
            blocks(tile, from, r..r + 2 * cells, out);
            r += 2 * cells;
        }
        while r + cells <= end {
            let mut from = [src.lines(c, cells, r * T::CELL); N];
            for i in 1..N {
                from[i] = src.lines(c + i * cells, cells, r * T::CELL);
            }
            reads.ahead(cells, from);
            if let Some(start) = reads.stream {
                let band = N * cells * LINE;
                let read = c * reads.row + r / cells * band;
                Reads::window_ahead(start.wrapping_add(read), band);
            }
            blocks(tile, from, r..r + cells, out);
            r += cells;
        }
        while r < end {
            let at = r.min(place.of - R);
            let mut rows = [tile.lines(src.lines(c, cells, at * T::CELL), 0); N];
            for i in 1..N {
                rows[i] = tile.lines(src.lines(c + i * cells, cells, at * T::CELL), 0);
            }
            for i in r - at..R.min(end - at) {
                out.put(at + i, of_row(&rows, i));
            }
            r = at + R;
        }
    }
}

/// Moves `N` lines of each of some rows.
///
/// # Safety
/// As [`lines`], for whole blocks; `from` are the lines of the source from which they are read.
#[inline(always)]
unsafe fn blocks<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    from: [impl Lines; N],
    rows: Range<usize>,
    out: impl Out<T::Line, N>,
) {
    for (block, r) in rows.step_by(R).enumerate() {
        // SAFETY: shape: passed on; range: a block is R rows.
        unsafe {
            let mut rows = [tile.lines(from[0], block); N];
            for i in 1..N {
                rows[i] = tile.lines(from[i], block);
            }
            for i in 0..R {
                out.put(r + i, of_row(&rows, i));
            }
        }
    }
}

/// The lines of row `i` of a block.
#[inline(always)]
fn of_row<L: Copy, const R: usize, const N: usize>(rows: &[[L; R]; N], i: usize) -> [L; N] {
    let mut lines = [rows[0][i]; N];
    for k in 1..N {
        lines[k] = rows[k][i];
    }
    lines
}
