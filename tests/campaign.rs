//! Random layouts through whole plans, on every ISA tier, in guarded buffers.
//!
//! - `RESTRIDE_CASES`: copies per tier (200,000 in release builds, 5,000 in debug builds).
//! - `RESTRIDE_SEED`: another campaign.
//! - `RESTRIDE_CASE`: with the test `one_case`, the one copy that a failure names.
//! - `RESTRIDE_NO_SKIP=1`: a tier that this machine lacks is a failure.

mod common;

use common::counters::Counters;
use common::env::number;
use common::harness::Harness;
use common::layouts::Case;
use common::random::mix;
use common::ways::{self, available, run};
use restride::{Isa, Machine};

/// Every so many copies, one is run with threads, with all stores and with both answers about source
/// gaps; so are those that are drawn for it.
const THOROUGH: u64 = 16;

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
        for how in ways::ways(&case, isa, case.thorough || i.is_multiple_of(THOROUGH)) {
            let plan = run(&mut harness, &case, how).unwrap_or_else(|failure| panic!("{failure}"));
            counters.plan(&plan, case.places.len());
        }
        // Copies between views take the host's tier, whatever the plan of another test took.
        if Machine::host().expect("a valid RESTRIDE_ISA").facts().isa == isa {
            let runs = ways::run_views(&mut harness, &case);
            counters.views(runs.unwrap_or_else(|failure| panic!("{failure}")));
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
    ways::run_all(&Case::draw(seed), &mut Harness::new());
}
