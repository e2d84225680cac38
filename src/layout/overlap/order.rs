//! Two sides of one copy: which index of the source stands where which index of the destination does.
//!
//! A copy inside one buffer may follow any order in which each source cell is read before it is
//! overwritten. So what counts is not only whether the sides meet, but how the indices that meet
//! compare, axis by axis: the same equation, with an unknown for the difference.

use super::equation::{Answer, Sum};

/// An axis of a copy: extent, and the strides of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) extent: usize,
    pub(crate) src: isize,
    pub(crate) dst: isize,
}

/// How a source index compares with the destination index that stands in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// In any way.
    Any,
    /// They are the same.
    Same,
    /// The source index is larger by 1 to so many.
    Larger(usize),
    /// The source index is smaller by 1 to so many.
    Smaller(usize),
}

/// Whether a source cell may share a unit with a destination cell whose index compares so, the
/// destination starting `distance` units behind the source and cells being `width` units wide. A
/// question that could not be decided is answered with true, and so are a few with strides that
/// differ: the indices of an axis and their difference are bounded one by one, not together.
pub(crate) fn may_meet(
    axes: impl Iterator<Item = (Pace, Relation)>,
    distance: i128,
    width: usize,
) -> bool {
    let mut sum = Sum::new(distance);
    for (axis, relation) in axes {
        let (src, dst, last) = (axis.src as i128, axis.dst as i128, axis.extent as i128 - 1);
        let (factor, most) = match relation {
            Relation::Any => {
                sum.add(src, 0, last);
                sum.add(-dst, 0, last);
                continue;
            }
            Relation::Same => {
                sum.add(src - dst, 0, last);
                continue;
            }
            // The smaller one of the indices is the unknown beside the difference.
            Relation::Larger(most) => (src, most),
            Relation::Smaller(most) => (-dst, most),
        };
        let most = last.min(most as i128);
        if most < 1 {
            return false;
        }
        sum.add(factor, 1, most);
        sum.add(src - dst, 0, last - 1);
    }
    !matches!(sum.solve((width, width)), Answer::None)
}
