//! Layouts: shape, strides in elements and an offset, without data.
//!
//! A layout that exists is consistent: its number of elements fits `isize`, no index reaches below
//! element 0 and none beyond `isize::MAX`. Whether it fits a piece of memory is asked when a view
//! is made. Strides of axes with extent 1, and all strides where an extent is 0, are never used and
//! may hold anything.

#![forbid(unsafe_code)]

mod algebra;
mod bounds;
mod overlap;
mod parts;
mod pick;
mod places;
mod repack;
mod reshape;
mod slice;

use core::ops::Range;

use smallvec::SmallVec;

use crate::error::{Error, Unit};

pub(crate) use bounds::{check_axis, check_same_shape, checked_len, reach};
pub use overlap::{Index, Overlap};
pub(crate) use overlap::{Pace, Relation, check_injective, may_meet};
pub use parts::Parts;
pub use pick::{NewAxis, Pick};
pub use places::Places;
pub use reshape::INFER;
pub use slice::Slice;

/// One entry per axis, inline up to rank 8.
pub(crate) type PerAxis<T> = SmallVec<[T; 8]>;

/// How the elements of an array lie in memory: a shape, a stride per axis and an offset, all in
/// elements.
///
/// Element `[i, j, ..]` stands `offset + i * strides[0] + j * strides[1] + ..` elements from the
/// start of the storage. Strides may be negative, zero or larger than needed; there is no maximal
/// rank, and up to rank 8 nothing is allocated.
///
/// ```
/// use restride::Layout;
///
/// let image = Layout::row_major(&[1080, 1920, 3])?;
/// let planes = image.permute(&[2, 0, 1])?;
/// assert_eq!(planes.shape(), [3, 1080, 1920]);
/// assert_eq!(planes.strides(), [1, 5760, 3]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: PerAxis<usize>,
    strides: PerAxis<isize>,
    offset: usize,
    len: usize,
}

impl Clone for Layout {
    /// Slices of numbers are copied at once; what is derived takes them one by one, twice as long.
    #[inline]
    fn clone(&self) -> Self {
        Self {
            shape: PerAxis::from_slice(&self.shape),
            strides: PerAxis::from_slice(&self.strides),
            ..*self
        }
    }
}

impl Layout {
    /// A layout of `shape` with the given strides and the offset of index `[0, 0, ..]`, in elements.
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] if there is not one stride per axis.
    /// - [`Error::SizeOverflow`] if the product of the extents, those of 0 left out, exceeds
    ///   `isize::MAX`.
    /// - [`Error::OffsetOverflow`] if an index reaches beyond `isize::MAX`.
    /// - [`Error::OutOfBounds`] if an index reaches below element 0.
    pub fn new(shape: &[usize], strides: &[isize], offset: usize) -> Result<Self, Error> {
        Self::from_parts(shape.into(), strides.into(), offset)
    }

    /// The layout that counts from the lowest place that `strides` reach.
    pub(crate) fn from_first(shape: &[usize], strides: &[isize]) -> Result<Self, Error> {
        let mut below = 0;
        if checked_len(shape)? > 0 {
            let axes = shape.iter().copied().zip(strides.iter().copied());
            reach(axes, 0, |axis, low, _| {
                below = usize::try_from(-low).map_err(|_| Error::OffsetOverflow {
                    arg: "strides",
                    axis: Some(axis),
                    unit: Unit::Element,
                })?;
                Ok(())
            })?;
        }
        Self::new(shape, strides, below)
    }

    fn from_parts(
        shape: PerAxis<usize>,
        strides: PerAxis<isize>,
        offset: usize,
    ) -> Result<Self, Error> {
        if shape.len() != strides.len() {
            return Err(Error::RankMismatch {
                arg: "strides",
                got: strides.len(),
                want: shape.len(),
            });
        }
        let len = checked_len(&shape)?;
        bounds::check_elements(&shape, &strides, offset, len)?;
        Ok(Self {
            shape,
            strides,
            offset,
            len,
        })
    }

    /// The layout of a contiguous array whose last axis is contiguous: C order.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] as for [`Layout::new`].
    #[inline]
    pub fn row_major(shape: &[usize]) -> Result<Self, Error> {
        let len = checked_len(shape)?;
        let mut strides: PerAxis<isize> = shape.iter().map(|&extent| extent as isize).collect();
        let mut stride = 1;
        for place in strides.iter_mut().rev() {
            // The product of the non-zero extents fits isize: checked_len.
            stride *= core::mem::replace(place, stride).max(1);
        }
        Ok(Self {
            shape: PerAxis::from_slice(shape),
            strides,
            offset: 0,
            len,
        })
    }

    /// The layout of a contiguous array whose first axis is contiguous: Fortran order.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] as for [`Layout::new`].
    pub fn column_major(shape: &[usize]) -> Result<Self, Error> {
        let reversed: PerAxis<usize> = shape.iter().rev().copied().collect();
        Ok(Self::row_major(&reversed)?.transpose())
    }

    /// The extents, one per axis.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The strides in elements, one per axis.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Where index `[0, 0, ..]` stands, in elements from the start of the storage.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of axes.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements: the product of the extents. 1 for rank 0.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether an extent is 0, so that there is no element.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements of the storage between the lowest and the highest that an index reaches, the
    /// highest included. Empty, at the offset, where there is no element.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert_eq!(Layout::new(&[3, 2], &[-10, 1], 50)?.storage_range(), 30..52);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn storage_range(&self) -> Range<usize> {
        if self.is_empty() {
            return self.offset..self.offset;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (extent, stride) in self.axes() {
            // Every partial sum lies inside the reach that bounds::check_elements admitted.
            let reach = (extent as isize - 1) * stride;
            *(if reach < 0 { &mut low } else { &mut high }) += reach;
        }
        low as usize..high as usize + 1
    }

    /// Whether the elements are contiguous in C order.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert!(Layout::row_major(&[3, 4])?.is_row_major());
    /// // Strides of single indices say nothing.
    /// assert!(Layout::new(&[1, 4], &[-7, 1], 0)?.is_row_major());
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        self.is_empty() || is_packed(self.axes().rev())
    }

    /// Whether the elements are contiguous in Fortran order.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// assert!(Layout::row_major(&[3, 4])?.transpose().is_column_major());
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        self.is_empty() || is_packed(self.axes())
    }

    /// Whether the elements are contiguous in some order of the axes and in either direction: every
    /// element of [`Layout::storage_range`] is reached exactly once.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let layout = Layout::row_major(&[3, 4, 5])?.permute(&[1, 0, 2])?.flip(1)?;
    /// assert!(layout.is_dense() && !layout.is_row_major());
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn is_dense(&self) -> bool {
        let mut axes: PerAxis<(usize, isize)> =
            self.axes().map(|(n, s)| (n, s.saturating_abs())).collect();
        axes.sort_unstable_by_key(|&(_, stride)| stride);
        self.is_empty() || is_packed(axes.into_iter())
    }

    /// Whether the elements are contiguous if the axes are taken in this order, the last one running
    /// fastest. `[0, 1, ..]` asks what [`Layout::is_row_major`] does.
    ///
    /// # Errors
    /// Those of [`Layout::permute`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let planes = Layout::row_major(&[480, 640, 3])?.permute(&[2, 0, 1])?;
    /// assert!(planes.is_in_order(&[1, 2, 0])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn is_in_order(&self, axes: &[usize]) -> Result<bool, Error> {
        Ok(self.permute(axes)?.is_row_major())
    }

    /// Whether the elements are contiguous with axis 1, the channels, running fastest: batches of
    /// images or volumes `[n, c, ..]` that lie in memory as `[n, .., c]`. Of three axes and more.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let images = Layout::row_major(&[8, 480, 640, 3])?.move_axis(3, 1)?;
    /// assert!(images.is_channels_last() && !images.is_row_major());
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn is_channels_last(&self) -> bool {
        let last = self.rank().wrapping_sub(1);
        self.rank() >= 3
            && self
                .move_axis(1, last)
                .is_ok_and(|moved| moved.is_row_major())
    }

    /// Refuses a layout that reaches an element by two indices.
    pub(crate) fn check_injective(&self, arg: &'static str) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        check_injective(self.all_axes(), 1, arg)
    }

    /// Every axis as (extent, stride).
    fn all_axes(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + Clone {
        self.shape.iter().copied().zip(self.strides.iter().copied())
    }

    /// The axes that matter, those with more than one index, as (extent, stride).
    fn axes(&self) -> impl DoubleEndedIterator<Item = (usize, isize)> {
        self.all_axes().filter(|&(extent, _)| extent != 1)
    }
}

/// Whether each stride is the product of the extents before it.
fn is_packed(mut axes: impl Iterator<Item = (usize, isize)>) -> bool {
    let mut expected = 1;
    axes.all(|(extent, stride)| {
        let fits = stride == expected;
        expected = expected.saturating_mul(extent as isize);
        fits
    })
}

#[cfg(test)]
mod tests;
