//! Elements `[T; N]` as elements `T` and one more axis, and back. Arrays have the bytes and the
//! alignment of their elements, so only the layout changes.

use super::read::View;
use super::write::ViewMut;
use crate::error::Error;

impl<'a, T, const N: usize> View<'a, [T; N]> {
    /// The parts of the elements, with one more axis, the last one, of extent `N`.
    ///
    /// # Errors
    /// Those of [`Layout::unpack`](crate::Layout::unpack).
    ///
    /// ```
    /// use restride::View;
    ///
    /// let pixels = [[1_u8, 2, 3], [4, 5, 6]];
    /// let parts: View<u8> = View::from_slice(&pixels, &[2])?.unpack()?;
    /// assert_eq!((parts.shape(), parts[[1, 0]]), (&[2, 3][..], 4));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unpack(&self) -> Result<View<'a, T>, Error> {
        let layout = self.layout().unpack(N)?;
        // SAFETY: range: the parts of the elements that this view reaches, N from each place on;
        // aliasing: shared for 'a; alignment: that of [T; N] is that of T; gaps are as they were.
        Ok(unsafe { View::from_storage(self.base().cast(), layout, self.gaps()) })
    }
}

impl<'a, T> View<'a, T> {
    /// Elements `[T; N]` of those along the last axis, which is dropped.
    ///
    /// # Errors
    /// Those of [`Layout::pack`](crate::Layout::pack): the last axis must have the extent `N` and the
    /// stride 1, the other strides must be multiples of `N`.
    ///
    /// ```
    /// use restride::View;
    ///
    /// let bytes = [1_u8, 2, 3, 4, 5, 6];
    /// let pixels: View<[u8; 3]> = View::from_slice(&bytes, &[2, 3])?.pack()?;
    /// assert_eq!((pixels.shape(), pixels[[1]]), (&[2][..], [4, 5, 6]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn pack<const N: usize>(&self) -> Result<View<'a, [T; N]>, Error> {
        let (layout, before) = self.layout().pack(N)?;
        let base = self.base().cast::<T>().as_ptr().wrapping_add(before);
        let base = core::ptr::NonNull::new(base).unwrap_or(self.base());
        // SAFETY: range: N elements of this view side by side make each new one, the base moved by what
        // the layout leaves out; aliasing: shared for 'a; alignment: that of [T; N] is that of T; gaps
        // are as they were.
        Ok(unsafe { View::from_storage(base.cast(), layout, self.gaps()) })
    }
}

impl<'a, T, const N: usize> ViewMut<'a, [T; N]> {
    /// The parts of the elements, with one more axis, the last one, of extent `N`: as
    /// [`View::unpack`].
    ///
    /// # Errors
    /// Those of [`Layout::unpack`](crate::Layout::unpack).
    pub fn unpack(self) -> Result<ViewMut<'a, T>, Error> {
        let layout = self.layout().unpack(N)?;
        // SAFETY: range: the parts of the elements that this view reaches; aliasing: this view is
        // unique, is given up, and reaches no element twice, so no part either; alignment: that of
        // [T; N] is that of T.
        Ok(unsafe { ViewMut::from_storage(self.base().cast(), layout, self.gaps()) })
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// Elements `[T; N]` of those along the last axis, which is dropped: as [`View::pack`].
    ///
    /// # Errors
    /// Those of [`Layout::pack`](crate::Layout::pack).
    pub fn pack<const N: usize>(self) -> Result<ViewMut<'a, [T; N]>, Error> {
        let (layout, before) = self.layout().pack(N)?;
        let base = self.base().cast::<T>().as_ptr().wrapping_add(before);
        let base = core::ptr::NonNull::new(base).unwrap_or(self.base());
        // SAFETY: range: N elements of this view side by side make each new one, the base moved by what
        // the layout leaves out; aliasing: this view is unique, is given up, and reaches no element
        // twice; alignment: that of [T; N] is that of T.
        Ok(unsafe { ViewMut::from_storage(base.cast(), layout, self.gaps()) })
    }
}
