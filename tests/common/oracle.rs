//! What a copy has to do, in the simplest code there is: index by index, byte by byte. Shares
//! nothing with the library.
//!
//! Both oracles write into `expected`, an image of the destination in which the byte that index 0
//! addresses stands at `zero`.

use std::slice;

/// A strided copy of any rank. Strides are bytes.
pub(crate) struct Copy<'a> {
    pub(crate) cell: usize,
    pub(crate) shape: &'a [usize],
    pub(crate) src_strides: &'a [isize],
    pub(crate) dst_strides: &'a [isize],
}

/// # Safety
/// - Range: `src` is the address of index 0, and every source cell can be read.
pub(crate) unsafe fn copy(case: &Copy<'_>, src: *const u8, expected: &mut [u8], zero: isize) {
    for_each_index(case.shape, |index| {
        let from = offset(index, case.src_strides);
        let to = zero + offset(index, case.dst_strides);
        for byte in 0..case.cell as isize {
            // SAFETY: range: a byte of the source cell at `index` (caller).
            expected[(to + byte) as usize] = unsafe { *src.wrapping_offset(from + byte) };
        }
    });
}

/// Calls `visit` with every index below `shape`, the last one moving fastest.
pub(crate) fn for_each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = [0; 32];
    let index = &mut index[..shape.len()];
    loop {
        visit(index);
        let Some(axis) = (0..shape.len()).rev().find(|&a| index[a] + 1 < shape[a]) else {
            return;
        };
        index[axis] += 1;
        index[axis + 1..].fill(0);
    }
}

pub(crate) fn offset(index: &[usize], strides: &[isize]) -> isize {
    // Wrapping: an axis of extent 1 may have any stride, and contributes 0 times it.
    let terms = index.iter().zip(strides);
    terms.fold(0, |sum, (&i, &stride)| {
        sum + (i as isize).wrapping_mul(stride)
    })
}

/// One side of a panel: where each row starts, in bytes from the base, and the bytes from cell to
/// cell.
pub(crate) struct Side<'a> {
    pub(crate) starts: &'a [isize],
    pub(crate) step: isize,
}

/// A panel. `crossed` says that cell `(r, c)` comes from cell `r` of source row `c`.
pub(crate) struct Panel<'a> {
    pub(crate) cell: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) crossed: bool,
    pub(crate) src: Side<'a>,
    pub(crate) dst: Side<'a>,
}

/// # Safety
/// - Range: `src` is the source's base, and every source cell can be read.
pub(crate) unsafe fn panel(case: &Panel<'_>, src: *const u8, expected: &mut [u8], zero: isize) {
    for r in 0..case.rows {
        for c in 0..case.cols {
            let (row, i) = if case.crossed { (c, r) } else { (r, c) };
            let from = case.src.starts[row] + i as isize * case.src.step;
            let to = zero + case.dst.starts[r] + c as isize * case.dst.step;
            // SAFETY: range: source cell `i` of row `row` (caller).
            let cell = unsafe { slice::from_raw_parts(src.wrapping_offset(from), case.cell) };
            expected[to as usize..][..case.cell].copy_from_slice(cell);
        }
    }
}
