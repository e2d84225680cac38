//! A [`ViewMut`] taken apart: several mutable views that share no element.
//!
//! A view reaches no element by two indices, so views of different indices of one axis share none. What
//! each of them must give up is reading the gaps between its elements: the others may stand there.

use restride_kernels::SourceGaps;

use super::write::ViewMut;
use crate::error::Error;
use crate::layout::Layout;

impl<'a, T> ViewMut<'a, T> {
    /// The indices of an axis before `index`, and those from it on.
    ///
    /// # Errors
    /// Those of [`Layout::split_at`].
    ///
    /// ```
    /// use restride::{ViewMut, fill};
    ///
    /// let mut data = [0; 6];
    /// let (mut left, mut right) = ViewMut::from_slice(&mut data, &[2, 3])?.split_at(1, 1)?;
    /// fill(&mut left, 1)?;
    /// fill(&mut right, 2)?;
    /// assert_eq!(data, [1, 2, 2, 1, 2, 2]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn split_at(self, axis: usize, index: usize) -> Result<(Self, Self), Error> {
        let (before, from) = self.layout().split_at(axis, index)?;
        // SAFETY: different indices of one axis, each in one of the two.
        unsafe { Ok((self.part(before), self.part(from))) }
    }

    /// `size` indices of an axis at a time; the last part has what is left.
    ///
    /// # Errors
    /// Those of [`Layout::chunks`].
    ///
    /// ```
    /// use restride::{ViewMut, fill};
    ///
    /// let mut data = [0; 5];
    /// for (mut part, number) in ViewMut::from_slice(&mut data, &[5])?.chunks(0, 2)?.zip(1..) {
    ///     fill(&mut part, number)?;
    /// }
    /// assert_eq!(data, [1, 1, 2, 2, 3]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn chunks(
        self,
        axis: usize,
        size: usize,
    ) -> Result<impl DoubleEndedIterator<Item = Self> + ExactSizeIterator, Error> {
        let parts = self.layout().chunks(axis, size)?;
        // SAFETY: different indices of one axis, each in one of the parts, which come once.
        Ok(parts.map(move |layout| unsafe { self.part(layout) }))
    }

    /// The view at each index of an axis, which is dropped.
    ///
    /// # Errors
    /// Those of [`Layout::unbind`].
    ///
    /// ```
    /// use restride::{ViewMut, fill};
    ///
    /// let mut data = [0; 6];
    /// for (mut column, number) in ViewMut::from_slice(&mut data, &[2, 3])?.unbind(1)?.zip(1..) {
    ///     fill(&mut column, number)?;
    /// }
    /// assert_eq!(data, [1, 2, 3, 1, 2, 3]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unbind(
        self,
        axis: usize,
    ) -> Result<impl DoubleEndedIterator<Item = Self> + ExactSizeIterator, Error> {
        let parts = self.layout().unbind(axis)?;
        // SAFETY: different indices of one axis, each in one of the parts, which come once.
        Ok(parts.map(move |layout| unsafe { self.part(layout) }))
    }

    /// A part of this view, for as long as this view was made for.
    ///
    /// # Safety
    /// - Aliasing: `layout` reaches elements of this view only, none of them is reached by another part
    ///   that is made, and the view itself is not used again.
    unsafe fn part(&self, layout: Layout) -> Self {
        // SAFETY: range: elements of this view; aliasing: the caller's.
        unsafe { Self::from_storage(self.base(), layout, SourceGaps::Forbidden) }
    }
}
