//! Does the arithmetic of a layout fit? Element counts and reaches, each bound summed on its own.
//!
//! The lowest and the highest place are separate sums: strides of opposite signs must not cancel.
//! Terms and sums are i128 and cannot overflow: the extents' product fits isize, so the sum of
//! `(extent - 1) * |stride|` stays below 2^126.

use crate::error::{Error, Unit};

/// The product of the extents, 0 if one of them is 0; an error if the product of the others exceeds
/// `isize::MAX`.
#[inline]
pub(crate) fn checked_len(shape: &[usize]) -> Result<usize, Error> {
    let mut product = 1_usize;
    let mut empty = false;
    for (axis, &extent) in shape.iter().enumerate() {
        empty |= extent == 0;
        product = product
            .checked_mul(extent.max(1))
            .filter(|&product| product <= isize::MAX as usize)
            .ok_or(Error::SizeOverflow { arg: "shape", axis })?;
    }
    Ok(if empty { 0 } else { product })
}

/// Refuses a destination of another shape than the source's, or than a result has.
pub(crate) fn check_same_shape(src: &[usize], dst: &[usize]) -> Result<(), Error> {
    if src.len() != dst.len() {
        return Err(Error::RankMismatch {
            arg: "dst",
            got: dst.len(),
            want: src.len(),
        });
    }
    match (0..src.len()).find(|&axis| src[axis] != dst[axis]) {
        None => Ok(()),
        Some(axis) => Err(Error::ShapeMismatch {
            axis,
            src: src[axis],
            dst: dst[axis],
        }),
    }
}

/// Refuses an axis that the rank does not have.
#[inline]
pub(crate) fn check_axis(arg: &'static str, axis: usize, rank: usize) -> Result<(), Error> {
    if axis < rank {
        return Ok(());
    }
    let got = axis;
    Err(Error::AxisOutOfRange { arg, got, rank })
}

/// Sums up the lowest and the highest place that indices reach from `start`, in units of the strides
/// of `axes`, which are (extent, stride). `admit` is asked after each axis that has a second index.
#[inline]
pub(crate) fn reach(
    axes: impl Iterator<Item = (usize, isize)>,
    start: i128,
    mut admit: impl FnMut(usize, i128, i128) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut low, mut high) = (start, start);
    for (axis, (extent, stride)) in axes.enumerate() {
        if extent > 1 {
            let reach = (extent as i128 - 1) * stride as i128;
            *(if reach < 0 { &mut low } else { &mut high }) += reach;
            admit(axis, low, high)?;
        }
    }
    Ok(())
}

/// Element arithmetic fits: no index below 0, none beyond `isize::MAX`.
pub(super) fn check_elements(
    shape: &[usize],
    strides: &[isize],
    offset: usize,
    len: usize,
) -> Result<(), Error> {
    let limit = isize::MAX as i128;
    if offset > isize::MAX as usize {
        return Err(Error::OffsetOverflow {
            arg: "offset",
            axis: None,
            unit: Unit::Element,
        });
    }
    if len == 0 {
        return Ok(());
    }
    let axes = shape.iter().copied().zip(strides.iter().copied());
    reach(axes, offset as i128, |axis, low, high| {
        if high > limit {
            let unit = Unit::Element;
            return Err(Error::OffsetOverflow {
                arg: "strides",
                axis: Some(axis),
                unit,
            });
        }
        if low < 0 {
            let (arg, axis) = ("strides", Some(axis));
            return Err(Error::OutOfBounds {
                arg,
                axis,
                got: low,
                low: 0,
                high: limit,
            });
        }
        Ok(())
    })?;
    Ok(())
}

impl super::Layout {
    /// Whether every index stays inside a storage of `len` elements of `size` bytes, and the bytes
    /// of it fit isize.
    #[inline]
    pub(crate) fn check_storage(&self, len: usize, size: usize) -> Result<(), Error> {
        let end = self.storage_range().end;
        let fits = |bytes| bytes <= isize::MAX as usize;
        if end <= len && end.checked_mul(size).is_some_and(fits) {
            return Ok(());
        }
        self.what_storage_lacks(len, size)
    }

    /// [`Self::check_storage`], axis by axis, so that it can say which one is wrong.
    #[cold]
    fn what_storage_lacks(&self, len: usize, size: usize) -> Result<(), Error> {
        let high = len as i128;
        let offset = self.offset as i128;
        let outside = |arg, axis, got| Error::OutOfBounds {
            arg,
            axis,
            got,
            low: 0,
            high,
        };
        if self.is_empty() {
            // One past the end is a place where nothing can stand.
            return if offset <= high {
                Ok(())
            } else {
                Err(outside("offset", None, offset))
            };
        }
        let fits_bytes = |top: i128| (top + 1) * size as i128 <= isize::MAX as i128;
        let overflow = |arg, axis| Error::OffsetOverflow {
            arg,
            axis,
            unit: Unit::Byte,
        };
        if !fits_bytes(offset) {
            return Err(overflow("offset", None));
        }
        if offset >= high {
            return Err(outside("offset", None, offset));
        }
        let axes = self.shape.iter().copied().zip(self.strides.iter().copied());
        reach(axes, offset, |axis, _, top| {
            if !fits_bytes(top) {
                return Err(overflow("strides", Some(axis)));
            }
            if top >= high {
                return Err(outside("strides", Some(axis), top));
            }
            Ok(())
        })
    }
}
