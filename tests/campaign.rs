//! Random layouts through whole plans, on every ISA tier, in guarded buffers.
//!
//! - `RESTRIDE_CASES`: copies per tier (200,000 in release builds, 5,000 in debug builds).
//! - `RESTRIDE_SEED`: another campaign.
//! - `RESTRIDE_CASE`: with the test `one_case`, the one copy that a failure names.
//! - `RESTRIDE_NO_SKIP=1`: a tier that this machine lacks is a failure.

mod common;
#[path = "campaign/counters.rs"]
mod counters;

use std::fmt::{self, Display};

use common::copies;
use common::harness::{Failure, Harness};
use common::layouts::Case;
use common::random::mix;
use counters::Counters;
use restride::{Isa, Machine, Options, Par, Plan, Problem, SourceGaps, Stores};

/// Every so many copies, one is run with threads, with all stores and with both answers about
/// source gaps.
const THOROUGH: u64 = 16;

/// How a copy is run.
#[derive(Clone, Copy)]
struct How {
    isa: Isa,
    par: Par,
    stores: Stores,
    gaps: SourceGaps,
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
fn ways(case: &Case, isa: Isa, thorough: bool) -> Vec<How> {
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

/// Plans and runs one case in one way, on both placements.
fn run(
    harness: &mut Harness,
    case: &Case,
    how: How,
    counters: &mut Counters,
) -> Result<(), Failure> {
    let refused = |error| Failure(format!("refused: {error}\n{case}, {how}"));
    let problem = Problem::from_bytes(case.cell, &case.shape, &case.src, &case.dst)
        .map_err(refused)?
        .with_source_gaps(how.gaps);
    let options = Options {
        par: how.par,
        stores: how.stores,
        isa: Some(how.isa),
    };
    let plan = Plan::with(&problem, &options).map_err(refused)?;
    counters.plan(&plan);
    for places in case.places {
        let run = |src, dst| {
            // SAFETY: range: the check places the case's whole footprints in its buffers, which do
            // not overlap; where gaps are readable, no page between the cells is poisoned.
            unsafe { plan.run_raw(src, dst) }
        };
        copies::check(harness, case, places, &how, &run)?;
        counters.runs += 1;
    }
    Ok(())
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    Some(number.unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// Whether plans may use this tier: the machine has it, and `RESTRIDE_ISA` does not cap it.
fn available(isa: Isa) -> bool {
    isa <= Machine::host().expect("a valid RESTRIDE_ISA").facts().isa
}

fn campaign(isa: Isa) {
    if !available(isa) {
        println!("skipped: {isa}, which this machine lacks or RESTRIDE_ISA forbids");
        assert!(
            std::env::var_os("RESTRIDE_NO_SKIP").is_none(),
            "{isa} skipped"
        );
        return;
    }
    let default = if cfg!(debug_assertions) {
        5_000
    } else {
        200_000
    };
    let cases = number("RESTRIDE_CASES").unwrap_or(default);
    let seed = number("RESTRIDE_SEED").unwrap_or(1);
    let mut harness = Harness::new();
    let mut counters = Counters::new();
    for i in 0..cases {
        let case = Case::draw(mix(&[seed, isa as u64, i]));
        counters.case(&case);
        for how in ways(&case, isa, i.is_multiple_of(THOROUGH)) {
            let result = run(&mut harness, &case, how, &mut counters);
            result.unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    println!("{isa}: {counters}");
}

#[test]
fn scalar() {
    campaign(Isa::Scalar);
}

#[test]
fn portable() {
    campaign(Isa::Portable);
}

#[test]
fn avx2() {
    campaign(Isa::Avx2);
}

#[test]
fn avx512() {
    campaign(Isa::Avx512);
}

#[test]
fn avx512vbmi() {
    campaign(Isa::Avx512Vbmi);
}

/// Every tier has its test above.
#[test]
fn no_tier_is_forgotten() {
    assert_eq!(Isa::ALL.len(), 5);
}

/// Runs the copy that `RESTRIDE_CASE` names, in all ways; nothing where it is not set.
#[test]
fn one_case() {
    let Some(seed) = number("RESTRIDE_CASE") else {
        return;
    };
    let case = Case::draw(seed);
    println!("{case}");
    let mut harness = Harness::new();
    for isa in Isa::ALL.into_iter().filter(|&isa| available(isa)) {
        for how in ways(&case, isa, true) {
            run(&mut harness, &case, how, &mut Counters::new())
                .unwrap_or_else(|failure| panic!("{failure}"));
            println!("passed: {how}");
        }
    }
}
