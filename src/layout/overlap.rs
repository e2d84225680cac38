//! Does a layout reach one place by two indices? Such a layout can be read but not written.
//!
//! Two different indices meet where their difference `d`, with `|d[i]| < extent[i]`, has
//! `sum(d[i] * stride[i]) == 0`: a bounded linear Diophantine equation. Layouts whose sorted strides
//! each step over everything below them (dense, padded, sliced) are decided in one pass. All others
//! go to a search over `d`, largest stride first, pruned by what the smaller strides can still reach
//! and by their greatest common divisor. It is exact; with two axes it ends after a few steps; with
//! more it may run out of its budget, and says so.

use smallvec::SmallVec;

use crate::error::Error;
use crate::layout::PerAxis;

/// Steps of the search. *Guess*: about a millisecond; padded and sliced layouts need none.
const BUDGET: u32 = 1 << 16;

/// An axis of the equation: strides are positive here, the sign is kept for the witness.
#[derive(Clone, Copy)]
struct Term {
    axis: usize,
    /// The largest difference of two indices.
    most: i128,
    stride: i128,
    negative: bool,
}

/// Refuses a destination that has two indices for one place. `axes` are (extent, stride), with
/// strides in the units of `width`, the width of what stands at an index: 1 with strides in
/// elements, the cell with bytes.
#[inline]
pub(crate) fn check_injective(
    axes: impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + Clone,
    width: usize,
    arg: &'static str,
) -> Result<(), Error> {
    // Mostly the last axis has the smallest stride, and nothing needs to be sorted.
    if steps_over_all_below(axes.clone().rev(), width) {
        return Ok(());
    }
    let mut ascending: PerAxis<(usize, isize)> = axes.clone().collect();
    ascending.sort_unstable_by_key(|&(_, stride)| stride.unsigned_abs());
    if steps_over_all_below(ascending.into_iter(), width) {
        return Ok(());
    }
    search(axes, width, arg)
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

#[cold]
fn search(
    axes: impl ExactSizeIterator<Item = (usize, isize)>,
    width: usize,
    arg: &'static str,
) -> Result<(), Error> {
    let (rank, width) = (axes.len(), width as i128);
    let mut terms: SmallVec<[Term; 8]> = SmallVec::new();
    for (axis, (extent, stride)) in axes.enumerate() {
        if extent == 0 || width == 0 {
            return Ok(());
        }
        if extent > 1 {
            let (most, negative) = (extent as i128 - 1, stride < 0);
            terms.push(Term {
                axis,
                most,
                stride: (stride as i128).abs(),
                negative,
            });
        }
    }
    if terms.iter().all(|term| term.stride % width == 0) {
        terms.iter_mut().for_each(|term| term.stride /= width);
    } else {
        // Cells may share only some bytes: the byte inside the cell is one more axis.
        terms.push(Term {
            axis: rank,
            most: width - 1,
            stride: 1,
            negative: false,
        });
    }
    terms.sort_unstable_by_key(|term| core::cmp::Reverse(term.stride));
    let outcome = if terms.last().is_some_and(|term| term.stride == 0) {
        // The smallest stride is 0: any two indices of its axis meet.
        let mut differences = SmallVec::from_elem(0, terms.len());
        differences[terms.len() - 1] = 1;
        Outcome::Meets(differences)
    } else {
        Search::new(&terms).run()
    };
    match outcome {
        Outcome::Injective => Ok(()),
        Outcome::Undecided => Err(Error::OverlapUndecided {
            arg,
            budget: BUDGET,
        }),
        Outcome::Meets(differences) => {
            let (first, second) = witness(&terms, &differences, rank);
            Err(Error::InternalOverlap { arg, first, second })
        }
    }
}

/// Two indices of the shape with these differences: each axis starts at 0 in one of them.
fn witness(terms: &[Term], differences: &[i128], rank: usize) -> (Box<[usize]>, Box<[usize]>) {
    let mut first = vec![0; rank];
    let mut second = vec![0; rank];
    for (term, &difference) in terms.iter().zip(differences) {
        if term.axis < rank && difference != 0 {
            let goes_up = (difference > 0) != term.negative;
            let index = if goes_up { &mut first } else { &mut second };
            index[term.axis] = difference.unsigned_abs() as usize;
        }
    }
    (first.into(), second.into())
}

enum Outcome {
    Injective,
    Meets(SmallVec<[i128; 8]>),
    Undecided,
}

/// The search itself: an explicit stack of one candidate range per term.
struct Search<'a> {
    terms: &'a [Term],
    /// `reach[i]`: the most that terms `i..` can add up to.
    reach: PerAxis<i128>,
    /// `divisor[i]`: the greatest common divisor of the strides of terms `i..`, 0 for none.
    divisor: PerAxis<i128>,
    budget: u32,
}

impl<'a> Search<'a> {
    fn new(terms: &'a [Term]) -> Self {
        let mut reach: PerAxis<i128> = SmallVec::from_elem(0, terms.len() + 1);
        let mut divisor = reach.clone();
        for (i, term) in terms.iter().enumerate().rev() {
            reach[i] = reach[i + 1] + term.most * term.stride;
            divisor[i] = gcd(term.stride, divisor[i + 1]);
        }
        Self {
            terms,
            reach,
            divisor,
            budget: BUDGET,
        }
    }

    /// Every non-zero difference has a first non-zero term, which may be taken as positive. No stride
    /// is 0.
    fn run(mut self) -> Outcome {
        for lead in 0..self.terms.len() {
            let stride = self.terms[lead].stride;
            let rest = self.divisor[lead + 1];
            // The rest only adds up to multiples of its divisor: so must the lead.
            let every = if rest == 0 {
                continue;
            } else {
                rest / gcd(stride, rest)
            };
            let mut difference = every;
            while difference <= self.terms[lead].most && difference * stride <= self.reach[lead + 1]
            {
                // A difference that nothing completes is a step too.
                let Some(left) = self.budget.checked_sub(1) else {
                    return Outcome::Undecided;
                };
                self.budget = left;
                match self.complete(lead + 1, -difference * stride) {
                    Some(Some(mut tail)) => {
                        tail.insert(0, difference);
                        return Outcome::Meets(self.led_by(lead, &tail));
                    }
                    Some(None) => difference += every,
                    None => return Outcome::Undecided,
                }
            }
        }
        Outcome::Injective
    }

    /// Differences that are 0 in front of `lead`.
    fn led_by(&self, lead: usize, tail: &[i128]) -> SmallVec<[i128; 8]> {
        let mut all = SmallVec::from_elem(0, self.terms.len());
        all[lead..lead + tail.len()].copy_from_slice(tail);
        all
    }

    /// Differences of terms `from..` that add up to `target`: `None` if the budget ran out.
    fn complete(&mut self, from: usize, target: i128) -> Option<Option<SmallVec<[i128; 8]>>> {
        let depth = self.terms.len() - from;
        // (what is still wanted, next candidate, last candidate) per level.
        let mut stack: SmallVec<[(i128, i128, i128); 8]> = SmallVec::new();
        stack.push(self.candidates(from, target));
        loop {
            let level = stack.len() - 1;
            let (wanted, next, last) = stack[level];
            if next > last {
                stack.pop();
                match stack.last_mut() {
                    None => return Some(None),
                    Some(parent) => parent.1 += 1,
                }
                continue;
            }
            self.budget = self.budget.checked_sub(1)?;
            let left = wanted - next * self.terms[from + level].stride;
            if level + 1 == depth {
                if left == 0 {
                    return Some(Some(stack.iter().map(|&(_, chosen, _)| chosen).collect()));
                }
                stack[level].1 += 1;
            } else if left % self.divisor[from + level + 1] == 0 {
                stack.push(self.candidates(from + level + 1, left));
            } else {
                stack[level].1 += 1;
            }
        }
    }

    /// The differences of term `i` after which the later ones can still reach the rest of `wanted`.
    fn candidates(&self, i: usize, wanted: i128) -> (i128, i128, i128) {
        let Term { most, stride, .. } = self.terms[i];
        let later = self.reach[i + 1];
        let lowest = -(-(wanted - later)).div_euclid(stride);
        let highest = (wanted + later).div_euclid(stride);
        (wanted, lowest.max(-most), highest.min(most))
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
