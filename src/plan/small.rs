//! Small copies between views: from two layouts to a normal form, with no problem in between.
//!
//! A file of its own because nothing is chosen here: what becomes of the normal form is chosen by
//! what chooses for plans. Left out is what a plan is kept for, a problem and a recipe to look at;
//! whatever is out of the ordinary is left to [`Problem`](super::Problem), which also has the words
//! for what it refuses.

use super::normalise::Normal;
use super::problem::Dim;
use crate::layout::Layout;

/// Bytes of a small copy at most: f32 16x16 transposed takes 63 ns this way and 206 with a plan made
/// for it (2-core AVX-512 server VM). *Guess*: above, a copy takes longer than what a plan costs more.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Problem;

    /// Shape, source strides, destination strides, in elements.
    type Sides = (&'static [usize], &'static [isize], &'static [isize]);

    const CASES: &[Sides] = &[
        (&[], &[], &[]),
        (&[5], &[1], &[1]),
        (&[5], &[-1], &[-1]),
        (&[5], &[2], &[2]),
        (&[5], &[-1], &[1]),
        (&[5], &[0], &[1]),
        (&[4, 4], &[4, 1], &[4, 1]),
        (&[4, 4], &[4, 1], &[1, 4]),
        (&[4, 4], &[4, -1], &[4, -1]),
        (&[4, 1, 6], &[6, 99, 1], &[1, -7, 4]),
        (&[2, 3, 4], &[12, 4, 1], &[1, 2, 6]),
        (&[2, 3, 4], &[1, 2, 6], &[1, 2, 6]),
        (&[2, 3, 4], &[1, 8, 2], &[3, 1, 6]),
        (&[2, 3, 0, 4], &[1, 8, 2, 1], &[3, 1, 6, 5]),
        (&[64, 32], &[32, 1], &[1, 64]),
        (&[64, 64], &[64, 1], &[1, 64]),
        (&[1, 1, 1], &[3, 3, 3], &[0, 0, 0]),
        (
            &[2; 8],
            &[1, 2, 4, 8, 16, 32, 64, 128],
            &[128, 64, 32, 16, 8, 4, 2, 1],
        ),
        (
            &[2; 9],
            &[1, 2, 4, 8, 16, 32, 64, 128, 256],
            &[256, 128, 64, 32, 16, 8, 4, 2, 1],
        ),
    ];

    fn layouts((shape, src, dst): Sides) -> [Layout; 2] {
        [src, dst].map(|strides| Layout::new(shape, strides, 1000).unwrap())
    }

    /// The normal form of a small copy is that of the problem.
    #[test]
    fn a_small_copy_has_the_normal_form_of_its_problem() {
        for &sides in CASES {
            let [src, dst] = layouts(sides);
            for size in [0, 1, 2, 3, 4, 8, 16, 100] {
                let mut normal = Normal::of_cells(size);
                let bytes = src.len() * size;
                let small = normal.finish_small(&src, &dst);
                let expected = 0 < bytes && bytes <= SMALL && src.rank() <= RANK;
                assert_eq!(small, expected, "{sides:?}, {size}");
                let problem = Problem::from_layouts(size, &src, &dst).unwrap();
                if small {
                    assert_eq!(Some(normal), Normal::of(&problem), "{sides:?}, {size}");
                }
            }
        }
    }

    /// One run is what the planner makes a single cell of, shifted to the lowest element.
    #[test]
    fn one_run_is_a_single_cell_in_normal_form() {
        for &sides in CASES {
            let [src, dst] = layouts(sides);
            for size in [1, 4, 100] {
                let normal = Normal::of(&Problem::from_layouts(size, &src, &dst).unwrap());
                let single = normal
                    .filter(|normal| normal.dims.is_empty())
                    .map(|normal| {
                        assert_eq!(normal.src_shift, normal.dst_shift);
                        (normal.cell, normal.src_shift)
                    });
                let run = one_run(size, &src, &dst);
                let run = run.map(|(bytes, low)| (bytes, low * size as isize));
                assert_eq!(run, single, "{sides:?}, {size}");
            }
        }
    }

    /// Whatever is not as it should be is for a problem to refuse.
    #[test]
    fn other_shapes_and_far_strides_are_not_small() {
        let two = Layout::row_major(&[2, 3]).unwrap();
        for shape in [&[3, 2][..], &[6], &[2, 3, 1]] {
            let other = Layout::row_major(shape).unwrap();
            assert_eq!(one_run(4, &two, &other), None);
            assert!(!Normal::of_cells(4).finish_small(&two, &other));
        }
        let far = Layout::new(&[2], &[isize::MAX / 8], 0).unwrap();
        assert_eq!(one_run(4, &far, &far), None);
        assert!(!Normal::of_cells(4).finish_small(&far, &far));
        assert!(!Normal::of_cells(16).finish_small(&far, &far));
    }
}
