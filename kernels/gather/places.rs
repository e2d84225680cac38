//! Where the cells of a line stand in the vectors of its source, or of its destination.
//!
//! A file of its own because what is loaded of a source and what is stored to a strided destination
//! is decided by the same table, and so that it can be tested without a vector: loads and stores
//! touch the bytes that [`Places::cells`] names, and no others.

use core::ops::Range;

use super::pick::LINE;

/// The bits from `low` up to `high`, of which those of a line count.
#[inline(always)]
pub(crate) fn bits(low: isize, high: isize) -> u64 {
    let below = |n: isize| match n {
        ..=0 => 0,
        1..64 => !0 >> (64 - n),
        _ => !0,
    };
    below(high) & !below(low)
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
    /// For cells of `cell` bytes, `vectors` cells apart in the direction of `step`.
    #[inline(always)]
    pub(crate) fn new(cell: usize, piece: usize, vectors: usize, step: isize) -> Self {
        // Backwards, the window ends where the cell of lane 0 does.
        let first = if step < 0 { vectors * LINE - cell } else { 0 };
        let mut cells = [0; V];
        let mut index = [[0; LINE]; V];
        let place = |lane: usize| first.wrapping_add_signed(lane as isize * step);
        for lane in 0..LINE / cell {
            let at = place(lane);
            cells[at / LINE] |= bits(0, cell as isize) << (at % LINE);
        }
        for pair in 0..vectors.div_ceil(2) {
            // A piece that no load reads, if there is one: then every vector has one.
            let nothing = cells[2 * pair].trailing_ones() as usize / piece;
            for to in 0..LINE / piece {
                let at = place(to * piece / cell) + to * piece % cell;
                let from = if at / (2 * LINE) == pair {
                    at % (2 * LINE) / piece
                } else {
                    nothing
                };
                // Little-endian; pieces are numbered below 128.
                index[pair][to * piece] = from as u8;
            }
        }
        Self {
            base: -(first as isize),
            step,
            cells,
            index,
        }
    }

    /// For the other direction, and each vector: which piece of the line goes where. Pieces that are
    /// not of a cell are any.
    #[inline(always)]
    pub(crate) fn spread(&self, cell: usize, piece: usize) -> [[u8; LINE]; V] {
        let mut index = [[0; LINE]; V];
        for from in 0..LINE / piece {
            let (lane, part) = (from * piece / cell, from * piece % cell);
            let at = (lane as isize * self.step - self.base) as usize + part;
            index[at / LINE][at % LINE] = from as u8;
        }
        index
    }

    /// The bytes of the source vectors that hold the cells of some lanes.
    #[inline(always)]
    pub(crate) fn reach(&self, cell: usize, lanes: &Range<usize>) -> (isize, isize) {
        let place = |lane: usize| lane as isize * self.step - self.base;
        if lanes.is_empty() {
            return (0, 0);
        }
        let (a, b) = (place(lanes.start), place(lanes.end - 1));
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
        let places = Places::<16>::new(cell, piece, vectors, step);
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
