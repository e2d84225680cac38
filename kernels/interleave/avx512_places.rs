//! Where cells go that `avx512` permutes: tables, and the masks that take cells in.
//!
//! A file of its own because it is without vectors, and the same for every size of cells.

use crate::panel::LINE;

/// Places of cells: which cell of a line goes to each place. As many integers as a line has cells,
/// of a cell's size.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Places(pub(super) [u8; LINE]);

impl Places {
    const fn with(mut self, cell: usize, place: usize, from: usize) -> Self {
        // Below 64, so the integer is its lowest byte.
        self.0[place * cell] = from as u8;
        self
    }

    /// Each cell to the place that it comes from.
    const fn inverse(self, cell: usize) -> Self {
        let (mut places, mut i) = (Self([0; LINE]), 0);
        while i < LINE / cell {
            places = places.with(cell, self.0[i * cell] as usize, i);
            i += 1;
        }
        places
    }

    /// The cells of one of three planes, taken in from three lines, in order.
    pub(super) const fn in_order(cell: usize, plane: usize) -> Self {
        let (mut places, mut i) = (Self([0; LINE]), 0);
        while i < LINE / cell {
            places = places.with(cell, i, (3 * i + plane) % (LINE / cell));
            i += 1;
        }
        places
    }

    /// The inverse of [`Self::in_order`].
    pub(super) const fn apart(cell: usize, plane: usize) -> Self {
        Self::in_order(cell, plane).inverse(cell)
    }

    /// The cells from last to first.
    pub(super) const fn turned(cell: usize) -> Self {
        let (mut places, mut i) = (Self([0; LINE]), 0);
        while i < LINE / cell {
            places = places.with(cell, i, LINE / cell - 1 - i);
            i += 1;
        }
        places
    }

    /// The cells of each of `planes` planes, which are 2 or 4, together.
    pub(super) const fn grouped(cell: usize, planes: usize) -> Self {
        let (mut places, mut i) = (Self([0; LINE]), 0);
        let each = LINE / cell / planes;
        while i < LINE / cell {
            places = places.with(cell, i, planes * (i % each) + i / each);
            i += 1;
        }
        places
    }

    /// The inverse of [`Self::grouped`].
    pub(super) const fn ungrouped(cell: usize, planes: usize) -> Self {
        Self::grouped(cell, planes).inverse(cell)
    }
}

/// The cells of line `j` of three that are of this plane, as a mask over `cells` cells.
pub(super) const fn of_plane(cells: usize, j: usize, plane: usize) -> u64 {
    let (mut mask, mut i) = (0, 0);
    while i < cells {
        if (j * cells + i) % 3 == plane {
            mask |= 1 << i;
        }
        i += 1;
    }
    mask
}
