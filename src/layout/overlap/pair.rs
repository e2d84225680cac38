//! Do two layouts over one storage share a place?
//!
//! First their ranges, then `sum(i * s) - sum(j * t) == base difference`, `i` an index of the first
//! and `j` of the second. Axes of the same stride, on either side, are one unknown: parts of one
//! array mostly have the same strides, which leaves half the unknowns, and those of an array that
//! was taken apart are decided by the divisor or by the first reach.

use core::ops::Range;

use smallvec::SmallVec;

use super::equation::{Answer, PerTerm, Search, Term};
use super::{Index, Overlap};
use crate::layout::PerAxis;

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
    let target = second.base - first.base;
    let width = first.width as i128;
    let sides = || steps(first, 1).chain(steps(second, -1));
    let in_cells = first.width == second.width
        && target % width == 0
        && sides().all(|step| step.stride % width == 0);
    let unit = if in_cells { width } else { 1 };
    let mut terms: PerTerm<Term> = SmallVec::new();
    sides().for_each(|step| add(&mut terms, step.term(unit)));
    if !in_cells {
        // They may share only some units of a place: the unit inside it is one more unknown.
        let (low, high) = (1 - second.width as i128, width - 1);
        add(
            &mut terms,
            Term {
                stride: 1,
                low,
                high,
            },
        );
    }
    terms.sort_unstable_by_key(|term| core::cmp::Reverse(term.stride));
    match Search::new(&terms).solve(0, target / unit) {
        Answer::None => Overlap::No,
        Answer::Undecided => Overlap::Undecided,
        Answer::Some(mut values) => {
            // What an axis takes of its unknown's value is gone for the axes behind it.
            let mut index = |side: &Footprint<'_>, sign| {
                let mut index: PerAxis<usize> = SmallVec::from_elem(0, side.shape.len());
                for step in steps(side, sign) {
                    let term = step.term(unit);
                    let same = terms.iter().position(|other| other.stride == term.stride);
                    let value = &mut values[same.expect("every step was added")];
                    let taken = (*value).clamp(term.low, term.high);
                    *value -= taken;
                    index[step.axis] = taken.unsigned_abs() as usize;
                }
                Index(index)
            };
            let first = index(first, 1);
            let second = index(second, -1);
            Overlap::Yes { first, second }
        }
    }
}

/// An axis that leads to other places, as a term of the sum: `sign` is that of its side.
struct Step {
    axis: usize,
    /// Above 0.
    stride: i128,
    /// The last index, below 0 if it leads down.
    last: i128,
}

impl Step {
    fn term(&self, unit: i128) -> Term {
        Term {
            stride: self.stride / unit,
            low: self.last.min(0),
            high: self.last.max(0),
        }
    }
}

fn steps(side: &Footprint<'_>, sign: i128) -> impl Iterator<Item = Step> {
    let axes = side.axes().enumerate();
    axes.filter(|&(_, (extent, stride))| extent > 1 && stride != 0)
        .map(move |(axis, (extent, stride))| Step {
            axis,
            stride: (stride as i128).abs(),
            last: (extent as i128 - 1) * sign * (stride as i128).signum(),
        })
}

/// One more term; those of the same stride become one.
fn add(terms: &mut PerTerm<Term>, term: Term) {
    match terms.iter_mut().find(|other| other.stride == term.stride) {
        Some(other) => {
            other.low += term.low;
            other.high += term.high;
        }
        None => terms.push(term),
    }
}
