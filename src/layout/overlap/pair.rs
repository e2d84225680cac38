//! Do two layouts over one storage share a place?
//!
//! First their ranges, then `sum(i * s) - sum(j * t) == base difference`, `i` an index of the first
//! and `j` of the second. Axes of the same stride, on either side, are one unknown: parts of one
//! array mostly have the same strides, which leaves half the unknowns, and those of an array that
//! was taken apart are decided by the divisor or by the first reach.

use core::ops::Range;

use smallvec::SmallVec;

use super::equation::{Answer, Sum};
use super::{Index, Overlap};

/// What a layout covers, in any unit: `width` units from each place on.
#[derive(Clone, Copy)]
pub(crate) struct Footprint<'a> {
    pub(crate) shape: &'a [usize],
    pub(crate) strides: &'a [isize],
    pub(crate) base: i128,
    pub(crate) width: usize,
}

impl Footprint<'_> {
    fn axes(&self) -> impl Iterator<Item = (usize, isize)> {
        self.shape.iter().copied().zip(self.strides.iter().copied())
    }

    /// All units from the lowest to the highest; `None` if there is none.
    fn range(&self) -> Option<Range<i128>> {
        let mut range = self.base..self.base + self.width as i128;
        for (extent, stride) in self.axes() {
            if extent == 0 {
                return None;
            }
            let reach = (extent as i128 - 1) * stride as i128;
            *(if reach < 0 {
                &mut range.start
            } else {
                &mut range.end
            }) += reach;
        }
        (self.width > 0).then_some(range)
    }
}

/// Whether a unit of the one is also one of the other.
#[inline]
pub(crate) fn meet(first: &Footprint<'_>, second: &Footprint<'_>) -> Overlap {
    let (Some(a), Some(b)) = (first.range(), second.range()) else {
        return Overlap::No;
    };
    if a.end <= b.start || b.end <= a.start {
        return Overlap::No;
    }
    if first.base == second.base {
        let origin = |side: &Footprint<'_>| Index(SmallVec::from_elem(0, side.shape.len()));
        return Overlap::Yes {
            first: origin(first),
            second: origin(second),
        };
    }
    search(first, second)
}

#[cold]
fn search(first: &Footprint<'_>, second: &Footprint<'_>) -> Overlap {
    let mut sum = Sum::new(second.base - first.base);
    for (side, sign) in [(first, 1), (second, -1)] {
        for (extent, stride) in side.axes() {
            sum.add(sign * stride as i128, 0, extent as i128 - 1);
        }
    }
    match sum.solve((first.width, second.width)) {
        Answer::None => Overlap::No,
        Answer::Undecided => Overlap::Undecided,
        Answer::Some(mut values) => {
            // What an axis takes of its unknown's value is gone for the axes behind it.
            let mut index = |side: &Footprint<'_>, sign| {
                let axes = side.axes().map(|(extent, stride)| {
                    let last = extent as i128 - 1;
                    sum.take(&mut values, sign * stride as i128, 0, last) as usize
                });
                Index(axes.collect())
            };
            let first = index(first, 1);
            let second = index(second, -1);
            Overlap::Yes { first, second }
        }
    }
}
