//! A view with a margin around it.
//!
//! The destination is cut axis by axis, the last first: what lies before, the part that the source
//! has indices for, what lies after. Margins of a value are pieces as soon as they are cut; margins
//! of the source's own elements are cut further, together with the middle. Where a margin is in every line or two of the
//! destination, that is done block by block: what is written of a line by one piece is in the cache when the next one
//! comes. Channels of one value, as alpha is, are not cut off where kernels write them with the pixels ([`channels`]).

#![forbid(unsafe_code)]

use bytemuck::NoUninit;

use super::channels;
use super::pieces::{Pieces, filled};
use crate::array::Array;
use crate::error::Error;
use crate::layout::{PerAxis, check_same_shape};
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
    check_same_shape(&padded(src.shape(), widths, &margin)?, dst.shape())?;
    if let Pad::Constant(value) = &margin
        && let Some(written) = channels::fill(src, widths, value, dst, options)?
    {
        return Ok(filled(dst, written));
    }
    let value = match &margin {
        Pad::Constant(value) => Some(View::from_slice(core::slice::from_ref(value), &[])?),
        Pad::Edge | Pad::Wrap => None,
    };
    let mut pieces = Pieces::new();
    for block in blocks(src, dst.reborrow(), widths)? {
        cut(widths, &margin, value.as_ref(), block, &mut pieces)?;
    }
    let written = pieces.run(options)?;
    Ok(filled(dst, written))
}

/// Pairs of a part of the source and the part of the destination it goes to.
type Cut<'s, 'd, T, D> = Vec<(View<'s, T>, ViewMut<'d, D>)>;

/// Bytes of the destination that are written by all of their pieces before others are: they stay in a second-level
/// cache, and with one core. 16 million RGB pixels that get a fourth channel in two pieces, milliseconds without and so, one
/// thread and two (Xeon): u8 9.6 and 8.6, 6.3 and 4.6; f32, 4 million, 9.6 and 8.5, 7.2 and 4.8. Other sizes were not
/// tried.
const BLOCK: usize = 256 << 10;

/// Bytes between margins below which they are in most lines: *guess*, some lines.
const FINE: usize = 1 << 10;

/// Both sides whole, or, if margins are fine, in blocks along the first axis, if that has no margin itself.
fn blocks<'s, 'd, T: NoUninit, D: Slot<T>>(
    src: &View<'s, T>,
    dst: ViewMut<'d, D>,
    widths: &[(usize, usize)],
) -> Result<Cut<'s, 'd, T, D>, Error> {
    let whole = (src.clone(), dst);
    let Some(padded) = widths.iter().rposition(|&width| width != (0, 0)) else {
        return Ok(vec![whole]);
    };
    let shape = PerAxis::from_slice(whole.1.shape());
    // Bytes of all indices of an axis and those after it.
    let bytes = |axis: usize| {
        let extents = shape[axis..].iter();
        extents.fold(size_of::<T>(), |bytes, &extent| {
            bytes.saturating_mul(extent)
        })
    };
    let each = (BLOCK / bytes(1).max(1)).max(1);
    let fine = bytes(padded) < FINE && widths[0] == (0, 0) && whole.1.layout().is_row_major();
    if !fine || shape[0] <= each {
        return Ok(vec![whole]);
    }
    let mut all = Vec::with_capacity(shape[0].div_ceil(each));
    let mut rest = whole.1;
    for start in (0..shape[0]).step_by(each) {
        let end = shape[0].min(start + each);
        let (block, after) = rest.split_at(0, end - start)?;
        all.push((src.narrow(0, start, end - start)?, block));
        rest = after;
    }
    Ok(all)
}

/// Cuts all margins off, of which `value` is what they hold if that is one.
fn cut<'s, 'd, T: NoUninit, D: Slot<T>>(
    widths: &[(usize, usize)],
    margin: &Pad<T>,
    value: Option<&View<'s, T>>,
    whole: (View<'s, T>, ViewMut<'d, D>),
    pieces: &mut Pieces<'s, 'd, T, D>,
) -> Result<(), Error> {
    let mut inner = vec![whole];
    for (axis, &width) in widths.iter().enumerate().rev() {
        let mut cut = Vec::with_capacity(3 * inner.len());
        for (from, to) in inner {
            match (value, margin) {
                (Some(value), _) => {
                    let (before, to) = to.split_at(axis, width.0)?;
                    let (to, after) = to.split_at(axis, from.shape()[axis])?;
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
    Ok(())
}

/// The first index before the axis, the last one after it.
fn extend<'s, 'd, T, D>(
    axis: usize,
    width: (usize, usize),
    from: View<'s, T>,
    to: ViewMut<'d, D>,
    cut: &mut Cut<'s, 'd, T, D>,
) -> Result<(), Error> {
    let extent = from.shape()[axis];
    let (before, to) = to.split_at(axis, width.0)?;
    let (to, after) = to.split_at(axis, extent)?;
    for (index, margin) in [(0, before), (extent.saturating_sub(1), after)] {
        if margin.shape()[axis] > 0 {
            let one = from.narrow(axis, index, 1)?;
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
    let (start, to) = to.split_at(axis, head)?;
    let (middle, end) = to.split_at(axis, times * extent)?;
    cut.push((from.narrow(axis, extent - head, head)?, start));
    cut.push((from.narrow(axis, 0, tail)?, end));
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
