//! Small copies: a plan that stands, one that is made in the call, and `copy` between views.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use bytemuck::{AnyBitPattern, NoUninit};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use restride::{Layout, Options, Par, Plan, Problem, View, ViewMut};
use restride_cases::{Place, Side, Suite};

use common::Ready;

fn latency(criterion: &mut Criterion) {
    let mut group = common::group(criterion, "latency", 0.3);
    for case in Suite::Latency.cases() {
        let mut ready = Ready::new(case);
        ready.bench_plan(&mut group);
        plan_and_run(&mut ready, &mut group);
        match ready.case.cell {
            1 => views::<u8>(&mut ready, &mut group),
            4 => views::<u32>(&mut ready, &mut group),
            8 => views::<u64>(&mut ready, &mut group),
            _ => {}
        }
        ready.bench_memcpy(&mut group);
    }
    group.finish();
}

fn plan_and_run(ready: &mut Ready, group: &mut BenchmarkGroup<'_, WallTime>) {
    let case = ready.case.clone();
    let (from, to) = (case.src_place().base, case.dst_place().base);
    let (src_strides, dst_strides) = (case.in_bytes(&case.src), case.in_bytes(&case.dst));
    let par = Par::Seq;
    let options = Options {
        par,
        ..Options::default()
    };
    ready.bench(group, Some("plan-and-run"), |src, dst| {
        let problem = Problem::from_bytes(case.cell, &case.shape, &src_strides, &dst_strides);
        let plan = problem.and_then(|problem| Plan::with(&problem, &options));
        let plan = plan.expect("a case can be planned");
        // SAFETY: range: the buffers are as long as the places of the case say, which hold all its
        // cells; aliasing: `dst` is borrowed uniquely.
        unsafe { plan.run_raw(src.as_ptr().add(from), dst.as_mut_ptr().add(to)) }
    });
}

/// Views are made in the call: that is a few comparisons.
fn views<T: AnyBitPattern + NoUninit>(ready: &mut Ready, group: &mut BenchmarkGroup<'_, WallTime>) {
    let case = ready.case.clone();
    let layout = |side: &Side, place: Place| {
        Layout::new(&case.shape, &side.strides, place.base / case.cell).expect("a case has layouts")
    };
    let src_layout = layout(&case.src, case.src_place());
    let dst_layout = layout(&case.dst, case.dst_place());
    ready.bench(group, Some("copy"), |src, dst| {
        let src = View::with_layout(bytemuck::cast_slice::<u8, T>(src), src_layout.clone());
        let dst = bytemuck::cast_slice_mut::<u8, T>(dst);
        let dst = ViewMut::with_layout(dst, dst_layout.clone());
        let (src, mut dst) = (src.expect("it fits"), dst.expect("it fits"));
        restride::copy(&src, &mut dst).expect("shapes agree");
    });
}

criterion_group!(benches, latency);
criterion_main!(benches);
