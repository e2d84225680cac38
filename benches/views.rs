//! View operations beside ndarray's, in nanoseconds, and owned copies of views beside ndarray's and
//! memcpy, small and of 64 MiB.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{ArrayView2, ArrayView3, Axis, s};
use restride::{Slice, View};

const SHAPE: [usize; 3] = [64, 48, 32];

fn operations(criterion: &mut Criterion) {
    let cells: Vec<f32> = (0..SHAPE.iter().product::<usize>())
        .map(|i| i as f32)
        .collect();
    let ours = View::from_slice(&cells, &SHAPE).expect("it fits");
    let theirs = ArrayView3::from_shape(SHAPE, &cells).expect("it fits");
    let mut group = common::group(criterion, "views", 0.3);
    macro_rules! pair {
        ($name:literal, $view:ident => $ours:expr, $theirs:expr) => {
            group.bench_function($name, |bencher| {
                bencher.iter(|| {
                    let $view = black_box(&ours);
                    $ours
                });
            });
            group.bench_function(concat!("ndarray/", $name), |bencher| {
                bencher.iter(|| {
                    let $view = *black_box(&theirs);
                    $theirs
                });
            });
        };
    }
    let all = Slice::new(None, None, 1);
    let middle = [
        Slice::new(Some(1), Some(63), 2),
        all,
        Slice::new(None, None, -1),
    ];
    pair!("permute", view => view.permute(&[2, 0, 1]), view.permuted_axes([2, 0, 1]));
    pair!("slice", view => view.slice(&middle), view.slice_move(s![1..63;2, .., ..;-1]));
    pair!("index_axis", view => view.index_axis(1, 7), view.index_axis_move(Axis(1), 7));
    pair!(
        "reshape",
        view => view.reshape(&[64 * 48, 32]),
        view.into_shape_with_order((64 * 48, 32))
    );
    group.finish();
}

fn owned(criterion: &mut Criterion) {
    let cells: Vec<f32> = (0..SHAPE.iter().product::<usize>())
        .map(|i| i as f32)
        .collect();
    let ours = View::from_slice(&cells, &SHAPE).expect("it fits");
    let ours = ours.permute(&[2, 0, 1]).expect("these are the axes");
    let theirs = ArrayView3::from_shape(SHAPE, &cells).expect("it fits");
    let theirs = theirs.permuted_axes([2, 0, 1]);
    // Verified: the same elements in the same order.
    let (one, other) = (
        ours.to_array().expect("there is memory"),
        theirs.as_standard_layout(),
    );
    assert!(one.as_slice().iter().eq(other.iter()));

    let mut group = common::group(criterion, "owned", 0.5);
    group.throughput(Throughput::BytesDecimal(2 * size_of_val(&cells[..]) as u64));
    group.bench_function("to_array", |bencher| {
        bencher.iter(|| black_box(&ours).to_array())
    });
    group.bench_function("ndarray/to_array", |bencher| {
        bencher.iter(|| black_box(&theirs).as_standard_layout().into_owned());
    });
    group.bench_function("memcpy/to_array", |bencher| {
        bencher.iter(|| black_box(&cells).clone());
    });
    group.finish();
}

/// 64 MiB into memory that nobody has touched: pages are faulted in meanwhile, and huge ones are fewer.
fn fresh(criterion: &mut Criterion) {
    const EDGE: usize = 4096;
    let cells: Vec<f32> = (0..EDGE * EDGE).map(|i| i as f32).collect();
    let ours = View::from_slice(&cells, &[EDGE, EDGE]).expect("it fits");
    let turned = ours.transpose();
    let theirs = ArrayView2::from_shape([EDGE, EDGE], &cells).expect("it fits");
    let theirs = theirs.reversed_axes();
    // Verified: the same elements in the same order.
    let one = turned.to_array().expect("there is memory");
    assert!(one.as_slice().iter().eq(theirs.iter()));
    drop(one);

    let mut group = common::group(criterion, "fresh", 2.0);
    group.throughput(Throughput::BytesDecimal(2 * size_of_val(&cells[..]) as u64));
    group.bench_function("to_array", |bencher| {
        bencher.iter(|| black_box(&ours).to_array())
    });
    group.bench_function("memcpy/to_array", |bencher| {
        bencher.iter(|| black_box(&cells).clone());
    });
    group.bench_function("transposed", |bencher| {
        bencher.iter(|| black_box(&turned).to_array());
    });
    group.bench_function("ndarray/transposed", |bencher| {
        bencher.iter(|| black_box(&theirs).as_standard_layout().into_owned());
    });
    group.finish();
}

criterion_group!(benches, operations, owned, fresh);
criterion_main!(benches);
