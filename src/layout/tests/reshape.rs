//! Reshape: a view exactly when some strides express it. Brute force decides.

use super::model::{Map, assert_same, indices, layouts, shapes};
use crate::Error;
use crate::layout::{Layout, Slice};

/// Every shape of up to `rank` axes with this many elements, extents of 1 among them.
fn factorings(len: usize, rank: usize) -> Vec<Vec<usize>> {
    if rank == 0 {
        return if len == 1 { vec![vec![]] } else { vec![] };
    }
    let mut all = factorings(len, rank - 1);
    let divisors = (1..=len).filter(|extent| len.is_multiple_of(*extent));
    for extent in divisors {
        let rest = factorings(len / extent, rank - 1);
        let rest = rest.into_iter().filter(|rest| rest.len() == rank - 1);
        all.extend(rest.map(|rest| [vec![extent], rest].concat()));
    }
    all
}

/// The layouts of a shape, and what slicing with a step or permuting makes of larger ones.
fn sources(shape: &[usize]) -> Vec<Layout> {
    let mut all = layouts(shape);
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    all.extend(layouts(&reversed).iter().map(Layout::transpose));
    for step in [2, -2] {
        for axis in 0..shape.len() {
            let mut longer = shape.to_vec();
            longer[axis] *= 2;
            let mut slices = vec![Slice::from(..); shape.len()];
            slices[axis] = Slice::from(..).step(step);
            all.push(Layout::row_major(&longer).unwrap().slice(&slices).unwrap());
        }
    }
    all
}

fn check(layout: &Layout, target: &[usize]) -> bool {
    let map = Map::of(layout).reshape(target);
    match layout.reshape(target) {
        Ok(got) => {
            assert!(
                map.has_strides(),
                "{layout:?} has no view as {target:?}, got {got:?}"
            );
            assert_same(&got, &map, layout);
            true
        }
        Err(error) => {
            assert!(
                !map.has_strides(),
                "{layout:?} has a view as {target:?}: {error}"
            );
            let Error::ReshapeNeedsCopy { axis } = error else {
                panic!("{error:?}");
            };
            // What stands before the axis named can be expressed.
            let picks = target.iter().enumerate();
            let picks = picks.map(|(a, &n)| (0..if a < axis { n } else { 1 }).collect());
            let picks: Vec<Vec<usize>> = picks.collect();
            assert!(
                axis < target.len() && map.take(&picks).has_strides(),
                "{layout:?}: {error}"
            );
            false
        }
    }
}

#[test]
fn a_view_exactly_when_strides_can_say_it() {
    let (mut views, mut copies) = (0, 0);
    for shape in shapes(3, 4).into_iter().filter(|shape| !shape.contains(&0)) {
        let targets = factorings(shape.iter().product(), 4);
        for layout in sources(&shape) {
            for target in &targets {
                *(if check(&layout, target) {
                    &mut views
                } else {
                    &mut copies
                }) += 1;
            }
        }
    }
    assert!(
        views > 5_000 && copies > 5_000,
        "{views} views, {copies} copies"
    );
}

#[test]
fn any_strides_at_all() {
    for shape in indices(&[3, 3, 2])
        .iter()
        .map(|shape| [shape[0] + 1, shape[1] + 1, shape[2] + 2])
    {
        let targets = factorings(shape.iter().product(), 3);
        for strides in indices(&[13, 13, 4]) {
            let strides: Vec<isize> = strides.iter().map(|&s| s as isize - 6).collect();
            let layout = Layout::new(&shape, &strides, 100).unwrap();
            for target in &targets {
                check(&layout, target);
            }
        }
    }
}

#[test]
fn empty_layouts_take_every_empty_shape() {
    for shape in shapes(3, 2).into_iter().filter(|shape| shape.contains(&0)) {
        let strides = vec![isize::MIN; shape.len()];
        let layout = Layout::new(&shape, &strides, 7).unwrap();
        for target in shapes(3, 3) {
            let len = target.iter().product();
            match layout.reshape(&target) {
                Ok(got) => {
                    assert_eq!(len, 0);
                    assert_eq!((got.shape(), got.storage_range()), (&target[..], 7..7));
                }
                Err(error) => {
                    let (arg, want) = ("shape", 0);
                    assert_eq!(
                        error,
                        Error::SizeMismatch {
                            arg,
                            got: len,
                            want
                        }
                    );
                }
            }
        }
    }
}

#[test]
fn another_number_of_elements_is_refused() {
    for shape in shapes(2, 4) {
        let layout = Layout::row_major(&shape).unwrap();
        for target in shapes(3, 4) {
            let (arg, got, want) = ("shape", target.iter().product(), layout.len());
            if got != want {
                let error = Error::SizeMismatch { arg, got, want };
                assert_eq!(layout.reshape(&target), Err(error));
            }
        }
    }
}
