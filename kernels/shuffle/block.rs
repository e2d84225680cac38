//! What is done to each block: where each of its bytes comes from.
//!
//! A file of its own because it is without vectors, and because what the walk may read follows from it: where
//! the cells of the source fill a block, no byte between them is anyone else's.

use super::REGISTERS;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a block at most.
const MOST: usize = REGISTERS * LINE;

/// A block, and how its blocks follow each other.
pub(super) struct Block {
    /// Bytes of a block.
    pub(super) bytes: usize,
    /// Whether source blocks follow each other downwards.
    pub(super) down: bool,
    /// Bytes from the base of the source to the lowest byte of the first block.
    pub(super) low: isize,
    /// For each byte of the destination, which one of the source it is; `bytes` of them.
    from: [u8; MOST],
}

impl Block {
    /// That of `panel`, if its rows are blocks without gaps, on both sides.
    ///
    /// # Safety
    /// - Shape: that of the contract.
    pub(super) unsafe fn of(panel: &Panel<'_>) -> Option<Self> {
        let (cell, bytes) = (panel.cell, panel.cols * panel.cell);
        let follow = panel.rows == 1 || panel.dst.rows.follow(bytes);
        if !follow || bytes > MOST || panel.src.step.unsigned_abs() != bytes {
            return None;
        }
        let place = |c: usize| match panel.src.rows {
            Rows::Stride(stride) => Some((c as isize).wrapping_mul(stride)),
            Rows::Offsets(offsets) => offsets.get(c).copied(),
            // They may lead into different allocations, of which none may be read from another.
            Rows::Pointers(..) => None,
        };
        let mut low = place(0)?;
        for c in 1..panel.cols {
            low = low.min(place(c)?);
        }
        let mut block = Self {
            bytes,
            down: panel.src.step < 0,
            low,
            from: [0; MOST],
        };
        let mut filled = Bits::NONE;
        for (c, to) in block.from[..bytes].chunks_exact_mut(cell).enumerate() {
            let at = place(c)?.wrapping_sub(low) as usize;
            if at > bytes - cell {
                return None;
            }
            filled.set(at, cell);
            for (i, to) in to.iter_mut().enumerate() {
                *to = (at + i) as u8;
            }
        }
        filled.are_first(bytes).then_some(block)
    }

    /// Where each byte of a register's blocks is in another one's, which ends with the last of its blocks if
    /// source blocks go down. A block is a register at most; what is behind the last one comes from any byte.
    pub(super) fn places_of_several(&self, register: usize) -> [u8; LINE] {
        /// A quotient of two numbers up to a line's bytes is exact in so many bits.
        const BITS: u32 = 16;
        let (bytes, inverse) = (self.bytes, (1_usize << BITS).div_ceil(self.bytes));
        let mut places = [0; LINE];
        for (i, place) in places[..register].iter_mut().enumerate() {
            let start = ((i * inverse) >> BITS) * bytes;
            let block = if self.down {
                register.wrapping_sub(start + bytes)
            } else {
                start
            };
            *place = (block as u8).wrapping_add(self.from[i - start]);
        }
        places
    }

    /// Where each byte of the `nth` register of a block, one after another, is among those of `registers` that
    /// are loaded, of which the last one ends where the block does. What is behind the block comes from any byte.
    pub(super) fn places_of_one(
        &self,
        nth: usize,
        register: usize,
        registers: usize,
    ) -> [u8; LINE] {
        let (start, last) = (nth * register, (registers - 1) * register);
        let end = self.bytes.min(start + register);
        let mut places = [0; LINE];
        for (to, &from) in places.iter_mut().zip(&self.from[start..end]) {
            let from = usize::from(from);
            let in_last = if from < last {
                0
            } else {
                last + register - self.bytes
            };
            *to = (from + in_last) as u8;
        }
        places
    }

    /// Bytes from a block of the source to the next one.
    #[inline(always)]
    pub(super) fn step(&self) -> isize {
        let bytes = self.bytes as isize;
        if self.down { -bytes } else { bytes }
    }
}

/// A bit for each byte of a block, and room behind.
struct Bits([u64; MOST / 64 + 1]);

impl Bits {
    const NONE: Self = Self([0; MOST / 64 + 1]);

    /// Sets `len` bits, fewer than 64, from `at` on.
    #[inline(always)]
    fn set(&mut self, at: usize, len: usize) {
        let bits = ((1_u128 << len) - 1) << (at % 64);
        self.0[at / 64] |= bits as u64;
        self.0[at / 64 + 1] |= (bits >> 64) as u64;
    }

    /// Whether those that are set are the first `len`.
    #[inline(always)]
    fn are_first(&self, len: usize) -> bool {
        self.0.iter().enumerate().all(|(i, &word)| {
            let below = len.saturating_sub(64 * i).min(64) as u32;
            word.count_ones() == below && word.trailing_ones() == below
        })
    }
}
