//! The ways in which a plan is run: tiers, threads, stores, source gaps.

use std::fmt::{self, Display};

use restride::{Isa, Machine, Options, Par, Plan, Problem, SourceGaps, Stores};

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
}
