//! The tail sweep of one kernel row: every pair of extents up to two tiles and one, at chosen
//! placements and signs, then eight pairs at 64 x 64 alignments.

use std::fmt::{self, Display};

use restride_kernels::{Pairing, Panel, Rows, Side, SourceGaps};

use super::env::number;
use super::harness::{Failure, Footprint, Harness};
use super::memcheck;
use super::oracle;
use super::panels::{ALIGNMENTS, CORE, Case, Form, Spread, Subject};

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Panels moved and found right.
    pub(crate) panels: u64,
    /// Those among them whose source stood between pages that fault.
    pub(crate) poisoned: u64,
    /// Panels that the row does not take.
    pub(crate) refused: u64,
    /// Panels that do not fit the buffers.
    pub(crate) too_large: u64,
}

/// Cells that one row's sweep moves at most, about, and thereby how many variants each pair gets.
/// *guess*: under a second per row in both builds.
const CELLS: u64 = if cfg!(debug_assertions) {
    1_000_000
} else {
    60_000_000
};

/// The cells per row, and every how many-th pair of alignments the second part takes. Set
/// `RESTRIDE_CELLS` for a shorter or longer sweep.
fn effort() -> (u64, usize) {
    let cells = number("RESTRIDE_CELLS").unwrap_or(CELLS);
    (cells, if cells < 10_000_000 { 16 } else { 1 })
}

/// Moves all panels of the sweep.
pub(crate) fn sweep(harness: &mut Harness, subject: &Subject<'_>) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let (rows, cols) = extents(subject);
    let cells: usize = rows.iter().sum::<usize>() * cols.iter().sum::<usize>();
    let (budget, alignment_stride) = effort();
    let variants = (budget / (cells as u64).max(1)).clamp(1, 2 * CORE);
    let mut pair = 0;
    for &r in &rows {
        for &c in &cols {
            pair += 1;
            for i in 0..variants {
                // Where a pair does not get all variants, neighbours get different ones.
                one(
                    harness,
                    subject,
                    (r, c),
                    (pair * variants + i) % (2 * CORE),
                    &mut tally,
                )?;
            }
        }
    }
    for (i, pair) in chosen(subject).into_iter().enumerate() {
        for alignments in (i % alignment_stride..4096).step_by(alignment_stride) {
            // Diagonal by diagonal, so that a thinned sweep still meets every alignment.
            let (src, dst) = (alignments / 64, alignments % 64);
            let variant = 64 * src + (src + dst) % 64;
            one(
                harness,
                subject,
                pair,
                ALIGNMENTS + variant as u64,
                &mut tally,
            )?;
        }
    }
    Ok(tally)
}

/// Moves one panel.
pub(crate) fn one(
    harness: &mut Harness,
    subject: &Subject<'_>,
    (rows, cols): (usize, usize),
    variant: u64,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let Some(case) = Case::draw(subject, rows, cols, variant) else {
        tally.refused += 1;
        return Ok(());
    };
    if !move_panel(harness, subject, &case)? {
        tally.too_large += 1;
        return Ok(());
    }
    tally.panels += 1;
    tally.poisoned += u64::from(case.spread != Spread::Dense);
    Ok(())
}

/// The extents of both directions.
fn extents(subject: &Subject<'_>) -> (Vec<usize>, Vec<usize>) {
    if subject.name.starts_with("run-") {
        let mut bytes: Vec<_> = (0..=2 * 64 + 1).collect();
        bytes.extend([255, 256, 257, 511, 513, 1000, 4096]);
        return (vec![0, 1, 2, 3], bytes);
    }
    (up_to(subject.tile.rows), up_to(subject.tile.cols))
}

fn up_to(tile: usize) -> Vec<usize> {
    let all = 0..=2 * tile + 1;
    match tile {
        // Several tiles in a row, and the blocks of 16 in which scalar rows go.
        0..=16 => {
            let more = [15, 16, 17, 33, 63, 64, 65, 129];
            all.chain(more.into_iter().filter(|&n| n > 2 * tile + 1))
                .collect()
        }
        // Large tiles in debug builds: what is near a multiple of a vector, and a few others.
        _ if cfg!(debug_assertions) => all
            .filter(|n| matches!(n % 16, 0 | 1 | 15) || n % 13 == 0 || *n < 8)
            .collect(),
        _ => all.collect(),
    }
}

/// Eight pairs of extents that the row takes, for the sweep of alignments.
fn chosen(subject: &Subject<'_>) -> Vec<(usize, usize)> {
    let (r, c) = (subject.tile.rows, subject.tile.cols);
    if subject.name.starts_with("run-") {
        let bytes = [1, 7, 16, 33, 64, 100, 129, 257];
        return bytes.into_iter().map(|bytes| (2, bytes)).collect();
    }
    let candidates = [
        (r, c),
        (r + 1, c + 1),
        (2 * r - 1, c),
        (r, 2 * c - 1),
        (r.max(2) - 1, c),
        (1, c + 3),
        (r + 3, 1),
        (2 * r + 1, 2 * c + 1),
        // For rows that take no less than a tile, or one side of a few cells only.
        (3 * r, c + 2),
        (r + 2, 3 * c),
        (2 * r, 2 * c),
        (2, 17),
        (17, 2),
        (3, 33),
        (33, 3),
        (4, 65),
        (65, 4),
        (2, 64),
        (3, 64),
        (64, 4),
    ];
    let taken = |&(rows, cols): &(usize, usize)| {
        (0..8).any(|variant| Case::draw(subject, rows, cols, variant).is_some())
    };
    candidates.into_iter().filter(taken).take(8).collect()
}

/// The case in the buffers: false if they are too small for it.
fn move_panel(harness: &mut Harness, subject: &Subject<'_>, case: &Case) -> Result<bool, Failure> {
    let src = match case.spread {
        Spread::Dense => harness.source(case.src.footprint, case.src.place),
        _ => harness.sparse_source(case.src.footprint, case.window(), case.src.place),
    };
    let dst = harness.destination(case.dst.footprint, case.dst.place);
    let (Some(src), Some(dst)) = (src, dst) else {
        return Ok(false);
    };
    let panel = Panel {
        cell: case.cell,
        rows: case.rows,
        cols: case.cols,
        pairing: case.pairing,
        gaps: case.gaps,
        src: side(harness, 0, &case.src, src.cast_mut()),
        dst: side(harness, 1, &case.dst, dst),
    };
    let oracle = oracle::Panel {
        cell: case.cell,
        rows: case.rows,
        cols: case.cols,
        crossed: case.pairing == Pairing::Crossed,
        src: oracle::Side {
            starts: &case.src.starts,
            step: case.src.step,
        },
        dst: oracle::Side {
            starts: &case.dst.starts,
            step: case.dst.step,
        },
    };
    let note = Note(subject, case);
    let (src_side, dst_side) = (
        open_source(case, src as usize),
        open_destination(case, dst as usize),
    );
    let src_side = memcheck::Side {
        first: (src as usize).wrapping_add_signed(case.src.footprint.low),
        len: case.src.footprint.len(),
        open: &src_side,
    };
    let dst_side = memcheck::Side {
        first: (dst as usize).wrapping_add_signed(case.dst.footprint.low),
        len: case.dst.footprint.len(),
        open: &dst_side,
    };
    let mut strays = 0;
    let checked = harness.check(
        &note,
        (dst, case.dst.footprint),
        case.variant ^ (case.rows * 131 + case.cols) as u64,
        // SAFETY: range: the harness placed the whole footprint in readable memory.
        |expected, zero| unsafe { oracle::panel(&oracle, src, expected, zero) },
        || strays = memcheck::count_strays(&src_side, &dst_side, || (subject.call)(&panel)),
    );
    if strays > 0 {
        return Err(Failure(format!(
            "memcheck: {strays} stray accesses\n{note}"
        )));
    }
    let Err(wrong) = checked else { return Ok(true) };
    let what = case.owner(wrong.at).map_or_else(
        || {
            format!(
                "wrote byte {} of the destination, which no cell covers",
                wrong.at
            )
        },
        |(r, c)| format!("cell ({r}, {c}) is wrong"),
    );
    Err(Failure(format!(
        "{what}: expected {:#04x}, found {:#04x}\n{note}",
        wrong.expected, wrong.found
    )))
}

/// What of the source may be read: the cells, or where gaps are readable, each row from its first
/// cell to its last.
fn open_source(case: &Case, zero: usize) -> impl Fn(&mut dyn FnMut(usize, usize)) {
    let cells = match case.pairing {
        Pairing::Straight => case.cols,
        Pairing::Crossed => case.rows,
    };
    move |open| {
        for start in &case.src.starts {
            let row = zero.wrapping_add_signed(*start);
            match case.gaps {
                SourceGaps::Readable => {
                    let row_footprint = Footprint::of(case.cell, &[cells], &[case.src.step]);
                    let reach = row_footprint.expect("a few KiB");
                    open(row.wrapping_add_signed(reach.low), reach.len());
                }
                SourceGaps::Forbidden => open_cells(case.cell, cells, row, case.src.step, open),
            }
        }
    }
}

/// The destination cells.
fn open_destination(case: &Case, zero: usize) -> impl Fn(&mut dyn FnMut(usize, usize)) {
    move |open| {
        for start in &case.dst.starts {
            let row = zero.wrapping_add_signed(*start);
            open_cells(case.cell, case.cols, row, case.dst.step, open);
        }
    }
}

fn open_cells(
    cell: usize,
    cells: usize,
    row: usize,
    step: isize,
    open: &mut dyn FnMut(usize, usize),
) {
    (0..cells as isize).for_each(|i| open(row.wrapping_add_signed(i * step), cell));
}

impl Case {
    /// The destination cell that the byte `at` from index 0 belongs to.
    fn owner(&self, at: isize) -> Option<(usize, usize)> {
        let all = (0..self.rows).flat_map(|r| (0..self.cols).map(move |c| (r, c)));
        all.into_iter().find(|&(r, c)| {
            let first = self.dst.starts[r] + c as isize * self.dst.step;
            (first..first + self.cell as isize).contains(&at)
        })
    }
}

/// The library's side of a panel. Tables stand flush against a guard page.
fn side<'a>(
    harness: &Harness,
    which: usize,
    side: &super::panels::Side,
    zero: *mut u8,
) -> Side<'a> {
    let (base, rows) = match side.form {
        Form::Stride => (zero, Rows::Stride(side.stride)),
        Form::Offsets => (zero, Rows::Offsets(harness.table(which, &side.starts))),
        Form::Pointers => {
            let start = |&start: &isize| zero.wrapping_offset(start - side.moved).cast_const();
            let list: Vec<_> = side.starts.iter().map(start).collect();
            // The base must not matter to a list of pointers.
            let rows = Rows::Pointers(harness.table(which, &list), side.moved);
            (std::ptr::null_mut(), rows)
        }
    };
    let step = side.step;
    Side { base, rows, step }
}

/// The line that names a case, and the case in full.
struct Note<'a>(&'a Subject<'a>, &'a Case);

impl Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(subject, case) = self;
        write!(
            f,
            "RESTRIDE_CASE={}:{}x{}:{:#x} cargo test --release --test tail_sweep -- one_case\n\
             # {} bytes, {:?}, gaps {:?}, {:?}, src {}, dst {}",
            subject.name,
            case.rows,
            case.cols,
            case.variant,
            case.cell,
            case.pairing,
            case.gaps,
            case.spread,
            case.src,
            case.dst
        )
    }
}

impl Display for super::panels::Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            step, form, place, ..
        } = self;
        match form {
            Form::Stride => write!(f, "rows {} step {step} {place:?}", self.stride),
            _ => {
                let few = &self.starts[..self.starts.len().min(6)];
                write!(f, "rows {form:?} {few:?}.. step {step} {place:?}")
            }
        }
    }
}
