//! Panels out of the caches, and ones that are large, but not in one of their extents.

use restride::{Isa, Layout, Par, SourceGaps, Stores};

use super::case;
use crate::common::harness::Harness;
use crate::common::layouts::{Case, HUGE_ROOM, LARGE_ROOM};
use crate::common::ways::{self, How, available, run};

/// Panels of few columns, which are fetched in parts on some cores: fewer rows than such a tile has are no part.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn panels_of_few_columns_that_are_fetched() {
    let mut harness = Harness::with_room(HUGE_ROOM);
    for (cell, cols, rows) in [(1, 9, 200), (2, 6, 150)] {
        let count = (36 << 20) / (cell * cols * rows);
        let shape = [count, rows, cols];
        let src = [cell * (rows + 30) * cols, cell, cell * (rows + 30)];
        let dst = [cell * cols * rows + 100, cell * cols, cell];
        let case = case(cell, shape, src, dst);
        for isa in Isa::ALL.into_iter().filter(|&isa| available(isa)) {
            let cached = How {
                isa,
                par: Par::Seq,
                stores: Stores::Cached,
                gaps: SourceGaps::Forbidden,
            };
            run(&mut harness, &case, cached).unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

/// Small panels out of the caches, which are moved in parts while the next one is asked for: u16 of 53 to 56, axes [2, 0,
/// 3, 1], and f32 of 44 to 47, [3, 1, 2, 0].
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn small_panels_that_are_fetched() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    let cases = [
        (2, [55, 54, 56, 53], [2, 0, 3, 1]),
        (4, [45, 46, 44, 47], [3, 1, 2, 0]),
    ];
    for (cell, extents, order) in cases {
        let src = Layout::row_major(&extents).and_then(|whole| whole.permute(&order));
        let src = src.expect("four axes");
        let dst = Layout::row_major(src.shape()).expect("small");
        let [from, to] = [&src, &dst].map(|side| {
            let strides = side.strides().iter();
            strides.map(|stride| stride * cell).collect::<Vec<_>>()
        });
        ways::run_all(
            &Case::thorough(cell as usize, src.shape(), &from, &to),
            &mut harness,
        );
    }
}

/// Panels that are large, but not in one of their extents: tiles and walks that are for large ones have to fit both.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn large_panels_of_few_rows_or_columns() {
    const BYTES: isize = 300 << 10;
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8, 16] {
        for few in [5, 9, 15, 27, 33, 47, 60, 101] {
            let many = BYTES / (cell * few);
            for (rows, cols) in [(many, few), (few, many)] {
                for pad in [0, cell] {
                    let shape = [rows, cols];
                    let (src, dst) = ([cell, rows * cell + pad], [cols * cell + pad, cell]);
                    ways::run_all(&case(cell, shape, src, dst), &mut harness);
                }
            }
        }
    }
}

/// Panels that no cache holds, of more columns than a CPU follows source rows.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn panels_out_of_the_caches_of_some_columns() {
    const BYTES: isize = 57 << 20;
    let mut harness = Harness::with_room((BYTES + (1 << 20)) as usize);
    let [cell, cols] = [4, 37];
    let rows = BYTES / (cell * cols) + 1;
    let shape = [rows, cols];
    let (src, dst) = ([cell, rows * cell], [cols * cell, cell]);
    let mut case = case(cell, shape, src, dst);
    case.thorough = false;
    ways::run_all(&case, &mut harness);
}

/// A panel of single bytes that no cache holds, of rows that fill lines from rows that do not.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn rows_of_bytes_out_of_the_caches() {
    let mut harness = Harness::with_room(36 << 20);
    let [rows, cols] = [5801, 91 * 64];
    let shape = [rows, cols];
    let mut case = case(1, shape, [1, rows + 2], [cols, 1]);
    case.places = [case.places[0]; 2];
    // Of the highest tier alone, one way: an oracle of so many bytes takes its time.
    let isa = Isa::ALL.into_iter().rfind(|&isa| available(isa));
    let how = ways::ways(&case, isa.expect("any machine has a tier"), false);
    run(&mut harness, &case, how[0]).unwrap_or_else(|failure| panic!("{failure}"));
}

/// Patches of images that no cache holds, to planes and back, f32: those of small images, whose next patch is asked for as
/// a whole, and those of larger ones, of which what lies next to each row is.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn patches_of_images_that_are_asked_for() {
    const CELL: isize = 4;
    let mut harness = Harness::with_room(12 << 20);
    for [images, patches, side] in [[640, 3, 8], [9, 16, 14]] {
        let row = patches * side * CELL;
        let plane = row * patches * side;
        let shape = [images, patches, patches, side, side, 3];
        let patch = side * side * 3 * CELL;
        let pixels = [
            3 * plane,
            patches * patch,
            patch,
            side * 3 * CELL,
            3 * CELL,
            CELL,
        ];
        let planes = [3 * plane, row * side, side * CELL, row, CELL, plane];
        for (from, to) in [(pixels, planes), (planes, pixels)] {
            let mut case = case(CELL, shape, from, to);
            case.places = [case.places[0]; 2];
            for isa in Isa::ALL.into_iter().filter(|&isa| available(isa)) {
                for how in ways::ways(&case, isa, false) {
                    run(&mut harness, &case, how).unwrap_or_else(|failure| panic!("{failure}"));
                }
            }
        }
    }
}
