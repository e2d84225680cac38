//! A view repeated as a whole or index by index, and a view rolled over its own end.
//!
//! What is repeated has a stride of 0 in an axis that the destination has beside the repeated one,
//! so a single copy does it.

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

use super::lists::from_indices;
use super::pieces::{Pieces, filled};
use super::with_extent;
use crate::array::Array;
use crate::error::Error;
use crate::layout::{PerAxis, check_axis, check_same_shape};
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// `src` repeated `times[i]` times along axis `i`, as a whole, in a new array: NumPy's `tile`. The
/// shorter of shape and `times` is continued by ones in front.
///
/// # Errors
/// [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and [`Error::AllocFailed`] if the result does
/// not fit memory.
///
/// ```
/// use restride::{View, tile};
///
/// let row = View::from_slice(&[1, 2], &[2])?;
/// let tiled = tile(&row, &[2, 2])?;
/// assert_eq!(tiled.shape(), [2, 4]);
/// assert_eq!(tiled.as_slice(), [1, 2, 1, 2, 1, 2, 1, 2]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn tile<T: NoUninit>(src: &View<'_, T>, times: &[usize]) -> Result<Array<T>, Error> {
    let shape = tile_shape(src.shape(), times)?;
    Array::from_shape_with(&shape, |room| {
        tile_into(src, times, room, &Options::default())
    })
}

/// [`tile`] into a destination.
///
/// # Errors
/// [`Error::SizeOverflow`]; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `dst` has another
/// shape than the result; those of the options.
pub fn tile_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    times: &[usize],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    let shape = tile_shape(src.shape(), times)?;
    check_same_shape(&shape, dst.shape())?;
    let rank = shape.len();
    let mut from = src.clone();
    for _ in src.shape().len()..rank {
        from = from.unsqueeze(0)?;
    }
    // Each axis becomes two: which repetition, and where in it.
    let mut axes: PerAxis<usize> = PerAxis::new();
    for axis in 0..rank {
        let time = (axis + times.len())
            .checked_sub(rank)
            .map_or(1, |i| times[i]);
        axes.extend([time, from.shape()[2 * axis]]);
        from = from.unsqueeze(2 * axis)?;
    }
    let mut pieces = Pieces::new();
    pieces.push(from.broadcast_to(&axes)?, dst.reborrow().reshape(&axes)?);
    let written = pieces.run(options)?;
    Ok(filled(dst, written))
}

fn tile_shape(shape: &[usize], times: &[usize]) -> Result<PerAxis<usize>, Error> {
    let rank = shape.len().max(times.len());
    let of =
        |list: &[usize], axis: usize| (axis + list.len()).checked_sub(rank).map_or(1, |i| list[i]);
    let extent = |axis: usize| {
        let (arg, extent) = ("shape", of(shape, axis).checked_mul(of(times, axis)));
        extent.ok_or(Error::SizeOverflow { arg, axis })
    };
    (0..rank).map(extent).collect()
}

/// Every index of an axis of `src` `times` times in a row, in a new array: NumPy's `repeat`.
///
/// # Errors
/// [`Error::AxisOutOfRange`]; [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and
/// [`Error::AllocFailed`] if the result does not fit memory.
///
/// ```
/// use restride::{View, repeat};
///
/// let src = View::from_slice(&[1, 2, 3, 4], &[2, 2])?;
/// assert_eq!(repeat(&src, 0, 2)?.as_slice(), [1, 2, 1, 2, 3, 4, 3, 4]);
/// assert_eq!(repeat(&src, 1, 2)?.as_slice(), [1, 1, 2, 2, 3, 3, 4, 4]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn repeat<T: NoUninit>(
    src: &View<'_, T>,
    axis: usize,
    times: usize,
) -> Result<Array<T>, Error> {
    let shape = repeat_shape(src.shape(), axis, times)?;
    Array::from_shape_with(&shape, |room| {
        repeat_into(src, axis, times, room, &Options::default())
    })
}

/// [`repeat`] into a destination.
///
/// # Errors
/// Those of [`repeat`] but for memory; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `dst`
/// has another shape than the result; those of the options.
pub fn repeat_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    times: usize,
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_same_shape(&repeat_shape(src.shape(), axis, times)?, dst.shape())?;
    let mut axes = PerAxis::from_slice(src.shape());
    axes.insert(axis + 1, times);
    let from = src.unsqueeze(axis + 1)?.broadcast_to(&axes)?;
    let mut pieces = Pieces::new();
    pieces.push(from, dst.reborrow().reshape(&axes)?);
    let written = pieces.run(options)?;
    Ok(filled(dst, written))
}

fn repeat_shape(shape: &[usize], axis: usize, times: usize) -> Result<PerAxis<usize>, Error> {
    check_axis("axis", axis, shape.len())?;
    with_extent(shape, axis, shape[axis].checked_mul(times))
}

/// Index `i` of an axis of `src` `times[i]` times in a row, in a new array: NumPy's `repeat` with a
/// list.
///
/// # Errors
/// Those of [`repeat`], and [`Error::SizeMismatch`] if `times` has not one entry for each index.
///
/// ```
/// use restride::{View, repeat_each};
///
/// let src = View::from_slice(&[1, 2, 3], &[3])?;
/// assert_eq!(repeat_each(&src, 0, &[2, 0, 1])?.as_slice(), [1, 1, 3]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn repeat_each<T: NoUninit>(
    src: &View<'_, T>,
    axis: usize,
    times: &[usize],
) -> Result<Array<T>, Error> {
    let shape = repeat_each_shape(src.shape(), axis, times)?;
    Array::from_shape_with(&shape, |room| {
        repeat_each_into(src, axis, times, room, &Options::default())
    })
}

/// [`repeat_each`] into a destination.
///
/// # Errors
/// Those of [`repeat_each`] but for memory; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if
/// `dst` has another shape than the result; those of the options.
pub fn repeat_each_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    axis: usize,
    times: &[usize],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_same_shape(&repeat_each_shape(src.shape(), axis, times)?, dst.shape())?;
    let written = if dst.is_empty() {
        0
    } else {
        let each = times.iter().enumerate();
        let indices: Vec<usize> = each
            .flat_map(|(index, &times)| core::iter::repeat_n(index, times))
            .collect();
        from_indices((src, axis), &indices, dst, options)?
    };
    Ok(filled(dst, written))
}

fn repeat_each_shape(
    shape: &[usize],
    axis: usize,
    times: &[usize],
) -> Result<PerAxis<usize>, Error> {
    check_axis("axis", axis, shape.len())?;
    if times.len() != shape[axis] {
        let (arg, got, want) = ("times", times.len(), shape[axis]);
        return Err(Error::SizeMismatch { arg, got, want });
    }
    let all = times
        .iter()
        .try_fold(0_usize, |all, &times| all.checked_add(times));
    with_extent(shape, axis, all)
}

/// `src` with its indices moved on along axes, those that leave at one end entering at the other,
/// in a new array: NumPy's `roll`. `by` names axes and how far to move them, in either direction; an
/// axis named twice moves twice.
///
/// # Errors
/// [`Error::AxisOutOfRange`], [`Error::AllocFailed`].
///
/// ```
/// use restride::{View, roll};
///
/// let src = View::from_slice(&[1, 2, 3, 4, 5], &[5])?;
/// assert_eq!(roll(&src, &[(0, 2)])?.as_slice(), [4, 5, 1, 2, 3]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn roll<T: NoUninit>(src: &View<'_, T>, by: &[(usize, isize)]) -> Result<Array<T>, Error> {
    roll_steps(src.shape(), by)?;
    Array::from_shape_with(src.shape(), |room| {
        roll_into(src, by, room, &Options::default())
    })
}

/// [`roll`] into a destination.
///
/// # Errors
/// [`Error::AxisOutOfRange`]; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `dst` has
/// another shape than `src`; those of the options.
pub fn roll_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    by: &[(usize, isize)],
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    let steps = roll_steps(src.shape(), by)?;
    check_same_shape(src.shape(), dst.shape())?;
    // Each axis that moves cuts what there is in two.
    let mut parts = vec![(src.clone(), dst.reborrow())];
    for (axis, &step) in steps.iter().enumerate().filter(|&(_, &step)| step > 0) {
        let kept = src.shape()[axis] - step;
        let mut cut = Vec::with_capacity(2 * parts.len());
        for (from, to) in parts {
            let (entering, moved) = to.split_at(axis, step)?;
            cut.push((from.narrow(axis, kept, step)?, entering));
            cut.push((from.narrow(axis, 0, kept)?, moved));
        }
        parts = cut;
    }
    let mut pieces = Pieces::new();
    parts
        .into_iter()
        .for_each(|(from, to)| pieces.push(from, to));
    let written = pieces.run(options)?;
    Ok(filled(dst, written))
}

/// How far each axis moves, below its extent.
fn roll_steps(shape: &[usize], by: &[(usize, isize)]) -> Result<PerAxis<usize>, Error> {
    let mut steps = PerAxis::from_elem(0, shape.len());
    for &(axis, by) in by {
        check_axis("by", axis, shape.len())?;
        let extent = shape[axis].max(1) as i128;
        steps[axis] = (steps[axis] as i128 + by as i128).rem_euclid(extent) as usize;
    }
    Ok(steps)
}
