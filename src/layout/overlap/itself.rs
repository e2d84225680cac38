//! Does a layout reach one place by two indices? Such a layout can be read but not written.
//!
//! Two different indices meet where their difference `d`, with `|d[i]| < extent[i]`, has
//! `sum(d[i] * stride[i]) == 0`. Layouts whose sorted strides each step over everything below them
//! (dense, padded, sliced) are decided in one pass. For all others the first `d[i]` that is not 0 may
//! be taken as positive: one equation for each axis that it can be.

use smallvec::SmallVec;

use super::equation::{Answer, BUDGET, PerTerm, Search, Term};
use super::{Index, Overlap};
use crate::error::Error;
use crate::layout::PerAxis;

/// Refuses a destination that has two indices for one place. `axes` are (extent, stride), with
/// strides in the units of `width`, the width of what stands at an index: 1 with strides in
/// elements, the cell with bytes.
#[inline]
pub(crate) fn check_injective(
    axes: impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + Clone,
    width: usize,
    arg: &'static str,
) -> Result<(), Error> {
    match overlaps_itself(axes, width) {
        Overlap::No => Ok(()),
        Overlap::Undecided => Err(Error::OverlapUndecided {
            arg,
            budget: BUDGET,
        }),
        Overlap::Yes { first, second } => Err(Error::InternalOverlap {
            arg,
            first: first.0.into_vec().into(),
            second: second.0.into_vec().into(),
        }),
    }
}

/// The question itself, with the arguments of [`check_injective`].
#[inline]
pub(super) fn overlaps_itself(
    axes: impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + Clone,
    width: usize,
) -> Overlap {
    // Mostly the last axis has the smallest stride, and nothing needs to be sorted.
    if steps_over_all_below(axes.clone().rev(), width) {
        return Overlap::No;
    }
    let mut ascending: PerAxis<(usize, isize)> = axes.clone().collect();
    ascending.sort_unstable_by_key(|&(_, stride)| stride.unsigned_abs());
    if steps_over_all_below(ascending.into_iter(), width) {
        return Overlap::No;
    }
    search(axes, width)
}

/// Whether each stride is larger than the whole reach of those before it: sufficient, not
/// necessary.
#[inline]
fn steps_over_all_below(mut axes: impl Iterator<Item = (usize, isize)>, width: usize) -> bool {
    let mut reach = width as u128;
    axes.all(|(extent, stride)| {
        let stride = stride.unsigned_abs() as u128;
        let steps_over = extent <= 1 || stride >= reach;
        reach += (extent as u128).saturating_sub(1) * stride;
        steps_over
    })
}

/// A term, and where its value belongs.
struct Difference {
    term: Term,
    /// The axis; the rank for the byte inside the cell.
    axis: usize,
    negative: bool,
}

#[cold]
fn search(axes: impl ExactSizeIterator<Item = (usize, isize)>, width: usize) -> Overlap {
    let (rank, width) = (axes.len(), width as i128);
    let mut differences: PerTerm<Difference> = SmallVec::new();
    for (axis, (extent, stride)) in axes.enumerate() {
        if extent == 0 || width == 0 {
            return Overlap::No;
        }
        if extent > 1 {
            let most = extent as i128 - 1;
            differences.push(Difference {
                term: Term {
                    stride: (stride as i128).abs(),
                    low: -most,
                    high: most,
                },
                axis,
                negative: stride < 0,
            });
        }
    }
    let in_cells = differences.iter().all(|d| d.term.stride % width == 0);
    if in_cells {
        let strides = differences.iter_mut().map(|d| &mut d.term.stride);
        strides.for_each(|stride| *stride /= width);
    } else {
        // Cells may share only some bytes: the byte inside the cell is one more unknown.
        differences.push(Difference {
            term: Term {
                stride: 1,
                low: 1 - width,
                high: width - 1,
            },
            axis: rank,
            negative: false,
        });
    }
    differences.sort_unstable_by_key(|d| core::cmp::Reverse(d.term.stride));
    if differences.last().is_some_and(|d| d.term.stride == 0) {
        // The smallest stride is 0: any two indices of its axis meet.
        return witness(&differences[differences.len() - 1..], &[1], rank);
    }
    let terms: PerTerm<Term> = differences.iter().map(|d| d.term).collect();
    let mut search = Search::new(&terms);
    for lead in 0..differences.len() {
        search.raise(lead, 1);
        match search.solve(lead, 0) {
            Answer::None => {}
            Answer::Some(values) => return witness(&differences[lead..], &values, rank),
            Answer::Undecided => return Overlap::Undecided,
        }
    }
    Overlap::No
}

/// Two indices of the shape with these differences: each axis starts at 0 in one of them.
fn witness(differences: &[Difference], values: &[i128], rank: usize) -> Overlap {
    let mut first = SmallVec::from_elem(0, rank);
    let mut second = SmallVec::from_elem(0, rank);
    for (difference, &value) in differences.iter().zip(values) {
        if difference.axis < rank && value != 0 {
            let goes_up = (value > 0) != difference.negative;
            let index = if goes_up { &mut first } else { &mut second };
            index[difference.axis] = value.unsigned_abs() as usize;
        }
    }
    let (first, second) = (Index(first), Index(second));
    Overlap::Yes { first, second }
}
