//! Chains of six random operations: what one leaves behind is what the next one finds.

use super::model::{Map, Random, assert_same};
use super::slice::picked;
use crate::layout::{Layout, Slice};

/// Debug builds do fewer; a failure prints its seed.
const CHAINS: u64 = if cfg!(debug_assertions) {
    20_000
} else {
    400_000
};

fn start(random: &mut Random) -> Layout {
    let rank = random.below(5);
    let shape: Vec<usize> = (0..rank).map(|_| random.below(6)).collect();
    let strides: Vec<isize> = (0..rank).map(|_| random.from(-40, 40)).collect();
    let layout = match random.below(3) {
        0 => Layout::row_major(&shape),
        1 => Layout::column_major(&shape),
        _ => Layout::new(&shape, &strides, 1000),
    };
    layout.unwrap()
}

/// A random operation on both. An operation that has no meaning here leaves both as they are, and
/// the layout must refuse it.
fn step(random: &mut Random, layout: &Layout, map: &Map) -> (String, Layout, Map) {
    let rank = layout.rank();
    let axis = random.below(rank.max(1));
    let (name, got, want) = match random.below(9) {
        0 => {
            let mut perm: Vec<usize> = (0..rank).collect();
            (1..rank).for_each(|i| perm.swap(i, random.below(i + 1)));
            (
                format!("permute {perm:?}"),
                layout.permute(&perm),
                Some(map.permute(&perm)),
            )
        }
        1 => {
            let mut bound = |extent: usize| {
                let extent = extent as isize;
                (random.below(3) > 0).then(|| random.from(-extent - 1, extent + 1))
            };
            let ends: Vec<_> = map.shape.iter().map(|&n| (bound(n), bound(n))).collect();
            let steps: Vec<isize> = ends
                .iter()
                .map(|_| [1, 1, 1, -1, 2, -2, 3][random.below(7)])
                .collect();
            let parts = || ends.iter().zip(&steps);
            let slices: Vec<_> = parts().map(|(&(a, b), &s)| Slice::new(a, b, s)).collect();
            let picks = parts()
                .zip(&map.shape)
                .map(|((&(a, b), &s), &n)| picked(n, a, b, s));
            let picks: Option<Vec<_>> = picks.collect();
            (
                format!("slice {slices:?}"),
                layout.slice(&slices),
                picks.map(|p| map.take(&p)),
            )
        }
        2 => {
            let extent = map.shape.get(axis).copied();
            let index = random.below(extent.unwrap_or(0) + 1);
            let want = extent
                .filter(|&n| index < n)
                .map(|_| map.index_axis(axis, index));
            (
                format!("index_axis {axis} {index}"),
                layout.index_axis(axis, index),
                want,
            )
        }
        3 => {
            let want = (rank > 0).then(|| map.flip(axis));
            (format!("flip {axis}"), layout.flip(axis), want)
        }
        4 => {
            let mut shape: Vec<usize> = map.shape.clone();
            shape
                .iter_mut()
                .filter(|n| **n == 1)
                .for_each(|n| *n = random.below(4));
            if random.below(3) == 0 && rank < 5 {
                shape.insert(0, random.below(4));
            }
            let want = map.broadcast_to(&shape);
            (
                format!("broadcast_to {shape:?}"),
                layout.broadcast_to(&shape),
                want,
            )
        }
        5 => {
            let mut shape = map.shape.clone();
            // Merge two neighbours, or split one.
            if rank >= 2 && random.below(2) == 0 {
                let at = random.below(rank - 1);
                shape[at] *= shape.remove(at + 1);
            } else if rank > 0 && shape[axis].is_multiple_of(2) {
                shape[axis] /= 2;
                shape.insert(axis + random.below(2), 2);
            }
            let want = map.reshape(&shape);
            let want = want.has_strides().then_some(want);
            (format!("reshape {shape:?}"), layout.reshape(&shape), want)
        }
        6 => {
            let want = (map.shape.get(axis) == Some(&1)).then(|| map.index_axis(axis, 0));
            (format!("squeeze {axis}"), layout.squeeze(axis), want)
        }
        7 => {
            let extent = map.shape.get(axis).copied().unwrap_or(0);
            let start = random.below(extent + 2);
            let len = random.below(extent + 1);
            let fits = rank > 0 && start + len <= extent;
            let want = fits.then(|| {
                let mut picks: Vec<Vec<usize>> =
                    map.shape.iter().map(|&n| (0..n).collect()).collect();
                picks[axis] = (start..start + len).collect();
                map.take(&picks)
            });
            (
                format!("narrow {axis} {start} {len}"),
                layout.narrow(axis, start, len),
                want,
            )
        }
        _ => {
            let at = random.below(rank + 1);
            let mut shape = map.shape.clone();
            shape.insert(at, 1);
            (
                format!("unsqueeze {at}"),
                layout.unsqueeze(at),
                Some(map.reshape(&shape)),
            )
        }
    };
    assert_eq!(got.is_ok(), want.is_some(), "{name} of {layout:?}: {got:?}");
    match got.ok().zip(want) {
        Some((layout, map)) => (name, layout, map),
        None => (name, layout.clone(), map.clone()),
    }
}

#[test]
fn chains_of_six() {
    for seed in 0..CHAINS {
        let mut random = Random(seed);
        let mut layout = start(&mut random);
        let mut map = Map::of(&layout);
        let mut done = vec![format!("{layout:?}")];
        for _ in 0..6 {
            let (name, next, want) = step(&mut random, &layout, &map);
            done.push(name);
            assert_same(&next, &want, &(seed, &done));
            (layout, map) = (next, want);
        }
    }
}
