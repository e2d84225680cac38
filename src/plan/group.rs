//! Which dimensions form a panel's rows and columns, which stay loops around it, and the offset
//! tables of groups that no single stride expresses.
//!
//! With A the dimensions that form the dense beginning of the source and B those that form the dense
//! beginning of the destination, any permutation is a transposition of A x B: source rows start at
//! one offset per element of B, destination rows at one per element of A. So many dimensions of
//! extent 2 or 3 become two long ones, and the same kernels serve them.
//!
//! - **Into B**, in the order of destination strides: the dimension in which the destination is
//!   contiguous, and those it continues with until a row is two lines; where rows do not start whole
//!   lines apart, until the lines that rows share are few ([`BYTES_OF_CUT_B`]). No more: a dimension in
//!   B is not in A, and far source rows in short bands read worse than long ones.
//! - **Into A**, in the order of source strides: the dimension in which the source is contiguous, and
//!   those it continues with, until a source row is a page, or 256 bytes where panels may be fetched
//!   (`fetch`). A longer one gains nothing, and spreads the lines of a band over more pages of the
//!   destination. What fills its first lines goes before what cut lines add to B ([`LINES_OF_CUT_A`]).
//! - **Outside** stays the rest, ordered as the source is: reads want order, whole lines written
//!   around the caches do not care. Loops inside of the bands of B, where that is the order of the source, gained
//!   up to 0.07 on one machine and lost up to 0.2 there and on others, and more where source rows are short.
//! - **Both want the same dimension** where the destination continues with A's first one, as in a pixel
//!   shuffle, or the source with B's. Each keeps its first one: A's is the longer stream of reads, B's
//!   of writes. The side that cannot grow may have two or three elements; then the panel is an
//!   interleave, and the other side grows to a page instead.
//! - **Cells that are runs** are dealt the same way: B needs a few of them, which are
//!   as many source streams.
//!
//! Below the size from which on lines are streamed, planning shows in the time of a copy: groups with
//! tables are formed from five dimensions on only. In a copy so small that calls of kernels show, groups
//! are formed from three on, without tables: see [`Grow`].

use restride_kernels::Pairing;

mod amounts;
mod apart;
pub(super) mod blocks;
mod dims;
mod gathered;
mod grow;
mod order;
mod runs;

use amounts::{STRAIGHT_ROWS, TABLE_ENTRIES};
use dims::Group;
pub(super) use grow::Grow;
use grow::TABLE_RANK;
use order::Order;

use super::direct::{StridedPanel, StridedSide};
use super::normalise::{Dims, Form, flip};
use super::problem::Dim;
use super::recipe::RowPlan;

/// The dimensions of a normal form, dealt out: rows and columns of the panel, and what is left.
///
/// Each way of dealing fills an empty one in place, once: values of this size that are returned, and
/// looked at just after, cost more than what is decided here.
#[derive(Debug)]
pub(crate) struct PanelDims {
    pub(super) rows: Group,
    pub(super) cols: Group,
    /// A bit for each dimension that is in one of them. A shape has fewer than 64 extents above 1.
    taken: u64,
    /// Whether groups are nests.
    nested: bool,
    /// Entries of a table that makes a short row longer, at most. Dimensions beyond it stay loops.
    entries: usize,
    order: Order,
    /// Bytes by which dimensions walked from their other end moved the first cell.
    pub(super) src_shift: isize,
    pub(super) dst_shift: isize,
}

impl PanelDims {
    /// Nothing dealt yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let (rows, cols) = (Group::new(), Group::new());
        Self {
            rows,
            cols,
            taken: 0,
            nested: false,
            entries: TABLE_ENTRIES,
            order: Order::Source,
            src_shift: 0,
            dst_shift: 0,
        }
    }

    /// A straight panel: `cols` are columns, the dimensions with the smallest destination strides
    /// among the others are rows.
    #[inline]
    pub(super) fn straight(&mut self, dims: &[Dim], cols: Option<usize>, grow: Grow) {
        (self.order, self.nested) = (Order::Cost, grow.nested);
        if let Some(cols) = cols {
            self.take_columns(dims, cols);
        }
        self.fill_rows(dims, 0..dims.len());
    }

    /// A crossed panel: columns from the dimension with the smallest destination stride, rows from
    /// `a`, in which the source is contiguous; both grown to groups where there are many
    /// dimensions.
    #[inline]
    pub(super) fn crossed(&mut self, normal: &Form<'_>, a: usize, grow: Grow) {
        let dims = normal.dims;
        self.take_rows(dims, a);
        self.take_columns(dims, 0);
        if grow.nested {
            if dims.len() > 2 {
                self.nest(dims, normal.cell);
            }
        } else if dims.len() >= grow.table_rank() {
            self.grow(dims, normal.cell, grow);
        } else if self.is_short(normal, grow.line) {
            self.grow_short(normal, a, grow);
        }
        self.read_rows_forwards();
    }

    /// Grows both sides of a crossed panel to nests, the shorter one first.
    fn nest(&mut self, dims: &[Dim], cell: usize) {
        self.nested = true;
        while self.leaves(dims) {
            let columns_first = self.cols.len <= self.rows.len;
            let grown = columns_first && self.nest_columns(dims, cell)
                || self.nest_rows(dims, cell)
                || !columns_first && self.nest_columns(dims, cell);
            if !grown {
                return;
            }
        }
    }

    /// Another dimension of columns, if one continues the destination and the nest has room for it.
    #[inline]
    fn nest_columns(&mut self, dims: &[Dim], cell: usize) -> bool {
        let next = self
            .next_columns(dims, cell)
            .find(|&i| self.cols.nests(&dims[i]));
        next.is_some_and(|next| self.add_columns(dims, next))
    }

    /// The same of rows and the source.
    #[inline]
    fn nest_rows(&mut self, dims: &[Dim], cell: usize) -> bool {
        let next = self
            .next_rows(dims, cell)
            .find(|&i| self.rows.nests(&dims[i]));
        next.is_some_and(|next| self.add_rows(dims, next))
    }

    /// A crossed panel of short blocks that follow each other in the destination: rows are blocks, columns the cells
    /// of one. False, and nothing dealt, if there are none.
    #[inline(always)]
    pub(super) fn blocks(&mut self, normal: &Form<'_>, grow: Grow) -> bool {
        let (cell, dims) = (normal.cell, normal.dims);
        if !blocks::may_fill(cell, dims, grow.shuffled) {
            return false;
        }
        self.blocks_of(cell, dims, grow)
    }

    /// [`Self::blocks`], where there may be some.
    fn blocks_of(&mut self, cell: usize, dims: &[Dim], grow: Grow) -> bool {
        self.take_found(dims, blocks::filling(cell, dims, grow.shuffled), grow)
    }

    /// The same of loose blocks; the source is contiguous in the `a`th dimension, if that is not 0.
    pub(super) fn loose_blocks(&mut self, normal: &Form<'_>, a: usize, grow: Grow) -> bool {
        let (cell, dims) = (normal.cell, normal.dims);
        // One cell that fills what is streamed has rows that are as fast as memory: 60 MB 2.0 of memcpy, and 2.1 by those.
        let fills = |inside| inside == 0 && grow.streaming && dims[0].src == 0;
        let found = blocks::loose(cell, dims, a, grow.shuffled).filter(|&inside| !fills(inside));
        self.take_found(dims, found, grow)
    }

    /// The same of those that are a panel each of many small ones.
    pub(super) fn many_loose_blocks(&mut self, normal: &Form<'_>, grow: Grow) -> bool {
        let (cell, dims) = (normal.cell, normal.dims);
        self.take_found(dims, blocks::loose_of_many(cell, dims, grow.shuffled), grow)
    }

    /// [`Self::take_blocks`], if some were found; whether they were.
    fn take_found(&mut self, dims: &[Dim], inside: Option<usize>, grow: Grow) -> bool {
        if let Some(inside) = inside {
            self.take_blocks(dims, inside, grow);
        }
        inside.is_some()
    }

    /// Takes the first `inside` dimensions for columns, and the next one for rows.
    fn take_blocks(&mut self, dims: &[Dim], inside: usize, grow: Grow) {
        if inside > 0 {
            self.take_columns(dims, 0);
        }
        self.nested = grow.nested;
        for i in 1..inside {
            self.nested &= self.cols.nests(&dims[i]);
            self.add_columns(dims, i);
        }
        self.take_rows(dims, inside);
    }

    /// Columns from the dimensions with which the destination continues, until a row has so many
    /// bytes.
    fn grow_columns(&mut self, dims: &[Dim], cell: usize, until: usize) {
        while self.cols.len * cell < until {
            let next = self.next_columns(dims, cell).next();
            let most = self.most_entries(self.cols.len * cell);
            let next = next.filter(|&i| self.cols.has_room_for(&dims[i], most));
            if !next.is_some_and(|next| self.add_columns(dims, next)) {
                return;
            }
        }
    }

    /// Rows from the dimensions with which the source continues, until they have so many bytes.
    fn grow_rows(&mut self, dims: &[Dim], cell: usize, until: usize) {
        while self.rows.len * cell < until {
            let next = self.next_rows(dims, cell).next();
            let most = self.most_entries(self.rows.len * cell);
            let next = next.filter(|&i| self.rows.has_room_for(&dims[i], most));
            if !next.is_some_and(|next| self.add_rows(dims, next)) {
                return;
            }
        }
    }

    /// The dimensions that are left with which the destination continues where the columns end.
    #[inline(always)]
    fn next_columns(&self, dims: &[Dim], cell: usize) -> impl Iterator<Item = usize> {
        let end = (self.cols.len * cell) as isize;
        (0..dims.len()).filter(move |&i| dims[i].dst == end && self.is_left(i))
    }

    /// Those with which the source continues where the rows end.
    #[inline(always)]
    fn next_rows(&self, dims: &[Dim], cell: usize) -> impl Iterator<Item = usize> {
        let end = self.rows.len * cell;
        (0..dims.len()).filter(move |&i| dims[i].src.unsigned_abs() == end && self.is_left(i))
    }

    /// Dimension `i` joins the columns: true, as they have grown.
    #[inline(always)]
    fn add_columns(&mut self, dims: &[Dim], i: usize) -> bool {
        self.taken |= 1 << i;
        self.cols.push(dims[i]);
        true
    }

    /// The same for the rows.
    #[inline(always)]
    fn add_rows(&mut self, dims: &[Dim], i: usize) -> bool {
        self.taken |= 1 << i;
        self.rows.push(dims[i]);
        true
    }

    /// Whether destination rows do not all start the same number of bytes after a line.
    pub(super) fn cuts_lines(&self, dims: &[Dim], line: usize) -> bool {
        let column = |dim: &Dim| {
            self.cols
                .first
                .iter()
                .chain(&self.cols.more)
                .any(|c| c == dim)
        };
        let rows = dims.iter().filter(|dim| !column(dim));
        rows.into_iter()
            .any(|dim| dim.dst.unsigned_abs() % line != 0)
    }

    /// A crossed panel of two dimensions: columns from the one with the smallest destination
    /// stride, rows from `a`.
    #[inline(always)]
    pub(super) fn crossed_pair(&mut self, dims: &[Dim], a: usize) {
        self.take_rows(dims, a);
        self.take_columns(dims, 0);
        self.read_rows_forwards();
    }

    /// A crossed panel of pixels and planes: as [`Self::crossed_pair`]; the loops write pixels in
    /// order as far as that takes one loop, and planes of `cell`s that no row streams if that one is short.
    #[inline(always)]
    pub(super) fn interleaved(&mut self, dims: &[Dim], a: usize, cell: usize) {
        self.crossed_pair(dims, a);
        if self.cols.len < self.rows.len {
            self.order = Order::Continued;
        } else if !super::woven::has_weaves(cell) {
            self.order = Order::Shorter;
        }
    }

    /// A crossed panel with rows from `a`, whose columns are a dimension that is not among `dims`:
    /// its source positions come from a list.
    pub(super) fn listed_columns(&mut self, dims: &[Dim], a: usize, listed: Dim) {
        self.take_rows(dims, a);
        self.cols.start(listed);
        self.read_rows_forwards();
    }

    /// A straight panel with columns from `cols`, whose rows are a dimension that is not among
    /// `dims`: its source positions come from a list.
    pub(super) fn listed_rows(&mut self, dims: &[Dim], cols: Option<usize>, listed: Dim) {
        self.order = Order::Cost;
        if let Some(cols) = cols {
            self.take_columns(dims, cols);
        }
        self.rows.start(listed);
    }

    /// The panel of what was dealt, where every group has at most one dimension; else
    /// [`PanelDims::tables`] completes it.
    #[inline(always)]
    pub(super) fn panel(&self, pairing: Pairing, cell: usize, cols: usize) -> StridedPanel {
        let unit = cell as isize;
        let inner = |group: &Group| group.first.map_or((unit, unit), |dim| (dim.src, dim.dst));
        // Source rows are columns of the destination where the panel is crossed.
        let (src_rows, src_cells) = match pairing {
            Pairing::Straight => (&self.rows, &self.cols),
            Pairing::Crossed => (&self.cols, &self.rows),
        };
        StridedPanel {
            cell,
            rows: self.rows.len,
            cols: if self.cols.first.is_none() {
                cols
            } else {
                self.cols.len
            },
            pairing,
            src: StridedSide {
                shift: self.src_shift,
                stride: src_rows.stride(|dim| dim.src),
                step: inner(src_cells).0,
            },
            dst: StridedSide {
                shift: self.dst_shift,
                stride: self.rows.stride(|dim| dim.dst),
                step: inner(&self.cols).1,
            },
        }
    }

    /// Whether a group needs a table.
    #[inline]
    pub(crate) fn has_tables(&self) -> bool {
        !(self.rows.more.is_empty() && self.cols.more.is_empty())
    }

    /// Gives the rows of both sides, source first, which have the first stride of their groups, tables
    /// or nests where they need them.
    #[inline]
    pub(crate) fn tables(&self, pairing: Pairing, [from, to]: [&mut RowPlan; 2]) {
        let src_rows = match pairing {
            Pairing::Straight => &self.rows,
            Pairing::Crossed => &self.cols,
        };
        if self.nested {
            src_rows.nest(from, |dim| dim.src);
            self.rows.nest(to, |dim| dim.dst);
            return;
        }
        if !src_rows.more.is_empty() {
            *from = src_rows.table(|dim| dim.src);
        }
        if !self.rows.more.is_empty() {
            *to = self.rows.table(|dim| dim.dst);
        }
    }

    /// Whether one of `dims`, those this was dealt from, is in neither group.
    #[inline]
    pub(crate) fn leaves(&self, dims: &[Dim]) -> bool {
        self.taken != (1 << dims.len()) - 1
    }

    /// Whether panels of so many bytes follow each other on both sides, along one of `dims` that is in neither group.
    pub(super) fn follows(&self, dims: &[Dim], bytes: usize) -> bool {
        let next = bytes as isize;
        let follows =
            |(i, dim): (usize, &Dim)| self.is_left(i) && (dim.src, dim.dst) == (next, next);
        dims.iter().enumerate().any(follows)
    }

    /// Whether panels do not all start the same number of bytes after a line in the destination.
    pub(super) fn moves_on_in_parts(&self, dims: &[Dim], line: usize) -> bool {
        let in_parts = |(i, dim): (usize, &Dim)| self.is_left(i) && dim.dst % line as isize != 0;
        dims.iter().enumerate().any(in_parts)
    }

    /// Puts what is left of `dims`, those this was dealt from, into `loops`, outermost first.
    #[inline]
    pub(crate) fn put_loops(&self, dims: &[Dim], loops: &mut Dims) {
        if !self.leaves(dims) {
            return;
        }
        for (i, &dim) in dims.iter().enumerate() {
            if self.is_left(i) {
                loops.push(dim);
            }
        }
        if loops.len() > 1 {
            self.order.sort(loops);
        }
    }

    /// Rows from the first of `candidates` that is left; where there are many dimensions, from the
    /// next ones as well until the rows are enough.
    #[inline]
    fn fill_rows(&mut self, dims: &[Dim], candidates: impl Iterator<Item = usize>) {
        let many = self.nested || dims.len() >= TABLE_RANK;
        for i in candidates {
            if !self.is_left(i) {
                continue;
            }
            if self.rows.first.is_none() {
                self.take_rows(dims, i);
            } else if many && self.rows.len < STRAIGHT_ROWS && self.has_room_for_rows(&dims[i]) {
                self.taken |= 1 << i;
                self.rows.push(dims[i]);
            } else {
                break;
            }
        }
    }

    fn has_room_for_rows(&self, dim: &Dim) -> bool {
        if self.nested {
            self.rows.nests(dim)
        } else {
            self.rows.has_room_for(dim, TABLE_ENTRIES)
        }
    }

    #[inline]
    fn is_left(&self, i: usize) -> bool {
        self.taken & (1 << i) == 0
    }

    /// Dimension `i` of `dims` for the columns, in place.
    #[inline(always)]
    fn take_columns(&mut self, dims: &[Dim], i: usize) {
        self.taken |= 1 << i;
        self.cols.start(dims[i]);
    }

    /// The same for the rows.
    #[inline(always)]
    fn take_rows(&mut self, dims: &[Dim], i: usize) {
        self.taken |= 1 << i;
        self.rows.start(dims[i]);
    }

    /// A source read backwards along the rows is one read forwards whose destination rows descend:
    /// rows may start anywhere.
    #[inline]
    fn read_rows_forwards(&mut self) {
        let mut forwards = |dim: &mut Dim| {
            if dim.src < 0 {
                let (src, dst) = flip(dim);
                (self.src_shift, self.dst_shift) = (self.src_shift + src, self.dst_shift + dst);
            }
        };
        if let Some(first) = &mut self.rows.first {
            forwards(first);
        }
        self.rows.more.iter_mut().for_each(forwards);
    }
}

#[cfg(test)]
mod tests;
