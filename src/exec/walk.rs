//! The walk: the loops around the panel, on one thread.
//!
//! Tasks are numbered outer loops first, blocks of the panel last. A walk over a range of tasks
//! visits each loop position once and moves the panel's blocks that lie in the range with one
//! kernel call. Nothing is decided here: no ISA, no cell size, no bounds, no allocation up to eight loops.

mod batch;

use core::ops::Range;

use restride_kernels::{Ask, Kernel, Moves, Panel, Rows, Side, StreamFence};
use smallvec::SmallVec;

use super::table::Table;
use crate::plan::{Dim, Kernels, PanelPlan, RowPlan, SidePlan, SourceGaps, SplitAxis, Work};

/// Where index `[0, 0, ..]` of the source is.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// At one address.
    Base(*const u8),
    /// At one address for each index of the listed axis.
    List(&'a [*const u8]),
}

/// A recipe with its kernel and two addresses.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    work: &'a Work,
    kernels: &'a Kernels,
    /// The panel at the first position of all loops. A list of destinations must allow writing.
    first: Panel<'a>,
}

impl<'a> Walk<'a> {
    /// The walk of what was decided, from its first panel on.
    #[inline]
    pub(super) fn new(work: &'a Work, kernels: &'a Kernels, first: Panel<'a>) -> Self {
        Self {
            work,
            kernels,
            first,
        }
    }

    /// What is to be done.
    #[inline]
    pub(super) fn work(&self) -> &'a Work {
        self.work
    }

    /// Moves everything.
    ///
    /// # Safety
    /// The obligations of the kernels' contract for every panel of the walk.
    #[inline]
    pub(super) unsafe fn run_all(&self) {
        let kernel = &self.kernels.chosen;
        if kernel.row().streams() || self.work.fetches || self.work.batch.is_some() {
            // SAFETY: passed on to the caller; the range is that of all tasks.
            return unsafe { self.run(0..self.work.split.tasks) };
        }
        // SAFETY: passed on to the caller.
        unsafe { run_everywhere(kernel, &self.first, &self.work.loops) }
    }

    /// Moves the tasks of a range.
    ///
    /// # Safety
    /// The obligations of the kernels' contract for every panel of the range, which lies within
    /// the tasks of the plan.
    pub(super) unsafe fn run(&self, tasks: Range<usize>) {
        if let (Some(batch), Some(stage)) = (&self.work.batch, &self.kernels.stage) {
            // SAFETY: passed on to the caller: a task of a batch is a block.
            return unsafe { self.run_blocks(tasks, batch, stage) };
        }
        let Kernels { chosen, cached, .. } = self.kernels;
        let mut scratch: Vec<u8> = Vec::new();
        // Settled before the first write: without memory for scratch the cached row runs.
        let enough = scratch
            .try_reserve_exact(chosen.scratch_bytes(&self.first))
            .is_ok();
        let kernel = if enough { chosen } else { cached };
        let mut fence = kernel.begin(scratch.spare_capacity_mut());
        fence.set_shared(tasks.len() < self.work.split.tasks);
        let blocks = self.work.split.blocks;
        if blocks == 1 && !self.work.fetches {
            // SAFETY: passed on.
            return unsafe { self.run_whole(kernel, &mut fence, tasks) };
        }
        let mut left = tasks.len();
        let mut block = tasks.start % blocks;
        let mut position = Position::at(&self.work.loops, tasks.start / blocks);
        // One panel that moves on, as in `run_everywhere`. Made anew at each position, pixels of two
        // planes, 64 f32 of each, took 1.45 times as long (Zen 4).
        let mut panel = self.first;
        panel.move_on(position.src, position.dst);
        while left > 0 {
            let end = blocks.min(block + left);
            left -= end - block;
            let (src, dst) = position.advance();
            let (whole, next) = (block == 0, (left > 0).then_some(src));
            fence.set_next(next.filter(|_| whole));
            // SAFETY: passed on to the caller: these blocks at this position are in the range.
            // Stride: a part has the panel's steps and at least one whole tile where the panel has
            // one, so the kernel takes it too.
            unsafe {
                if self.work.fetches && left > 0 {
                    let mut next = panel;
                    next.move_on(src, dst);
                    let next = self.blocks(&next, 0..blocks.min(left));
                    let this = self.blocks(&panel, block..end);
                    self.run_and_fetch(kernel, &this, &fence, (&next, (src, dst)));
                } else if end - block == blocks {
                    kernel.run(&panel, &fence);
                } else {
                    kernel.run(&self.blocks(&panel, block..end), &fence);
                }
            }
            panel.move_on(src, dst);
            block = 0;
        }
    }

    /// Moves the tasks of a range that are whole panels, of which no next one is fetched: all positions of the last loop
    /// in a loop of their own. Of the roof, each position looked up and so, again and again and after all had been
    /// flushed, Xeon: pixels of two planes, 64 f32 of each in a row, 32 MB, 1.00 and 1.02, 0.88 and 0.94; of three, 32
    /// f64, 0.98 and 1.02, 0.89 and 0.97; two, 256 MB, 0.82 and 0.89, 0.90 and 0.95.
    ///
    /// # Safety
    /// As [`Walk::run`]; `fence` was begun by `kernel`, which is one of the plan's.
    unsafe fn run_whole(&self, kernel: &Kernel, fence: &mut StreamFence<'_>, tasks: Range<usize>) {
        let mut left = tasks.len();
        let mut position = Position::at(&self.work.loops, tasks.start);
        let last = self.work.loops.last().copied().unwrap_or(Dim::NONE);
        let mut panel = self.first;
        panel.move_on(position.src, position.dst);
        if left > 0 && kernel.row().goes_everywhere() {
            // SAFETY: passed on to the caller: the panels at positions of the range.
            return unsafe { run_from(kernel, panel, position, left) };
        }
        while left > 0 {
            let along = position.move_along(left);
            left -= along;
            if !kernel.row().streams() {
                // SAFETY: passed on to the caller: the panels at positions of the range.
                unsafe {
                    kernel.run_cached_along(panel, (along, along + left), (last.src, last.dst))
                };
                panel = self.first;
                position.advance();
                panel.move_on(position.src, position.dst);
                continue;
            }
            fence.set_next(Some(last.src));
            for _ in 1..along {
                // SAFETY: passed on to the caller: the panel at a position of the range.
                unsafe { kernel.run(&panel, fence) };
                panel.move_on(last.src, last.dst);
            }
            let (src, dst) = position.advance();
            fence.set_next((left > 0).then_some(src));
            // SAFETY: as above.
            unsafe { kernel.run(&panel, fence) };
            panel.move_on(src, dst);
        }
    }

    /// Moves a panel, and asks for the next one, which lies so many bytes on: in as many parts as that is best asked
    /// for, and the panel has tiles.
    ///
    /// # Safety
    /// The obligations of the kernels' contract for the panel.
    unsafe fn run_and_fetch(
        &self,
        kernel: &Kernel,
        panel: &Panel<'a>,
        fence: &StreamFence<'_>,
        (next, on): (&Panel<'a>, (isize, isize)),
    ) {
        let (row, most) = (kernel.row(), next.fetch_parts());
        let tile = row.tile.rows.max(1);
        // Some rows take panels of few columns only if those are higher than a tile.
        let part = || Ask {
            rows: tile,
            ..Ask::of(panel, row.streams())
        };
        let tiles = match most > 1 && row.takes(&part()) {
            true => (panel.rows / tile).max(1),
            false => 1,
        };
        let parts = most.min(tiles);
        // The last part takes what is left over, so that none is below a tile.
        let start = |part| match part == parts {
            true => panel.rows,
            false => tiles * part / parts * tile,
        };
        for part in 0..parts {
            next.fetch(on, (part, parts));
            let rows = start(part)..start(part + 1);
            // SAFETY: passed on to the caller; a part has a whole tile where the panel has one.
            unsafe { kernel.run(&panel.part(rows, 0..panel.cols), fence) };
        }
    }

    /// These blocks of `panel`.
    fn blocks(&self, panel: &Panel<'a>, blocks: Range<usize>) -> Panel<'a> {
        let split = &self.work.split;
        if blocks.len() == split.blocks {
            return *panel;
        }
        // The last block takes what is left over, so that no part is below a tile.
        let cut = |extent: usize| {
            let end = if blocks.end == split.blocks {
                extent
            } else {
                blocks.end * split.unit
            };
            blocks.start * split.unit..end
        };
        match split.axis {
            SplitAxis::Rows => panel.part(cut(panel.rows), 0..panel.cols),
            SplitAxis::Cols => panel.part(0..panel.rows, cut(panel.cols)),
        }
    }
}

/// Moves the panel at every position of the loops, outermost first, with a row that makes no streaming
/// stores. A panel that moves on, not a panel for each position: f32 4x4x4 in four panels takes 27 ns
/// instead of 48.
///
/// # Safety
/// The obligations of the kernels' contract for the panel at every position.
#[inline]
pub(super) unsafe fn run_everywhere(kernel: &Kernel, first: &Panel<'_>, loops: &[Dim]) {
    let Some((inner, outer)) = loops.split_last() else {
        // SAFETY: passed on to the caller.
        return unsafe { kernel.run_cached(first) };
    };
    let along = (inner.src, inner.dst);
    if kernel.row().goes_everywhere() {
        let position = Position::first(loops);
        let count = position.count();
        // SAFETY: passed on to the caller.
        return unsafe { run_from(kernel, *first, position, count) };
    }
    if outer.is_empty() {
        let times = inner.extent;
        // SAFETY: passed on to the caller.
        return unsafe { kernel.run_cached_along(*first, (times, times), along) };
    }
    let mut position = Position::first(outer);
    for to_come in (1..=position.count()).rev() {
        let mut panel = *first;
        panel.src = panel.src.moved(position.src);
        panel.dst = panel.dst.moved(position.dst);
        // SAFETY: passed on to the caller.
        unsafe { kernel.run_cached_along(panel, (inner.extent, inner.extent * to_come), along) };
        position.advance();
    }
}

/// Moves the panel at `count` positions, at least one, from that of `panel` on, by one call.
///
/// # Safety
/// The obligations of the kernels' contract for the panel at every one of these positions.
unsafe fn run_from(kernel: &Kernel, panel: Panel<'_>, mut position: Position<'_>, count: usize) {
    let last = position.loops.last().copied().unwrap_or(Dim::NONE);
    let first = position.move_along(count);
    let mut left = count - first;
    let mut others = core::iter::from_fn(|| {
        (left > 0).then(|| {
            let on = position.advance();
            let along = position.move_along(left);
            left -= along;
            (on, along)
        })
    });
    let moves = Moves {
        along: (first, (last.src, last.dst)),
        others: &mut others,
    };
    // SAFETY: passed on to the caller.
    unsafe { kernel.run_everywhere(panel, moves) };
}

/// The panel at the first position of all loops. A list of destinations must allow writing.
/// `tables` is where tables are made that the recipe has as nests.
#[inline(always)]
pub(super) fn first_panel<'a>(
    plan: &'a PanelPlan,
    gaps: SourceGaps,
    src: Source<'a>,
    dst: Source<'a>,
    tables: &'a mut [Table; 2],
) -> Panel<'a> {
    let [from, to] = tables;
    Panel {
        cell: plan.cell,
        rows: plan.rows,
        cols: plan.cols,
        pairing: plan.pairing,
        gaps,
        src: side(&plan.src, src, from),
        dst: side(&plan.dst, dst, to),
    }
}

#[inline(always)]
fn side<'a>(plan: &'a SidePlan, source: Source<'a>, room: &'a mut Table) -> Side<'a> {
    let (base, rows) = match source {
        Source::Base(base) => (base, rows(&plan.rows, room)),
        Source::List(list) => (core::ptr::null(), Rows::Pointers(list, 0)),
    };
    let base = base.cast_mut();
    Side {
        base,
        rows,
        step: plan.step,
    }
    .moved(plan.shift)
}

/// Rows that do not come from a list; `room` is where a table is made of a nest.
#[inline(always)]
pub(super) fn rows<'a>(plan: &'a RowPlan, room: &'a mut Table) -> Rows<'a> {
    match plan {
        RowPlan::Stride(stride) => Rows::Stride(*stride),
        RowPlan::Offsets(table) => Rows::Offsets(table),
        RowPlan::Nested(nest) => Rows::Offsets(room.of(nest)),
        RowPlan::Listed => unreachable!("a listed plan is run with a list"),
    }
}

/// Where the loops stand, and how far that is from the first panel in bytes.
pub(super) struct Position<'a> {
    loops: &'a [Dim],
    index: SmallVec<[usize; 8]>,
    pub(super) src: isize,
    pub(super) dst: isize,
}

impl<'a> Position<'a> {
    /// The first position.
    #[inline]
    fn first(loops: &'a [Dim]) -> Self {
        Self {
            loops,
            index: SmallVec::from_elem(0, loops.len()),
            src: 0,
            dst: 0,
        }
    }

    /// How many positions there are.
    #[inline]
    fn count(&self) -> usize {
        self.loops.iter().map(|dim| dim.extent).product()
    }

    /// The position with this number, the last loop counting fastest.
    pub(super) fn at(loops: &'a [Dim], mut number: usize) -> Self {
        let mut position = Self::first(loops);
        for (dim, place) in loops.iter().zip(&mut position.index).rev() {
            *place = number % dim.extent;
            number /= dim.extent;
            position.src += *place as isize * dim.src;
            position.dst += *place as isize * dim.dst;
        }
        position
    }

    /// Moves to the last position of the last loop, or to the last one of so many, this one counted. How many that
    /// are.
    #[inline]
    fn move_along(&mut self, most: usize) -> usize {
        let (Some(dim), Some(index)) = (self.loops.last(), self.index.last_mut()) else {
            return 1;
        };
        let along = most.min(dim.extent - *index);
        let steps = along - 1;
        *index += steps;
        self.src = self
            .src
            .wrapping_add((steps as isize).wrapping_mul(dim.src));
        self.dst = self
            .dst
            .wrapping_add((steps as isize).wrapping_mul(dim.dst));
        along
    }

    /// The next position; after the last one, the first. How far it is from this one.
    #[inline]
    pub(super) fn advance(&mut self) -> (isize, isize) {
        let (mut src, mut dst) = (0_isize, 0_isize);
        for (dim, index) in self.loops.iter().zip(&mut self.index).rev() {
            *index += 1;
            if *index < dim.extent {
                src = src.wrapping_add(dim.src);
                dst = dst.wrapping_add(dim.dst);
                break;
            }
            *index = 0;
            let back = dim.extent as isize - 1;
            src = src.wrapping_sub(back.wrapping_mul(dim.src));
            dst = dst.wrapping_sub(back.wrapping_mul(dim.dst));
        }
        self.src = self.src.wrapping_add(src);
        self.dst = self.dst.wrapping_add(dst);
        (src, dst)
    }
}
