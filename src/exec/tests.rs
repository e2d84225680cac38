//! Copies as they are planned for machines with other caches than the one that runs this may have.

use restride_kernels::{CacheSizes, find_stage};

use super::execute_at;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::plan::{Options, Par, Plan, Problem, Stored, Uses, Work};

/// The caches of a server whose third-level cache is a mesh.
const FAR: CacheSizes = CacheSizes {
    line: 64,
    l1: 48 << 10,
    l2: 2 << 20,
    l3: 480 << 20,
};

/// As [`permute_with`], far.
fn permute<const RANK: usize>(
    cell: usize,
    extents: [usize; RANK],
    order: [usize; RANK],
    how: (usize, usize),
) -> Work {
    permute_with(FAR, cell, (&extents, &order), how)
}

/// Permutes the axes of a dense array on `threads`, the destination so many bytes behind a line, and compares every
/// byte; what was decided, if anything.
fn permute_with(
    caches: CacheSizes,
    cell: usize,
    (extents, order): (&[usize], &[usize]),
    (threads, shift): (usize, usize),
) -> Work {
    let from = Layout::row_major(extents).unwrap();
    let from = from.permute(order).unwrap();
    let to = Layout::row_major(from.shape()).unwrap();
    let problem = Problem::from_layouts(cell, &from, &to).unwrap();
    let options = Options {
        par: Par::Threads(threads),
        ..Options::default()
    };
    let machine = Machine::host().unwrap().with_caches(caches);
    let plan = Plan::made(&problem, &options, &machine, Uses::Many).unwrap();
    let bytes = cell * extents.iter().product::<usize>();
    let src: Vec<u8> = (0..bytes).map(|i| (i * 7 + (i >> 8)) as u8).collect();
    let mut dst = vec![0xee_u8; bytes + 3 * FAR.line];
    let start = dst.as_ptr().align_offset(FAR.line) + FAR.line + shift;
    // SAFETY: range: both hold all cells; aliasing: `dst` is borrowed uniquely.
    unsafe { execute_at(&plan, src.as_ptr(), dst.as_mut_ptr().add(start)) };
    let cells = dst[start..start + bytes].chunks_exact(cell);
    for (i, (got, at)) in cells.zip(from.places()).enumerate() {
        assert_eq!(got, &src[at * cell..][..cell], "cell {i} of {to:?}");
    }
    let around = dst[..start].iter().chain(&dst[start + bytes..]);
    assert!(around.into_iter().all(|&byte| byte == 0xee), "{to:?}");
    plan.recipe().work.clone().unwrap()
}

#[test]
fn panels_of_several_bands_in_loops() {
    for (threads, shift) in [(1, 0), (1, 4), (3, 0), (2, 20)] {
        permute(4, [288, 5, 1040], [2, 1, 0], (threads, shift));
        permute(4, [272, 3, 3, 700], [3, 2, 1, 0], (threads, shift));
        permute(320, [30, 6, 75], [2, 1, 0], (threads, shift));
    }
}

#[test]
fn what_a_far_cache_holds_is_streamed_or_left_as_it_is() {
    let streams = find_stage(Machine::host().unwrap().facts().isa).is_some();
    let streamed = |work: &Work| work.stores() == Stored::Streaming || !streams;
    let staged = |work: &Work| work.batch.is_some() || !streams;
    let cached = |work: &Work| work.stores() == Stored::Cached && !work.fetches;
    let blocks = permute(4, [1100, 33, 31], [0, 2, 1], (1, 0));
    assert!(staged(&blocks), "blocks");
    let blocks = permute(2, [9, 10, 11, 49, 50], [1, 0, 2, 4, 3], (2, 2));
    assert!(staged(&blocks), "in another order");
    let spread = permute(2, [24, 23, 22, 25, 22], [3, 0, 1, 4, 2], (1, 0));
    assert!(staged(&spread), "between others");
    let lines = permute(4, [20, 48, 28, 48], [0, 2, 3, 1], (1, 0));
    assert!(lines.batch.is_none(), "whole lines between others");
    let large = permute(8, [40, 129, 127], [0, 2, 1], (1, 0));
    assert!(streamed(&large), "panels of some bands");
    permute(4, [22, 1100, 47], [2, 0, 1], (1, 12));
    let pieces = permute(2, [24, 23, 8, 25, 22], [2, 4, 1, 3, 0], (1, 0));
    assert!(streamed(&pieces), "short pieces of the source");
    let bands = permute(2, [8, 15, 13, 16, 12, 15], [3, 5, 1, 4, 0, 2], (1, 0));
    assert!(cached(&bands), "bands of groups of dimensions");
}

#[test]
fn rows_that_follow_each_other_are_put_together_where_the_cache_is_far() {
    let streams = find_stage(Machine::host().unwrap().facts().isa).is_some();
    let rows = |work: Work| !streams || work.batch.is_some_and(|batch| batch.of_rows);
    let matrices = [
        (4, [45, 24_000], (1, 0)),
        (8, [37, 20_000], (3, 8)),
        (1, [66, 70_001], (2, 1)),
        (2, [7, 300_000], (1, 0)),
    ];
    for (cell, extents, how) in matrices {
        assert!(rows(permute(cell, extents, [1, 0], how)), "{extents:?}");
    }
    let several = [
        (4, [3, 45, 8017], (2, 12)),
        (16, [2, 34, 4001], (1, 48)),
        (1, [80, 257, 255], (1, 5)),
    ];
    for (cell, extents, how) in several {
        assert!(rows(permute(cell, extents, [0, 2, 1], how)), "{extents:?}");
    }
}

#[test]
fn long_dimensions_are_part_of_a_table() {
    let work = permute(1, [40, 5000, 30], [2, 1, 0], (1, 0));
    let streams = work.stores() == Stored::Streaming;
    assert!(!streams || work.loops.is_empty(), "200000 entries");
    permute(2, [13, 5000, 37], [2, 1, 0], (3, 6));
}

/// What has two to six axes, in and out of such caches, odd extents and whole lines, few columns and few rows.
#[test]
fn caches_of_other_machines_move_the_same_bytes() {
    let near = |l2: usize, l3: usize| CacheSizes {
        l2: l2 << 10,
        l3: l3 << 20,
        ..FAR
    };
    let machines = [near(512, 8), near(1024, 32), near(256, 0), near(2048, 96)];
    let copies: [(&[usize], &[usize]); 9] = [
        (&[1111, 1024], &[1, 0]),
        (&[300, 8, 334], &[0, 2, 1]),
        (&[53, 54, 27, 13], &[2, 0, 3, 1]),
        (&[64, 3, 70, 71], &[0, 2, 3, 1]),
        (&[70, 71, 64, 3], &[0, 3, 1, 2]),
        (&[12, 13, 14, 15, 33], &[4, 3, 2, 1, 0]),
        (&[12, 9, 13, 8, 11, 5], &[3, 5, 1, 4, 0, 2]),
        (&[5, 217, 1009], &[2, 1, 0]),
        (&[40, 16, 60, 32], &[1, 0, 2, 3]),
    ];
    // Two minutes without optimisation.
    let (cells, ways): (&[usize], &[(usize, usize)]) = match cfg!(debug_assertions) {
        true => (&[1, 3], &[(2, 20)]),
        false => (&[1, 2, 3, 4, 8, 16], &[(1, 0), (2, 20)]),
    };
    for caches in machines {
        for (extents, order) in copies {
            for &cell in cells {
                for &how in ways {
                    permute_with(caches, cell, (extents, order), how);
                }
            }
        }
    }
}
