//! Does a destination write a place twice? Against brute force, and on the hard cases of others.

use std::time::{Duration, Instant};

use super::checked_injective;
use super::model::{Random, indices};
use crate::{Error, Layout, Problem, ViewMut};

/// Where an index stands, in units of the strides.
fn place(index: &[usize], strides: &[isize]) -> i128 {
    let steps = index.iter().zip(strides);
    steps.map(|(&i, &stride)| i as i128 * stride as i128).sum()
}

/// Whether no two indices share a unit, `width` units standing at each.
fn is_injective(shape: &[usize], strides: &[isize], width: usize) -> bool {
    let mut places: Vec<i128> = indices(shape).iter().map(|i| place(i, strides)).collect();
    places.sort_unstable();
    places
        .windows(2)
        .all(|pair| pair[1] - pair[0] >= width as i128)
}

/// The refusal names two different indices of the shape that share a unit.
fn assert_witness(error: &Error, shape: &[usize], strides: &[isize], width: usize) {
    let Error::InternalOverlap {
        arg: "dst",
        first,
        second,
    } = error
    else {
        panic!("{shape:?} {strides:?} of {width}: {error:?}");
    };
    assert_ne!(first, second);
    for index in [first, second] {
        assert_eq!(index.len(), shape.len());
        assert!(
            index.iter().zip(shape).all(|(i, extent)| i < extent),
            "{error} in {shape:?}"
        );
    }
    let distance = (place(first, strides) - place(second, strides)).unsigned_abs();
    assert!(distance < width as u128, "{error}, {strides:?} of {width}");
}

fn check(shape: &[usize], strides: &[isize], width: usize) {
    let still = vec![0; shape.len()];
    let got = Problem::from_bytes(width, shape, &still, strides).map(drop);
    compare(got, shape, strides, width);
    if width == 1 {
        // The same in elements, through a view.
        let layout = Layout::new(shape, strides, 120).unwrap();
        let mut data = [0_u64; 240];
        compare(
            ViewMut::with_layout(&mut data, layout).map(drop),
            shape,
            strides,
            1,
        );
    }
}

fn compare(got: Result<(), Error>, shape: &[usize], strides: &[isize], width: usize) {
    let want = is_injective(shape, strides, width);
    assert_eq!(
        got.is_ok(),
        want,
        "{shape:?} {strides:?} of {width}: {got:?}"
    );
    if let Err(error) = got {
        assert_witness(&error, shape, strides, width);
    }
}

/// All layouts of `rank` with extents up to `extent` and strides up to `stride`, cells of 1 to 4.
fn exhaustive(rank: usize, extent: usize, stride: usize) {
    for shape in indices(&vec![extent + 1; rank]) {
        for strides in indices(&vec![2 * stride + 1; rank]) {
            let strides: Vec<isize> = strides
                .into_iter()
                .map(|s| s as isize - stride as isize)
                .collect();
            (1..=4).for_each(|width| check(&shape, &strides, width));
        }
    }
}

#[test]
fn exhaustive_up_to_rank_2() {
    exhaustive(0, 5, 6);
    exhaustive(1, 5, 6);
    exhaustive(2, 5, 6);
}

#[test]
fn exhaustive_rank_3() {
    exhaustive(3, 3, 5);
}

#[test]
#[ignore = "a minute in release"]
fn exhaustive_rank_3_larger() {
    exhaustive(3, 4, 12);
}

#[test]
fn cases_that_heuristics_get_wrong() {
    for (shape, strides, injective) in [
        (&[2, 2, 10][..], &[11, 10, 1][..], false),
        (&[4, 4], &[3, 4], true),
        (&[5, 4], &[3, 4], false),
        (&[3, 1500], &[2000, 3], true),
        (&[4, 2001], &[2000, 3], false),
        (&[6, 3], &[1, 1], false),
        (&[5, 5], &[1, 0], false),
        (&[87, 22], &[0, -9993], false),
        (&[1, 22], &[0, -9993], true),
        (&[0, 22], &[0, -9993], true),
    ] {
        for strides in [strides.to_vec(), strides.iter().map(|s| -s).collect()] {
            assert_eq!(
                is_injective(shape, &strides, 1),
                injective,
                "{shape:?} {strides:?}"
            );
            compare(
                checked_injective(shape, &strides, 1, "dst"),
                shape,
                &strides,
                1,
            );
            let bytes: Vec<isize> = strides.iter().map(|s| 4 * s).collect();
            compare(checked_injective(shape, &bytes, 4, "dst"), shape, &bytes, 4);
        }
    }
}

/// Large strides and few indices, so that brute force can follow.
#[test]
fn random_layouts_of_rank_4() {
    let mut random = Random(4);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..20_000 {
        let shape: Vec<usize> = (0..4).map(|_| random.below(5) + 1).collect();
        let strides: Vec<isize> = (0..4).map(|_| random.from(-150, 150)).collect();
        let width = random.below(4) + 1;
        *(if is_injective(&shape, &strides, width) {
            &mut yes
        } else {
            &mut no
        }) += 1;
        compare(
            checked_injective(&shape, &strides, width, "dst"),
            &shape,
            &strides,
            width,
        );
    }
    assert!(yes > 4000 && no > 4000, "{yes} yes, {no} no");
}

/// Two axes are always decided, however large: two indices meet where the extents reach
/// `stride / gcd` of the other's stride.
#[test]
fn two_axes_are_never_undecided() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let bits = [3, 10, 20, 30];
        let mut below = |n: usize| random.below(1 << bits[n]) + 1;
        let (shape, strides) = ([below(3), below(2)], [below(1), below(3)]);
        let (mut a, mut b) = (strides[0], strides[1]);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let injective = strides[1] / a >= shape[0] || strides[0] / a >= shape[1];
        let strides = strides.map(|s| s as isize);
        let got = checked_injective(&shape, &strides, 1, "dst");
        assert_eq!(got.is_ok(), injective, "{shape:?} {strides:?}: {got:?}");
        if let Err(error) = got {
            assert_witness(&error, &shape, &strides, 1);
        }
    }
}

/// The answer, and how long it took at the best of five tries.
fn timed(shape: &[usize], strides: &[isize], width: usize) -> (Result<(), Error>, Duration) {
    let tries = (0..5).map(|_| {
        let start = Instant::now();
        let answer = checked_injective(shape, strides, width, "dst");
        (answer, start.elapsed())
    });
    tries.min_by_key(|&(_, time)| time).unwrap()
}

/// Deciding is NP-hard: the work is bounded, whatever the answer.
#[test]
fn hard_instances_end_soon() {
    // 10 ms on a quiet machine; tests share theirs.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });
    let near = 1 << 31;
    let hard: [(&[usize], &[isize], usize); 6] = [
        // NumPy's hard pair of arrays as one: its strides, and the distance of the two.
        (&[1049, 1049, 1049], &[36674, 61119, 85569], 1),
        (&[1049; 5], &[36674, 61119, 85569, 12223, 12224], 1),
        (
            &[2, 1049, 1049, 1049, 1049, 1049],
            &[64_023_025, 36674, 61119, 85569, 12223, 12224],
            1,
        ),
        // 2^30 differences of the first axis, none of which the rest can complete.
        (&[1 << 30, 1 << 30, 2], &[near + 2, near, 1], 1),
        (&[1 << 30, 1 << 30], &[near + 6, near], 4),
        (
            &[97; 9],
            &[1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009, 9001],
            1,
        ),
    ];
    for (shape, strides, width) in hard {
        let (answer, time) = timed(shape, strides, width);
        assert!(
            time < limit,
            "{shape:?} {strides:?}: {answer:?} after {time:?}"
        );
        if let Err(error @ Error::InternalOverlap { .. }) = answer {
            assert_witness(&error, shape, strides, width);
        }
    }
}

#[test]
fn random_knapsacks_end_soon() {
    // 10 ms on a quiet machine; tests share theirs.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });
    let mut random = Random(18);
    let mut undecided = 0;
    for _ in 0..200 {
        let rank = random.below(6) + 3;
        let shape: Vec<usize> = (0..rank).map(|_| random.below(30) + 2).collect();
        let strides: Vec<isize> = (0..rank).map(|_| random.from(1 << 20, 1 << 40)).collect();
        let (answer, time) = timed(&shape, &strides, 1);
        assert!(
            time < limit,
            "{shape:?} {strides:?}: {answer:?} after {time:?}"
        );
        match answer {
            Err(Error::OverlapUndecided { .. }) => undecided += 1,
            Err(error) => assert_witness(&error, &shape, &strides, 1),
            Ok(()) => {}
        }
    }
    println!("{undecided} of 200 undecided");
}
