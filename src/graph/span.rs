//! What of a tensor a view lies in: small enough to be compared many times without the view.
//!
//! A file of its own because an analysis of many operations compares most pairs by this alone.

#![forbid(unsafe_code)]

use core::ops::Range;

use crate::layout::Layout;

/// The elements between the lowest and the highest that a view reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    /// The one behind the highest.
    pub(super) end: usize,
    /// Whether each of them is reached.
    dense: bool,
}

impl Span {
    pub(super) fn of(layout: &Layout) -> Self {
        let Range { start, end } = layout.storage_range();
        let dense = layout.is_dense();
        Self { start, end, dense }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether there is an element in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// An element that both views reach, where that is plain: the lowest or the highest of the one,
    /// which it always reaches, in a span of which the other reaches every element.
    pub(super) fn plainly_shared(&self, other: &Self) -> Option<usize> {
        self.end_in(other).or_else(|| other.end_in(self))
    }

    fn end_in(&self, outer: &Self) -> Option<usize> {
        let mut ends = [self.start, self.end.wrapping_sub(1)].into_iter();
        let shared = ends.find(|end| outer.range().contains(end));
        shared.filter(|_| outer.dense && !self.is_empty())
    }

    /// Whether every element of `other` is plainly one of this: it has no gaps and is around it.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.dense && self.start <= other.start && other.end <= self.end
    }
}
