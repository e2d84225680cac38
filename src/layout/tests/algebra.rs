//! Every operation but slice and reshape, exhaustively on small shapes in layouts of every kind.

use super::model::{Map, assert_same, indices, layouts, shapes};
use crate::{Error, Layout, Unit};

/// Runs `check` on every layout of every shape up to rank 3 and extent 4, with its map.
fn on_all(mut check: impl FnMut(&Layout, &Map)) {
    for shape in shapes(3, 4) {
        for layout in layouts(&shape) {
            check(&layout, &Map::of(&layout));
        }
    }
}

/// The refusal of `axis` where there are `rank`.
fn out_of_range(arg: &'static str, got: usize, rank: usize) -> Error {
    Error::AxisOutOfRange { arg, got, rank }
}

#[test]
fn permute_takes_every_permutation_and_nothing_else() {
    on_all(|layout, map| {
        let rank = layout.rank();
        for perm in (0..=4).flat_map(|entries| indices(&vec![rank + 1; entries])) {
            let got = layout.permute(&perm);
            let large = perm.iter().position(|&axis| axis >= rank);
            let twice = (0..perm.len()).find(|&i| perm[..i].contains(&perm[i]));
            let (what, want) = ("perm", rank);
            if perm.len() != rank {
                let (arg, got_entries) = (what, perm.len());
                let mismatch = Error::RankMismatch {
                    arg,
                    got: got_entries,
                    want,
                };
                assert_eq!(got, Err(mismatch));
            } else if let Some(large) =
                large.filter(|&large| twice.is_none_or(|twice| large < twice))
            {
                assert_eq!(got, Err(out_of_range(what, perm[large], rank)));
            } else if let Some(position) = twice {
                let (arg, axis) = (what, perm[position]);
                assert_eq!(
                    got,
                    Err(Error::NotAPermutation {
                        arg,
                        position,
                        axis
                    })
                );
            } else {
                assert_same(&got.unwrap(), &map.permute(&perm), &perm);
            }
        }
    });
}

#[test]
fn transpose_swap_and_move_are_permutations() {
    on_all(|layout, map| {
        let rank = layout.rank();
        let order: Vec<usize> = (0..rank).collect();
        let reversed: Vec<usize> = (0..rank).rev().collect();
        assert_same(&layout.transpose(), &map.permute(&reversed), layout);
        for a in 0..=rank {
            for b in 0..=rank {
                if a == rank || b == rank {
                    let (first, second) = if a == rank {
                        ("a", "from")
                    } else {
                        ("b", "to")
                    };
                    assert_eq!(layout.swap_axes(a, b), Err(out_of_range(first, rank, rank)));
                    assert_eq!(
                        layout.move_axis(a, b),
                        Err(out_of_range(second, rank, rank))
                    );
                    continue;
                }
                let mut swapped = order.clone();
                swapped.swap(a, b);
                assert_same(
                    &layout.swap_axes(a, b).unwrap(),
                    &map.permute(&swapped),
                    &(a, b),
                );
                let mut moved = order.clone();
                let axis = moved.remove(a);
                moved.insert(b, axis);
                assert_same(
                    &layout.move_axis(a, b).unwrap(),
                    &map.permute(&moved),
                    &(a, b),
                );
            }
        }
    });
}

#[test]
fn index_axis_flip_squeeze_and_unsqueeze() {
    on_all(|layout, map| {
        let rank = layout.rank();
        for axis in 0..rank {
            let extent = layout.shape()[axis];
            for index in 0..extent {
                let got = layout.index_axis(axis, index).unwrap();
                assert_same(&got, &map.index_axis(axis, index), &(axis, index));
            }
            for index in [extent, usize::MAX] {
                let error = Error::OutOfBounds {
                    arg: "index",
                    axis: Some(axis),
                    got: index as i128,
                    low: 0,
                    high: extent as i128,
                };
                assert_eq!(layout.index_axis(axis, index), Err(error));
            }
            assert_same(&layout.flip(axis).unwrap(), &map.flip(axis), &axis);
            if extent == 1 {
                let got = layout.squeeze(axis).unwrap();
                assert_same(&got, &map.index_axis(axis, 0), &axis);
            } else {
                assert_eq!(
                    layout.squeeze(axis),
                    Err(Error::NotSqueezable { axis, got: extent })
                );
            }
        }
        for axis in 0..=rank {
            let mut shape = layout.shape().to_vec();
            shape.insert(axis, 1);
            assert_same(
                &layout.unsqueeze(axis).unwrap(),
                &map.reshape(&shape),
                &axis,
            );
        }
        let refused = out_of_range("axis", rank, rank);
        assert_eq!(layout.index_axis(rank, 0), Err(refused.clone()));
        assert_eq!(layout.flip(rank), Err(refused.clone()));
        assert_eq!(layout.squeeze(rank), Err(refused));
        let beyond = out_of_range("axis", rank + 1, rank + 1);
        assert_eq!(layout.unsqueeze(rank + 1), Err(beyond));
    });
}

#[test]
fn broadcast_repeats_extents_of_1_and_adds_axes_in_front() {
    for shape in shapes(3, 3) {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            for target in shapes(3, 4) {
                let got = layout.broadcast_to(&target);
                if let Some(want) = map.broadcast_to(&target) {
                    assert_same(&got.unwrap(), &want, &target);
                    continue;
                }
                let rank = shape.len();
                let Some(added) = target.len().checked_sub(rank) else {
                    let (arg, entries) = ("shape", target.len());
                    let error = Error::RankMismatch {
                        arg,
                        got: entries,
                        want: rank,
                    };
                    assert_eq!(got, Err(error));
                    continue;
                };
                let fits = |axis: usize| shape[axis] == 1 || shape[axis] == target[added + axis];
                let axis = (0..rank).find(|&axis| !fits(axis)).unwrap();
                let (extent, want) = (shape[axis], target[added + axis]);
                let axis = added + axis;
                assert_eq!(
                    got,
                    Err(Error::BroadcastMismatch {
                        axis,
                        got: extent,
                        want
                    })
                );
            }
        }
    }
}

#[test]
fn as_strided_is_any_layout_inside_the_storage_range() {
    let whole = Layout::new(&[2, 3], &[-5, 2], 12).unwrap(); // 7..=16
    let range = whole.storage_range();
    for shape in shapes(2, 3) {
        for strides in indices(&vec![9; shape.len()]) {
            let strides: Vec<isize> = strides.into_iter().map(|s| s as isize - 4).collect();
            for offset in 0..20 {
                let got = whole.as_strided(&shape, &strides, offset);
                let Ok(layout) = Layout::new(&shape, &strides, offset) else {
                    assert!(matches!(
                        got,
                        Err(Error::OutOfBounds { arg: "strides", .. })
                    ));
                    continue;
                };
                let map = Map::of(&layout);
                let inside = if map.places.is_empty() {
                    (range.start..=range.end).contains(&offset)
                } else {
                    map.places
                        .iter()
                        .all(|&place| range.contains(&(place as usize)))
                };
                match got {
                    Ok(got) => {
                        assert!(inside, "{layout:?}");
                        assert_same(&got, &map, &layout);
                    }
                    Err(error) => {
                        assert!(!inside, "{layout:?}: {error}");
                        let Error::OutOfBounds { got, low, high, .. } = error else {
                            panic!("{error:?}");
                        };
                        assert_eq!((low, high), (range.start as i128, range.end as i128));
                        assert!(got < low || got >= high, "{layout:?}: {got}");
                    }
                }
            }
        }
    }
    let error = whole.as_strided(&[2], &[isize::MAX], 7);
    let (arg, axis, unit) = ("strides", Some(0), Unit::Element);
    assert_eq!(error, Err(Error::OffsetOverflow { arg, axis, unit }));
}
