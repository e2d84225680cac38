//! The normal form of a problem: as few dimensions as possible, in one order, with the cell as wide
//! as possible.
//!
//! Six steps, each a pure function, in this order because each makes the next one find more:
//!
//! 1. leave early if there is nothing to move,
//! 2. drop dimensions of extent 1,
//! 3. flip dimensions so that every destination stride is positive,
//! 4. sort by destination stride, ties by the source's,
//! 5. merge pairs that follow each other on both sides, all pairs, until none is left,
//! 6. fold a dimension that is contiguous on both sides into the cell.
//!
//! The set of (source byte, destination byte) pairs stays what it was.

use smallvec::SmallVec;

use super::problem::{Dim, Listed, Problem};

/// Up to this many dimensions are sorted in place by insertion, without a call.
const FEW: usize = 8;

/// Dimensions, inline up to eight.
pub(crate) type Dims = SmallVec<[Dim; 8]>;

/// A problem in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    /// Bytes that move together.
    pub cell: usize,
    /// The dimensions, by ascending destination stride; every destination stride is positive.
    pub dims: Dims,
    /// Bytes from the source address of index `[0, 0, ..]` to that of the first cell here.
    pub src_shift: isize,
    /// The same of the destination.
    pub dst_shift: isize,
    /// The dimension whose source positions come from a list of pointers. It stands outside of the
    /// six steps: nothing is known of its source.
    pub listed: Option<Dim>,
    /// The same of the destination. There is at most one of the two.
    pub listed_dst: Option<Dim>,
}

impl Normal {
    /// The normal form of a problem, `None` if it moves nothing.
    #[must_use]
    #[inline]
    pub fn of(problem: &Problem) -> Option<Self> {
        let mut normal = Self::of_cells(problem.src_cell);
        normal.finish(problem).then_some(normal)
    }

    /// What [`Normal::finish`] starts from: cells, and nothing known of their places.
    #[inline(always)]
    pub(crate) fn of_cells(cell: usize) -> Self {
        Self {
            cell,
            dims: Dims::new(),
            src_shift: 0,
            dst_shift: 0,
            listed: None,
            listed_dst: None,
        }
    }

    /// Makes this, as it was started, the normal form of a problem; not if that moves nothing.
    ///
    /// In place: a normal form is some 300 bytes, and to move those just after they were written
    /// takes as long as to find them.
    #[inline]
    pub(super) fn finish(&mut self, problem: &Problem) -> bool {
        if moves_nothing(problem.src_cell, &problem.dims) {
            return false;
        }
        for (axis, &dim) in problem.dims.iter().enumerate().rev() {
            match problem.listed.filter(|listed| listed.axis() == axis) {
                None => self.add(dim),
                Some(Listed::Source(_)) => self.listed = Some(dim),
                Some(Listed::Destination(_)) => self.listed_dst = Some(dim),
            }
        }
        self.settle();
        true
    }

    /// Step 2. Dimensions of extent 1 have no second index: their strides mean nothing.
    ///
    /// Axes are added from the last one on, which mostly has the smallest strides: then there is
    /// nothing to sort.
    #[inline(always)]
    pub(super) fn add(&mut self, dim: Dim) {
        if dim.extent != 1 {
            self.dims.push(dim);
        }
    }

    /// Steps 3 to 6.
    #[inline]
    pub(super) fn settle(&mut self) {
        // A slice: a vector asks itself at each look whether it is on the heap.
        let dims = &mut self.dims[..];
        (self.src_shift, self.dst_shift) = flip_to_positive(dims);
        sort_by_destination(dims);
        let merged = merge(dims);
        let (cell, left) = fold(self.cell, &mut dims[..merged]);
        self.cell = cell;
        self.dims.truncate(left);
    }

    /// The number of cells.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> usize {
        let listed = self.listed.or(self.listed_dst).map_or(1, |dim| dim.extent);
        self.dims.iter().fold(listed, |all, dim| all * dim.extent)
    }
}

/// Step 1. Whether an extent is 0, or a cell has no bytes.
fn moves_nothing(cell: usize, dims: &[Dim]) -> bool {
    cell == 0 || dims.iter().any(|dim| dim.extent == 0)
}

/// Step 3. Walks dimensions with a negative destination stride from their other end. Returns the
/// bytes by which the first cell moved in the source and in the destination.
#[inline]
fn flip_to_positive(dims: &mut [Dim]) -> (isize, isize) {
    let mut shift = (0, 0);
    for dim in dims.iter_mut().filter(|dim| dim.dst < 0) {
        let (src, dst) = flip(dim);
        shift = (shift.0 + src, shift.1 + dst);
    }
    shift
}

/// Walks a dimension from its other end. Returns the bytes to that end on either side.
pub(super) fn flip(dim: &mut Dim) -> (isize, isize) {
    let last = dim.extent as isize - 1;
    let shift = (last * dim.src, last * dim.dst);
    (dim.src, dim.dst) = (-dim.src, -dim.dst);
    shift
}

/// Step 4. Ascending destination stride, ties by ascending magnitude of the source stride.
#[inline]
fn sort_by_destination(dims: &mut [Dim]) {
    let key = |dim: &Dim| (dim.dst, dim.src.unsigned_abs());
    if dims.len() > FEW {
        return dims.sort_unstable_by_key(key);
    }
    for i in 1..dims.len() {
        let mut at = i;
        while at > 0 && key(&dims[at]) < key(&dims[at - 1]) {
            dims.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Step 5. Merges `outer` into `inner` wherever `outer`'s strides continue `inner`'s on both sides.
///
/// Absorbing changes only the extent of the inner dimension, and whether a dimension can be absorbed
/// does not depend on its own extent; so one pass over the inner dimensions, each absorbing as long
/// as it can, reaches the fixpoint over all pairs. Returns how many dimensions are left, in front.
#[inline]
fn merge(dims: &mut [Dim]) -> usize {
    let (mut inner, mut left) = (0, dims.len());
    while inner + 1 < left {
        let Dim { extent, src, dst } = dims[inner];
        let next = (
            src.checked_mul(extent as isize),
            dst.checked_mul(extent as isize),
        );
        // Strides ascend, so what continues this dimension stands behind it.
        let mut behind = dims[inner + 1..left].iter();
        match behind.position(|dim| (Some(dim.src), Some(dim.dst)) == next) {
            Some(distance) => {
                let outer = remove(&mut dims[..left], inner + 1 + distance);
                dims[inner].extent *= outer.extent;
                left -= 1;
            }
            None => inner += 1,
        }
    }
    left
}

/// Takes dimension `at` out: those behind it move up, and the last place is free.
#[inline]
fn remove(dims: &mut [Dim], at: usize) -> Dim {
    let taken = dims[at];
    dims.copy_within(at + 1.., at);
    taken
}

/// Step 6. A dimension that is contiguous on both sides becomes part of the cell. After merging
/// there is at most one. Returns the bytes of the new cell, and how many dimensions are left, in
/// front.
#[inline]
fn fold(cell: usize, dims: &mut [Dim]) -> (usize, usize) {
    let unit = |dim: &Dim| dim.src == cell as isize && dim.dst == cell as isize;
    match dims.iter().position(unit) {
        Some(shared) => (cell * remove(dims, shared).extent, dims.len() - 1),
        None => (cell, dims.len()),
    }
}

#[cfg(test)]
mod tests;
