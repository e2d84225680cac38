//! From a normal form to a recipe: which kernel in which panel, which stores, which loops around it, and
//! how it is cut among threads. Pure: no pointer, no clock, no global. The family is the
//! [`draft`](super::draft)'s.

use restride_kernels::{Family, Row, SourceGaps};

use super::cut;
use super::direct::StridedPanel;
use super::draft::{Draft, RUN_BYTES};
use super::fetch;
use super::group::{Grow, PanelDims};
use super::normalise::{Dims, FEW, Form};
use super::options::{Options, Stores};
use super::problem::{Dim, Problem};
use super::recipe::{PanelPlan, Recipe, RowPlan, Split, SplitAxis, Threads, Work};
use crate::layout::PerAxis;
use crate::machine::Facts;

impl Recipe {
    /// Decides how to carry out `problem`.
    ///
    /// The result depends on the three arguments only.
    #[must_use]
    #[inline]
    pub fn choose(problem: &Problem, options: &Options, facts: &Facts) -> Self {
        let mut recipe = Self::blank(problem);
        recipe.decide(problem, options, facts);
        recipe
    }

    /// Nothing decided yet, and no dimensions: those are copied where they are to stay.
    #[inline(always)]
    pub(super) fn blank(problem: &Problem) -> Self {
        Self {
            problem: Problem {
                dims: PerAxis::new(),
                ..*problem
            },
            work: None,
        }
    }

    /// Decides, in place, how to carry out the problem that this was made for.
    #[inline]
    pub(super) fn decide(&mut self, problem: &Problem, options: &Options, facts: &Facts) {
        for &dim in &problem.dims {
            self.problem.dims.push(dim);
        }
        let (mut few, mut many);
        let rank = problem.dims.len();
        let room = if rank <= FEW {
            few = [Dim::NONE; FEW];
            &mut few[..]
        } else {
            many = vec![Dim::NONE; rank];
            &mut many[..]
        };
        if let Some(normal) = Form::of(problem, room) {
            let gaps = problem.source_gaps();
            Work::choose(&mut self.work, &normal, gaps, options, facts);
        }
    }
}

/// What is decided first: kernel and panel. Where nothing else is left to do, that is all there is to
/// know, and a small copy goes no further.
pub(crate) struct Choice {
    row: &'static Row,
    cached_row: &'static Row,
    /// What one call moves, without tables and lists.
    pub(crate) panel: StridedPanel,
    threads: Threads,
    bytes: usize,
}

impl Choice {
    /// Decides which kernel moves what is in normal form, in which panel; the dimensions are dealt out
    /// into `dealt`, where nothing is dealt yet.
    #[inline(always)]
    pub(crate) fn of(
        normal: &Form<'_>,
        gaps: SourceGaps,
        options: &Options,
        facts: &Facts,
        dealt: &mut PanelDims,
    ) -> Self {
        let line = facts.caches.line;
        let bytes = normal.bytes;
        let streaming = match options.stores {
            Stores::Cached => false,
            Stores::Streaming => true,
            Stores::Auto if bytes < LEAST_STREAMED / 2 => false,
            Stores::Auto if bytes < streaming_bytes(facts) => {
                bytes >= streaming_bytes(facts) / 2 && crowds(normal)
            }
            Stores::Auto => bytes > held_bytes(facts) || !reads_little(normal, facts),
        };
        let mut draft = Draft::new(normal, Grow::of(bytes, facts, streaming), dealt);
        let mut panel = draft.panel(normal, dealt);
        let isa = options.isa.map_or(facts.isa, |cap| cap.min(facts.isa));
        let (mut row, mut cached_row) = draft.rows(&panel, gaps, streaming, isa);
        let may_cache = row.streams() && options.stores == Stores::Auto;
        if streaming && draft.family == Family::Transpose && (may_cache || !row.streams()) {
            let streaming = false;
            let mut other = PanelDims::new();
            let through = Draft::new(normal, Grow::of(bytes, facts, streaming), &mut other);
            let piece = through.panel(normal, &other);
            let rows = through.rows(&piece, gaps, streaming, isa);
            let fetched = fetch::fetches(rows.0, &piece, &other, normal, facts)
                && fetch::beats_streaming((rows.0, &piece), (&panel, isa), &other, normal, facts);
            let better = fetched || draft.wants_caches(&panel, row.tile, dealt, normal, facts);
            if better || !row.streams() {
                (draft, panel, (row, cached_row), *dealt) = (through, piece, rows, other);
            }
        }
        let listed = normal.listed.or(normal.listed_dst).is_some();
        if row.streams() && draft.family == Family::Run && !listed {
            let mut other = PanelDims::new();
            if let Some(crossed) = Draft::crossed_runs(normal, isa, &mut other) {
                (panel, row, cached_row) = crossed;
                *dealt = other;
            } else if may_cache && draft.short_crossed(normal, line) {
                row = cached_row;
            } else if draft.reads_in_order(normal, line) {
                *dealt = PanelDims::new();
                dealt.in_source_order(normal.dims);
                panel = draft.panel(normal, dealt);
            }
        }
        Self {
            row,
            cached_row,
            panel,
            threads: cut::wanted(options.par, cut::in_lines(&panel, bytes, line), facts),
            bytes,
        }
    }

    /// The row, if it makes no streaming stores, nothing is fetched and one thread does it all.
    #[inline(always)]
    pub(crate) fn simple(&self) -> Option<&'static Row> {
        let small = self.bytes < LEAST_STREAMED;
        (small && !self.row.streams() && self.threads.most() == 1).then_some(self.row)
    }

    /// Gives `panel`, whose rows are strides, its tables and lists.
    #[inline(always)]
    fn complete(panel: &mut PanelPlan, normal: &Form<'_>, dealt: &PanelDims) {
        if dealt.has_tables() {
            let sides = [&mut panel.src.rows, &mut panel.dst.rows];
            dealt.tables(panel.pairing, sides);
        }
        if normal.listed.is_some() {
            panel.src.rows = RowPlan::Listed;
        }
        if normal.listed_dst.is_some() {
            panel.dst.rows = RowPlan::Listed;
        }
    }
}

impl Work {
    /// Decides how to move what is in normal form, and puts that into `place`, where it is to stay:
    /// to return it would be half of planning.
    #[inline(always)]
    pub(crate) fn choose<'w>(
        place: &'w mut Option<Self>,
        normal: &Form<'_>,
        gaps: SourceGaps,
        options: &Options,
        facts: &Facts,
    ) -> &'w Self {
        let mut dealt = PanelDims::new();
        let choice = Choice::of(normal, gaps, options, facts, &mut dealt);
        let Choice {
            row,
            cached_row,
            threads,
            bytes,
            ..
        } = choice;
        let line = facts.caches.line;
        let work = place.insert(Self {
            row,
            cached_row,
            panel: PanelPlan::of(&choice.panel),
            loops: Dims::new(),
            split: Split {
                axis: SplitAxis::Rows,
                unit: 0,
                blocks: 0,
                outside: 0,
                tasks: 0,
            },
            threads,
            bytes,
            fetches: fetch::fetches(row, &choice.panel, &dealt, normal, facts),
            caches: facts.caches,
        });
        Choice::complete(&mut work.panel, normal, &dealt);
        dealt.put_loops(normal.dims, &mut work.loops);
        let crossed = row.streams() && row.family == Family::Transpose;
        let bands = match dealt.cols.first {
            Some(b) if crossed && !dealt.cuts_lines(normal.dims, line) => {
                cut::bands(&work.panel, b.src, &work.loops, row.tile)
            }
            _ => None,
        };
        let most = work.threads.most();
        work.split =
            bands.unwrap_or_else(|| cut::split(&work.panel, &work.loops, most, row.tile, line));
        work.threads = work.threads.at_most(work.split.tasks);
        work
    }
}

/// [`streaming_bytes`] at least.
const LEAST_STREAMED: usize = 4 << 20;

/// The destination from which on `Stores::Auto` streams, where a kernel can: two second-level
/// caches, within bounds. Measured with 2 MiB of it: f32 1024x1024, a destination of 4 MiB,
/// 1.18 of memcpy streamed, 0.74 cached. A result that is read next lost a quarter at 4 MiB and
/// gained at 16:
/// `Stores::Cached` says so.
pub(crate) fn streaming_bytes(facts: &Facts) -> usize {
    (2 * facts.caches.l2).clamp(LEAST_STREAMED, 8 << 20)
}

/// The largest destination that is taken to stay in the third-level cache, by what [`reads_little`] and
/// by what joins short rows: an eighth of it, as others share it (*guess*), within what was measured. Fills of one thread,
/// cached and streamed, in us: 4 MiB, 144 and 175; 16 MiB, 565 and 690; 32 MiB, 1180 and 1350; 64 MiB, 7.0
/// and 2.8 ms. If the result is read next, with that: 4 MiB, 288 and 548; 32 MiB, 2390 and 3720. After 64
/// MiB of something else: 4 MiB, 140 and 176. After all had been flushed they lose: 4 MiB, 370 and 178,
/// read next 551 and 447; 32 MiB, 2.7 and 1.35 ms, 4.9 and 3.6. Two threads, 4, 16, 32 MiB: 84 and 113,
/// 310 and 399, 683 and 703.
pub(super) fn held_bytes(facts: &Facts) -> usize {
    (facts.caches.l3 / 8).min(32 << 20)
}

/// Whether cells, or runs, are written again and again, and stay in the second-level cache meanwhile, so
/// that memory is only written. A run again and again, cached and streamed, in us: 1 MiB, 8 times, 387
/// and 398; 32 times, 1503 and 1597; 2 MiB, 8 times, 1204 and 970; 2 MiB, 4 times, 587 and 478.
fn reads_little(normal: &Form<'_>, facts: &Facts) -> bool {
    const OFTEN: usize = 8;
    let repeats = normal.dims.iter().filter(|dim| dim.src == 0);
    let repeats = repeats.map(|dim| dim.extent).product::<usize>();
    let straight = normal.cell >= RUN_BYTES || normal.dims.first().is_some_and(|b| b.src == 0);
    straight && repeats >= OFTEN && normal.bytes / repeats <= facts.caches.l2 / 2
}

/// Whether a transposition reads or writes rows so far apart that they share few sets of the caches.
/// Those stream from half of [`streaming_bytes`] on, as their lines do not stay anyway. Cached and
/// streamed: u16 1024x1024, 303 and 127 us, and if the result is read next, 286 and 308; u8 1536x1536,
/// 368 and 192, read next 365 and 379; 2048x2048, 650 and 376, 817 and 661; f64 512x512, 179 and 117, 219
/// and 283. Others gain less than they lose when they are read next: f32 720x720, 147 and 121, 224 and
/// 283; f64 600x600, 242 and 186, 353 and 378.
fn crowds(normal: &Form<'_>) -> bool {
    /// An eighth of a page: 8 sets of the first-level cache.
    const FEW_SETS: usize = 512;
    /// Rows that one set holds: three planes of 1 MiB do not crowd. Pixels of 3 bytes to those, cached and
    /// streamed, of memcpy: 1.25 and 0.41.
    const WAYS: usize = 8;
    let (cell, dims) = (normal.cell, normal.dims);
    let few = |stride: isize, times| times > WAYS && stride.unsigned_abs().is_multiple_of(FEW_SETS);
    let Some((b, others)) = dims.split_first() else {
        return false;
    };
    let a = others.iter().find(|dim| dim.src.unsigned_abs() == cell);
    a.is_some_and(|a| few(b.src, b.extent) || few(a.dst, a.extent))
}

#[cfg(test)]
mod tests;
