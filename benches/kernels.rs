//! Every kernel row that this machine has, forced: one panel that the row takes, cached rows on 64 KiB a
//! side, streaming ones on 16 MiB, beside memcpy of as many bytes. Names are those of the tables.

#![allow(missing_docs)] // criterion's macros make public functions

mod common;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::mem::MaybeUninit;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use restride_cases::{Buffer, DST_OFFSET, Pages, pattern};
use restride_kernels::{
    Ask, CellSize, Family, Kernel, Pairing, Panel, Row, Rows, Side, SourceGaps, Token, rows,
};

/// Bytes of the destination cells, about.
const CACHED: usize = 64 << 10;
const STREAMED: usize = 16 << 20;

fn kernels(criterion: &mut Criterion) {
    let mut group = common::group(criterion, "kernels", 0.25);
    let token = Token::best();
    let (mut plain, mut unmeasured) = (BTreeSet::new(), Vec::new());
    for row in rows() {
        let Some(kernel) = row.bind(token) else {
            eprintln!("skipped: this machine cannot run {}", row.name);
            continue;
        };
        let Some(ask) = offered(row).find(|ask| row.takes(ask)) else {
            unmeasured.push(row.name);
            continue;
        };
        let bytes = bench(&mut group, kernel, &ask);
        if plain.insert(bytes) {
            memcpy(&mut group, bytes);
        }
    }
    group.finish();
    assert!(unmeasured.is_empty(), "nothing offered to {unmeasured:?}");
}

/// Panels of a row's family, of which it takes at least one: by bytes of a cell, steps, and extents.
fn offered(row: &'static Row) -> impl Iterator<Item = Ask> {
    let cells = match row.cell {
        CellSize::Exact(bytes) => vec![bytes],
        CellSize::Any if row.family == Family::Run => vec![1],
        // Rows for any cell may want whole lines.
        CellSize::Any => vec![4, 64],
    };
    cells
        .into_iter()
        .flat_map(move |cell| offered_of(row, cell))
}

fn offered_of(row: &'static Row, cell: usize) -> impl Iterator<Item = Ask> {
    let streaming = row.streams();
    let cells = if streaming { STREAMED } else { CACHED } / cell;
    let side = 1 << (cells.ilog2() / 2);
    let narrow = |n: usize| [(n, cells / n), (cells / n, n)];
    let mut extents = vec![(side, cells / side), (cells / 256, 256)];
    extents.extend([1, 2, 3, 4, 8, 16].into_iter().flat_map(narrow));
    let unit = cell as isize;
    let straight = |src: isize, dst: isize| (Pairing::Straight, src, dst);
    let steps = match row.family {
        Family::Run => vec![straight(1, 1)],
        Family::Transpose | Family::Interleave => vec![(Pairing::Crossed, unit, unit)],
        Family::Gather => {
            let steps = [2 * unit, 3 * unit, 4 * unit, -unit, unit / 3 * 4, 8 * unit];
            steps.map(|step| straight(step, unit)).to_vec()
        }
        Family::Scatter => {
            let steps = [2 * unit, 3 * unit, 4 * unit, -unit, unit / 3 * 4, 8 * unit];
            steps.map(|step| straight(unit, step)).to_vec()
        }
        Family::Fill => vec![straight(0, unit), straight(0, 2 * unit)],
        _ => {
            let two = 2 * unit;
            vec![straight(two, two), (Pairing::Crossed, two, two)]
        }
    };
    steps
        .into_iter()
        .flat_map(move |(pairing, src_step, dst_step)| {
            let gaps = SourceGaps::Readable;
            extents.clone().into_iter().map(move |(rows, cols)| Ask {
                cell,
                rows,
                cols,
                pairing,
                src_step,
                dst_step,
                gaps,
                streaming,
            })
        })
}

/// One side of a panel in a buffer: from its start to the first cell, from row to row, and its length.
struct Placed {
    first: usize,
    row: isize,
    len: usize,
}

/// Rows one behind the other.
fn placed(rows: usize, cells: usize, step: isize, cell: usize) -> Placed {
    let reach = (cells - 1) * step.unsigned_abs() + cell;
    let first = if step < 0 { reach - cell } else { 0 };
    Placed {
        first,
        row: reach as isize,
        len: rows * reach,
    }
}

/// Verifies and times a kernel on a panel; returns the bytes of its destination cells.
fn bench(group: &mut BenchmarkGroup<'_, WallTime>, kernel: Kernel, ask: &Ask) -> usize {
    let &Ask {
        cell, rows, cols, ..
    } = ask;
    let (src_rows, src_cells) = match ask.pairing {
        Pairing::Straight => (rows, cols),
        Pairing::Crossed => (cols, rows),
    };
    let from = placed(src_rows, src_cells, ask.src_step, cell);
    let to = placed(rows, cols, ask.dst_step, cell);
    let memory = |len, offset| Buffer::new(len, offset, Pages::Huge).expect("there is memory");
    // Streamed lines are whole where rows begin with lines.
    let offset = if ask.streaming { 0 } else { DST_OFFSET };
    let (mut src, mut dst) = (memory(from.len, 0), memory(to.len, offset));
    pattern::fill(&mut src);
    let side = |base: *mut u8, placed: &Placed, step: isize| Side {
        base,
        rows: Rows::Stride(placed.row),
        step,
    };
    let panel = Panel {
        cell,
        rows,
        cols,
        pairing: ask.pairing,
        gaps: ask.gaps,
        src: side(src[from.first..].as_mut_ptr(), &from, ask.src_step),
        dst: side(dst[to.first..].as_mut_ptr(), &to, ask.dst_step),
    };
    let mut scratch = vec![MaybeUninit::uninit(); kernel.scratch_bytes(&panel)];
    let mut run = || {
        let fence = kernel.begin(&mut scratch);
        // SAFETY: shape: no tables, the scratch is as large as the kernel wants; stride: the row takes
        // `ask`, which is what the panel asks for; range: both buffers hold all rows; aliasing: they
        // are apart, and rows of the destination follow each other.
        unsafe { kernel.run(black_box(&panel), &fence) };
    };
    run();
    let at = |placed: &Placed, row: usize, i: usize, step: isize| {
        (placed.first as isize + row as isize * placed.row + i as isize * step) as usize
    };
    for r in 0..rows {
        for c in 0..cols {
            let (row, i) = match ask.pairing {
                Pairing::Straight => (r, c),
                Pairing::Crossed => (c, r),
            };
            let (from, to) = (at(&from, row, i, ask.src_step), at(&to, r, c, ask.dst_step));
            assert!(
                src[from..from + cell] == dst[to..to + cell],
                "{} is wrong at ({r}, {c})",
                kernel.row().name
            );
        }
    }
    let bytes = rows * cols * cell;
    group.throughput(Throughput::BytesDecimal(2 * bytes as u64));
    group.bench_function(kernel.row().name, |bencher| bencher.iter(&mut run));
    bytes
}

fn memcpy(group: &mut BenchmarkGroup<'_, WallTime>, bytes: usize) {
    let memory = |offset| Buffer::new(bytes, offset, Pages::Huge).expect("there is memory");
    let (src, mut dst) = (memory(0), memory(DST_OFFSET));
    group.throughput(Throughput::BytesDecimal(2 * bytes as u64));
    group.bench_function(BenchmarkId::new("memcpy", bytes), |bencher| {
        bencher.iter(|| black_box(&mut *dst).copy_from_slice(black_box(&src)));
    });
}

criterion_group!(benches, kernels);
criterion_main!(benches);
