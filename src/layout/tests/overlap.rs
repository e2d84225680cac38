//! Do two layouts share a place? Against bitmaps of all places, and on the hard cases of others.

use std::time::{Duration, Instant};

use super::model::{Random, indices};
use crate::layout::overlap::{Footprint, meet};
use crate::{Layout, Overlap};

/// One side of a question in bytes, and which bytes it covers.
struct Side {
    shape: Vec<usize>,
    strides: Vec<isize>,
    width: usize,
}

impl Side {
    fn at(&self, base: i128) -> Footprint<'_> {
        Footprint {
            shape: &self.shape,
            strides: &self.strides,
            base,
            width: self.width,
        }
    }

    /// Where an index stands if the base is 0.
    fn place(&self, index: &[usize]) -> i128 {
        let steps = index.iter().zip(&self.strides);
        steps.map(|(&i, &stride)| i as i128 * stride as i128).sum()
    }

    /// The first byte of every index, if the base is 0.
    fn places(&self) -> Vec<i128> {
        let all = indices(&self.shape);
        all.iter().map(|index| self.place(index)).collect()
    }

    /// Bit `middle + i` for byte `i`.
    fn bits(&self, middle: i128) -> u128 {
        let bytes = (1_u128 << self.width) - 1;
        let places = self.places();
        places.iter().fold(0, |bits, place| {
            assert!((0..=128 - self.width as i128).contains(&(place + middle)));
            bits | bytes << (place + middle)
        })
    }
}

/// The answer is the one wanted; a Yes names two indices that share a byte.
fn check(first: &Side, second: &Side, base: i128, want: bool) {
    let answer = meet(&first.at(0), &second.at(base));
    let what = || {
        format!(
            "{:?} {:?} of {} and {:?} {:?} of {} from {base}: {answer:?}",
            first.shape, first.strides, first.width, second.shape, second.strides, second.width
        )
    };
    match &answer {
        Overlap::No => assert!(!want, "{}", what()),
        Overlap::Undecided => panic!("{}", what()),
        Overlap::Yes {
            first: i,
            second: j,
        } => {
            assert!(want, "{}", what());
            let (a, b) = (witnessed(first, i), base + witnessed(second, j));
            let shared = a < b + second.width as i128 && b < a + first.width as i128;
            assert!(shared, "{}", what());
        }
    }
}

/// The place of an index that the shape has.
fn witnessed(side: &Side, index: &[usize]) -> i128 {
    assert_eq!(index.len(), side.shape.len());
    let mut pairs = index.iter().zip(&side.shape);
    assert!(pairs.all(|(i, extent)| i < extent), "{index:?}");
    side.place(index)
}

/// All layouts of rank 2 that differ in what they reach: strides of 0 for extents of 1.
fn layouts(extent: usize, stride: isize, width: usize) -> Vec<Side> {
    let wide = -stride..=stride;
    let longer = (2..=extent).flat_map(|extent| wide.clone().map(move |stride| (extent, stride)));
    let axes: Vec<(usize, isize)> = [(1, 0)].into_iter().chain(longer).collect();
    let pairs = axes.iter().flat_map(|a| axes.iter().map(move |b| (a, b)));
    let side = |(a, b): (&(usize, isize), &(usize, isize))| Side {
        shape: vec![a.0, b.0],
        strides: vec![a.1, b.1],
        width,
    };
    pairs.map(side).collect()
}

/// Every pair of layouts at every base up to `base`, of which each pair takes every `every`th.
/// Returns how many were asked.
fn exhaustive(extent: usize, stride: isize, base: i128, every: usize) -> u64 {
    let mut asked = 0;
    for width in [1, 2, 4] {
        let sides = layouts(extent, stride, width);
        let bits: Vec<u128> = sides.iter().map(|side| side.bits(60)).collect();
        for (a, first) in sides.iter().enumerate() {
            // The other order is asked by one of the two tests of symmetry below.
            for (b, second) in sides.iter().enumerate().skip(a) {
                for base in (-base + ((a + b) % every) as i128..=base).step_by(every) {
                    let moved = if base < 0 {
                        bits[b] >> -base
                    } else {
                        bits[b] << base
                    };
                    check(first, second, base, bits[a] & moved != 0);
                    asked += 1;
                }
            }
        }
    }
    asked
}

#[test]
fn exhaustive_up_to_rank_2() {
    let every = if cfg!(debug_assertions) { 16 } else { 1 };
    let asked = exhaustive(3, 4, 24, every);
    assert!(asked > 9_000_000 / every as u64, "{asked}");
}

/// Takes minutes, in release.
#[test]
#[ignore = "some minutes in release"]
fn exhaustive_up_to_rank_2_larger() {
    println!("{} pairs", exhaustive(4, 6, 40, 1));
}

#[test]
fn either_order_and_any_rank() {
    let sides = layouts(3, 3, 1);
    let bits: Vec<u128> = sides.iter().map(|side| side.bits(60)).collect();
    for (first, a) in sides.iter().zip(&bits) {
        for (second, b) in sides.iter().zip(&bits).step_by(3) {
            for base in [0, 1, 5] {
                check(first, second, base, a & (b << base) != 0);
            }
        }
    }
    // Nothing is shared with what is empty; rank 0 is one element.
    let side = |shape: &[usize], strides: &[isize]| Side {
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        width: 1,
    };
    let point = side(&[], &[]);
    check(&point, &point, 0, true);
    check(&point, &point, 1, false);
    for empty in [side(&[0], &[1]), side(&[3, 0], &[isize::MIN, isize::MAX])] {
        check(&empty, &sides[40], 0, false);
        check(&sides[40], &empty, 0, false);
        check(&empty, &empty, 0, false);
    }
}

/// A layout of up to six axes and a few hundred places, of kinds that occur and of any kind.
fn random_side(random: &mut Random, width: usize) -> Side {
    let rank = random.below(7);
    let (mut shape, mut strides) = (vec![], vec![]);
    let mut room = 200;
    let grain = [1, 1, 2, 3, 4, 6][random.below(6)];
    let mut next = 1;
    for _ in 0..rank {
        let extent = (random.below(6) + 1).min(room);
        room /= extent;
        let stride = match random.below(4) {
            // Nested, with a gap now and then.
            0 | 1 => next * grain,
            2 => random.from(0, 60) * grain,
            _ => random.from(0, 300),
        };
        next = (next * extent as isize + random.from(0, 1)).min(400);
        shape.push(extent);
        strides.push(if random.below(3) == 0 {
            -stride
        } else {
            stride
        });
    }
    Side {
        shape,
        strides,
        width,
    }
}

/// Whether the sorted places of two sides come closer than their widths.
fn share(a: &[i128], a_width: usize, b: &[i128], b_width: usize, base: i128) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j] + base);
        if x + (a_width as i128) <= y {
            i += 1;
        } else if y + (b_width as i128) <= x {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

/// Half of them share a byte, half of them meet in range and do not.
fn random_pairs(pairs: usize, seed: u64) {
    let mut random = Random(seed);
    let mut answers = [0, 0];
    while answers[0] + answers[1] < pairs {
        let width = [1, 1, 2, 4, 3, 12][random.below(6)];
        let other = if random.below(4) == 0 { 1 } else { width };
        let (first, second) = (
            random_side(&mut random, width),
            random_side(&mut random, other),
        );
        let (mut a, mut b) = (first.places(), second.places());
        a.sort_unstable();
        b.sort_unstable();
        // Bases at which the ranges meet; now and then one where they just do not.
        let (low, high) = (a[0] - b[b.len() - 1], a[a.len() - 1] - b[0]);
        let want = answers[1] <= answers[0];
        for _ in 0..8 {
            let base = low - 2 + random.below((high - low + 5) as usize) as i128;
            if share(&a, width, &b, other, base) == want {
                check(&first, &second, base, want);
                answers[usize::from(want)] += 1;
                break;
            }
        }
    }
    assert!(answers[0].abs_diff(answers[1]) <= pairs / 10, "{answers:?}");
}

#[test]
fn random_pairs_up_to_rank_6() {
    random_pairs(
        if cfg!(debug_assertions) {
            10_000
        } else {
            300_000
        },
        6,
    );
}

/// Strides and distances near the end of what counts: asked of one number after the other.
#[test]
fn near_the_limits() {
    let mut random = Random(63);
    let mut shared = 0;
    for _ in 0..10_000 {
        let extent = random.below(8) + 1;
        let stride = random.from(1, isize::MAX / 8);
        let other = random.from(1, 1 << 40);
        let many = isize::MAX / other - random.from(0, 3).min(isize::MAX / other - 1);
        let first = Layout::new(&[extent], &[stride], random.below(1 << 20)).unwrap();
        let mut start = random.below((isize::MAX - (many - 1) * other) as usize);
        if random.below(2) == 0 {
            // On the way of one of the places of the first, where there is room for that.
            let place = first.offset() + random.below(extent) * stride as usize;
            let last = start + (many as usize - 1) * other as usize;
            let near = (start + place % other as usize).wrapping_sub(start % other as usize);
            if (start..last).contains(&place) && near + last - start < isize::MAX as usize {
                start = near;
            }
        }
        let second = Layout::new(&[many as usize], &[other], start).unwrap();
        let hit = (0..extent).find(|&i| {
            let over = first.offset() as i128 + i as i128 * stride as i128 - start as i128;
            over >= 0 && over % other as i128 == 0 && over / (other as i128) < many as i128
        });
        let got = first.overlaps(&second);
        match &got {
            Overlap::No => assert_eq!(hit, None, "{first:?} {second:?}"),
            Overlap::Undecided => panic!("{first:?} {second:?}"),
            Overlap::Yes {
                first: i,
                second: j,
            } => {
                assert!(hit.is_some(), "{first:?} {second:?}");
                let a = first.offset() as i128 + i[0] as i128 * stride as i128;
                let b = start as i128 + j[0] as i128 * other as i128;
                assert_eq!(a, b, "{first:?} {second:?} {got:?}");
                shared += 1;
            }
        }
    }
    assert!(shared > 1000, "{shared} of 10000 share an element");
}

/// Two arrays side by side touch and do not overlap, by the byte.
#[test]
fn touching_is_not_overlapping() {
    for width in 1..=16 {
        for (shape, length) in [(vec![5], 5), (vec![2, 3], 6), (vec![], 1)] {
            let strides = Layout::row_major(&shape).unwrap();
            let strides = strides
                .strides()
                .iter()
                .map(|s| s * width as isize)
                .collect();
            let side = Side {
                shape,
                strides,
                width,
            };
            let end = length * width as i128;
            for (base, want) in [(end - 1, true), (end, false), (end + 1, false)] {
                check(&side, &side, base, want);
                check(&side, &side, -base, want);
            }
        }
    }
}

#[test]
fn cases_that_others_get_wrong() {
    let layout =
        |shape: &[usize], strides: &[isize], offset| Layout::new(shape, strides, offset).unwrap();
    for (first, second, want) in [
        // Interleaved, and one element on.
        (layout(&[5], &[2], 0), layout(&[5], &[2], 1), false),
        (layout(&[5], &[2], 0), layout(&[5], &[2], 2), true),
        // Two halves of a matrix, left and right; two that share a column.
        (
            layout(&[9, 4], &[8, 1], 0),
            layout(&[9, 4], &[8, 1], 4),
            false,
        ),
        (
            layout(&[9, 5], &[8, 1], 0),
            layout(&[9, 4], &[8, 1], 4),
            true,
        ),
        // a[1:5] and a[0::2]; a matrix and its transpose, above and below the diagonal.
        (layout(&[4], &[1], 1), layout(&[4], &[2], 0), true),
        (
            layout(&[3, 3], &[10, 1], 0),
            layout(&[3, 3], &[1, 10], 0),
            true,
        ),
        (
            layout(&[4, 5], &[10, 1], 5),
            layout(&[4, 5], &[1, 10], 50),
            false,
        ),
        // Backwards through the same and through the next.
        (layout(&[5], &[-1], 4), layout(&[5], &[1], 0), true),
        (layout(&[5], &[-2], 8), layout(&[5], &[2], 1), false),
        // Broadcast.
        (
            layout(&[7, 5], &[0, 2], 0),
            layout(&[5, 3], &[2, 0], 1),
            false,
        ),
    ] {
        for (a, b) in [(&first, &second), (&second, &first)] {
            let got = a.overlaps(b);
            assert_ne!(got, Overlap::Undecided);
            assert_eq!(got.is_possible(), want, "{a:?} {b:?}: {got:?}");
        }
    }
}

#[test]
fn overlaps_itself_is_what_destinations_are_refused_for() {
    let layout = |shape: &[usize], strides: &[isize]| Layout::new(shape, strides, 50).unwrap();
    assert_eq!(layout(&[4, 4], &[3, 4]).overlaps_itself(), Overlap::No);
    assert_eq!(layout(&[0, 4], &[0, 0]).overlaps_itself(), Overlap::No);
    let five = layout(&[5, 4], &[3, 4]);
    let Overlap::Yes { first, second } = five.overlaps_itself() else {
        panic!("{five:?}");
    };
    assert_ne!(first, second);
    assert_eq!(3 * first[0] + 4 * first[1], 3 * second[0] + 4 * second[1]);
}

/// The best of three.
fn timed(first: &Side, second: &Side, base: i128) -> (Overlap, Duration) {
    let tries = (0..3).map(|_| {
        let start = Instant::now();
        let answer = meet(&first.at(0), &second.at(base));
        (answer, start.elapsed())
    });
    tries.min_by_key(|&(_, time)| time).unwrap()
}

/// Deciding is NP-hard: the work is bounded, and what is said in the end is true.
#[test]
fn hard_pairs_end_soon() {
    // 10 ms on a quiet machine; tests share theirs.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });
    let side = |shape: &[usize], strides: &[isize]| Side {
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        width: 1,
    };
    let mut random = Random(19);
    let mut pairs = vec![
        // NumPy's hard instance.
        (
            side(&[1049; 3], &[36674, 61119, 85569]),
            side(&[1049, 1049, 1], &[12223, 12224, 1]),
            64_023_025,
        ),
    ];
    for _ in 0..if cfg!(debug_assertions) { 40 } else { 200 } {
        let mut knapsack = || {
            let shape: Vec<usize> = (0..4).map(|_| random.below(30) + 2).collect();
            let strides: Vec<isize> = (0..4).map(|_| random.from(1 << 20, 1 << 40)).collect();
            side(&shape, &strides)
        };
        let (a, b) = (knapsack(), knapsack());
        pairs.push((a, b, random.below(1 << 42) as i128));
    }
    let mut undecided = 0;
    for (number, (first, second, base)) in pairs.iter().enumerate() {
        let (answer, time) = timed(first, second, *base);
        assert!(time < limit, "pair {number}: {answer:?} after {time:?}");
        if number == 0 {
            println!("NumPy's hard instance: {answer:?} after {time:?}");
        }
        match answer {
            Overlap::No => {}
            Overlap::Undecided => undecided += 1,
            Overlap::Yes {
                first: i,
                second: j,
            } => {
                let (a, b) = (witnessed(first, &i), base + witnessed(second, &j));
                assert_eq!(a, b, "pair {number}");
            }
        }
    }
    println!("{undecided} of {} undecided", pairs.len());
}
