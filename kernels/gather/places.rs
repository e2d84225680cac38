//! Where the cells of a line stand in the vectors of its source, or of its destination.
//!
//! A file of its own because what is loaded of a source and what is stored to a strided destination
//! is decided by the same table, and so that it can be tested without a vector: loads and stores
//! touch the bytes that [`Places::cells`] names, and no others.

use crate::panel::LINE;
use core::ops::Range;

/// The bits from `low` up to `high`, of which those of a line count.
#[inline(always)]
pub(crate) const fn bits(low: isize, high: isize) -> u64 {
    below(high) & !below(low)
}

/// The bits below `n`.
#[inline(always)]
const fn below(n: isize) -> u64 {
    match n {
        ..=0 => 0,
        1..64 => !0 >> (64 - n),
        _ => !0,
    }
}

/// Where the cells of a line stand in up to `V` vectors of the source.
#[derive(Clone, Copy)]
pub(crate) struct Places<const V: usize> {
    /// Bytes from the cell of lane 0 to the first vector.
    pub(crate) base: isize,
    /// Bytes from the cell of a lane to the next one's.
    step: isize,
    /// A bit for each byte of a cell, for each vector.
    pub(crate) cells: [u64; V],
    /// For each two vectors, which piece of theirs goes where.
    pub(crate) index: [[u8; LINE]; V],
}

impl<const V: usize> Places<V> {
    /// For cells of `cell` bytes, `vectors` cells apart, up or down. For the compiler where it can be:
    /// a small panel is moved in the time that this takes.
    pub(crate) const fn new(cell: usize, piece: usize, vectors: usize, down: bool) -> Self {
        let distance = (vectors * cell) as isize;
        let step = if down { -distance } else { distance };
        // Downwards, the window ends where the cell of lane 0 does.
        let first = if down {
            (vectors * LINE - cell) as isize
        } else {
            0
        };
        let mut this = Self {
            base: -first,
            step,
            cells: [0; V],
            index: [[0; LINE]; V],
        };
        let mut lane = 0;
        while lane < LINE / cell {
            let at = this.place(lane);
            this.cells[at / LINE] |= bits(0, cell as isize) << (at % LINE);
            lane += 1;
        }
        let mut pair = 0;
        while pair < vectors.div_ceil(2) {
            // A piece that no load reads, if there is one: then every vector has one.
            let nothing = this.cells[2 * pair].trailing_ones() as usize / piece;
            let mut to = 0;
            while to < LINE {
                let at = this.place(to / cell) + to % cell;
                let from = if at / (2 * LINE) == pair {
                    at % (2 * LINE) / piece
                } else {
                    nothing
                };
                // Little-endian; pieces are numbered below 128.
                this.index[pair][to] = from as u8;
                to += piece;
            }
            pair += 1;
        }
        this
    }

    /// Where the cell of a lane starts in the vectors.
    #[inline(always)]
    const fn place(&self, lane: usize) -> usize {
        (lane as isize * self.step - self.base) as usize
    }

    /// For the other direction, and each vector: which piece of the line goes where. Pieces that are
    /// not of a cell are any.
    pub(crate) const fn spread(&self, cell: usize, piece: usize) -> [[u8; LINE]; V] {
        let mut index = [[0; LINE]; V];
        let mut from = 0;
        while from < LINE {
            let at = self.place(from / cell) + from % cell;
            index[at / LINE][at % LINE] = (from / piece) as u8;
            from += piece;
        }
        index
    }

    /// The bytes of cells within reach in the `v`th vector.
    #[inline(always)]
    pub(crate) fn within(&self, v: usize, (low, high): (isize, isize)) -> u64 {
        let start = (v * LINE) as isize;
        self.cells[v] & bits(low - start, high - start)
    }

    /// The bytes of the cells of some lanes, in each vector.
    #[inline(always)]
    pub(crate) fn masks(&self, cell: usize, lanes: &Range<usize>) -> [u64; V] {
        let (reach, mut masks) = (self.reach(cell, lanes), self.cells);
        for (v, mask) in masks.iter_mut().enumerate() {
            *mask = self.within(v, reach);
        }
        masks
    }

    /// The bytes of the source vectors that hold the cells of some lanes.
    #[inline(always)]
    pub(crate) fn reach(&self, cell: usize, lanes: &Range<usize>) -> (isize, isize) {
        if lanes.is_empty() {
            return (0, 0);
        }
        let (a, b) = (self.place(lanes.start), self.place(lanes.end - 1));
        let (a, b) = (a as isize, b as isize);
        (a.min(b), a.max(b) + cell as isize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads and stores touch what `cells` names: exactly the cells, whatever lies between them.
    #[test]
    fn places_name_the_bytes_of_the_cells_and_no_others() {
        for cell in [1, 2, 4, 8, 16] {
            for vectors in (1..=16).filter(|&vectors| vectors == 1 || vectors * cell <= LINE) {
                for sign in [1, -1] {
                    let step = sign * (vectors * cell) as isize;
                    for piece in [1, 2, 4].into_iter().filter(|&piece| piece <= cell) {
                        exact(cell, piece, vectors, step);
                    }
                }
            }
        }
    }

    fn exact(cell: usize, piece: usize, vectors: usize, step: isize) {
        let places = Places::<16>::new(cell, piece, vectors, step < 0);
        let lanes = LINE / cell;
        // The window of the vectors; byte i of it is at base + i from the cell of lane 0.
        let mut owner = [None; 16 * LINE];
        for lane in 0..lanes {
            for byte in 0..cell {
                let at = lane as isize * step + byte as isize - places.base;
                owner[at as usize] = Some(lane * cell + byte);
            }
        }
        for (at, owner) in owner.iter().enumerate() {
            let named = places.cells[at / LINE] >> (at % LINE) & 1 == 1;
            assert_eq!(named, owner.is_some(), "{cell} {vectors} {step} byte {at}");
        }
        // What permutes of zeroed vectors give, or'ed, is the line.
        for to in (0..LINE).step_by(piece) {
            for pair in 0..vectors.div_ceil(2) {
                let from = 2 * pair * LINE + usize::from(places.index[pair][to]) * piece;
                let gives = owner[from % owner.len()];
                let wanted = gives.is_none() || gives == Some(to);
                assert!(wanted, "{cell} {piece} {vectors} {step} byte {to}");
            }
        }
        // Some lanes reach as far as their cells.
        for a in 0..lanes {
            for b in a + 1..=lanes {
                let (low, high) = places.reach(cell, &(a..b));
                for (at, owner) in owner.iter().enumerate() {
                    let inside = low <= at as isize && (at as isize) < high;
                    let wanted = owner.is_some_and(|byte| (a..b).contains(&(byte / cell)));
                    assert_eq!(
                        inside && owner.is_some(),
                        wanted,
                        "{cell} {vectors} {a}..{b}"
                    );
                }
            }
        }
    }
}
