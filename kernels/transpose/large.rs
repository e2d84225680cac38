//! How a streaming transposition moves cells of whole lines: runs, crossed.
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
//! A destination row starts anywhere within a line: the line that two of its runs share is joined in
//! a register. Its first and its last line, where it does not fill them, are written through the
//! caches, by whole words. Where it is not aligned to words either, runs are copied through the caches.

use super::line::Line;
use super::lines::{Addressing, LINE, Settled, settle};
use crate::isa::prefetch;
use crate::panel::Panel;

/// Source rows of a band, if runs are short: f32 ratios to the roof with eight, and with four:
/// 128-byte runs, 224x298 of them, 28 times: 0.96, 0.91; 64-byte runs, 480x32: 0.98, 0.97.
const SHORT_BAND: usize = 8;
/// The same if they are long: runs of 704 to 8576 bytes differ by less than the noise.
const BAND: usize = 4;
/// Bytes of a short run at most.
const SHORT: usize = 512;
/// Bytes between a load and the prefetch that goes before it: *guess*.
const AHEAD: usize = 512;

/// Moves a panel whose cells are whole lines.
///
/// # Safety
/// The contract of the crate, with a panel of the family whose cells are a multiple of 64 bytes,
/// while a guard is held; the ISA of the line is enabled where this is inlined.
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
        let band = if cell > SHORT { BAND } else { SHORT_BAND };
        for start in (0..cols).step_by(band) {
            let end = cols.min(start + band);
            for r in 0..rows {
                // SAFETY: shape: r is below rows.
                let to = unsafe { dst.row(r) };
                let phase = to.addr() % LINE;
                for c in start..end {
                    // SAFETY: shape: c is below cols; so is the column after it, if there is one.
                    let (from, next) = unsafe {
                        let from = src.row(c).wrapping_add(r * cell).cast_const();
                        let next = (c + 1 < cols)
                            .then(|| src.row(c + 1).wrapping_add(r * cell).cast_const());
                        (from, next)
                    };
                    let to = to.wrapping_add(c * cell);
                    // SAFETY: range and aliasing: run r of source row c is cell c of destination row
                    // r, and the run after it in the row, if there is one, is the next column's;
                    // alignment: where the phase is 0, lines start at lines, for the others see
                    // `shifted`; ISA: passed on.
                    unsafe {
                        if phase == 0 {
                            whole::<L>(from, to, cell);
                        } else if phase.is_multiple_of(L::WORD) {
                            shifted::<L>(from, next, to, cell, c == 0);
                        } else {
                            core::ptr::copy_nonoverlapping(from, to, cell);
                        }
                    }
                }
            }
        }
    }
}

/// Streams a run that starts at a line.
///
/// # Safety
/// - Range: `bytes`, a multiple of 64, can be read at `from` and written at `to`.
/// - Aliasing: the two do not overlap.
/// - Alignment: `to` starts a line.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn whole<L: Line>(from: *const u8, to: *mut u8, bytes: usize) {
    for byte in (0..bytes).step_by(LINE) {
        prefetch(from.wrapping_add(byte + AHEAD));
        // SAFETY: range: byte is the start of a line below bytes, a multiple of lines; the rest is
        // passed on.
        unsafe { L::load(from.wrapping_add(byte)).stream(to.wrapping_add(byte)) };
    }
}

/// Streams a run that starts within a line: its whole lines, and the line that it shares with `next`,
/// the run that follows it. The line that it shares with the run before is that one's; the `first`
/// run of a row writes its part of it through the caches, and the last one, which has no next, the
/// part of its last line.
///
/// # Safety
/// - Range: `bytes`, a multiple of 64, can be read at `from`, and at `next` where it is, and written at
///   `to`; where there is a next run, 64 more bytes can be written there.
/// - Aliasing: what is read and what is written do not overlap.
/// - Alignment: `to` is a multiple of 4, and not of 64.
/// - ISA: as [`Line`].
#[inline(always)]
unsafe fn shifted<L: Line>(
    from: *const u8,
    next: Option<*const u8>,
    to: *mut u8,
    bytes: usize,
    first: bool,
) {
    let phase = to.addr() % LINE;
    let (head, words) = (LINE - phase, phase / L::WORD);
    // SAFETY: range: the first line of the run, its lines from `head` on, of which the last begins
    // 64 bytes before its end or earlier, and its last line; the line that begins `phase` bytes
    // before the end is filled by the next run, or written up to the end; words is 1 to 15;
    // alignment: `head` bytes on starts a line; aliasing and ISA: passed on.
    unsafe {
        if first {
            let line = L::load(from);
            line.joined(line, words)
                .store_part(words..L::WORDS, to.wrapping_sub(phase));
        }
        for byte in (head..bytes - phase).step_by(LINE) {
            prefetch(from.wrapping_add(byte + AHEAD));
            L::load(from.wrapping_add(byte)).stream(to.wrapping_add(byte));
        }
        prefetch(from.wrapping_add(bytes + AHEAD));
        let last = L::load(from.wrapping_add(bytes - LINE));
        let border = to.wrapping_add(bytes - phase);
        match next {
            Some(next) => last.joined(L::load(next), words).stream(border),
            None => last.joined(last, words).store_part(0..words, border),
        }
    }
}
