//! Every way of a copy inside one buffer, on all small pairs of layouts, against the definition: the
//! source is copied away first.

use super::copy_by_sizes;
use super::course::{SIZES, Sizes};
use crate::{Error, Layout, Options, Par};

/// Places of a layout in logical order.
fn places(layout: &Layout) -> Vec<usize> {
    let mut places = vec![layout.offset() as isize];
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()) {
        let steps = |place| (0..extent as isize).map(move |i| place + i * stride);
        places = places.into_iter().flat_map(steps).collect();
    }
    places.into_iter().map(|place| place as usize).collect()
}

fn expected<T: Copy>(data: &[T], src: &Layout, dst: &Layout) -> Vec<T> {
    let mut data = data.to_vec();
    let aside: Vec<T> = places(src).into_iter().map(|place| data[place]).collect();
    for (place, value) in places(dst).into_iter().zip(aside) {
        data[place] = value;
    }
    data
}

/// Sizes at which small copies go every way that large ones go.
const WAYS: [Sizes; 5] = [
    SIZES,
    // Cell by cell where there is an order, else as little staged as can be.
    Sizes {
        stage: 1,
        run: 1,
        block: 1,
        room: usize::MAX,
    },
    // Blocks that do not meet, and stages of a few cells.
    Sizes {
        stage: 24,
        run: usize::MAX,
        block: 1,
        room: usize::MAX,
    },
    Sizes {
        stage: 16,
        run: usize::MAX,
        block: usize::MAX,
        room: usize::MAX,
    },
    // No memory for more than two of the elements here: what needs it is refused.
    Sizes {
        stage: 8,
        run: 1,
        block: 1,
        room: 8,
    },
];

fn check(src: &Layout, dst: &Layout, len: usize) {
    let data: Vec<u32> = (0..len as u32).collect();
    let want = expected(&data, src, dst);
    for sizes in WAYS {
        for par in [Par::Seq, Par::Threads(2), Par::Threads(4)] {
            let options = Options {
                par,
                ..Options::default()
            };
            let mut got = data.clone();
            let answer = copy_by_sizes(&mut got, src, dst, &options, sizes);
            if let (Err(Error::AllocFailed { bytes }), ..=1000) = (&answer, sizes.room) {
                assert!(*bytes > sizes.room);
                assert_eq!(got, data, "{src:?} to {dst:?}, {sizes:?}: written to");
                continue;
            }
            answer.unwrap();
            assert_eq!(got, want, "{src:?} to {dst:?}, {par:?}, {sizes:?}");
        }
    }
}

/// All layouts of a shape with strides up to `most`, from the lowest offset on, that pass `keep`.
fn layouts(shape: &[usize], most: isize, keep: impl Fn(&Layout) -> bool) -> Vec<Layout> {
    let mut all: Vec<Vec<isize>> = vec![vec![]];
    for _ in shape {
        let longer = |strides: Vec<isize>| {
            (-most..=most).map(move |s| strides.iter().copied().chain([s]).collect())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    let layout = |strides: Vec<isize>| {
        let below: isize = (strides.iter().zip(shape))
            .map(|(&s, &n)| -s.min(0) * (n as isize - 1))
            .sum();
        Layout::new(shape, &strides, below as usize).unwrap()
    };
    all.into_iter().map(layout).filter(keep).collect()
}

fn moved(layout: &Layout, by: usize) -> Layout {
    Layout::new(layout.shape(), layout.strides(), layout.offset() + by).unwrap()
}

/// Every pair of strides and every distance at which the two still meet; every `every`th of them.
fn all_pairs(shape: &[usize], most: isize, every: usize) {
    let sources = layouts(shape, most, |_| true);
    let destinations = layouts(shape, most, |layout| {
        !layout.overlaps_itself().is_possible()
    });
    let mut number = 0;
    for src in &sources {
        for dst in &destinations {
            let (a, b) = (src.storage_range().end, dst.storage_range().end);
            let distances = (0..b).map(|by| (by, 0)).chain((1..=a).map(|by| (0, by)));
            for (src_by, dst_by) in distances {
                number += 1;
                if number % every == 0 {
                    check(&moved(src, src_by), &moved(dst, dst_by), a + b + 2);
                }
            }
        }
    }
}

/// All of them where the compiler optimises: ten seconds.
const EVERY: usize = if cfg!(debug_assertions) { 97 } else { 1 };

#[test]
fn all_small_pairs_of_rank_1() {
    for extent in 1..6 {
        all_pairs(&[extent], 3, EVERY.div_ceil(20));
    }
}

#[test]
fn all_small_pairs_of_rank_2() {
    for shape in [[2, 2], [2, 3], [3, 2], [3, 3]] {
        all_pairs(&shape, 4, EVERY);
    }
}

#[test]
fn random_pairs_of_rank_3() {
    let mut seed = 7_u64;
    let mut below = |n: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let mut done = 0;
    while done < if cfg!(debug_assertions) { 1000 } else { 20_000 } {
        let shape: Vec<usize> = (0..3).map(|_| below(4) + 1).collect();
        let mut side = |signed: usize| {
            let mut rows = Layout::row_major(&shape).unwrap();
            if below(2) == 0 {
                rows = Layout::column_major(&shape).unwrap();
            }
            let wider = below(3) as isize + 1;
            let strides: Vec<isize> = rows
                .strides()
                .iter()
                .map(|s| s * wider * if below(signed) == 0 { -1 } else { 1 })
                .collect();
            let below_first: isize = (strides.iter().zip(&shape))
                .map(|(&s, &n)| -s.min(0) * (n as isize - 1))
                .sum();
            Layout::new(&shape, &strides, below_first as usize + below(12)).unwrap()
        };
        let (src, dst) = (side(5), side(5));
        let len = src.storage_range().end.max(dst.storage_range().end) + 1;
        check(&src, &dst, len);
        done += 1;
    }
}

/// Matrices transposed onto themselves: every shape, batched in both orders, as single elements and
/// as pixels.
#[test]
fn matrices_onto_themselves() {
    for (rows, cols) in [
        (1, 5),
        (4, 4),
        (3, 7),
        (17, 17),
        (40, 9),
        (70, 70),
        (70, 65),
    ] {
        for perm in [[0, 1, 2, 3], [2, 0, 1, 3], [0, 3, 1, 2]] {
            // batch x rows x cols x parts, the axes of the result in any place of memory.
            let (batch, parts) = (3, 2);
            let before = Layout::row_major(&[batch, rows, cols, parts]).unwrap();
            let after = Layout::row_major(&[batch, cols, rows, parts]).unwrap();
            let after = after.swap_axes(1, 2).unwrap();
            let (src, dst) = (
                before.permute(&perm).unwrap(),
                after.permute(&perm).unwrap(),
            );
            check(&src, &dst, before.len());
        }
        let before = Layout::column_major(&[rows, cols]).unwrap();
        let after = Layout::row_major(&[rows, cols]).unwrap();
        check(&before, &after, before.len());
    }
}

/// All cell sizes that the cycles and the stage tell apart.
#[test]
fn elements_of_any_size() {
    fn transposed<const N: usize>() {
        let data: Vec<[u8; N]> = (0..77_u8).map(|i| [i; N]).collect();
        for shape in [[7, 11], [8, 8]] {
            let (src, dst) = (Layout::row_major(&shape), Layout::column_major(&shape));
            let (src, dst) = (src.unwrap(), dst.unwrap());
            for sizes in WAYS {
                let mut got = data.clone();
                // Cycles need no room, whatever the element.
                copy_by_sizes(&mut got, &src, &dst, &Options::default(), sizes).unwrap();
                assert_eq!(got, expected(&data, &src, &dst), "{N} bytes, {shape:?}");
            }
        }
    }
    transposed::<1>();
    transposed::<2>();
    transposed::<3>();
    transposed::<4>();
    transposed::<8>();
    transposed::<12>();
    transposed::<16>();
    transposed::<40>();
}
