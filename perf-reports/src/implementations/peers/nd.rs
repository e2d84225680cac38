//! `ndarray`'s `assign` between two views, of a fixed rank up to 6. The views stand before the
//! clock starts, as they do where arrays are kept.

use std::hint::black_box;

use ndarray::{ArrayView, ArrayViewMut, Dimension, IntoDimension, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6};
use ndarray::{IxDyn, ShapeBuilder};

use super::{Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "ndarray",
    version: Some(env!("RESTRIDE_PERF_NDARRAY")),
    parallel: false,
    how: "`assign` between two views that stand before the clock starts",
    new,
};

/// `assign` on typed cells; none for cells without a primitive type and for negative strides,
/// which views of raw memory cannot have.
fn new(case: &Case, _: Terms) -> Option<Box<dyn Run>> {
    let mut strides = case.src.strides.iter().chain(&case.dst.strides);
    if strides.any(|&stride| stride < 0) {
        return None;
    }
    match case.cell {
        1 => of_type::<u8>(case),
        2 => of_type::<u16>(case),
        4 => of_type::<u32>(case),
        8 => of_type::<u64>(case),
        16 => of_type::<u128>(case),
        _ => None,
    }
}

fn of_type<T: Copy + 'static>(case: &Case) -> Option<Box<dyn Run>> {
    match case.shape.len() {
        1 => of_rank::<T, Ix1>(case),
        2 => of_rank::<T, Ix2>(case),
        3 => of_rank::<T, Ix3>(case),
        4 => of_rank::<T, Ix4>(case),
        5 => of_rank::<T, Ix5>(case),
        6 => of_rank::<T, Ix6>(case),
        _ => of_rank::<T, IxDyn>(case),
    }
}

fn of_rank<T, D>(case: &Case) -> Option<Box<dyn Run>>
where
    T: Copy + 'static,
    D: Dimension + 'static,
{
    let dim = |sizes: &[usize]| D::from_dimension(&sizes.into_dimension());
    let strides = |strides: &[isize]| -> Vec<usize> {
        strides.iter().map(|&stride| stride as usize).collect()
    };
    Some(Box::new(Assign::<T, D> {
        case: case.clone(),
        shape: dim(&case.shape)?,
        src_strides: dim(&strides(&case.src.strides))?,
        dst_strides: dim(&strides(&case.dst.strides))?,
        element: std::marker::PhantomData,
    }))
}

struct Assign<T, D> {
    case: Case,
    shape: D,
    src_strides: D,
    dst_strides: D,
    element: std::marker::PhantomData<T>,
}

impl<T: Copy, D: Dimension> Run for Assign<T, D> {
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize) {
        let (from, to) = (self.case.src_place(), self.case.dst_place());
        assert!(src.len() >= from.len && dst.len() >= to.len);
        let src_shape = self.shape.clone().strides(self.src_strides.clone());
        let dst_shape = self.shape.clone().strides(self.dst_strides.clone());
        let (src, dst) = (src[from.base..].as_ptr(), dst[to.base..].as_mut_ptr());
        assert!(src.cast::<T>().is_aligned() && dst.cast::<T>().is_aligned());
        // SAFETY: range: the buffers are as long as the places of the case say, which hold all its
        // cells, and strides are not negative; aliasing: `dst` is borrowed uniquely and reaches no
        // cell twice; alignment: just checked.
        let (src, mut dst) = unsafe {
            (
                ArrayView::from_shape_ptr(src_shape, src.cast::<T>()),
                ArrayViewMut::from_shape_ptr(dst_shape, dst.cast::<T>()),
            )
        };
        for _ in 0..times {
            black_box(&mut dst).assign(black_box(&src));
        }
    }
}
