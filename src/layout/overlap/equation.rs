//! The one equation behind every question of overlap, and the search that decides it.
//!
//! `sum(x[i] * stride[i]) == target` with `low[i] <= x[i] <= high[i]`: linear, bounded, in integers
//! (Diophantine). Deciding it is NP-hard, so the work has a budget. The search takes the largest
//! stride first. Of each unknown only those values are tried that
//!
//! - leave a rest which the later unknowns can still reach, between the sums of their bounds, and
//! - leave a rest which the greatest common divisor of the later strides divides: these values are
//!   every `n`th, the first of them given by a modular inverse.
//!
//! So the last two unknowns are never searched, and strides that step over each other leave one or
//! two values each. All arithmetic is i128: terms below 2^63 times extents below 2^63 add up to less
//! than 2^127.

use smallvec::SmallVec;

/// One entry per unknown: two layouts of rank 8 and the byte inside the cell.
pub(super) type PerTerm<T> = SmallVec<[T; 17]>;

/// Steps of one question, each a value of one unknown. Measured: 2^16 steps take a millisecond.
pub(super) const BUDGET: u32 = 1 << 16;

/// One unknown of the equation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// Above 0.
    pub(super) stride: i128,
    pub(super) low: i128,
    pub(super) high: i128,
}

/// What there is to say of an equation.
pub(super) enum Answer {
    /// Nothing solves it.
    None,
    /// A value for each unknown.
    Some(PerTerm<i128>),
    /// The budget ran out first.
    Undecided,
}

/// A term with what the terms behind it can do.
struct Level {
    term: Term,
    /// The least and the most that the later terms add up to.
    rest: (i128, i128),
    /// The greatest common divisor of this stride and all later ones.
    divisor: i128,
    /// Of this unknown's values, only every `every`th leaves a multiple of the later divisor ...
    every: i128,
    /// ... counted from `wanted / divisor * inverse`.
    inverse: i128,
}

/// The values of one unknown that are still to be tried.
struct Candidates {
    wanted: i128,
    next: i128,
    last: i128,
}

pub(super) struct Search {
    levels: PerTerm<Level>,
    budget: u32,
}

impl Search {
    /// Of terms with the largest stride first.
    pub(super) fn new(terms: &[Term]) -> Self {
        let mut levels = PerTerm::new();
        let (mut rest, mut later) = ((0, 0), 0);
        for &term in terms.iter().rev() {
            let (divisor, inverse) = inverse(term.stride, later);
            levels.push(Level {
                term,
                rest,
                divisor,
                every: (later / divisor).max(1),
                inverse,
            });
            rest.0 += term.low * term.stride;
            rest.1 += term.high * term.stride;
            later = divisor;
        }
        levels.reverse();
        Self {
            levels,
            budget: BUDGET,
        }
    }

    /// Raises the lower bound of an unknown. What was worked out for the terms before it is void
    /// then: only [`Search::solve`] from here on may follow.
    pub(super) fn raise(&mut self, term: usize, low: i128) {
        self.levels[term].term.low = low;
    }

    /// Solves the equation of the unknowns `from..`. All calls share the budget.
    pub(super) fn solve(&mut self, from: usize, target: i128) -> Answer {
        let levels = &self.levels[from..];
        let Some(first) = levels.first() else {
            let solution = || Answer::Some(PerTerm::new());
            return if target == 0 {
                solution()
            } else {
                Answer::None
            };
        };
        if target % first.divisor != 0 {
            return Answer::None;
        }
        let mut stack: PerTerm<Candidates> = PerTerm::new();
        stack.push(first.candidates(target));
        while let Some(top) = stack.last() {
            let depth = stack.len() - 1;
            if top.next > top.last {
                stack.pop();
                if let Some(before) = stack.last_mut() {
                    before.next += levels[depth - 1].every;
                }
                continue;
            }
            let Some(left) = self.budget.checked_sub(1) else {
                return Answer::Undecided;
            };
            self.budget = left;
            match levels.get(depth + 1) {
                Some(later) => {
                    let wanted = top.wanted - top.next * levels[depth].term.stride;
                    stack.push(later.candidates(wanted));
                }
                // The last unknown has a candidate only where it completes the sum.
                None => return Answer::Some(stack.iter().map(|tried| tried.next).collect()),
            }
        }
        Answer::None
    }
}

impl Level {
    /// The values that leave something which the later terms may add up to. `wanted` is a multiple
    /// of the divisor.
    fn candidates(&self, wanted: i128) -> Candidates {
        let Term { stride, low, high } = self.term;
        let least = -(self.rest.1 - wanted).div_euclid(stride);
        let last = (wanted - self.rest.0).div_euclid(stride).min(high);
        let least = least.max(low);
        let next = if self.every == 1 {
            least
        } else {
            let residue = (wanted / self.divisor).rem_euclid(self.every) * self.inverse;
            least + (residue - least).rem_euclid(self.every)
        };
        Candidates { wanted, next, last }
    }
}

/// The greatest common divisor `g` of `a > 0` and `modulus >= 0`, and the inverse of `a / g` modulo
/// `modulus / g` (0 if that is 0 or 1), by the extended Euclidean algorithm.
fn inverse(a: i128, modulus: i128) -> (i128, i128) {
    // r == x * a (mod modulus) holds of both pairs.
    let (mut r, mut x) = ((modulus, a), (0, 1));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        x = (x.1, x.0 - quotient * x.1);
    }
    let every = modulus / r.0;
    (r.0, if every > 1 { x.0.rem_euclid(every) } else { 0 })
}
