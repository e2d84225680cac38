//! A view taken apart: cut along an axis it keeps, or along one it loses.

use core::mem::MaybeUninit;

use bytemuck::NoUninit;

use super::lists::{alike, into_parts};
use super::pieces::Pieces;
use super::with_extent;
use crate::array::Array;
use crate::error::Error;
use crate::layout::{PerAxis, check_axis};
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// The elements of `src` cut along `axis` before each index of `at`, in arrays of their own: NumPy's
/// `split` with a list. `n` cuts make `n + 1` parts, some of which may be empty.
///
/// A part that is only to be read needs no copy: [`View::slice`] gives it.
///
/// # Errors
/// - [`Error::AxisOutOfRange`].
/// - [`Error::OutOfBounds`] if the cuts do not ascend, or one is beyond the axis.
/// - [`Error::AllocFailed`].
///
/// ```
/// use restride::{View, split};
///
/// let src = View::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let parts = split(&src, 1, &[1])?;
/// assert_eq!(parts[0].as_slice(), [1, 4]);
/// assert_eq!(parts[1].as_slice(), [2, 3, 5, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn split<T: NoUninit>(
    src: &View<'_, T>,
    axis: usize,
    at: &[usize],
) -> Result<Vec<Array<T>>, Error> {
    check_axis("axis", axis, src.shape().len())?;
    let extent = src.shape()[axis];
    let mut before = 0;
    let mut shapes = Vec::with_capacity(at.len() + 1);
    for &end in at.iter().chain([&extent]) {
        if !(before..=extent).contains(&end) {
            return Err(Error::OutOfBounds {
                arg: "at",
                axis: Some(axis),
                got: end as i128,
                low: before as i128,
                high: extent as i128 + 1,
            });
        }
        shapes.push(with_extent(src.shape(), axis, Some(end - before))?);
        before = end;
    }
    arrays(&shapes, |rooms| {
        split_into(src, axis, rooms, &Options::default())
    })
}

/// [`split`] into destinations, whose extents say where `src` is cut.
///
/// # Errors
/// - [`Error::AxisOutOfRange`].
/// - [`Error::PartRankMismatch`] and [`Error::PartMismatch`] if a part does not fit `src` in another
///   axis, [`Error::SizeMismatch`] if all together are longer or shorter than it.
/// - Those of the options.
pub fn split_into<T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    parts: &mut [ViewMut<'_, D>],
    options: &Options,
) -> Result<(), Error> {
    check_axis("axis", axis, src.shape().len())?;
    let mut all = 0_usize;
    for (part, view) in parts.iter().enumerate() {
        let extent = view.shape().get(axis).copied();
        let want = with_extent(src.shape(), axis, extent.or(Some(0)))?;
        check_part(part, &want, view.shape())?;
        all = all.saturating_add(want[axis]);
    }
    let extent = src.shape()[axis];
    if all != extent {
        let (arg, got, want) = ("parts", all, extent);
        return Err(Error::SizeMismatch { arg, got, want });
    }
    if parts.len() > 1 && alike(parts.iter().map(|part| part.layout())) {
        // Equal parts: the axis is one of parts, and one inside of each.
        let mut shape = PerAxis::from_slice(parts[0].shape());
        shape.insert(axis, parts.len());
        return into_parts(&src.reshape(&shape)?, axis, parts, options);
    }
    let (mut pieces, mut from) = (Pieces::new(), 0);
    for part in parts {
        let to = from + part.shape()[axis];
        pieces.push(src.narrow(axis, from, to - from)?, part.reborrow());
        from = to;
    }
    pieces.run(options).map(drop)
}

/// The indices of one axis of `src`, each in an array of its own, without that axis: the opposite of
/// [`stack`](crate::stack). Rows of a table become separate columns by `unstack(&table, 1)`.
///
/// # Errors
/// [`Error::AxisOutOfRange`], [`Error::AllocFailed`].
///
/// ```
/// use restride::{View, unstack};
///
/// let table = View::from_slice(&[1, 3, 5, 2, 4, 6], &[2, 3])?;
/// let columns = unstack(&table, 1)?;
/// assert_eq!(columns[2].as_slice(), [5, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn unstack<T: NoUninit>(src: &View<'_, T>, axis: usize) -> Result<Vec<Array<T>>, Error> {
    check_axis("axis", axis, src.shape().len())?;
    let mut shape = PerAxis::from_slice(src.shape());
    let parts = shape.remove(axis);
    arrays(&vec![shape; parts], |rooms| {
        unstack_into(src, axis, rooms, &Options::default())
    })
}

/// [`unstack`] into destinations, one for each index of the axis.
///
/// # Errors
/// - [`Error::AxisOutOfRange`].
/// - [`Error::SizeMismatch`] for another number of parts than the axis has indices;
///   [`Error::PartRankMismatch`] and [`Error::PartMismatch`] if one has another shape than `src`
///   without the axis.
/// - Those of the options.
pub fn unstack_into<T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    parts: &mut [ViewMut<'_, D>],
    options: &Options,
) -> Result<(), Error> {
    check_axis("axis", axis, src.shape().len())?;
    let mut shape = PerAxis::from_slice(src.shape());
    let want = shape.remove(axis);
    if parts.len() != want {
        let (arg, got) = ("parts", parts.len());
        return Err(Error::SizeMismatch { arg, got, want });
    }
    for (part, view) in parts.iter().enumerate() {
        check_part(part, &shape, view.shape())?;
    }
    if alike(parts.iter().map(|part| part.layout())) {
        return into_parts(src, axis, parts, options);
    }
    let mut pieces = Pieces::new();
    for (index, part) in parts.iter_mut().enumerate() {
        pieces.push(src.index_axis(axis, index)?, part.reborrow());
    }
    pieces.run(options).map(drop)
}

/// Refuses a part of another shape than it should have.
fn check_part(part: usize, want: &[usize], got: &[usize]) -> Result<(), Error> {
    let arg = "parts";
    if want.len() != got.len() {
        let (want, got) = (want.len(), got.len());
        return Err(Error::PartRankMismatch {
            arg,
            part,
            got,
            want,
        });
    }
    match (0..want.len()).find(|&axis| want[axis] != got[axis]) {
        None => Ok(()),
        Some(axis) => Err(Error::PartMismatch {
            arg,
            part,
            axis,
            got: got[axis],
            want: want[axis],
        }),
    }
}

/// Arrays of these shapes, which `write` fills: all of their elements, whenever it says so.
fn arrays<T: NoUninit>(
    shapes: &[PerAxis<usize>],
    write: impl FnOnce(&mut [ViewMut<'_, MaybeUninit<T>>]) -> Result<(), Error>,
) -> Result<Vec<Array<T>>, Error> {
    let rooms: Result<Vec<_>, Error> = shapes
        .iter()
        .map(|shape| Array::<MaybeUninit<T>>::allocate(shape))
        .collect();
    let mut rooms = rooms?;
    let mut views: Vec<_> = rooms.iter_mut().map(Array::view_mut).collect();
    write(&mut views)?;
    // SAFETY: range: both callers copy a part of the source to every element of every view.
    let filled = |room: Array<MaybeUninit<T>>| unsafe { room.assume_init() };
    Ok(rooms.into_iter().map(filled).collect())
}
