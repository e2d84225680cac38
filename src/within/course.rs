//! In which order can the cells of a copy inside one buffer move, and what has to be put aside?
//!
//! Pure: dimensions in, [`Course`] out. A dimension *has a direction* if a source index that stands in
//! the place of a destination index is never larger, or never smaller: then walking up, or down, reads
//! each cell before it is overwritten. Dimensions with a direction become loops, outermost first; what
//! is left inside is moved as a copy between disjoint places, or by way of a stage.

#![forbid(unsafe_code)]

use smallvec::SmallVec;

use crate::layout::{Pace, Relation, may_meet};
use crate::plan::Dim;

/// From how many bytes on something is done in another way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Of a stage that is still small: both copies through it stay in the second-level cache.
    pub(super) stage: usize,
    /// Of cells that are moved one by one where their order allows it: a call of `memmove` is a few
    /// nanoseconds.
    pub(super) run: usize,
    /// Of blocks that are worth to be run as a plan of their own.
    pub(super) block: usize,
    /// Of the largest stage that there may be.
    pub(super) room: usize,
}

/// *Guesses*, but for the last.
pub(super) const SIZES: Sizes = Sizes {
    stage: 256 << 10,
    run: 128,
    block: 16 << 10,
    room: usize::MAX,
};

/// A loop over a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) dim: usize,
    /// From the last index to the first.
    pub(super) down: bool,
}

/// What is done inside the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// One cell, as `memmove` does.
    Cell,
    /// `height` indices of a dimension at a time, with all dimensions that are no loops; through a
    /// stage or not.
    Blocks {
        along: Loop,
        height: usize,
        staged: bool,
    },
    /// All dimensions that are no loops, through a stage.
    Staged,
}

/// The order of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Course {
    pub(super) loops: SmallVec<[Loop; 8]>,
    pub(super) inner: Inner,
}

/// What is known of a copy: `dims` by ascending destination stride, which is positive; the destination
/// starts `distance` bytes behind the source.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) cell: usize,
    pub(super) dims: &'a [Dim],
    pub(super) distance: isize,
    pub(super) sizes: Sizes,
}

/// How a dimension may be walked.
struct Direction {
    down: bool,
    /// Whether cells of the same index can meet.
    same: bool,
}

impl Both<'_> {
    /// Whether source and destination cells may meet that compare like this in a dimension; in those
    /// of `loops` their indices are the same.
    fn meets(&self, loops: &[Loop], dim: usize, relation: Relation) -> bool {
        let axes = self.dims.iter().enumerate().map(|(i, axis)| {
            let pace = Pace {
                extent: axis.extent,
                src: axis.src,
                dst: axis.dst,
            };
            let relation = if i == dim {
                relation
            } else if loops.iter().any(|other| other.dim == i) {
                Relation::Same
            } else {
                Relation::Any
            };
            (pace, relation)
        });
        may_meet(axes, self.distance as i128, self.cell)
    }

    /// Whether any two cells may meet.
    pub(super) fn meet(&self) -> bool {
        self.meets(&[], usize::MAX, Relation::Any)
    }

    fn direction(&self, loops: &[Loop], dim: usize) -> Option<Direction> {
        let down = self.meets(loops, dim, Relation::Larger(usize::MAX));
        if down && self.meets(loops, dim, Relation::Smaller(usize::MAX)) {
            return None;
        }
        let same = self.meets(loops, dim, Relation::Same);
        Some(Direction { down, same })
    }

    /// How many neighbouring indices of a dimension, none of which meets itself, do not meet each
    /// other either.
    fn height(&self, loops: &[Loop], dim: usize) -> usize {
        let apart = |height: usize| {
            !self.meets(loops, dim, Relation::Larger(height - 1))
                && !self.meets(loops, dim, Relation::Smaller(height - 1))
        };
        let extent = self.dims[dim].extent;
        let (mut low, mut high) = (1, extent + 1);
        while high - low > 1 {
            // From small ones up, as distances are mostly small.
            let next = (2 * low).min(low + (high - low) / 2);
            *(if apart(next) { &mut low } else { &mut high }) = next;
        }
        low
    }

    /// Every dimension a loop, if each has a direction inside those before it.
    fn cell_by_cell(&self) -> Option<Course> {
        let mut loops = SmallVec::new();
        while loops.len() < self.dims.len() {
            let next = self.left(&loops).find_map(|dim| {
                let down = self.direction(&loops, dim)?.down;
                Some(Loop { dim, down })
            });
            loops.push(next?);
        }
        let inner = Inner::Cell;
        Some(Course { loops, inner })
    }

    /// Dimensions that are no loops yet, the outermost of the destination first.
    fn left(&self, loops: &[Loop]) -> impl Iterator<Item = usize> {
        let all = (0..self.dims.len()).rev();
        all.filter(move |&i| loops.iter().all(|other| other.dim != i))
    }

    /// Bytes of one index of `dim` inside the loops.
    fn slab(&self, loops: &[Loop], dim: usize) -> usize {
        let others = self.left(loops).filter(|&other| other != dim);
        others.fold(self.cell, |bytes, other| bytes * self.dims[other].extent)
    }

    /// The order in which the cells move.
    pub(super) fn course(&self) -> Course {
        if (self.cell >= self.sizes.run || self.dims.is_empty())
            && let Some(course) = self.cell_by_cell()
        {
            return course;
        }
        let mut loops: SmallVec<[Loop; 8]> = SmallVec::new();
        loop {
            let directions: SmallVec<[(usize, Direction); 8]> = self
                .left(&loops)
                .filter_map(|dim| Some((dim, self.direction(&loops, dim)?)))
                .collect();
            let apart = directions.iter().find(|(_, direction)| !direction.same);
            let Some((dim, Direction { down, same })) = apart.or(directions.first()) else {
                let inner = Inner::Staged;
                return Course { loops, inner };
            };
            let along = Loop {
                dim: *dim,
                down: *down,
            };
            let slab = self.slab(&loops, *dim);
            let blocks = |height: usize, staged| Inner::Blocks {
                along,
                height: height.clamp(1, self.dims[*dim].extent),
                staged,
            };
            let inner = if *same {
                None
            } else {
                let height = self.height(&loops, *dim);
                (height * slab >= self.sizes.block).then(|| blocks(height, false))
            };
            let staged =
                || (slab <= self.sizes.stage).then(|| blocks(self.sizes.stage / slab, true));
            match inner.or_else(staged) {
                Some(inner) => return Course { loops, inner },
                None => loops.push(along),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dim(extent: usize, src: isize, dst: isize) -> Dim {
        Dim { extent, src, dst }
    }

    fn course(cell: usize, dims: &[Dim], distance: isize) -> Course {
        let both = Both {
            cell,
            dims,
            distance,
            sizes: SIZES,
        };
        assert!(both.meet());
        both.course()
    }

    fn blocks(dim: usize, down: bool, height: usize, staged: bool) -> Inner {
        let along = Loop { dim, down };
        Inner::Blocks {
            along,
            height,
            staged,
        }
    }

    #[test]
    fn equal_strides_have_a_direction() {
        // Rows of 1 KiB, moved one row up or down: row by row.
        let rows = [dim(100, 4096, 4096)];
        for (distance, down) in [(-4096, false), (4096, true)] {
            let course = course(1024, &rows, distance);
            assert_eq!(course.loops[..], [Loop { dim: 0, down }]);
            assert_eq!(course.inner, Inner::Cell);
        }
        // Single cells, moved far: blocks that do not meet. Moved near: blocks through a stage.
        let cells = [dim(1 << 20, 8, 8)];
        let far = course(4, &cells, 8 * 50_000);
        assert_eq!(far.inner, blocks(0, true, 50_000, false));
        let near = course(4, &cells, -8 * 5);
        assert_eq!(near.inner, blocks(0, false, SIZES.stage / 4, true));
    }

    #[test]
    fn batches_are_loops_around_what_has_no_direction() {
        // Matrices of 1000 x 1000, each transposed onto itself.
        let dims = [
            dim(1000, 8000, 8),
            dim(1000, 8, 8000),
            dim(5, 8_000_000, 8_000_000),
        ];
        let course = course(8, &dims, 0);
        assert_eq!(
            course.loops[..],
            [Loop {
                dim: 2,
                down: false
            }]
        );
        assert_eq!(course.inner, Inner::Staged);
    }

    #[test]
    fn strides_that_differ_have_a_direction_or_none() {
        // a[1:5] = a[0::2]: what index i reads is written by a later one.
        let course_up = course(4, &[dim(4, 8, 4)], 4);
        assert_eq!(course_up.inner, blocks(0, false, 4, true));
        // a[:] = a[::-1]
        let course = course(4, &[dim(4, -4, 4)], -12);
        assert_eq!((course.loops.len(), course.inner), (0, Inner::Staged));
    }
}
