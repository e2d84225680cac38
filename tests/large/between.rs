//! Cells, blocks and rows that lie between each other's.

use restride::Machine;

use super::case;
use crate::common::harness::{Harness, Place};
use crate::common::layouts::LARGE_ROOM;
use crate::common::ways;

/// Batches of blocks whose cells lie between each other's, in groups of which the last one is smaller, or the only
/// one; with something between groups, or none.
#[test]
fn blocks_between_each_other() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    // Bytes of a cell, and a block: columns and rows of the destination.
    let blocks: [[isize; 3]; 5] = [
        [1, 27, 26],
        [2, 23, 22],
        [4, 20, 19],
        [8, 17, 16],
        [16, 7, 9],
    ];
    for [cell, cols, rows] in blocks {
        let block = cell * cols * rows;
        for (count, places, pad) in [(11, 4, 0), (3, 5, 1), (8, 2, 0), (2, 9, 3)] {
            let row = cell * rows * places;
            let shape = [count, places, rows, cols];
            let src = [row * cols, cell * rows, cell, row];
            let dst = [block, count * block + pad, cell * cols, cell];
            ways::run_all(&case(cell, shape, src, dst), &mut harness);
        }
    }
}

/// Rows that follow each other in the destination, of which each source row has a cell: some of them together, of which
/// the last ones are fewer, or all; one after the other or with something between.
#[test]
fn rows_between_each_other() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    // Bytes of a cell, columns, and rows of the destination.
    let panels: [[isize; 3]; 11] = [
        [1, 7, 1200],
        [1, 66, 540],
        [1, 30, 300],
        [2, 11, 600],
        [2, 55, 230],
        [4, 45, 187],
        [4, 150, 99],
        [4, 19, 33],
        [8, 37, 120],
        [8, 54, 150],
        [16, 21, 70],
    ];
    for [cell, cols, rows] in panels {
        for (panels, pad) in [(1, 0), (3, 0), (3, 5)] {
            let row = cell * rows * panels;
            let shape = [panels, rows, cols];
            let src = [cell * rows, cell, row];
            let dst = [cell * cols * rows + pad, cell * cols, cell];
            ways::run_all(&case(cell, shape, src, dst), &mut harness);
        }
    }
}

/// Rows that follow each other and are moved some of them together, of which a few are left over: fewer than the kernel
/// that moves the others takes of so few columns, a tile turned around, or of cells of three bytes.
#[test]
fn few_rows_are_left_over() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    let host = Machine::host().expect("a valid RESTRIDE_ISA");
    let l1 = host.facts().caches.l1 as isize;
    for (cell, columns) in [(1, [5, 8, 16]), (2, [5, 6, 7]), (3, [17, 20, 33])] {
        for cols in columns {
            // Rows that are moved together are up to three quarters of those that fit a quarter of the cache.
            let most = l1 / 4 / (cell * cols);
            let step = if cfg!(debug_assertions) { 16 } else { 3 };
            for rows in (2 * most..2 * most + 90).step_by(step) {
                let (src, dst) = ([cell, cell * rows], [cell * cols, cell]);
                let mut case = case(cell, [rows, cols], src, dst);
                // Whatever is read or written beyond the last row is a fault.
                case.places = [(Place::Right, Place::Right), (Place::Left, Place::Left)];
                ways::run_all(&case, &mut harness);
            }
        }
    }
}
