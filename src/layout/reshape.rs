//! Reshape: the same elements in the same logical order under another shape, where strides can say
//! it.
//!
//! Old axes (those of extent 1 left out) and new axes are matched from the front in the smallest
//! groups with equal products. A group has a view if its old axes follow each other in memory as
//! one; its new strides are then products of the new extents. The method is NumPy's
//! (`_attempt_nocopy_reshape`), and it finds a view whenever there is one.

use smallvec::SmallVec;

use super::{Layout, PerAxis, checked_len};
use crate::error::Error;

/// An extent for [`Layout::reshape`] to find.
pub const INFER: usize = usize::MAX;

impl Layout {
    /// The same elements in the same (row-major) logical order under another shape. One of the extents
    /// may be [`INFER`]: it is what the others leave.
    ///
    /// # Errors
    /// - [`Error::SizeOverflow`] as for [`Layout::new`].
    /// - [`Error::SizeMismatch`] if `shape` has another number of elements, or no inferred extent makes
    ///   it the right one, or there are two of them.
    /// - [`Error::ReshapeNeedsCopy`] if no strides can express it: make a contiguous copy first.
    ///
    /// ```
    /// use restride::{INFER, Layout};
    ///
    /// let rows = Layout::row_major(&[4, 6])?;
    /// assert_eq!(rows.reshape(&[2, INFER, 3])?.shape(), [2, 4, 3]);
    /// assert!(rows.transpose().reshape(&[24]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[usize]) -> Result<Self, Error> {
        if let Some(axis) = shape.iter().position(|&extent| extent == INFER) {
            return self.reshape(&self.inferred(shape, axis)?);
        }
        let len = checked_len(shape)?;
        if len != self.len {
            return Err(Error::SizeMismatch {
                arg: "shape",
                got: len,
                want: self.len,
            });
        }
        if self.is_empty() {
            return Ok(Self {
                offset: self.offset,
                ..Self::row_major(shape)?
            });
        }
        let old: PerAxis<(usize, isize)> = self.axes().collect();
        let mut strides: PerAxis<isize> = SmallVec::from_elem(1, shape.len());
        let (mut from, mut to) = (0, 0);
        while from < old.len() {
            let group = Group::starting(&old[from..], &shape[to..]);
            let (old_end, new_end) = (from + group.old, to + group.new);
            if !follow_each_other(&old[from..old_end]) {
                return Err(Error::ReshapeNeedsCopy { axis: to });
            }
            let mut stride = old[old_end - 1].1;
            for axis in (to..new_end).rev() {
                strides[axis] = stride;
                stride = stride.wrapping_mul(shape[axis] as isize);
            }
            (from, to) = (old_end, new_end);
        }
        Ok(Self {
            shape: shape.into(),
            strides,
            offset: self.offset,
            len,
        })
    }
}

impl Layout {
    /// As [`Layout::reshape`], in column-major logical order: the first index runs fastest, in this and
    /// in the new shape.
    ///
    /// # Errors
    /// As [`Layout::reshape`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let columns = Layout::column_major(&[4, 6])?;
    /// assert!(columns.reshape(&[24]).is_err());
    /// assert_eq!(columns.reshape_column_major(&[24])?.strides(), [1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn reshape_column_major(&self, shape: &[usize]) -> Result<Self, Error> {
        let reversed: PerAxis<usize> = shape.iter().rev().copied().collect();
        let reshaped = self.transpose().reshape(&reversed);
        let reshaped = reshaped.map_err(|error| error.with_axes_reversed(shape.len()))?;
        Ok(reshaped.transpose())
    }

    /// All elements along one axis, in row-major logical order.
    ///
    /// # Errors
    /// [`Error::ReshapeNeedsCopy`] if no stride can express it.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::row_major(&[4, 6])?.flatten()?.shape(), [24]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn flatten(&self) -> Result<Self, Error> {
        self.reshape(&[self.len])
    }

    /// The shape with the extent that makes it as many elements as there are.
    fn inferred(&self, shape: &[usize], axis: usize) -> Result<PerAxis<usize>, Error> {
        let mut shape: PerAxis<usize> = shape.into();
        shape[axis] = 1;
        let (arg, want) = ("shape", self.len);
        let got = match shape.contains(&INFER) {
            true => INFER,
            false => checked_len(&shape)?,
        };
        if got == INFER || got == 0 || !want.is_multiple_of(got) {
            return Err(Error::SizeMismatch { arg, got, want });
        }
        shape[axis] = want / got;
        Ok(shape)
    }
}

/// How many old and new axes, from the front, have the same product first.
struct Group {
    old: usize,
    new: usize,
}

impl Group {
    /// Neither list is empty, and the products of both whole lists are equal.
    fn starting(old: &[(usize, isize)], new: &[usize]) -> Self {
        let mut group = Self { old: 1, new: 1 };
        let (mut old_product, mut new_product) = (old[0].0, new[0]);
        while old_product != new_product {
            if old_product < new_product {
                old_product *= old[group.old].0;
                group.old += 1;
            } else {
                new_product *= new[group.new];
                group.new += 1;
            }
        }
        group
    }
}

fn follow_each_other(axes: &[(usize, isize)]) -> bool {
    axes.windows(2).all(|pair| {
        let ((_, outer), (extent, inner)) = (pair[0], pair[1]);
        inner.checked_mul(extent as isize) == Some(outer)
    })
}
