//! Every kernel row on every ragged panel, in guarded buffers.
//!
//! Rows that this machine cannot run are printed and counted; `RESTRIDE_NO_SKIP=1` makes one a
//! failure. `RESTRIDE_CASE=<row>:<rows>x<cols>:<variant>` with the test `one_case` runs one panel.

mod common;

use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::harness::{Failure, Harness};
use common::memcheck;
use common::pages::Pages;
use common::panels::Subject;
use common::sweep::{self, Tally};
use restride_kernels::{CellSize, Kernel, Row, Rows, Token, rows};

/// Cells that rows of any size are tried with: those without a row of their own, and large ones.
const ANY: &[usize] = &[
    1, 2, 5, 7, 8, 16, 17, 31, 32, 33, 37, 47, 63, 64, 66, 68, 100, 129, 192, 204,
];

/// Panels below which a row counts as not tested.
const LEAST: u64 = 500;

/// Bytes of scratch at most.
const SCRATCH: usize = 4 << 20;

/// Calls `with` with the row as a subject of the sweep.
fn with_subject<R>(kernel: Kernel, with: impl FnOnce(&Subject<'_>) -> R) -> R {
    let row = kernel.row();
    let cells = match row.cell {
        _ if row.family == restride_kernels::Family::Run => &[1],
        CellSize::Exact(bytes) => &[bytes][..],
        CellSize::Any => ANY,
    };
    let scratch = RefCell::new(Pages::guarded(SCRATCH));
    let alone = Cell::new(false);
    with(&Subject {
        name: row.name,
        family: row.family,
        cells,
        tile: row.tile,
        streaming: row.streams(),
        takes: &|ask| row.takes(ask),
        call: &|panel| {
            let tile = kernel.one_tile(panel.rows, panel.cols);
            if let (Some(tile), Rows::Stride(from), Rows::Stride(to)) =
                (tile, panel.src.rows, panel.dst.rows)
            {
                // Every other one as a tile by itself.
                alone.set(!alone.get());
                if alone.get() {
                    let (src, dst) = (panel.src.base.cast_const(), panel.dst.base);
                    // SAFETY: range and aliasing: as below; the panel is one tile, its rows are strides.
                    return unsafe { tile.run((src, from), (dst, to)) };
                }
            }
            let mut scratch = scratch.borrow_mut();
            let fence = kernel.begin(scratch.last_bytes(kernel.scratch_bytes(panel)));
            // SAFETY: shape, range and aliasing: the sweep makes tables of the panel's extents,
            // places all cells in its buffers and no two destination cells on one byte. Stride: it
            // draws only what `takes` admits. ISA: the kernel holds its token.
            unsafe { kernel.run(panel, &fence) }
        },
    })
}

/// The rows that this machine runs, and how many it does not.
fn bound() -> (Vec<Kernel>, usize) {
    let token = Token::best();
    let (can, cannot): (Vec<&'static Row>, _) = rows().partition(|row| row.bind(token).is_some());
    for row in &cannot {
        println!("skipped: {} needs {}", row.name, row.isa);
    }
    if std::env::var_os("RESTRIDE_NO_SKIP").is_some() {
        assert!(cannot.is_empty(), "{} rows skipped", cannot.len());
    }
    let kernels = can.into_iter().filter_map(|row| row.bind(token)).collect();
    (kernels, cannot.len())
}

#[test]
fn every_row_moves_every_ragged_panel() {
    let (kernels, skipped) = bound();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        let mut harness = Harness::new();
        while let Some(&kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = with_subject(kernel, |subject| sweep::sweep(&mut harness, subject));
            let mut results = results.lock().expect("no worker panics");
            results.push((kernel.row().name, result));
        }
    };
    std::thread::scope(|scope| {
        // Valgrind counts stray accesses of all threads together.
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if memcheck::is_running() { 1 } else { all };
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });

    let mut results = results.into_inner().expect("no worker panics");
    results.sort_by_key(|&(name, _)| rows().position(|row| row.name == name));
    println!(
        "{:<32} {:>9} {:>9} {:>9} {:>9}",
        "row", "panels", "poisoned", "refused", "too large"
    );
    let mut failures = Vec::new();
    for (name, result) in &results {
        match result {
            Ok(Tally {
                panels,
                poisoned,
                refused,
                too_large,
            }) => {
                println!("{name:<32} {panels:>9} {poisoned:>9} {refused:>9} {too_large:>9}");
                if *panels < LEAST {
                    failures.push(format!(
                        "{name}: moved only {panels} panels, refused {refused}"
                    ));
                }
            }
            Err(Failure(what)) => failures.push(format!("{name}: {what}")),
        }
    }
    println!("{} rows, {skipped} skipped", results.len());
    assert!(
        failures.is_empty(),
        "{} rows failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Runs the panel that `RESTRIDE_CASE` names; nothing where it is not set.
#[test]
fn one_case() {
    let Ok(case) = std::env::var("RESTRIDE_CASE") else {
        return;
    };
    let (name, extents, variant) =
        parse(&case).expect("RESTRIDE_CASE=<row>:<rows>x<cols>:<variant>");
    let row = rows()
        .find(|row| row.name == name)
        .expect("a row of this name");
    let kernel = row
        .bind(Token::best())
        .expect("a row that this machine runs");
    let mut tally = Tally::default();
    with_subject(kernel, |subject| {
        sweep::one(&mut Harness::new(), subject, extents, variant, &mut tally)
    })
    .unwrap_or_else(|failure| panic!("{failure}"));
    println!("{case}: {tally:?}");
}

fn parse(case: &str) -> Option<(&str, (usize, usize), u64)> {
    let mut parts = case.split(':');
    let (name, extents, variant) = (parts.next()?, parts.next()?, parts.next()?);
    let (r, c) = extents.split_once('x')?;
    let variant = u64::from_str_radix(variant.trim_start_matches("0x"), 16).ok()?;
    Some((name, (r.parse().ok()?, c.parse().ok()?), variant))
}
