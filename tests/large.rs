//! Copies of up to a few MiB, where blocks, bands, offset tables and whole-line stores begin: fewer
//! than in the campaign, on every ISA tier, in guarded buffers, each in every way.
//!
//! - `RESTRIDE_LARGE_CASES`: copies per tier (100 in release builds, 8 smaller ones in debug builds).
//! - `RESTRIDE_SEED`: other copies.
//! - `RESTRIDE_CASE`: with the test `one_case`, the one copy that a failure names.

mod common;

#[path = "large/between.rs"]
mod between;
#[path = "large/pages.rs"]
mod pages;
#[path = "large/panels.rs"]
mod panels;
#[path = "large/rows.rs"]
mod rows;

use common::counters::Counters;
use common::env::number;
use common::harness::Harness;
use common::layouts::{Case, LARGE_ROOM};
use common::random::mix;
use common::ways::{self, available, run};
use restride::Isa;

/// Cells of so many bytes at such strides, in bytes, to be moved in every way.
fn case<const D: usize>(cell: isize, shape: [isize; D], src: [isize; D], dst: [isize; D]) -> Case {
    let shape = shape.map(|extent| extent as usize);
    Case::thorough(cell as usize, &shape, &src, &dst)
}

#[test]
fn large_copies_on_every_tier() {
    let default = if cfg!(debug_assertions) { 8 } else { 100 };
    let cases = number("RESTRIDE_LARGE_CASES").unwrap_or(default);
    let seed = number("RESTRIDE_SEED").unwrap_or(1);
    let mut harness = Harness::with_room(LARGE_ROOM);
    for isa in Isa::ALL {
        if !available(isa) {
            println!("skipped: {isa}, which this machine lacks or RESTRIDE_ISA forbids");
            continue;
        }
        let mut counters = Counters::new();
        for i in 0..cases {
            let case = Case::draw_large(mix(&[seed, isa as u64, i]));
            counters.case(&case);
            for how in ways::ways(&case, isa, true) {
                let plan = run(&mut harness, &case, how);
                let plan = plan.unwrap_or_else(|failure| panic!("{failure}"));
                counters.plan(&plan, case.places.len());
            }
        }
        println!("{isa}: {counters}");
    }
}

/// Runs the copy that `RESTRIDE_CASE` names, in all ways; nothing where it is not set. Debug and
/// release builds draw different copies from one seed.
#[test]
fn one_case() {
    if let Some(seed) = number("RESTRIDE_CASE") {
        let case = Case::draw_large(seed);
        ways::run_all(&case, &mut Harness::with_room(LARGE_ROOM));
    }
}
