//! The buffers of a case as typed slices, for crates that take those.

use bytemuck::{AnyBitPattern, NoUninit};

use restride_cases::Case;

/// An element that a cell can be taken for.
pub(super) trait Cell: AnyBitPattern + NoUninit + Send + Sync {}

impl<T: AnyBitPattern + NoUninit + Send + Sync> Cell for T {}

/// The source and the destination from the start of their buffers to their last cell.
///
/// # Panics
/// If a buffer is too short or does not start where an element may.
pub(super) fn typed<'a, T: Cell>(
    case: &Case,
    src: &'a [u8],
    dst: &'a mut [u8],
) -> (&'a [T], &'a mut [T]) {
    let (from, to) = (case.src_place().len, case.dst_place().len);
    (
        bytemuck::cast_slice(&src[..from]),
        bytemuck::cast_slice_mut(&mut dst[..to]),
    )
}

/// From the start of either slice of [`typed`] to index `[0, 0, ..]`, in elements.
pub(super) fn offsets(case: &Case) -> (usize, usize) {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    (from / case.cell, to / case.cell)
}

/// Strides that are not negative.
pub(super) fn unsigned(strides: &[isize]) -> Option<Vec<usize>> {
    let unsigned = strides.iter().map(|&stride| usize::try_from(stride).ok());
    unsigned.collect()
}
