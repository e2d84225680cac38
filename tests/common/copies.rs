//! A copy between two layouts, in guarded buffers: placed, run, compared.

use std::fmt::{self, Display};

use restride_kernels::SourceGaps;

use super::harness::{Failure, Footprint, Harness, Key, Place};
use super::layouts::Case;
use super::memcheck;
use super::oracle;

/// Runs `run(src, dst)` on one placement of the case, where `src` and `dst` address index 0, and
/// compares with the oracle. `gaps` says what `run` may read, and `how` says in words what `run` is.
pub(crate) fn check(
    harness: &mut Harness,
    case: &Case,
    (src_place, dst_place): (Place, Place),
    gaps: SourceGaps,
    how: &dyn Display,
    run: &dyn Fn(*const u8, *mut u8),
) -> Result<(), Failure> {
    let (src_footprint, dst_footprint) = (case.src_footprint(), case.dst_footprint());
    let src = match case.poisoned {
        Some(window) => harness.sparse_source(src_footprint, window, src_place_of(case, src_place)),
        None => harness.source(src_footprint, src_place),
    };
    let src = src.expect("the generator bounds sources");
    let dst = harness.destination(dst_footprint, dst_place);
    let dst = dst.expect("the generator bounds destinations");
    let note = Note {
        case,
        how,
        places: (src_place, dst_place),
    };
    let copy = oracle::Copy {
        cell: case.cell,
        shape: &case.shape,
        src_strides: &case.src,
        dst_strides: &case.dst,
    };
    let at = |zero: usize, footprint: Footprint| zero.wrapping_add_signed(footprint.low);
    let cells = |zero: usize, strides: &[isize], open: &mut dyn FnMut(usize, usize)| {
        oracle::for_each_index(&case.shape, |index| {
            let first = zero.wrapping_add_signed(oracle::offset(index, strides));
            open(first, case.cell);
        });
    };
    let src_side = memcheck::Side {
        first: at(src as usize, src_footprint),
        len: src_footprint.len(),
        open: &|open| match gaps {
            SourceGaps::Readable => open(at(src as usize, src_footprint), src_footprint.len()),
            SourceGaps::Forbidden => cells(src as usize, &case.src, open),
        },
    };
    let dst_side = memcheck::Side {
        first: at(dst as usize, dst_footprint),
        len: dst_footprint.len(),
        open: &|open| cells(dst as usize, &case.dst, open),
    };
    let key = Key {
        src: src as usize,
        cell: case.cell,
        shape: case.shape.clone(),
        strides: [case.src.clone(), case.dst.clone()],
    };
    let oracle = |expected: &mut [u8], zero| {
        // SAFETY: range: the harness placed the whole footprint in readable memory.
        unsafe { oracle::copy(&copy, src, expected, zero) };
    };
    let mut strays = 0;
    let checked = harness.check(
        &note,
        (dst, dst_footprint),
        case.seed,
        (Some(key), oracle),
        || strays = memcheck::count_strays(&src_side, &dst_side, || run(src, dst)),
    );
    if strays > 0 {
        return Err(Failure(format!(
            "memcheck: {strays} stray accesses\n{note}"
        )));
    }
    let Err(wrong) = checked else { return Ok(()) };
    let what = owner(case, wrong.at).map_or_else(
        || {
            format!(
                "wrote byte {} of the destination, which no cell covers",
                wrong.at
            )
        },
        |index| format!("cell {index:?} is wrong"),
    );
    Err(Failure(format!(
        "{what}: expected {:#04x}, found {:#04x}\n{note}",
        wrong.expected, wrong.found
    )))
}

/// An alignment may leave no room for a window of nearly a page: then the page is filled.
fn src_place_of(case: &Case, place: Place) -> Place {
    let room = super::pages::page_size() - 64;
    match place {
        Place::At(_) if case.poisoned.is_some_and(|window| window.len() > room) => Place::Left,
        _ => place,
    }
}

/// The index whose destination cell holds the byte `at` from index 0.
fn owner(case: &Case, at: isize) -> Option<Vec<usize>> {
    let mut found = None;
    oracle::for_each_index(&case.shape, |index| {
        let first = oracle::offset(index, &case.dst);
        if (first..first + case.cell as isize).contains(&at) {
            found = Some(index.to_vec());
        }
    });
    found
}

/// The line that names a case, and the case in full.
struct Note<'a> {
    case: &'a Case,
    how: &'a dyn Display,
    places: (Place, Place),
}

impl Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            case,
            how,
            places: (src, dst),
        } = self;
        write!(f, "{case}, source {src:?}, destination {dst:?}, {how}")
    }
}
