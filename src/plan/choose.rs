//! From a normal form to a recipe: which kernel in which panel, which stores, which loops around it, and
//! how it is cut among threads. Pure: no pointer, no clock, no global. The family is the
//! [`draft`](super::draft)'s.

use restride_kernels::{Family, Row, SourceGaps};

use super::cut;
use super::draft::Draft;
use super::group::{Grow, PanelDims};
use super::normalise::{Dims, Normal};
use super::options::{Options, Stores};
use super::problem::Problem;
use super::recipe::{PanelPlan, Recipe, Split, SplitAxis, Threads, Work};
use crate::machine::Facts;

impl Recipe {
    /// Decides how to carry out `problem`.
    ///
    /// The result depends on the three arguments only.
    #[must_use]
    #[inline]
    pub fn choose(problem: &Problem, options: &Options, facts: &Facts) -> Self {
        let mut recipe = Self::of(problem);
        recipe.decide(options, facts);
        recipe
    }

    /// Nothing decided yet.
    #[inline(always)]
    pub(super) fn of(problem: &Problem) -> Self {
        Self {
            problem: problem.clone(),
            work: None,
        }
    }

    /// Decides, in place, how to carry out the problem.
    #[inline]
    pub(super) fn decide(&mut self, options: &Options, facts: &Facts) {
        let mut normal = Normal::of_cells(self.problem.src_cell);
        if normal.finish(&self.problem) {
            let gaps = self.problem.source_gaps();
            Work::choose(&mut self.work, &normal, gaps, options, facts);
        }
    }
}

/// What is decided first: kernel and panel. Where nothing else is left to do, that is all there is to
/// know, and a small copy goes no further.
pub(crate) struct Choice {
    row: &'static Row,
    cached_row: &'static Row,
    threads: Threads,
    bytes: usize,
}

impl Choice {
    /// Decides which kernel moves what is in normal form, in which panel; the dimensions are dealt out
    /// into `dealt`, where nothing is dealt yet. Both are filled where they are to stay.
    #[inline(always)]
    pub(crate) fn of(
        normal: &Normal,
        gaps: SourceGaps,
        options: &Options,
        facts: &Facts,
        dealt: &mut PanelDims,
        panel: &mut PanelPlan,
    ) -> Self {
        let line = facts.caches.line;
        let bytes = normal.cells() * normal.cell;
        let streaming = match options.stores {
            Stores::Cached => false,
            Stores::Streaming => true,
            Stores::Auto => {
                let from = streaming_bytes(facts);
                bytes >= from || bytes >= from / 2 && crowds(normal)
            }
        };
        let mut draft = Draft::new(normal, Grow::of(bytes, line, streaming), dealt);
        draft.fill(panel, normal, dealt);
        let isa = options.isa.map_or(facts.isa, |cap| cap.min(facts.isa));
        let (mut row, mut cached_row) = draft.rows(panel, gaps, streaming, isa);
        let may_cache = row.streams() && options.stores == Stores::Auto;
        if may_cache && draft.joins_lines(panel, row.tile, dealt, normal, line) {
            let streaming = false;
            *dealt = PanelDims::new();
            draft = Draft::new(normal, Grow::of(bytes, line, streaming), dealt);
            draft.fill(panel, normal, dealt);
            (row, cached_row) = draft.rows(panel, gaps, streaming, isa);
        }
        let listed = normal.listed.or(normal.listed_dst).is_some();
        if row.streams() && draft.family == Family::Run && !listed {
            let mut other = PanelDims::new();
            if let Some(crossed) = Draft::crossed_runs(normal, isa, &mut other) {
                (*panel, row, cached_row) = crossed;
                *dealt = other;
            } else if draft.reads_in_order(normal, line) {
                *dealt = PanelDims::new();
                dealt.in_source_order(&normal.dims);
                draft.fill(panel, normal, dealt);
            }
        }
        if dealt.has_tables() {
            dealt.tables(panel);
        }
        Self {
            row,
            cached_row,
            threads: cut::wanted(options.par, cut::in_lines(panel, bytes, line), facts),
            bytes,
        }
    }

    /// The row, if all there is to do is one call of it, which makes no streaming stores.
    #[inline(always)]
    pub(crate) fn one_call(&self, normal: &Normal, dealt: &PanelDims) -> Option<&'static Row> {
        let one = !self.row.streams() && self.threads.most() == 1 && !dealt.leaves(&normal.dims);
        one.then_some(self.row)
    }
}

impl Work {
    /// Decides how to move what is in normal form, and puts that into `place`, where it is to stay:
    /// to return it would be half of planning.
    #[inline(always)]
    pub(crate) fn choose<'w>(
        place: &'w mut Option<Self>,
        normal: &Normal,
        gaps: SourceGaps,
        options: &Options,
        facts: &Facts,
    ) -> &'w Self {
        let mut dealt = PanelDims::new();
        let mut panel = PanelPlan::empty();
        let choice = Choice::of(normal, gaps, options, facts, &mut dealt, &mut panel);
        Self::of(place, choice, panel, normal, &dealt, facts)
    }

    /// What is decided once kernel and panel are: the loops around it, and where it is cut.
    #[inline(always)]
    pub(crate) fn of<'w>(
        place: &'w mut Option<Self>,
        choice: Choice,
        panel: PanelPlan,
        normal: &Normal,
        dealt: &PanelDims,
        facts: &Facts,
    ) -> &'w Self {
        let Choice {
            row,
            cached_row,
            threads,
            bytes,
        } = choice;
        let line = facts.caches.line;
        let work = place.insert(Self {
            row,
            cached_row,
            panel,
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
            caches: facts.caches,
        });
        dealt.put_loops(&normal.dims, &mut work.loops);
        let crossed = row.streams() && row.family == Family::Transpose;
        let bands = match dealt.cols.first {
            Some(b) if crossed && !dealt.cuts_lines(&normal.dims, line) => {
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

/// The destination from which on `Stores::Auto` streams, where a kernel can: two second-level
/// caches, within bounds. Measured with 2 MiB of it: f32 1024x1024, a destination of 4 MiB,
/// 1.18 of memcpy streamed, 0.74 cached. A result that is read next lost a quarter at 4 MiB and
/// gained at 16:
/// `Stores::Cached` says so.
pub(crate) fn streaming_bytes(facts: &Facts) -> usize {
    (2 * facts.caches.l2).clamp(4 << 20, 8 << 20)
}

/// Whether a transposition reads or writes rows so far apart that they share few sets of the caches.
/// Those stream from half of [`streaming_bytes`] on, as their lines do not stay anyway. Cached and
/// streamed: u16 1024x1024, 303 and 127 us, and if the result is read next, 286 and 308; u8 1536x1536,
/// 368 and 192, read next 365 and 379; 2048x2048, 650 and 376, 817 and 661; f64 512x512, 179 and 117, 219
/// and 283. Others gain less than they lose when they are read next: f32 720x720, 147 and 121, 224 and
/// 283; f64 600x600, 242 and 186, 353 and 378.
fn crowds(normal: &Normal) -> bool {
    /// An eighth of a page: 8 sets of the first-level cache.
    const FEW_SETS: usize = 512;
    let (cell, dims) = (normal.cell, &normal.dims[..]);
    let few = |stride: isize| stride.unsigned_abs().is_multiple_of(FEW_SETS);
    let Some((b, others)) = dims.split_first() else {
        return false;
    };
    let a = others.iter().find(|dim| dim.src.unsigned_abs() == cell);
    a.is_some_and(|a| few(b.src) || few(a.dst))
}

#[cfg(test)]
mod tests;
