//! [`ViewMut`]: write access to elements in a layout that reaches each of them once.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use bytemuck::NoUninit;
use restride_kernels::SourceGaps;

use super::forward::{forward_algebra, forward_queries};
use super::read::View;
use crate::error::Error;
use crate::layout::Layout;

/// Elements of `T` in memory, written through a [`Layout`] that reaches no element by two indices.
///
/// `T` is the element itself or `MaybeUninit` of it: destinations need not be initialised.
pub struct ViewMut<'a, T> {
    /// The start of the storage that the layout's offset counts from.
    base: NonNull<T>,
    layout: Layout,
    gaps: SourceGaps,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: a mutable view is a unique borrow of elements, as `&mut [T]` is.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: a shared mutable view gives shared access only, as `&&mut [T]` does.
unsafe impl<T: Sync> Sync for ViewMut<'_, T> {}

impl<'a, T> ViewMut<'a, T> {
    /// The elements of a slice in row-major order. `data` may be longer than the shape needs.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] if the shape has more than `isize::MAX` elements,
    /// [`Error::OutOfBounds`] if it has more than `data`.
    pub fn from_slice(data: &'a mut [T], shape: &[usize]) -> Result<Self, Error> {
        Self::with_layout(data, Layout::row_major(shape)?).map_err(Error::of_shape)
    }

    /// The elements of a slice in any layout that reaches none of them twice.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`] if an index leaves `data`, [`Error::OffsetOverflow`] if it leaves
    ///   what `isize` can count in bytes.
    /// - [`Error::InternalOverlap`] if two indices are one element; [`Error::OverlapUndecided`] if
    ///   that could not be ruled out, which [`ViewMut::assume_injective`] then can.
    pub fn with_layout(data: &'a mut [T], layout: Layout) -> Result<Self, Error> {
        layout.check_storage(data.len(), size_of::<T>())?;
        layout.check_injective("dst")?;
        Ok(Self::over(data, layout))
    }

    /// Shape and strides over a slice, in elements, with the offset of index `[0, 0, ..]`.
    ///
    /// # Errors
    /// Those of [`Layout::new`] and [`ViewMut::with_layout`].
    pub fn as_strided(
        data: &'a mut [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Self, Error> {
        Self::with_layout(data, Layout::new(shape, strides, offset)?)
    }

    /// The elements of a slice in a layout that the caller knows to reach none of them twice.
    ///
    /// # Errors
    /// As [`ViewMut::with_layout`], without the last.
    ///
    /// # Safety
    /// - Aliasing: no two indices of the layout are the same element.
    pub unsafe fn assume_injective(data: &'a mut [T], layout: Layout) -> Result<Self, Error> {
        layout.check_storage(data.len(), size_of::<T>())?;
        Ok(Self::over(data, layout))
    }

    /// A view of memory that is not a slice.
    ///
    /// # Safety
    /// For the whole of `'a`:
    /// - Range: every element that the layout reaches from `base` lies in one allocation and can be
    ///   written (and is initialised, unless `T` is `MaybeUninit`); its offset in bytes fits
    ///   `isize`.
    /// - Aliasing: no two indices are the same element, and no one else reads or writes these
    ///   elements.
    /// - Alignment: `base` is aligned for `T`.
    #[must_use]
    pub unsafe fn from_raw_parts(base: *mut T, layout: Layout) -> Self {
        let base = NonNull::new(base).unwrap_or(NonNull::dangling());
        Self {
            base,
            layout,
            gaps: SourceGaps::Forbidden,
            life: PhantomData,
        }
    }

    /// A view of memory by the address of index `[0, 0, ..]` and strides in elements, as [`View::from_ptr`].
    ///
    /// # Errors
    /// Those of [`View::from_ptr`].
    ///
    /// # Safety
    /// Those of [`ViewMut::from_raw_parts`], for the elements that the strides reach from `first`.
    pub unsafe fn from_ptr(
        first: *mut T,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        let layout = Layout::from_first(shape, strides)?;
        let base = first.wrapping_sub(layout.offset());
        // SAFETY: passed on.
        Ok(unsafe { Self::from_raw_parts(base, layout) })
    }

    fn over(data: &'a mut [T], layout: Layout) -> Self {
        let base = NonNull::from(data).cast();
        Self {
            base,
            layout,
            gaps: SourceGaps::Readable,
            life: PhantomData,
        }
    }

    /// As [`ViewMut::from_raw_parts`], with what is known of the gaps.
    ///
    /// # Safety
    /// As there; and if `gaps` are readable, this is the only view of all bytes of
    /// [`Layout::storage_range`].
    pub(super) unsafe fn from_storage(base: NonNull<T>, layout: Layout, gaps: SourceGaps) -> Self {
        Self {
            base,
            layout,
            gaps,
            life: PhantomData,
        }
    }

    /// Whether bytes between elements may be read.
    pub(super) fn gaps(&self) -> SourceGaps {
        self.gaps
    }

    forward_queries!("its offset counts from the start of the storage this view was made over.");

    /// The address of index `[0, 0, ..]`; of the storage if there is no element.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        let offset = if self.is_empty() {
            0
        } else {
            self.layout.offset()
        };
        self.base.as_ptr().wrapping_add(offset)
    }

    /// The same elements, to be read for as long as this borrow.
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: range: this view reaches the same elements, initialised as far as T asks, and
        // (where gaps are readable) owns the whole slice; aliasing: self stays borrowed.
        unsafe { View::from_storage(self.base, self.layout.clone(), self.gaps) }
    }

    /// The same elements, to be written for as long as this borrow.
    #[must_use]
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut {
            base: self.base,
            layout: self.layout.clone(),
            gaps: self.gaps,
            life: PhantomData,
        }
    }

    /// The same storage under a layout that reaches no element beyond this one's, and none twice.
    fn with(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    forward_algebra!(self: Self => Self, with);

    /// What places of the layout count from.
    #[inline]
    pub(super) fn base(&self) -> NonNull<T> {
        self.base
    }
}

impl<'a, T> ViewMut<'a, MaybeUninit<T>> {
    /// The same elements as initialised ones.
    ///
    /// # Safety
    /// - Range: every element that the layout reaches has been initialised.
    #[must_use]
    pub unsafe fn assume_init(self) -> ViewMut<'a, T> {
        // What lies between the elements may still be uninitialised: it must not be read.
        let gaps = SourceGaps::Forbidden;
        ViewMut {
            base: self.base.cast(),
            layout: self.layout,
            gaps,
            life: PhantomData,
        }
    }
}

mod sealed {
    pub trait Sealed<T> {}
    impl<T> Sealed<T> for T {}
    impl<T> Sealed<T> for core::mem::MaybeUninit<T> {}
}

/// What an element of `T` can be copied into: a `T`, or a `MaybeUninit<T>`. Sealed.
pub trait Slot<T>: sealed::Sealed<T> + Sized {
    /// What a copy hands back: nothing, or the destination as an initialised view.
    type Filled<'d>
    where
        Self: 'd;

    /// The destination after all of its elements were written.
    ///
    /// # Safety
    /// - Range: every element that the layout reaches has been initialised.
    #[doc(hidden)]
    unsafe fn filled<'d>(view: &'d mut ViewMut<'_, Self>) -> Self::Filled<'d>;
}

impl<T: NoUninit> Slot<T> for T {
    type Filled<'d> = ();

    unsafe fn filled(_: &mut ViewMut<'_, Self>) {}
}

impl<T: NoUninit> Slot<T> for MaybeUninit<T> {
    type Filled<'d> = ViewMut<'d, T>;

    unsafe fn filled<'d>(view: &'d mut ViewMut<'_, Self>) -> ViewMut<'d, T> {
        // SAFETY: range: passed on to the caller.
        unsafe { view.reborrow().assume_init() }
    }
}
