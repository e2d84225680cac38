//! Copies of some 28 MiB a side, where prefetching and streaming begin: one per ISA tier, in guarded
//! buffers, in release builds.
//!
//! - `RESTRIDE_HUGE_CASES`: copies per tier, in debug builds as well.
//! - `RESTRIDE_SEED`, and `RESTRIDE_CASE` with the test `one_case`: as in the campaign.

mod common;

use common::counters::Counters;
use common::env::number;
use common::harness::Harness;
use common::layouts::{Case, HUGE_ROOM};
use common::random::mix;
use common::ways::{self, available, run};
use restride::Isa;

#[test]
fn huge_copies_on_every_tier() {
    let default = if cfg!(debug_assertions) { 0 } else { 1 };
    let cases = number("RESTRIDE_HUGE_CASES").unwrap_or(default);
    if cases == 0 {
        println!("skipped: huge copies; set RESTRIDE_HUGE_CASES in debug builds");
        return;
    }
    let seed = number("RESTRIDE_SEED").unwrap_or(1);
    let mut harness = Harness::with_room(HUGE_ROOM);
    for isa in Isa::ALL {
        if !available(isa) {
            println!("skipped: {isa}, which this machine lacks or RESTRIDE_ISA forbids");
            continue;
        }
        let mut counters = Counters::new();
        for i in 0..cases {
            let case = Case::draw_huge(mix(&[seed, isa as u64, i]));
            counters.case(&case);
            for how in ways::ways(&case, isa, true).into_iter().take(4) {
                let plan = run(&mut harness, &case, how);
                let plan = plan.unwrap_or_else(|failure| panic!("{failure}"));
                counters.plan(&plan, case.places.len());
            }
        }
        println!("{isa}: {counters}");
    }
}

/// Runs the copy that `RESTRIDE_CASE` names, in all ways; nothing where it is not set.
#[test]
fn one_case() {
    if let Some(seed) = number("RESTRIDE_CASE") {
        let case = Case::draw_huge(seed);
        ways::run_all(&case, &mut Harness::with_room(HUGE_ROOM));
    }
}
