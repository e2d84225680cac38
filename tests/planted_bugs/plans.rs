//! Copies of whole layouts with one deliberate mistake each, and one without.

use crate::common::layouts::Case;
use crate::common::oracle::{for_each_index, offset};

/// A copy that the campaign's check must judge.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) call: unsafe fn(&Case, *const u8, *mut u8),
    /// What the report has to say, one of these. Empty: the copy must pass.
    pub(crate) reports: &'static [&'static str],
}

const WRONG_CELL: &str = "is wrong: expected";
const STRAY_BYTE: &str = "which no cell covers: expected";
const READ_SOURCE: &str = "fault: read of the source,";
const WRITE_DESTINATION: &str = "fault: write to the destination,";

pub(crate) static PLANS: &[Planted] = &[
    Planted {
        name: "plan-correct",
        call: correct,
        reports: &[],
    },
    Planted {
        name: "plan-dropped-sign",
        call: dropped_sign,
        reports: &[WRONG_CELL, READ_SOURCE],
    },
    Planted {
        name: "plan-wrong-merge",
        call: wrong_merge,
        reports: &[WRONG_CELL, STRAY_BYTE, READ_SOURCE, WRITE_DESTINATION],
    },
    Planted {
        name: "plan-lost-last-index",
        call: lost_last_index,
        reports: &[WRONG_CELL],
    },
    Planted {
        name: "plan-write-into-a-dst-gap",
        call: write_into_a_gap,
        reports: &[STRAY_BYTE, WRONG_CELL, WRITE_DESTINATION],
    },
    Planted {
        name: "plan-read-of-a-forbidden-gap",
        call: read_of_a_gap,
        reports: &[READ_SOURCE],
    },
    Planted {
        name: "plan-touches-an-empty-copy",
        call: touches_an_empty_copy,
        reports: &["fault: read of"],
    },
];

/// Moves the cell at `index` with the given strides.
///
/// # Safety
/// - Range: with these strides the index leads to cells of either side.
unsafe fn move_cell(case: &Case, index: &[usize], sides: (*const u8, *mut u8), src: &[isize]) {
    let from = sides.0.wrapping_offset(offset(index, src));
    let to = sides.1.wrapping_offset(offset(index, &case.dst));
    // SAFETY: range: the caller's; the two sides are different buffers.
    unsafe { to.copy_from_nonoverlapping(from, case.cell) };
}

/// # Safety
/// - Range: both addresses are of index 0 of the case's sides.
unsafe fn correct(case: &Case, src: *const u8, dst: *mut u8) {
    for_each_index(&case.shape, |index| {
        // SAFETY: range: an index of the case with its own strides.
        unsafe { move_cell(case, index, (src, dst), &case.src) }
    });
}

/// # Safety
/// Broken on purpose.
unsafe fn dropped_sign(case: &Case, src: *const u8, dst: *mut u8) {
    let strides: Vec<_> = case
        .src
        .iter()
        .map(|stride| stride.wrapping_abs())
        .collect();
    for_each_index(&case.shape, |index| {
        // SAFETY: broken on purpose: strides that lost their sign.
        unsafe { move_cell(case, index, (src, dst), &strides) }
    });
}

/// # Safety
/// Broken on purpose.
unsafe fn wrong_merge(case: &Case, src: *const u8, dst: *mut u8) {
    let mut merged = case.clone();
    // The last two axes become one if the destination allows it, whatever the source says.
    if let [.., outer, inner] = case.shape[..] {
        let axis = case.shape.len() - 1;
        if case.dst[axis - 1] == case.dst[axis].wrapping_mul(inner as isize) {
            merged.shape[axis - 1] = 1;
            merged.shape[axis] = outer * inner;
        }
    }
    // SAFETY: broken on purpose: a merge that looked at one side only.
    unsafe { correct(&merged, src, dst) }
}

/// # Safety
/// - Range: both addresses are of index 0 of the case's sides.
unsafe fn lost_last_index(case: &Case, src: *const u8, dst: *mut u8) {
    let mut short = case.clone();
    if let Some(extent) = short.shape.iter_mut().max() {
        *extent = (*extent).saturating_sub(1);
    }
    // SAFETY: range: a part of the copy; broken on purpose only in that it is too small.
    unsafe { correct(&short, src, dst) }
}

/// # Safety
/// Broken on purpose.
unsafe fn write_into_a_gap(case: &Case, src: *const u8, dst: *mut u8) {
    let mut wide = case.clone();
    wide.cell = case.cell.next_multiple_of(4);
    // SAFETY: broken on purpose: whole words where the cells are smaller.
    unsafe {
        correct(case, src, dst);
        for_each_index(&case.shape, |index| {
            let to = dst.wrapping_offset(offset(index, &case.dst));
            (case.cell..wide.cell).for_each(|byte| to.wrapping_add(byte).write(0xa5));
        });
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn read_of_a_gap(case: &Case, src: *const u8, dst: *mut u8) {
    // SAFETY: broken on purpose: the byte behind each cell but the last, if only one axis is left.
    unsafe {
        correct(case, src, dst);
        for_each_index(&case.shape, |index| {
            let at = offset(index, &case.src);
            if at + (case.cell as isize) < case.src_footprint().high {
                src.wrapping_offset(at + case.cell as isize).read_volatile();
            }
        });
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn touches_an_empty_copy(case: &Case, src: *const u8, dst: *mut u8) {
    // SAFETY: broken on purpose: the address of a copy of nothing leads nowhere.
    unsafe {
        correct(case, src, dst);
        if case.shape.contains(&0) {
            src.read_volatile();
        }
    }
}
