//! Queries against brute force: all strides of small shapes.

use std::collections::BTreeSet;

use super::model::{Map, indices, shapes};
use crate::Layout;

/// The four answers, from the places alone.
fn expected(layout: &Layout) -> (bool, bool, bool, core::ops::Range<usize>) {
    let map = Map::of(layout);
    let Some((&low, &high)) = map.places.iter().min().zip(map.places.iter().max()) else {
        return (true, true, true, layout.offset()..layout.offset());
    };
    let rises = |map: &Map| map.places.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let reversed: Vec<usize> = (0..layout.rank()).rev().collect();
    let distinct: BTreeSet<i128> = map.places.iter().copied().collect();
    let once = distinct.len() == map.places.len();
    (
        rises(&map),
        rises(&map.permute(&reversed)),
        once && high - low + 1 == map.places.len() as i128,
        low as usize..high as usize + 1,
    )
}

fn answers(layout: &Layout) -> (bool, bool, bool, core::ops::Range<usize>) {
    (
        layout.is_row_major(),
        layout.is_column_major(),
        layout.is_dense(),
        layout.storage_range(),
    )
}

#[test]
fn queries_agree_with_the_places() {
    let mut dense = 0;
    for shape in shapes(2, 4).into_iter().chain(shapes(3, 3)) {
        for strides in indices(&vec![19; shape.len()]) {
            let strides: Vec<isize> = strides.into_iter().map(|s| s as isize - 9).collect();
            let layout = Layout::new(&shape, &strides, 100).unwrap();
            assert_eq!(answers(&layout), expected(&layout), "{layout:?}");
            dense += usize::from(layout.is_dense() && !layout.is_empty());
        }
    }
    assert!(dense > 1000, "{dense}");
}

#[test]
fn the_two_orders_of_a_contiguous_array() {
    for shape in shapes(4, 3) {
        let (rows, columns) = (Layout::row_major(&shape), Layout::column_major(&shape));
        let (rows, columns) = (rows.unwrap(), columns.unwrap());
        assert!(rows.is_row_major() && rows.is_dense(), "{shape:?}");
        assert!(columns.is_column_major() && columns.is_dense(), "{shape:?}");
        let all: Vec<i128> = (0..rows.len() as i128).collect();
        assert_eq!(Map::of(&rows).places, all);
        let reversed: Vec<usize> = (0..shape.len()).rev().collect();
        assert_eq!(Map::of(&columns).permute(&reversed).places, all);
    }
}
