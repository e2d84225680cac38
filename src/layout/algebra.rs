//! The operations that make a layout from a layout. Each is written once, here; views and arrays
//! forward to them. None touches data, and none allocates up to rank 8.

use smallvec::SmallVec;

use super::{Layout, PerAxis, checked_len};
use crate::error::Error;

impl Layout {
    /// The axes in another order: axis `i` of the result is axis `perm[i]` of this.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::AxisOutOfRange`] or [`Error::NotAPermutation`] if `perm`
    /// does not name every axis exactly once.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let image = Layout::row_major(&[480, 640, 3])?.permute(&[2, 0, 1])?;
    /// assert_eq!((image.shape(), image.strides()), (&[3, 480, 640][..], &[1, 1920, 3][..]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn permute(&self, perm: &[usize]) -> Result<Self, Error> {
        let rank = self.rank();
        if perm.len() != rank {
            return Err(Error::RankMismatch {
                arg: "perm",
                got: perm.len(),
                want: rank,
            });
        }
        let mut seen: SmallVec<[bool; 32]> = SmallVec::from_elem(false, rank);
        for (position, &axis) in perm.iter().enumerate() {
            self.check_axis("perm", axis)?;
            if core::mem::replace(&mut seen[axis], true) {
                return Err(Error::NotAPermutation {
                    arg: "perm",
                    position,
                    axis,
                });
            }
        }
        Ok(Self {
            shape: perm.iter().map(|&axis| self.shape[axis]).collect(),
            strides: perm.iter().map(|&axis| self.strides[axis]).collect(),
            ..*self
        })
    }

    /// All axes in reverse order: the matrix transpose, generalised.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let columns = Layout::row_major(&[2, 5])?.transpose();
    /// assert_eq!((columns.shape(), columns.strides()), (&[5, 2][..], &[1, 5][..]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut result = self.clone();
        result.shape.reverse();
        result.strides.reverse();
        result
    }

    /// Axes `a` and `b` in each other's place.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.swap_axes(0, 2)?.shape(), [4, 3, 2]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn swap_axes(&self, a: usize, b: usize) -> Result<Self, Error> {
        self.check_axis("a", a)?;
        self.check_axis("b", b)?;
        let mut result = self.clone();
        result.shape.swap(a, b);
        result.strides.swap(a, b);
        Ok(result)
    }

    /// Axis `from` at place `to`, the others in their order.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::row_major(&[2, 3, 4])?.move_axis(0, 2)?.shape(), [3, 4, 2]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn move_axis(&self, from: usize, to: usize) -> Result<Self, Error> {
        self.check_axis("from", from)?;
        self.check_axis("to", to)?;
        let mut result = self.clone();
        let (extent, stride) = (result.shape.remove(from), result.strides.remove(from));
        result.shape.insert(to, extent);
        result.strides.insert(to, stride);
        Ok(result)
    }

    /// The layout at one index of an axis, which is dropped.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], or [`Error::OutOfBounds`] for an index that the axis does not
    /// have.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let column = Layout::row_major(&[4, 6])?.index_axis(1, 2)?;
    /// assert_eq!((column.shape(), column.strides(), column.offset()), (&[4][..], &[6][..], 2));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn index_axis(&self, axis: usize, index: usize) -> Result<Self, Error> {
        self.check_axis("axis", axis)?;
        let extent = self.shape[axis];
        if index >= extent {
            let (got, high) = (index as i128, extent as i128);
            return Err(Error::OutOfBounds {
                arg: "index",
                axis: Some(axis),
                got,
                low: 0,
                high,
            });
        }
        let mut result = self.clone();
        result.shape.remove(axis);
        let stride = result.strides.remove(axis);
        result.len = self.len / extent;
        if !self.is_empty() && index > 0 {
            result.offset = (self.offset as isize + index as isize * stride) as usize;
        }
        Ok(result)
    }

    /// An axis in the opposite direction.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let back = Layout::row_major(&[4])?.flip(0)?;
    /// assert_eq!((back.strides(), back.offset()), (&[-1][..], 3));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn flip(&self, axis: usize) -> Result<Self, Error> {
        self.check_axis("axis", axis)?;
        let mut result = self.clone();
        if !self.is_empty() && self.shape[axis] > 1 {
            let (extent, stride) = (self.shape[axis] as isize, self.strides[axis]);
            result.offset = (self.offset as isize + (extent - 1) * stride) as usize;
            result.strides[axis] = -stride;
        }
        Ok(result)
    }

    /// Extents of 1 repeated, and axes added in front, by strides of 0, until the shape is `shape`.
    /// Axes are matched from the last one, as NumPy does. The result can be read, not written.
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] if `shape` has fewer axes than this.
    /// - [`Error::SizeOverflow`] as for [`Layout::new`].
    /// - [`Error::BroadcastMismatch`] if an extent is neither 1 nor the one asked for.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let rows = Layout::row_major(&[1, 4])?.broadcast_to(&[5, 3, 4])?;
    /// assert_eq!(rows.strides(), [0, 0, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self, Error> {
        let Some(added) = shape.len().checked_sub(self.rank()) else {
            return Err(Error::RankMismatch {
                arg: "shape",
                got: shape.len(),
                want: self.rank(),
            });
        };
        let len = checked_len(shape)?;
        let mut strides: PerAxis<isize> = SmallVec::from_elem(0, shape.len());
        for (axis, (&got, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            let (axis, want) = (added + axis, shape[added + axis]);
            if got == want {
                strides[axis] = stride;
            } else if got != 1 {
                return Err(Error::BroadcastMismatch { axis, got, want });
            }
        }
        Ok(Self {
            shape: shape.into(),
            strides,
            offset: self.offset,
            len,
        })
    }

    /// This and another layout, both broadcast to the shape that they have together: per axis, matched
    /// from the last one, the extent that is not 1.
    ///
    /// # Errors
    /// - [`Error::BroadcastMismatch`] if two extents differ and neither is 1.
    /// - [`Error::SizeOverflow`] as for [`Layout::new`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let (column, row) = (Layout::row_major(&[3, 1])?, Layout::row_major(&[4])?);
    /// let (column, row) = column.broadcast_with(&row)?;
    /// assert_eq!((column.shape(), row.shape()), (&[3, 4][..], &[3, 4][..]));
    /// assert_eq!((column.strides(), row.strides()), (&[1, 0][..], &[0, 1][..]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn broadcast_with(&self, other: &Self) -> Result<(Self, Self), Error> {
        let rank = self.rank().max(other.rank());
        let extent = |layout: &Self, axis: usize| {
            let added = rank - layout.rank();
            if axis < added {
                1
            } else {
                layout.shape[axis - added]
            }
        };
        let shape: PerAxis<usize> = (0..rank)
            .map(|axis| match extent(self, axis) {
                1 => extent(other, axis),
                extent => extent,
            })
            .collect();
        Ok((self.broadcast_to(&shape)?, other.broadcast_to(&shape)?))
    }

    /// Without an axis of extent 1.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], or [`Error::NotSqueezable`] for another extent.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::row_major(&[3, 1, 4])?.squeeze(1)?.shape(), [3, 4]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn squeeze(&self, axis: usize) -> Result<Self, Error> {
        self.check_axis("axis", axis)?;
        if self.shape[axis] != 1 {
            return Err(Error::NotSqueezable {
                axis,
                got: self.shape[axis],
            });
        }
        self.index_axis(axis, 0)
    }

    /// With a new axis of extent 1 at place `axis`, from 0 to the rank, both included.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::row_major(&[3, 4])?.unsqueeze(2)?.shape(), [3, 4, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unsqueeze(&self, axis: usize) -> Result<Self, Error> {
        if axis > self.rank() {
            let (got, rank) = (axis, self.rank() + 1);
            return Err(Error::AxisOutOfRange {
                arg: "axis",
                got,
                rank,
            });
        }
        let mut result = self.clone();
        result.shape.insert(axis, 1);
        result.strides.insert(axis, 1);
        Ok(result)
    }

    /// Any layout inside the part of the storage that this one spans: shape and strides as given,
    /// `offset` counted from the start of the storage, as [`Layout::offset`] is.
    ///
    /// # Errors
    /// As [`Layout::new`], and [`Error::OutOfBounds`] if an index leaves
    /// [`Layout::storage_range`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let row = Layout::row_major(&[10])?;
    /// let bands = row.as_strided(&[4, 4], &[2, 1], 0)?;
    /// assert_eq!(bands.storage_range(), 0..10);
    /// assert!(row.as_strided(&[4, 4], &[2, 1], 1).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn as_strided(
        &self,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        let result = Self::new(shape, strides, offset)?;
        let (inner, outer) = (result.storage_range(), self.storage_range());
        let (low, high) = (outer.start as i128, outer.end as i128);
        let arg = if result.is_empty() {
            "offset"
        } else {
            "strides"
        };
        let outside = |got| Error::OutOfBounds {
            arg,
            axis: None,
            got,
            low,
            high,
        };
        if inner.start < outer.start {
            return Err(outside(inner.start as i128));
        }
        if inner.end > outer.end {
            // The last place, which an empty layout does not have.
            let last = inner.end - usize::from(!result.is_empty());
            return Err(outside(last as i128));
        }
        Ok(result)
    }

    pub(super) fn check_axis(&self, arg: &'static str, axis: usize) -> Result<(), Error> {
        super::check_axis(arg, axis, self.rank())
    }
}
