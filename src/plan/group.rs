//! Which dimensions form a panel's rows and columns, which stay loops around it, and the offset
//! tables of groups that no single stride expresses.
//!
//! With A the dimensions that form the dense beginning of the source and B those that form the dense
//! beginning of the destination, any permutation is a transposition of A x B: source rows start at
//! one offset per element of B, destination rows at one per element of A. So many dimensions of
//! extent 2 or 3 become two long ones, and the same kernels serve them.

use core::cmp::Reverse;
use std::sync::Arc;

use restride_kernels::Pairing;
use smallvec::SmallVec;

use super::normalise::{Dims, Normal, flip};
use super::problem::Dim;
use super::recipe::{PanelPlan, RowPlan, SidePlan};

/// From this many dimensions on, groups with tables are formed. Below it each side of a panel is
/// one dimension, so that planning takes no heap and a fraction of a microsecond.
const TABLE_RANK: usize = 5;

/// Entries of a table at most: 512 KiB. Dimensions beyond it stay loops.
const TABLE_ENTRIES: usize = 1 << 16;

/// The destination's dense beginning is grown to this many lines: 2 measured 0.89 of the streaming
/// copy roof on the reversal of 24 axes of 2 where 1 measured 0.69 and 8 and more 0.78 to 0.83.
const LINES_OF_B: usize = 2;

/// The source's dense beginning is grown to this many bytes: between 64 bytes and 16 KiB the same
/// reversal measured 0.85 to 0.89; shapes with larger extents gain up to the latter.
const BYTES_OF_A: usize = 16 << 10;

/// Rows that a straight panel should have: *guess*, enough to hide the cost of a call.
const STRAIGHT_ROWS: usize = 64;

/// Dimensions that act as one, innermost first.
#[derive(Debug)]
pub(super) struct Group {
    /// In a place of its own: most groups have no more, and a vector of any kind is slower to look
    /// into than all of the rest of planning.
    pub(super) first: Option<Dim>,
    /// The others. They make a table, which is on the heap as well.
    pub(super) more: Vec<Dim>,
    /// The product of all extents; 1 for none.
    pub(super) len: usize,
}

impl Group {
    #[inline]
    fn new() -> Self {
        Self {
            first: None,
            more: Vec::new(),
            len: 1,
        }
    }

    #[inline]
    fn of(dim: Dim) -> Self {
        Self {
            first: Some(dim),
            more: Vec::new(),
            len: dim.extent,
        }
    }

    fn has_room_for(&self, dim: &Dim) -> bool {
        self.len.saturating_mul(dim.extent) <= TABLE_ENTRIES
    }

    /// Another dimension for a group that has one.
    fn push(&mut self, dim: Dim) {
        self.len *= dim.extent;
        self.more.push(dim);
    }

    /// What is between its elements, where a single stride says it.
    #[inline]
    fn stride(&self, side: impl Fn(&Dim) -> isize) -> isize {
        self.first.as_ref().map_or(0, side)
    }

    /// Where each element of the group starts on one side.
    fn table(&self, side: impl Fn(&Dim) -> isize) -> RowPlan {
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

/// How the loops around a panel are ordered.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// By source stride: reads want order, writes of whole lines care less.
    Source,
    /// By the cost of the jumps on both sides, writes slightly dearer.
    Cost,
}

/// The dimensions of a normal form, dealt out: rows and columns of the panel, and what is left.
///
/// Each way of dealing fills an empty one in place, once: values of this size that are returned, and
/// looked at just after, cost more than what is decided here.
#[derive(Debug)]
pub(super) struct PanelDims {
    pub(super) rows: Group,
    pub(super) cols: Group,
    /// A bit for each dimension that is in one of them. A shape has fewer than 64 extents above 1.
    taken: u64,
    order: Order,
    /// Bytes by which dimensions walked from their other end moved the first cell.
    pub(super) src_shift: isize,
    pub(super) dst_shift: isize,
}

impl PanelDims {
    /// Nothing dealt yet.
    #[inline]
    pub(super) fn new() -> Self {
        let (rows, cols) = (Group::new(), Group::new());
        Self {
            rows,
            cols,
            taken: 0,
            order: Order::Source,
            src_shift: 0,
            dst_shift: 0,
        }
    }

    /// A straight panel: `cols` are columns, the dimensions with the smallest destination strides
    /// among the others are rows.
    #[inline]
    pub(super) fn straight(&mut self, dims: &[Dim], cols: Option<usize>) {
        self.order = Order::Cost;
        if let Some(cols) = cols {
            self.cols = self.take(dims, cols);
        }
        self.fill_rows(dims, 0..dims.len());
    }

    /// A straight panel of whole cells whose rows follow each other in the source, as do the loops.
    pub(super) fn in_source_order(&mut self, dims: &[Dim]) {
        let mut nearest: SmallVec<[usize; 8]> = (0..dims.len()).collect();
        nearest.sort_by_key(|&i| dims[i].src.unsigned_abs());
        self.fill_rows(dims, nearest.into_iter());
    }

    /// A crossed panel: columns from the dimension with the smallest destination stride, rows from
    /// `a`, in which the source is contiguous; both grown to groups where there are many
    /// dimensions.
    #[inline]
    pub(super) fn crossed(&mut self, normal: &Normal, a: usize, line: usize) {
        let dims = &normal.dims;
        (self.rows, self.cols) = (self.take(dims, a), self.take(dims, 0));
        if dims.len() >= TABLE_RANK {
            self.grow(dims, normal.cell, line);
        }
        self.read_rows_forwards();
    }

    /// Grows both sides of a crossed panel to groups.
    fn grow(&mut self, dims: &[Dim], cell: usize, line: usize) {
        let taken = &mut self.taken;
        let mut grow = |group: &mut Group, until: usize, side: fn(&Dim) -> usize| {
            while group.len * cell < until {
                let left = |&i: &usize| *taken & (1 << i) == 0;
                let continues = |&i: &usize| side(&dims[i]) == group.len * cell;
                let next = (0..dims.len()).filter(left).find(continues);
                let Some(next) = next.filter(|&i| group.has_room_for(&dims[i])) else {
                    break;
                };
                *taken |= 1 << next;
                group.push(dims[next]);
            }
        };
        grow(&mut self.cols, LINES_OF_B * line, |dim| {
            dim.dst.unsigned_abs()
        });
        grow(&mut self.rows, BYTES_OF_A, |dim| dim.src.unsigned_abs());
    }

    /// A crossed panel of two dimensions: columns from the one with the smallest destination
    /// stride, rows from `a`.
    #[inline]
    pub(super) fn crossed_pair(&mut self, dims: &[Dim], a: usize) {
        (self.rows, self.cols) = (self.take(dims, a), self.take(dims, 0));
        self.read_rows_forwards();
    }

    /// A crossed panel with rows from `a`, whose columns are a dimension that is not among `dims`:
    /// its source positions come from a list.
    pub(super) fn listed_columns(&mut self, dims: &[Dim], a: usize, listed: Dim) {
        (self.rows, self.cols) = (self.take(dims, a), Group::of(listed));
        self.read_rows_forwards();
    }

    /// A straight panel with columns from `cols`, whose rows are a dimension that is not among
    /// `dims`: its source positions come from a list.
    pub(super) fn listed_rows(&mut self, dims: &[Dim], cols: Option<usize>, listed: Dim) {
        self.order = Order::Cost;
        if let Some(cols) = cols {
            self.cols = self.take(dims, cols);
        }
        self.rows = Group::of(listed);
    }

    /// The panel of what was dealt, where every group has at most one dimension; else
    /// [`PanelDims::tables`] completes it.
    #[inline(always)]
    pub(super) fn panel(&self, pairing: Pairing, cell: usize, cols: usize) -> PanelPlan {
        let unit = cell as isize;
        let inner = |group: &Group| group.first.map_or((unit, unit), |dim| (dim.src, dim.dst));
        // Source rows are columns of the destination where the panel is crossed.
        let (src_rows, src_cells) = match pairing {
            Pairing::Straight => (&self.rows, &self.cols),
            Pairing::Crossed => (&self.cols, &self.rows),
        };
        PanelPlan {
            cell,
            rows: self.rows.len,
            cols: if self.cols.first.is_none() {
                cols
            } else {
                self.cols.len
            },
            pairing,
            src: SidePlan {
                shift: self.src_shift,
                rows: RowPlan::Stride(src_rows.stride(|dim| dim.src)),
                step: inner(src_cells).0,
            },
            dst: SidePlan {
                shift: self.dst_shift,
                rows: RowPlan::Stride(self.rows.stride(|dim| dim.dst)),
                step: inner(&self.cols).1,
            },
        }
    }

    /// Whether a group needs a table.
    #[inline]
    pub(super) fn has_tables(&self) -> bool {
        !(self.rows.more.is_empty() && self.cols.more.is_empty())
    }

    /// Gives the groups of a panel their tables.
    #[cold]
    pub(super) fn tables(&self, panel: &mut PanelPlan) {
        let src_rows = match panel.pairing {
            Pairing::Straight => &self.rows,
            Pairing::Crossed => &self.cols,
        };
        if !src_rows.more.is_empty() {
            panel.src.rows = src_rows.table(|dim| dim.src);
        }
        if !self.rows.more.is_empty() {
            panel.dst.rows = self.rows.table(|dim| dim.dst);
        }
    }

    /// Puts what is left of `dims`, those this was dealt from, into `loops`, outermost first.
    #[inline]
    pub(super) fn put_loops(&self, dims: &[Dim], loops: &mut Dims) {
        if self.taken.count_ones() as usize == dims.len() {
            return;
        }
        for (i, &dim) in dims.iter().enumerate() {
            if self.is_left(i) {
                loops.push(dim);
            }
        }
        match self.order {
            Order::Source => loops.sort_by_key(|dim| Reverse(dim.src.unsigned_abs())),
            Order::Cost => loops.sort_by_key(|dim| {
                let (src, dst) = (
                    dim.src.unsigned_abs() as u128,
                    dim.dst.unsigned_abs() as u128,
                );
                Reverse(100 * src + 101 * dst)
            }),
        }
    }

    /// Rows from the first of `candidates` that is left; where there are many dimensions, from the
    /// next ones as well until the rows are enough.
    #[inline]
    fn fill_rows(&mut self, dims: &[Dim], candidates: impl Iterator<Item = usize>) {
        let many = dims.len() >= TABLE_RANK;
        for i in candidates {
            if !self.is_left(i) {
                continue;
            }
            if self.rows.first.is_none() {
                self.rows = self.take(dims, i);
            } else if many && self.rows.len < STRAIGHT_ROWS && self.rows.has_room_for(&dims[i]) {
                self.taken |= 1 << i;
                self.rows.push(dims[i]);
            } else {
                break;
            }
        }
    }

    #[inline]
    fn is_left(&self, i: usize) -> bool {
        self.taken & (1 << i) == 0
    }

    #[inline]
    fn take(&mut self, dims: &[Dim], i: usize) -> Group {
        self.taken |= 1 << i;
        Group::of(dims[i])
    }

    /// A source read backwards along the rows is one read forwards whose destination rows descend:
    /// rows may start anywhere.
    #[inline]
    fn read_rows_forwards(&mut self) {
        let rows = self.rows.first.iter_mut().chain(&mut self.rows.more);
        for dim in rows.filter(|dim| dim.src < 0) {
            let (src, dst) = flip(dim);
            (self.src_shift, self.dst_shift) = (self.src_shift + src, self.dst_shift + dst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dim(extent: usize, src: isize, dst: isize) -> Dim {
        Dim { extent, src, dst }
    }

    #[test]
    fn a_table_lists_the_innermost_dimension_first() {
        let mut group = Group::of(dim(2, 1, 100));
        group.push(dim(3, 10, -7));
        assert_eq!(
            group.table(|dim| dim.src),
            RowPlan::Offsets(Arc::from([0, 1, 10, 11, 20, 21]))
        );
        assert_eq!(
            group.table(|dim| dim.dst),
            RowPlan::Offsets(Arc::from([0, 100, -7, 93, -14, 86]))
        );
    }

    #[test]
    fn many_small_axes_become_two_long_ones() {
        // 12 axes of 2, reversed, in 4-byte cells.
        let dims = (0..12).map(|i| dim(2, 4 << (11 - i), 4 << i)).collect();
        let normal = Normal {
            cell: 4,
            dims,
            src_shift: 0,
            dst_shift: 0,
            listed: None,
        };
        let (mut dealt, mut loops) = (PanelDims::new(), Dims::new());
        dealt.crossed(&normal, 11, 64);
        dealt.put_loops(&normal.dims, &mut loops);
        assert_eq!((dealt.cols.len, dealt.rows.len, loops.len()), (32, 128, 0));
        assert!(dealt.rows.more.iter().all(|dim| dim.src < 4 * 128));
    }

    #[test]
    fn rows_read_backwards_are_walked_from_their_other_end() {
        let dims: Dims = [dim(5, 40, 4), dim(7, -4, 20)].into_iter().collect();
        let mut dealt = PanelDims::new();
        dealt.crossed_pair(&dims, 1);
        assert_eq!(dealt.rows.first, Some(dim(7, 4, -20)));
        assert!(dealt.rows.more.is_empty());
        assert_eq!((dealt.src_shift, dealt.dst_shift), (-24, 120));
    }
}
