//! `rten-tensor`: `copy_from` of a view with any strides to a row-major one, which is what its own
//! `to_contiguous` comes to without the allocation. Views are made in every call; that is a few
//! comparisons. Strides cannot be negative.

use std::hint::black_box;

use rten_tensor::{TensorView, TensorViewMut};

use super::cells::{Cell, offsets, typed, unsigned};
use super::{Each, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "rten",
    version: Some(env!("RESTRIDE_PERF_RTEN_TENSOR")),
    parallel: false,
    how: "rten-tensor: `copy_from` between two views with strides, made in the call; u8, u16, f32, \
          f64, u128",
    new,
};

fn new(case: &Case, _: Terms) -> Option<Box<dyn Run>> {
    match case.cell {
        1 => of_type::<u8>(case),
        2 => of_type::<u16>(case),
        4 => of_type::<f32>(case),
        8 => of_type::<f64>(case),
        16 => of_type::<u128>(case),
        _ => None,
    }
}

fn of_type<T: Cell>(case: &Case) -> Option<Box<dyn Run>> {
    let (from, to) = offsets(case);
    let src_strides = unsigned(&case.src.strides)?;
    let dst_strides = unsigned(&case.dst.strides)?;
    let case = case.clone();
    Some(Each::of(
        &case.clone(),
        move |src: &[u8], dst: &mut [u8]| {
            let (src, dst) = typed::<T>(&case, src, dst);
            let (shape, strides) = (&case.shape[..], &src_strides[..]);
            let src = TensorView::from_slice_with_strides(shape, &src[from..], strides);
            // As long as its cells reach: only then it is known to be contiguous.
            let reach: usize = shape
                .iter()
                .zip(&dst_strides)
                .map(|(n, s)| (n - 1) * s)
                .sum();
            let dst = &mut dst[to..to + reach + 1];
            let dst = TensorViewMut::from_data_with_strides(shape, dst, &dst_strides[..]);
            let (src, mut dst) = (src.expect("it is long enough"), dst.expect("it is, too"));
            dst.copy_from(black_box(&src));
        },
    ))
}
