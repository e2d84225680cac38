//! Execution: everything is decided, memory is moved.
//!
//! `walk` moves a range of tasks on one thread; `split` cuts the tasks into ranges and is the only
//! file that names rayon; `tiny` moves a few cells, for which nothing is decided.

mod channels;
mod many;
mod repeat;
pub(crate) mod split;
mod table;
mod tiny;
mod walk;

use restride_kernels::{Kernel, Panel, Rows, Side};

use crate::error::Error;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::plan::{
    Choice, Dim, Dims, Direct, FEW, Form, Kernels, Options, PanelDims, Plan, Plane, Problem,
    RowPlan, Sides, SourceGaps, StridedPanel, StridedSide, Way, Work, bound,
};
pub(crate) use channels::{PixelRows, run_channels};
pub(crate) use many::{Job, run_jobs, run_places};
pub(crate) use split::share;
use table::Table;
pub(crate) use walk::Source;
use walk::{Walk, first_panel, rows, run_everywhere};

/// Carries out a plan whose source is at one address.
///
/// # Panics
/// If the problem's source is a list of pointers.
///
/// # Safety
/// The obligations of [`Plan::run_raw`].
#[inline(always)]
pub(crate) unsafe fn execute_at(plan: &Plan, src: *const u8, dst: *mut u8) {
    match plan.direct() {
        Direct::Run {
            bytes,
            src: from,
            dst: to,
        } => {
            // SAFETY: range and aliasing: the cells of both sides are one run each, which starts
            // there.
            unsafe {
                let (src, dst) = (src.wrapping_offset(*from), dst.wrapping_offset(*to));
                core::ptr::copy_nonoverlapping(src, dst, *bytes);
            }
        }
        Direct::Tile {
            kernel,
            src: from,
            dst: to,
        } => {
            let src = (src.wrapping_offset(from.shift), from.stride);
            let dst = (dst.wrapping_offset(to.shift), to.stride);
            // SAFETY: range and aliasing: the cells of both sides are those of the tile.
            unsafe { kernel.run(src, dst) }
        }
        Direct::Panel(kernel, panel) => {
            let panel = strided_panel(panel, plan.problem().source_gaps(), src, dst);
            // SAFETY: as in `carry_out_walk`; there is one panel, and the row does not stream.
            unsafe { kernel.run_cached(&panel) }
        }
        Direct::Cells(cells) => {
            let src = src.wrapping_offset(cells.src_shift);
            let dst = dst.wrapping_offset(cells.dst_shift);
            // SAFETY: range and aliasing: the normal form of the problem moves its cells.
            unsafe { tiny::carry_out(cells.way, (cells.cell, cells.dims()), (src, dst)) }
        }
        Direct::No => {
            assert!(
                plan.problem().listed_sources().is_none(),
                "this plan is run with a list"
            );
            // SAFETY: passed on; the source is no list.
            unsafe { execute(plan, Source::Base(src), dst) }
        }
    }
}

/// A panel whose rows are strides, at these addresses of index `[0, 0, ..]`.
#[inline(always)]
fn strided_panel(
    panel: &StridedPanel,
    gaps: SourceGaps,
    src: *const u8,
    dst: *mut u8,
) -> Panel<'static> {
    let side = |side: &StridedSide, address: *mut u8| Side {
        base: address.wrapping_offset(side.shift),
        rows: Rows::Stride(side.stride),
        step: side.step,
    };
    Panel {
        cell: panel.cell,
        rows: panel.rows,
        cols: panel.cols,
        pairing: panel.pairing,
        gaps,
        src: side(&panel.src, src.cast_mut()),
        dst: side(&panel.dst, dst),
    }
}

/// Carries out a plan.
///
/// # Safety
/// The obligations of [`Plan::run_raw`], or of [`Plan::run_listed_raw`] where the plan's source is
/// a list; `src` is of the kind that the plan was made for.
#[inline(never)] // beside the direct way, which needs few registers
pub(crate) unsafe fn execute(plan: &Plan, src: Source<'_>, dst: *mut u8) {
    let repeats = plan.repeats();
    if let ([_, ..], Source::Base(src)) = (repeats, src) {
        // SAFETY: passed on.
        unsafe { repeat::carry_out(repeats, src, dst) }
    } else if let Some((work, kernels)) = plan.bound() {
        let gaps = plan.problem().source_gaps();
        // SAFETY: passed on.
        unsafe { carry_out(work, kernels, gaps, src, dst) }
    }
}

/// Does what was chosen.
///
/// # Safety
/// The work was chosen for a problem whose source, with such gaps, and destination are at these
/// addresses, and the kernels are its own; the obligations of [`execute`].
#[inline(always)]
unsafe fn carry_out(
    work: &Work,
    kernels: &Kernels,
    gaps: SourceGaps,
    src: Source<'_>,
    dst: *mut u8,
) {
    if kernels.simple {
        // Not through a walk: f32 4x4 takes 2 ns less.
        let mut tables = Table::pair();
        let panel = first_panel(&work.panel, gaps, src, Source::Base(dst), &mut tables);
        // SAFETY: as in `carry_out_walk`; the row does not stream.
        unsafe { run_everywhere(&kernels.chosen, &panel, &work.loops) }
    } else {
        // SAFETY: passed on.
        unsafe { carry_out_walk(work, kernels, gaps, src, dst) }
    }
}

/// [`carry_out`] in general.
///
/// # Safety
/// As [`carry_out`].
#[inline(never)] // the quick way needs few registers and no stack to speak of
unsafe fn carry_out_walk(
    work: &Work,
    kernels: &Kernels,
    gaps: SourceGaps,
    src: Source<'_>,
    dst: *mut u8,
) {
    let mut tables = Table::pair();
    let panel = first_panel(&work.panel, gaps, src, Source::Base(dst), &mut tables);
    // SAFETY: passed on.
    unsafe { walk_all(&Walk::new(work, kernels, panel)) }
}

/// Does what was chosen on one thread and through the caches, without what a plan keeps of it.
///
/// # Safety
/// The choice was made and dealt for this normal form of a problem whose source, with such gaps, and
/// destination are at these addresses; the kernel is its row; the obligations of [`execute`].
#[inline(always)]
unsafe fn carry_out_simple(
    kernel: &Kernel,
    choice: &Choice,
    normal: &Form<'_>,
    dealt: &PanelDims,
    (gaps, src, dst): (SourceGaps, *const u8, *mut u8),
) {
    let mut panel = strided_panel(&choice.panel, gaps, src, dst);
    if dealt.has_tables() {
        let strides = [choice.panel.src.stride, choice.panel.dst.stride];
        let ([mut from, mut to], [a, b]) = (strides.map(RowPlan::Stride), &mut Table::pair());
        dealt.tables(panel.pairing, [&mut from, &mut to]);
        (panel.src.rows, panel.dst.rows) = (rows(&from, a), rows(&to, b));
        // Not one call for both: without tables, nothing asks what the rows are.
        // SAFETY: passed on.
        unsafe { walk_simple(kernel, &panel, normal, dealt) }
    } else {
        // SAFETY: passed on.
        unsafe { walk_simple(kernel, &panel, normal, dealt) }
    }
}

/// The panel at every position of what is not dealt to it.
///
/// # Safety
/// As [`carry_out_simple`], `panel` being the first.
#[inline(always)]
unsafe fn walk_simple(kernel: &Kernel, panel: &Panel<'_>, normal: &Form<'_>, dealt: &PanelDims) {
    if dealt.leaves(normal.dims) {
        let mut loops = Dims::new();
        dealt.put_loops(normal.dims, &mut loops);
        // SAFETY: as in `walk_all`; the row does not stream.
        unsafe { run_everywhere(kernel, panel, &loops) }
    } else {
        // SAFETY: as in `walk_all`; there is one panel, and the row does not stream.
        unsafe { kernel.run_cached(panel) }
    }
}

/// Carries out a plan whose destination is a list.
///
/// # Safety
/// The obligations of [`Plan::run_raw`], those of the destination from each pointer of `dst`, which
/// has one for each index of the listed axis, for the axes that are not listed.
pub(crate) unsafe fn execute_into_list(plan: &Plan, src: *const u8, dst: &[*const u8]) {
    if let Some((work, kernels)) = plan.bound() {
        let gaps = plan.problem().source_gaps();
        let mut tables = Table::pair();
        let (src, dst) = (Source::Base(src), Source::List(dst));
        let panel = first_panel(&work.panel, gaps, src, dst, &mut tables);
        // SAFETY: passed on.
        unsafe { walk_all(&Walk::new(work, kernels, panel)) }
    }
}

/// All tasks of a walk, on as many threads as its work is worth.
///
/// # Safety
/// The obligations of the kernels' contract for every panel of the walk.
#[inline(always)]
unsafe fn walk_all(walk: &Walk<'_>) {
    let ranges = split::ranges(walk.work().threads);
    // SAFETY: shape, stride: the recipe's panels and loops, which its kernel takes; range, aliasing
    // and alignment: the caller's; ISA: the kernel is bound. All tasks of the walk are run, each
    // once.
    unsafe {
        if ranges <= 1 {
            walk.run_all();
        } else {
            split::run(walk, ranges);
        }
    }
}

/// Plans a copy with the default options and carries it out, `src` and `dst` being the addresses of
/// index `[0, 0, ..]` of both layouts.
///
/// Not generic over elements, so that it is compiled once, here, with all that it calls.
///
/// # Errors
/// Those of [`Problem::from_layouts`] but for the last, and those of [`Plan::new`].
///
/// # Safety
/// - Range: the elements of `size` bytes that the layouts reach from both addresses can be read and
///   written, as can be read the bytes between those of the source if `gaps` are readable.
/// - Aliasing: `dst_layout` reaches no element twice, and none of them shares a byte with what may
///   be read; no other thread touches them, nor writes what may be read.
/// - Alignment: none.
pub(crate) unsafe fn copy_once(
    size: usize,
    (src_layout, gaps, src): (&Layout, SourceGaps, *const u8),
    (dst_layout, dst): (&Layout, *mut u8),
) -> Result<(), Error> {
    if let Some(sides) = Sides::of(src_layout, dst_layout) {
        if let Some((bytes, low)) = sides.one_run(size) {
            Machine::host()?; // a copy by plan would refuse what the variable says
            let low = low * size as isize;
            // SAFETY: range: all elements of both sides are the run that starts at the lowest one;
            // aliasing: passed on.
            unsafe {
                let (src, dst) = (src.wrapping_offset(low), dst.wrapping_offset(low));
                core::ptr::copy_nonoverlapping(src, dst, bytes);
            }
            return Ok(());
        }
        let mut room = [Dim::NONE; FEW];
        if let Some(normal) = sides.normal(size, &mut room) {
            let machine = Machine::host()?;
            if let Some(way) = Way::of(&normal, machine.facts().isa) {
                let src = src.wrapping_offset(normal.src_shift);
                let dst = dst.wrapping_offset(normal.dst_shift);
                // SAFETY: passed on: the normal form is that of the problem between the layouts.
                unsafe { tiny::carry_out(way, (normal.cell, normal.dims), (src, dst)) };
                return Ok(());
            }
            if let Some(plane) = Plane::of(&normal, gaps, machine.facts()) {
                let kernel = bound(plane.row, machine)?;
                let panel = strided_panel(&plane.panel, gaps, src, dst);
                // SAFETY: passed on: the panel is the normal form of the problem between the layouts, and the
                // row, which takes it, does not stream.
                unsafe { kernel.run_cached(&panel) };
                return Ok(());
            }
            let (options, mut dealt) = (Options::default(), PanelDims::new());
            let choice = Choice::of(&normal, gaps, &options, machine.facts(), &mut dealt);
            if let Some(row) = choice.simple() {
                let kernel = bound(row, machine)?;
                // SAFETY: passed on: the normal form is that of the problem between the layouts.
                unsafe { carry_out_simple(&kernel, &choice, &normal, &dealt, (gaps, src, dst)) };
                return Ok(());
            }
        }
    }
    let problem = Problem::of_proven(size, src_layout, dst_layout)?.with_source_gaps(gaps);
    let plan = Plan::once(&problem, &Options::default())?;
    // SAFETY: passed on: the problem is that of the layouts.
    unsafe { execute(&plan, Source::Base(src), dst) };
    Ok(())
}

#[cfg(test)]
mod tests;
