//! View operations beside ndarray's, in nanoseconds, and owned copies of views beside ndarray's and
//! memcpy, small and of 64 MiB; a video frame that gets an alpha channel, beside a loop and a copy of as many bytes.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{ArrayView2, ArrayView3, Axis, s};
use restride::{Array, Options, Pad, Par, Slice, View, pad_into};

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

/// Views made dense, one of them of 32 elements only.
fn owned(criterion: &mut Criterion) {
    let mut group = common::group(criterion, "owned", 0.5);
    for (name, shape) in [("64x48x32", SHAPE), ("2x4x4", [2, 4, 4])] {
        let cells: Vec<f32> = (0..shape.iter().product::<usize>())
            .map(|i| i as f32)
            .collect();
        let ours = View::from_slice(&cells, &shape).expect("it fits");
        let ours = ours.permute(&[2, 0, 1]).expect("these are the axes");
        let theirs = ArrayView3::from_shape(shape, &cells).expect("it fits");
        let theirs = theirs.permuted_axes([2, 0, 1]);
        // Verified: the same elements in the same order.
        let (one, other) = (
            ours.to_array().expect("there is memory"),
            theirs.as_standard_layout(),
        );
        assert!(one.iter().eq(other.iter()));

        group.throughput(Throughput::BytesDecimal(2 * size_of_val(&cells[..]) as u64));
        group.bench_function(BenchmarkId::new("to_array", name), |bencher| {
            bencher.iter(|| black_box(&ours).to_array())
        });
        group.bench_function(BenchmarkId::new("ndarray/to_array", name), |bencher| {
            bencher.iter(|| black_box(&theirs).as_standard_layout().into_owned());
        });
        group.bench_function(BenchmarkId::new("memcpy/to_array", name), |bencher| {
            bencher.iter(|| black_box(&cells).clone());
        });
    }
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

/// RGB to RGBA of 3840x2160 bytes, on one thread.
fn alpha(criterion: &mut Criterion) {
    const SIZE: [usize; 2] = [2160, 3840];
    const OPAQUE: u8 = 255;
    let rgb: Vec<u8> = (0..SIZE[0] * SIZE[1] * 3).map(|i| i as u8).collect();
    let ours = View::from_slice(&rgb, &[SIZE[0], SIZE[1], 3]).expect("it fits");
    let rgba = Array::filled(&[SIZE[0], SIZE[1], 4], 0_u8);
    let mut rgba = rgba.expect("there is memory");
    let mut looped = vec![0_u8; rgba.as_slice().len()];
    let options = Options {
        par: Par::Seq,
        ..Options::default()
    };
    let mut with_pad = || {
        let (widths, margin) = ([(0, 0), (0, 0), (0, 1)], Pad::Constant(OPAQUE));
        pad_into(
            black_box(&ours),
            &widths,
            margin,
            &mut rgba.view_mut(),
            &options,
        )
    };
    let mut with_loop = || {
        let (to, _) = looped.as_chunks_mut::<4>();
        for (to, from) in to.iter_mut().zip(black_box(&rgb).as_chunks::<3>().0) {
            *to = [from[0], from[1], from[2], OPAQUE];
        }
    };
    let all = rgb.len() / 3 * 7;
    let (from, mut to) = (vec![1_u8; all / 2], vec![0_u8; all / 2]);

    let mut group = common::group(criterion, "alpha", 1.0);
    group.throughput(Throughput::BytesDecimal(all as u64));
    group.bench_function("pad", |bencher| bencher.iter(&mut with_pad));
    group.bench_function("loop", |bencher| bencher.iter(&mut with_loop));
    group.bench_function("memcpy", |bencher| {
        bencher.iter(|| to.copy_from_slice(black_box(&from)));
    });
    group.finish();
    // Verified: the same pixels.
    assert_eq!(rgba.as_slice(), looped);
}

criterion_group!(benches, operations, owned, fresh, alpha);
criterion_main!(benches);
