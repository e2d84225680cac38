//! What must not change a plan: axes of one index, the order of axes, the direction of axes.
//!
//! Recipes are compared as values, so nothing is run here. A copy that is planned differently only
//! because its axes were written differently would still be right, and slow.

mod common;

use common::harness::OnPanic;
use common::layouts::Case;
use common::random::{Random, mix};
use restride::Problem;
use restride::recipe::Normal;

const CASES: u64 = if cfg!(debug_assertions) {
    3_000
} else {
    50_000
};

fn cases() -> impl Iterator<Item = (Case, Random)> {
    (0..CASES).map(|i| {
        let seed = mix(&[0x6d65, i]);
        (Case::draw(seed), Random::new(!seed))
    })
}

fn normal(case: &Case) -> Option<Normal> {
    let _on_panic = OnPanic(case);
    let problem = Problem::from_bytes(case.cell, &case.shape, &case.src, &case.dst);
    let problem = problem.unwrap_or_else(|error| panic!("refused: {error}"));
    Normal::of(&problem)
}

/// The same copy with its axes in the order `axes`.
fn permuted(case: &Case, axes: &[usize]) -> Case {
    let strides = |of: &[isize]| axes.iter().map(|&axis| of[axis]).collect();
    Case {
        shape: axes.iter().map(|&axis| case.shape[axis]).collect(),
        src: strides(&case.src),
        dst: strides(&case.dst),
        ..case.clone()
    }
}

#[test]
fn axes_of_one_index_do_not_matter() {
    for (case, mut random) in cases() {
        let mut more = case.clone();
        let at = random.below(case.shape.len() + 1);
        more.shape.insert(at, 1);
        let wild = [0, 1, -1, isize::MIN, isize::MAX, 12345, -64];
        more.src.insert(at, random.pick(&wild));
        more.dst.insert(at, random.pick(&wild));
        assert_eq!(
            normal(&case),
            normal(&more),
            "{case}, and with axis {at}\n{more}"
        );
    }
}

#[test]
fn the_order_of_axes_does_not_matter() {
    for (case, mut random) in cases() {
        let mut axes: Vec<usize> = (0..case.shape.len()).collect();
        random.shuffle(&mut axes);
        let other = permuted(&case, &axes);
        assert_eq!(
            normal(&case),
            normal(&other),
            "{case}, and with axes {axes:?}"
        );
    }
}

/// Walking an axis from its other end on both sides moves the first cell and nothing else.
#[test]
fn the_direction_of_axes_does_not_matter() {
    for (case, mut random) in cases().filter(|(case, _)| !case.shape.is_empty()) {
        let axis = random.below(case.shape.len());
        let mut other = case.clone();
        other.src[axis] = case.src[axis].wrapping_neg();
        other.dst[axis] = case.dst[axis].wrapping_neg();
        let [a, b] = [&case, &other]
            .map(|case| normal(case).map(|normal| (normal.cell, normal.dims.clone(), normal)));
        let same = match (&a, &b) {
            (Some((cell, dims, _)), Some(other)) => (cell, dims) == (&other.0, &other.1),
            (None, None) => true,
            _ => false,
        };
        assert!(same, "{case}, and with axis {axis} reversed: {a:?} {b:?}");
    }
}
