//! Single elements of views and arrays: by index, in logical order, compared, shown.
//!
//! The places come from the layout; this file only adds the address. It is for looking at data and for
//! tests: what moves data by the million is a copy.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};
use core::ptr::NonNull;

use super::read::View;
use super::write::ViewMut;
use crate::array::Array;
use crate::layout::{Layout, Places};

impl<'a, T> View<'a, T> {
    /// The element at an index, `None` if there is no such index.
    ///
    /// ```
    /// use restride::View;
    ///
    /// let view = View::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?.transpose();
    /// assert_eq!((view.get(&[2, 1]), view.get(&[0, 2])), (Some(&6), None));
    /// assert_eq!(view[[1, 0]], 2);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn get(&self, index: &[usize]) -> Option<&'a T> {
        let place = self.layout().place(index)?;
        // SAFETY: range: the view reaches this place, initialised as far as T asks; aliasing: shared
        // for 'a; alignment: elements stand whole numbers of elements from the base, which is aligned.
        Some(unsafe { &*self.base().as_ptr().add(place) })
    }

    /// All elements in logical order: the last index runs fastest.
    ///
    /// ```
    /// use restride::View;
    ///
    /// let view = View::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?.transpose();
    /// assert!(view.iter().eq(&[1, 4, 2, 5, 3, 6]));
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter {
            base: self.base(),
            places: self.layout().places(),
            life: PhantomData,
        }
    }
}

impl<T> ViewMut<'_, T> {
    /// The element at an index, `None` if there is no such index.
    #[must_use]
    #[inline]
    pub fn get(&self, index: &[usize]) -> Option<&T> {
        let place = self.layout().place(index)?;
        // SAFETY: as in `get_mut`; shared as self is.
        Some(unsafe { &*self.base().as_ptr().add(place) })
    }

    /// The element at an index, to be written; `None` if there is no such index.
    ///
    /// ```
    /// use restride::ViewMut;
    ///
    /// let mut data = [0; 6];
    /// let mut view = ViewMut::from_slice(&mut data, &[2, 3])?.transpose();
    /// *view.get_mut(&[2, 1]).unwrap() = 7;
    /// view[[0, 1]] = 8;
    /// assert_eq!(data, [0, 0, 0, 8, 0, 7]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let place = self.layout().place(index)?;
        // SAFETY: range: the view reaches this place, initialised as far as T asks; aliasing: unique as
        // self is; alignment: elements stand whole numbers of elements from the base, which is aligned.
        Some(unsafe { &mut *self.base().as_ptr().add(place) })
    }

    /// All elements in logical order, to be written.
    ///
    /// ```
    /// use restride::ViewMut;
    ///
    /// let mut data = [0; 6];
    /// let mut view = ViewMut::from_slice(&mut data, &[2, 3])?.transpose();
    /// view.iter_mut().zip(1..).for_each(|(element, number)| *element = number);
    /// assert_eq!(data, [1, 3, 5, 2, 4, 6]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut {
            base: self.base(),
            places: self.layout().places(),
            life: PhantomData,
        }
    }
}

impl<T> Array<T> {
    /// The element at an index, `None` if there is no such index.
    #[must_use]
    #[inline]
    pub fn get(&self, index: &[usize]) -> Option<&T> {
        self.as_slice().get(self.layout().place(index)?)
    }

    /// The element at an index, to be written; `None` if there is no such index.
    #[must_use]
    #[inline]
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let place = self.layout().place(index)?;
        self.as_mut_slice().get_mut(place)
    }

    /// All elements in logical order, which is that of the memory.
    pub fn iter(&self) -> core::slice::Iter<'_, T> {
        self.as_slice().iter()
    }

    /// All elements in logical order, to be written.
    pub fn iter_mut(&mut self) -> core::slice::IterMut<'_, T> {
        self.as_mut_slice().iter_mut()
    }
}

/// The elements of a [`View`] in logical order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    base: NonNull<T>,
    places: Places,
    life: PhantomData<&'a T>,
}

/// The elements of a [`ViewMut`] in logical order.
#[derive(Debug)]
pub struct IterMut<'a, T> {
    base: NonNull<T>,
    places: Places,
    life: PhantomData<&'a mut T>,
}

// SAFETY: an iterator gives shared references to elements, as that of a slice does.
unsafe impl<T: Sync> Send for Iter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Iter<'_, T> {}
// SAFETY: an iterator gives unique references to elements, each once, as that of a mutable slice does.
unsafe impl<T: Send> Send for IterMut<'_, T> {}
// SAFETY: shared, it gives nothing.
unsafe impl<T: Sync> Sync for IterMut<'_, T> {}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        let place = self.places.next()?;
        // SAFETY: range: a place of the view this was made of; aliasing: shared for 'a; alignment: as
        // the base.
        Some(unsafe { &*self.base.as_ptr().add(place) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;

    #[inline]
    fn next(&mut self) -> Option<&'a mut T> {
        let place = self.places.next()?;
        // SAFETY: range: a place of the view that is borrowed for 'a; aliasing: its layout reaches no
        // element twice, and each index comes once; alignment: as the base.
        Some(unsafe { &mut *self.base.as_ptr().add(place) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> ExactSizeIterator for IterMut<'_, T> {}

impl<'a, T> IntoIterator for &View<'a, T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut ViewMut<'_, T> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

impl<'a, T> IntoIterator for &'a Array<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> core::slice::Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Array<T> {
    type Item = &'a mut T;
    type IntoIter = core::slice::IterMut<'a, T>;

    fn into_iter(self) -> core::slice::IterMut<'a, T> {
        self.iter_mut()
    }
}

#[cold]
#[inline(never)]
fn no_such_index(index: &[usize], layout: &Layout) -> ! {
    panic!("no index {index:?} in shape {:?}", layout.shape())
}

/// What can be read element by element reads, compares and prints alike: `$holder`, of `T`.
macro_rules! readable {
    ($holder:ty) => {
        impl<T, const N: usize> Index<[usize; N]> for $holder {
            type Output = T;

            /// # Panics
            /// If there is no such index.
            #[inline]
            fn index(&self, index: [usize; N]) -> &T {
                let element = self.get(&index);
                element.unwrap_or_else(|| no_such_index(&index, self.layout()))
            }
        }

        /// Of the same shape, with equal elements. Layouts may differ.
        impl<T: PartialEq> PartialEq for $holder {
            fn eq(&self, other: &Self) -> bool {
                self.shape() == other.shape() && all(self).iter().eq(all(other).iter())
            }
        }

        impl<T: Eq> Eq for $holder {}

        /// Nested rows; of long axes the ends only.
        impl<T: fmt::Display> fmt::Display for $holder {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                rows(&all(self), f, &|element, f| element.fmt(f))
            }
        }

        /// Nested rows, and the layout.
        impl<T: fmt::Debug> fmt::Debug for $holder {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                rows(&all(self), f, &|element, f| element.fmt(f))?;
                let layout = self.layout();
                let (shape, strides) = (layout.shape(), layout.strides());
                write!(
                    f,
                    ", shape {shape:?}, strides {strides:?}, offset {}",
                    layout.offset()
                )
            }
        }
    };
}

/// A view of everything.
trait All<T> {
    fn all(&self) -> View<'_, T>;
}

fn all<T>(holder: &impl All<T>) -> View<'_, T> {
    holder.all()
}

impl<T> All<T> for View<'_, T> {
    fn all(&self) -> View<'_, T> {
        self.clone()
    }
}

impl<T> All<T> for ViewMut<'_, T> {
    fn all(&self) -> View<'_, T> {
        self.view()
    }
}

impl<T> All<T> for Array<T> {
    fn all(&self) -> View<'_, T> {
        self.view()
    }
}

impl<T, const N: usize> IndexMut<[usize; N]> for ViewMut<'_, T> {
    /// # Panics
    /// If there is no such index.
    #[inline]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        match self.layout().place(&index) {
            // SAFETY: as in `get_mut`.
            Some(place) => unsafe { &mut *self.base().as_ptr().add(place) },
            None => no_such_index(&index, self.layout()),
        }
    }
}

impl<T, const N: usize> IndexMut<[usize; N]> for Array<T> {
    /// # Panics
    /// If there is no such index.
    #[inline]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        match self.layout().place(&index) {
            Some(place) => &mut self.as_mut_slice()[place],
            None => no_such_index(&index, self.layout()),
        }
    }
}

/// Elements up to which all are shown, and how many at each end of an axis are where not: NumPy's.
const SHOWN: usize = 1000;
const ENDS: usize = 3;

/// Writes nested rows, the innermost ones on one line each.
fn rows<T>(
    view: &View<'_, T>,
    f: &mut fmt::Formatter<'_>,
    show: &dyn Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    // Of what has no element, the rows that are there.
    let shown: usize = view.shape().iter().map(|extent| extent.max(&1)).product();
    let ends = if shown > SHOWN { ENDS } else { SHOWN };
    let mut index = vec![0; view.rank()];
    nested(view, f, show, ends, &mut index, 0)
}

fn nested<T>(
    view: &View<'_, T>,
    f: &mut fmt::Formatter<'_>,
    show: &dyn Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
    ends: usize,
    index: &mut [usize],
    axis: usize,
) -> fmt::Result {
    let Some(&extent) = view.shape().get(axis) else {
        return show(view.get(index).expect("an index of the shape"), f);
    };
    let innermost = axis + 1 == view.rank();
    let left_out = extent > 2 * ends;
    f.write_str("[")?;
    // At the first index that is left out stand the dots.
    let (before, behind) = match left_out {
        true => (ends + 1, extent - ends),
        false => (extent, extent),
    };
    for i in (0..before).chain(behind..extent) {
        if i > 0 && innermost {
            f.write_str(", ")?;
        } else if i > 0 {
            write!(f, ",\n{:1$}", "", axis + 1)?;
        }
        if left_out && i == ends {
            f.write_str("...")?;
        } else {
            index[axis] = i;
            nested(view, f, show, ends, index, axis + 1)?;
        }
    }
    f.write_str("]")
}

readable!(View<'_, T>);
readable!(ViewMut<'_, T>);
readable!(Array<T>);

/// As between arrays.
impl<T: PartialEq> PartialEq<View<'_, T>> for Array<T> {
    fn eq(&self, other: &View<'_, T>) -> bool {
        self.view() == *other
    }
}

/// As between views.
impl<T: PartialEq> PartialEq<Array<T>> for View<'_, T> {
    fn eq(&self, other: &Array<T>) -> bool {
        *self == other.view()
    }
}
