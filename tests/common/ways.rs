//! The ways in which a copy is run: by a plan, with tiers, threads, stores and source gaps, or
//! between views, where small copies go without a plan.

use std::fmt::{self, Display};

use bytemuck::NoUninit;
use restride::{
    Isa, Layout, Machine, Options, Par, Plan, Problem, SourceGaps, Stores, View, ViewMut, copy,
};

use super::copies;
use super::harness::{Failure, Harness, OnPanic};
use super::layouts::Case;

/// How a copy is run.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) isa: Isa,
    pub(crate) par: Par,
    pub(crate) stores: Stores,
    pub(crate) gaps: SourceGaps,
}

impl Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            isa,
            par,
            stores,
            gaps,
        } = self;
        write!(f, "{isa}, {par:?}, stores {stores:?}, source gaps {gaps:?}")
    }
}

/// All ways in which a case is run on a tier.
pub(crate) fn ways(case: &Case, isa: Isa, thorough: bool) -> Vec<How> {
    let (par, stores) = (Par::Seq, Stores::Auto);
    let gaps = if case.readable_gaps {
        SourceGaps::Readable
    } else {
        SourceGaps::Forbidden
    };
    let first = How {
        isa,
        par,
        stores,
        gaps,
    };
    if !thorough {
        return vec![first];
    }
    let threads = Par::Threads(case.threads);
    let mut ways = vec![
        first,
        How {
            stores: Stores::Cached,
            ..first
        },
        How {
            stores: Stores::Streaming,
            ..first
        },
        How {
            par: threads,
            ..first
        },
        How {
            par: threads,
            stores: Stores::Streaming,
            ..first
        },
    ];
    // Poisoned gaps cannot be readable.
    if case.poisoned.is_none() {
        let other = match gaps {
            SourceGaps::Forbidden => SourceGaps::Readable,
            SourceGaps::Readable => SourceGaps::Forbidden,
        };
        ways.push(How {
            gaps: other,
            ..first
        });
        ways.push(How {
            gaps: other,
            par: threads,
            ..first
        });
    }
    ways
}

/// Plans one case in one way.
fn plan(case: &Case, how: How) -> Result<Plan, Failure> {
    let note = format_args!("{case}, {how}");
    let _on_panic = OnPanic(&note);
    let refused = |error| Failure(format!("refused: {error}\n{note}"));
    let problem = Problem::from_bytes(case.cell, &case.shape, &case.src, &case.dst);
    let problem = problem.map_err(refused)?.with_source_gaps(how.gaps);
    let options = Options {
        par: how.par,
        stores: how.stores,
        isa: Some(how.isa),
    };
    Plan::with(&problem, &options).map_err(refused)
}

/// Plans and runs one case in one way, on both placements. Hands back the plan, to be counted.
pub(crate) fn run(harness: &mut Harness, case: &Case, how: How) -> Result<Plan, Failure> {
    let plan = plan(case, how)?;
    for places in case.places {
        let run = |src, dst| {
            // SAFETY: range: the check places the case's whole footprints in its buffers, which do
            // not overlap; where gaps are readable, no page between the cells is poisoned.
            unsafe { plan.run_raw(src, dst) }
        };
        copies::check(harness, case, places, how.gaps, &how, &run)?;
    }
    Ok(plan)
}

/// Runs one case between views, where its strides are whole cells, by [`copy`] and by a plan's
/// [`Plan::run`], on both placements. Hands back how many copies were made.
pub(crate) fn run_views(harness: &mut Harness, case: &Case) -> Result<usize, Failure> {
    macro_rules! by_cell {
        ($($cell:literal)*) => {
            match case.cell {
                $($cell => run_views_of::<[u8; $cell]>(harness, case),)*
                _ => Ok(0),
            }
        };
    }
    by_cell!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 48)
}

fn run_views_of<T: NoUninit>(harness: &mut Harness, case: &Case) -> Result<usize, Failure> {
    let sides = [
        (&case.src, case.src_footprint()),
        (&case.dst, case.dst_footprint()),
    ];
    let [Some(from), Some(to)] = sides.map(|(strides, footprint)| {
        let (empty, cell) = (case.shape.contains(&0), case.cell as isize);
        let in_cells = strides.iter().zip(&case.shape).map(|(&stride, &extent)| {
            let used = extent > 1 && !empty;
            (!used || stride % cell == 0).then_some(if used { stride / cell } else { stride })
        });
        let in_cells: Option<Vec<isize>> = in_cells.collect();
        let offset = (-footprint.low / cell) as usize;
        Layout::new(&case.shape, &in_cells?, offset).ok()
    }) else {
        return Ok(0);
    };
    let readable = case.readable_gaps && case.poisoned.is_none();
    let gaps = if readable {
        SourceGaps::Readable
    } else {
        SourceGaps::Forbidden
    };
    let plan = Problem::new::<T>(&from, &to).map(|problem| problem.with_source_gaps(gaps));
    let plan = plan.and_then(|problem| Plan::new(&problem));
    let plan = plan.map_err(|error| Failure(format!("refused: {error}\n{case}")))?;
    let mut runs = 0;
    for places in case.places {
        for by_plan in [false, true] {
            let run = |src: *const u8, dst: *mut u8| {
                let start: *const T = src.wrapping_offset(case.src_footprint().low).cast();
                let len = case.src_footprint().len() / case.cell;
                // SAFETY: range: the check places the whole footprints in its buffers, and the
                // layouts reach them from their lowest cells; where gaps are readable, no page
                // between the cells is poisoned; aliasing: the buffers do not overlap, and
                // destinations of cases are injective; alignment: elements are bytes.
                let (src, mut dst) = unsafe {
                    let dst = dst.wrapping_offset(case.dst_footprint().low).cast::<T>();
                    let src = if readable {
                        View::with_layout(std::slice::from_raw_parts(start, len), from.clone())
                            .expect("the footprint holds the cells")
                    } else {
                        View::from_raw_parts(start, from.clone())
                    };
                    (src, ViewMut::from_raw_parts(dst, to.clone()))
                };
                let done = if by_plan {
                    plan.run(&src, &mut dst)
                } else {
                    copy(&src, &mut dst)
                };
                done.expect("the views are those of the case");
            };
            let how = format!("between views, by plan: {by_plan}, source gaps {gaps:?}");
            copies::check(harness, case, places, gaps, &how, &run)?;
            runs += 1;
        }
    }
    Ok(runs)
}

/// Whether plans may use this tier: the machine has it, and `RESTRIDE_ISA` does not cap it.
pub(crate) fn available(isa: Isa) -> bool {
    isa <= Machine::host().expect("a valid RESTRIDE_ISA").facts().isa
}

/// Runs a case in all ways and says so: what a reproducer does.
pub(crate) fn run_all(case: &Case, harness: &mut Harness) {
    println!("{case}");
    for isa in Isa::ALL.into_iter().filter(|&isa| available(isa)) {
        for how in ways(case, isa, true) {
            run(harness, case, how).unwrap_or_else(|failure| panic!("{failure}"));
            println!("passed: {how}");
        }
    }
    let runs = run_views(harness, case).unwrap_or_else(|failure| panic!("{failure}"));
    println!("passed: {runs} copies between views");
}
