//! Short runs around the caches: where the runs of the destination follow each other
//! without a gap, all of them together fill every line from the first to the last.
//!
//! A file of its own because nothing is streamed from the source: some runs at a time are moved, as
//! through the caches, to a stage in the first-level cache, which lies to lines as the destination does,
//! and whole lines go from there around the caches. What is left of a line is moved to the start of the
//! stage:
//!
//! ```text
//!   dst           | run 0 | run 1 | run 2 | run 3 | run 4 | ..
//!   lines    |        0        |        1        |        2        |
//!                 cached            streamed          in the stage until the next runs
//! ```

use core::mem::MaybeUninit;

use super::ahead::Ahead;
use super::line::{self, Line};
use crate::cpu::{by_amd, zen4};
use crate::panel::{LINE, PAGE, Panel, Rows, Side};

/// Bytes of runs that are staged at a time. 48 MiB, milliseconds with 2, 4 and 8 KiB: 20 bytes of 32, 8.2,
/// 7.4, 8.1; 48 of 64, 6.6, 5.6, 6.5; 7 of 8, 7.6, 7.6, 8.4.
const PIECE: usize = PAGE - LINE;

/// Panels of fewer bytes go through the caches: *guess*, their first and their last line do anyway.
const LEAST: usize = 8 * LINE;

/// A piece, and what is left of a line before it: a page, since a store that crosses the end of one waits for all
/// stores around the caches before it ([`crate::stage`]). Of the roof, anywhere and so, 16 MB, Zen 4: 20 bytes of 32,
/// 0.46 and 0.57; 40 of 41, 0.59 and 0.79; 65 of 66, 0.55 and 0.91; 100 of 200, 0.47 and 0.52.
#[repr(align(4096))]
struct Stage([MaybeUninit<u8>; PAGE]);

/// Whether the runs of a panel follow each other in the destination and are some lines together.
#[inline(always)]
fn takes(panel: &Panel<'_>) -> bool {
    panel.dst.rows.follow(panel.cols) && panel.rows * panel.cols >= LEAST
}

/// The longest runs that may be read in one piece.
const LONG: usize = 160;

/// Whether longer ones are not, nearly.
fn is_far(bytes: usize, stride: usize) -> bool {
    stride / 4 >= bytes.div_ceil(3)
}

/// Whether runs of a line and more, which [`stream`](super::stream) can move as well, are better off in a stage where
/// lines of two runs are put together in memory, or they follow each other and have a few lines at most, fewer on
/// other cores than AMD's. There, to join a line `waits`, being a store and a load, or loads from all over a page
/// wait for stores around the caches as [`resonance`](super::resonance) says.
///
/// Nanoseconds a run without and with a stage, 65536 of them, Zen 3 with AVX2: 64 bytes every 4, 11.6 and 3.7;
/// of 128, 15.8 and 4.5; of 256, 51.7 and 11.7; 128 of 256, 24.7 and 18.7; of 512, 60 and 35; but 256 of 512, 50 and
/// 59. Of memcpy, 72 of 80, 0.20 and 0.55; 100 of 200, 0.47 and 0.58.
///
/// Of the roof, Zen 4 with AVX-512, before [all lines of runs](pays_on_zen4) were asked for, 4 to 64 MiB: 64 bytes every
/// 4, 0.85 and 2.65; of 68, 0.45 and 0.82; of 80, 0.35 and 0.88; of 128, 0.27 to 0.47 and 0.36 to 0.73; of 256, 0.25 to
/// 0.52 and 0.42; 72 of 80, 0.72 and 0.93; 100 of 200, 0.30 and 0.51; 128 of 160, 0.42 and 0.64; of 512, 0.09 to 0.17 and
/// 0.29 to 0.43. But 128 of 256, every other pair of lines, 0.55 to 0.97 and 0.45 to 0.6.
///
/// Longer ones, 14 to 20 MiB and 122: with AVX-512, 140 of 150, 0.77 and 0.88; 150 of 256, 0.46 and 0.76; 160 of 200
/// 0.53 and 0.83; of 1000, 0.17 and 0.27; 220 of 300, 0.54 and 0.70, 0.48 and 0.85; but those that are read almost in
/// one piece, 180 of 190, 1.04 and 0.82; 200 of 256, 1.00 and 0.85; 255 of 256, 1.33 and 1.07; and whole lines, 256 of
/// 512, 0.36 and 0.32. With AVX2 these as well, 180 of 190, 0.61 and 0.89; 200 of 256, 0.53 and 0.84; 255 of 256,
/// 0.60 and 0.98; but 260 of 512, 0.44 and 0.31.
///
/// Xeon with AVX-512, 16 MiB and 64: 64 bytes of 68, 0.60 and 0.77, 0.68 and 0.75; of 128, 0.55 and 0.61, 0.47 and 0.51; of
/// 256, 0.42 and 0.48, 0.41 and 0.46; 72 of 80, 0.57 and 0.72, 0.63 and 0.69; 100 of 400, 0.34 and 0.56, 0.25 and 0.46; 255
/// of 512, 0.73 and 0.77, 0.45 and 0.64; but 180 of 190, 0.92 and 0.80; 200 of 256, 0.84 and 0.74, 0.78 and 0.71; and whole
/// lines, 192 of 384, 0.80 and 0.72, 0.72 and 0.65, 128 of 512 in panels of 16 runs 0.63 and 0.43.
#[inline(always)]
pub(super) fn takes_lines(panel: &Panel<'_>, waits: bool) -> bool {
    /// [`LONG`] on other than AMD's cores.
    const LONG_ELSEWHERE: usize = 2 * LINE - 1;
    /// The longest of all.
    const LONGEST: usize = 4 * LINE - 1;
    let bytes = panel.cols;
    let stride = match panel.src.rows {
        Rows::Stride(stride) => Some(stride.unsigned_abs()),
        _ => None,
    };
    if let (true, Some(stride)) = (zen4(), stride) {
        return pays_on_zen4(bytes, stride, waits) && takes(panel);
    }
    let every_other_pair = bytes == 2 * LINE && stride == Some(4 * LINE);
    let far = || stride.is_some_and(|stride| is_far(bytes, stride));
    let apart = || stride.is_some_and(|stride| stride > 2 * bytes) && !bytes.is_multiple_of(LINE);
    let few = if waits || by_amd() {
        bytes <= LONG || bytes <= LONGEST && (waits || far())
    } else {
        bytes <= LONG_ELSEWHERE || bytes <= LONGEST && apart()
    };
    few && !every_other_pair && takes(panel)
}

/// Whether a stage pays on Zen 4, where [all lines of runs are asked for](super::ahead), of runs so far apart.
///
/// Of the roof, without and with, AVX-512, and AVX2, 33.5 MB, after all had been flushed: whole lines, 128 bytes of 256
/// 0.98 and 1.16, 0.88 and 1.16; 256 of 272 0.60 and 1.10, 0.60 and 1.16; 256 of 512 0.31 and 0.56, 0.32 and 0.57; 384 of
/// 768 0.59 and 0.71, 0.53 and 0.65; 448 of 2048 0.51 and 0.91, 0.56 and 0.79; but 512 of 1024 0.61 and 0.56; 1024 of
/// 4096 1.30 and 0.90. Others, 280 of 400 0.43 and 0.84, 0.48 and 0.88; 300 of 1200 0.26 and 0.72, 0.30 and 0.86; 440 of
/// 4096 0.28 and 0.79, 0.44 and 0.68; 508 of 800 0.40 and 0.67, 0.41 and 0.66; 1000 of 2000 0.45 and 0.59, but 0.67 and
/// 0.64; those that are read almost in one piece, 300 of 312 1.24 and 1.08, but 1.06 and 1.16; 400 of 420 1.21 and 1.02,
/// but 1.11 and 1.16. At few places of a page, 256 of 1024 0.69 and 0.46; 440 of 1024 0.29 and 0.45, but 0.53 and 0.40.
fn pays_on_zen4(bytes: usize, stride: usize, waits: bool) -> bool {
    /// Bytes from one run to the next where lines lie at few places of a page, and of runs that gain all the same.
    const FEW_PLACES: usize = PAGE / 4;
    const SHORT: usize = 4 * LINE - 1;
    let whole = bytes.is_multiple_of(LINE);
    let longest = match (whole, waits) {
        (true, _) => 8 * LINE - 1,
        (false, true) => 9 * LINE,
        (false, false) => 16 * LINE,
    };
    // One run again and again was not asked.
    let few_places = matches!(stride, 0 | FEW_PLACES);
    if !whole && !waits {
        bytes <= longest && (bytes <= LONG || is_far(bytes, stride))
    } else {
        bytes <= longest && (bytes <= SHORT || !few_places)
    }
}

/// Moves the runs of a panel around the caches if they follow each other in the destination, else
/// by `cached`, which takes any part of the panel. The source of the next panel, if there is one, lies `next` bytes on.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits whose runs are shorter than a piece;
/// the ISA of `L` is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn runs<L: Line>(
    panel: &Panel<'_>,
    next: Option<isize>,
    cached: unsafe fn(&Panel<'_>),
) {
    let bytes = panel.cols;
    if !takes(panel) {
        // SAFETY: passed on.
        return unsafe { cached(panel) };
    }
    let mut stage = Stage([MaybeUninit::uninit(); _]);
    let stage = stage.0.as_mut_ptr().cast::<u8>();
    let start = panel.dst.base;
    // Bytes of the first line that are not the panel's.
    let mut before = start.addr() % LINE;
    let mut filled = before;
    let mut line = start.wrapping_sub(before);
    let piece = PIECE / bytes;
    let ahead = Ahead::of(panel, next, piece);
    for r in (0..panel.rows).step_by(piece) {
        let runs = piece.min(panel.rows - r);
        let part = Panel {
            dst: Side {
                base: stage.wrapping_add(filled),
                rows: Rows::Stride(bytes as isize),
                step: 1,
            },
            ..panel.part(r..r + runs, 0..bytes)
        };
        // SAFETY: a part of the panel; range and aliasing: the stage has room for less than a line
        // and a piece, and no other reference; the rest is the contract.
        unsafe { cached(&part) };
        filled += runs * bytes;
        let mut from = stage.cast_const();
        if before > 0 && filled >= LINE {
            // SAFETY: range: the stage holds the panel's bytes of the first line, 1 to 63; aliasing:
            // the stage is no part of the destination; ISA: passed on.
            unsafe {
                let (from, to) = (from.wrapping_add(before), line.wrapping_add(before));
                line::piece(from, to, LINE - before);
            }
            before = 0;
            (from, line) = (from.wrapping_add(LINE), line.wrapping_add(LINE));
            filled -= LINE;
        }
        let mut ahead = ahead.piece(r, runs);
        for _ in 0..filled / LINE {
            ahead.line();
            // SAFETY: range: a line of the stage that has been written, and a line of the
            // destination all of whose bytes are the panel's; aliasing: each is written once;
            // alignment: the line starts one; ISA: passed on.
            unsafe { L::stream(from, line) };
            (from, line) = (from.wrapping_add(LINE), line.wrapping_add(LINE));
        }
        filled %= LINE;
        // SAFETY: range: less than a line at both ends of the stage, whose first `before` bytes
        // may never have been written and are not looked at; the two may be the same place.
        unsafe { core::ptr::copy(from, stage, filled) };
    }
    if filled > before {
        // SAFETY: range: what the stage holds of the last line; aliasing: that was not streamed;
        // ISA: passed on.
        unsafe {
            let (from, to) = (stage.wrapping_add(before), line.wrapping_add(before));
            line::piece(from, to, filled - before);
        }
    }
}
