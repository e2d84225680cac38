//! The flagship scenarios of the reports, on one thread.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use restride_cases::Suite;

use common::Ready;

fn flagship(criterion: &mut Criterion) {
    let mut group = common::group(criterion, "flagship", 1.0);
    for case in common::prepared(Suite::Flagship.cases()) {
        let mut ready = Ready::new(case);
        ready.bench_plan(&mut group);
        ready.bench_memcpy(&mut group);
    }
    group.finish();
}

criterion_group!(benches, flagship);
criterion_main!(benches);
