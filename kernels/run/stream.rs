//! Runs around the caches: whole destination lines by streaming stores, the rest by cached ones.
//!
//! A file of its own because the walk is the same whatever the registers are: an ISA file supplies
//! a [`Line`], this file calls it. Memory likes a few streams at once, so two runs are moved
//! together line by line, and a long run is cut into pages of which four are moved together (a little
//! more than pages where [`resonance`] says so):
//!
//! ```text
//!   two runs                           a long run
//!   run 0   |h| 1 | 3 | 5 | 7 |t|      |h| 1 5 9 ..  | 2 6 10 ..  | 3 7 11 ..  | 4 8 12 .. | ..
//!   run 1   |hhh| 2 | 4 | 6 | 8 |        |<- page -->|<- page --->|<- page --->|<- page -->|
//! ```
//!
//! Where memory is best moved [as one sequence](in_one_sequence), very long runs are, and others whose source is
//! one.
//!
//! `h` and `t` are the bytes of lines that the run does not fill; a line is never written by both
//! kinds of stores. Where the runs of the destination follow each other without a gap, the line
//! between two of them is joined in a register and streamed as well.
//!
//! Figures are shares of the roof, the better of one memory copy and a copy of four interleaved
//! pages of the same bytes in the same round: 64 MiB, huge pages, AVX-512, on a 2-core AVX-512
//! server VM. A case is run length : source stride : destination stride.

use super::line::{Line, Parts, Reach, piece};
use super::resonance;
use crate::cpu::{by_amd, from_zen5, in_one_sequence, to_zen3};
use crate::fence::in_panels;
use crate::isa::{prefetch, prefetch_ahead};
use crate::panel::{LINE, Panel, Rows};

/// Lines of a page: how far apart the four streams of a long run are. 32 and 128 are within 2 % at
/// 64 MiB; at 256 MiB 32 take 0.84 of the roof instead of 1.00.
const PAGE_LINES: usize = 64;

/// From this many bytes on a run is moved alone, in pages: four pages. 8192:16384:8192 takes 0.71
/// of the roof alone and 0.90 by twos, runs of 16 KiB 0.94 and 0.93, of 64 KiB 0.97 and 0.93.
const LONG: usize = 4 * PAGE_LINES * LINE;

/// Bytes of runs between a load and the prefetch that goes before it. 48 MiB, milliseconds with 16 runs,
/// 16 KiB and 64 KiB: 100:128:100 5.5, 4.7, 4.7; 128:256:128 7.7, 7.1, 6.6; 200:256:200 5.2, 4.5, 4.6;
/// 512:1024:512 6.6, 5.8, 5.8; 1000:2000:1000 7.1, 5.9, 5.7; 256:256:1024 4.7, 4.3, 4.1. 64:256:64 is the
/// same, 15, with each: 0.3 of the roof (reading its source and nothing else takes 0.40); so it is
/// with what is ahead prefetched page by page in turn, or later.
const AHEAD: usize = 32 << 10;

/// The same on Zen 5. With 32 KiB and so, of the roof, 24 MiB: 428:428:492 0.83 and 1.05, 856:856:1712 0.95 and 1.20,
/// 1712:1712:2568 1.10 and 1.32, in the mean of 57 0.86 and 0.91, after all had been flushed 0.93 and 0.95. With 4, 8 and
/// 16 KiB, all [asked for into the first-level cache](prefetch_ahead), in the mean of 185 0.80, 0.87 and 0.86.
const AHEAD_ZEN5: usize = 8 << 10;

/// Runs that are at least, and where a panel that none follows has few of them at most, a quarter of its runs: those
/// that are not prefetched.
const LEAST_AHEAD: usize = 16;
/// The same on Zen 5, where with 16 runs those of 4 KiB are far ahead.
const LEAST_AHEAD_ZEN5: usize = 2;

/// Bytes that are prefetched of a run; what follows is left to the hardware. Milliseconds with 512 and
/// 2048: 2000:4000:2000 5.8, 4.8; 2000:2000:4000 4.6, 4.4; 6000:16384:6000 4.4, 4.4.
const BYTES_AHEAD: usize = 2048;

/// The same on Zen 5. With 512, 2048, 4096 and 8192, in order: 3424:6848:3424 0.64, 0.66, 1.29 and 1.34; 4096:5120:4096 0.61,
/// 0.72, 1.19 and 1.11; 8192:16384:8256 0.97, 0.86, 1.21 and 1.19; in the mean of 52 of 2 to 8 KiB 0.73, 0.84, 1.09 and 1.12.
const BYTES_AHEAD_ZEN5: usize = 8 << 10;

/// The same of whole lines, or lines that are joined, on other than AMD's cores. Of the roof, 15 MiB, with 2048 and so,
/// again and again, and after all had been flushed (Xeon): 1024:2048:1024 0.77 and 0.80, 0.65 and 0.68; 2048:4096:2048 0.72
/// and 0.77, 0.62 and 0.64; 3072:6144:3072 0.83 both, 0.66 and 0.71; 1000, 2000 and 3000 bytes are level. Runs that are cut
/// lose: 2000:2000:4000 0.93 and 0.97, 0.71 and 0.64; 1000:3000:2000 0.64 and 0.70, 0.55 and 0.52.
const BYTES_OF_LINES: usize = 512;

/// Bytes of a run from which on nothing is prefetched of it there, as it is long enough for the hardware. With 2048 and
/// none: 6000:12000:6000 0.90 and 0.91, 0.72 and 0.74; 6000:16384:6000 0.89 and 0.91, 0.70 and 0.75; 5000:5000:10000 0.96
/// and 0.99, 0.72 and 0.80; 12288:12288:24576 0.99 and 1.01, 0.84 and 0.96; but 3072:6144:3072 0.83 and 0.84, 0.66 and
/// 0.68; 1024:2048:1024 0.77 and 0.81, 0.65 and 0.60.
const LEFT_TO_HARDWARE: usize = 4096;
/// The same if the source is one sequence and no line is cut: 512:512:1024 1.01 both, 0.88 and 0.93; 2048:2048:4096 0.95
/// and 0.96, 0.69 and 0.78; but 256:256:512 1.01 and 0.98, 0.82 and 0.60; 128:128:256 0.99 both, 0.73 and 0.61.
const LEFT_OF_SEQUENCE: usize = 512;

/// Bytes of a run that is moved in order between a load and the prefetch that goes before it: 64 MiB,
/// 1.37 of the roof without (Zen 4), 1.35 with 512, 1.41 so; into the second-level cache 1.00.
const AHEAD_IN_ONE: usize = 4096;

/// Copies `lines` lines of each of `K` places: the first line of each, then the second of each.
///
/// # Safety
/// - Range: so many lines can be read from each of `src` and written from each of `dst`.
/// - Aliasing: no two of `dst` overlap, and none overlaps a source.
/// - Alignment: each of `dst` starts a line; none for `src`.
/// - ISA: that of `L` is enabled where this is inlined.
#[inline(always)]
unsafe fn streams<L: Line, const K: usize>(src: [*const u8; K], dst: [*mut u8; K], lines: usize) {
    for byte in (0..lines * LINE).step_by(LINE) {
        for k in 0..K {
            // SAFETY: range and aliasing: byte is the start of a line below `lines`; alignment:
            // whole lines from the start of one; ISA: passed on.
            unsafe { L::stream(src[k].add(byte), dst[k].add(byte)) };
        }
    }
}

/// The whole lines of a run, and the bytes behind them.
#[derive(Clone, Copy)]
struct Whole {
    src: *const u8,
    dst: *mut u8,
    lines: usize,
    tail: usize,
}

/// The runs of a panel on their way around the caches.
#[derive(Clone, Copy)]
struct Course<'a, 'p> {
    panel: &'a Panel<'p>,
    /// Runs of the destination follow each other without a gap: 200:400:200 0.48 of the roof with
    /// joined lines, 0.34 without; 500:1000:500 0.60, 0.37; 100:200:100 0.37, 0.26.
    adjacent: bool,
    /// Runs of the destination may start or end inside a line that is not joined. Asked for once:
    /// looking at both ends of each run of 128:128:512, which are whole lines, costs 0.71 instead
    /// of 0.90.
    cut: bool,
    /// Runs between a load and the prefetch that goes before it.
    ahead: usize,
    /// Bytes that are prefetched of a run.
    bytes_ahead: usize,
    /// The last one, on Zen 5, where all are, as its line may be another one. Of the roof without and with: 300:700:300 0.64
    /// and 0.92, 1000:2000:1000 0.83 and 1.13, in the mean of 24 0.72 and 0.77, after all had been flushed 0.77 and 0.76.
    last_ahead: Option<usize>,
    /// The source is one sequence: runs follow each other, or are windows.
    sequence: bool,
    /// The source is windows of one sequence: each run shares bytes with the next, so that less is read than is
    /// written, and nothing is asked for. Of the roof, by twos with what is ahead asked for, and in order without: 64:4:64
    /// 1.18 and 1.63 (a fill: 1.67), 100:4:100 1.30 and 1.61, 64:32:64 1.17 and 1.29, 100:52:100 1.16 and 1.12; but
    /// where lines are written in part, which have to be asked for, 400:4:448 1.13 and 1.01, and long runs in four
    /// streams, 65536:512:65536 1.65 and 1.63. AMD's cores were not asked.
    windows: bool,
    /// Bytes from the source of the panel to that of the next one, to which those after it are taken to be as far. Of the
    /// roof, 24 MiB, only runs of this panel asked for, and so (Zen 5): two of 512 bytes of 1024 0.16 and 0.73, four 0.28 and
    /// 0.78, eight 0.58 and 0.87; two of 856 0.25 and 0.72, of 2048 0.46 and 0.65; 64 of 856 0.70 and 0.87.
    next: Option<isize>,
}

impl Course<'_, '_> {
    /// Moves what precedes the whole lines of run `r`, and says where those are. Where runs are
    /// adjacent, that is the tail of the run before as well.
    ///
    /// # Safety
    /// The contract of the crate; `r` is a run of the panel; the ISA of `L` is enabled where this
    /// is inlined.
    #[inline(always)]
    unsafe fn head<L: Line>(self, r: usize) -> Whole {
        let (panel, cols) = (self.panel, self.panel.cols);
        // SAFETY: shape: r is below rows, and tables have an entry for each (contract).
        let (src, dst) = unsafe { (panel.src.cell(r, 0).cast_const(), panel.dst.cell(r, 0)) };
        let phase = dst.addr() % LINE;
        let head = phase.wrapping_neg() % LINE;
        if head != 0 && self.adjacent && r != 0 {
            // SAFETY: shape: r - 1 is a run as well; range: runs have at least a line, so the last
            // `phase` bytes of run r - 1 and the first of run r fill the line that the border
            // cuts; aliasing: those are cells of the panel's two sides, and the line is written
            // here only, since `tail` leaves it out; alignment: dst - phase starts a line; ISA:
            // passed on.
            unsafe {
                let end = panel.src.cell(r - 1, cols - phase);
                L::join(Parts::of_two(end, phase, src, Reach::Runs), dst.sub(phase));
            }
        } else if head != 0 {
            // SAFETY: range and aliasing: the first bytes of the run, 1 to 63; ISA: passed on.
            unsafe { piece(src, dst, head) };
        }
        Whole {
            src: src.wrapping_add(head),
            dst: dst.wrapping_add(head),
            lines: (cols - head) / LINE,
            tail: (cols - head) % LINE,
        }
    }

    /// Moves what follows the first `done` whole lines of run `r`: other lines, and the tail unless
    /// it is joined with the next run.
    ///
    /// # Safety
    /// As [`head`](Self::head), which gave `whole`.
    #[inline(always)]
    unsafe fn tail<L: Line>(self, r: usize, whole: Whole, done: usize) {
        for i in done..whole.lines {
            // SAFETY: range and aliasing: a whole line of the run; alignment: whole lines from the
            // start of one; ISA: passed on.
            unsafe { L::stream(whole.src.add(i * LINE), whole.dst.add(i * LINE)) };
        }
        let joined = self.adjacent && r + 1 < self.panel.rows;
        if whole.tail != 0 && !joined {
            let last = whole.lines * LINE;
            // SAFETY: range and aliasing: the last bytes of the run, 1 to 63; ISA: passed on.
            unsafe { piece(whole.src.add(last), whole.dst.add(last), whole.tail) };
        }
    }

    /// Asks for the source of run `r`, if there is one, or of one of the panels after this, and for the lines of the
    /// destination that it fills in part: cached stores wait for those, and what is streamed after them waits too.
    /// 200:200:400 takes 0.41 of the roof with, 0.24 without (and with cached stores throughout
    /// 0.26); 400:400:800 0.53, 0.26; 1000:1000:2000 0.62, 0.48.
    ///
    /// # Safety
    /// As [`head`](Self::head), but for `r`.
    #[inline(always)]
    unsafe fn prefetch(self, r: usize) {
        let rows = self.panel.rows;
        let Some((run, on)) = in_panels(r, rows, self.next) else {
            return;
        };
        // SAFETY: shape: the run is below rows.
        let src = unsafe { self.panel.src.cell(run, 0) }.wrapping_offset(on);
        for byte in (0..self.bytes_ahead).step_by(LINE) {
            prefetch_ahead(src.wrapping_add(byte));
        }
        if let Some(byte) = self.last_ahead {
            prefetch_ahead(src.wrapping_add(byte));
        }
        if self.cut && r < rows {
            // SAFETY: shape: r is below rows.
            let dst = unsafe { self.panel.dst.cell(r, 0) };
            for border in [dst, dst.wrapping_add(self.panel.cols)] {
                if !border.addr().is_multiple_of(LINE) {
                    prefetch_ahead(border);
                }
            }
        }
    }

    /// Moves runs `r` and `r + 1` together. One at a time, 4096:8192:4096 takes 0.82 of the roof
    /// instead of 0.92 and others the same; four, 256:1024:256 0.46 instead of 0.49 and
    /// 500:1000:500 0.51 instead of 0.55; eight are behind four.
    ///
    /// # Safety
    /// As [`head`](Self::head), for both.
    #[inline(always)]
    unsafe fn two<L: Line>(self, r: usize) {
        // SAFETY: shape and ISA: passed on; range, aliasing and alignment: `head` gives lines of
        // two runs of the panel, of which both have `lines`, and the lead is no more.
        unsafe {
            self.prefetch(r + self.ahead);
            self.prefetch(r + self.ahead + 1);
            let (a, b) = (self.head::<L>(r), self.head::<L>(r + 1));
            let lines = a.lines.min(b.lines);
            let lead = resonance::lead([a.src, b.src], [a.dst, b.dst], lines);
            let (both, from) = (lines - lead, lead * LINE);
            streams::<L, 2>([a.src, b.src.add(from)], [a.dst, b.dst.add(from)], both);
            let from = both * LINE;
            streams::<L, 2>([a.src.add(from), b.src], [a.dst.add(from), b.dst], lead);
            self.tail::<L>(r, a, lines);
            self.tail::<L>(r + 1, b, lines);
        }
    }

    /// Whether runs are moved one by one and in order, where memory wants that: if the source is one sequence, of
    /// which only what is written in part is asked for ahead; if they are very long; or if they are three lines
    /// or four, more or less. Of the roof, Zen 4, otherwise and so: 4096:4096:8192 0.86 and 1.14,
    /// 8192:8192:16384 0.92 and 1.21, 512:512:1024 1.24 and 1.40, 128:128:512 0.74 and 0.87; cut, 1000:1000:2000 0.97 and 1.12,
    /// 2000:2000:4000 0.72 and 0.86, 400:400:800 0.96 and 0.94, 200:200:256 0.91 and 0.69; from a source with
    /// gaps, 256:1024:256 0.30 and 0.60, but 128:256:128 1.07 and 0.95, 512:1024:512 0.58 and 0.45,
    /// 4096:8192:4096 0.80 and 0.77; 32 KiB 0.97 and 0.95, two threads 2.3 to 2.8 ms and 2.8 to 3.1; 64 KiB 0.96
    /// and 1.12, 2.9 and 2.8 ms; 256 KiB 0.97 and 1.25. Not very long ones on Zen 3: 64 MiB in one run 0.98 and 0.93,
    /// 143 MiB 1.00 and 0.95.
    fn in_order(self) -> bool {
        /// Bytes of runs that are cut, at least; of those between gaps; and of very long ones.
        const CUT: usize = 512;
        const SHORT: core::ops::RangeInclusive<usize> = 2 * LINE + 1..=4 * LINE;
        const VERY_LONG: usize = 64 << 10;
        let bytes = self.panel.cols;
        let whole = !self.cut || bytes >= CUT;
        let pays = match (self.sequence, from_zen5()) {
            (true, false) => whole,
            (true, true) => whole && !Self::BY_TWOS.contains(&bytes),
            (false, false) => SHORT.contains(&bytes) || bytes >= VERY_LONG,
            (false, true) if self.cut => bytes > Self::SHORT_CUT,
            (false, true) => bytes > Self::FEW_LINES,
        };
        self.windows || pays && in_one_sequence() && !(bytes >= VERY_LONG && to_zen3())
    }

    /// Bytes of the runs of one sequence that are moved by twos all the same on Zen 5. In order and so, 24 MiB, again and
    /// again, and after all had been flushed: 256:256:512 1.12 and 1.26, 1.26 and 1.33; 512:512:576 1.12 and 1.29, 1.09 and
    /// 1.17; 1024:1024:1088 1.16 and 1.24, 1.23 and 1.44; 1712:1712:3424 1.23 and 1.26, 1.23 and 1.43; but 128:128:192 1.22
    /// and 0.88, 1.30 and 1.31; 200:200:264 0.88 and 0.85, 1.01 and 1.00; 2048:2048:4096 1.20 and 1.24, 1.38 and 0.99;
    /// 4096:4096:4160 1.16 and 1.11.
    const BY_TWOS: core::ops::Range<usize> = 256..2048;

    /// Bytes up to which those between gaps are on Zen 5. By twos and in order: 128:256:128 0.89 both; 256:512:256 0.91 and
    /// 0.97; 2048:2560:2112 1.08 and 1.18; 8192:16384:8192 0.95 and 1.18; panels of a few of 512 bytes 0.64 and 0.80, of
    /// 4096 0.91 and 1.06; but 1024:2048:1024 0.96 and 0.93.
    const FEW_LINES: usize = 2 * LINE;
    /// The same where they are cut: 200:400:264 0.64 and 0.59; 600 bytes, in the mean of six, 0.85 and 0.78, 800 0.92 and
    /// 0.84; 700 0.87 and 0.92.
    const SHORT_CUT: usize = 1 << 10;

    /// Moves run `r` in order, four lines at a time.
    ///
    /// # Safety
    /// As [`head`](Self::head).
    #[inline(always)]
    unsafe fn one<L: Line>(self, r: usize) {
        const FOUR: usize = 4;
        // SAFETY: shape and ISA: passed on; range and aliasing: done + 4 is at most the lines of the run;
        // alignment: whole lines from the start of one.
        unsafe {
            if self.cut || !self.sequence {
                self.prefetch(r + self.ahead);
            }
            let whole = self.head::<L>(r);
            let mut done = 0;
            while whole.lines - done >= FOUR {
                let at: [_; FOUR] = core::array::from_fn(|k| (done + k) * LINE);
                let src = at.map(|byte| whole.src.wrapping_add(byte));
                if (whole.lines - done) * LINE > AHEAD_IN_ONE {
                    for line in src {
                        prefetch(line.wrapping_add(AHEAD_IN_ONE));
                    }
                }
                streams::<L, FOUR>(src, at.map(|byte| whole.dst.wrapping_add(byte)), 1);
                done += FOUR;
            }
            self.tail::<L>(r, whole, done);
        }
    }

    /// Moves run `r` in four streams, a page apart as long as it reaches.
    ///
    /// # Safety
    /// As [`head`](Self::head).
    #[inline(always)]
    unsafe fn alone<L: Line>(self, r: usize) {
        // SAFETY: passed on.
        let whole = unsafe { self.head::<L>(r) };
        let mut done = 0;
        while whole.lines - done >= 4 {
            let most = (whole.lines - done) / 4;
            let lines = resonance::apart(whole.src, whole.dst, PAGE_LINES, most);
            let at = [0, 1, 2, 3].map(|k| (done + k * lines) * LINE);
            let src = at.map(|byte| whole.src.wrapping_add(byte));
            let dst = at.map(|byte| whole.dst.wrapping_add(byte));
            // SAFETY: range and aliasing: done + 4 * lines is at most the lines of the run;
            // alignment: whole lines from the start of one; ISA: passed on.
            unsafe { streams::<L, 4>(src, dst, lines) };
            done += 4 * lines;
        }
        // SAFETY: passed on.
        unsafe { self.tail::<L>(r, whole, done) };
    }
}

/// Moves the runs of a panel around the caches; the source of the next panel, if there is one, lies `next` bytes on. The
/// kind of the rows is asked for once per run: beside a line on its way to memory that does not show.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits whose runs have at least a line;
/// the ISA of `L` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn runs<L: Line>(panel: &Panel<'_>, next: Option<isize>) {
    let (cols, start) = (panel.cols, panel.dst.base.addr());
    let (adjacent, cut) = match panel.dst.rows {
        Rows::Stride(stride) if stride == cols as isize => (true, false),
        Rows::Stride(stride) => (false, (start | stride.unsigned_abs() | cols) % LINE != 0),
        _ => (false, true),
    };
    let shared = matches!(panel.src.rows, Rows::Stride(stride) if stride.unsigned_abs() < cols);
    let windows = shared && !cut && cols < LONG && !by_amd();
    let (ahead, least) = if from_zen5() {
        (AHEAD_ZEN5, LEAST_AHEAD_ZEN5)
    } else {
        (AHEAD, LEAST_AHEAD)
    };
    let most = match next {
        Some(_) => usize::MAX,
        None => (panel.rows / 4).max(least),
    };
    let sequence = panel.src.rows.follow(cols) || windows;
    let bytes_ahead = match cut {
        _ if from_zen5() => BYTES_AHEAD_ZEN5,
        _ if by_amd() => BYTES_AHEAD,
        _ if cols >= LEFT_TO_HARDWARE => 0,
        false if sequence && cols >= LEFT_OF_SEQUENCE => 0,
        false => BYTES_OF_LINES,
        true => BYTES_AHEAD,
    };
    let course = Course {
        panel,
        adjacent,
        cut,
        ahead: (ahead / cols).clamp(least, most),
        next,
        bytes_ahead: bytes_ahead.min(cols),
        last_ahead: (cols <= bytes_ahead && from_zen5()).then_some(cols - 1),
        sequence,
        windows,
    };
    let in_order = course.in_order();
    let by_twos = if in_order || cols >= LONG {
        0
    } else {
        panel.rows & !1
    };
    for r in (0..by_twos).step_by(2) {
        // SAFETY: passed on; r + 1 is below rows, since by_twos is even.
        unsafe { course.two::<L>(r) };
    }
    for r in by_twos..panel.rows {
        // SAFETY: passed on; r is below rows.
        unsafe {
            if in_order {
                course.one::<L>(r);
            } else {
                course.alone::<L>(r);
            }
        }
    }
}
