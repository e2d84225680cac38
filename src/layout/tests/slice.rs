//! Slices: every bound and step on one axis, then every axis on its own.

use core::cell::Cell;
use core::ops::RangeInclusive;

use super::model::{Map, assert_same, indices, layouts, shapes};
use crate::Error;
use crate::layout::{Layout, NewAxis, Pick, Slice};

/// What a slice takes of an axis, by its definition: cut out `start..end`, then walk it.
pub(super) fn picked(
    extent: usize,
    start: Option<isize>,
    end: Option<isize>,
    step: isize,
) -> Option<Vec<usize>> {
    let extent = extent as isize;
    let place = |bound: isize| if bound < 0 { bound + extent } else { bound };
    let (start, end) = (place(start.unwrap_or(0)), end.map_or(extent, place));
    if !(0 <= start && start <= end && end <= extent) {
        return None;
    }
    let mut range: Vec<usize> = (start as usize..end as usize).collect();
    if step < 0 {
        range.reverse();
    }
    Some(range.into_iter().step_by(step.unsigned_abs()).collect())
}

/// All bounds from -6 to 6, and none.
pub(super) fn bounds() -> impl Iterator<Item = Option<isize>> {
    (-6..=6).map(Some).chain([None])
}

#[test]
fn slice_takes_what_the_notation_says() {
    let steps = [
        1,
        -1,
        2,
        -2,
        3,
        -3,
        4,
        -4,
        isize::MAX,
        isize::MIN,
        isize::MIN + 1,
    ];
    for extent in 0..=5 {
        for layout in layouts(&[extent]) {
            let map = Map::of(&layout);
            for (start, end) in bounds().flat_map(|a| bounds().map(move |b| (a, b))) {
                for step in steps {
                    let what = (extent, start, end, step);
                    let got = layout.slice(&[Slice::new(start, end, step)]);
                    match picked(extent, start, end, step) {
                        Some(picks) => assert_same(&got.unwrap(), &map.take(&[picks]), &what),
                        None => assert!(
                            matches!(
                                got,
                                Err(Error::OutOfBounds {
                                    arg: "slice.start" | "slice.end",
                                    axis: Some(0),
                                    ..
                                })
                            ),
                            "{what:?}: {got:?}"
                        ),
                    }
                }
                let zero = layout.slice(&[Slice::new(start, end, 0)]);
                assert_eq!(zero, Err(Error::BadStep { axis: 0 }));
            }
        }
    }
}

#[test]
fn slice_cuts_every_axis_on_its_own() {
    let slices = [
        (None, None, 1),
        (None, None, -1),
        (Some(1), None, 1),
        (None, Some(-1), -2),
        (Some(-2), Some(-1), 3),
        (Some(0), Some(0), -1),
        (Some(1), Some(0), 1),
    ];
    for shape in shapes(2, 4).into_iter().chain(shapes(3, 3)) {
        for layout in layouts(&shape) {
            let map = Map::of(&layout);
            for choice in indices(&vec![slices.len(); shape.len()]) {
                let parts = choice.iter().map(|&i| slices[i]);
                let given: Vec<Slice> =
                    parts.clone().map(|(a, b, s)| Slice::new(a, b, s)).collect();
                let got = layout.slice(&given);
                let picks = parts.zip(&shape).map(|((a, b, s), &n)| picked(n, a, b, s));
                let picks: Vec<_> = picks.collect();
                match picks.iter().position(Option::is_none) {
                    None => {
                        let picks: Vec<_> = picks.into_iter().flatten().collect();
                        assert_same(&got.unwrap(), &map.take(&picks), &given);
                    }
                    Some(bad) => assert!(
                        matches!(got, Err(Error::OutOfBounds { axis: Some(axis), .. }) if axis == bad),
                        "{given:?} of {shape:?}: {got:?}"
                    ),
                }
            }
            let (arg, got, want) = ("slices", shape.len() + 1, shape.len());
            let all = vec![Slice::from(..); got];
            assert_eq!(
                layout.slice(&all),
                Err(Error::RankMismatch { arg, got, want })
            );
        }
    }
}

#[test]
fn slice_is_written_with_ranges() {
    let pairs = [
        (Slice::from(..), (None, None)),
        (Slice::from(1..3), (Some(1), Some(3))),
        (Slice::from(-3..-1), (Some(-3), Some(-1))),
        (Slice::from(2..), (Some(2), None)),
        (Slice::from(..-1), (None, Some(-1))),
        (Slice::from(1..=2), (Some(1), Some(3))),
        (Slice::from(RangeInclusive::new(1, -1)), (Some(1), None)),
        (Slice::from(RangeInclusive::new(0, -2)), (Some(0), Some(-1))),
        (Slice::from(0..=isize::MAX), (Some(0), Some(isize::MAX))),
    ];
    for (slice, (start, end)) in pairs {
        assert_eq!(slice, Slice::new(start, end, 1));
        assert_eq!(slice.step(-2), Slice::new(start, end, -2));
    }
}

/// What a caller's type becomes may be another thing each time: it counts once.
#[test]
fn picks_are_asked_for_once() {
    thread_local!(static ASKED: Cell<usize> = const { Cell::new(0) });
    #[derive(Clone)]
    struct Fickle;
    impl From<Fickle> for Pick {
        fn from(_: Fickle) -> Self {
            match ASKED.replace(ASKED.get() + 1) {
                0..=2 => Slice::from(..).into(),
                _ => NewAxis.into(),
            }
        }
    }
    // The axis without an index is the fourth that is asked for, if all are asked for twice.
    let empty = Layout::new(&[5, 0], &[1 << 40, 1], 0).unwrap();
    let got = empty.slice(&[Fickle, Fickle]).unwrap();
    assert_eq!((got.shape(), got.len()), (&[5, 0][..], 0));
    assert_eq!(ASKED.get(), 2);
}
