//! Small copies between views: from two layouts to a normal form, with no problem in between.
//!
//! A file of its own because nothing is chosen here: what becomes of the normal form is chosen by
//! what chooses for plans. Left out is what a plan is kept for, a problem and a recipe to look at;
//! whatever is out of the ordinary is left to [`Problem`](super::Problem), which also has the words
//! for what it refuses.

use super::normalise::{FEW, Form, Found};
use super::problem::Dim;
use crate::layout::Layout;

/// Bytes of a small copy at most: f32 64x64 transposed takes 320 ns this way and 426 with a plan made
/// for it (2-core AVX-512 server VM). *Guess*: above, a copy takes longer than what a plan costs more.
const SMALL: usize = 32 << 10;

/// Bytes of a copy that may be a call of the memory copy without further thought: far below what
/// streams or is worth a second thread.
const ONE_RUN: usize = 32 << 10;

/// Elements between neighbours at most: all ones, so that both sides can be looked at together. The bytes
/// between the lowest and the highest cell fit `isize` then, as a small copy has no more than `SMALL`
/// bytes.
const STRIDE: usize = isize::MAX as usize / (4 * SMALL);

/// Both layouts of a copy, which have the same rank. Taken apart once: each is a vector or two that ask
/// themselves at each look where they are.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    /// Elements.
    len: usize,
    shape: &'a [usize],
    dst_shape: &'a [usize],
    from: &'a [isize],
    to: &'a [isize],
}

impl<'a> Sides<'a> {
    /// Not if the ranks differ.
    #[inline(always)]
    pub(crate) fn of(src: &'a Layout, dst: &'a Layout) -> Option<Self> {
        let shape = src.shape();
        let rank = shape.len();
        let (dst_shape, from, to) = (dst.shape(), src.strides(), dst.strides());
        // Asked of all, so that none is asked for its bounds below.
        let same = dst_shape.len() == rank && from.len() == rank && to.len() == rank;
        same.then_some(Self {
            len: src.len(),
            shape,
            dst_shape,
            from,
            to,
        })
    }

    /// Where the elements are one run on both sides, in the same order: their bytes, and the elements
    /// from index `[0, 0, ..]` to the lowest of them.
    ///
    /// The destination reaches no element twice: if there are as many elements between the lowest and
    /// the highest as there are indices, each of them is reached. The planner finds the same: the axes
    /// merge into one, which becomes the cell, a single run.
    #[inline]
    pub(crate) fn one_run(&self, size: usize) -> Option<(usize, isize)> {
        let len = self.len;
        if len == 0 || len > ONE_RUN || size > ONE_RUN || len * size > ONE_RUN {
            return None;
        }
        let (mut reach, mut low) = (0, 0);
        self.for_each_axis(|extent, from, to| {
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
    fn for_each_axis(&self, mut each: impl FnMut(usize, isize, isize) -> bool) -> bool {
        let strides = self.from.iter().zip(self.to);
        let mut axes = self.shape.iter().zip(self.dst_shape).zip(strides).rev();
        // Strides of axes without a second index may hold anything.
        axes.all(|((&extent, &other), (&from, &to))| {
            extent == other && (extent == 1 || each(extent, from, to))
        })
    }

    /// The normal form of the copy of elements of `size` bytes. Not if that moves nothing, is not
    /// small, or is for [`Problem`](super::Problem) to refuse.
    #[inline(always)]
    pub(crate) fn normal<'r>(&self, size: usize, room: &'r mut [Dim; FEW]) -> Option<Form<'r>> {
        let len = self.len;
        let bytes = if len <= SMALL && size <= SMALL {
            len * size
        } else {
            0
        };
        if bytes == 0 || bytes > SMALL || self.shape.len() > FEW {
            return None;
        }
        let mut found = Found::none(room);
        let fits = self.for_each_axis(|extent, from, to| {
            let near = (from.unsigned_abs() | to.unsigned_abs()) <= STRIDE;
            if near {
                let (src, dst) = (from * size as isize, to * size as isize);
                found.add(Dim { extent, src, dst });
            }
            near
        });
        fits.then(|| found.settle(size, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Normal, Problem};

    /// Shape, source strides, destination strides, in elements.
    type Case = (&'static [usize], &'static [isize], &'static [isize]);

    const CASES: &[Case] = &[
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

    fn layouts((shape, src, dst): Case) -> [Layout; 2] {
        [src, dst].map(|strides| Layout::new(shape, strides, 1000).unwrap())
    }

    /// The normal form of a small copy is that of the problem.
    #[test]
    fn a_small_copy_has_the_normal_form_of_its_problem() {
        for &sides in CASES {
            let [src, dst] = layouts(sides);
            for size in [0, 1, 2, 3, 4, 8, 16, 100] {
                let mut room = [Dim::NONE; FEW];
                let both = Sides::of(&src, &dst).unwrap();
                let bytes = src.len() * size;
                let small = both.normal(size, &mut room);
                let expected = 0 < bytes && bytes <= SMALL && src.rank() <= FEW;
                assert_eq!(small.is_some(), expected, "{sides:?}, {size}");
                let problem = Problem::from_layouts(size, &src, &dst).unwrap();
                if let Some(form) = small {
                    let normal = Normal::of(&problem).unwrap();
                    assert_eq!(form.bytes, bytes);
                    assert_eq!(Normal::from(form), normal, "{sides:?}, {size}");
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
                let run = Sides::of(&src, &dst).unwrap().one_run(size);
                let run = run.map(|(bytes, low)| (bytes, low * size as isize));
                assert_eq!(run, single, "{sides:?}, {size}");
            }
        }
    }

    fn refuses(size: usize, src: &Layout, dst: &Layout) -> bool {
        let mut room = [Dim::NONE; FEW];
        Sides::of(src, dst).is_none_or(|sides| {
            sides.one_run(size).is_none() && sides.normal(size, &mut room).is_none()
        })
    }

    /// Whatever is not as it should be is for a problem to refuse.
    #[test]
    fn other_shapes_and_far_strides_are_not_small() {
        let two = Layout::row_major(&[2, 3]).unwrap();
        for shape in [&[3, 2][..], &[6], &[2, 3, 1]] {
            let other = Layout::row_major(shape).unwrap();
            assert!(refuses(4, &two, &other));
        }
        let far = Layout::new(&[2], &[isize::MAX / 8], 0).unwrap();
        let back = Layout::new(&[2], &[-isize::MAX / 8], isize::MAX as usize / 2).unwrap();
        for size in [4, 16, 10_000] {
            assert!(refuses(size, &far, &far) && refuses(size, &far, &back));
            assert!(refuses(size, &back, &far) && refuses(size, &back, &back));
        }
    }
}
