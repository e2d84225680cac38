//! restride beside ndarray's `assign` and the loop that anyone would write, on the flagship scenarios and
//! the table that ndarray can express. `restride-perf --features peers` measures more crates.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use ndarray::{ArrayView, ArrayViewMut, IxDyn, ShapeBuilder};
use restride_cases::{Case, Suite};

use common::Ready;

/// Larger cases take ndarray seconds.
const MOST_BYTES: usize = 80 << 20;

fn peers(criterion: &mut Criterion) {
    let mut group = common::group(criterion, "peers", 0.6);
    let small = |case: &Case| case.bytes() <= MOST_BYTES;
    for case in common::prepared(Suite::Quick.cases()).filter(small) {
        let mut ready = Ready::new(case);
        ready.bench_plan(&mut group);
        match ready.case.cell {
            1 => others::<u8>(&mut ready, &mut group),
            2 => others::<u16>(&mut ready, &mut group),
            4 => others::<u32>(&mut ready, &mut group),
            8 => others::<u64>(&mut ready, &mut group),
            _ => {}
        }
        ready.bench_memcpy(&mut group);
    }
    group.finish();
}

fn others<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    ready: &mut Ready,
    group: &mut BenchmarkGroup<'_, WallTime>,
) {
    let case = ready.case.clone();
    let (from, to) = (
        case.src_place().base / case.cell,
        case.dst_place().base / case.cell,
    );
    let unsigned = |strides: &[isize]| {
        let strides = strides.iter().map(|&stride| stride as usize);
        IxDyn(&strides.collect::<Vec<_>>())
    };
    let shape = || IxDyn(&case.shape);
    let (src_strides, dst_strides) = (unsigned(&case.src.strides), unsigned(&case.dst.strides));
    ready.bench(group, Some("ndarray"), |src, dst| {
        let (src, dst) = typed::<T>(src, dst);
        let src = ArrayView::from_shape(shape().strides(src_strides.clone()), &src[from..]);
        let dst = ArrayViewMut::from_shape(shape().strides(dst_strides.clone()), &mut dst[to..]);
        let (src, mut dst) = (src.expect("it fits"), dst.expect("it fits"));
        dst.assign(&src);
    });
    ready.bench(group, Some("naive"), |src, dst| {
        let (src, dst) = typed::<T>(src, dst);
        let sides = (&case.src.strides[..], &case.dst.strides[..]);
        naive(&case.shape, (src, from as isize), (dst, to as isize), sides);
    });
}

fn typed<'a, T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    src: &'a [u8],
    dst: &'a mut [u8],
) -> (&'a [T], &'a mut [T]) {
    (bytemuck::cast_slice(src), bytemuck::cast_slice_mut(dst))
}

/// One axis, and the others within it.
fn naive<T: Copy>(
    shape: &[usize],
    (src, from): (&[T], isize),
    (dst, to): (&mut [T], isize),
    (src_strides, dst_strides): (&[isize], &[isize]),
) {
    let [extent, inner @ ..] = shape else {
        dst[to as usize] = src[from as usize];
        return;
    };
    for i in 0..*extent as isize {
        let (from, to) = (from + i * src_strides[0], to + i * dst_strides[0]);
        let strides = (&src_strides[1..], &dst_strides[1..]);
        naive(inner, (src, from), (dst, to), strides);
    }
}

criterion_group!(benches, peers);
criterion_main!(benches);
