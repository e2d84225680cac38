//! Copies with one side in many places: an axis whose indices start at the addresses of a list. The
//! engine reads, or writes, the rows of one panel there, so many separate columns become rows of a
//! table in one transposition.

use bytemuck::NoUninit;

use super::stretched;
use crate::error::Error;
use crate::exec::{Source, execute, execute_into_list, run_places};
use crate::layout::Layout;
use crate::plan::{Options, Plan, Problem, SourceGaps};
use crate::view::{Slot, View, ViewMut};

/// A list of addresses, if there is memory for it.
fn listed(addresses: impl ExactSizeIterator<Item = *const u8>) -> Result<Vec<*const u8>, Error> {
    let mut list = Vec::new();
    let bytes = addresses.len().saturating_mul(size_of::<*const u8>());
    let enough = list.try_reserve_exact(addresses.len());
    enough.map_err(|_| Error::AllocFailed { bytes })?;
    list.extend(addresses);
    Ok(list)
}

/// Whether all of these layouts have the same shape and the same strides, wherever they start.
pub(super) fn alike<'a>(mut layouts: impl Iterator<Item = &'a Layout>) -> bool {
    let Some(first) = layouts.next() else {
        return true;
    };
    layouts.all(|other| other.shape() == first.shape() && other.strides() == first.strides())
}

/// Copies views that are [`alike`] to the indices of one axis of `dst`. Returns the number of
/// elements written, which is all of `dst`.
pub(super) fn from_parts<T: NoUninit, D: Slot<T>>(
    parts: &[View<'_, T>],
    axis: usize,
    dst: &mut ViewMut<'_, D>,
    options: &Options,
) -> Result<usize, Error> {
    let Some(first) = parts.first() else {
        return Ok(0);
    };
    debug_assert!(alike(parts.iter().map(View::layout)));
    let src = stretched(&first.layout().unsqueeze(axis)?, axis, parts.len())?;
    let readable = parts.iter().all(|part| part.gaps() == SourceGaps::Readable);
    let gaps = if readable {
        SourceGaps::Readable
    } else {
        SourceGaps::Forbidden
    };
    let problem = Problem::of_proven(size_of::<T>(), &src, dst.layout())?;
    let plan = Plan::with(
        &problem.with_listed_source(axis)?.with_source_gaps(gaps),
        options,
    )?;
    let list = listed(parts.iter().map(|part| part.as_ptr().cast()))?;
    // SAFETY: range: every part, which has the first one's strides, and `dst` were checked against
    // their storage, and `dst`'s layout is injective; aliasing: `dst` is borrowed uniquely, the
    // parts shared; gaps are read if all parts allow it.
    unsafe { execute(&plan, Source::List(&list), dst.as_mut_ptr().cast()) };
    Ok(dst.len())
}

/// Copies the indices of one axis of `src` to destinations that are [`alike`].
pub(super) fn into_parts<T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    parts: &mut [ViewMut<'_, D>],
    options: &Options,
) -> Result<(), Error> {
    let Some(first) = parts.first() else {
        return Ok(());
    };
    debug_assert!(alike(parts.iter().map(|part| part.layout())));
    let dst = stretched(&first.layout().unsqueeze(axis)?, axis, parts.len())?;
    let problem = Problem::of_proven(size_of::<T>(), src.layout(), &dst)?;
    let problem = problem
        .with_listed_destination(axis)
        .with_source_gaps(src.gaps());
    let plan = Plan::with(&problem, options)?;
    let list = listed(
        parts
            .iter_mut()
            .map(|part| part.as_mut_ptr().cast_const().cast()),
    )?;
    // SAFETY: range: `src` and every part, which has the first one's strides, were checked against
    // their storage, and the parts' layout is injective; aliasing: the parts are borrowed uniquely
    // each, `src` shared; gaps are read only if `src` allows it.
    unsafe { execute_into_list(&plan, src.as_ptr().cast(), &list) };
    Ok(())
}

/// Copies index `indices[k]` of an axis of `src` to index `k` of the same axis of `dst`. Returns the
/// number of elements written, which is all of `dst`.
///
/// The shapes agree but for the axis, where `dst` has one index for each entry, and `src` has all
/// that the entries name.
pub(super) fn from_indices<T: NoUninit, D: Slot<T>>(
    (src, axis): (&View<'_, T>, usize),
    indices: &[usize],
    dst: &mut ViewMut<'_, D>,
    options: &Options,
) -> Result<usize, Error> {
    if dst.is_empty() {
        return Ok(0);
    }
    let extent = src.shape()[axis];
    assert!(indices.len() == dst.shape()[axis] && indices.iter().all(|&index| index < extent));
    let one = src.index_axis(axis, 0)?.layout().unsqueeze(axis)?;
    let problem = Problem::of_proven(
        size_of::<T>(),
        &stretched(&one, axis, indices.len())?,
        dst.layout(),
    )?;
    let problem = problem
        .with_listed_source(axis)?
        .with_source_gaps(src.gaps());
    let plan = Plan::with(&problem, options)?;
    let list = listed(places(src.as_ptr(), src.layout(), axis, indices))?;
    // SAFETY: range: the indices exist in `src`, which was checked against its storage as `dst` was,
    // whose layout is injective; aliasing: `dst` is borrowed uniquely, `src` shared; gaps are read
    // only if `src` allows it.
    unsafe { execute(&plan, Source::List(&list), dst.as_mut_ptr().cast()) };
    Ok(dst.len())
}

/// Copies index `k` of an axis of `src` to index `indices[k]` of the same axis of `dst`; where an
/// index is named more than once, its last entry counts.
///
/// The shapes agree but for the axis, where `src` has one index for each entry, and `dst` has all
/// that the entries name.
pub(super) fn into_indices<T: NoUninit, D: Slot<T>>(
    (src, axis): (&View<'_, T>, usize),
    indices: &[usize],
    dst: &mut ViewMut<'_, D>,
    options: &Options,
) -> Result<(), Error> {
    if src.is_empty() || dst.is_empty() {
        return Ok(());
    }
    assert_eq!(indices.len(), src.shape()[axis]);
    let mut last = vec![None; dst.shape()[axis]];
    for (k, &index) in indices.iter().enumerate() {
        last[index] = Some(k);
    }
    let one = dst.layout().index_axis(axis, 0)?.unsqueeze(axis)?;
    let start = dst.as_mut_ptr();
    if last.iter().flatten().count() == indices.len() {
        let to = stretched(&one, axis, indices.len())?;
        let problem = Problem::of_proven(size_of::<T>(), src.layout(), &to)?;
        let problem = problem
            .with_listed_destination(axis)
            .with_source_gaps(src.gaps());
        let plan = Plan::with(&problem, options)?;
        let list = listed(places(start.cast_const(), dst.layout(), axis, indices))?;
        // SAFETY: range: the indices exist in `dst`, which was checked against its storage as `src`
        // was; aliasing: `dst` is injective and each index is named once, so no element is written
        // twice; `dst` is borrowed uniquely, `src` shared; gaps are read only if `src` allows it.
        unsafe { execute_into_list(&plan, src.as_ptr().cast(), &list) };
        return Ok(());
    }
    let from = src.layout().index_axis(axis, 0)?.unsqueeze(axis)?;
    let problem = Problem::of_proven(size_of::<T>(), &from, &one)?.with_source_gaps(src.gaps());
    let bytes = |layout: &Layout, index: usize| {
        (index as isize).wrapping_mul(layout.strides()[axis]) * size_of::<T>() as isize
    };
    let named = last
        .iter()
        .enumerate()
        .filter_map(|(index, k)| Some((index, (*k)?)));
    let named: Vec<(isize, isize)> = named
        .map(|(index, k)| (bytes(src.layout(), k), bytes(dst.layout(), index)))
        .collect();
    let (src, dst) = (src.as_ptr().cast(), start.cast());
    // SAFETY: range: the entries exist in `src`, the indices in `dst`, and both were checked against
    // their storage; aliasing: as above, each index being written by one of its entries.
    unsafe { run_places(&problem, (src, dst), &named, false, options) }
}

/// Where indices of an axis start, `start` being where index 0 does.
fn places<T>(
    start: *const T,
    layout: &Layout,
    axis: usize,
    indices: &[usize],
) -> impl ExactSizeIterator<Item = *const u8> {
    let stride = layout.strides()[axis];
    // An axis with one index may have any stride, and contributes 0 times it.
    let place = move |&index: &usize| (index as isize).wrapping_mul(stride);
    let places = indices.iter().map(place);
    places.map(move |place| start.wrapping_offset(place).cast())
}
