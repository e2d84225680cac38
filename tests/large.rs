//! Copies of up to a few MiB, where blocks, bands, offset tables and whole-line stores begin: fewer
//! than in the campaign, on every ISA tier, in guarded buffers, each in every way.
//!
//! - `RESTRIDE_LARGE_CASES`: copies per tier (100 in release builds, 8 smaller ones in debug builds).
//! - `RESTRIDE_SEED`: other copies.
//! - `RESTRIDE_CASE`: with the test `one_case`, the one copy that a failure names.

mod common;

use common::counters::Counters;
use common::env::number;
use common::harness::{Harness, Place};
use common::layouts::{Case, HUGE_ROOM, LARGE_ROOM};
use common::random::mix;
use common::ways::{self, How, available, run};
use restride::{Isa, Layout, Machine, Par, SourceGaps, Stores};

#[test]
fn large_copies_on_every_tier() {
    let default = if cfg!(debug_assertions) { 8 } else { 100 };
    let cases = number("RESTRIDE_LARGE_CASES").unwrap_or(default);
    let seed = number("RESTRIDE_SEED").unwrap_or(1);
    let mut harness = Harness::with_room(LARGE_ROOM);
    for isa in Isa::ALL {
        if !available(isa) {
            println!("skipped: {isa}, which this machine lacks or RESTRIDE_ISA forbids");
            continue;
        }
        let mut counters = Counters::new();
        for i in 0..cases {
            let case = Case::draw_large(mix(&[seed, isa as u64, i]));
            counters.case(&case);
            for how in ways::ways(&case, isa, true) {
                let plan = run(&mut harness, &case, how);
                let plan = plan.unwrap_or_else(|failure| panic!("{failure}"));
                counters.plan(&plan, case.places.len());
            }
        }
        println!("{isa}: {counters}");
    }
}

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
            let shape = [count, places, rows, cols].map(|extent| extent as usize);
            let src = [row * cols, cell * rows, cell, row];
            let dst = [block, count * block + pad, cell * cols, cell];
            ways::run_all(
                &Case::thorough(cell as usize, &shape, &src, &dst),
                &mut harness,
            );
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
            let shape = [panels, rows, cols].map(|extent| extent as usize);
            let src = [cell * rows, cell, row];
            let dst = [cell * cols * rows + pad, cell * cols, cell];
            ways::run_all(
                &Case::thorough(cell as usize, &shape, &src, &dst),
                &mut harness,
            );
        }
    }
}

/// Rows that follow each other and are moved some of them together, of which a few are left over: fewer than the kernel
/// that moves the others takes of so few columns, a tile turned around, or of cells of three bytes.
#[test]
fn few_rows_are_left_over() {
    let mut harness = Harness::with_room(LARGE_ROOM);
    let l1 = Machine::host()
        .expect("a valid RESTRIDE_ISA")
        .facts()
        .caches
        .l1;
    for (cell, columns) in [(1, [5, 8, 16]), (2, [5, 6, 7]), (3, [17, 20, 33])] {
        for cols in columns {
            // Rows that are moved together are up to three quarters of those that fit a quarter of the cache.
            let most = (l1 / 4 / (cell * cols)) as isize;
            let step = if cfg!(debug_assertions) { 16 } else { 3 };
            for rows in (2 * most..2 * most + 90).step_by(step) {
                let (bytes, wide) = (cell as isize, cols as isize);
                let shape = [rows as usize, cols];
                let (src, dst) = ([bytes, bytes * rows], [bytes * wide, bytes]);
                let mut case = Case::thorough(cell, &shape, &src, &dst);
                // Whatever is read or written beyond the last row is a fault.
                case.places = [(Place::Right, Place::Right), (Place::Left, Place::Left)];
                ways::run_all(&case, &mut harness);
            }
        }
    }
}

/// Panels of few columns, which are fetched in parts on some cores: fewer rows than such a tile has are no part.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn panels_of_few_columns_that_are_fetched() {
    let mut harness = Harness::with_room(HUGE_ROOM);
    for (cell, cols, rows) in [(1, 9, 200), (2, 6, 150)] {
        let count = (36 << 20) / (cell * cols * rows);
        let shape = [count, rows, cols].map(|extent| extent as usize);
        let src = [cell * (rows + 30) * cols, cell, cell * (rows + 30)];
        let dst = [cell * cols * rows + 100, cell * cols, cell];
        let case = Case::thorough(cell as usize, &shape, &src, &dst);
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

/// Long rows of single bytes that start anywhere in a line, or share sets of the caches, whose squares are moved back,
/// clamped and kept for the next part of the panel: none that is drawn above is sure to have them.
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
            let shape = [rows, cols].map(|extent| extent as usize);
            ways::run_all(&Case::thorough(1, &shape, &src, &dst), &mut harness);
        }
    }
}

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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let (src, dst) = ([cell, apart], [cols * cell + pad, cell]);
                    ways::run_all(
                        &Case::thorough(cell as usize, &shape, &src, &dst),
                        &mut harness,
                    );
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let (src, dst) = ([cell, rows * cell + pad], [apart, cell]);
                    ways::run_all(
                        &Case::thorough(cell as usize, &shape, &src, &dst),
                        &mut harness,
                    );
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let src = [cell, rows * cell + pad];
                    let width = (cols * cell + 63) / 64 * 64;
                    for dst in [[cols * cell, cell], [width, cell]] {
                        ways::run_all(
                            &Case::thorough(cell as usize, &shape, &src, &dst),
                            &mut harness,
                        );
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let (src, dst) = ([cell, from], [to, cell]);
                    ways::run_all(
                        &Case::thorough(cell as usize, &shape, &src, &dst),
                        &mut harness,
                    );
                }
            }
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
                let shape = [many, rows, far, near].map(|extent| extent as usize);
                let line = near * far * cell;
                let src = [block, cell, many * block, row];
                let dst = [line, many * line + pad, near * cell, cell];
                ways::run_all(
                    &Case::thorough(cell as usize, &shape, &src, &dst),
                    &mut harness,
                );
                // The other way round: the next row is far away.
                let (shape, src) = (
                    [shape[0], shape[1], shape[3], shape[2]],
                    [src[0], src[1], src[3], src[2]],
                );
                let dst = [line, many * line + pad, far * cell, cell];
                ways::run_all(
                    &Case::thorough(cell as usize, &shape, &src, &dst),
                    &mut harness,
                );
            }
        }
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let (src, dst) = ([cell, rows * cell + pad], [cols * cell + pad, cell]);
                    ways::run_all(
                        &Case::thorough(cell as usize, &shape, &src, &dst),
                        &mut harness,
                    );
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
    let shape = [rows, cols].map(|extent| extent as usize);
    let (src, dst) = ([cell, rows * cell], [cols * cell, cell]);
    let mut case = Case::thorough(cell as usize, &shape, &src, &dst);
    case.thorough = false;
    ways::run_all(&case, &mut harness);
}

/// A panel of single bytes that no cache holds, of rows that fill lines from rows that do not.
#[test]
#[cfg_attr(debug_assertions, ignore = "a minute or more without optimisation")]
fn rows_of_bytes_out_of_the_caches() {
    let mut harness = Harness::with_room(36 << 20);
    let [rows, cols] = [5801, 91 * 64];
    let shape = [rows, cols].map(|extent| extent as usize);
    let mut case = Case::thorough(1, &shape, &[1, rows + 2], &[cols, 1]);
    case.places = [case.places[0]; 2];
    // Of the highest tier alone, one way: an oracle of so many bytes takes its time.
    let isa = Isa::ALL.into_iter().rfind(|&isa| available(isa));
    let how = ways::ways(&case, isa.expect("any machine has a tier"), false);
    run(&mut harness, &case, how[0]).unwrap_or_else(|failure| panic!("{failure}"));
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let (src, dst) = ([cell, from], [to, cell]);
                    ways::run_all(
                        &Case::thorough(cell as usize, &shape, &src, &dst),
                        &mut harness,
                    );
                }
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
                    let shape = [rows, cols].map(|extent| extent as usize);
                    let mut case =
                        Case::thorough(cell as usize, &shape, &[cell, from], &[to, cell]);
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
            let shape = [rows, group, 3].map(|extent| extent as usize);
            let src = [cell, from, (group + 1) * from];
            let dst = [3 * group * cell, 3 * cell, cell];
            ways::run_all(
                &Case::thorough(cell as usize, &shape, &src, &dst),
                &mut harness,
            );
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
        let shape = [rows, cols].map(|extent| extent as usize);
        let (src, dst) = ([cell, rows * cell + cell], [cols * cell, cell]);
        let mut case = Case::thorough(cell as usize, &shape, &src, &dst);
        case.thorough = false;
        ways::run_all(&case, &mut harness);
    }
}

/// Runs the copy that `RESTRIDE_CASE` names, in all ways; nothing where it is not set. Debug and
/// release builds draw different copies from one seed.
#[test]
fn one_case() {
    if let Some(seed) = number("RESTRIDE_CASE") {
        let case = Case::draw_large(seed);
        ways::run_all(&case, &mut Harness::with_room(LARGE_ROOM));
    }
}
