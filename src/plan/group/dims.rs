//! A group: dimensions that act as one, and where its elements are.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::plan::problem::Dim;
use crate::plan::recipe::{Nest, RowPlan};

/// Dimensions that act as one, innermost first.
#[derive(Debug)]
pub(in crate::plan) struct Group {
    /// In a place of its own: most groups have no more, and a vector of any kind is slower to look
    /// into than all of the rest of planning.
    pub(in crate::plan) first: Option<Dim>,
    /// The others. They make a table, or, as far as they fit here, a nest.
    pub(in crate::plan) more: SmallVec<[Dim; Nest::DIMS - 1]>,
    /// The product of all extents; 1 for none.
    pub(in crate::plan) len: usize,
}

impl Group {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            first: None,
            more: SmallVec::new(),
            len: 1,
        }
    }

    /// The first dimension of a group that has none.
    #[inline(always)]
    pub(super) fn start(&mut self, dim: Dim) {
        (self.first, self.len) = (Some(dim), dim.extent);
    }

    /// Whether it makes a table of so many entries at most with another dimension.
    pub(super) fn has_room_for(&self, dim: &Dim, entries: usize) -> bool {
        self.len.saturating_mul(dim.extent) <= entries
    }

    /// Whether it stays a nest with another dimension.
    #[inline]
    pub(super) fn nests(&self, dim: &Dim) -> bool {
        self.more.len() + 1 < Nest::DIMS && self.len * dim.extent <= Nest::ROWS
    }

    /// Another dimension for a group that has one.
    #[inline]
    pub(super) fn push(&mut self, dim: Dim) {
        self.len *= dim.extent;
        self.more.push(dim);
    }

    /// What is between its elements, where a single stride says it.
    #[inline]
    pub(super) fn stride(&self, side: impl Fn(&Dim) -> isize) -> isize {
        self.first.as_ref().map_or(0, side)
    }

    /// The same as [`Group::table`], to be made when it is needed, into `rows`, which have the first
    /// stride; and keep it, if that one will do.
    #[inline]
    pub(super) fn nest(&self, rows: &mut RowPlan, side: impl Fn(&Dim) -> isize) {
        let goes_on = |inner: &Dim, outer: &Dim| {
            (inner.extent as isize).checked_mul(side(inner)) == Some(side(outer))
        };
        let (Some(first), more) = (&self.first, &self.more[..]) else {
            return;
        };
        let pairs = more.windows(2).all(|pair| goes_on(&pair[0], &pair[1]));
        if pairs && more.first().is_none_or(|second| goes_on(first, second)) {
            return;
        }
        // In place: what is moved as a whole just after it was written in parts has to wait for them.
        *rows = RowPlan::Nested(Nest::new());
        if let RowPlan::Nested(nest) = rows {
            nest.put(0, first.extent, side(first));
            for (i, dim) in more.iter().enumerate() {
                nest.put(i + 1, dim.extent, side(dim));
            }
        }
    }

    /// Where each element of the group starts on one side.
    #[cold]
    pub(super) fn table(&self, side: impl Fn(&Dim) -> isize) -> RowPlan {
        let mut offsets = Vec::with_capacity(self.len);
        offsets.push(0);
        for dim in self.first.iter().chain(&self.more) {
            let inner = offsets.len();
            for i in 1..dim.extent as isize {
                let start = i * side(dim);
                offsets.extend_from_within(..inner);
                offsets[i as usize * inner..]
                    .iter_mut()
                    .for_each(|place| *place += start);
            }
        }
        RowPlan::Offsets(Arc::from(offsets))
    }
}
