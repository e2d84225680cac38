//! What is done to each block: where each of its bytes comes from.
//!
//! A file of its own because it is without vectors, and because what the walk may read follows from it: where
//! the cells of the source fill a block, no byte between them is anyone else's. Where they do not, the block is *loose*:
//! it leaves bytes out, or has some twice.

use super::REGISTERS;
use super::windows::times;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a block at most.
const MOST: usize = REGISTERS * LINE;

/// A block, and where the others are.
pub(super) struct Block {
    /// Bytes of a block in the destination.
    pub(super) bytes: usize,
    /// Bytes from its lowest one in the source to its highest one.
    pub(super) span: usize,
    /// Whether it is not filled in the source.
    loose: bool,
    /// Bytes from a block of the source to the next one.
    pub(super) step: isize,
    /// Bytes from the base of the source to the lowest byte of the first block.
    pub(super) low: isize,
    /// For each byte of the destination, which one of the span it is; `bytes` of them.
    from: [u8; MOST],
}

impl Block {
    /// That of `panel`, if its rows are blocks that follow each other in the destination; loose ones if those have and span
    /// up to so many bytes, which are no more than a line.
    #[inline(always)] // a hundred bytes are moved in the time that it takes to return this
    pub(super) fn of(panel: &Panel<'_>, loose: usize) -> Option<Self> {
        let (cell, bytes) = (panel.cell, panel.cols * panel.cell);
        let follow = panel.rows == 1 || panel.dst.rows.follow(bytes);
        if !follow || bytes > MOST {
            return None;
        }
        let mut block = Self {
            bytes,
            span: bytes,
            loose: false,
            step: panel.src.step,
            low: 0,
            from: [0; MOST],
        };
        let noted = match panel.src.rows {
            Rows::Stride(stride) => {
                let places = (0..panel.cols as isize).map(|c| c.wrapping_mul(stride));
                block.note(cell, places, loose)
            }
            Rows::Offsets(offsets) => {
                block.note(cell, offsets[..panel.cols].iter().copied(), loose)
            }
            // They may lead into different allocations, of which none may be read from another.
            Rows::Pointers(..) => false,
        };
        noted.then_some(block)
    }

    /// Takes note of where the cells are, if they fill the block, or span up to so many bytes.
    #[inline(always)]
    fn note(
        &mut self,
        cell: usize,
        places: impl Iterator<Item = isize> + Clone,
        loose: usize,
    ) -> bool {
        let Some(low) = places.clone().min() else {
            return false;
        };
        self.low = low;
        let places = places.map(|place| place.wrapping_sub(low) as usize);
        if !fill(cell, self.bytes, places.clone()) {
            let high = places.clone().max().unwrap_or(0);
            (self.span, self.loose) = (high.saturating_add(cell), true);
            if self.span.max(self.bytes) > loose {
                return false;
            }
        }
        let from = &mut self.from[..self.bytes];
        match cell {
            1 => from
                .iter_mut()
                .zip(places)
                .for_each(|(to, at)| *to = at as u8),
            2 => write(from, places, |at| {
                (at as u16 * 0x0101 + 0x0100).to_le_bytes()
            }),
            4 => write(from, places, |at| {
                (at as u32 * 0x0101_0101 + 0x0302_0100).to_le_bytes()
            }),
            8 => write(from, places, |at| {
                (at as u64 * 0x0101_0101_0101_0101 + 0x0706_0504_0302_0100).to_le_bytes()
            }),
            _ => {
                for (to, at) in from.chunks_exact_mut(cell).zip(places) {
                    (at..).zip(to).for_each(|(at, to)| *to = at as u8);
                }
            }
        }
        true
    }

    /// Where each byte of a block comes from, and where in its block each byte of a line of blocks is.
    #[inline(always)]
    pub(super) fn of_several(&self) -> (&[u8; MOST], &'static [u8; LINE]) {
        (&self.from, &REMAINDERS[self.bytes - 1])
    }

    /// Where each byte of a register's blocks is in another one, `within` saying where in its block. Downwards the
    /// first block ends where the register does. What is behind the last block comes from any byte.
    #[inline(always)]
    pub(super) fn places_of_several(&self, within: &[u8; LINE], register: usize) -> [u8; LINE] {
        let mut places = *within;
        let first = (register - self.bytes) as u8;
        for (i, place) in places.iter_mut().enumerate() {
            let start = i as u8 - REMAINDERS[self.bytes - 1][i];
            *place = if self.step < 0 {
                place.wrapping_add(first).wrapping_sub(start)
            } else {
                place.wrapping_add(start)
            };
        }
        places
    }

    /// How many blocks a register of so many bytes holds, in the source and in the destination; at least one, if it holds
    /// a span and a block.
    #[inline(always)]
    pub(super) fn of_register(&self, register: usize) -> usize {
        let (apart, room) = (self.step.unsigned_abs(), register - self.span);
        let most = register / self.bytes;
        room.checked_div(apart)
            .map_or(most, |others| most.min(others + 1))
    }

    /// Where in a register of so many bytes the span of its `k`th block starts: downwards that of the first one ends where
    /// the register does.
    #[inline(always)]
    pub(super) fn start(&self, k: usize, register: usize) -> usize {
        let others = k * self.step.unsigned_abs();
        if self.step < 0 {
            register - self.span - others
        } else {
            others
        }
    }

    /// Where each byte of the first `count` blocks is in a register of so many bytes.
    #[inline(always)]
    pub(super) fn places_of_loose(&self, count: usize, register: usize) -> [u8; LINE] {
        let mut places = [0; 2 * LINE];
        for k in 0..count {
            let start = self.start(k, register) as u8;
            // A line of them, whose end the next ones write again.
            let block = &mut places[k * self.bytes..][..LINE];
            for (place, from) in block.iter_mut().zip(&self.from) {
                *place = from.wrapping_add(start);
            }
        }
        let mut line = [0; LINE];
        line.copy_from_slice(&places[..LINE]);
        line
    }

    /// Bytes from the lowest one of `count` blocks, at least one, to the highest.
    #[inline(always)]
    pub(super) fn reach(&self, count: usize) -> usize {
        self.step.unsigned_abs() * (count - 1) + self.span
    }

    /// Which bytes of a register the first `count` blocks are.
    #[inline(always)]
    pub(super) fn moved(&self, count: usize, register: usize) -> u64 {
        let one = self.from[..self.bytes]
            .iter()
            .fold(0_u64, |one, from| one | 1 << from);
        let all = times(one, self.step.unsigned_abs(), count);
        let last = self.start(count - 1, register);
        if self.step < 0 { all << last } else { all }
    }

    /// From how many blocks on all of a register of so many bytes lies between the first and the last one.
    #[inline(always)]
    pub(super) fn fill_register(&self, register: usize) -> usize {
        let others = (register - self.span).checked_div(self.step.unsigned_abs());
        let exact = |others: usize| others * self.step.unsigned_abs() == register - self.span;
        match others {
            Some(others) if exact(others) => others + 1,
            Some(others) => others + 2,
            None if self.span == register => 1,
            None => usize::MAX,
        }
    }

    /// Where each byte of the `nth` register of a block, one after another, is among those of `registers` that
    /// are loaded, of which the last one ends where the block does. What is behind the block comes from any byte.
    #[inline(always)]
    pub(super) fn places_of_one(
        &self,
        nth: usize,
        register: usize,
        registers: usize,
    ) -> [u8; LINE] {
        let last = (registers - 1) * register;
        let (last, moved) = (last as u8, (last + register - self.bytes) as u8);
        let mut places = [0; LINE];
        places.copy_from_slice(&self.from[nth * register..][..LINE]);
        for place in &mut places {
            *place = place.wrapping_add(if *place < last { 0 } else { moved });
        }
        places
    }

    /// Whether they are filled and follow each other in the source as well, up or down.
    #[inline(always)]
    pub(super) fn follows(&self) -> bool {
        !self.loose && self.step.unsigned_abs() == self.bytes
    }
}

/// Whether cells at these places fill so many bytes: if they start where they would in order.
#[inline(always)]
fn fill(cell: usize, bytes: usize, places: impl Iterator<Item = usize>) -> bool {
    let mut starts = [0; MOST / 64];
    let mut turn = |at: usize| starts[at / 64] ^= 1_u64 << (at % 64);
    for (place, in_order) in places.zip((0..bytes).step_by(cell)) {
        if place >= bytes {
            return false;
        }
        turn(place);
        turn(in_order);
    }
    starts == [0; MOST / 64]
}

/// For each length of a block up to a line, less one, where in its block each byte of a line is.
static REMAINDERS: [[u8; LINE]; LINE] = {
    let (mut all, mut i) = ([[0; LINE]; LINE], 0);
    while i < LINE * LINE {
        all[i / LINE][i % LINE] = (i % LINE % (i / LINE + 1)) as u8;
        i += 1;
    }
    all
};

/// Writes the bytes of each cell: those from its place on.
#[inline(always)]
fn write<const CELL: usize>(
    to: &mut [u8],
    places: impl Iterator<Item = usize>,
    bytes: impl Fn(usize) -> [u8; CELL],
) {
    let (cells, _) = to.as_chunks_mut::<CELL>();
    for (cell, at) in cells.iter_mut().zip(places) {
        *cell = bytes(at);
    }
}
