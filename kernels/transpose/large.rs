//! How a streaming transposition moves cells of a line and more: runs, crossed.
//!
//! A file of its own because there is nothing to transpose in registers. A band is a few source rows;
//! inside it the walk follows them, so the source is as many sequential streams, and each destination
//! row gets that many runs back to back:
//!
//! ```text
//!             src                             dst
//!   row c0    | 1  | 4  | 7  ..       row r0  | 1  | 2  | 3  | .. next band
//!   row c0+1  | 2  | 5  | 8  ..       row r1  | 4  | 5  | 6  | ..
//!   row c0+2  | 3  | 6  | 9  ..       row r2  | 7  | 8  | 9  | ..
//! ```
//!
//! Runs start and end anywhere within a line: the line that two runs of a row share is joined in a
//! register. A row's first and its last line, where it does not fill them, are written through the
//! caches, by whole words. Where it is not aligned to words either, runs are copied through the caches.

use super::line::Line;
use super::lines::{Addressing, Settled, settle};
use crate::cpu::in_one_sequence;
use crate::isa::prefetch;
use crate::panel::{LINE, Panel};

/// Source rows of a band, if runs are short: f32 ratios to the roof with eight, and with four:
/// 128-byte runs, 224x298 of them, 28 times: 0.96, 0.91; 64-byte runs, 480x32: 0.98, 0.97.
const SHORT_BAND: usize = 8;
/// The same if they are long: runs of 704 to 8576 bytes differ by less than the noise.
const BAND: usize = 4;
/// Bytes of a source row at most that is a band of its own, if those follow each other and memory is best moved [as
/// one sequence](in_one_sequence), which the source then is. Of the roof, Zen 4, in bands of eight and so: 12 runs
/// of 256 bytes 0.60 and 1.18, 16 of 128 0.45 and 1.16, 2 of 1024 0.61 and 1.35, 32 of 256 0.81 and 1.19, 12 of
/// 260 0.60 and 1.03; but 128 of 256 1.07 and 0.88.
const SEQUENCE: usize = 8 << 10;
/// Bytes of a short run at most.
const SHORT: usize = 512;
/// Bytes between a load and the prefetch that goes before it. 255x255 runs of 2040 bytes: 0.90 of the
/// roof with 512, 0.93 with 1024, 0.94 with 2048; runs of 128 and 256 bytes are the same with each. None where
/// memory is best moved as one sequence; with and without, Zen 4, in bands of eight: 64 runs of 256 bytes 1.00 and
/// 1.19, of 128 0.82 and 1.07, 24 of 128 0.56 and 0.78; 512x512 of 128 1.11 and 1.19.
const AHEAD: usize = 1024;

/// Whether cells of so many bytes are moved: whole words, and two of them share a line at most.
pub(super) fn moves(cell: usize) -> bool {
    cell >= LINE && cell.is_multiple_of(4)
}

/// Moves a panel of large cells.
///
/// # Safety
/// The contract of the crate, with a panel of the family whose cells are such as [`moves`] says,
/// while a guard is held; the ISA of the line, whose words are 4 bytes or fewer, is enabled where this
/// is inlined.
#[inline(always)]
pub(super) unsafe fn runs<L: Line>(panel: &Panel<'_>) {
    let bands = Bands::<L> {
        panel,
        line: core::marker::PhantomData,
    };
    // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
    unsafe { settle(panel, bands) }
}

/// The bands, once the kinds of rows are settled.
struct Bands<'a, 'p, L> {
    panel: &'a Panel<'p>,
    line: core::marker::PhantomData<L>,
}

impl<L: Line> Settled for Bands<'_, '_, L> {
    type Answer = ();

    #[inline(always)]
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) {
        let Panel {
            cell, rows, cols, ..
        } = *self.panel;
        let in_order = in_one_sequence();
        let row = rows * cell;
        let band = if in_order && row <= SEQUENCE && self.panel.src.rows.follow(row) {
            1
        } else if cell > SHORT {
            BAND
        } else {
            SHORT_BAND
        };
        let ahead = (!in_order).then_some(AHEAD);
        for start in (0..cols).step_by(band) {
            let end = cols.min(start + band);
            for r in 0..rows {
                // SAFETY: shape: r is below rows.
                let row = unsafe { dst.row(r) };
                for c in start..end {
                    // SAFETY: shape: c is below cols; so is the column after it, if there is one.
                    let (from, next) = unsafe {
                        let from = src.row(c).wrapping_add(r * cell).cast_const();
                        let next = (c + 1 < cols)
                            .then(|| src.row(c + 1).wrapping_add(r * cell).cast_const());
                        (from, next)
                    };
                    let to = row.wrapping_add(c * cell);
                    // SAFETY: range and aliasing: run r of source row c is cell c of destination row
                    // r, and the run after it in the row, if there is one, is the next column's;
                    // alignment: cells are whole words, so a run starts at a word if its row does;
                    // ISA: passed on.
                    unsafe {
                        if (to.addr() | cell).is_multiple_of(LINE) {
                            whole::<L>(from, to, cell, ahead);
                        } else if row.addr().is_multiple_of(L::WORD) {
                            shifted::<L>((from, next), to, (cell, ahead), c == 0);
                        } else {
                            core::ptr::copy_nonoverlapping(from, to, cell);
                        }
                    }
                }
            }
        }
    }
}

/// Asks for what is so many bytes ahead, if anything is.
#[inline(always)]
fn ask(from: *const u8, ahead: Option<usize>) {
    if let Some(ahead) = ahead {
        prefetch(from.wrapping_add(ahead));
    }
}

/// Streams a run that is whole lines; `ahead` is what [`ask`] takes.
///
/// # Safety
/// - Range: `bytes`, a multiple of 64, can be read at `from` and written at `to`.
/// - Aliasing: the two do not overlap.
/// - Alignment: `to` starts a line.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn whole<L: Line>(from: *const u8, to: *mut u8, bytes: usize, ahead: Option<usize>) {
    for byte in (0..bytes).step_by(LINE) {
        ask(from.wrapping_add(byte), ahead);
        // SAFETY: range: byte is the start of a line below bytes, a multiple of lines; the rest is
        // passed on.
        unsafe { L::load(from.wrapping_add(byte)).stream(to.wrapping_add(byte)) };
    }
}

/// Streams a run that starts or ends within a line: its whole lines, and the line that it shares with
/// `next`, the run that follows it. The line that it shares with the run before is that one's; the
/// `first` run of a row writes its part of it through the caches, and the last one, which has no next,
/// the part of its last line.
///
/// # Safety
/// - Range: `bytes`, a line or more, can be read at `from`, and at `next` where it is, and written at
///   `to`; where there is a next run, 64 more bytes can be written there.
/// - Aliasing: what is read and what is written do not overlap.
/// - Alignment: `to` and `bytes` are multiples of a word.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn shifted<L: Line>(
    (from, next): (*const u8, Option<*const u8>),
    to: *mut u8,
    (bytes, ahead): (usize, Option<usize>),
    first: bool,
) {
    let phase = to.addr() % LINE;
    let head = phase.wrapping_neg() % LINE;
    let tail = (bytes - head) % LINE;
    // SAFETY: range: the first line of the run, its lines from `head` on, of which the last begins
    // 64 bytes before its end or earlier, and its last line; the line that begins `tail` bytes
    // before the end is filled by the next run, or written up to the end; the words are 1 to 15;
    // alignment: `head` bytes on starts a line; aliasing and ISA: passed on.
    unsafe {
        if first && phase > 0 {
            let (line, words) = (L::load(from), phase / L::WORD);
            line.joined(line, words)
                .store_part(words..L::WORDS, to.wrapping_sub(phase));
        }
        for byte in (head..bytes - tail).step_by(LINE) {
            ask(from.wrapping_add(byte), ahead);
            L::load(from.wrapping_add(byte)).stream(to.wrapping_add(byte));
        }
        if tail == 0 {
            return;
        }
        ask(from.wrapping_add(bytes), ahead);
        let last = L::load(from.wrapping_add(bytes - LINE));
        let (border, words) = (to.wrapping_add(bytes - tail), tail / L::WORD);
        match next {
            Some(next) => last.joined(L::load(next), words).stream(border),
            None => last.joined(last, words).store_part(0..words, border),
        }
    }
}
