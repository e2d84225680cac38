//! How the bands of a streaming transposition become whole lines of the destination, along the source rows.
//!
//! A file of its own because what is read ahead of it is [`Reads`]' to say, and where lines go is [`Out`]'s. What is
//! left of a band is moved by the next way of these that takes it: [in turn](squares) with what is streamed, by way of a
//! [stage](super::band_stage) of the source, a line of each source row at a time, and a few rows.

use super::band_stage::{LONG, PAIR, Stage};
use super::columns::{Columns, Places};
use super::line::LineTile;
use super::lines::{Addressing, Lines};
use super::reads::{Ahead, Reads};
use super::refill;
use super::squares::{self, Pending};
use super::stream::{Out, Place};
use crate::isa::prefetch;
use crate::panel::LINE;

/// Moves `N` lines of each row of a place, along the source rows, which are `columns`.
///
/// # Safety
/// The contract of the crate, for a place `N` lines wide of a panel whose source `src` addresses and
/// that has `R` rows or more; all source rows of the place are found; `out` was made for the rows of
/// the place; nothing of the stage is needed. ISA: as [`LineTile::lines`].
#[inline(always)]
pub(super) unsafe fn whole_lines<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    source: (impl Addressing, &Columns),
    place: &Place,
    (reads, out): (Reads<'_>, impl Out<T::Line, N>),
    stage: &mut Stage,
) {
    let mut pending = Pending::none();
    // SAFETY: passed on.
    unsafe {
        begin_lines(tile, source, place, (reads, out), (stage, &mut pending));
        pending.stream(stage, usize::MAX);
    }
}

/// The same, but some may be pending afterwards, which are in the stage then.
///
/// # Safety
/// As [`whole_lines`], but what is pending already is in the stage, and what is pending afterwards is still to be streamed
/// before the fence is dropped, without the stage having been used for anything else.
#[expect(
    clippy::needless_range_loop,
    reason = "iterators of lines are not inlined for sure"
)]
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn begin_lines<
    T: LineTile<R>,
    O: Out<T::Line, N>,
    const R: usize,
    const N: usize,
>(
    tile: T,
    (src, columns): (impl Addressing, &Columns),
    place: &Place,
    (reads, out): (Reads<'_>, O),
    (stage, pending): (&mut Stage, &mut Pending<O>),
) {
    let (cells, c) = (T::CELLS, place.cols.start);
    let (mut r, end) = (place.rows.start, place.rows.end);
    // SAFETY: shape: the place has N * cells columns, all source rows; range: from row r on, as many
    // rows as are read are the place's; blocks that are not whole are moved back to the last one of
    // the panel; the rest is passed on.
    unsafe {
        let source = (src, columns);
        if squares::pays::<T, R, N>(reads, end - r, O::JOINS) {
            r = squares::in_turns(tile, source, place, (reads, out), (stage, pending));
        } else {
            // What follows needs the stage.
            pending.stream(stage, usize::MAX);
        }
        if reads.long && Stage::holds(N * cells, LONG) {
            r = staged::<T, R, N, LONG>(tile, source, place, reads, out, (stage, r));
        }
        if !T::SQUARE && reads.staged {
            r = if refill::pays::<T, R, N, PAIR>(reads, end - r) {
                refill::staged::<T, R, N, PAIR>(tile, source, place, reads, out, (stage, r))
            } else {
                staged::<T, R, N, PAIR>(tile, source, place, reads, out, (stage, r))
            };
        }
        while r + cells <= end {
            let from = lines::<N>(columns, cells, r * T::CELL);
            let at = (r - place.rows.start) * T::CELL;
            reads.prefetch::<T, R, N>(src, &from, place, at);
            if let Some(sequence) = reads.sequence {
                let band = N * cells * LINE;
                sequence.ask((c, r / cells * band), band);
            }
            if T::SQUARE {
                for (i, from) in from.into_iter().enumerate() {
                    tile.square(from, stage.line::<N>(0, i), N * LINE);
                }
                for i in 0..cells {
                    out.put(r + i, stage.row(i));
                }
            } else {
                for block in 0..cells / R {
                    if let Ahead::Between = reads.ahead {
                        // The next line of as many rows as there are for each block. All of them at once are more than
                        // Zen 3 keeps in mind, which drops what is beyond that.
                        for lines in &from {
                            for i in block * R..(block + 1) * R {
                                prefetch(lines.at(i).wrapping_add(LINE));
                            }
                        }
                    }
                    put(tile, &from, (block, r + block * R), out);
                }
            }
            r += cells;
        }
        if let (true, Some(sequence)) = (r < end, reads.sequence) {
            // Less than a line of each row, or rows of less than one.
            let row = N * cells * T::CELL;
            sequence.ask((c, r * row), (end - r) * row);
        }
        if let (true, Ahead::Segments(_) | Ahead::Later(_)) = (r < end, reads.ahead) {
            let from = lines::<N>(columns, cells, r * T::CELL);
            let at = (r - place.rows.start) * T::CELL;
            reads.prefetch::<T, R, N>(src, &from, place, at);
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

/// Moves lines of each row of a place, from row `r` on, `LINES` at a time of each source row through the
/// stage; the row where less than that is left. What is read later is asked for line by line: with two lines
/// at once, u16 8192x8192 0.73 and 0.84 of the roof, u8 4096x4096 0.45 and 0.55, 4032x4032 0.45 and 0.70 (Zen
/// 4).
///
/// Each source row of a band of two lines has loads of its own, as both are filled in one go, not in a loop, nor by one
/// call for all rows, which the compiler leaves a loop: the CPU tells by the address of a load where the next one of the
/// same goes, and asks for that. Of the roof, in a loop and so, Xeon, again and again: u8 4097x4096 0.76 and 0.85, 4097x4095 0.65 and 0.70, 4000x4001 0.72 and 0.76; after all
/// had been flushed: 0.45 and 0.59, 0.36 and 0.44, 0.42 and 0.49, u16 0.51 and 0.55. To ask for the next lines by
/// instructions, between the stores: 0.76 and 0.62, 0.46 and 0.39.
///
/// # Safety
/// As [`whole_lines`]; the stage [`holds`](Stage::holds) so much, and has no other reference.
#[inline(always)]
unsafe fn staged<T: LineTile<R>, const R: usize, const N: usize, const LINES: usize>(
    tile: T,
    (src, columns): (impl Addressing, &Columns),
    place: &Place,
    reads: Reads<'_>,
    out: impl Out<T::Line, N>,
    (stage, mut r): (&mut Stage, usize),
) -> usize {
    let cells = T::CELLS;
    while r + LINES * cells <= place.rows.end {
        let first = r * T::CELL;
        let after = match r + 2 * LINES * cells <= place.rows.end {
            true => (place.cols.start, first + LINES * LINE),
            false => (place.cols.end, place.rows.start * T::CELL),
        };
        let sequence = reads.sequence;
        let after = sequence.and_then(|sequence| sequence.fill::<LINES>(after));
        for line in 0..LINES {
            let rows = lines::<N>(columns, cells, r * T::CELL);
            let at = (r - place.rows.start) * T::CELL;
            // SAFETY: shape: the place has N * cells columns, all source rows, which the stage holds; range:
            // from row r on, as many rows as are read are the place's; the rest is passed on.
            unsafe {
                reads.prefetch::<T, R, N>(src, &rows, place, at);
                if line == 0 {
                    for i in (0..N).step_by(2) {
                        let rows = columns.lines(i * cells, first);
                        stage.fill::<T::Line, LINES>(i * cells, cells, rows);
                        if i + 1 < N {
                            let rows = columns.lines((i + 1) * cells, first);
                            stage.fill::<T::Line, LINES>((i + 1) * cells, cells, rows);
                        }
                    }
                }
                let mut from = [stage.lines::<LINES>(0, line); N];
                for (i, from) in from.iter_mut().enumerate().skip(1) {
                    *from = stage.lines::<LINES>(i * cells, line);
                }
                for block in 0..cells / R {
                    put(tile, &from, (block, r + block * R), out);
                    // As many lines as were written, and as many before those that are copied first.
                    let block = line * (cells / R) + block + 1;
                    if let Some(after) = after {
                        after.ask(block * N * R..(block + 1) * N * R);
                    }
                }
            }
            r += cells;
        }
    }
    r
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

/// Moves the lines of each of `R` rows from `r` on, which are bytes `16 * block ..` of the source rows of a band.
///
/// # Safety
/// As [`whole_lines`]; `from` are the lines of the source from which they are read.
#[expect(
    clippy::needless_range_loop,
    reason = "iterators of lines are not inlined for sure"
)]
#[inline(always)]
pub(super) unsafe fn put<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    from: &[impl Lines; N],
    (block, r): (usize, usize),
    out: impl Out<T::Line, N>,
) {
    // SAFETY: shape, range: passed on.
    unsafe {
        let lines = band(tile, from, block);
        for i in 0..R {
            out.put(r + i, lines[i]);
        }
    }
}
