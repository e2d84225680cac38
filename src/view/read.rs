//! [`View`]: read access to elements in any layout.

use core::marker::PhantomData;
use core::ptr::NonNull;

use bytemuck::NoUninit;
use restride_kernels::SourceGaps;

use super::forward::{forward_algebra, forward_queries, forward_reading};
use crate::array::{Array, Contiguous};
use crate::error::Error;
use crate::layout::Layout;

/// Elements of `T` in memory, read through a [`Layout`]. Making one from a view costs nanoseconds
/// and moves nothing.
pub struct View<'a, T> {
    /// The start of the storage that the layout's offset counts from.
    base: NonNull<T>,
    layout: Layout,
    gaps: SourceGaps,
    life: PhantomData<&'a [T]>,
}

// SAFETY: a view is a shared borrow of elements, as `&[T]` is, which is Send where T is Sync.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: a view gives shared access to elements only, as `&[T]` does.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        self.with(self.layout.clone())
    }
}

impl<'a, T> View<'a, T> {
    /// The elements of a slice in row-major order. `data` may be longer than the shape needs.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] if the shape has more than `isize::MAX` elements,
    /// [`Error::OutOfBounds`] if it has more than `data`.
    pub fn from_slice(data: &'a [T], shape: &[usize]) -> Result<Self, Error> {
        Self::with_layout(data, Layout::row_major(shape)?).map_err(Error::of_shape)
    }

    /// The elements of a slice in any layout.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if an index leaves `data`, [`Error::OffsetOverflow`] if it leaves
    /// what `isize` can count in bytes.
    pub fn with_layout(data: &'a [T], layout: Layout) -> Result<Self, Error> {
        layout.check_storage(data.len(), size_of::<T>())?;
        let base = NonNull::from(data).cast();
        // The whole slice is borrowed, so no one writes between its elements.
        Ok(Self {
            base,
            layout,
            gaps: SourceGaps::Readable,
            life: PhantomData,
        })
    }

    /// Shape and strides over a slice, in elements, with the offset of index `[0, 0, ..]`.
    ///
    /// # Errors
    /// Those of [`Layout::new`] and [`View::with_layout`].
    pub fn as_strided(
        data: &'a [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        Self::with_layout(data, Layout::new(shape, strides, offset)?)
    }

    /// A view of memory that is not a slice. Bytes between its elements are never read.
    ///
    /// # Safety
    /// For the whole of `'a`:
    /// - Range: every element that the layout reaches from `base` lies in one allocation, is
    ///   initialised and can be read; its offset in bytes fits `isize`.
    /// - Aliasing: no one writes these elements.
    /// - Alignment: `base` is aligned for `T`.
    #[must_use]
    pub unsafe fn from_raw_parts(base: *const T, layout: Layout) -> Self {
        let base = NonNull::new(base.cast_mut()).unwrap_or(NonNull::dangling());
        Self {
            base,
            layout,
            gaps: SourceGaps::Forbidden,
            life: PhantomData,
        }
    }

    /// A view of memory by the address of index `[0, 0, ..]` and strides in elements, of either sign: as NumPy, DLPack and
    /// most array crates describe it. Bytes between its elements are never read.
    ///
    /// # Errors
    /// Those of [`Layout::new`], but that no index is out of bounds.
    ///
    /// # Safety
    /// Those of [`View::from_raw_parts`], for the elements that the strides reach from `first`.
    ///
    /// ```
    /// use restride::View;
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// // SAFETY: three elements, from the last one on backwards, are in `data`, which is borrowed meanwhile.
    /// let odd = unsafe { View::from_ptr(&raw const data[4], &[3], &[-2])? };
    /// assert!(odd.iter().eq(&[5, 3, 1]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub unsafe fn from_ptr(
        first: *const T,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        let layout = Layout::from_first(shape, strides)?;
        let base = first.wrapping_sub(layout.offset());
        // SAFETY: passed on.
        Ok(unsafe { Self::from_raw_parts(base, layout) })
    }

    /// As [`View::from_raw_parts`], with what is known of the gaps.
    ///
    /// # Safety
    /// As there; and if `gaps` are readable, that holds of all bytes of
    /// [`Layout::storage_range`].
    pub(super) unsafe fn from_storage(base: NonNull<T>, layout: Layout, gaps: SourceGaps) -> Self {
        Self {
            base,
            layout,
            gaps,
            life: PhantomData,
        }
    }

    forward_queries!("its offset counts from the start of the storage this view was made over.");

    /// The address of index `[0, 0, ..]`; of the storage if there is no element.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        let offset = if self.is_empty() {
            0
        } else {
            self.layout.offset()
        };
        self.base.as_ptr().wrapping_add(offset)
    }

    /// The elements as a slice, if they are contiguous in row-major order.
    #[must_use]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        self.layout.is_row_major().then(|| {
            // SAFETY: range: row-major elements are contiguous from the first one on, and all lie
            // in the storage this view was checked against; aliasing: shared for 'a.
            unsafe { core::slice::from_raw_parts(self.as_ptr(), self.len()) }
        })
    }

    /// What places of the layout count from.
    #[inline]
    pub(super) fn base(&self) -> NonNull<T> {
        self.base
    }

    /// Whether bytes between elements may be read.
    pub(crate) fn gaps(&self) -> SourceGaps {
        self.gaps
    }

    /// The same storage under a layout that reaches no element beyond this one's.
    pub(crate) fn with(&self, layout: Layout) -> Self {
        Self { layout, ..*self }
    }

    forward_algebra!(self: &Self => Self, with);
    forward_reading!(self: View<'a>, with);
}

impl<'a, T: NoUninit> View<'a, T> {
    /// The elements, in row-major order, in an array of their own.
    ///
    /// # Errors
    /// [`Error::AllocFailed`] if there is no memory, and those of [`copy`](crate::copy).
    pub fn to_array(&self) -> Result<Array<T>, Error> {
        Array::from_view(self)
    }

    /// The elements in row-major order: borrowed if they are so already, else copied.
    ///
    /// # Errors
    /// Those of [`View::to_array`].
    pub fn to_contiguous(&self) -> Result<Contiguous<'a, T>, Error> {
        Ok(match self.as_slice() {
            Some(_) => Contiguous::Borrowed(self.clone()),
            None => Contiguous::Owned(self.to_array()?),
        })
    }

    /// Copies the elements into `dst`, of the same shape: [`copy`](crate::copy) as a method.
    ///
    /// # Errors
    /// Those of [`copy`](crate::copy).
    pub fn copy_to<'d, D: super::Slot<T>>(
        &self,
        dst: &'d mut super::ViewMut<'_, D>,
    ) -> Result<D::Filled<'d>, Error> {
        crate::copy(self, dst)
    }
}
