//! Normal forms as values: literal dimensions in, literal dimensions out, step by step; and one
//! property over random problems.

use std::collections::BTreeSet;

use proptest::prelude::*;
use smallvec::smallvec;

use super::*;

fn dim(extent: usize, src: isize, dst: isize) -> Dim {
    Dim { extent, src, dst }
}

fn dims<const N: usize>(list: [(usize, isize, isize); N]) -> Dims {
    list.into_iter()
        .map(|(extent, src, dst)| dim(extent, src, dst))
        .collect()
}

/// Steps 5 and 6 say how many dimensions they leave in front.
fn merge_all(dims: &mut Dims) {
    let left = merge(dims);
    dims.truncate(left);
}

fn fold_all(cell: usize, dims: &mut Dims) -> usize {
    let (cell, left) = fold(cell, dims, 0);
    dims.truncate(left);
    cell
}

/// What steps 2 to 4 make of dimensions, and the shifts of both sides.
fn found<const N: usize>(list: [(usize, isize, isize); N]) -> (Dims, isize, isize) {
    let mut room = [Dim::NONE; N];
    let mut found = Found::none(&mut room);
    for dim in dims(list) {
        found.add(dim);
    }
    let (len, src, dst) = (found.len, found.src_shift, found.dst_shift);
    (room[..len].into(), src, dst)
}

#[test]
fn nothing_moves_where_an_extent_or_the_cell_is_zero() {
    let moves = |cell, shape: &[usize]| {
        let problem = Problem::from_bytes(cell, shape, &[4, 16], &[4, 16]);
        Normal::of(&problem.unwrap()).is_some()
    };
    assert!(!moves(4, &[3, 0]));
    assert!(!moves(4, &[0, 3]));
    assert!(!moves(0, &[3, 3]));
    assert!(moves(4, &[3, 3]));
}

#[test]
fn extents_of_one_go_whatever_their_strides() {
    let left = found([(1, isize::MIN, isize::MAX), (5, 4, 8), (1, 0, 0)]);
    assert_eq!(left, (dims([(5, 4, 8)]), 0, 0));
}

#[test]
fn negative_destination_strides_are_walked_from_their_other_end() {
    let turned = found([(3, 40, -16), (4, -4, 4), (2, -8, -100)]);
    let expected = dims([(4, -4, 4), (3, -40, 16), (2, 8, 100)]);
    assert_eq!(turned, (expected, 80 - 8, -32 - 100));
}

#[test]
fn dimensions_ascend_by_destination_then_source() {
    let sorted = found([(2, 4, 100), (3, -9, 4), (5, 8, 4), (7, 1, 20)]);
    let expected = dims([(5, 8, 4), (3, -9, 4), (7, 1, 20), (2, 4, 100)]);
    assert_eq!(sorted, (expected, 0, 0));
}

#[test]
fn more_dimensions_than_have_room_on_the_stack_are_sorted_too() {
    let ascending: [_; 2 * FEW] = core::array::from_fn(|i| (2, 4 << i, 3 << i));
    let mut mixed = ascending;
    mixed.reverse();
    mixed.rotate_left(5);
    assert_eq!(found(mixed).0, dims(ascending));
}

#[test]
fn what_continues_on_both_sides_is_one_dimension() {
    let mut list = dims([(3, 4, 4), (5, 12, 12), (2, 60, 60)]);
    merge_all(&mut list);
    assert_eq!(list, dims([(30, 4, 4)]));
}

#[test]
fn what_continues_on_one_side_only_stays() {
    let mut list = dims([(3, 4, 4), (5, 12, 16)]);
    merge_all(&mut list);
    assert_eq!(list, dims([(3, 4, 4), (5, 12, 16)]));
}

#[test]
fn a_repeated_source_merges_with_a_repeated_source() {
    let mut list = dims([(3, 0, 4), (5, 0, 12)]);
    merge_all(&mut list);
    assert_eq!(list, dims([(15, 0, 4)]));
}

#[test]
fn reversed_dimensions_merge_when_both_are_reversed() {
    let mut list = dims([(3, -4, 4), (5, -12, 12)]);
    merge_all(&mut list);
    assert_eq!(list, dims([(15, -4, 4)]));
}

#[test]
fn pairs_merge_across_a_dimension_between_them() {
    // 12 continues 4 on both sides, with 8 in between: neighbours alone would miss it.
    let mut list = dims([(3, 4, 4), (5, 1000, 8), (2, 12, 12)]);
    merge_all(&mut list);
    assert_eq!(list, dims([(6, 4, 4), (5, 1000, 8)]));
}

#[test]
fn a_chain_merges_in_one_pass_from_any_link() {
    let mut list = dims([
        (2, 100, 1),
        (2, 200, 2),
        (2, 7, 3),
        (2, 400, 4),
        (2, 800, 8),
    ]);
    merge_all(&mut list);
    assert_eq!(list, dims([(16, 100, 1), (2, 7, 3)]));
}

#[test]
fn a_merge_that_would_overflow_is_none() {
    let mut list = dims([(3, isize::MAX / 2, 4), (5, 12, 12)]);
    merge_all(&mut list);
    assert_eq!(list.len(), 2);
}

#[test]
fn a_shared_run_widens_the_cell() {
    let mut list = dims([(3, 4, 4), (5, 100, 12)]);
    assert_eq!(fold_all(4, &mut list), 12);
    assert_eq!(list, dims([(5, 100, 12)]));
}

#[test]
fn a_reversed_or_one_sided_run_does_not() {
    for mut list in [dims([(3, -4, 4)]), dims([(3, 4, 8)]), dims([(3, 8, 4)])] {
        let before = list.clone();
        assert_eq!(fold_all(4, &mut list), 4);
        assert_eq!(list, before);
    }
}

fn normal(cell: usize, list: Dims) -> Normal {
    let shape: Vec<_> = list.iter().map(|dim| dim.extent).collect();
    let src: Vec<_> = list.iter().map(|dim| dim.src).collect();
    let dst: Vec<_> = list.iter().map(|dim| dim.dst).collect();
    Normal::of(&Problem::from_bytes(cell, &shape, &src, &dst).unwrap()).unwrap()
}

#[test]
fn a_contiguous_copy_is_one_cell() {
    let form = normal(4, dims([(2, 60, 60), (3, 20, 20), (5, 4, 4)]));
    assert_eq!(
        form,
        Normal {
            cell: 120,
            dims: smallvec![],
            src_shift: 0,
            dst_shift: 0,
            listed: None,
            listed_dst: None,
        }
    );
}

#[test]
fn an_image_to_planes_is_two_dimensions() {
    // [1080, 1920, 3] bytes, planes first: rows and columns merge on both sides.
    let form = normal(
        1,
        dims([(3, 1, 2_073_600), (1080, 5760, 1920), (1920, 3, 1)]),
    );
    assert_eq!(form.dims, dims([(2_073_600, 3, 1), (3, 1, 2_073_600)]));
}

#[test]
fn both_sides_reversed_is_a_plain_copy() {
    let form = normal(8, dims([(10, -8, -8)]));
    assert_eq!(
        form,
        Normal {
            cell: 80,
            dims: smallvec![],
            src_shift: -72,
            dst_shift: -72,
            listed: None,
            listed_dst: None,
        }
    );
}

#[test]
fn a_flipped_outer_axis_keeps_its_rows_whole() {
    let form = normal(4, dims([(6, -40, 40), (10, 4, 4)]));
    assert_eq!((form.cell, &form.dims[..]), (40, &[dim(6, -40, 40)][..]));
}

/// Every (source byte, destination byte) pair of a nest of dimensions around a cell.
fn pairs(cell: usize, dims: &[Dim], from: (isize, isize)) -> BTreeSet<(isize, isize)> {
    let mut places = vec![from];
    for dim in dims {
        let steps = 0..dim.extent as isize;
        places = steps
            .flat_map(|i| {
                places
                    .iter()
                    .map(move |&(s, d)| (s + i * dim.src, d + i * dim.dst))
            })
            .collect();
    }
    let bytes = 0..cell as isize;
    bytes
        .flat_map(|byte| places.iter().map(move |&(s, d)| (s + byte, d + byte)))
        .collect()
}

/// A destination by construction injective (dense axes in some order, gaps and signs added), a
/// source with any strides, often those that let dimensions merge.
fn problems() -> impl Strategy<Value = (usize, Vec<Dim>)> {
    let axis = (
        0_usize..5,
        -40_isize..40,
        any::<bool>(),
        0_isize..3,
        any::<bool>(),
    );
    let axes = prop::collection::vec(axis, 0..6);
    (1_usize..7, axes, any::<bool>()).prop_map(|(cell, axes, src_follows)| {
        let (mut dst, mut src) = (cell as isize, cell as isize);
        let list = axes
            .into_iter()
            .map(|(extent, wild, backwards, gap, keep)| {
                let sign = if backwards { -1 } else { 1 };
                let dim = dim(
                    extent,
                    if src_follows && keep { src } else { wild },
                    sign * dst,
                );
                dst = dst * extent.max(1) as isize + gap;
                src *= extent.max(1) as isize;
                dim
            });
        (cell, list.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_set_of_byte_pairs_stays_the_same((cell, list) in problems(), seed in any::<u64>()) {
        let mut axes = list.clone();
        if !axes.is_empty() {
            let by = seed as usize % axes.len();
            axes.rotate_left(by);
        }
        let shape: Vec<_> = axes.iter().map(|dim| dim.extent).collect();
        let src: Vec<_> = axes.iter().map(|dim| dim.src).collect();
        let dst: Vec<_> = axes.iter().map(|dim| dim.dst).collect();
        let problem = Problem::from_bytes(cell, &shape, &src, &dst).unwrap();
        let before = pairs(cell, &axes, (0, 0));
        match Normal::of(&problem) {
            None => prop_assert!(before.is_empty()),
            Some(form) => {
                let after = pairs(form.cell, &form.dims, (form.src_shift, form.dst_shift));
                prop_assert_eq!(before, after);
                prop_assert!(form.dims.iter().all(|dim| dim.extent > 1 && dim.dst > 0));
                prop_assert!(form.dims.is_sorted_by_key(|dim| dim.dst));
            }
        }
    }
}

#[test]
fn windows_of_a_source_stay_dimensions() {
    let windows = |extent, bytes| {
        let mut dims = dims([
            (3, 4, 4),
            (extent, 4, 12),
            (9, 4 * extent as isize, 999_999),
        ]);
        fold(4, &mut dims, bytes)
    };
    assert_eq!(windows(8, 64 << 10), (4, 3));
    assert_eq!(windows(7, 64 << 10), (12, 2), "few");
    assert_eq!(windows(8, 63 << 10), (12, 2), "small");
    let mut apart = dims([(3, 4, 4), (8, 8, 12)]);
    assert_eq!(
        fold(4, &mut apart, 64 << 10),
        (12, 1),
        "the next one starts two cells further on"
    );
    let mut long = dims([(8, 4, 4), (8, 4, 32)]);
    assert_eq!(fold(4, &mut long, 64 << 10), (32, 1), "runs");
}
