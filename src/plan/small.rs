//! Small copies between views: from two layouts to a normal form, with no problem in between.
//!
//! A file of its own because nothing is chosen here: what becomes of the normal form is chosen by
//! what chooses for plans. Left out is what a plan is kept for, a problem and a recipe to look at;
//! whatever is out of the ordinary is left to [`Problem`](super::Problem), which also has the words
//! for what it refuses.

use super::normalise::Normal;
use super::problem::Dim;
use crate::layout::Layout;

/// Bytes of a small copy at most. *Guess*: from here on what a plan costs more, some 80 ns, is less
/// than what the copy takes.
const SMALL: usize = 4 << 10;

/// Bytes of a copy that may be a call of the memory copy without further thought: far below what
/// streams or is worth a second thread.
const ONE_RUN: usize = 32 << 10;

/// Dimensions of a small copy at most: what a normal form holds without heap.
const RANK: usize = 8;

/// Bytes between neighbours at most. As a small copy has no more than `SMALL` indices, the bytes
/// between its lowest and its highest cell fit `isize` then.
const STRIDE: usize = isize::MAX as usize / (4 * SMALL);

/// Where the elements are one run on both sides, in the same order: their bytes, and the elements
/// from index `[0, 0, ..]` to the lowest of them.
///
/// `dst` reaches no element twice: if there are as many elements between the lowest and the highest
/// as there are indices, each of them is reached. The planner finds the same: the axes merge into
/// one, which becomes the cell, a single run.
#[inline]
pub(crate) fn one_run(size: usize, src: &Layout, dst: &Layout) -> Option<(usize, isize)> {
    let len = src.len();
    if len == 0 || len > ONE_RUN || size > ONE_RUN || len * size > ONE_RUN {
        return None;
    }
    let (mut reach, mut low) = (0, 0);
    for_each_axis(src, dst, |extent, from, to| {
        // No partial sum leaves isize: the layouts exist.
        let steps = (extent as isize - 1) * to;
        reach += steps.abs();
        low += steps.min(0);
        from == to
    })
    .then_some(())?;
    (reach as usize == len - 1).then_some((len * size, low))
}

/// Whether the shapes are the same, and `each` is true of all axes with a second index: extent,
/// source stride, destination stride. From the last axis on, as for any normal form.
#[inline(always)]
fn for_each_axis(
    src: &Layout,
    dst: &Layout,
    mut each: impl FnMut(usize, isize, isize) -> bool,
) -> bool {
    let (shape, others) = (src.shape(), dst.shape());
    let (from, to) = (src.strides(), dst.strides());
    let rank = shape.len();
    if others.len() != rank || from.len() != rank || to.len() != rank {
        return false;
    }
    for axis in (0..rank).rev() {
        let extent = shape[axis];
        // Strides of axes without a second index may hold anything.
        if extent != others[axis] || extent != 1 && !each(extent, from[axis], to[axis]) {
            return false;
        }
    }
    true
}

impl Normal {
    /// Makes this, as it was started, the normal form of a copy between two layouts. Not if that
    /// moves nothing, is not small, or is for [`Problem`](super::Problem) to refuse.
    #[inline(always)]
    pub(crate) fn finish_small(&mut self, src: &Layout, dst: &Layout) -> bool {
        let (len, size) = (src.len(), self.cell);
        let small = len <= SMALL && size <= SMALL && len * size <= SMALL;
        if !small || len * size == 0 || src.rank() > RANK {
            return false;
        }
        let in_bytes = |stride: isize| {
            let bytes = stride.checked_mul(size as isize)?;
            (bytes.unsigned_abs() <= STRIDE).then_some(bytes)
        };
        let fits = for_each_axis(src, dst, |extent, from, to| {
            let (Some(src), Some(dst)) = (in_bytes(from), in_bytes(to)) else {
                return false;
            };
            self.add(Dim { extent, src, dst });
            true
        });
        if fits {
            self.settle();
        }
        fits
    }
}
