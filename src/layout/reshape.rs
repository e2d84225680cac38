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

impl Layout {
    /// The same elements in the same (row-major) logical order under another shape.
    ///
    /// # Errors
    /// - [`Error::SizeOverflow`] as for [`Layout::new`].
    /// - [`Error::SizeMismatch`] if `shape` has another number of elements.
    /// - [`Error::ReshapeNeedsCopy`] if no strides can express it: make a contiguous copy first.
    pub fn reshape(&self, shape: &[usize]) -> Result<Self, Error> {
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
