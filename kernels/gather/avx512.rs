//! `gather` with 64-byte vectors: masked loads of the lines that hold the cells, and two-source
//! permutes. Every third cell of four bytes:
//!
//! ```text
//!   src   0 . . 1 . . 2 . . 3 . . 4 . . 5 | . . 6 . . 7 . . 8 . . 9 . . A . | . B . . C . . ..
//!         `------- masked load -------'   `-------- masked load -------'
//!                        `---- permute of the two ----'              permute of one
//!   line  0 1 2 3 4 5 6 7 8 9 A - - - - -          or          - - - - - - - - - - - B C D E F
//! ```
//!
//! Loads leave out what is not a cell, so gaps are not read, whatever the panel says of them, and
//! lanes that a permute has nothing for take one of the zeros.

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_maskz_mov_epi8, _mm512_or_si512, _mm512_permutex2var_epi16, _mm512_permutex2var_epi32,
    _mm512_permutexvar_epi16, _mm512_permutexvar_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_stream_si512,
};
use core::marker::PhantomData;
use core::ops::Range;

use super::avx512_short;
use super::coming::Coming;
use super::pick::{Line, Pick};
use super::places::{Places, bits};
use super::stream::stream;
use super::walk::walk;
use crate::cell::Fixed;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};
use crate::scalar::straight;

impl Line for __m512i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_stream_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn store_part(self, bytes: Range<usize>, to: *mut u8) {
        let mask = bits(bytes.start as isize, bytes.end as isize);
        // SAFETY: range: masked-out bytes are not accessed, the others are passed on; ISA: AVX-512
        // BW is.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask, self) }
    }

    #[inline(always)]
    unsafe fn only(self, bytes: Range<usize>) -> Self {
        let mask = bits(bytes.start as isize, bytes.end as isize);
        // SAFETY: ISA: AVX-512 BW, passed on.
        unsafe { _mm512_maskz_mov_epi8(mask, self) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_or_si512(self, other) }
    }
}

/// What permutes move: pieces of 1, 2 or 4 bytes.
pub(crate) trait Granule: Copy {
    /// Bytes of a piece.
    const BYTES: usize;

    /// The pieces of `from` that `index` names.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn one(from: __m512i, index: __m512i) -> __m512i;

    /// The pieces of two vectors that `index` names.
    ///
    /// # Safety
    /// - ISA: that of the file.
    unsafe fn two(low: __m512i, index: __m512i, high: __m512i) -> __m512i;
}

/// Pieces of four bytes.
#[derive(Clone, Copy)]
pub(crate) struct Words;

impl Granule for Words {
    const BYTES: usize = 4;

    #[inline(always)]
    unsafe fn one(from: __m512i, index: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutexvar_epi32(index, from) }
    }

    #[inline(always)]
    unsafe fn two(low: __m512i, index: __m512i, high: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutex2var_epi32(low, index, high) }
    }
}

/// Pieces of two bytes.
#[derive(Clone, Copy)]
pub(crate) struct Halves;

impl Granule for Halves {
    const BYTES: usize = 2;

    #[inline(always)]
    unsafe fn one(from: __m512i, index: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutexvar_epi16(index, from) }
    }

    #[inline(always)]
    unsafe fn two(low: __m512i, index: __m512i, high: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutex2var_epi16(low, index, high) }
    }
}

/// The bytes that `mask` names of the `v`th vector from `base` on, and zeros. A load of nothing would still wait for its
/// line.
///
/// # Safety
/// - Range: those bytes can be read; others are not accessed.
/// - ISA: AVX-512 BW is enabled where this is inlined.
#[inline(always)]
unsafe fn masked(base: *const u8, v: usize, mask: u64) -> __m512i {
    if mask == 0 {
        // SAFETY: ISA: passed on.
        return unsafe { _mm512_setzero_si512() };
    }
    // SAFETY: passed on.
    unsafe { _mm512_maskz_loadu_epi8(mask, base.wrapping_add(v * LINE).cast()) }
}

/// Picks from `V` vectors, in registers as far as there are enough. Whole loads where gaps may be read
/// are no faster: every second f32 of 64 MiB 0.81 of the roof both ways, 16 KiB of them 395 and 392
/// ns, every fourth 929 and 887.
#[derive(Clone, Copy)]
pub(crate) struct Shuffled<G, const CELL: usize, const V: usize> {
    places: &'static Places<V>,
    index: [__m512i; V],
    coming: Coming,
    granule: PhantomData<G>,
}

impl<G: Granule, const CELL: usize, const V: usize> Shuffled<G, CELL, V> {
    const UP: &Places<V> = &Places::new(CELL, G::BYTES, V, false);
    const DOWN: &Places<V> = &Places::new(CELL, G::BYTES, V, true);

    /// For the cells of a panel, which are `V` cells apart.
    ///
    /// # Safety
    /// - ISA: AVX-512 F is enabled where this is inlined.
    #[inline(always)]
    pub(crate) unsafe fn new(panel: &Panel<'_>) -> Self {
        let down = panel.src.step < 0;
        let places = if down { Self::DOWN } else { Self::UP };
        // Those without gaps are not loaded under masks.
        let coming = if V == 1 {
            Coming::NOTHING
        } else {
            Coming::of(panel)
        };
        // SAFETY: range: a vector of the table; ISA: passed on.
        let index = [(); V].map(|()| unsafe { _mm512_setzero_si512() });
        let mut this = Self {
            places,
            index,
            coming,
            granule: PhantomData,
        };
        for pair in 0..V.div_ceil(2) {
            // SAFETY: range: a vector of the table; ISA: passed on.
            this.index[pair] = unsafe { _mm512_loadu_si512(places.index[pair].as_ptr().cast()) };
        }
        this
    }

    /// [`Places::masks`] of the cells of these lanes.
    #[inline(always)]
    pub(super) fn masks(self, lanes: &Range<usize>) -> [u64; V] {
        self.places.masks(CELL, lanes)
    }

    /// The line whose pieces stand where `masks` say.
    ///
    /// # Safety
    /// - Range: the bytes that `masks` name can be read in the vectors of the cell at `src`.
    /// - ISA: that of the granule, and AVX-512 BW.
    #[inline(always)]
    pub(super) unsafe fn pick(self, src: *const u8, masks: [u64; V]) -> __m512i {
        let base = src.wrapping_offset(self.places.base);
        // SAFETY: range: passed on, other bytes are not accessed; ISA: passed on.
        unsafe {
            let mut line = _mm512_setzero_si512();
            for pair in 0..V.div_ceil(2) {
                let (v, index) = (2 * pair, self.index[pair]);
                let low = masked(base, v, masks[v]);
                let some = if v + 1 < V {
                    G::two(low, index, masked(base, v + 1, masks[v + 1]))
                } else {
                    G::one(low, index)
                };
                line = if pair == 0 { some } else { line.or(some) };
            }
            line
        }
    }
}

impl<G: Granule, const CELL: usize, const V: usize> Pick for Shuffled<G, CELL, V> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = __m512i;

    #[inline(always)]
    fn ending(self) -> Self {
        let coming = self.coming.ending();
        Self { coming, ..self }
    }

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> __m512i {
        let base = src.wrapping_offset(self.places.base);
        if V == 1 {
            // SAFETY: range: a vector without gaps; ISA: passed on.
            return unsafe { G::one(_mm512_loadu_si512(base.cast()), self.index[0]) };
        }
        self.coming.ask(base, V);
        // SAFETY: range: the cells of all lanes; ISA: passed on.
        unsafe { self.pick(src, self.places.cells) }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> __m512i {
        // SAFETY: range: the cells of those lanes; ISA: passed on.
        unsafe { self.pick(src, self.masks(&lanes)) }
    }
}

/// The most vectors that a line is picked from.
pub(crate) const MOST: usize = 16;

/// Cells that a panel has before it is worth a table that is made for it: *guess*.
pub(crate) const TABLE: usize = 2048;

/// Picks from more vectors, a pair after the other.
#[derive(Clone, Copy)]
pub(crate) struct Many<'a, G, const CELL: usize> {
    places: &'a Places<MOST>,
    vectors: usize,
    coming: Coming,
    granule: PhantomData<G>,
}

impl<'a, G: Granule, const CELL: usize> Many<'a, G, CELL> {
    /// For the cells of a panel, whose places of a line in this many vectors are these.
    #[inline(always)]
    pub(crate) fn new(panel: &Panel<'_>, places: &'a Places<MOST>, vectors: usize) -> Self {
        Self {
            places,
            vectors,
            coming: Coming::of(panel),
            granule: PhantomData,
        }
    }

    /// # Safety
    /// - Range: the cells in the bytes of `reach` can be read in the vectors from `base` on.
    /// - ISA: that of the granule, and AVX-512 BW.
    #[inline(always)]
    unsafe fn pick(self, base: *const u8, reach: (isize, isize)) -> __m512i {
        // SAFETY: range: cells within reach, other bytes are not accessed; vectors is at most what
        // the tables hold, and cells of vectors beyond are none; ISA: passed on.
        unsafe {
            let mut line = _mm512_setzero_si512();
            for pair in 0..self.vectors.div_ceil(2) {
                let (low, high) = (2 * pair, 2 * pair + 1);
                let index = _mm512_loadu_si512(self.places.index[pair].as_ptr().cast());
                let low = masked(base, low, self.places.within(low, reach));
                let high = masked(base, high, self.places.within(high, reach));
                line = line.or(G::two(low, index, high));
            }
            line
        }
    }
}

impl<G: Granule, const CELL: usize> Pick for Many<'_, G, CELL> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = __m512i;

    #[inline(always)]
    fn ending(self) -> Self {
        let coming = self.coming.ending();
        Self { coming, ..self }
    }

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> __m512i {
        let base = src.wrapping_offset(self.places.base);
        self.coming.ask(base, self.vectors);
        // SAFETY: range: the cells of all lanes; ISA: passed on.
        unsafe { self.pick(base, (0, (MOST * LINE) as isize)) }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> __m512i {
        let base = src.wrapping_offset(self.places.base);
        // SAFETY: range: the cells of those lanes; ISA: passed on.
        unsafe { self.pick(base, self.places.reach(CELL, &lanes)) }
    }
}

/// What is done with a pick, once the step has decided which.
pub(crate) trait Picked {
    /// # Safety
    /// The contract of the crate, with a panel of the family whose step `pick` is for; the ISA of
    /// `pick` is enabled where this is inlined.
    unsafe fn with(self, pick: impl Pick);
}

/// Moves a panel through the caches.
pub(crate) struct Cached<'a, 'p>(pub(crate) &'a Panel<'p>);

impl Picked for Cached<'_, '_> {
    #[inline(always)]
    unsafe fn with(self, pick: impl Pick) {
        // SAFETY: passed on.
        unsafe { walk(self.0, pick) }
    }
}

/// Moves a panel around them; the source of the next one, if there is one, lies so many bytes on.
pub(crate) struct Streamed<'a, 'p>(pub(crate) &'a Panel<'p>, pub(crate) Option<isize>);

impl Picked for Streamed<'_, '_> {
    #[inline(always)]
    unsafe fn with(self, pick: impl Pick) {
        // SAFETY: passed on.
        unsafe { stream(self.0, pick, self.1) }
    }
}

/// Settles how cells of this step are picked.
///
/// # Safety
/// As [`Picked::with`], for the panel, whose step [`picks`] admits; AVX-512 F and BW and the ISA of the granule
/// are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn by_step<G: Granule, const CELL: usize>(panel: &Panel<'_>, then: impl Picked) {
    let step = panel.src.step;
    let cells = step.unsigned_abs() / CELL;
    // SAFETY: passed on: each pick is for this step.
    unsafe {
        match cells {
            1 => then.with(Shuffled::<G, CELL, 1>::new(panel)),
            2 => then.with(Shuffled::<G, CELL, 2>::new(panel)),
            3 => then.with(Shuffled::<G, CELL, 3>::new(panel)),
            4 => then.with(Shuffled::<G, CELL, 4>::new(panel)),
            _ if panel.rows * panel.cols < TABLE => {
                straight(panel, Fixed::<CELL>, step, CELL as isize);
            }
            _ => {
                let places = &Places::new(CELL, G::BYTES, cells, step < 0);
                then.with(Many::<G, CELL>::new(panel, places, cells));
            }
        }
    }
}

/// Moves a panel through the caches.
///
/// # Safety
/// As [`by_step`], with a panel that [`near`] admits.
#[inline(always)]
pub(super) unsafe fn through<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on.
    unsafe {
        if avx512_short::is_short::<CELL>(panel.cols) {
            avx512_short::short::<G, CELL>(panel);
        } else {
            by_step::<G, CELL>(panel, Cached(panel));
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { through::<G, CELL>(panel) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn streamed<G: Granule, const CELL: usize>(panel: &Panel<'_>, guard: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { by_step::<G, CELL>(panel, Streamed(panel, guard.next())) }
}

/// Whether lines of cells this far apart are picked from vectors, or spread over them, if they are at
/// most so many bytes apart.
pub(crate) fn picks<const CELL: usize>(step: isize, bytes: usize) -> bool {
    let step = step.unsigned_abs();
    let near = step <= bytes && (CELL..=MOST * CELL).contains(&step);
    near && step.is_multiple_of(CELL)
}

/// Bytes between cells in the caches: every second f32 2.1 times as fast as cell by cell, every
/// fourth 1.1, every eighth 0.8; every eighth u8 1.6. Sources beyond the first-level cache are bound
/// by their lines.
const NEAR: usize = 16;

/// Bytes between cells around the caches: every fourth f32 1.15 times as fast as cell by cell, every
/// eighth 1.12, every sixteenth 0.93.
const FAR: usize = 32;

/// Rows of a line and more, and shorter ones that have a walk of their own.
pub(super) fn near<const CELL: usize>(ask: &Ask) -> bool {
    picks::<CELL>(ask.src_step, NEAR)
        && (ask.cols >= LINE / CELL || avx512_short::takes::<CELL>(ask.src_step, ask.cols))
}

/// Rows of a line and more.
pub(super) fn far<const CELL: usize>(ask: &Ask) -> bool {
    picks::<CELL>(ask.src_step, FAR) && ask.cols >= LINE / CELL
}

/// The two rows of a cell size.
macro_rules! rows {
    ($($cell:literal, $granule:ty, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("gather-", $cell, "-avx512-1x", $lanes),
                family: Family::Gather,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 1, cols: $lanes },
                needs: near::<$cell>,
                call: Call::Cached(cached::<$granule, $cell>),
            },
            Row {
                name: concat!("gather-", $cell, "-avx512-2x", $lanes),
                family: Family::Gather,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 2, cols: $lanes },
                needs: far::<$cell>,
                call: Call::Streaming {
                    call: streamed::<$granule, $cell>,
                    scratch: |_| 0,
                },
            },
        )*]
    };
}

pub(super) static ROWS: &[Row] = rows!(2, Halves, 32; 4, Words, 16; 8, Words, 8; 16, Words, 4);
