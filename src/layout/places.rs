//! Where elements stand: of one index, and of all indices in logical order.

use core::iter::FusedIterator;

use super::{Layout, PerAxis};

impl Layout {
    /// Where an index stands, in elements from the start of the storage; `None` if there is no such
    /// index.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let columns = Layout::column_major(&[3, 4])?;
    /// assert_eq!((columns.place(&[2, 1]), columns.place(&[3, 0])), (Some(5), None));
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn place(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.rank() {
            return None;
        }
        let mut place = self.offset as isize;
        for (&i, (extent, stride)) in index.iter().zip(self.all_axes()) {
            if i >= extent {
                return None;
            }
            // Of an index that exists all sums stay inside the reach; others end with None.
            place = place.wrapping_add((i as isize).wrapping_mul(stride));
        }
        Some(place as usize)
    }

    /// Where all elements stand, in logical order: the last index runs fastest.
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let places = Layout::column_major(&[2, 3])?.places();
    /// assert_eq!(places.collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn places(&self) -> Places {
        Places {
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            index: PerAxis::from_elem(0, self.rank()),
            place: self.offset as isize,
            left: self.len,
        }
    }
}

/// The places of a layout in logical order: see [`Layout::places`].
#[derive(Clone, Debug)]
pub struct Places {
    shape: PerAxis<usize>,
    strides: PerAxis<isize>,
    index: PerAxis<usize>,
    /// Of `index`.
    place: isize,
    left: usize,
}

impl Iterator for Places {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let place = self.place;
        // An axis that is at its end starts again, and the one before it goes on.
        for axis in (0..self.shape.len()).rev() {
            self.index[axis] += 1;
            self.place = self.place.wrapping_add(self.strides[axis]);
            if self.index[axis] < self.shape[axis] {
                break;
            }
            let back = (self.index[axis] as isize).wrapping_mul(self.strides[axis]);
            self.place = self.place.wrapping_sub(back);
            self.index[axis] = 0;
        }
        Some(place as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Places {}
impl FusedIterator for Places {}
