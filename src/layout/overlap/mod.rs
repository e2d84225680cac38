//! Which elements do two layouts share, and does one reach an element twice? Exact, on a budget.
//!
//! Both questions are one equation in integers ([`equation`]): two indices meet where the
//! difference of their places is 0. What is plain from the ranges, or from strides that each step
//! over everything below them, is answered before any equation is made.

mod equation;
mod itself;
mod pair;

use core::fmt;
use core::ops::Deref;

pub(crate) use itself::check_injective;
#[cfg(test)]
pub(super) use pair::{Footprint, meet};

use super::{Layout, PerAxis};

/// Whether layouts share memory.
///
/// `No` and `Yes` are exact. Deciding is NP-hard in general, so there is a budget of about a
/// millisecond; whoever has to be safe treats [`Undecided`](Overlap::Undecided) as an overlap, as
/// [`Overlap::is_possible`] does. Dense, padded, sliced and interleaved layouts are decided
/// in some tens of nanoseconds, and so is every pair of one-dimensional ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Overlap {
    /// They share nothing.
    No,
    /// They share something.
    Yes {
        /// An index of the first layout.
        first: Index,
        /// An index of the second layout that stands in the same place.
        second: Index,
    },
    /// The budget ran out before an answer was found.
    Undecided,
}

impl Overlap {
    /// Whether memory may be shared: everything but [`Overlap::No`].
    #[must_use]
    pub fn is_possible(&self) -> bool {
        !matches!(self, Self::No)
    }
}

/// One index of a layout: an entry per axis. It reads as a slice, and up to rank 8 it does not
/// allocate.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Index(pub(crate) PerAxis<usize>);

impl Deref for Index {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Layout {
    /// Whether this and another layout over the same storage, of the same element, share an
    /// element.
    ///
    /// ```
    /// use restride::{Layout, Overlap};
    ///
    /// let row = Layout::row_major(&[10])?;
    /// let even = Layout::new(&[5], &[2], 0)?;
    /// let odd = Layout::new(&[5], &[2], 1)?;
    /// assert_eq!(even.overlaps(&odd), Overlap::No); // they interleave
    /// let Overlap::Yes { first, second } = odd.overlaps(&row) else { panic!() };
    /// assert_eq!(1 + 2 * first[0], second[0]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn overlaps(&self, other: &Self) -> Overlap {
        pair::meet(&self.footprint(), &other.footprint())
    }

    /// Whether two indices of this layout are the same element. Such a layout can be read, but not
    /// written.
    ///
    /// ```
    /// use restride::{Layout, Overlap};
    ///
    /// // Rows that overlap in memory and still never share an element, until there is a fifth.
    /// assert_eq!(Layout::new(&[4, 4], &[3, 4], 0)?.overlaps_itself(), Overlap::No);
    /// assert!(Layout::new(&[5, 4], &[3, 4], 0)?.overlaps_itself().is_possible());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn overlaps_itself(&self) -> Overlap {
        if self.is_empty() {
            return Overlap::No;
        }
        itself::overlaps_itself(self.all_axes(), 1)
    }

    fn footprint(&self) -> pair::Footprint<'_> {
        pair::Footprint {
            shape: &self.shape,
            strides: &self.strides,
            base: self.offset as i128,
            width: 1,
        }
    }
}
