//! Parts of a layout along an axis, and the layouts that show parts of it: halves, chunks, single
//! indices, the diagonal, windows.

use core::iter::FusedIterator;

use super::Layout;
use crate::error::Error;

fn outside(arg: &'static str, axis: usize, got: usize, low: i128, high: i128) -> Error {
    Error::OutOfBounds {
        arg,
        axis: Some(axis),
        got: got as i128,
        low,
        high,
    }
}

impl Layout {
    /// `len` indices of an axis from `start` on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfBounds`] if the axis ends before `start + len`.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let rows = Layout::row_major(&[10, 4])?.narrow(0, 3, 5)?;
    /// assert_eq!((rows.shape(), rows.offset()), (&[5, 4][..], 12));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn narrow(&self, axis: usize, start: usize, len: usize) -> Result<Self, Error> {
        self.check_axis("axis", axis)?;
        let extent = self.shape[axis];
        if start > extent {
            return Err(outside("start", axis, start, 0, extent as i128 + 1));
        }
        if len > extent - start {
            return Err(outside("len", axis, len, 0, (extent - start) as i128 + 1));
        }
        Ok(self.narrowed(axis, start, len))
    }

    /// [`Layout::narrow`] of what is there.
    fn narrowed(&self, axis: usize, start: usize, len: usize) -> Self {
        let mut result = self.clone();
        result.shape[axis] = len;
        result.len = if len == 0 {
            0
        } else {
            self.len / self.shape[axis] * len
        };
        if !result.is_empty() && start > 0 {
            // The first index of what is left is one of this layout's.
            let moved = start as isize * self.strides[axis];
            result.offset = (self.offset as isize + moved) as usize;
        }
        result
    }

    /// The indices of an axis before `index`, and those from it on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfBounds`] if `index` is beyond the end.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let (left, right) = Layout::row_major(&[3, 8])?.split_at(1, 2)?;
    /// assert_eq!((left.shape(), right.shape()), (&[3, 2][..], &[3, 6][..]));
    /// assert_eq!(right.offset(), 2);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn split_at(&self, axis: usize, index: usize) -> Result<(Self, Self), Error> {
        self.check_axis("axis", axis)?;
        let extent = self.shape[axis];
        if index > extent {
            return Err(outside("index", axis, index, 0, extent as i128 + 1));
        }
        Ok((
            self.narrowed(axis, 0, index),
            self.narrowed(axis, index, extent - index),
        ))
    }

    /// `size` indices of an axis at a time; the last part has what is left.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfBounds`] for a size of 0.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let rows = Layout::row_major(&[5, 3])?;
    /// let parts: Vec<_> = rows.chunks(0, 2)?.map(|part| part.shape()[0]).collect();
    /// assert_eq!(parts, [2, 2, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn chunks(&self, axis: usize, size: usize) -> Result<Parts, Error> {
        self.check_axis("axis", axis)?;
        if size == 0 {
            return Err(outside("size", axis, 0, 1, isize::MAX as i128 + 1));
        }
        let count = self.shape[axis].div_ceil(size);
        Ok(Parts {
            whole: self.clone(),
            axis,
            size: Some(size),
            next: 0,
            end: count,
        })
    }

    /// The layout at each index of an axis, which is dropped.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let planes: Vec<_> = Layout::row_major(&[4, 5, 3])?.unbind(2)?.collect();
    /// assert_eq!((planes.len(), planes[1].shape(), planes[1].offset()), (3, &[4, 5][..], 1));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unbind(&self, axis: usize) -> Result<Parts, Error> {
        self.check_axis("axis", axis)?;
        Ok(Parts {
            whole: self.clone(),
            axis,
            size: None,
            next: 0,
            end: self.shape[axis],
        })
    }

    /// The diagonal of axes `a` and `b`: both are dropped, and a last axis walks them together, as far
    /// as the shorter one goes.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::NotAPermutation`] if the two are the same.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let diagonal = Layout::row_major(&[3, 5])?.diagonal(0, 1)?;
    /// assert_eq!((diagonal.shape(), diagonal.strides()), (&[3][..], &[6][..]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn diagonal(&self, a: usize, b: usize) -> Result<Self, Error> {
        self.check_axis("a", a)?;
        self.check_axis("b", b)?;
        if a == b {
            return Err(Error::NotAPermutation {
                arg: "(a, b)",
                position: 1,
                axis: b,
            });
        }
        let extent = self.shape[a].min(self.shape[b]);
        // Where there is no second index neither stride counts, and the sum may be anything.
        let stride = self.strides[a].wrapping_add(self.strides[b]);
        let mut result = self.clone();
        for axis in [a.max(b), a.min(b)] {
            result.shape.remove(axis);
            result.strides.remove(axis);
        }
        result.shape.push(extent);
        result.strides.push(stride);
        result.len = result.shape.iter().product();
        Ok(result)
    }

    /// All windows of a shape: as many axes again as there are, the first ones saying where the window
    /// starts, the last ones walking it. Windows share elements: they can be read, not written.
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] if there is not one extent per axis.
    /// - [`Error::OutOfBounds`] if a window has an extent of 0 or is longer than the axis.
    /// - [`Error::SizeOverflow`] as for [`Layout::new`].
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let windows = Layout::row_major(&[6, 8])?.windows(&[3, 3])?;
    /// assert_eq!(windows.shape(), [4, 6, 3, 3]);
    /// assert_eq!(windows.strides(), [8, 1, 8, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn windows(&self, window: &[usize]) -> Result<Self, Error> {
        if window.len() != self.rank() {
            return Err(Error::RankMismatch {
                arg: "window",
                got: window.len(),
                want: self.rank(),
            });
        }
        let mut result = self.clone();
        for (axis, &len) in window.iter().enumerate() {
            let extent = self.shape[axis];
            if len == 0 || len > extent {
                return Err(outside("window", axis, len, 1, extent as i128 + 1));
            }
            result.shape[axis] = extent - len + 1;
            result.shape.push(len);
            result.strides.push(self.strides[axis]);
        }
        result.len = super::checked_len(&result.shape)?;
        Ok(result)
    }
}

/// Layouts along an axis of another one: see [`Layout::chunks`] and [`Layout::unbind`].
#[derive(Clone, Debug)]
pub struct Parts {
    whole: Layout,
    axis: usize,
    /// Indices of a part; `None` for single ones, without their axis.
    size: Option<usize>,
    next: usize,
    end: usize,
}

impl Parts {
    fn part(&self, number: usize) -> Layout {
        match self.size {
            Some(size) => {
                let start = number * size;
                let len = size.min(self.whole.shape[self.axis] - start);
                self.whole.narrowed(self.axis, start, len)
            }
            None => {
                let part = self.whole.index_axis(self.axis, number);
                part.expect("the axis has the index")
            }
        }
    }
}

impl Iterator for Parts {
    type Item = Layout;

    fn next(&mut self) -> Option<Layout> {
        let number = self.next;
        (number < self.end).then(|| {
            self.next += 1;
            self.part(number)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Parts {
    fn next_back(&mut self) -> Option<Layout> {
        (self.next < self.end).then(|| {
            self.end -= 1;
            self.part(self.end)
        })
    }
}

impl ExactSizeIterator for Parts {}
impl FusedIterator for Parts {}
