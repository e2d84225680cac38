//! The carry: what a destination row has left over until its next line is full, and the edges of
//! bands, which fill no line.
//!
//! Where destination rows do not start whole lines apart (odd extents, tables, lists), a band of
//! columns is aligned in no more than a few of them. So the walk takes bands by columns, and each row
//! shifts its registers by its *phase*, the cells between the start of a line and the row. What does
//! not fill a line stays in the scratch of the guard, one slot of 64 bytes for each row, until the
//! next band:
//!
//! ```text
//!   row of phase 3     band of columns 0..32          band of columns 32..64
//!
//!   registers          [ 0 .. 15 ][ 16 .. 31 ]        [ 32 .. 47 ][ 48 .. 63 ]
//!   slot                              29 30 31                         61 62 63
//!   lines           [...0 .. 12][ 13 .. 28 ]     [ 29 .. 44 ][ 45 .. 60 ]
//!                    cached      streamed         streamed    streamed
//! ```

use super::columns::Columns;
use super::line::{Line, LineTile};
use super::lines::Addressing;
use super::stream::{Out, Place};
use super::whole_lines::{band, lines};
use crate::cpu::by_amd;
use crate::fence::StreamFence;
use crate::isa::prefetch;
use crate::panel::LINE;

/// Rows between a store to a line that is not filled and the prefetch of that line.
///
/// f32, ratio to the roof with and without, 2-core AVX-512 server VM: 100x100 panels 0.55, 0.47; 64x129
/// 0.49, 0.45; 1000x50 0.65, 0.57. Writing the end of a row and the start of the next as one line, from
/// blocks of three lines, was slower still: 0.35, 0.37, 0.22.
pub(super) const AHEAD: usize = 64;

/// Slots of 64 bytes in the scratch of the guard, one for each row of a chunk.
#[derive(Clone, Copy)]
pub(super) struct Carry {
    slots: *mut u8,
}

impl Carry {
    /// Rows of a chunk at most: their slots stay in a second-level cache. 256 KiB of 2 MiB (2-core AVX-512
    /// server VM): f32 7001x5003 0.92 of the roof with 4096, 0.96 with 8192; 4097x4095 0.79, 0.81. 128 KiB of
    /// 1 MiB on AMD's cores, which read ahead into it: with 4096 and 2048, f32 4001x4001 0.69 and 0.85,
    /// 2500x6001 0.83 and 0.88, 7001x5003 0.85 and 0.82; f64 4001x4001 0.77 and 0.94, u16 0.56 and 0.62.
    fn most() -> usize {
        if by_amd() { 2048 } else { 4096 }
    }

    /// Bytes for a panel of so many rows; slots start at lines.
    pub(super) fn bytes(rows: usize) -> usize {
        LINE * (rows.min(Self::most()) + 1)
    }

    /// Rows of each chunk of a panel, all but the last one the same number.
    #[inline(always)]
    pub(super) fn chunk(rows: usize) -> usize {
        let chunks = rows.div_ceil(Self::most());
        rows.div_ceil(chunks).next_multiple_of(16)
    }

    #[inline(always)]
    pub(super) fn new(fence: &StreamFence<'_>) -> Self {
        let (scratch, _) = fence.scratch();
        let slots = scratch.wrapping_add(scratch.align_offset(LINE));
        Self { slots }
    }

    /// The slot of row `r` of a chunk.
    #[inline(always)]
    pub(super) fn slot(self, r: usize) -> *mut u8 {
        self.slots.wrapping_add(r * LINE)
    }

    /// Where the lines of a band go that starts `bytes` into each row, with the slots of a chunk
    /// that begins with row `first`.
    #[inline(always)]
    pub(super) fn shifted<D: Addressing>(self, dst: D, bytes: usize, first: usize) -> Shifted<D> {
        Shifted {
            dst,
            bytes,
            first,
            carry: self,
        }
    }
}

/// Rows that start anywhere: lines are joined with what the slot holds.
#[derive(Clone, Copy)]
pub(super) struct Shifted<D> {
    dst: D,
    bytes: usize,
    first: usize,
    carry: Carry,
}

impl<D: Addressing> Shifted<D> {
    /// The start of the line in which row `r` begins its part of the band, its phase in bytes, and
    /// its slot.
    ///
    /// # Safety
    /// - Shape: row `r` exists, and its slot.
    #[inline(always)]
    unsafe fn row(self, r: usize) -> (*mut u8, usize, *mut u8) {
        // SAFETY: shape: passed on.
        let start = unsafe { self.dst.row(r) }.wrapping_add(self.bytes);
        let phase = start.addr() % LINE;
        let slot = self.carry.slot(r - self.first);
        (start.wrapping_sub(phase), phase, slot)
    }

    /// Takes the lines of row `r` in a band that begins or ends a row, or both, and has so many words. Its first line
    /// starts with what is `carried`, or in the middle, at the row's phase; its last line stays in the slot or, if this
    /// is the `last` band, ends where the words end.
    ///
    /// # Safety
    /// In this order:
    /// - Shape: row `r` exists, and is given once; its slot does, unless this is the first band and the last one,
    ///   written if something is carried.
    /// - Range: the words are cells of the row.
    /// - Aliasing: no line of the band is streamed by another one.
    /// - ISA: that of the line.
    #[inline(always)]
    pub(super) unsafe fn put_edge<L: Line, const N: usize>(
        self,
        r: usize,
        lines: [L; N],
        words: usize,
        carried: bool,
        last: bool,
    ) {
        // SAFETY: shape: passed on; range: the words from where the row's part begins, or from what the slot holds, to
        // where it is filled are cells of the row; aliasing: passed on; alignment: lines and slots start at lines;
        // ISA: passed on.
        unsafe {
            let (line, phase, slot) = self.row(r);
            let phase = phase / L::WORD;
            let (before, from) = if carried {
                (L::load(slot), 0)
            } else {
                (lines[0], phase)
            };
            let filled = if last { phase + words } else { words };
            let mut pair = [before, before];
            for j in 0..=N {
                pair = [pair[1], lines[j.min(N - 1)]];
                let part = from.max(j * L::WORDS)..filled.min((j + 1) * L::WORDS);
                let to = line.wrapping_add(j * LINE);
                if part.len() == L::WORDS {
                    pair[0].joined(pair[1], phase).stream(to);
                } else if !part.is_empty() {
                    let part = part.start - j * L::WORDS..part.end - j * L::WORDS;
                    pair[0].joined(pair[1], phase).store_part(part, to);
                }
            }
            if !last {
                lines[N - 1].store(slot);
            }
        }
    }
}

impl<L: Line, D: Addressing, const N: usize> Out<L, N> for Shifted<D> {
    const JOINS: bool = true;

    #[inline(always)]
    unsafe fn put(self, r: usize, lines: [L; N]) {
        // SAFETY: shape: row r exists, and its slot, which the band before has written; range: the
        // lines from the one in which the band begins are cells of the row, since the row has a
        // phase of cells before the band; aliasing: each line is written once, slots are this
        // task's own; alignment: lines and slots start at lines; ISA: the caller's.
        unsafe {
            let (line, phase, slot) = self.row(r);
            let (mut before, phase) = (L::load(slot), phase / L::WORD);
            for (i, after) in lines.into_iter().enumerate() {
                before
                    .joined(after, phase)
                    .stream(line.wrapping_add(i * LINE));
                before = after;
            }
            before.store(slot);
        }
    }
}

/// A band that begins or ends a row, or both: up to `N` lines wide, and with a carry none.
///
/// Its first line starts with what the slot holds, or in the middle, at the row's phase; its last
/// line stays in the slot or, if this is the `last` band, ends where the columns end.
///
/// # Safety
/// The contract of the crate, for a place of the panel that `dst` addresses, whose source rows are
/// `columns`, the last one again for what the band has more, with `R` rows
/// of the panel or more; with a carry, slots for the rows of the place, written unless the place
/// starts at column 0. No line of the place is streamed by another band. ISA: as
/// [`LineTile::lines`].
#[cfg_attr(not(debug_assertions), inline(always))] // copies without optimisation overflow stacks
pub(super) unsafe fn edge<T: LineTile<R>, const R: usize, const N: usize>(
    tile: T,
    columns: &Columns,
    dst: impl Addressing,
    place: &Place,
    carry: Option<Carry>,
    last: bool,
) {
    let word = T::Line::WORD;
    let (c, words) = (place.cols.start, place.cols.len() * T::CELL / word);
    let carried = carry.is_some() && c > 0;
    let slots = carry.unwrap_or(Carry {
        slots: core::ptr::null_mut(),
    });
    let shifted = slots.shifted(dst, c * T::CELL, place.rows.start);
    let mut r = place.rows.start;
    let mut ahead = r;
    while r < place.rows.end {
        // The lines that are not filled are fetched from memory: not while the stores wait.
        while ahead < place.rows.end.min(r + AHEAD) {
            // SAFETY: shape: the row is one of the place.
            let start = unsafe { dst.row(ahead) }.wrapping_add(c * T::CELL);
            prefetch(if last {
                start.wrapping_add(words * word)
            } else {
                start
            });
            ahead += 1;
        }
        // A block that is not whole is moved back; rows before r have been written.
        let at = r.min(place.of - R);
        // SAFETY: passed on; cells of R rows from `at` on are the panel's.
        let rows = unsafe { band(tile, &lines::<N>(columns, T::CELLS, at * T::CELL), 0) };
        let left = rows.into_iter().enumerate().take(place.rows.end - at);
        for (i, lines) in left.skip(r - at) {
            // SAFETY: shape: row at + i exists, and its slot if there is a carry, written by the
            // band before where it is read; range: the band's words are cells of the row; aliasing: said above;
            // ISA: passed on.
            unsafe { shifted.put_edge(at + i, lines, words, carried, last) };
        }
        r = at + R;
    }
}
