//! From a normal form to a recipe: which kernel in which panel, which stores, which loops around it, and
//! how it is cut among threads. Pure: no pointer, no clock, no global. The family is the
//! [`draft`](super::draft)'s.

use restride_kernels::{Ask, Family, Isa, Row, SourceGaps};

use super::batch::{Batch, Blocks};
use super::cut;
use super::direct::StridedPanel;
use super::draft::Draft;
use super::fetch;
use super::group::{Grow, PanelDims};
use super::normalise::{Dims, FEW, Form};
use super::options::{Options, Stores};
use super::pieces;
use super::problem::{Dim, Problem};
use super::recipe::{PanelPlan, Recipe, RowPlan, Split, SplitAxis, Threads, Work};
use super::repeat::{Repeated, Uses};
use super::stores::{self, LEAST_STREAMED, is_far};
use crate::layout::PerAxis;
use crate::machine::Facts;

impl Recipe {
    /// Decides how to carry out `problem`.
    ///
    /// The result depends on the three arguments, and on the [`Cores`](crate::Cores) that kernels choose by.
    #[must_use]
    #[inline]
    pub fn choose(problem: &Problem, options: &Options, facts: &Facts) -> Self {
        Self::chosen(problem, options, facts, Uses::Many)
    }

    /// [`Self::choose`] for so many uses.
    #[inline]
    pub(super) fn chosen(problem: &Problem, options: &Options, facts: &Facts, uses: Uses) -> Self {
        let mut recipe = Self::blank(problem);
        recipe.decide(problem, options, facts, uses);
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
            repeats: Vec::new(),
        }
    }

    /// Decides, in place, how to carry out the problem that this was made for.
    #[inline]
    pub(super) fn decide(
        &mut self,
        problem: &Problem,
        options: &Options,
        facts: &Facts,
        uses: Uses,
    ) {
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
            if let Some(repeated) = Repeated::of(&normal, uses, options, facts) {
                self.repeats = repeated.pieces(&normal, gaps, options, facts);
            }
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
    batch: Option<Batch>,
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
        let isa = options.tier(facts);
        let streaming = stores::stream(normal, options.stores, isa, facts);
        let grow = |streaming| Grow::of(bytes, facts, (isa, gaps), streaming);
        let mut room = [Dim::NONE; 2];
        if streaming && let Some(blocks) = Blocks::of(normal, (isa, gaps), facts, &mut room) {
            let batched = Self::batched(&blocks, (normal, gaps), (options, isa, facts), dealt);
            if let Some(batched) = batched {
                return batched;
            }
            *dealt = PanelDims::new();
        }
        let mut draft = Draft::new(normal, grow(streaming), dealt);
        let mut panel = draft.panel(normal, dealt);
        let (mut row, mut cached_row) = draft.rows(&panel, gaps, streaming, isa);
        let may_cache = row.streams() && options.stores == Stores::Auto;
        if streaming && draft.family == Family::Transpose && (may_cache || !row.streams()) {
            let streaming = false;
            let mut other = PanelDims::new();
            let through = Draft::new(normal, grow(streaming), &mut other);
            let piece = through.panel(normal, &other);
            let rows = through.rows(&piece, gaps, streaming, isa);
            let small = fetch::are_small(rows.0, &piece, &other, normal, facts)
                && fetch::beats_streaming((rows.0, &piece), &panel, &other, normal, facts);
            let banded = fetch::bands_beat_streaming(&piece, &panel, &other, line);
            let better =
                small || banded || draft.wants_caches(&panel, row.tile, dealt, normal, facts);
            if better || !row.streams() {
                (draft, panel, (row, cached_row), *dealt) = (through, piece, rows, other);
            }
        }
        let listed = normal.listed.or(normal.listed_dst).is_some();
        if row.streams() && draft.family == Family::Run && !listed {
            let mut other = PanelDims::new();
            if let Some(crossed) = Draft::crossed_runs(normal, (isa, facts), &mut other) {
                if may_cache && pieces::are_short(crossed.1, &crossed.0, &other, normal, facts) {
                    *dealt = PanelDims::new();
                    let streaming = false;
                    draft = Draft::new(normal, grow(streaming), dealt);
                    panel = draft.panel(normal, dealt);
                    (row, cached_row) = draft.rows(&panel, gaps, streaming, isa);
                } else {
                    (panel, row, cached_row) = crossed;
                    *dealt = other;
                }
            } else if draft.reads_in_order(normal, line) {
                *dealt = PanelDims::new();
                dealt.in_source_order(normal.dims);
                panel = draft.panel(normal, dealt);
            }
        }
        if may_cache && !listed && pieces::are_short(row, &panel, dealt, normal, facts) {
            row = cached_row;
        }
        if may_cache && draft.family == Family::Shuffle && stores::keep_blocks(bytes, isa, facts) {
            row = cached_row;
        }
        if !row.streams()
            && bytes > 2 * facts.caches.l2
            && !is_far(facts)
            && let Some(unmasked) = draft.unmasked(&panel, gaps, isa)
        {
            (row, cached_row) = (unmasked, unmasked);
        }
        let in_lines = match draft.family {
            Family::Shuffle => bytes,
            _ => cut::in_lines(&panel, bytes, line),
        };
        Self {
            row,
            cached_row,
            panel,
            threads: cut::wanted(options.par, in_lines, facts),
            bytes,
            batch: None,
        }
    }

    /// [`Self::of`] where it is a batch, of transpositions that are worth a stage: decides how a block is moved in
    /// the caches.
    #[inline(never)] // beside the way of small copies
    fn batched(
        blocks: &Blocks<'_>,
        (normal, gaps): (&Form<'_>, SourceGaps),
        (options, isa, facts): (&Options, Isa, &Facts),
        dealt: &mut PanelDims,
    ) -> Option<Self> {
        let (block, streaming) = (&blocks.form, false);
        let grow = Grow::of(block.bytes, facts, (isa, gaps), streaming);
        let draft = Draft::new(block, grow, dealt);
        let panel = draft.panel(block, dealt);
        let (row, cached_row) = draft.rows(&panel, gaps, streaming, isa);
        let crossed = draft.family == Family::Transpose;
        // What is left over is moved by the same row.
        let takes = |rows| {
            cached_row.takes(&Ask {
                rows,
                ..panel.ask(gaps, false)
            })
        };
        let taken = blocks.rows_left(normal).is_none_or(takes);
        (crossed && taken && blocks.pay(&panel, row.tile, normal, facts)).then(|| Self {
            row,
            cached_row,
            panel,
            threads: cut::wanted(options.par, normal.bytes, facts),
            bytes: normal.bytes,
            batch: Some(blocks.batch(normal, dealt, blocks.few(isa, (row, &panel), facts))),
        })
    }

    /// The row, if it makes no streaming stores, nothing is fetched and one thread does it all.
    #[inline(always)]
    pub(crate) fn simple(&self) -> Option<&'static Row> {
        let small = self.bytes < LEAST_STREAMED && self.batch.is_none();
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
            batch,
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
                tasks: 0,
            },
            threads,
            bytes,
            fetches: batch.is_none() && fetch::fetches(row, &choice.panel, &dealt, normal, facts),
            batch,
            caches: facts.caches,
        });
        Choice::complete(&mut work.panel, normal, &dealt);
        if let Some(batch) = &work.batch {
            work.split = batch.put_loops(normal, &dealt, &mut work.loops);
        } else {
            dealt.put_loops(normal.dims, &mut work.loops);
            let most = work.threads.most();
            work.split = cut::split(&work.panel, &work.loops, most, row.tile, line);
        }
        work.threads = work.threads.at_most(work.split.tasks);
        work
    }
}

#[cfg(test)]
mod tests;
