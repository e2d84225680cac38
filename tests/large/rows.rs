//! Long rows, and short ones at the offsets of a table.

use super::case;
use crate::common::harness::{Harness, Place};
use crate::common::layouts::LARGE_ROOM;
use crate::common::ways;

/// Long rows of single bytes that start anywhere in a line, or share sets of the caches, whose squares are moved back,
/// clamped and kept for the next part of the panel: none that is drawn is sure to have them.
#[test]
fn long_ragged_rows_of_bytes() {
    let shapes: &[[isize; 3]] = if cfg!(debug_assertions) {
        &[[1030, 1031, 0]]
    } else {
        &[
            [1025, 1151, 0],
            [1100, 1089, 7],
            [2049, 1030, 1],
            [1024, 2175, 3],
            [6145, 1090, 0],
            [1600, 1281, 149],
            [6145, 1090, 682],
            [1024, 3072, 1024],
        ]
    };
    let mut harness = Harness::with_room(LARGE_ROOM);
    for &[rows, cols, pad] in shapes {
        let (from, to) = (rows + 3 * pad, cols + pad);
        for [src, dst] in [
            [[1, from], [to, 1]],
            [[-1, from], [to, 1]],
            [[1, -from], [-to, 1]],
        ] {
            let shape = [rows, cols];
            ways::run_all(&case(1, shape, src, dst), &mut harness);
        }
    }
}

/// Short source rows at the offsets of a table, some of which follow each other and some not, though all of them are one
/// run; fewer than are asked for ahead, and more; and rows that only seem to follow, as the second and the last one do.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn short_rows_of_tables() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8, 16] {
        for (rows, near, far) in [
            (9, 7, 60),
            (19, 23, 22),
            (40, 5, 37),
            (70, 11, 19),
            (150, 3, 80),
            (32, 48, 12),
        ] {
            let row = rows * cell;
            let block = near * row;
            for (many, pad) in [(1, 0), (2, 0), (2, cell)] {
                let shape = [many, rows, far, near];
                let line = near * far * cell;
                let src = [block, cell, many * block, row];
                let dst = [line, many * line + pad, near * cell, cell];
                ways::run_all(&case(cell, shape, src, dst), &mut harness);
                // The other way round: the next row is far away.
                let (shape, src) = (
                    [shape[0], shape[1], shape[3], shape[2]],
                    [src[0], src[1], src[3], src[2]],
                );
                let dst = [line, many * line + pad, far * cell, cell];
                ways::run_all(&case(cell, shape, src, dst), &mut harness);
            }
        }
    }
}

/// Long rows, which may be moved in pieces: about whole ones, and at strides that decide how, on either side; from source
/// rows at a stride and from those of a table.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn long_rows() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8] {
        let line = 64 / cell;
        for (rows, cols) in [
            (line, 1024 / cell + 1),
            (3 * line - 1, 2048 / cell),
            (5 * line + 3, 2048 / cell + line - 1),
        ] {
            let [from, to] = [rows, cols].map(|cells: isize| cells * cell);
            let fits = |from: &isize| (from.abs() * cols) as usize <= LARGE_ROOM - (1 << 20);
            let all = [from + 3 * cell, 4096, -4096 - cell, 1 << 16];
            for from in all.into_iter().filter(fits) {
                for to in [to, -to - cell, 4096] {
                    let shape = [rows, cols];
                    let mut case = case(cell, shape, [cell, from], [to, cell]);
                    ways::run_all(&case, &mut harness);
                    // Between cells as well, all rows alike.
                    if to % 64 == 0 {
                        let src = Place::At(3);
                        case.places = [(src, Place::At(33)), (src, Place::At(40))];
                        ways::run_all(&case, &mut harness);
                    }
                }
            }
            // Columns in three groups, the source rows of which do not go on where the last ones end.
            let group = cols / 3 + 1;
            let shape = [rows, group, 3];
            let src = [cell, from, (group + 1) * from];
            let dst = [3 * group * cell, 3 * cell, cell];
            ways::run_all(&case(cell, shape, src, dst), &mut harness);
        }
    }
}

/// More long rows than those of which something is kept at a time, and a few more, or less, than a tile has.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn many_long_rows() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    let block = 4 << 10;
    for (cell, rows, cols) in [
        (1, block + 5, 1601),
        (1, block + 21, 1601),
        (2, 2 * block + 31, 777),
        (4, block + 9, 300),
    ] {
        let shape = [rows, cols];
        let (src, dst) = ([cell, rows * cell + cell], [cols * cell, cell]);
        let mut case = case(cell, shape, src, dst);
        case.thorough = false;
        ways::run_all(&case, &mut harness);
    }
}
