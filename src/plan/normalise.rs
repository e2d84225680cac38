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
//! 6. fold a dimension that is contiguous on both sides into the cell, unless it is a short window of a source of which
//!    the next window is a cell further on: those are transposed as matrices are.
//!
//! The set of (source byte, destination byte) pairs stays what it was.

use smallvec::SmallVec;

use super::draft::RUN_BYTES;
use super::problem::{Dim, Listed, Problem};

/// Dimensions that have room on the stack.
pub(crate) const FEW: usize = 8;

/// Dimensions, inline up to eight.
pub(crate) type Dims = SmallVec<[Dim; FEW]>;

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
    pub fn of(problem: &Problem) -> Option<Self> {
        let mut room = vec![Dim::NONE; problem.dims.len()];
        Form::of(problem, &mut room).map(Self::from)
    }

    /// The number of cells.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> usize {
        let listed = self.listed.or(self.listed_dst).map_or(1, |dim| dim.extent);
        self.dims.iter().fold(listed, |all, dim| all * dim.extent)
    }
}

impl From<Form<'_>> for Normal {
    fn from(form: Form<'_>) -> Self {
        Self {
            cell: form.cell,
            dims: form.dims.into(),
            src_shift: form.src_shift,
            dst_shift: form.dst_shift,
            listed: form.listed,
            listed_dst: form.listed_dst,
        }
    }
}

/// A [`Normal`] while it is chosen for: the dimensions are where they were found, as to move or to push
/// them takes as long as to find them, and vectors ask themselves at each look where they are.
#[derive(Debug)]
pub(crate) struct Form<'a> {
    pub(crate) cell: usize,
    pub(crate) dims: &'a [Dim],
    pub(crate) src_shift: isize,
    pub(crate) dst_shift: isize,
    pub(super) listed: Option<Dim>,
    pub(super) listed_dst: Option<Dim>,
    /// Bytes of all cells.
    pub(crate) bytes: usize,
}

impl<'a> Form<'a> {
    /// The normal form of a problem, `None` if it moves nothing. `room` has a place for each dimension.
    #[inline]
    pub(super) fn of(problem: &Problem, room: &'a mut [Dim]) -> Option<Self> {
        let (mut found, mut bytes) = (Found::none(room), problem.src_cell);
        let (mut listed, mut listed_dst) = (None, None);
        // Where nothing is moved, extents and strides may be any: until that is known, numbers wrap.
        // From the last axis on, which mostly has the smallest strides: then there is nothing to sort.
        for (axis, &dim) in problem.dims.iter().enumerate().rev() {
            bytes = bytes.wrapping_mul(dim.extent);
            match problem.listed.filter(|listed| listed.axis() == axis) {
                None => found.add(dim),
                Some(Listed::Source(_)) => listed = Some(dim),
                Some(Listed::Destination(_)) => listed_dst = Some(dim),
            }
        }
        if bytes == 0 {
            return None; // step 1
        }
        Some(Self {
            listed,
            listed_dst,
            ..found.settle(problem.src_cell, bytes)
        })
    }
}

/// Dimensions after steps 2 to 4, in a room that has a place for each.
pub(super) struct Found<'a> {
    room: &'a mut [Dim],
    len: usize,
    /// The bytes by which the first cell moved.
    src_shift: isize,
    dst_shift: isize,
}

impl<'a> Found<'a> {
    #[inline(always)]
    pub(super) fn none(room: &'a mut [Dim]) -> Self {
        Self {
            room,
            len: 0,
            src_shift: 0,
            dst_shift: 0,
        }
    }

    /// Steps 2 to 4 for another dimension. One of extent 1 has no second index: its strides mean
    /// nothing. One with a negative destination stride is walked from its other end. All ascend by
    /// destination stride, ties by the magnitude of the source stride.
    #[inline(always)]
    pub(super) fn add(&mut self, mut dim: Dim) {
        if dim.extent == 1 {
            return;
        }
        if dim.dst < 0 {
            let (src, dst) = flip(&mut dim);
            self.src_shift = self.src_shift.wrapping_add(src);
            self.dst_shift = self.dst_shift.wrapping_add(dst);
        }
        let inside_of = |other: &Dim| {
            let nearer = dim.src.unsigned_abs() < other.src.unsigned_abs();
            dim.dst < other.dst || dim.dst == other.dst && nearer
        };
        let mut place = self.len;
        while place > 0 && inside_of(&self.room[place - 1]) {
            self.room[place] = self.room[place - 1];
            place -= 1;
        }
        self.room[place] = dim;
        self.len += 1;
    }

    /// Steps 5 and 6.
    #[inline(always)]
    pub(super) fn settle(self, cell: usize, bytes: usize) -> Form<'a> {
        let dims = &mut self.room[..self.len];
        let merged = merge(dims);
        let (cell, left) = fold(cell, &mut dims[..merged], bytes);
        Form {
            cell,
            dims: &dims[..left],
            src_shift: self.src_shift,
            dst_shift: self.dst_shift,
            listed: None,
            listed_dst: None,
            bytes,
        }
    }
}

/// Walks a dimension from its other end. Returns the bytes to that end on either side. Numbers wrap, as a
/// dimension of a problem that moves nothing may be any.
pub(super) fn flip(dim: &mut Dim) -> (isize, isize) {
    let last = (dim.extent as isize).wrapping_sub(1);
    let shift = (last.wrapping_mul(dim.src), last.wrapping_mul(dim.dst));
    (dim.src, dim.dst) = (dim.src.wrapping_neg(), dim.dst.wrapping_neg());
    shift
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
        // Where one overflows, no stride can be what it wraps to: the reach of that dimension and this
        // one together would overflow.
        let extent = extent as isize;
        let next = (src.wrapping_mul(extent), dst.wrapping_mul(extent));
        // Strides ascend, so what continues this dimension stands behind it.
        let behind = (inner + 1..left).find(|&i| dims[i].dst == next.1 && dims[i].src == next.0);
        if let Some(outer) = behind {
            dims[inner].extent *= remove(&mut dims[..left], outer).extent;
            left -= 1;
        } else {
            inner += 1;
        }
    }
    left
}

/// Takes dimension `at` out: those behind it move up, and the last place is free.
#[inline]
fn remove(dims: &mut [Dim], at: usize) -> Dim {
    let taken = dims[at];
    if at + 1 < dims.len() {
        // A call, so not where there is nothing to move.
        dims.copy_within(at + 1.., at);
    }
    taken
}

/// Step 6. A dimension that is contiguous on both sides becomes part of the cell. After merging
/// there is at most one, and no other has a smaller destination stride. Returns the bytes of the new cell,
/// and how many dimensions are left, in front. Windows of less than a [run](RUN_BYTES), of which there are many, stay.
#[inline]
fn fold(cell: usize, dims: &mut [Dim], all: usize) -> (usize, usize) {
    /// Windows in a dimension, and bytes of all. Of the roof, as runs and transposed, Xeon: 3x3 of 54x54, u8 0.11 and 0.74,
    /// u16 0.15 and 0.95, f32 0.14 and 1.04; of 26x26, u8 0.08 and 0.76, f32 0.15 and 1.14; of 12x12 0.05 and 0.43, 0.09 and
    /// 0.93; of 8x8, f32 0.10 and 0.55; 7x7 of 50x50 0.11 and 0.79, 0.17 and 1.20; one 54x54 of f32, 105 KB, 0.18 and 0.35,
    /// but 30x30, 32 KB, 0.63 and 0.38.
    const MANY: usize = 8;
    const LEAST: usize = 64 << 10;
    let unit = cell as isize;
    let window = |bytes: usize, others: &[Dim]| {
        let next = |dim: &Dim| dim.src.unsigned_abs() == cell && dim.extent >= MANY;
        all >= LEAST && bytes < RUN_BYTES && others.iter().any(next)
    };
    match dims.first() {
        Some(&Dim { extent, src, dst })
            if src == unit && dst == unit && !window(cell.saturating_mul(extent), &dims[1..]) =>
        {
            remove(dims, 0);
            (cell * extent, dims.len() - 1)
        }
        _ => (cell, dims.len()),
    }
}

#[cfg(test)]
mod tests;
