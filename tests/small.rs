//! Small copies, where a call of a kernel and the planning show: every permutation of small shapes,
//! from and into arrays with room around them, forwards and backwards. Without a plan, with one, and
//! in several ranges the bytes are those of the definition.

mod common;

use bytemuck::NoUninit;
use common::harness::{Harness, Place};
use common::layouts::Case;
use common::ways;
use restride::{Layout, Options, Par, Plan, Problem, View, ViewMut, copy};

const SHAPES: &[&[usize]] = &[
    &[4, 4],
    &[5, 7],
    &[2, 3, 4],
    &[4, 4, 4],
    &[3, 8, 8],
    &[6, 2, 16],
    &[8, 12],
    &[8, 3, 4],
    &[4, 4, 4, 4],
    &[4, 2, 4, 8],
    &[3, 3, 3, 3],
    &[2, 3, 4, 5],
    &[2, 2, 2, 2],
    &[1, 3, 8, 8],
    &[2, 2, 3, 2, 2],
    &[2, 2, 2, 2, 2, 2],
    // Beyond 4 KiB where elements have 4 bytes and more, and 8: loops, and tables on the heap.
    &[9, 16, 10],
    &[4, 3, 5, 2, 6],
];

fn permutations(rank: usize) -> Vec<Vec<usize>> {
    if rank == 0 {
        return vec![vec![]];
    }
    let mut all = vec![];
    for shorter in permutations(rank - 1) {
        for place in 0..rank {
            let mut longer = shorter.clone();
            longer.insert(place, rank - 1);
            all.push(longer);
        }
    }
    all
}

/// An array of `shape` whose axes stand in memory as `order` says, each with `room` more places than it
/// needs; axes whose bit is set in `backwards` are walked from their other end.
fn layout(shape: &[usize], order: &[usize], room: usize, backwards: usize) -> Layout {
    let (mut strides, mut offset, mut next) = (vec![0; shape.len()], 0, 1);
    for &axis in order.iter().rev() {
        strides[axis] = next as isize;
        if backwards >> axis & 1 == 1 {
            offset += (shape[axis] - 1) * next;
            strides[axis] = -strides[axis];
        }
        next *= shape[axis] + room;
    }
    Layout::new(shape, &strides, offset).unwrap()
}

fn each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    let len: usize = shape.iter().product();
    let mut index = vec![0; shape.len()];
    for number in 0..len {
        let mut rest = number;
        for (place, extent) in index.iter_mut().zip(shape).rev() {
            (*place, rest) = (rest % extent, rest / extent);
        }
        visit(&index);
    }
}

fn place(layout: &Layout, index: &[usize]) -> usize {
    let steps = index.iter().zip(layout.strides());
    let offset = layout.offset() as isize;
    steps.fold(offset, |sum, (&i, &stride)| sum + i as isize * stride) as usize
}

/// One copy in every way there is.
fn check<T>(from: &Layout, to: &Layout, element: fn(usize) -> T)
where
    T: NoUninit + PartialEq + std::fmt::Debug,
{
    let src: Vec<T> = (1..=from.storage_range().end).map(element).collect();
    let before = vec![element(0); to.storage_range().end];
    let mut expected = before.clone();
    each_index(from.shape(), |index| {
        expected[place(to, index)] = src[place(from, index)];
    });
    let says = |way: &str| format!("{from:?} to {to:?}, {} B, {way}", size_of::<T>());
    let view = View::with_layout(&src, from.clone()).unwrap();

    let mut dst = before.clone();
    let mut target = ViewMut::with_layout(&mut dst, to.clone()).unwrap();
    copy(&view, &mut target).unwrap();
    assert_eq!(dst, expected, "{}", says("without a plan"));

    let problem = Problem::new::<T>(from, to).unwrap();
    for par in [Par::Auto, Par::Threads(3)] {
        let options = Options {
            par,
            ..Options::default()
        };
        let plan = Plan::with(&problem, &options).unwrap();
        let mut dst = before.clone();
        let mut target = ViewMut::with_layout(&mut dst, to.clone()).unwrap();
        plan.run(&view, &mut target).unwrap();
        assert_eq!(dst, expected, "{}\n{plan}", says("planned"));
    }
}

/// Elements of `N` bytes that say where they come from.
fn element<const N: usize>(number: usize) -> [u8; N] {
    std::array::from_fn(|byte| (number * 37 + (number >> 8) * 5 + byte * 101) as u8 | 1)
}

fn check_all_sizes(from: &Layout, to: &Layout) {
    check::<[u8; 1]>(from, to, element);
    check::<[u8; 2]>(from, to, element);
    check::<[u8; 4]>(from, to, element);
    check::<[u8; 8]>(from, to, element);
    check::<[u8; 16]>(from, to, element);
}

#[test]
fn every_permutation_of_small_shapes_is_right() {
    // Without optimisation, kernels that unroll tiles of single bytes have frames of megabytes.
    let roomy = std::thread::Builder::new().stack_size(64 << 20);
    let checks = roomy.spawn(every_permutation).unwrap();
    checks.join().unwrap();
}

fn every_permutation() {
    for &shape in SHAPES {
        let in_order: Vec<usize> = (0..shape.len()).collect();
        for (i, order) in permutations(shape.len()).into_iter().enumerate() {
            let to = layout(shape, &in_order, 0, 0);
            check_all_sizes(&layout(shape, &order, 0, 0), &to);
            // A few of the ways to leave room and to walk backwards, others for each order.
            let (there, back) = (i % 5, i * 7 % 32);
            check_all_sizes(&layout(shape, &order, i % 2, back), &to);
            let to = layout(shape, &in_order, (i + 1) % 2, there);
            check_all_sizes(&layout(shape, &order, 0, back), &to);
        }
    }
}

/// The strides of an array of `shape`, in bytes, whose axes stand in memory as `order` says.
fn byte_strides(shape: &[usize], order: &[usize], cell: usize) -> Vec<isize> {
    let strides = layout(shape, order, 0, 0);
    let strides = strides.strides().iter();
    strides.map(|stride| stride * cell as isize).collect()
}

/// Crossed copies of a few tiles go without a kernel: none reads or writes beyond the edges, ragged ones included,
/// wherever the loops around the tiles stand.
#[test]
fn a_few_tiles_of_any_sides_stay_inside() {
    let mut harness = Harness::new();
    let most = if cfg!(debug_assertions) { 11 } else { 19 };
    let sides = || 2..=most;
    for (a, b) in sides().flat_map(|a| sides().map(move |b| (a, b))) {
        for (shape, order) in [
            (vec![a, b], [1, 0].as_slice()),
            (vec![2, a, b], &[0, 2, 1]),
            (vec![a, 3, b], &[2, 1, 0]),
            (vec![a, 2, 2, b], &[3, 1, 2, 0]),
            (vec![a, 3, 4, b], &[3, 1, 2, 0]),
        ] {
            let in_order: Vec<usize> = (0..shape.len()).collect();
            for cell in [1, 2, 4, 8] {
                let case = Case {
                    seed: 0,
                    test: None,
                    cell,
                    src: byte_strides(&shape, order, cell),
                    dst: byte_strides(&shape, &in_order, cell),
                    shape: shape.clone(),
                    poisoned: None,
                    readable_gaps: false,
                    places: [(Place::Left, Place::Right), (Place::Right, Place::Left)],
                    threads: 1,
                    thorough: false,
                };
                let runs = ways::run_views(&mut harness, &case);
                assert_eq!(runs.unwrap_or_else(|failure| panic!("{failure}")), 4);
            }
        }
    }
}

/// Few cells go without a kernel, each by moves of its size: runs of any length between rows, some of them
/// more than a small copy has room for.
#[test]
fn a_few_runs_of_any_length_are_right() {
    for bytes in 1..=140 {
        for shape in [
            &[7, bytes][..],
            &[3, 5, bytes],
            &[2, 3, 2, bytes],
            &[2, 2, 2, 2, 2, bytes],
        ] {
            let rank = shape.len();
            let order: Vec<usize> = (0..rank).collect();
            let mut other: Vec<usize> = (0..rank - 1).rev().collect();
            other.push(rank - 1);
            for backwards in [0, 0b101] {
                let from = layout(shape, &other, 1, backwards);
                check::<[u8; 1]>(&from, &layout(shape, &order, 0, 0), element);
                check::<[u8; 1]>(&from, &layout(shape, &order, 2, 0), element);
            }
        }
    }
}
