//! A panel in guarded buffers: placed, moved, compared.

use std::fmt::{self, Display};

use restride_kernels::{Pairing, Panel, Rows, Side, SourceGaps};

use super::harness::{Failure, Footprint, Harness};
use super::memcheck;
use super::oracle;
use super::panels::{Case, Form, Spread, Subject};

/// The case in the buffers: false if they are too small for it.
pub(crate) fn move_panel(
    harness: &mut Harness,
    subject: &Subject<'_>,
    case: &Case,
) -> Result<bool, Failure> {
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
    let panel_of_bytes = oracle::Panel {
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
    let oracle = |expected: &mut [u8], zero| {
        // SAFETY: range: the harness placed the whole footprint in readable memory.
        unsafe { oracle::panel(&panel_of_bytes, src, expected, zero) };
    };
    let mut strays = 0;
    let checked = harness.check(
        &note,
        (dst, case.dst.footprint),
        case.variant ^ (case.rows * 131 + case.cols) as u64,
        (None, oracle),
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
