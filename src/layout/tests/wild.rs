//! Strides that are never used may hold anything: those of axes with one index, and all of them
//! where there is no index at all.

use super::checked_injective;
use super::model::{Map, assert_same, indices, layouts, shapes};
use crate::layout::{Layout, PerAxis, Slice};

const WILD: [isize; 5] = [isize::MIN, isize::MIN + 1, 0, 3, isize::MAX];

/// A layout with another stride on every axis of extent 1, or on all axes if it is empty.
fn with_wild_strides(layout: &Layout, wild: isize) -> Layout {
    let axes = layout.shape().iter().zip(layout.strides());
    let strides: PerAxis<isize> = axes
        .map(|(&extent, &stride)| {
            if extent == 1 || layout.is_empty() {
                wild
            } else {
                stride
            }
        })
        .collect();
    Layout::new(layout.shape(), &strides, layout.offset()).unwrap()
}

/// Everything a layout answers, as values that must not depend on unused strides.
fn everything(layout: &Layout) -> String {
    let Layout { shape, len, .. } = layout;
    let strides: Vec<Option<isize>> = (0..shape.len())
        .map(|axis| (*len > 0 && shape[axis] != 1).then(|| layout.strides()[axis]))
        .collect();
    let injective = checked_injective(shape, layout.strides(), 1, "dst");
    format!(
        "{shape:?} {len} {} {strides:?} {:?} {} {} {} {injective:?} {:?}",
        layout.offset(),
        layout.storage_range(),
        layout.is_row_major(),
        layout.is_column_major(),
        layout.is_dense(),
        layout.check_storage(1200, 4),
    )
}

/// What every operation makes of a layout.
fn results(layout: &Layout) -> Vec<String> {
    let rank = layout.rank();
    let mut all = vec![everything(layout), everything(&layout.transpose())];
    let mut add = |result: Result<Layout, crate::Error>| {
        all.push(result.map_or_else(|error| error.to_string(), |layout| everything(&layout)));
    };
    for axis in 0..rank {
        add(layout.flip(axis));
        add(layout.squeeze(axis));
        add(layout.unsqueeze(axis));
        add(layout.swap_axes(axis, 0));
        add(layout.move_axis(axis, 0));
        (0..3).for_each(|index| add(layout.index_axis(axis, index)));
        for slice in [
            Slice::from(..).step(-1),
            Slice::from(..).step(2),
            Slice::from(1..),
            Slice::from(0..0),
        ] {
            let mut slices = vec![Slice::from(..); rank];
            slices[axis] = slice;
            add(layout.slice(&slices));
        }
    }
    let shape = layout.shape();
    let total = layout.len();
    add(layout.reshape(&[total]));
    add(layout.reshape(&[1, total, 1]));
    add(layout.reshape(&[2, total / 2]));
    add(layout.broadcast_to(shape));
    add(layout.broadcast_to(&[&[2], shape].concat()));
    let wider: Vec<usize> = shape.iter().map(|&n| if n == 1 { 3 } else { n }).collect();
    add(layout.broadcast_to(&wider));
    all
}

#[test]
fn strides_of_single_indices_and_of_empty_layouts_change_nothing() {
    for shape in shapes(3, 3) {
        for layout in layouts(&shape) {
            let plain = results(&layout);
            for wild in WILD {
                let wild = with_wild_strides(&layout, wild);
                assert_eq!(results(&wild), plain, "{wild:?}");
            }
        }
    }
}

#[test]
fn sixty_four_axes_of_one() {
    for wild in WILD {
        let layout = Layout::new(&[1; 64], &[wild; 64], 5).unwrap();
        assert_eq!((layout.len(), layout.storage_range()), (1, 5..6));
        assert!(layout.is_row_major() && layout.is_column_major() && layout.is_dense());
        let point = layout.reshape(&[]).unwrap();
        assert_eq!((point.rank(), point.offset()), (0, 5));
        let axes: Vec<usize> = (0..64).rev().collect();
        assert_eq!(layout.permute(&axes).unwrap().storage_range(), 5..6);
    }
}

#[test]
fn axes_of_one_between_others_leave_the_map_alone() {
    for shape in shapes(2, 4) {
        for (layout, wild) in layouts(&shape).iter().zip(WILD.iter().cycle()) {
            for places in indices(&vec![3; shape.len()]) {
                // `places[i]` axes of 1 in front of axis i.
                let (mut wide, mut strides) = (vec![], vec![]);
                for (axis, &before) in places.iter().enumerate() {
                    wide.extend(vec![1; before]);
                    strides.extend(vec![*wild; before]);
                    wide.push(shape[axis]);
                    strides.push(layout.strides()[axis]);
                }
                let got = Layout::new(&wide, &strides, layout.offset()).unwrap();
                assert_same(&got, &Map::of(layout).reshape(&wide), &wide);
                assert_eq!(got.is_row_major(), layout.is_row_major());
                assert_eq!(got.is_dense(), layout.is_dense());
                let back = got.reshape(&shape).unwrap();
                assert_same(&back, &Map::of(layout), &wide);
            }
        }
    }
}
