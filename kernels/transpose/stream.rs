//! How a streaming transposition walks over a panel: whole destination lines around the caches,
//! those of a band of each row back to back, once each.
//!
//! A file of its own because the order, the edges and the prefetches are the same whatever the
//! registers are: an ISA file supplies a [`LineTile`], this file calls it at every place. Bands are
//! `N` aligned lines wide, here two, and inside a band the walk follows the source rows:
//!
//! ```text
//!                    dst                          src (row c of src is column c of dst)
//!        head   band 0    band 1   tail
//!       +----+---------+---------+----+          +--------------------+
//!   r0  | .. | 1    1  | 5    5  | .. |          | 1    2    3    4   |  COLS source rows,
//!   r1  | .. | 2    2  | 6    6  | .. |          |                    |  16 bytes of each at a
//!   r2  | .. | 3    3  | 7    7  | .. |          +--------------------+  time
//!   r3  | .. | 4    4  | 8 ..    | .. |          | 5    6    7    8   |
//!       +----+---------+---------+----+          +--------------------+
//! ```
//!
//! Whole lines that are left over are bands of two, where bands are wider, and of one: 48x48 panels 0.78 of
//! the roof so, 0.63 where the last three lines are a band (whose 48 source rows are too many streams), 0.28
//! where the last one is an edge. Head and tail fill no line and are written through the caches, never into a
//! line that is streamed; where rows follow each other in memory, a tail and the next head are one line, and are
//! streamed after all. Where rows do not start whole lines apart, no band is aligned for all of them, and
//! `carry` shifts each row by its phase, or, if rows are short, `staged` joins them, and `direct` those of wide
//! cells. Where cells of long rows straddle lines (a destination that is not aligned to its cells), nothing can
//! be streamed and the cached walk runs.

use core::ops::Range;

use super::band_stage::Stage;
use super::carry::{Carry, edge};
use super::columns::Columns;
use super::direct;
use super::extent::{high, short};
use super::line::{Apart, Line, LineTile};
use super::lines::{Addressing, strided};
use super::reads::Reads;
use super::squares::Pending;
use super::staged;
use super::two_stages::{InTurns, Pace};
use super::whole_lines::{begin_lines, whole_lines};
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows, Side};

/// Whether destination rows start whole lines apart.
pub(super) fn apart(panel: &Panel<'_>) -> bool {
    let line = LINE as isize;
    match panel.dst.rows {
        Rows::Stride(stride) => stride % line == 0,
        Rows::Offsets(offsets) => offsets.iter().all(|at| (at - offsets[0]) % line == 0),
        Rows::Pointers(list, _) => list
            .iter()
            .all(|at| at.addr() % LINE == list[0].addr() % LINE),
    }
}

/// Bytes from the start of a line to the start of each destination row, if that is the same for all; there is one.
#[inline(always)]
pub(super) fn phase(panel: &Panel<'_>) -> Option<usize> {
    let dst = panel.dst;
    // SAFETY: shape: the rows of the panel, at least one.
    unsafe {
        match dst.rows {
            Rows::Stride(stride) => strided(dst.base, stride).phase(panel.rows),
            _ => dst.phase(panel.rows),
        }
    }
}

/// Whether every destination row is aligned to its cells.
pub(super) fn aligned(panel: &Panel<'_>) -> bool {
    // SAFETY: shape: r is below rows.
    let row = |r: usize| unsafe { panel.dst.row(r) };
    (0..panel.rows).all(|r| row(r).addr().is_multiple_of(panel.cell))
}

/// Bytes of scratch: what is carried, which is nothing where rows start whole lines apart or are staged.
pub(super) fn scratch(panel: &Panel<'_>) -> usize {
    if staged::takes(panel) || apart(panel) {
        0
    } else {
        Carry::bytes(panel.rows)
    }
}

/// Bytes of a row from which on it is streamed in bands where rows start and end inside lines, at the
/// same place in each: below it, lines that are not filled are most of them.
const SHORTEST_CUT: usize = 3 * LINE;

/// What moves a panel, or rows of it, that is not streamed in bands.
#[derive(Clone, Copy)]
pub(super) struct Others {
    /// Through the caches. It takes the panel, and any rows of it if they are 16 or fill a line of each source row.
    pub(super) cached: unsafe fn(&Panel<'_>),
    /// By way of two stages, where few columns come here: of single bytes and pairs few enough do not, and asking takes
    /// more than it gives, as the compiler makes less of the rest (u16 4097x4095 0.59 of the roof and 0.53).
    pub(super) in_turns: Option<InTurns>,
}

/// Moves a panel, streaming whole lines: in bands, or by `others`: through a stage, or two, where rows are short and cut;
/// cached where the destination is not aligned to its cells and rows are too long for a stage.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, that has at
/// least `R` rows and columns for two lines; `fence` is the guard of this task, with the scratch
/// that [`scratch`] says; `others` take the panel; the ISA of the tile is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn stream<T: LineTile<R>, const R: usize, const N: usize>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
    others: Others,
) {
    let phase = phase(panel);
    let bytes = panel.cols * T::CELL;
    // A cell of the next row is read beside R of its own.
    let wraps = phase.is_some_and(|phase| phase > 0)
        && bytes.is_multiple_of(LINE)
        && panel.rows > R
        && staged::one_run(panel);
    let short = !wraps && bytes < SHORTEST_CUT;
    let banded = phase.is_some_and(|phase| phase == 0 || phase.is_multiple_of(T::CELL) && !short);
    if !banded && staged::takes(panel) {
        // SAFETY: passed on; rows that are not staged are aligned to their cells.
        return unsafe {
            if let Some(in_turns) = others.in_turns
                && let Some(pace) = Pace::of(panel)
                && staged::one_run(panel)
            {
                in_turns(panel, fence, pace)
            } else if direct::takes::<T, R>(panel) {
                direct::rows(panel, fence, tile)
            } else {
                staged::rows::<T::Line>(panel, fence, others.cached)
            }
        };
    }
    if !banded && !aligned(panel) {
        // SAFETY: passed on.
        return unsafe { (others.cached)(panel) };
    }
    let (fit, chunk) = match phase {
        Some(0) => (Fit::Lines, high(panel)),
        Some(phase) => {
            let first = (LINE - phase) / T::CELL;
            let rows = if wraps { panel.rows } else { high(panel) };
            (Fit::After { first, wraps }, rows)
        }
        None => (Fit::Carried(Carry::new(fence)), Carry::chunk(panel.rows)),
    };
    for start in (0..panel.rows).step_by(chunk) {
        let rows = start..panel.rows.min(start + chunk);
        let next = if rows.end < panel.rows {
            Some((chunk * T::CELL) as isize)
        } else {
            let next = fence.next();
            next.map(|next| next.wrapping_sub_unsigned(start * T::CELL))
        };
        let bands = Bands::<_, R, N> {
            panel,
            tile,
            rows,
            fit,
            next,
            shared: fence.shared(),
        };
        // SAFETY: passed on; how rows lie to lines was found out above, and the carry has room for
        // the rows of a chunk.
        unsafe { T::Line::apart(bands) }
    }
}

/// The bands of `N` lines of some rows of a panel: where they are not carried, of all.
///
/// A row that wraps shares a line with the next one, which the last band takes as its own: columns
/// of the next row are the same source rows, a cell further on. Only the beginning of the first row
/// and the end of the last one are edges then.
///
/// To move them asks for what [`stream`] does, and that `rows` are rows of the panel of which `fit` is true; a carry
/// has room for them.
struct Bands<'a, 'p, T, const R: usize, const N: usize> {
    panel: &'a Panel<'p>,
    tile: T,
    rows: Range<usize>,
    fit: Fit,
    /// Bytes from the first row to what is read after them.
    next: Option<isize>,
    /// Whether other threads move the rest.
    shared: bool,
}

impl<T: LineTile<R>, const R: usize, const N: usize> Apart for Bands<'_, '_, T, R, N> {
    #[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
    unsafe fn run(self) {
        let Self {
            panel,
            tile,
            rows,
            fit,
            next,
            shared,
        } = self;
        let (src, dst) = (panel.src, panel.dst);
        let (cols, line, band) = (panel.cols, T::CELLS, N * T::CELLS);
        let (first, wraps, carry) = match fit {
            Fit::Lines => (0, false, None),
            Fit::After { first, wraps } => (first, wraps, None),
            Fit::Carried(carry) => (0, false, Some(carry)),
        };
        // SAFETY: shape: the panel has as many source rows as it has columns, two lines at least.
        let reads = unsafe {
            let rows = (panel.rows * T::CELL, cols);
            Reads::of::<T, R, N>(rows, src, (next, shared), carry.is_some())
        };
        let mut columns = Columns::new();
        let (mut stage, mut pending) = (Stage::new(), Pending::none());
        let mut start = 0;
        loop {
            let rest = cols - start;
            // A row that wraps ends in a line that the next one fills.
            let wrapped = if wraps && start > 0 {
                rest + first
            } else {
                rest
            };
            let width = if start == 0 && first > 0 {
                first
            } else if rest >= band {
                band
            } else if N > 2 && wrapped < band && rest >= 2 * line && carry.is_none() {
                2 * line
            } else if wrapped < band && rest >= line && carry.is_none() {
                line
            } else {
                rest
            };
            let end = start + width;
            let next = if end == cols { wrapped - rest } else { 0 };
            let whole = width + next == band;
            let pair = N > 2 && width + next == 2 * line && carry.is_none();
            let single = width + next == line && carry.is_none();
            let mut place = Place {
                rows: rows.clone(),
                cols: start..end,
                of: panel.rows,
            };
            let bytes = start * T::CELL;
            let out = Aligned { dst, bytes };
            // SAFETY: shape and range: start..end are columns of the panel, a band of whole lines where
            // `edge` is not called, or with the beginning of the next row, for all rows but the last,
            // which are R and more; alignment: the first band ends at a line, and so does each after it
            // that is whole; with a carry each row is shifted to lines. The rest is passed on.
            unsafe {
                columns.find(panel, start.min(cols - 1)..end, band);
                match carry {
                    Some(carry) if whole && start > 0 => {
                        let out = carry.shifted(dst, bytes, rows.start);
                        let from = (src, &columns);
                        whole_lines::<T, R, N>(tile, from, &place, (reads, out), &mut stage);
                    }
                    None if whole || pair || single => {
                        if next > 0 {
                            columns.wrap(panel, width, width + next);
                            place.rows.end -= 1;
                            place.of -= 1;
                        }
                        let (from, out) = ((src, &columns), (reads, out));
                        if whole {
                            let turns = (&mut stage, &mut pending);
                            begin_lines::<T, _, R, N>(tile, from, &place, out, turns);
                        } else {
                            pending.stream::<T::Line, N>(&mut stage, usize::MAX);
                            if pair {
                                whole_lines::<T, R, 2>(tile, from, &place, out, &mut stage);
                            } else {
                                whole_lines::<T, R, 1>(tile, from, &place, out, &mut stage);
                            }
                        }
                        if next > 0 {
                            columns.find(panel, start..end, band);
                            place.rows = place.rows.end..panel.rows;
                            place.of += 1;
                            edge::<T, R, N>(tile, &columns, dst, &place, None, true);
                        }
                    }
                    None => {
                        if wraps {
                            place.rows.end = 1;
                        }
                        edge::<T, R, N>(tile, &columns, dst, &place, None, true);
                    }
                    Some(_) => edge::<T, R, N>(tile, &columns, dst, &place, carry, !whole),
                }
            }
            // With a carry, what the last whole band left over is still to be written.
            if end == cols && (carry.is_none() || !whole) {
                // SAFETY: shape, range: rows of a band before, in the stage, each of which is given once; ISA: passed on.
                unsafe { pending.stream::<T::Line, N>(&mut stage, usize::MAX) };
                return;
            }
            start = end;
        }
    }
}

/// [`stream`] in bands of `N` lines where they `pay`, else of two.
///
/// # Safety
/// As [`stream`]; a panel where they pay has so many lines.
#[inline(always)]
pub(super) unsafe fn stream_in<T: LineTile<R>, const R: usize, const N: usize>(
    pay: fn(&Panel<'_>) -> bool,
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
    others: Others,
) {
    // SAFETY: passed on.
    unsafe {
        if pay(panel) {
            stream::<T, R, N>(panel, fence, tile, others)
        } else {
            stream::<T, R, 2>(panel, fence, tile, others)
        }
    }
}

/// The same, but in bands of `SHORT` lines where source rows are [short].
///
/// # Safety
/// As [`stream_in`].
#[inline(always)]
pub(super) unsafe fn stream_short_in<
    T: LineTile<R>,
    const R: usize,
    const SHORT: usize,
    const N: usize,
>(
    pay: fn(&Panel<'_>) -> bool,
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    tile: T,
    others: Others,
) {
    // SAFETY: passed on; where rows are short, they have so many lines.
    unsafe {
        if short(panel, SHORT) {
            stream::<T, R, SHORT>(panel, fence, tile, others)
        } else {
            stream_in::<T, R, N>(pay, panel, fence, tile, others)
        }
    }
}

/// How destination rows lie to lines.
#[derive(Clone, Copy)]
enum Fit {
    /// Each starts at a line.
    Lines,
    /// Each starts so many columns before a line, and, where it wraps, ends where the next starts.
    After { first: usize, wraps: bool },
    /// Anyhow.
    Carried(Carry),
}

/// A rectangle of a panel.
pub(super) struct Place {
    pub(super) rows: Range<usize>,
    pub(super) cols: Range<usize>,
    /// Rows of the panel: where a block that is moved back may still read.
    pub(super) of: usize,
}

/// Where the lines of each row of a band go.
pub(super) trait Out<L, const N: usize>: Copy {
    /// Whether lines are joined with what is carried.
    const JOINS: bool;

    /// Takes the lines of row `r`.
    ///
    /// # Safety
    /// - Shape: row `r` is one of those this was made for, and each is given once.
    /// - Range, aliasing, alignment: said where this is made.
    /// - ISA: as [`Line`].
    unsafe fn put(self, r: usize, lines: [L; N]);

    /// Takes the lines of some rows, which are back to back at `from`.
    ///
    /// # Safety
    /// As [`Self::put`], for each of the rows.
    /// - Range: their lines can be read.
    #[inline(always)]
    unsafe fn put_rows(self, rows: Range<usize>, from: *const u8)
    where
        L: Line,
    {
        for (i, r) in rows.enumerate() {
            // SAFETY: passed on.
            unsafe { self.put(r, L::load_all::<N>(from.wrapping_add(i * N * LINE))) };
        }
    }
}

/// Rows that start at a line: lines go where they belong.
#[derive(Clone, Copy)]
struct Aligned<'a> {
    dst: Side<'a>,
    /// Bytes from the start of a row to the band.
    bytes: usize,
}

impl<L: Line, const N: usize> Out<L, N> for Aligned<'_> {
    const JOINS: bool = false;

    #[inline(always)]
    unsafe fn put(self, r: usize, lines: [L; N]) {
        // SAFETY: shape: row r exists; range and alignment: the band is whole lines of each row;
        // aliasing: each line is written once; ISA: the caller's.
        unsafe { stream_lines(lines, self.dst.row(r).wrapping_add(self.bytes)) }
    }

    /// The kind of rows is asked for once. Of the roof, for each row and so, ten f32 of TTC: 0.852 and 0.858.
    #[inline(always)]
    unsafe fn put_rows(self, rows: Range<usize>, mut from: *const u8) {
        let base = self.dst.base.wrapping_add(self.bytes);
        // SAFETY: as above; a table has an entry for each row.
        unsafe {
            match self.dst.rows {
                Rows::Stride(stride) => {
                    let mut to = self.dst.row(rows.start).wrapping_add(self.bytes);
                    for _ in rows {
                        stream_lines::<L, N>(L::load_all(from), to);
                        (from, to) = (from.wrapping_add(N * LINE), to.wrapping_offset(stride));
                    }
                }
                Rows::Offsets(offsets) => {
                    for &offset in offsets.get_unchecked(rows) {
                        stream_lines::<L, N>(L::load_all(from), base.wrapping_offset(offset));
                        from = from.wrapping_add(N * LINE);
                    }
                }
                Rows::Pointers(..) => {
                    for r in rows {
                        self.put(r, L::load_all::<N>(from));
                        from = from.wrapping_add(N * LINE);
                    }
                }
            }
        }
    }
}

/// Streams lines to one after another.
///
/// # Safety
/// As [`Line::stream`], for each.
#[inline(always)]
unsafe fn stream_lines<L: Line, const N: usize>(lines: [L; N], to: *mut u8) {
    for (i, line) in lines.into_iter().enumerate() {
        // SAFETY: passed on.
        unsafe { line.stream(to.wrapping_add(i * LINE)) };
    }
}
