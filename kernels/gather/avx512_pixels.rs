//! `gather` with AVX-512: pixels of three parts, a group of them at a time.
//!
//! A group is three lines of the destination, whatever becomes of the pixels on their way: a file of the name below says
//! from which bytes of the source, and in which order.
//!
//! ```text
//!   dst   r g b r g b ..   | line 1     | line 2     | the next group
//! ```
//!
//! A last group is moved back to overlap the one before it; fewer pixels than a group are moved under a mask. Streamed
//! lines start with the first pixel that starts a line, since three parts and a line have no common divisor but the
//! part; what is before and after them goes through the caches.

mod fourth;
mod paced;

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_permutex2var_epi8, _mm512_permutex2var_epi16, _mm512_permutex2var_epi32,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_stream_si512,
};

use super::coming::Coming;
use crate::cpu::in_one_sequence;
use crate::fence::StreamFence;
use crate::isa::{Isa, prefetch, prefetch_second};
use crate::panel::{LINE, Panel, reached};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

pub(crate) use fourth::moved;

use fourth::Fourth;
use paced::Paced;

/// Bytes between a load and the prefetch that goes before it, where lines are streamed. RGBA to RGB,
/// 56 MiB, huge pages, 2-core AVX-512 server VM, lines touched, ratio to the roof with 2, 4, 8 KiB and
/// without: u8 1.03, 1.04, 1.05, 0.95; f32 1.03, 1.05, 1.06, 0.99. Into the first-level cache where memory is best
/// moved [as one sequence](in_one_sequence); into the second one, into the first one and without, 48 MiB, Zen 4:
/// u8 0.74, 1.11, 1.02; u16 0.73, 1.06, 1.04; f32 0.80, 1.09, 0.99.
const AHEAD: isize = 4 << 10;

/// Places of parts: which part of two lines goes to each place of one.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Places([u8; LINE]);

/// Loads the bytes of a line that are in `mask`; the others are zeros. None is no load, which would still wait for its
/// line: 300 bytes of u8 from last to first 0.08 of the roof and, so, 0.57, every second pixel 0.06 and 0.16 (Zen 5).
///
/// # Safety
/// - Range: those bytes can be read.
/// - ISA: AVX-512 BW.
#[inline(always)]
unsafe fn load_some(mask: u64, at: *const u8) -> __m512i {
    // SAFETY: range: the bytes of the mask; ISA: the caller's.
    unsafe {
        if mask == 0 {
            _mm512_setzero_si512()
        } else {
            _mm512_maskz_loadu_epi8(mask, at.cast())
        }
    }
}

/// Parts of pixels.
trait Part: Copy {
    /// Bytes of a part.
    const BYTES: usize;
    /// Pixels of a group.
    const GROUP: usize = LINE / Self::BYTES;

    /// Parts of `a` and `b`.
    ///
    /// # Safety
    /// - ISA: what the rows of this part enable.
    unsafe fn place(places: &Places, a: __m512i, b: __m512i) -> __m512i;
}

/// Stamps one size of parts.
macro_rules! part {
    ($name:ident, $bytes:literal, $permute:ident) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Part for $name {
            const BYTES: usize = $bytes;

            #[inline(always)]
            unsafe fn place(places: &Places, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: range: a table is a line; ISA: the caller's.
                unsafe { $permute(a, _mm512_loadu_si512(places.0.as_ptr().cast()), b) }
            }
        }
    };
}

part!(One, 1, _mm512_permutex2var_epi8);
part!(Two, 2, _mm512_permutex2var_epi16);
part!(Four, 4, _mm512_permutex2var_epi32);

/// Where the pixels of a group stand in the source.
trait Source<P: Part>: Copy {
    /// Bytes from a pixel to the next one.
    const STEP: isize;
    /// Lines of a group.
    const LINES: usize;

    /// The three lines of the first `len` pixels of a group; what is behind them is any.
    ///
    /// # Safety
    /// - Range: the parts of `len` pixels that move can be read, the first of which is at `from`.
    /// - ISA: AVX-512 BW, and that of `P`.
    unsafe fn lines(from: *const u8, len: usize) -> [__m512i; 3];
}

/// Moves `len` pixels, fewer than a group, through the caches.
///
/// # Safety
/// The contract of the crate, for these pixels; ISA: as [`Source::lines`].
#[inline(always)]
unsafe fn part<P: Part, S: Source<P>>(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: range and aliasing: what is written are three parts for each pixel; ISA: passed on.
    unsafe {
        for (j, line) in S::lines(src, len).into_iter().enumerate() {
            let bytes = reached(len * 3 * P::BYTES, j);
            // A store of nothing still fetches its line, which may be one that is streamed.
            if bytes != 0 {
                _mm512_mask_storeu_epi8(dst.wrapping_add(j * LINE).cast(), bytes, line);
            }
        }
    }
}

/// Moves a row of `len` pixels through the caches. RGBA to RGB of the roof, what comes not asked for and asked for, 3 MB
/// of u8, after all had been flushed 0.65 and 0.81, 5 MB of f32 0.68 and 0.84; again and again nothing changes (Zen 5).
///
/// # Safety
/// As [`part`].
#[inline(always)]
unsafe fn cached<P: Part, S: Source<P>>(src: *const u8, dst: *mut u8, len: usize, coming: Coming) {
    if len < P::GROUP {
        // SAFETY: passed on.
        return unsafe { part::<P, S>(src, dst, len) };
    }
    let mut at = 0;
    loop {
        let to = dst.wrapping_add(at * 3 * P::BYTES);
        // SAFETY: range and aliasing: a group from pixel `at` on is in the row; ISA: passed on.
        unsafe {
            let from = src.wrapping_offset(at as isize * S::STEP);
            coming.ask(from, S::LINES);
            for (j, line) in S::lines(from, P::GROUP).into_iter().enumerate() {
                _mm512_storeu_si512(to.wrapping_add(j * LINE).cast(), line);
            }
        }
        if at + P::GROUP == len {
            return;
        }
        at = (at + P::GROUP).min(len - P::GROUP);
    }
}

/// Moves a row of `len` pixels around the caches, if its parts do not straddle lines.
///
/// # Safety
/// As [`part`]; the guard of the task is held.
#[inline(always)]
unsafe fn streamed<P: Part, S: Source<P>>(src: *const u8, dst: *mut u8, len: usize) {
    let bytes = dst.addr().wrapping_neg() % LINE;
    if !bytes.is_multiple_of(P::BYTES) {
        // SAFETY: passed on.
        return unsafe { cached::<P, S>(src, dst, len, Coming::NOTHING) };
    }
    // 3 * pixels = parts modulo a group, which is a power of two up to 64: 3 * 43 = 2 * 64 + 1.
    let head = (bytes / P::BYTES * 43 % P::GROUP).min(len);
    let groups = (len - head) / P::GROUP;
    let left = head + groups * P::GROUP;
    // SAFETY: range and aliasing: the head, the groups and what is left are the row's pixels, each
    // once; alignment: pixel `head` starts a line, and a group is three; ISA: passed on.
    unsafe {
        if head > 0 {
            part::<P, S>(src, dst, head);
        }
        let in_order = in_one_sequence();
        for i in 0..groups {
            let at = head + i * P::GROUP;
            let from = src.wrapping_offset(at as isize * S::STEP);
            let to = dst.wrapping_add(at * 3 * P::BYTES);
            for j in 0..S::LINES as isize {
                let line = from.wrapping_offset((AHEAD + j * LINE as isize) * S::STEP.signum());
                if in_order {
                    prefetch(line);
                } else {
                    prefetch_second(line);
                }
            }
            for (j, line) in S::lines(from, P::GROUP).into_iter().enumerate() {
                _mm512_stream_si512(to.wrapping_add(j * LINE).cast(), line);
            }
        }
        if left < len {
            let from = src.wrapping_offset(left as isize * S::STEP);
            part::<P, S>(from, dst.wrapping_add(left * 3 * P::BYTES), len - left);
        }
    }
}

/// Moves a panel of pixels from one source, through the caches or, where the guard of the task is held, around them.
///
/// # Safety
/// The contract of the crate, with a panel whose cells are pixels of `S`; ISA: as [`Source::lines`].
#[inline(always)]
unsafe fn all<P: Part, S: Source<P>, const STREAM: bool>(panel: &Panel<'_>) {
    let row = panel.cols * S::STEP.unsigned_abs();
    let coming = Coming::over(panel.rows * row, S::STEP.signum());
    for r in 0..panel.rows {
        // SAFETY: passed on; shape: r is below rows.
        unsafe {
            let (src, dst) = (panel.src_cell(r, 0), panel.dst_cell(r, 0));
            if STREAM {
                streamed::<P, S>(src, dst, panel.cols);
            } else {
                cached::<P, S>(src, dst, panel.cols, coming);
            }
        }
    }
}

/// Which pixels of the source are moved: as many bytes on are they.
fn steps<P: Part>() -> [isize; 3] {
    [
        <Fourth as Source<P>>::STEP,
        <Paced<-1> as Source<P>>::STEP,
        <Paced<2> as Source<P>>::STEP,
    ]
}

/// Moves a panel from the source that its step says.
///
/// # Safety
/// As [`all`], with a panel of pixels of `P` with one of the [`steps`].
#[inline(always)]
unsafe fn by_step<P: Part, const STREAM: bool>(panel: &Panel<'_>) {
    let [fourth, turned, _] = steps::<P>();
    let step = panel.src.step;
    // SAFETY: passed on; the step is that of the source.
    unsafe {
        if step == fourth {
            all::<P, Fourth, STREAM>(panel);
        } else if step == turned {
            all::<P, Paced<-1>, STREAM>(panel);
        } else {
            all::<P, Paced<2>, STREAM>(panel);
        }
    }
}

/// Stamps the functions of one size of parts, and gives the rows around them.
macro_rules! rows {
    ($part:ident, $isa:ident, $features:literal, $names:expr) => {{
        #[target_feature(enable = $features)]
        unsafe fn through(panel: &Panel<'_>) {
            // SAFETY: passed on, with a panel this row takes; ISA: enabled here.
            unsafe { by_step::<$part, false>(panel) }
        }
        #[target_feature(enable = $features)]
        unsafe fn around(panel: &Panel<'_>, _: &StreamFence<'_>) {
            // SAFETY: as above, and the guard of the task is held.
            unsafe { by_step::<$part, true>(panel) }
        }
        let scratch = |_: &Panel<'_>| 0;
        [
            row::<$part>($names[0], Isa::$isa, Call::Cached(through)),
            row::<$part>(
                $names[1],
                Isa::$isa,
                Call::Streaming {
                    call: around,
                    scratch,
                },
            ),
        ]
    }};
}

const fn row<P: Part>(name: &'static str, isa: Isa, call: Call) -> Row {
    let (needs, groups): (fn(&Ask) -> bool, usize) = match call {
        Call::Streaming { .. } => (
            |ask| steps::<P>().contains(&ask.src_step) && ask.cols * ask.cell >= 2 * LINE,
            2,
        ),
        _ => (|ask| steps::<P>().contains(&ask.src_step), 1),
    };
    Row {
        name,
        family: Family::Gather,
        cell: CellSize::Exact(3 * P::BYTES),
        isa,
        tile: Tile {
            rows: 1,
            cols: groups * P::GROUP,
        },
        needs,
        call,
    }
}

pub(super) static THREE: [Row; 2] = rows!(
    One,
    Avx512Vbmi,
    "avx512f,avx512bw,avx512vl,avx512vbmi",
    ["gather-3-avx512vbmi-1x64", "gather-3-avx512vbmi-1x128",]
);

pub(super) static SIX: [Row; 2] = rows!(
    Two,
    Avx512,
    "avx512f,avx512bw,avx512vl",
    ["gather-6-avx512-1x32", "gather-6-avx512-1x64",]
);

pub(super) static TWELVE: [Row; 2] = rows!(
    Four,
    Avx512,
    "avx512f,avx512bw,avx512vl",
    ["gather-12-avx512-1x16", "gather-12-avx512-1x32",]
);
