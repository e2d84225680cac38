//! [`Array`]: owned elements in row-major order, aligned to a cache line and never zeroed before
//! they are filled; [`Contiguous`]: owned or borrowed ones.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::alloc::{Layout as Block, alloc, dealloc};

use bytemuck::NoUninit;

use crate::error::Error;
use crate::exec::copy_once;
use crate::layout::Layout;
use crate::view::forward::{forward_algebra, forward_queries, forward_reading};
use crate::view::{View, ViewMut};

/// Alignment of every array, in bytes: a cache line, so that whole lines can be stored.
const ALIGNMENT: usize = 64;

/// Arrays of this many bytes and more start on a huge page. Below, an allocator may have memory left from
/// the array before, which glibc never uses again if it is asked for such an alignment: one array of 8
/// MiB after the other touched all its pages anew, 5.9 ms for `to_array` where a vector takes 1.2; with the
/// alignment of a line, none. From 32 MiB on glibc asks the system each time.
const ALIGNED_FROM: usize = 32 << 20;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Owned elements of `T` in row-major order.
///
/// It starts at a cache line, and large ones on a huge page, which the memory of a `Vec` does not: to make one of the
/// other is a copy (`as_slice().to_vec()`, [`View::to_array`]). To read or write the elements of a `Vec` where they are,
/// make a [`View`] or [`ViewMut`] of it.
///
/// ```
/// use restride::{Array, View};
///
/// let image = View::from_slice(&[1_u8, 2, 3, 4, 5, 6], &[2, 3])?;
/// let columns: Array<u8> = image.transpose().to_array()?;
/// assert_eq!(columns.shape(), [3, 2]);
/// assert_eq!(columns.as_slice(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
pub struct Array<T> {
    data: NonNull<T>,
    /// Row-major, offset 0.
    layout: Layout,
    owns: PhantomData<T>,
}

// SAFETY: an array owns its elements, as `Box<[T]>` does.
unsafe impl<T: Send> Send for Array<T> {}
// SAFETY: a shared array gives shared access to its elements only, as `&Box<[T]>` does.
unsafe impl<T: Sync> Sync for Array<T> {}

impl<T: NoUninit> Array<T> {
    /// The elements of a view, in an array of their own.
    ///
    /// # Errors
    /// Those of [`View::to_array`].
    pub fn from_view(view: &View<'_, T>) -> Result<Self, Error> {
        // Without views of the room: with them, and layouts that were cloned entry by entry, f32 4x4 took 158 ns, not 108.
        let room = Array::<MaybeUninit<T>>::allocate(view.shape())?;
        let src = (view.layout(), view.gaps(), view.as_ptr().cast());
        let dst = (&room.layout, room.data.as_ptr().cast());
        // SAFETY: range: the view's layout was checked against its storage, and the room has the elements of its own, all
        // of which are written if there is no error; aliasing: that is row-major, and no one else has the room; gaps are
        // read only as far as the view allows.
        unsafe {
            copy_once(size_of::<T>(), src, dst)?;
            Ok(room.assume_init())
        }
    }

    /// An array with the same value everywhere.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] and [`Error::OffsetOverflow`] if the shape does not fit `isize` in
    /// elements or bytes, [`Error::AllocFailed`] if there is no memory.
    pub fn filled(shape: &[usize], value: T) -> Result<Self, Error> {
        Self::from_shape_with(shape, |room| crate::fill(room, value))
    }

    /// An array that `write` fills: it proves so by handing back the view as an initialised one.
    pub(crate) fn from_shape_with(
        shape: &[usize],
        write: impl for<'d> FnOnce(&'d mut ViewMut<'_, MaybeUninit<T>>) -> Result<ViewMut<'d, T>, Error>,
    ) -> Result<Self, Error> {
        let room = Array::<MaybeUninit<T>>::allocate(shape)?;
        let start = room.data.as_ptr().cast();
        // SAFETY: range: the room has the elements of its layout, which need not be initialised; aliasing: that is
        // row-major, and no one else has the room; alignment: the block's.
        let mut view = unsafe { ViewMut::from_raw_parts(room.data.as_ptr(), room.layout.clone()) };
        let mut filled = write(&mut view)?;
        assert!(
            filled.as_mut_ptr() == start && filled.shape() == shape,
            "the view handed back is that of the room"
        );
        // SAFETY: range: a view of initialised elements at the start of the room, as many as it has
        // and borrowed from it uniquely, is a view of the room.
        Ok(unsafe { room.assume_init() })
    }
}

impl<T> Array<MaybeUninit<T>> {
    /// The same array, initialised.
    ///
    /// # Safety
    /// - Range: every element has been initialised.
    #[inline]
    pub(crate) unsafe fn assume_init(self) -> Array<T> {
        let room = core::mem::ManuallyDrop::new(self);
        // The block has the same size and alignment for T and MaybeUninit<T>.
        Array {
            data: room.data.cast(),
            // SAFETY: range: a layout; aliasing: the room is neither used nor dropped after this, so it has one owner.
            layout: unsafe { core::ptr::read(&raw const room.layout) },
            owns: PhantomData,
        }
    }

    /// An array of this shape that nothing was written to.
    #[inline]
    pub(crate) fn allocate(shape: &[usize]) -> Result<Self, Error> {
        let layout = Layout::row_major(shape)?;
        let fits = layout.check_storage(layout.len(), size_of::<T>());
        fits.map_err(Error::of_shape)?;
        let block = block::<T>(&layout);
        if block.size() == 0 {
            let data = NonNull::without_provenance(block.align().try_into().expect("not zero"));
            return Ok(Self {
                data,
                layout,
                owns: PhantomData,
            });
        }
        // SAFETY: the block has a size.
        let data = NonNull::new(unsafe { alloc(block) }.cast());
        let data = data.ok_or(Error::AllocFailed {
            bytes: block.size(),
        })?;
        advise_huge(data.cast(), block.size());
        Ok(Self {
            data,
            layout,
            owns: PhantomData,
        })
    }
}

impl<T> Array<T> {
    forward_queries!("row-major, offset 0.");

    /// The elements in row-major order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: range: the block holds len elements, all initialised as far as T asks;
        // aliasing: shared for the borrow of self; alignment: the block's.
        unsafe { core::slice::from_raw_parts(self.data.as_ptr(), self.len()) }
    }

    /// The elements in row-major order, to be written.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: range: the block holds len elements, all initialised as far as T asks;
        // aliasing: unique for the borrow of self; alignment: the block's.
        unsafe { core::slice::from_raw_parts_mut(self.data.as_ptr(), self.len()) }
    }

    /// All elements as a view.
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        self.with(self.layout.clone())
    }

    /// All elements as a view, to be written.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        let layout = self.layout.clone();
        // A row-major layout of len elements fits a slice of len and reaches none twice.
        ViewMut::with_layout(self.as_mut_slice(), layout).expect("row-major layouts are injective")
    }

    /// Shape and strides over the array's elements, in elements, with the offset of index
    /// `[0, 0, ..]`.
    ///
    /// # Errors
    /// Those of [`View::as_strided`].
    pub fn as_strided(
        &self,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<View<'_, T>, Error> {
        View::as_strided(self.as_slice(), shape, strides, offset)
    }

    fn with(&self, layout: Layout) -> View<'_, T> {
        View::with_layout(self.as_slice(), layout).expect("the algebra keeps layouts inside")
    }

    forward_algebra!(self: &Self => View<'_, T>, with);
    forward_reading!(self: View<'_>, with);
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        let block = block::<T>(&self.layout);
        if block.size() > 0 {
            // SAFETY: allocated with this very block; elements of NoUninit types need no drop.
            unsafe { dealloc(self.data.as_ptr().cast(), block) };
        }
    }
}

/// A copy.
///
/// # Panics
/// If there is no memory; [`View::to_array`] gives an error.
impl<T: NoUninit> Clone for Array<T> {
    fn clone(&self) -> Self {
        let copy = self.view().to_array();
        copy.unwrap_or_else(|error| panic!("an array cannot be cloned: {error}"))
    }
}

impl<T> AsRef<[T]> for Array<T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> AsMut<[T]> for Array<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

/// What an array of this layout allocates.
fn block<T>(layout: &Layout) -> Block {
    let bytes = layout.len() * size_of::<T>();
    let alignment = if bytes >= ALIGNED_FROM {
        HUGE_PAGE
    } else {
        ALIGNMENT
    };
    Block::from_size_align(bytes, alignment.max(align_of::<T>()))
        .unwrap_or_else(|_| Block::from_size_align(bytes, align_of::<T>()).expect("was checked"))
}

/// Asks for huge pages. Advice: whatever the answer, the memory is the same.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge(data: NonNull<u8>, bytes: usize) {
    /// Bytes from which on: filling 64 MiB of untouched memory took 17 ms with huge pages and 49 ms without.
    const LARGE: usize = 4 << 20;
    if bytes >= LARGE {
        let first = data.align_offset(HUGE_PAGE).min(bytes);
        let whole_pages = (bytes - first) & !(HUGE_PAGE - 1);
        let from = data.as_ptr().wrapping_add(first);
        // SAFETY: range: the block covers these pages; the advice does not change what they hold.
        let _ = unsafe { libc::madvise(from.cast(), whole_pages, libc::MADV_HUGEPAGE) };
    }
}

/// No system that is known to take such advice.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_huge(_: NonNull<u8>, _: usize) {}

/// Elements in row-major order: borrowed where they were so already, owned where they were copied.
#[derive(Debug)]
pub enum Contiguous<'a, T> {
    /// Nothing had to move.
    Borrowed(View<'a, T>),
    /// A copy.
    Owned(Array<T>),
}

impl<T> Contiguous<'_, T> {
    /// The elements in row-major order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Borrowed(view) => view.as_slice().expect("borrowed because it is contiguous"),
            Self::Owned(array) => array.as_slice(),
        }
    }

    /// The extents, one per axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::Borrowed(view) => view.shape(),
            Self::Owned(array) => array.shape(),
        }
    }

    /// All elements as a view.
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        match self {
            Self::Borrowed(view) => view.clone(),
            Self::Owned(array) => array.view(),
        }
    }

    /// Whether nothing had to move.
    #[must_use]
    pub fn is_borrowed(&self) -> bool {
        matches!(self, Self::Borrowed(_))
    }
}

impl<T: NoUninit> Contiguous<'_, T> {
    /// The elements in an array of their own, which is a copy where they were borrowed.
    ///
    /// # Errors
    /// Those of [`View::to_array`].
    pub fn into_array(self) -> Result<Array<T>, Error> {
        match self {
            Self::Borrowed(view) => view.to_array(),
            Self::Owned(array) => Ok(array),
        }
    }
}

impl<T> core::ops::Deref for Contiguous<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}
