//! The same bytes as other elements: `n` of them for each, as one more axis, or back.

use super::Layout;
use crate::error::{Error, Unit};

impl Layout {
    /// The layout of elements of which `n` make one of these, side by side: the last axis walks them.
    /// What [`View::unpack`](crate::View::unpack) does to elements `[T; N]`.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] as for [`Layout::new`], [`Error::OffsetOverflow`] if a place in the
    /// smaller elements does not fit `isize`.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let pixels = Layout::row_major(&[480, 640])?.unpack(3)?;
    /// assert_eq!((pixels.shape(), pixels.strides()), (&[480, 640, 3][..], &[1920, 3, 1][..]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unpack(&self, n: usize) -> Result<Self, Error> {
        let overflow = |arg, axis| Error::OffsetOverflow {
            arg,
            axis,
            unit: Unit::Element,
        };
        let mut shape = self.shape.clone();
        shape.push(n);
        let mut strides = self.strides.clone();
        for (axis, stride) in strides.iter_mut().enumerate() {
            let wider = isize::try_from(n).ok().and_then(|n| stride.checked_mul(n));
            *stride = match wider {
                Some(wider) => wider,
                // Never used.
                None if self.is_empty() || self.shape[axis] == 1 => 0,
                None => return Err(overflow("strides", Some(axis))),
            };
        }
        strides.push(1);
        let offset = self.offset.checked_mul(n);
        Self::from_parts(shape, strides, offset.ok_or(overflow("offset", None))?)
    }

    /// The layout of elements that are `n` of these: the last axis is dropped. The second number says
    /// how many of the elements here stand before the first place that counts in the new ones, because
    /// the old offset need not be a multiple of `n`. The reverse of [`Layout::unpack`].
    ///
    /// # Errors
    /// - [`Error::AxisOutOfRange`] if there is no axis, [`Error::SizeMismatch`] if the last one has
    ///   another extent than `n`.
    /// - [`Error::ReshapeNeedsCopy`] if the `n` are not side by side, or the other strides are no
    ///   multiples of `n`.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let pixels = Layout::new(&[480, 640, 3], &[1920, 3, 1], 7)?.pack(3)?;
    /// assert_eq!(pixels, (Layout::new(&[480, 640], &[640, 1], 2)?, 1));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn pack(&self, n: usize) -> Result<(Self, usize), Error> {
        let Some(last) = self.rank().checked_sub(1) else {
            let (arg, got, rank) = ("self", 0, 0);
            return Err(Error::AxisOutOfRange { arg, got, rank });
        };
        if self.shape[last] != n {
            return Err(Error::SizeMismatch {
                arg: "n",
                got: n,
                want: self.shape[last],
            });
        }
        if n > 1 && !self.is_empty() && self.strides[last] != 1 {
            return Err(Error::ReshapeNeedsCopy { axis: last });
        }
        let mut result = self.clone();
        result.shape.pop();
        result.strides.pop();
        result.len = super::checked_len(&result.shape)?;
        if n == 0 {
            // Elements without bytes: all of them stand anywhere.
            result.strides.fill(0);
            result.offset = 0;
            return Ok((result, 0));
        }
        for axis in 0..last {
            let stride = &mut result.strides[axis];
            if self.is_empty() || self.shape[axis] == 1 {
                *stride = 0;
            } else if *stride % n as isize == 0 {
                *stride /= n as isize;
            } else {
                return Err(Error::ReshapeNeedsCopy { axis });
            }
        }
        result.offset = self.offset / n;
        Ok((result, self.offset % n))
    }
}
