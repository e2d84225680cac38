//! Which blocks are batches, and how they are moved.

use restride_kernels::Isa;

use super::*;
use crate::plan::{Options, Par, Problem, Recipe, Stores};

/// The batch that a copy of cells of four bytes is with AVX-512, if it is one; strides in cells.
fn batch(shape: &[usize], src: &[isize], dst: &[isize]) -> Option<Batch> {
    let bytes = |strides: &[isize]| strides.iter().map(|s| 4 * s).collect::<Vec<_>>();
    let problem = Problem::from_bytes(4, shape, &bytes(src), &bytes(dst)).unwrap();
    let options = Options {
        stores: Stores::Streaming,
        par: Par::Seq,
        ..Options::default()
    };
    let facts = Facts::of_a_server(Isa::Avx512);
    let work = Recipe::choose(&problem, &options, &facts).work.unwrap();
    if let Some(batch) = &work.batch {
        let outer: usize = work.loops[..batch.outer].iter().map(|d| d.extent).product();
        assert_eq!((work.split.tasks, work.split.blocks), (outer, 1));
    }
    work.batch
}

/// Matrices of so many rows and columns, transposed, with so many cells between two.
fn matrices(rows: usize, cols: usize, [src, dst]: [isize; 2]) -> Option<Batch> {
    let (r, c) = (rows as isize, cols as isize);
    let to = [r * c + dst, r, 1];
    batch(&[100, cols, rows], &[r * c + src, 1, c], &to)
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn blocks_that_follow_each_other_in_the_destination_are_batches() {
    let bytes = |batch: Option<Batch>| batch.map(|batch| batch.bytes);
    assert_eq!(bytes(matrices(33, 31, [0, 0])), Some(4 * 33 * 31));
    assert_eq!(bytes(matrices(16, 16, [0, 0])), Some(1024), "whole tiles");
    assert_eq!(bytes(matrices(19, 23, [0, 0])), None, "too small");
    assert_eq!(bytes(matrices(63, 65, [0, 0])), None, "too large");
    assert_eq!(
        bytes(matrices(33, 31, [0, 1])),
        None,
        "gaps in the destination"
    );
    let gaps = matrices(33, 31, [1, 0]).unwrap();
    assert_eq!((gaps.bytes, gaps.together, gaps.near), (4 * 33 * 31, 1, 0));
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn what_is_inside_of_a_block_and_around_it_are_loops() {
    // Blocks of 5x16x16, in groups of seven with a gap between them in the destination.
    let shape = [3, 7, 5, 16, 16];
    let src = [7 * 1280, 1280, 256, 1, 16];
    let made = batch(&shape, &src, &[7 * 1280 + 9, 1280, 16, 80, 1]).unwrap();
    assert_eq!((made.bytes, made.outer, made.place), (4 * 1280, 2, 1));
}

/// The batch that a copy is up to a tier where the third-level cache is far, if it is one; strides in bytes.
fn far(isa: Isa, cell: usize, shape: &[usize], src: &[isize], dst: &[isize]) -> Option<Batch> {
    let problem = Problem::from_bytes(cell, shape, src, dst).unwrap();
    let options = Options {
        stores: Stores::Streaming,
        par: Par::Seq,
        ..Options::default()
    };
    let mut facts = Facts::of_a_server(isa);
    (facts.caches.l1, facts.caches.l3) = (48 << 10, 480 << 20);
    Recipe::choose(&problem, &options, &facts)
        .work
        .unwrap()
        .batch
}

/// Rows of so many cells, of so many bytes, of which each of as many source rows has one, where the third-level cache
/// is far.
fn rows(cell: isize, rows: isize, cols: isize) -> Option<Batch> {
    let shape = [rows as usize, cols as usize];
    let (src, dst) = ([cell, cell * rows], [cell * cols, cell]);
    far(Isa::Avx512, cell as usize, &shape, &src, &dst)
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn blocks_that_are_shuffled_are_no_batches() {
    let matrices = |isa, n: isize| {
        let (side, shape) = (n as usize, [40_000, n as usize, n as usize]);
        let block = 4 * n * n;
        let made = far(isa, 4, &shape, &[block, 4, 4 * n], &[block, 4 * n, 4]);
        made.map(|made| made.bytes == 4 * side * side)
    };
    assert_eq!(matrices(Isa::Avx512, 8), Some(true));
    assert_eq!(matrices(Isa::Avx512Vbmi, 8), None);
    assert_eq!(matrices(Isa::Avx512Vbmi, 9), Some(true));
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn rows_that_follow_each_other_are_batches_of_as_many_as_fit_or_of_all() {
    let together = |cell, height, cols| {
        let batch = rows(cell, height, cols)?;
        assert!(batch.of_rows && batch.bytes == (cell * cols) as usize);
        Some(batch.together)
    };
    assert_eq!(together(8, 5000, 38), Some(24), "three lines of each row");
    assert_eq!(together(4, 4000, 45), Some(48));
    assert_eq!(together(4, 4001, 45), Some(48), "17 are left over");
    assert_eq!(together(4, 3841, 45), Some(51), "of lines, 1 would be");
    assert_eq!(together(4, 60, 45), Some(60), "all");
    assert_eq!(
        together(4, 4000, 161),
        Some(16),
        "more than are best, but a tile"
    );
    assert_eq!(together(4, 4000, 200), None, "a tile is too much");
    assert_eq!(together(4, 4000, 48), None, "whole lines");
    assert_eq!(together(4, 4000, 13), None, "few");
    assert_eq!(together(1, 4000, 66), Some(128));
    assert_eq!(together(1, 4000, 20), None, "two stages");
    assert_eq!(together(1, 4000, 257), None, "no line of each row");
    assert_eq!(together(1, 2334, 8), Some(1120), "30 left are no tile");
    assert_eq!(together(2, 2334, 6), Some(760), "30 left are no tile");
    assert_eq!(together(3, 365, 17), Some(176), "5 left are no tile");
}

/// Blocks of 20x19 cells, of which those at `n` places of the source lie in 30 pieces of a row each.
fn spread(n: usize) -> Option<Batch> {
    let (row, all) = (30 * 19, 20 * 30 * 19);
    let dst = [380, 380 * n as isize, 20, 1];
    batch(&[n, 30, 19, 20], &[all, 19, 1, row], &dst)
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn blocks_between_each_other_are_moved_region_by_region() {
    let made = spread(101).unwrap();
    assert_eq!(
        (made.bytes, made.together, made.region),
        (1520, 2, 2 * 45_600)
    );
    assert_eq!((made.outer, made.place, made.near), (2, 0, 1));
    let way = made.few.map(|few| few.way.to_string());
    assert_eq!(way.as_deref(), Some("in tiles of 4x4"));
    // The second group would be where the next dimension goes to.
    let few = spread(2).unwrap();
    assert_eq!((few.together, few.place, few.near), (2, 0, 1));
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn regions_are_cells_of_blocks_and_fit_a_cache() {
    let whole = |n: isize| {
        let src = [n * 380, 380, 1, 20];
        batch(&[50, n as usize, 20, 19], &src, &[380, 19_000, 19, 1])
    };
    assert_eq!(whole(40).unwrap().together, 2);
    assert!(whole(400).is_none(), "1520 bytes, one by one");
    let rows = |gap: isize| {
        let row = 30 * 19 + gap;
        let src = [20 * row, 19, 1, row];
        batch(&[100, 30, 19, 20], &src, &[380, 38_000, 20, 1])
    };
    assert!(rows(0).is_some());
    assert!(rows(1).is_none(), "cells that nothing reads");
    let large = [20 * 600 * 19, 19, 1, 600 * 19];
    let made = batch(&[100, 600, 19, 20], &large, &[380, 38_000, 20, 1]);
    assert!(made.is_none(), "912 KiB");
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "only x86 rows stream")]
fn large_blocks_are_batches_on_zen_3() {
    let mut facts = Facts::of_a_server(Isa::Avx2);
    (facts.cores, facts.caches.l2) = (Cores::ToZen3, 512 << 10);
    let bytes = |n: isize, facts: &Facts| {
        let (side, block) = (n as usize, 4 * n * (n + 1));
        let shape = [100, side, side + 1];
        let strides = ([block, 4, 4 * n], [block, 4 * (n + 1), 4]);
        let problem = Problem::from_bytes(4, &shape, &strides.0, &strides.1).unwrap();
        let options = Options {
            stores: Stores::Streaming,
            par: Par::Seq,
            ..Options::default()
        };
        let work = Recipe::choose(&problem, &options, facts).work.unwrap();
        work.batch.map(|batch| batch.bytes)
    };
    assert_eq!(bytes(129, &facts), Some(4 * 129 * 130));
    assert_eq!(bytes(190, &facts), None, "142 KiB");
    facts.caches.l3 = 480 << 20;
    assert_eq!(bytes(129, &facts), None, "a far cache");
}
