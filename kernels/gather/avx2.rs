//! `gather` with 32-byte vectors, two to a line. Cells of 4, 8 and 16 bytes by masked loads, which
//! leave out what is not a cell, and permutes of four-byte pieces; what a permute has nothing for
//! takes a zero. Every second cell of four bytes:
//!
//! ```text
//!   src    0 . 1 . 2 . 3 . | 4 . 5 . 6 . 7 .        half a line, two masked loads
//!          0 1 2 3 - - - -    - - - - 4 5 6 7       a permute each
//!                  0 1 2 3 4 5 6 7                  or'ed
//! ```
//!
//! Smaller cells are picked in `avx2_bytes`.

use core::arch::x86_64::{
    __m256i, _mm256_loadu_si256, _mm256_maskload_epi32, _mm256_or_si256,
    _mm256_permutevar8x32_epi32, _mm256_setzero_si256, _mm256_storeu_si256, _mm256_stream_si256,
};
use core::ops::Range;

use super::avx2_bytes::Shuffled;
use super::avx2_short;
use super::coming::Coming;
use super::pick::{Joint, Line, Pick, cells};
use super::stream::stream;
use super::walk::walk;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel, SourceGaps};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Bytes of a vector: half a line.
pub(super) const HALF: usize = LINE / 2;

/// Two vectors: a line.
#[derive(Clone, Copy)]
pub(crate) struct Two(pub(crate) [__m256i; 2]);

impl Line for Two {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        let from = from.cast::<__m256i>();
        // SAFETY: range: the two halves of a line, passed on; ISA: passed on.
        unsafe { Self([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))]) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        let to = to.cast::<__m256i>();
        // SAFETY: range: the two halves of a line, passed on; ISA: passed on.
        unsafe {
            _mm256_storeu_si256(to, self.0[0]);
            _mm256_storeu_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        let to = to.cast::<__m256i>();
        // SAFETY: range: the two halves of a line, passed on; alignment: it starts a line; ISA:
        // passed on.
        unsafe {
            _mm256_stream_si256(to, self.0[0]);
            _mm256_stream_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_part(self, bytes: Range<usize>, to: *mut u8) {
        let mut line = Joint([0; LINE]);
        // SAFETY: range: a line of this function's own, and the caller's bytes; ISA: passed on.
        unsafe {
            self.store(line.0.as_mut_ptr());
            let from = line.0.as_ptr().add(bytes.start);
            core::ptr::copy_nonoverlapping(from, to.add(bytes.start), bytes.len());
        }
    }

    #[inline(always)]
    unsafe fn only(self, bytes: Range<usize>) -> Self {
        let mut line = Joint([0; LINE]);
        // SAFETY: range: a line of this function's own; ISA: passed on.
        unsafe {
            self.store_part(bytes, line.0.as_mut_ptr());
            Self::load(line.0.as_ptr())
        }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        // SAFETY: ISA: passed on.
        unsafe { Self([_mm256_or_si256(a, c), _mm256_or_si256(b, d)]) }
    }
}

/// Half a line of cells of four bytes and more, from `V` vectors.
#[derive(Clone, Copy)]
struct Masked<const CELL: usize, const V: usize> {
    step: isize,
    coming: Coming,
    /// Bytes from the cell of the first lane to the first vector.
    base: isize,
    masks: [__m256i; V],
    index: [__m256i; V],
}

impl<const CELL: usize, const V: usize> Masked<CELL, V> {
    const UP: &Words<V> = &Words::new(CELL, false);
    const DOWN: &Words<V> = &Words::new(CELL, true);

    /// For the cells of a panel, which are `V` cells apart.
    ///
    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn new(panel: &Panel<'_>) -> Self {
        let step = panel.src.step;
        // Those without gaps are not loaded under masks.
        let coming = if V == 1 {
            Coming::NOTHING
        } else {
            Coming::of(panel)
        };
        let words = if step < 0 { Self::DOWN } else { Self::UP };
        // SAFETY: ISA: passed on.
        let mut this = unsafe {
            Self {
                step,
                coming,
                base: words.base,
                masks: [_mm256_setzero_si256(); V],
                index: [_mm256_setzero_si256(); V],
            }
        };
        for v in 0..V {
            // SAFETY: range: vectors of the tables; ISA: passed on.
            unsafe {
                this.masks[v] = _mm256_loadu_si256(words.masks[v].as_ptr().cast());
                this.index[v] = _mm256_loadu_si256(words.index[v].as_ptr().cast());
            }
        }
        this
    }

    /// # Safety
    /// - Range: the cells of half a line can be read.
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn half(self, src: *const u8) -> __m256i {
        let base = src.wrapping_offset(self.base);
        // SAFETY: range: masked-out words are not accessed, the others are of cells, and without
        // gaps all are; ISA: passed on.
        unsafe {
            let mut half = _mm256_setzero_si256();
            for v in 0..V {
                let from = base.wrapping_add(v * HALF);
                let some = if V == 1 {
                    _mm256_loadu_si256(from.cast())
                } else {
                    _mm256_maskload_epi32(from.cast(), self.masks[v])
                };
                let some = _mm256_permutevar8x32_epi32(some, self.index[v]);
                half = if v == 0 {
                    some
                } else {
                    _mm256_or_si256(half, some)
                };
            }
            half
        }
    }
}

/// Where the words of half a line stand in `V` vectors of the source.
struct Words<const V: usize> {
    /// Bytes from the cell of the first lane to the first vector.
    base: isize,
    /// All ones for each word that is of a cell.
    masks: [[u32; 8]; V],
    /// Which of them go where.
    index: [[u32; 8]; V],
}

impl<const V: usize> Words<V> {
    /// For cells of `cell` bytes, `V` cells apart, up or down.
    const fn new(cell: usize, down: bool) -> Self {
        let distance = (V * cell) as isize;
        let step = if down { -distance } else { distance };
        // Downwards, the window ends where the cell of the first lane does.
        let first = if down { (V * HALF - cell) as isize } else { 0 };
        let (mut masks, mut index) = ([[0; 8]; V], [[8; 8]; V]);
        let mut to = 0;
        while to < 8 {
            let at = (first + (to * 4 / cell) as isize * step) as usize + to * 4 % cell;
            masks[at / HALF][at % HALF / 4] = !0;
            index[at / HALF][to] = (at % HALF / 4) as u32;
            to += 1;
        }
        let mut v = 0;
        while v < V {
            // A word that is not loaded, if there is one: then every vector has one.
            let mut nothing = 0;
            while nothing < 7 && masks[v][nothing] != 0 {
                nothing += 1;
            }
            to = 0;
            while to < 8 {
                if index[v][to] == 8 {
                    index[v][to] = nothing as u32;
                }
                to += 1;
            }
            v += 1;
        }
        Self {
            base: -first,
            masks,
            index,
        }
    }
}

impl<const CELL: usize, const V: usize> Pick for Masked<CELL, V> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    const BY_CELL: bool = true;
    type Line = Two;

    #[inline(always)]
    fn ending(self) -> Self {
        let coming = self.coming.ending();
        Self { coming, ..self }
    }

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> Two {
        let second = src.wrapping_offset((HALF / CELL) as isize * self.step);
        // Downwards, the second half lies below the first.
        let low = if self.step < 0 { second } else { src };
        self.coming.ask(low.wrapping_offset(self.base), V);
        // SAFETY: range: the cells of all lanes; ISA: passed on.
        unsafe { Two([self.half(src), self.half(second)]) }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> Two {
        // SAFETY: passed on.
        unsafe { cells::<Two, CELL>(src, self.step, lanes) }
    }
}

/// The cells that a step is at most.
const MOST: usize = 4;

/// Bytes between cells of four bytes and more in the caches: every third f32 1.1 times as fast as cell
/// by cell, every fourth 0.9. Smaller cells gain at all steps.
const NEAR: usize = 12;

/// Bytes between cells around the caches: as with AVX-512.
const FAR: usize = 32;

/// Whether the gaps of cells this far apart may be read, or there are none, or masks leave them out, in rows of a line and
/// more.
fn takes<const CELL: usize>(ask: &Ask, bytes: usize) -> bool {
    let step = ask.src_step.unsigned_abs();
    let near = step.is_multiple_of(CELL) && (1..=MOST).contains(&(step / CELL));
    let pays = step == CELL || CELL < 4 || step <= bytes;
    let gaps = step == CELL || CELL >= 4 || ask.gaps == SourceGaps::Readable;
    near && pays && gaps && ask.cols >= LINE / CELL
}

/// Moves a panel, around the caches if `STREAM`; the source of the next one, if there is one, lies `next` bytes on.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits, and the guard of its task if
/// lines are streamed; AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn moved<const STREAM: bool>(panel: &Panel<'_>, pick: impl Pick, next: Option<isize>) {
    // SAFETY: passed on.
    unsafe {
        if STREAM {
            stream(panel, pick, next);
        } else {
            walk(panel, pick);
        }
    }
}

/// Settles how cells of the panel's step are picked.
///
/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn by_step<const CELL: usize, const STREAM: bool>(panel: &Panel<'_>, next: Option<isize>) {
    let step = panel.src.step;
    // SAFETY: passed on: each pick is for this step; those that read gaps are for cells whose rows
    // are taken only where that is allowed.
    unsafe {
        match (CELL, step.unsigned_abs() / CELL) {
            (..4, 1) => moved::<STREAM>(panel, Shuffled::<CELL, 1>::new(step), next),
            (..4, 2) => moved::<STREAM>(panel, Shuffled::<CELL, 2>::new(step), next),
            (..4, 3) => moved::<STREAM>(panel, Shuffled::<CELL, 3>::new(step), next),
            (..4, _) => moved::<STREAM>(panel, Shuffled::<CELL, 4>::new(step), next),
            (_, 1) => moved::<STREAM>(panel, Masked::<CELL, 1>::new(panel), next),
            (_, 2) => moved::<STREAM>(panel, Masked::<CELL, 2>::new(panel), next),
            (_, 3) => moved::<STREAM>(panel, Masked::<CELL, 3>::new(panel), next),
            (_, _) => moved::<STREAM>(panel, Masked::<CELL, 4>::new(panel), next),
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn cached<const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe {
        if avx2_short::is_short::<CELL>(panel.cols) {
            avx2_short::short::<CELL>(panel);
        } else {
            by_step::<CELL, false>(panel, None);
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn streamed<const CELL: usize>(panel: &Panel<'_>, guard: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { by_step::<CELL, true>(panel, guard.next()) }
}

/// The two rows of a cell size.
macro_rules! rows {
    ($($cell:literal, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("gather-", $cell, "-avx2-1x", $lanes),
                family: Family::Gather,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx2,
                tile: Tile { rows: 1, cols: $lanes },
                needs: |ask| takes::<$cell>(ask, NEAR) || avx2_short::takes::<$cell>(ask),
                call: Call::Cached(cached::<$cell>),
            },
            Row {
                name: concat!("gather-", $cell, "-avx2-2x", $lanes),
                family: Family::Gather,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx2,
                tile: Tile { rows: 2, cols: $lanes },
                needs: |ask| takes::<$cell>(ask, FAR),
                call: Call::Streaming {
                    call: streamed::<$cell>,
                    scratch: |_| 0,
                },
            },
        )*]
    };
}

pub(super) static ROWS: &[Row] = rows!(1, 64; 2, 32; 4, 16; 8, 8; 16, 4);
