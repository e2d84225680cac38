//! Parts along an axis, diagonals, windows, picks and repacked elements, against the model.

use super::model::{Map, assert_same, indices, layouts, shapes};
use super::slice::{bounds, picked};
use crate::layout::{NewAxis, Pick, Slice};
use crate::{Error, Layout};

/// The indices `picks` of one axis, all of the others.
fn taken(map: &Map, axis: usize, picks: impl Iterator<Item = usize>) -> Map {
    let mut all: Vec<Vec<usize>> = map.shape.iter().map(|&n| (0..n).collect()).collect();
    all[axis] = picks.collect();
    map.take(&all)
}

fn each_axis(test: impl Fn(&Layout, &Map, usize)) {
    for shape in shapes(3, 4) {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            (0..shape.len()).for_each(|axis| test(&layout, &map, axis));
        }
    }
}

#[test]
fn narrow_and_split_at_cut_one_axis() {
    each_axis(|layout, map, axis| {
        let extent = map.shape[axis];
        for start in 0..=extent + 1 {
            for len in 0..=extent + 1 {
                let got = layout.narrow(axis, start, len);
                if start + len <= extent {
                    let want = taken(map, axis, start..start + len);
                    assert_same(&got.unwrap(), &want, &(start, len));
                } else {
                    assert!(
                        matches!(got, Err(Error::OutOfBounds { axis: Some(a), .. }) if a == axis)
                    );
                }
            }
            match layout.split_at(axis, start) {
                Ok((before, from)) => {
                    assert_same(&before, &taken(map, axis, 0..start), &start);
                    assert_same(&from, &taken(map, axis, start..extent), &start);
                }
                Err(error) => {
                    assert!(start > extent && matches!(error, Error::OutOfBounds { .. }));
                }
            }
        }
        assert!(layout.narrow(axis, 1, usize::MAX).is_err());
        let rank = layout.rank();
        assert_eq!(
            layout.split_at(rank, 0),
            Err(Error::AxisOutOfRange {
                arg: "axis",
                got: rank,
                rank
            })
        );
    });
}

#[test]
fn chunks_and_unbind_give_every_index_once() {
    each_axis(|layout, map, axis| {
        let extent = map.shape[axis];
        for size in 1..=extent + 1 {
            let parts = layout.chunks(axis, size).unwrap();
            assert_eq!(parts.len(), extent.div_ceil(size));
            let mut start = 0;
            for part in parts.clone() {
                let end = extent.min(start + size);
                assert_same(&part, &taken(map, axis, start..end), &(size, start));
                start = end;
            }
            assert_eq!(start, extent);
            let (mut forth, mut back): (Vec<_>, Vec<_>) =
                (parts.clone().collect(), parts.rev().collect());
            back.reverse();
            assert_eq!(forth, back);
            forth.clear();
        }
        assert!(matches!(
            layout.chunks(axis, 0),
            Err(Error::OutOfBounds { arg: "size", .. })
        ));
        let single = layout.unbind(axis).unwrap();
        assert_eq!(single.len(), extent);
        for (i, part) in single.enumerate() {
            assert_same(&part, &map.index_axis(axis, i), &i);
        }
    });
}

#[test]
fn the_diagonal_is_the_equal_indices() {
    each_axis(|layout, map, a| {
        for b in 0..layout.rank() {
            let got = layout.diagonal(a, b);
            if a == b {
                assert!(matches!(got, Err(Error::NotAPermutation { .. })));
                continue;
            }
            let extent = map.shape[a].min(map.shape[b]);
            let mut shape = map.shape.clone();
            for axis in [a.max(b), a.min(b)] {
                shape.remove(axis);
            }
            shape.push(extent);
            let want = map.pulled(shape, |index| {
                let (&both, others) = index.split_last().unwrap();
                let mut others = others.iter();
                (0..map.shape.len())
                    .map(|axis| {
                        if axis == a || axis == b {
                            both
                        } else {
                            *others.next().unwrap()
                        }
                    })
                    .collect()
            });
            assert_same(&got.unwrap(), &want, &(a, b));
        }
    });
}

#[test]
fn windows_are_sums_of_two_indices() {
    for shape in shapes(2, 4).into_iter().chain([vec![3, 1, 4]]) {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            let longest: Vec<usize> = shape.iter().map(|n| n + 2).collect();
            for window in indices(&longest) {
                let got = layout.windows(&window);
                let fits = |(&len, &n): (&usize, &usize)| len > 0 && len <= n;
                if !window.iter().zip(&shape).all(fits) {
                    assert!(matches!(got, Err(Error::OutOfBounds { arg: "window", .. })));
                    continue;
                }
                let starts = shape.iter().zip(&window).map(|(n, len)| n - len + 1);
                let both: Vec<usize> = starts.chain(window.iter().copied()).collect();
                let want = map.pulled(both, |index| {
                    let (start, within) = index.split_at(shape.len());
                    start.iter().zip(within).map(|(a, b)| a + b).collect()
                });
                assert_same(&got.unwrap(), &want, &window);
            }
        }
    }
}

#[test]
fn picks_are_ranges_indices_and_new_axes() {
    // Every range and index on two axes, with a new axis before, between and behind.
    let steps = [1, -1, 2];
    let picks = |extent: usize| {
        let ranges = bounds().step_by(3).flat_map(move |start| {
            let ends = bounds().step_by(2);
            ends.flat_map(move |end| {
                steps.map(move |step| Pick::Range(Slice::new(start, end, step)))
            })
        });
        let indices = -(extent as isize) - 1..=extent as isize;
        ranges.chain(indices.map(Pick::Index)).collect::<Vec<_>>()
    };
    let resolved = |pick: Pick, extent: usize| match pick {
        Pick::Index(i) => {
            let i = if i < 0 { i + extent as isize } else { i };
            (0..extent as isize).contains(&i).then(|| vec![i as usize])
        }
        Pick::Range(slice) => {
            let (start, end, step) = slice.parts();
            picked(extent, start, end, step)
        }
        Pick::NewAxis => unreachable!(),
    };
    for shape in [[3, 4], [1, 5], [0, 2]] {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            for (number, &a) in picks(shape[0]).iter().enumerate() {
                for &b in picks(shape[1]).iter().skip(number % 7).step_by(7) {
                    let list = [Pick::from(NewAxis), a, Pick::NewAxis, b, Pick::NewAxis];
                    let got = layout.slice(&list);
                    let want = resolved(a, shape[0]).zip(resolved(b, shape[1]));
                    let Some((rows, cols)) = want else {
                        assert!(matches!(
                            got,
                            Err(Error::OutOfBounds {
                                arg: "slice.start" | "slice.end" | "index",
                                axis: Some(0 | 1),
                                ..
                            })
                        ));
                        continue;
                    };
                    let (n, m) = (rows.len(), cols.len());
                    let mut kept = vec![1];
                    kept.extend(matches!(a, Pick::Range(_)).then_some(n));
                    kept.push(1);
                    kept.extend(matches!(b, Pick::Range(_)).then_some(m));
                    kept.push(1);
                    let want = map.take(&[rows, cols]).reshape(&kept);
                    assert_same(&got.unwrap(), &want, &list);
                }
            }
            let too_many = [Pick::from(1), Pick::from(..), Pick::from(..)];
            assert!(matches!(
                layout.slice(&too_many),
                Err(Error::RankMismatch {
                    arg: "slices",
                    got: 3,
                    want: 2
                })
            ));
        }
    }
}

#[test]
fn the_notation_makes_the_list() {
    let list = crate::s![1..3, ..;-1, -2, NewAxis, ..=4;2, 5usize.., ..-1i32 as isize];
    let want: [Pick; 7] = [
        Pick::Range(Slice::new(Some(1), Some(3), 1)),
        Pick::Range(Slice::new(None, None, -1)),
        Pick::Index(-2),
        Pick::NewAxis,
        Pick::Range(Slice::new(None, Some(5), 2)),
        Pick::Range(Slice::new(Some(5), None, 1)),
        Pick::Range(Slice::new(None, Some(-1), 1)),
    ];
    assert_eq!(list, want);
}

#[test]
fn unpack_and_pack_are_the_parts_of_elements() {
    for shape in shapes(3, 3) {
        for layout in layouts(&shape) {
            for n in [1, 2, 3] {
                let map = Map::of(&layout);
                let parts = layout.unpack(n).unwrap();
                let mut longer = shape.clone();
                longer.push(n);
                let places = map
                    .places
                    .iter()
                    .flat_map(|&place| (0..n as i128).map(move |part| place * n as i128 + part));
                let want = Map {
                    shape: longer,
                    places: places.collect(),
                };
                assert_same(&parts, &want, &n);
                for before in 0..n {
                    let moved =
                        Layout::new(parts.shape(), parts.strides(), parts.offset() + before);
                    let (back, left) = moved.unwrap().pack(n).unwrap();
                    assert_same(&back, &map, &n);
                    assert!(left == before || layout.is_empty());
                }
            }
        }
    }
    let rows = Layout::row_major(&[4, 6]).unwrap();
    assert!(matches!(
        rows.pack(3),
        Err(Error::SizeMismatch {
            arg: "n",
            got: 3,
            want: 6
        })
    ));
    let padded = Layout::new(&[4, 3], &[7, 1], 0).unwrap();
    assert_eq!(padded.pack(3), Err(Error::ReshapeNeedsCopy { axis: 0 }));
    assert_eq!(
        rows.transpose().pack(4),
        Err(Error::ReshapeNeedsCopy { axis: 1 })
    );
    let point = Layout::row_major(&[]).unwrap();
    assert!(matches!(point.pack(1), Err(Error::AxisOutOfRange { .. })));
    let far = Layout::new(&[2], &[isize::MAX / 2], 0).unwrap();
    assert!(matches!(far.unpack(3), Err(Error::OffsetOverflow { .. })));
}

#[test]
fn places_are_those_of_all_indices_in_order() {
    for shape in shapes(3, 4) {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            let places: Vec<i128> = layout.places().map(|place| place as i128).collect();
            assert_eq!(places, map.places, "{layout:?}");
            assert_eq!(layout.places().len(), layout.len());
            for index in indices(&shape.iter().map(|n| n + 1).collect::<Vec<_>>()) {
                let inside = index.iter().zip(&shape).all(|(i, n)| i < n);
                let want = inside.then(|| map.at(&index) as usize);
                assert_eq!(layout.place(&index), want, "{layout:?} {index:?}");
            }
            assert_eq!(layout.place(&vec![0; shape.len() + 1]), None);
        }
    }
}

#[test]
fn two_layouts_are_broadcast_to_the_shape_they_share() {
    for a in shapes(2, 3) {
        for b in shapes(3, 3) {
            let (first, second) = (Layout::row_major(&a), Layout::column_major(&b));
            let (first, second) = (first.unwrap(), second.unwrap());
            let rank = a.len().max(b.len());
            let extent = |shape: &[usize], axis: usize| {
                (axis + shape.len())
                    .checked_sub(rank)
                    .map_or(1, |axis| shape[axis])
            };
            let both = (0..rank).map(|axis| match (extent(&a, axis), extent(&b, axis)) {
                (1, n) | (n, 1) => Some(n),
                (n, m) => (n == m).then_some(n),
            });
            let both: Option<Vec<usize>> = both.collect();
            match (first.broadcast_with(&second), both) {
                (Ok((x, y)), Some(shape)) => {
                    assert_same(&x, &Map::of(&first).broadcast_to(&shape).unwrap(), &shape);
                    assert_same(&y, &Map::of(&second).broadcast_to(&shape).unwrap(), &shape);
                }
                (Err(Error::BroadcastMismatch { .. }), None) => {}
                (got, want) => panic!("{a:?} with {b:?}: {got:?}, not {want:?}"),
            }
        }
    }
}

#[test]
fn one_extent_is_inferred() {
    use crate::INFER;
    for shape in shapes(3, 4) {
        let layout = Layout::row_major(&shape).unwrap();
        for axis in 0..shape.len() {
            let mut asked = shape.clone();
            asked[axis] = INFER;
            let others: usize = shape
                .iter()
                .enumerate()
                .filter(|&(i, _)| i != axis)
                .map(|(_, n)| n)
                .product();
            let got = layout.reshape(&asked);
            if others == 0 {
                assert!(matches!(got, Err(Error::SizeMismatch { arg: "shape", .. })));
            } else {
                assert_eq!(got.unwrap().shape(), shape);
            }
        }
        assert!(layout.reshape(&[INFER, INFER]).is_err());
        assert!(layout.reshape(&[INFER, 1000]).is_err() || layout.is_empty());
        assert_eq!(layout.flatten().unwrap().shape(), [layout.len()]);
        let columns = Layout::column_major(&shape).unwrap();
        assert_eq!(
            columns
                .reshape_column_major(&[columns.len()])
                .unwrap()
                .shape(),
            [columns.len()]
        );
    }
}

#[test]
fn orders_by_name() {
    for shape in shapes(4, 3) {
        let rows = Layout::row_major(&shape).unwrap();
        let rank = shape.len();
        if rank >= 3 {
            let moved = rows.move_axis(rank - 1, 1).unwrap();
            assert!(moved.is_channels_last());
            let mut order: Vec<usize> = (0..rank).collect();
            let channels = order.remove(1);
            order.push(channels);
            assert_eq!(moved.is_in_order(&order), Ok(true));
            // Of a plain array the elements come in this order only where nothing tells them apart.
            let map = Map::of(&rows).permute(&order);
            assert_eq!(rows.is_channels_last(), map.places.is_sorted(), "{shape:?}");
        } else {
            assert!(!rows.is_channels_last());
        }
    }
}
