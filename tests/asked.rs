//! Strided copies whose lines are asked for before masks load or store them, and whose rows may be moved last to first: of
//! a MiB and more from the first byte to the last, on every ISA tier, in guarded buffers, each in every way.

mod common;

use common::harness::Harness;
use common::layouts::{Case, LARGE_ROOM};
use common::ways;

/// A copy of cells of so many bytes at such strides, in bytes, in every way.
fn run(harness: &mut Harness, cell: usize, shape: &[usize], src: &[isize], dst: &[isize]) {
    let case = Case::thorough(cell, shape, src, dst);
    ways::run_all(&case, harness);
}

/// Bytes from the first cell of a copy to its last, on the side that reaches farther: a bit more than what is asked for.
const REACH: usize = (1 << 20) + 5000;

/// Rows of so many cells: less than a line, some lines, and more than any lead.
fn lengths(cell: usize) -> [usize; 3] {
    let line = 64 / cell;
    [line + 1, 3 * line - 1, 16_384 / cell + 3]
}

/// Rows of the source up and down, one after the other and apart, to rows that follow each other or do not.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn rows_of_strided_cells() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8] {
        for step in [-1, 2, -3, 5_isize] {
            for cols in lengths(cell) {
                let from = step * cell as isize;
                let row = cols * cell * step.unsigned_abs();
                let (apart, gap) = (row + 3 * cell, cell as isize);
                let rows = (REACH / apart).max(2);
                let width = (cols * cell) as isize;
                for (stride, to) in [
                    (row as isize, width),
                    (-(apart as isize), width),
                    (apart as isize, width + gap),
                ] {
                    let shape = [rows, cols];
                    run(&mut harness, cell, &shape, &[stride, from], &[to, gap]);
                }
            }
        }
    }
}

/// From contiguous and strided rows to strided ones, and one cell to all of a row.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn rows_to_strided_cells() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8] {
        let unit = cell as isize;
        for to in [2 * unit, 3 * unit, 4 * unit] {
            for cols in lengths(cell) {
                let row = cols as isize * to;
                let rows = (REACH / row as usize).max(2);
                for from in [0, unit, -unit, 2 * unit, to] {
                    let apart = cols as isize * from.max(unit) + 3 * unit;
                    for row in [row, row + 5 * unit] {
                        run(
                            &mut harness,
                            cell,
                            &[rows, cols],
                            &[apart, from],
                            &[row, to],
                        );
                    }
                }
            }
        }
    }
}

/// Pixels that get a part or lose one, and planes of which some are left out.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn pixels_and_planes() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for part in [1, 2, 4_isize] {
        let pixels = REACH / (4 * part as usize);
        let plane = pixels as isize * part;
        let [three, four] = [3 * part, 4 * part];
        let mut one = |shape: &[usize], src: &[isize], dst: &[isize]| {
            run(&mut harness, part as usize, shape, src, dst);
        };
        one(&[pixels, 3], &[three, part], &[four, part]);
        one(&[pixels, 3], &[four, part], &[three, part]);
        one(&[3, pixels], &[part, four], &[plane, part]);
        one(&[pixels, 3], &[part, plane], &[four, part]);
    }
}
