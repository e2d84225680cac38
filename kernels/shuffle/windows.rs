//! Blocks that are not in one register of the source: which *windows* of the source each register of the destination is
//! made of, so many bytes long at most, and where in them each of its bytes is.
//!
//! A file of its own because it is without vectors, and because the planner asks it how many loads a block takes.
//!
//! ```text
//!   windows     | a . b . c . d |   | e . f . g . h |   | i . j . k . l |     three planes, every second column
//!   register    | a e i b f j c g k d h l |                                   pixels
//! ```

use super::{Gathered, REGISTERS};
use crate::panel::{LINE, Panel, Rows};

/// Windows that a register is made of at most: permutes of four registers are as many as there are.
pub(super) const WINDOWS: usize = 4;

/// What a register of the destination is made of.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Where each window starts, from the block on.
    pub(super) starts: [isize; WINDOWS],
    /// Which bytes of it are cells. Those that there are not are as the first one.
    pub(super) loaded: [u64; WINDOWS],
    /// Where each byte comes from: window and byte of it.
    pub(super) order: [u8; LINE],
    /// Bytes of the destination.
    pub(super) bytes: usize,
    /// How many windows there are.
    windows: usize,
}

impl Piece {
    /// That of no cells.
    const NONE: Self = Self {
        starts: [0; WINDOWS],
        loaded: [0; WINDOWS],
        order: [0; LINE],
        bytes: 0,
        windows: 0,
    };

    /// Becomes that of cells at these places, at most a line of them, each shorter than a window, if they lie in as few
    /// windows as there may be.
    #[inline(always)]
    fn take<const WINDOW: usize>(
        &mut self,
        cell: usize,
        places: impl Iterator<Item = isize> + Clone,
    ) -> bool {
        let mut ends = [0_isize; WINDOWS];
        let mut found = [0_u8; LINE];
        let (mut windows, mut window) = (0, 0);
        for (at, to) in places.clone().zip(&mut found) {
            let end = at.wrapping_add(cell as isize);
            let with = |window: usize| (at.min(self.starts[window]), end.max(ends[window]));
            let holds = |window: usize| {
                let (start, end) = with(window);
                window < windows && end.wrapping_sub(start) as usize <= WINDOW
            };
            // Mostly that of the cell before it.
            if !holds(window) {
                window = (0..windows)
                    .find(|&window| holds(window))
                    .unwrap_or(windows);
            }
            if window == WINDOWS {
                return false;
            }
            (self.starts[window], ends[window]) = if window == windows {
                windows += 1;
                (at, end)
            } else {
                with(window)
            };
            *to = window as u8;
        }
        self.windows = windows;
        let one = u64::MAX >> (LINE - cell);
        let cells = self.order.chunks_exact_mut(cell);
        for ((to, at), window) in cells.zip(places).zip(found) {
            let window = usize::from(window);
            let from = at.wrapping_sub(self.starts[window]) as usize;
            let mut place = (window * WINDOW + from) as u8;
            for to in to {
                *to = place;
                place = place.wrapping_add(1);
            }
            self.loaded[window] |= one << from;
            self.bytes += cell;
        }
        true
    }

    /// As many blocks of this one as a register holds, up to `most`, each of so many bytes and `step` bytes on in the source;
    /// and what is left of `count` blocks. They are groups, each with windows of its own.
    ///
    /// ```text
    ///   windows     | a . b . | | c . d . |        a group of two blocks, and another one
    /// ```
    #[inline(always)]
    fn repeated<const WINDOW: usize>(
        &self,
        bytes: usize,
        step: isize,
        (most, count): (usize, usize),
    ) -> (Self, Self, usize) {
        let apart = step.unsigned_abs();
        let widest = self.loaded.iter().copied().map(end).max().unwrap_or(0);
        let others = (WINDOW - widest).checked_div(apart).unwrap_or(most);
        let together = (others + 1).min(most);
        let groups = (WINDOWS / self.windows).min(most.div_ceil(together));
        let all = most.min(groups * together);
        let mut several = *self;
        several.windows = groups * self.windows;
        for k in 0..all {
            let (group, nth) = (k / together, k % together);
            // Downwards the last block of a group is the lowest one.
            let nth = if step < 0 { together - 1 - nth } else { nth };
            let moved = (group * self.windows * WINDOW + nth * apart) as u8;
            let order = several.order[k * bytes..][..bytes].iter_mut();
            for (to, from) in order.zip(&self.order) {
                *to = from.wrapping_add(moved);
            }
        }
        let low = step.min(0).wrapping_mul(together as isize - 1);
        for i in 0..several.windows {
            let first = (i / self.windows * together) as isize;
            let on = step.wrapping_mul(first).wrapping_add(low);
            several.starts[i] = self.starts[i % self.windows].wrapping_add(on);
        }
        let of = |count: usize| {
            let mut piece = several;
            piece.bytes = count * bytes;
            for i in 0..several.windows {
                let first = i / self.windows * together;
                let count = count.saturating_sub(first).min(together);
                // A group that is not full lies at the end of its windows downwards.
                let before = if step < 0 {
                    (together - count) * apart
                } else {
                    0
                };
                piece.loaded[i] = match count {
                    0 => 0,
                    _ => times(self.loaded[i % self.windows], apart, count) << before,
                };
            }
            piece
        };
        (of(all), of(count % all), all)
    }

    /// Has windows of which nothing is loaded be the first one, which is there.
    fn repeat_the_first(&mut self) {
        for i in 1..WINDOWS {
            if self.loaded[i] == 0 {
                (self.starts[i], self.loaded[i]) = (self.starts[0], self.loaded[0]);
            }
        }
    }
}

/// What is done in one turn: the registers of a block, or one of several blocks; of so many bytes, and windows of so many.
#[derive(Clone, Copy)]
pub(super) struct Windows<const REGISTER: usize, const WINDOW: usize> {
    pieces: [Piece; REGISTERS],
    registers: usize,
    /// How many windows a register is made of at most.
    pub(super) windows: usize,
    /// Whether they are no more than half a line: loads of that cross fewer. Of the roof, whole lines and halves, in the
    /// second-level cache, Xeon: 16 pixels of three planes, 20 bytes apart, 0.41 and 0.50, 224 apart 0.34 and 0.45, 64 apart
    /// 0.44 both; of four planes, 80 apart, 0.34 and 0.41.
    pub(super) narrow: bool,
    /// What is left of all blocks behind the last turn.
    pub(super) rest: Piece,
    /// How many blocks.
    pub(super) together: usize,
    /// Bytes of a block.
    pub(super) bytes: usize,
    /// Bytes from a block of the source to the next one.
    pub(super) step: isize,
}

impl<const REGISTER: usize, const WINDOW: usize> Windows<REGISTER, WINDOW> {
    /// Those of `panel`, if its rows are blocks that follow each other in the destination, and each register is made of few:
    /// of as many blocks as that leaves.
    pub(super) fn of(panel: &Panel<'_>) -> Option<Self> {
        let cells = REGISTER / panel.cell;
        let follow = panel.rows == 1 || panel.dst.rows.follow(panel.cols * panel.cell);
        if !follow || panel.cell >= WINDOW || panel.cols > REGISTERS * cells {
            return None;
        }
        match panel.src.rows {
            Rows::Stride(stride) => Self::most(panel, |c| (c as isize).wrapping_mul(stride)),
            Rows::Offsets(offsets) => Self::most(panel, |c| offsets[c]),
            // They may lead into different allocations, of which none may be read from another.
            Rows::Pointers(..) => None,
        }
    }

    /// [`Self::of`], where the cells of a block are at these places.
    #[inline(always)]
    fn most(panel: &Panel<'_>, place: impl Fn(usize) -> isize + Copy) -> Option<Self> {
        let (cell, cols, step) = (panel.cell, panel.cols, panel.src.step);
        let mut windows = Self {
            pieces: [Piece::NONE; REGISTERS],
            registers: 0,
            windows: 0,
            narrow: false,
            rest: Piece::NONE,
            together: 1,
            bytes: cols * cell,
            step,
        };
        let some = REGISTER / cell;
        for first in (0..cols).step_by(some) {
            let piece = &mut windows.pieces[windows.registers];
            if !piece.take::<WINDOW>(cell, (first..cols.min(first + some)).map(place)) {
                return None;
            }
            windows.registers += 1;
        }
        let most = (REGISTER / windows.bytes).min(panel.rows);
        if most > 1 {
            let counts = (most, panel.rows);
            let (all, rest, together) =
                windows.pieces[0].repeated::<WINDOW>(windows.bytes, step, counts);
            (windows.pieces[0], windows.rest, windows.together) = (all, rest, together);
            windows.rest.repeat_the_first();
        }
        let mut any = 0;
        for piece in &mut windows.pieces {
            windows.windows = windows.windows.max(piece.windows);
            any |= piece.loaded.iter().fold(0, |any, loaded| any | loaded);
            piece.repeat_the_first();
        }
        windows.narrow = any >> (WINDOW / 2) == 0;
        Some(windows)
    }

    /// The registers of a turn.
    #[inline(always)]
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.registers]
    }

    /// Where all of a window is loaded, though cells of `cell` bytes do not fill it: how many turns come before the last ones,
    /// in a panel of so many rows. In those, what is loaded may reach a window's length towards the last block; in the last
    /// ones, a [rest](Self::rest) included, towards the first one. None if in some turn it may do neither.
    ///
    /// What may be read is what lies between the first and the last of the cells that are at the same place of each block.
    pub(super) fn turns_before_the_last(&self, cell: usize, rows: usize) -> Option<usize> {
        let apart = self.step.unsigned_abs();
        if apart == 0 {
            return None;
        }
        let blocks = (WINDOW - cell).div_ceil(apart);
        let early = rows.saturating_sub(blocks) / self.together;
        let late = rows - early * self.together;
        (late == 0 || early * self.together >= blocks).then_some(early)
    }

    /// What a turn takes.
    pub(super) fn turn(&self) -> Gathered {
        Gathered {
            bytes: self.together * self.bytes,
            accesses: (self.windows + 1) * self.registers,
        }
    }
}

/// The byte behind the last one of those that are loaded.
#[inline(always)]
pub(super) fn end(loaded: u64) -> usize {
    LINE - loaded.leading_zeros() as usize
}

/// Those bytes `count` times, each time so many further on.
#[inline(always)]
pub(super) fn times(one: u64, apart: usize, count: usize) -> u64 {
    // Twice as many, as long as there are no more.
    let (mut all, mut some) = (one, 1);
    while 2 * some <= count {
        all |= all << (some * apart);
        some *= 2;
    }
    all | all << ((count - some) * apart)
}
