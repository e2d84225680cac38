//! How the rows of a panel are walked around the caches: whole destination lines by streaming
//! stores, the rest by cached ones.
//!
//! Memory likes a few streams at once, so a long row is cut into pages of which four are moved
//! together, and shorter rows are moved by twos, as in `run`; or, where memory wants that, rows are moved [in
//! order](in_one_sequence). Where the rows of the destination follow each other without a gap, the line
//! between two of them is put together in a register and streamed as well.

use super::coming::{ComingRows, last_cells};
use super::pick::{Line, Pick, shifted};
use super::walk;
use crate::cpu::{from_zen5, in_one_sequence};
use crate::panel::{LINE, Panel};

/// Lines of a page: how far apart the four streams of a long row are in the destination.
const PAGE_LINES: usize = 64;

/// From this many lines on a row is moved alone, in pages: four pages.
const LONG: usize = 4 * PAGE_LINES;

/// Whether the rows of a panel are moved one by one and in order, where memory wants that. Of the roof, Zen 4, by
/// twos or pages and in order: every second f32 0.53 and 0.73, 4 million of them 0.56 and 0.75, every third 0.34
/// and 0.48, every fourth 0.24 and 0.34, every second byte 0.52 and 0.68, 16 million f32 reversed 0.80 and 1.19.
/// Nothing is asked for ahead: the same with what is 512 bytes on 0.57, 0.65, 0.53, 0.27, 0.58, 1.20. Not short
/// rows that are reversed: 2048 of 2048 0.85 and 0.63. Zen 5, where what comes is [asked for](super::coming): every
/// second 0.69 and 0.87, 400 of them reversed 0.43 and 0.73, 4 million f64 reversed 0.94 and 1.25. Zen 3,
/// where it is, too: every second f32 0.41 and 0.59, every third 0.26 and 0.38, every fourth 0.20 and 0.27; every second byte
/// 0.35 and 0.55, 400 of them 0.19 and 0.38; 200 of every third u16 0.13 and 0.30; 4 million f64 reversed 0.76 and 0.93, but
/// 2048 f32 0.72 and 0.65.
fn in_order(panel: &Panel<'_>, row: usize) -> bool {
    let (ascending, long) = (panel.src.step > 0, row >= LONG * LINE);
    let pays = long || ascending || panel.src.step < 0 && from_zen5();
    pays && in_one_sequence()
}

/// Whether the last row of a panel is moved first: where the source is then read in one direction. Of the roof, Zen 5:
/// f64 2048x2048 with columns reversed 0.81 and 1.19, every second of 400 f32 backwards 0.47 and 0.72, of 100 0.22 and
/// 0.61.
fn backwards(panel: &Panel<'_>) -> bool {
    /// Bytes of a panel: many that are less follow each other up or down as the loops around them go.
    const LARGE: usize = 64 << 10;
    let large = panel.rows * panel.cols * panel.cell >= LARGE;
    large && panel.src.step != 0 && panel.src.rows.turn(panel.src.step) && from_zen5()
}

/// Moves a panel around the caches; the source of the next panel, if there is one, lies `next` bytes on.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits, of `P::CELL` byte cells and rows
/// of a line or more, whose source step is that of `pick`; the ISA of `pick` is enabled where this
/// is inlined.
#[inline(always)]
pub(crate) unsafe fn stream<P: Pick>(panel: &Panel<'_>, pick: P, next: Option<isize>) {
    let row = panel.cols * P::CELL;
    let adjacent = panel.dst.rows.follow(row);
    let course = Course {
        panel,
        pick,
        adjacent,
    };
    let in_order = in_order(panel, row);
    let by_twos = if in_order || row >= LONG * LINE {
        0
    } else {
        panel.rows & !1
    };
    for r in (0..by_twos).step_by(2) {
        // SAFETY: passed on; r + 1 is below rows, since by_twos is even.
        unsafe { course.two(r) };
    }
    // Only where no rows were moved by twos: those are the first ones.
    let backwards = in_order && backwards(panel);
    // The line between two rows is picked from the end of one and the start of the other.
    let beyond = if adjacent { LINE } else { 0 };
    let coming = ComingRows::streamed(panel, next).beyond(beyond, beyond);
    let turned = |i: usize| if backwards { panel.rows - 1 - i } else { i };
    for i in by_twos..panel.rows {
        let r = turned(i);
        // SAFETY: passed on; r is below rows, and each once, as none went before where they are turned; so are those
        // that come.
        unsafe {
            coming.ask(panel, i, turned);
            if in_order {
                course.one(r);
            } else {
                course.alone(r);
            }
        }
    }
}

/// The whole lines of a row, and the lanes behind them.
#[derive(Clone, Copy)]
struct Whole {
    src: *const u8,
    dst: *mut u8,
    lines: usize,
    tail: usize,
}

/// The rows of a panel on their way around the caches.
#[derive(Clone, Copy)]
struct Course<'a, 'p, P> {
    panel: &'a Panel<'p>,
    pick: P,
    /// Rows of the destination follow each other without a gap.
    adjacent: bool,
}

impl<P: Pick> Course<'_, '_, P> {
    const LANES: usize = LINE / P::CELL;

    /// The source of a cell so many cells on.
    #[inline(always)]
    fn on(self, src: *const u8, cells: isize) -> *const u8 {
        src.wrapping_offset(cells.wrapping_mul(self.panel.src.step))
    }

    /// Moves what precedes the whole lines of row `r`, and says where those are. Where rows are
    /// adjacent, that is the tail of the row before as well. A row whose cells lie across lines is
    /// moved through the caches altogether.
    ///
    /// # Safety
    /// The contract of the crate; `r` is a row of the panel, which has the cells of a line; the ISA
    /// of the pick is enabled where this is inlined.
    #[inline(always)]
    unsafe fn head(self, r: usize) -> Whole {
        let (panel, pick) = (self.panel, self.pick);
        // SAFETY: shape: r is below rows, and tables have an entry for each (contract).
        let (src, dst) = unsafe { (panel.src.cell(r, 0).cast_const(), panel.dst.cell(r, 0)) };
        let phase = dst.addr() % LINE;
        if !phase.is_multiple_of(P::CELL) {
            // SAFETY: passed on. Adjacent rows are then all moved like this: they are whole cells.
            unsafe { walk::row(panel, pick, r) };
            return Whole {
                src,
                dst,
                lines: 0,
                tail: 0,
            };
        }
        let before = phase / P::CELL;
        let head = if phase == 0 { 0 } else { Self::LANES - before };
        if head != 0 {
            let line = dst.wrapping_sub(phase);
            // SAFETY: range: `head` cells from the row's first on, which has a line of them; ISA: passed on.
            let first = unsafe { self.opening(src, before) };
            if self.adjacent && r != 0 {
                // SAFETY: shape: r - 1 is a row as well; range: it has at least a line of cells,
                // so its last `before` and the first of row r fill the line that the border cuts;
                // aliasing: those are cells of the panel's two sides, and the line is written here
                // only, since `tail` leaves it out; alignment: dst - phase starts a line; ISA:
                // passed on.
                unsafe {
                    let end = panel.src.cell(r - 1, panel.cols - before);
                    self.closing(end, before).or(first).stream(line);
                }
            } else {
                // SAFETY: range and aliasing: the first cells of the row; ISA: passed on.
                unsafe { first.store_part(phase..LINE, line) };
            }
        }
        Whole {
            src: self.on(src, head as isize),
            dst: dst.wrapping_add(head * P::CELL),
            lines: (panel.cols - head) / Self::LANES,
            tail: (panel.cols - head) % Self::LANES,
        }
    }

    /// Picks the first cells of a row, which begins at `src`, into the lanes from `from` on.
    ///
    /// # Safety
    /// - Shape: `from` is below the lanes of a line.
    /// - Range: the cells of a row of the panel can be read from `src` on, a line at least.
    /// - ISA: that of the pick is enabled where this is inlined.
    #[inline(always)]
    unsafe fn opening(self, src: *const u8, from: usize) -> P::Line {
        // SAFETY: range: the first cells of the row, and whole lines only where another cell follows; shape, ISA: passed on.
        unsafe {
            if P::BY_CELL && self.panel.cols > Self::LANES {
                shifted(self.pick.whole(src), (from * P::CELL) as isize)
            } else {
                let lane_0 = self.on(src, -(from as isize));
                self.pick.part(lane_0, from..Self::LANES)
            }
        }
    }

    /// Picks the last `count` cells of a row, from `src` on, into the first lanes.
    ///
    /// # Safety
    /// - Shape: `count` is 1 at least, and at most the lanes of a line.
    /// - Range: the cells of a row of the panel can be read up to so many from `src` on, a line at least.
    /// - ISA: that of the pick is enabled where this is inlined.
    #[inline(always)]
    unsafe fn closing(self, src: *const u8, count: usize) -> P::Line {
        // SAFETY: range: the last cells of the row, and whole lines only where another cell precedes them; shape, ISA:
        // passed on.
        unsafe {
            if P::BY_CELL && self.panel.cols > Self::LANES {
                let before = Self::LANES - count;
                let line = self.pick.last(self.on(src, -(before as isize)));
                shifted(line, -((before * P::CELL) as isize))
            } else {
                self.pick.part(src, 0..count)
            }
        }
    }

    /// Lines of `whole` that have another cell of the row behind them, if the pick needs one.
    #[inline(always)]
    fn followed(whole: &Whole) -> usize {
        let last_of_row = P::BEYOND && whole.tail == 0 && whole.lines > 0;
        whole.lines - usize::from(last_of_row)
    }

    /// Moves what follows the first `done` whole lines of row `r`: other lines, and the tail unless
    /// it is joined with the next row.
    ///
    /// # Safety
    /// As [`head`](Self::head), which gave `whole`.
    #[inline(always)]
    unsafe fn tail(self, r: usize, whole: Whole, done: usize) {
        let at = |line: usize| {
            let src = self.on(whole.src, (line * Self::LANES) as isize);
            (src, whole.dst.wrapping_add(line * LINE))
        };
        let followed = Self::followed(&whole);
        for i in done..followed {
            let (src, dst) = at(i);
            // SAFETY: range and aliasing: a whole line of the row, with a cell behind it where the
            // pick wants one; alignment: whole lines from the start of one; ISA: passed on.
            unsafe { self.pick.whole(src).stream(dst) };
        }
        for i in done.max(followed)..whole.lines {
            let (src, dst) = at(i);
            // SAFETY: as above, with nothing behind it.
            unsafe { self.closing(src, Self::LANES).stream(dst) };
        }
        let joined = self.adjacent && r + 1 < self.panel.rows;
        if whole.tail != 0 && !joined {
            let (src, dst) = at(whole.lines);
            // SAFETY: range and aliasing: the last cells of the row; ISA: passed on.
            unsafe {
                let last = self.closing(src, whole.tail);
                last.store_part(0..whole.tail * P::CELL, dst);
            }
        }
    }

    /// Moves `lines` lines of each of `K` places: the first line of each, then the second of each.
    ///
    /// # Safety
    /// - Range: so many lines can be picked at each of `src`, with a cell behind each where the
    ///   pick wants one, and written from each of `dst`.
    /// - Aliasing: no two of `dst` overlap, and none overlaps a source.
    /// - Alignment: each of `dst` starts a line.
    /// - ISA: that of the pick is enabled where this is inlined.
    #[inline(always)]
    unsafe fn streams<const K: usize>(
        self,
        mut src: [*const u8; K],
        mut dst: [*mut u8; K],
        lines: usize,
    ) {
        for _ in 0..lines {
            for k in 0..K {
                // SAFETY: range, aliasing and alignment: a line below `lines`; ISA: passed on.
                unsafe { self.pick.whole(src[k]).stream(dst[k]) };
                src[k] = self.on(src[k], Self::LANES as isize);
                dst[k] = dst[k].wrapping_add(LINE);
            }
        }
    }

    /// Moves rows `r` and `r + 1` together.
    ///
    /// # Safety
    /// As [`head`](Self::head), for both.
    #[inline(always)]
    unsafe fn two(self, r: usize) {
        // SAFETY: shape and ISA: passed on; range, aliasing and alignment: `head` gives lines of
        // two rows of the panel, of which both have `lines`.
        unsafe {
            let (a, b) = (self.head(r), self.head(r + 1));
            let lines = Self::followed(&a).min(Self::followed(&b));
            self.streams([a.src, b.src], [a.dst, b.dst], lines);
            self.tail(r, a, lines);
            self.tail(r + 1, b, lines);
        }
    }

    /// Moves row `r` in order.
    ///
    /// # Safety
    /// As [`head`](Self::head).
    #[inline(always)]
    unsafe fn one(self, r: usize) {
        // SAFETY: passed on; range, aliasing and alignment: `head` gives lines of the row.
        unsafe {
            let whole = self.head(r);
            let followed = Self::followed(&whole);
            let ending = followed.min(last_cells(self.panel.src.step) / Self::LANES);
            let lines = followed - ending;
            self.streams([whole.src], [whole.dst], lines);
            let pick = self.pick.ending();
            let src = self.on(whole.src, (lines * Self::LANES) as isize);
            let dst = whole.dst.wrapping_add(lines * LINE);
            Self { pick, ..self }.streams([src], [dst], ending);
            self.tail(r, whole, followed);
        }
    }

    /// Moves row `r` in four streams, a page apart as long as it reaches.
    ///
    /// # Safety
    /// As [`head`](Self::head).
    #[inline(always)]
    unsafe fn alone(self, r: usize) {
        // SAFETY: passed on.
        let whole = unsafe { self.head(r) };
        let followed = Self::followed(&whole);
        let mut done = 0;
        while followed - done >= 4 {
            let lines = PAGE_LINES.min((followed - done) / 4);
            let at = [0, 1, 2, 3].map(|k| done + k * lines);
            let src = at.map(|line| self.on(whole.src, (line * Self::LANES) as isize));
            let dst = at.map(|line| whole.dst.wrapping_add(line * LINE));
            // SAFETY: range and aliasing: done + 4 * lines is at most the lines of the row that
            // are followed; alignment: whole lines from the start of one; ISA: passed on.
            unsafe { self.streams(src, dst, lines) };
            done += 4 * lines;
        }
        // SAFETY: passed on.
        unsafe { self.tail(r, whole, done) };
    }
}
