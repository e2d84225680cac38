//! What is moved once and copied from there, compared byte by byte with what each index of the destination should be.

use restride_kernels::CacheSizes;

use super::super::execute_at;
use crate::machine::Machine;
use crate::plan::{Options, Par, Plan, Problem, SourceGaps, Stores, Uses};

/// Pieces are of 8 KiB.
const SMALL: CacheSizes = CacheSizes {
    line: 64,
    l1: 8 << 10,
    l2: 16 << 10,
    l3: 256 << 10,
};

/// Copies between strides in bytes, on 1 to 4 threads and by all kinds of stores, and compares every byte of the
/// destination, those between its cells and around it as well. How many kinds of pieces there were, and pieces.
fn copy(cell: usize, dims: &[(usize, isize, isize)]) -> (usize, usize) {
    let shape: Vec<usize> = dims.iter().map(|dim| dim.0).collect();
    let side = |stride: fn(&(usize, isize, isize)) -> isize| -> Vec<isize> {
        dims.iter().map(stride).collect()
    };
    let (src, dst) = (side(|dim| dim.1), side(|dim| dim.2));
    let ends = |strides: &[isize]| {
        let far = shape.iter().zip(strides);
        let far = far.map(|(&n, &stride)| stride * (n as isize - 1));
        far.fold((0, cell as isize), |(low, high), far| {
            (low + far.min(0), high + far.max(0))
        })
    };
    let ((low, high), (to_low, to_high)) = (ends(&src), ends(&dst));
    let source: Vec<u8> = (0..high - low).map(|i| (i * 7 + (i >> 8)) as u8).collect();
    let problem = Problem::from_bytes(cell, &shape, &src, &dst).unwrap();
    let problem = problem.with_source_gaps(SourceGaps::Readable);
    let around = 100;
    let mut want = vec![0xee; (to_high - to_low) as usize + 2 * around];
    let start = around + to_low.unsigned_abs();
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product::<usize>() {
        let at = |strides: &[isize]| -> isize {
            index
                .iter()
                .zip(strides)
                .map(|(&i, stride)| i as isize * stride)
                .sum()
        };
        let (from, to) = (
            (at(&src) - low) as usize,
            start.wrapping_add_signed(at(&dst)),
        );
        want[to..to + cell].copy_from_slice(&source[from..from + cell]);
        for (i, &extent) in index.iter_mut().zip(&shape).rev() {
            *i += 1;
            if *i < extent {
                break;
            }
            *i = 0;
        }
    }
    let machine = Machine::host().unwrap().with_caches(SMALL);
    let mut kinds = (0, 0);
    for stores in [Stores::Auto, Stores::Cached, Stores::Streaming] {
        for threads in 1..=4 {
            let options = Options {
                par: Par::Threads(threads),
                stores,
                ..Options::default()
            };
            let plan = Plan::made(&problem, &options, &machine, Uses::Many).unwrap();
            let mut got = vec![0xee_u8; want.len()];
            // SAFETY: range: both sides reach what `ends` says; aliasing: `got` is borrowed uniquely.
            unsafe {
                let from = source.as_ptr().offset(-low);
                execute_at(&plan, from, got.as_mut_ptr().add(start));
            }
            let differs = got.iter().zip(&want).position(|(got, want)| got != want);
            assert_eq!(
                differs, None,
                "{dims:?}, {stores:?}, {threads} threads\n{plan}"
            );
            if (stores, threads) == (Stores::Cached, 1) {
                let repeats = plan.repeats();
                kinds = (
                    repeats.len(),
                    repeats.iter().map(|repeat| repeat.count()).sum(),
                );
            }
        }
    }
    kinds
}

#[test]
fn transposed_again_and_again() {
    // Pieces of 34 rows of 240 bytes.
    let even = [(9, 0, 68 * 240), (68, 8, 240), (30, 68 * 8, 8)];
    assert_eq!(copy(8, &even), (1, 2));
    let left = [(9, 0, 70 * 240), (70, 8, 240), (30, 70 * 8, 8)];
    assert_eq!(copy(8, &left), (2, 3), "24, 24 and 22 rows");
    let loops = [
        (5, 0, 50_400),
        (3, 16_800, 16_800),
        (70, 8, 240),
        (30, 560, 8),
    ];
    assert_eq!(copy(8, &loops), (2, 9), "in a loop");
    // Rows with gaps, and copies that lie apart.
    let apart = [(7, 0, 30_000), (70, 8, 300), (30, 70 * 8, 8)];
    assert_eq!(copy(8, &apart), (0, 0), "runs of 240 bytes");
    let apart = [(9, 0, 30_000), (70, 8, 300), (33, 70 * 8, 8)];
    assert_eq!(copy(8, &apart).0, 2);
}

#[test]
fn from_any_corner() {
    for cell in [1, 2, 3, 4, 12, 16] {
        let c = cell as isize;
        let (rows, cols) = (90, 300);
        for (across, down) in [(1, 1), (-1, 1), (1, -1), (-1, -1)] {
            let row = cols as isize * c;
            let src = (across * c, down * rows as isize * c);
            copy(
                cell,
                &[(4, 0, 90 * row), (rows, src.0, row), (cols, src.1, c)],
            );
            copy(
                cell,
                &[(4, 0, -95 * row), (rows, src.0, row), (cols, src.1, c)],
            );
            copy(
                cell,
                &[(4, 0, 90 * row), (rows, src.0, -row), (cols, src.1, c)],
            );
        }
    }
}

#[test]
fn in_several_dimensions() {
    // Each row of columns four times, and all of that three times; then with gaps between all of them.
    let inner = 4 * 2 * 400;
    let twice = [
        (3, 0, 50 * inner),
        (50, 4000, inner),
        (4, 0, 800),
        (2, 2000, 400),
        (100, 12, 4),
    ];
    assert!(copy(4, &twice).0 > 0);
    let apart = [
        (3, 0, 60 * 4000),
        (50, 2400, 4000),
        (4, 0, 900),
        (200, 12, 4),
    ];
    assert!(copy(4, &apart).0 > 0);
    let three = [
        (2, 0, 90_000),
        (3, 0, 30_000),
        (5, 0, 5000),
        (300, 12, 4),
        (4, 4, 1200),
    ];
    assert!(copy(4, &three).0 > 0);
}

#[test]
fn short_runs_many_times() {
    assert!(copy(4, &[(500, 4, 64 * 32), (32, 0, 64), (16, 2000, 4)]).0 > 0);
    assert!(copy(1, &[(700, 16, 16 * 40), (40, 0, 16), (16, -1, 1)]).0 > 0);
    assert!(copy(2, &[(9, 1000, 300 * 9), (9, 0, 300), (150, 6, 2)]).0 > 0);
}

#[test]
fn runs_that_lie_apart() {
    assert!(copy(100, &[(7, 0, 20_000), (200, 300, 100)]).0 > 0);
    assert!(copy(1000, &[(3, 0, 50_000), (50, 1001, 1000)]).0 > 0);
    assert_eq!(copy(50_000, &[(7, 0, 50_000)]).0, 0, "a row");
    assert_eq!(copy(4, &[(100, 12, 4000), (1000, 0, 4)]).0, 0, "a fill");
}
