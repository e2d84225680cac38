//! Rows that are about whole pages apart, on one side or both.

use super::case;
use crate::common::harness::Harness;
use crate::common::layouts::LARGE_ROOM;
use crate::common::ways;

/// Source rows that are about whole pages apart, of some lines and of less than the next one.
#[test]
fn source_rows_near_pages() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8, 16] {
        let line = 64 / cell;
        for (rows, cols) in [
            (4 * line, line),
            (4 * line + 1, 2 * line + 3),
            (9 * line - 1, 3 * line - 1),
        ] {
            for apart in [4096, 4096 + cell, 4096 - cell, 8192 + 12 / cell * cell] {
                for pad in [0, 5 * cell] {
                    let shape = [rows, cols];
                    let (src, dst) = ([cell, apart], [cols * cell + pad, cell]);
                    ways::run_all(&case(cell, shape, src, dst), &mut harness);
                }
            }
        }
    }
}

/// Destination rows that are whole pages apart, of eight lines and more.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn destination_rows_pages_apart() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8, 16] {
        let line = 64 / cell;
        for (rows, cols) in [
            (2 * line, 16 * line),
            (2 * line + 1, 17 * line + 3),
            (5 * line - 1, 9 * line - 1),
        ] {
            for apart in [4096, -8192] {
                for pad in [0, 5 * cell, 64 * 3] {
                    let shape = [rows, cols];
                    let (src, dst) = ([cell, rows * cell + pad], [apart, cell]);
                    ways::run_all(&case(cell, shape, src, dst), &mut harness);
                }
            }
        }
    }
}

/// Bands of two blocks of lines, and of more, of which less than one is left, of destination rows that start at lines, and
/// that do not.
#[test]
fn bands_of_some_blocks() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [2, 4, 8] {
        let line = 64 / cell;
        for rows in [8 * line, 8 * line + 1, 11 * line - 1] {
            for cols in [2 * line, 4 * line, 5 * line, 6 * line + 3] {
                for pad in [0, cell, 64 * 3] {
                    let shape = [rows, cols];
                    let src = [cell, rows * cell + pad];
                    let width = (cols * cell + 63) / 64 * 64;
                    for dst in [[cols * cell, cell], [width, cell]] {
                        ways::run_all(&case(cell, shape, src, dst), &mut harness);
                    }
                }
            }
        }
    }
}

/// Bands of some blocks of rows that are whole pages apart on both sides: as wide as they get, with what is left over.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn bands_of_blocks_pages_apart() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [2, 4, 8] {
        let line = 64 / cell;
        for rows in [8 * line, 9 * line + 1] {
            for cols in [8 * line, 11 * line + 3, 14 * line - 1] {
                for (from, to) in [(4096, 4096), (8192, -4096)] {
                    let shape = [rows, cols];
                    let (src, dst) = ([cell, from], [to, cell]);
                    ways::run_all(&case(cell, shape, src, dst), &mut harness);
                }
            }
        }
    }
}

/// Short rows of small panels that are about whole pages apart, on one side or both.
#[test]
fn short_rows_near_pages() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    for cell in [1, 2, 4, 8] {
        let line = 64 / cell;
        for (rows, cols) in [
            (line, line),
            (line + 1, line + 2),
            (4 * line, 3 * line + 1),
            (line + 3, 300),
            (301, line - 3),
        ] {
            let far = [4096, 4096 + cell, 4096 - cell, 5120];
            let pairs = far.iter().flat_map(|&from| {
                let near = [cols * cell, 4096, 4096 - cell];
                near.map(|to| (from, to))
            });
            for (from, to) in pairs.chain(far.map(|to| (rows * cell, to))) {
                if rows * cell <= from && cols * cell <= to {
                    let shape = [rows, cols];
                    let (src, dst) = ([cell, from], [to, cell]);
                    ways::run_all(&case(cell, shape, src, dst), &mut harness);
                }
            }
        }
    }
}
