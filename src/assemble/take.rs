//! Indices of an axis by a list: copied from there, or to there. A list has no strides, so this is
//! always a copy, never a view.

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

use super::lists::{from_indices, into_indices};
use super::pieces::filled;
use super::with_extent;
use crate::array::Array;
use crate::error::Error;
use crate::layout::{check_axis, check_same_shape};
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// The indices of an axis that a list names, in its order, in a new array: NumPy's `take`. Negative
/// entries count from the end.
///
/// # Errors
/// - [`Error::AxisOutOfRange`].
/// - [`Error::OutOfBounds`] for an entry that the axis does not have.
/// - [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and [`Error::AllocFailed`] if the result does
///   not fit memory.
///
/// ```
/// use restride::{View, take};
///
/// let src = View::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let taken = take(&src, 1, &[2, 0, 0, -1])?;
/// assert_eq!(taken.as_slice(), [3, 1, 1, 3, 6, 4, 4, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn take<T: NoUninit>(
    src: &View<'_, T>,
    axis: usize,
    indices: &[isize],
) -> Result<Array<T>, Error> {
    let indices = resolve(src.shape(), axis, indices)?;
    taken(src, axis, &indices)
}

/// [`take`] into a destination.
///
/// # Errors
/// Those of [`take`] but for memory; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `dst` has
/// another shape than the result; those of the options.
pub fn take_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    indices: &[isize],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    let indices = resolve(src.shape(), axis, indices)?;
    taken_into(src, axis, &indices, dst, options)
}

/// The rows of `src` that a list names, in its order, in a new array: [`take`] along the first axis
/// with a list that only counts from the front, as tables of embeddings are looked up.
///
/// # Errors
/// Those of [`take`].
///
/// ```
/// use restride::{View, gather_rows};
///
/// let table = View::from_slice(&[1, 2, 3, 4, 5, 6], &[3, 2])?;
/// assert_eq!(gather_rows(&table, &[2, 0, 2])?.as_slice(), [5, 6, 1, 2, 5, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn gather_rows<T: NoUninit>(src: &View<'_, T>, rows: &[usize]) -> Result<Array<T>, Error> {
    check_rows(src.shape(), rows)?;
    taken(src, 0, rows)
}

/// [`gather_rows`] into a destination.
///
/// # Errors
/// Those of [`take_into`].
pub fn gather_rows_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    rows: &[usize],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_rows(src.shape(), rows)?;
    taken_into(src, 0, rows, dst, options)
}

/// Copies index `k` of an axis of `src` to the index of the same axis of `dst` that entry `k` of a
/// list names: `dst[.., indices, ..] = src` in NumPy. Negative entries count from the end. What the
/// list does not name stays as it is; where it names an index more than once, its last entry counts.
///
/// # Errors
/// - [`Error::AxisOutOfRange`].
/// - [`Error::OutOfBounds`] for an entry that the axis of `dst` does not have.
/// - [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `src` has another shape than `dst` with
///   one index for each entry.
/// - Those of the options.
///
/// ```
/// use restride::{Options, View, ViewMut, put};
///
/// let mut dst = [0; 6];
/// let rows = View::from_slice(&[1, 2, 3, 4], &[2, 2])?;
/// put(&rows, 0, &[2, 0], &mut ViewMut::from_slice(&mut dst, &[3, 2])?, &Options::default())?;
/// assert_eq!(dst, [3, 4, 0, 0, 1, 2]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn put<T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    indices: &[isize],
    dst: &mut ViewMut<'_, D>,
    options: &Options,
) -> Result<(), Error> {
    let indices = resolve(dst.shape(), axis, indices)?;
    let want = with_extent(dst.shape(), axis, Some(indices.len()))?;
    check_same_shape(src.shape(), &want)?;
    into_indices((src, axis), &indices, dst, options)
}

fn taken<T: NoUninit>(
    src: &View<'_, T>,
    axis: usize,
    indices: &[usize],
) -> Result<Array<T>, Error> {
    let shape = with_extent(src.shape(), axis, Some(indices.len()))?;
    Array::from_shape_with(&shape, |room| {
        taken_into(src, axis, indices, room, &Options::default())
    })
}

fn taken_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    indices: &[usize],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    let shape = with_extent(src.shape(), axis, Some(indices.len()))?;
    check_same_shape(&shape, dst.shape())?;
    let written = from_indices((src, axis), indices, dst, options)?;
    Ok(filled(dst, written))
}

/// The indices that a list names, all from the front.
fn resolve(shape: &[usize], axis: usize, indices: &[isize]) -> Result<Vec<usize>, Error> {
    check_axis("axis", axis, shape.len())?;
    let extent = shape[axis] as i128;
    let resolved = indices.iter().map(|&index| {
        let got = index as i128;
        if (-extent..extent).contains(&got) {
            return Ok(got.rem_euclid(extent) as usize);
        }
        Err(Error::OutOfBounds {
            arg: "indices",
            axis: Some(axis),
            got,
            low: -extent,
            high: extent,
        })
    });
    resolved.collect()
}

fn check_rows(shape: &[usize], rows: &[usize]) -> Result<(), Error> {
    check_axis("axis", 0, shape.len())?;
    match rows.iter().find(|&&row| row >= shape[0]) {
        None => Ok(()),
        Some(&row) => Err(Error::OutOfBounds {
            arg: "rows",
            axis: Some(0),
            got: row as i128,
            low: 0,
            high: shape[0] as i128,
        }),
    }
}
