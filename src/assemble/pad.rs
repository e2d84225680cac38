//! A view with a margin around it.
//!
//! The destination is cut axis by axis, the last first: what lies before, the part that the source
//! has indices for, what lies after. Margins of a value are pieces as soon as they are cut; margins
//! of the source's own elements are cut further, together with the middle.

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

use super::pieces::{Pieces, filled};
use super::{check_shape, narrow};
use crate::array::Array;
use crate::error::Error;
use crate::layout::PerAxis;
use crate::plan::Options;
use crate::view::{Slot, View, ViewMut};

/// What a margin holds. The names are those of NumPy's `pad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pad<T> {
    /// One value.
    Constant(T),
    /// The nearest element.
    Edge,
    /// The elements of the other end, as if the source were repeated without end.
    Wrap,
}

/// `src` with a margin of `widths[i]` indices before and after axis `i`, in a new array: NumPy's
/// `pad`.
///
/// # Errors
/// - [`Error::RankMismatch`] if there is not one pair of widths per axis.
/// - [`Error::NothingToRepeat`] for a margin of [`Pad::Edge`] or [`Pad::Wrap`] at an axis without an
///   index.
/// - [`Error::SizeOverflow`], [`Error::OffsetOverflow`] and [`Error::AllocFailed`] if the result
///   does not fit memory.
///
/// ```
/// use restride::{Pad, View, pad};
///
/// let src = View::from_slice(&[1, 2, 3], &[3])?;
/// assert_eq!(pad(&src, &[(1, 2)], Pad::Constant(0))?.as_slice(), [0, 1, 2, 3, 0, 0]);
/// assert_eq!(pad(&src, &[(1, 2)], Pad::Edge)?.as_slice(), [1, 1, 2, 3, 3, 3]);
/// assert_eq!(pad(&src, &[(1, 2)], Pad::Wrap)?.as_slice(), [3, 1, 2, 3, 1, 2]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn pad<T: NoUninit>(
    src: &View<'_, T>,
    widths: &[(usize, usize)],
    margin: Pad<T>,
) -> Result<Array<T>, Error> {
    let shape = padded(src.shape(), widths, &margin)?;
    Array::from_shape_with(&shape, |room| {
        pad_into(src, widths, margin, room, &Options::default())
    })
}

/// [`pad`] into a destination.
///
/// # Errors
/// Those of [`pad`] but for memory; [`Error::RankMismatch`] and [`Error::ShapeMismatch`] if `dst` has
/// another shape than the result; those of the options.
pub fn pad_into<'d, T: NoUninit, D: Slot<T>>(
    src: &View<'_, T>,
    widths: &[(usize, usize)],
    margin: Pad<T>,
    dst: &'d mut ViewMut<'_, D>,
    options: &Options,
) -> Result<D::Filled<'d>, Error> {
    check_shape(&padded(src.shape(), widths, &margin)?, dst.shape())?;
    let value = match &margin {
        Pad::Constant(value) => Some(View::from_slice(core::slice::from_ref(value), &[])?),
        Pad::Edge | Pad::Wrap => None,
    };
    let mut pieces = Pieces::new();
    let mut inner = vec![(src.clone(), dst.reborrow())];
    for (axis, &width) in widths.iter().enumerate().rev() {
        let mut cut = Vec::with_capacity(3 * inner.len());
        for (from, to) in inner {
            match (&value, &margin) {
                (Some(value), _) => {
                    let (before, to) = to.cut(axis, width.0)?;
                    let (to, after) = to.cut(axis, src.shape()[axis])?;
                    for margin in [before, after] {
                        pieces.push(value.broadcast_to(margin.shape())?, margin);
                    }
                    cut.push((from, to));
                }
                (_, Pad::Wrap) => wrap(axis, width, from, to, &mut cut)?,
                _ => extend(axis, width, from, to, &mut cut)?,
            }
        }
        inner = cut;
    }
    inner
        .into_iter()
        .for_each(|(from, to)| pieces.push(from, to));
    let written = pieces.run(options)?;
    Ok(filled(dst, written))
}

/// Pairs of a part of the source and the part of the destination it goes to.
type Cut<'s, 'd, T, D> = Vec<(View<'s, T>, ViewMut<'d, D>)>;

/// The first index before the axis, the last one after it.
fn extend<'s, 'd, T, D>(
    axis: usize,
    width: (usize, usize),
    from: View<'s, T>,
    to: ViewMut<'d, D>,
    cut: &mut Cut<'s, 'd, T, D>,
) -> Result<(), Error> {
    let extent = from.shape()[axis];
    let (before, to) = to.cut(axis, width.0)?;
    let (to, after) = to.cut(axis, extent)?;
    for (index, margin) in [(0, before), (extent.saturating_sub(1), after)] {
        if margin.shape()[axis] > 0 {
            let one = narrow(&from, axis, index, index + 1)?;
            // The axes before this one are not cut yet.
            let mut shape = PerAxis::from_slice(one.shape());
            shape[axis] = margin.shape()[axis];
            cut.push((one.broadcast_to(&shape)?, margin));
        }
    }
    cut.push((from, to));
    Ok(())
}

/// Whole repetitions as one piece with an axis more, and what is left of one at both ends.
fn wrap<'s, 'd, T, D>(
    axis: usize,
    (before, after): (usize, usize),
    from: View<'s, T>,
    to: ViewMut<'d, D>,
    cut: &mut Cut<'s, 'd, T, D>,
) -> Result<(), Error> {
    let extent = from.shape()[axis];
    if extent == 0 {
        cut.push((from, to));
        return Ok(());
    }
    let (head, tail) = (before % extent, after % extent);
    let times = before / extent + 1 + after / extent;
    let (start, to) = to.cut(axis, head)?;
    let (middle, end) = to.cut(axis, times * extent)?;
    cut.push((narrow(&from, axis, extent - head, extent)?, start));
    cut.push((narrow(&from, axis, 0, tail)?, end));
    // The axes before this one are not cut yet.
    let [source, dest] = [from.shape(), middle.shape()].map(|shape| {
        let mut axes = PerAxis::from_slice(shape);
        axes[axis] = extent;
        axes.insert(axis, times);
        axes
    });
    let repeated = from.unsqueeze(axis)?.broadcast_to(&source)?;
    cut.push((repeated, middle.reshape(&dest)?));
    Ok(())
}

/// The shape of the result.
fn padded<T>(
    shape: &[usize],
    widths: &[(usize, usize)],
    margin: &Pad<T>,
) -> Result<PerAxis<usize>, Error> {
    if widths.len() != shape.len() {
        let (arg, got, want) = ("widths", widths.len(), shape.len());
        return Err(Error::RankMismatch { arg, got, want });
    }
    let extents = shape.iter().zip(widths).enumerate();
    extents
        .map(|(axis, (&extent, &(before, after)))| {
            if extent == 0 && before.max(after) > 0 && !matches!(margin, Pad::Constant(_)) {
                return Err(Error::NothingToRepeat { axis });
            }
            let all = extent.checked_add(before);
            let all = all.and_then(|all| all.checked_add(after));
            let arg = "shape";
            all.ok_or(Error::SizeOverflow { arg, axis })
        })
        .collect()
}
