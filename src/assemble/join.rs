//! Views joined: one after another along an axis they have, or along a new one.

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

use super::lists::{alike, from_parts};
use super::pieces::{Pieces, filled};
use super::with_extent;
use crate::array::Array;
use crate::error::Error;
use crate::layout::{PerAxis, check_axis, check_same_shape};
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// The parts one after another along `axis`, in a new array: NumPy's `concatenate`. The parts may
/// differ in that axis, and in nothing else of their shapes; their layouts may be any.
///
/// # Errors
/// - [`Error::NoParts`] without a part, [`Error::AxisOutOfRange`].
/// - [`Error::PartRankMismatch`] and [`Error::PartMismatch`] if a part does not fit the first.
/// - [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and [`Error::AllocFailed`] if the result
///   does not fit memory.
///
/// ```
/// use restride::{View, concat};
///
/// let (left, right) = ([1, 2, 5, 6], [3, 7]);
/// let parts = [View::from_slice(&left, &[2, 2])?, View::from_slice(&right, &[2, 1])?];
/// assert_eq!(concat(&parts, 1)?.as_slice(), [1, 2, 3, 5, 6, 7]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn concat<T: NoUninit>(parts: &[View<'_, T>], axis: usize) -> Result<Array<T>, Error> {
    let shape = concat_shape(parts, axis)?;
    Array::from_shape_with(&shape, |room| {
        concat_into(parts, axis, room, &Options::default())
    })
}

/// [`concat()`] into a destination.
///
/// # Errors
/// Those of [`concat()`] that concern the parts; [`Error::RankMismatch`] and [`Error::ShapeMismatch`]
/// if `dst` has another shape than the result; those of the options.
pub fn concat_into<'d, T: NoUninit, D: Slot<T>>(
    parts: &[View<'_, T>],
    axis: usize,
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_same_shape(&concat_shape(parts, axis)?, dst.shape())?;
    let written = if parts.len() > 1 && alike(parts.iter().map(View::layout)) {
        // Equal parts: the axis is one of parts, and one inside of each.
        let mut shape = PerAxis::from_slice(parts[0].shape());
        shape.insert(axis, parts.len());
        from_parts(parts, axis, &mut dst.reborrow().reshape(&shape)?, options)?
    } else {
        let (mut pieces, mut rest) = (Pieces::new(), dst.reborrow());
        for part in parts {
            let (piece, behind) = rest.split_at(axis, part.shape()[axis])?;
            pieces.push(part.clone(), piece);
            rest = behind;
        }
        pieces.run(options)?
    };
    Ok(filled(dst, written))
}

fn concat_shape<T>(parts: &[View<'_, T>], axis: usize) -> Result<PerAxis<usize>, Error> {
    let first = check_parts(parts, Some(axis))?;
    check_axis("axis", axis, first.len())?;
    let mut extents = parts.iter().map(|part| part.shape()[axis]);
    let all = extents.try_fold(0_usize, usize::checked_add);
    with_extent(first, axis, all)
}

/// The parts side by side along a new axis, which becomes the `axis`th, in a new array: NumPy's
/// `stack`. All parts have the same shape; their layouts may be any.
///
/// Separate columns become the rows of a table by `stack(&columns, 1)`.
///
/// # Errors
/// - [`Error::NoParts`] without a part; [`Error::AxisOutOfRange`] if `axis` is above the parts'
///   rank.
/// - [`Error::PartRankMismatch`] and [`Error::PartMismatch`] if a part does not fit the first.
/// - [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and [`Error::AllocFailed`] if the result
///   does not fit memory.
///
/// ```
/// use restride::{View, stack};
///
/// let columns = [[1, 2], [3, 4], [5, 6]];
/// let parts = columns.each_ref().map(|column| View::from_slice(column, &[2]).unwrap());
/// assert_eq!(stack(&parts, 0)?.as_slice(), [1, 2, 3, 4, 5, 6]);
/// assert_eq!(stack(&parts, 1)?.as_slice(), [1, 3, 5, 2, 4, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn stack<T: NoUninit>(parts: &[View<'_, T>], axis: usize) -> Result<Array<T>, Error> {
    let shape = stack_shape(parts, axis)?;
    Array::from_shape_with(&shape, |room| {
        stack_into(parts, axis, room, &Options::default())
    })
}

/// [`stack`] into a destination.
///
/// # Errors
/// Those of [`stack`] that concern the parts; [`Error::RankMismatch`] and [`Error::ShapeMismatch`]
/// if `dst` has another shape than the result; those of the options.
pub fn stack_into<'d, T: NoUninit, D: Slot<T>>(
    parts: &[View<'_, T>],
    axis: usize,
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_same_shape(&stack_shape(parts, axis)?, dst.shape())?;
    let written = if alike(parts.iter().map(View::layout)) {
        from_parts(parts, axis, dst, options)?
    } else {
        let (mut pieces, mut rest) = (Pieces::new(), dst.reborrow());
        for part in parts {
            let (piece, behind) = rest.split_at(axis, 1)?;
            pieces.push(part.clone(), piece.squeeze(axis)?);
            rest = behind;
        }
        pieces.run(options)?
    };
    Ok(filled(dst, written))
}

fn stack_shape<T>(parts: &[View<'_, T>], axis: usize) -> Result<PerAxis<usize>, Error> {
    let first = check_parts(parts, None)?;
    check_axis("axis", axis, first.len() + 1)?;
    let mut shape = PerAxis::from_slice(first);
    shape.insert(axis, parts.len());
    Ok(shape)
}

/// The shape of the first part, if all others have the same but for one axis.
fn check_parts<'p, T>(parts: &'p [View<'_, T>], but: Option<usize>) -> Result<&'p [usize], Error> {
    let arg = "parts";
    let Some(first) = parts.first() else {
        return Err(Error::NoParts { arg });
    };
    let first = first.shape();
    for (part, view) in parts.iter().enumerate() {
        let shape = view.shape();
        if shape.len() != first.len() {
            return Err(Error::PartRankMismatch {
                arg,
                part,
                got: shape.len(),
                want: first.len(),
            });
        }
        let differs = |&axis: &usize| Some(axis) != but && shape[axis] != first[axis];
        if let Some(axis) = (0..first.len()).find(differs) {
            return Err(Error::PartMismatch {
                arg,
                part,
                axis,
                got: shape[axis],
                want: first[axis],
            });
        }
    }
    Ok(first)
}
