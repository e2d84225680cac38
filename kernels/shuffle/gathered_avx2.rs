//! Blocks from windows of the source, without masks: a window is 16 bytes, all of which are loaded into both halves of a
//! register; each half is permuted, and what was found in all windows is put together.
//!
//! A file of its own because where to load is another question than with masks: a window that is not full is loaded from
//! where its cells start, or up to where they end, whichever stays in what may be read.
//!
//! ```text
//!   source rows   | a . . . . . . . |       cells at the same place of each block, and what lies between them
//!   first block     a=======>               loaded from there on
//!   last block              <=====b         loaded up to there
//! ```
//!
//! Of the roof, cell by cell and so, Zen 3, AVX2: every second pixel of three planes to pixels u8 37 KB 0.05 and 0.21,
//! 2.4 MB 0.05 and 0.17, u16 0.08 and 0.11, 0.08 and 0.17; 4x4 patches of RGB from planes u8 150 KB 0.04 and 0.10, 9.6 MB
//! 0.03 and 0.21, and back 0.04 and 0.08, 0.04 and 0.21; 3x3 of every second position u8 0.16 and 0.62; pixels of RGB and
//! rows of them twice, seven a row, u8 0.05 and 0.54, u16 0.15 and 0.21, f32 0.40 and 0.53, 56 a row, f32 0.43 and 0.70;
//! two channels to frames of 24 bits 0.70 and 1.02.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_adds_epu8, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_xor_si256,
};

use super::REGISTERS;
use super::avx2::Ymm;
use super::register::Register;
use super::sink::Sink;
use super::windows::{self, Piece, WINDOWS, end};
use crate::panel::Panel;

/// Bytes of a window.
const WINDOW: usize = 16;

/// Registers of half a line.
pub(super) type Windows = windows::Windows<{ Ymm::BYTES }, WINDOW>;

/// Where a window is loaded.
#[derive(Clone, Copy)]
enum Loaded {
    /// From where its cells start.
    FromTheStart,
    /// Up to where they end.
    UpToTheEnd,
}

/// A panel of blocks that are made of windows.
pub(super) struct Gathered {
    windows: Windows,
    /// Blocks of a panel.
    rows: usize,
    /// Turns before the [last ones](Windows::turns_before_the_last).
    early: usize,
}

impl Gathered {
    /// That of `panel`, if all windows may be loaded.
    pub(super) fn of(panel: &Panel<'_>) -> Option<Self> {
        let windows = Windows::of(panel)?;
        let early = windows.turns_before_the_last(panel.cell, panel.rows)?;
        Some(Self {
            windows,
            rows: panel.rows,
            early,
        })
    }

    /// What a turn takes: of several registers, what is looked up for each, too, as so many accesses (*guess*).
    pub(super) fn turn(&self) -> super::Gathered {
        const LOOKED_UP: usize = 2;
        let mut turn = self.windows.turn();
        if let registers @ 2.. = self.windows.pieces().len() {
            turn.accesses += LOOKED_UP * registers;
        }
        turn
    }

    /// Moves the panel whose source starts at `src` to a sink.
    ///
    /// # Safety
    /// - Shape: it is that of the panel that this is of, but for where it lies.
    /// - Range and aliasing: those of the crate, what lies between its cells may be read, and the sink takes so many bytes.
    /// - ISA: AVX2 is there.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn put<S: Sink<Ymm>>(&self, src: *const u8, mut to: S) -> S {
        // SAFETY: passed on; ISA: enabled here.
        unsafe {
            match self.windows.windows {
                1 => self.turns::<S, 1>(src, &mut to),
                2 => self.turns::<S, 2>(src, &mut to),
                3 => self.turns::<S, 3>(src, &mut to),
                _ => self.turns::<S, WINDOWS>(src, &mut to),
            }
        }
        to
    }

    /// # Safety
    /// As [`Self::put`], with `N` windows.
    #[inline(always)]
    unsafe fn turns<S: Sink<Ymm>, const N: usize>(&self, src: *const u8, to: &mut S) {
        // SAFETY: passed on.
        unsafe {
            match self.windows.pieces() {
                [piece] => self.in_one_register::<S, N>(piece, src, to),
                pieces => self.in_several::<S, N>(pieces, src, to),
            }
        }
    }

    /// Where windows are loaded in the first turns and in the last ones: towards the last block as long as that is far enough,
    /// then towards the first one.
    #[inline(always)]
    fn loaded(&self) -> [Loaded; 2] {
        if self.windows.step < 0 {
            [Loaded::UpToTheEnd, Loaded::FromTheStart]
        } else {
            [Loaded::FromTheStart, Loaded::UpToTheEnd]
        }
    }

    /// As many blocks in a turn as a register holds.
    ///
    /// # Safety
    /// As [`Self::turns`], with the piece of all registers but the last.
    #[inline(always)]
    unsafe fn in_one_register<S: Sink<Ymm>, const N: usize>(
        &self,
        piece: &Piece,
        mut src: *const u8,
        to: &mut S,
    ) {
        let (together, rest) = (self.windows.together, &self.windows.rest);
        let last = self.rows / together - self.early;
        let step = self.windows.step * together as isize;
        let [before, after] = self.loaded();
        // SAFETY: range: so many blocks are left, and windows are loaded to where they may be; ISA: passed on.
        unsafe {
            let turns = [
                (Turn::<N>::of(piece, before), self.early),
                (Turn::<N>::of(piece, after), last),
            ];
            let left = Turn::<N>::of(rest, after);
            loop {
                let mut from = src;
                for (turn, count) in turns {
                    for _ in 0..count {
                        to.put(turn.register(from), piece.bytes);
                        from = from.wrapping_offset(step);
                    }
                }
                if rest.bytes > 0 {
                    to.put(left.register(from), rest.bytes);
                }
                let Some(on) = to.next() else {
                    return;
                };
                src = src.wrapping_offset(on);
            }
        }
    }

    /// A block in a turn.
    ///
    /// # Safety
    /// As [`Self::turns`], with the pieces of a block.
    #[inline(always)]
    unsafe fn in_several<S: Sink<Ymm>, const N: usize>(
        &self,
        pieces: &[Piece],
        mut src: *const u8,
        to: &mut S,
    ) {
        let last = self.rows - self.early;
        let [before, after] = self.loaded();
        // SAFETY: range: so many blocks are left, and windows are loaded to where they may be; ISA: passed on.
        unsafe {
            let turns = [
                (Turn::<N>::all(pieces, before), self.early),
                (Turn::<N>::all(pieces, after), last),
            ];
            loop {
                let mut from = src;
                for (turns, count) in &turns {
                    for _ in 0..*count {
                        for (turn, piece) in turns.iter().zip(pieces) {
                            to.put(turn.register(from), piece.bytes);
                        }
                        from = from.wrapping_offset(self.windows.step);
                    }
                }
                let Some(on) = to.next() else {
                    return;
                };
                src = src.wrapping_offset(on);
            }
        }
    }
}

/// A piece, as registers.
#[derive(Clone, Copy)]
struct Turn<const N: usize> {
    starts: [isize; N],
    /// For each window, which byte of it each byte of a half is; none where the highest bit is set.
    orders: [__m256i; N],
}

impl<const N: usize> Turn<N> {
    /// Those of some pieces.
    ///
    /// # Safety
    /// As [`Self::of`].
    #[inline(always)]
    unsafe fn all(pieces: &[Piece], loaded: Loaded) -> [Self; REGISTERS] {
        // SAFETY: passed on.
        unsafe {
            let mut turns = [Self::of(&pieces[0], loaded); REGISTERS];
            for (turn, piece) in turns.iter_mut().zip(pieces).skip(1) {
                *turn = Self::of(piece, loaded);
            }
            turns
        }
    }

    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn of(piece: &Piece, loaded: Loaded) -> Self {
        // SAFETY: range: half a line of the piece's own; ISA: passed on.
        unsafe {
            let places = _mm256_loadu_si256(piece.order.as_ptr().cast());
            let mut turn = Self {
                starts: [0; N],
                orders: [_mm256_setzero_si256(); N],
            };
            for (i, (start, order)) in turn.starts.iter_mut().zip(&mut turn.orders).enumerate() {
                let bytes = piece.loaded[i];
                // Bytes that the window starts before what is loaded.
                let moved = match loaded {
                    Loaded::FromTheStart => -(bytes.trailing_zeros() as isize),
                    Loaded::UpToTheEnd => WINDOW as isize - end(bytes) as isize,
                };
                *start = piece.starts[i] - moved;
                let within = _mm256_xor_si256(places, _mm256_set1_epi8((i * WINDOW) as i8));
                // Above 15 where the byte is in another window: those get the highest bit.
                let others =
                    _mm256_adds_epu8(within, _mm256_set1_epi8(i8::MAX - (WINDOW as i8 - 1)));
                let others = _mm256_and_si256(others, _mm256_set1_epi8(i8::MIN));
                let at = _mm256_add_epi8(within, _mm256_set1_epi8(moved as i8));
                let at = _mm256_and_si256(at, _mm256_set1_epi8(WINDOW as i8 - 1));
                *order = _mm256_or_si256(at, others);
            }
            turn
        }
    }

    /// # Safety
    /// - Range: the windows can be read, from `from` on.
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn register(&self, from: *const u8) -> Ymm {
        // SAFETY: passed on.
        unsafe {
            let mut all = self.found(0, from);
            for i in 1..N {
                all = _mm256_or_si256(all, self.found(i, from));
            }
            Ymm(all)
        }
    }

    /// # Safety
    /// As [`Self::register`].
    #[inline(always)]
    unsafe fn found(&self, i: usize, from: *const u8) -> __m256i {
        let from = from.wrapping_offset(self.starts[i]);
        // SAFETY: passed on.
        unsafe {
            let window = _mm_loadu_si128(from.cast());
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(window), self.orders[i])
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;
    use crate::panel::{Pairing, Rows, Side, SourceGaps};

    /// Whether a panel of blocks `step` bytes apart can be moved in windows, and which bytes that would read.
    fn reads(cell: usize, rows: usize, offsets: &[isize], step: isize) -> Option<vec::Vec<isize>> {
        let side = |rows, step| Side {
            base: core::ptr::null_mut(),
            rows,
            step,
        };
        let panel = Panel {
            cell,
            rows,
            cols: offsets.len(),
            pairing: Pairing::Crossed,
            gaps: SourceGaps::Readable,
            src: side(Rows::Offsets(offsets), step),
            dst: side(Rows::Stride((offsets.len() * cell) as isize), cell as isize),
        };
        let gathered = Gathered::of(&panel)?;
        let (windows, together) = (&gathered.windows, gathered.windows.together);
        let mut read = vec![];
        for turn in 0..rows.div_ceil(together) {
            let towards_the_last = turn < gathered.early;
            let rest = turn * together + together > rows;
            let pieces = match rest {
                true => core::slice::from_ref(&windows.rest),
                false => windows.pieces(),
            };
            for piece in pieces {
                for (start, loaded) in piece.starts.into_iter().zip(piece.loaded) {
                    let from = match towards_the_last == (step > 0) {
                        true => start + loaded.trailing_zeros() as isize,
                        false => start + end(loaded) as isize - WINDOW as isize,
                    };
                    let from = from + step * (turn * together) as isize;
                    read.extend(from..from + WINDOW as isize);
                }
            }
        }
        Some(read)
    }

    #[test]
    fn windows_stay_between_the_first_and_the_last_cell_of_a_source_row() {
        let places: [&[isize]; 4] = [
            &[0, 1000, 2000],
            &[0, 2, 4, 56, 58, 60, 112, 114, 116],
            &[700, 0, 703],
            &[0, 0, 5, 5],
        ];
        let mut moved = 0;
        for offsets in places {
            for (cell, rows, step) in [1, 2, 3, 6, 8, 11, 16]
                .into_iter()
                .flat_map(|cell| (1..40).map(move |rows| (cell, rows)))
                .flat_map(|(cell, rows)| {
                    [1, 2, 3, 8, 40, -1, -2, -7, -40, 0].map(|step| (cell, rows, step))
                })
            {
                let Some(read) = reads(cell, rows, offsets, step) else {
                    continue;
                };
                moved += 1;
                let reach = step * (rows as isize - 1);
                let may = |byte: isize| {
                    offsets.iter().any(|at| {
                        let (low, high) = (at + reach.min(0), at + reach.max(0) + cell as isize);
                        (low..high).contains(&byte)
                    })
                };
                assert!(
                    read.into_iter().all(may),
                    "{offsets:?}: {rows} rows of {cell} bytes, {step} apart"
                );
            }
        }
        assert!(moved > 500, "{moved}");
        // Too few blocks, or always the same ones, for windows.
        assert!(reads(1, 7, &[0, 1000, 2000], 1).is_none());
        assert!(reads(1, 39, &[0, 1000, 2000], 0).is_none());
    }
}
