//! `scatter` with 64-byte vectors: permutes that give each cell its place, and masked stores that
//! write cells only. Every second cell of four bytes:
//!
//! ```text
//!   line   0 1 2 3 4 5 6 7 8 9 A B C D E F
//!          `---- permute --' `- permute ---'
//!   dst    0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 . | 8 . 9 . A . B . C . D . E . F .
//!          `------- masked store --------'   `------- masked store --------'
//! ```

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_setzero_si512,
};
use core::marker::PhantomData;
use core::ops::Range;

use super::spread::{Spread, walk};
use crate::cell::Fixed;
use crate::gather::avx512::{Granule, Halves, MOST, Shuffled, TABLE, Words, picks};
use crate::gather::coming::ComingRows;
use crate::gather::pick::Pick;
use crate::gather::places::{Places, bits};
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};
use crate::scalar::straight;

/// A line as it stands in the source.
#[derive(Clone, Copy)]
struct Contiguous<const CELL: usize>;

impl<const CELL: usize> Pick for Contiguous<CELL> {
    const CELL: usize = CELL;
    const BEYOND: bool = false;
    type Line = __m512i;

    #[inline(always)]
    unsafe fn whole(self, src: *const u8) -> __m512i {
        // SAFETY: range: a line of cells, passed on; ISA: passed on.
        unsafe { _mm512_loadu_si512(src.cast()) }
    }

    #[inline(always)]
    unsafe fn part(self, src: *const u8, lanes: Range<usize>) -> __m512i {
        let mask = bits((lanes.start * CELL) as isize, (lanes.end * CELL) as isize);
        // SAFETY: range: masked-out bytes are not accessed; ISA: passed on.
        unsafe { _mm512_maskz_loadu_epi8(mask, src.cast()) }
    }
}

/// Spreads over `V` vectors, in registers as far as there are enough.
#[derive(Clone, Copy)]
struct Over<G, const CELL: usize, const V: usize> {
    places: &'static Places<V>,
    index: [__m512i; V],
    granule: PhantomData<G>,
}

impl<G: Granule, const CELL: usize, const V: usize> Over<G, CELL, V> {
    const UP: &Places<V> = &Places::new(CELL, G::BYTES, V, false);
    const DOWN: &Places<V> = &Places::new(CELL, G::BYTES, V, true);
    const UP_INDEX: &[[u8; LINE]; V] = &Self::UP.spread(CELL, G::BYTES);
    const DOWN_INDEX: &[[u8; LINE]; V] = &Self::DOWN.spread(CELL, G::BYTES);

    /// For cells `V` cells apart in the direction of `step`.
    ///
    /// # Safety
    /// - ISA: AVX-512 F is enabled where this is inlined.
    #[inline(always)]
    unsafe fn new(step: isize) -> Self {
        let (places, tables) = if step < 0 {
            (Self::DOWN, Self::DOWN_INDEX)
        } else {
            (Self::UP, Self::UP_INDEX)
        };
        // SAFETY: ISA: passed on.
        let mut index = [unsafe { _mm512_setzero_si512() }; V];
        for (index, table) in index.iter_mut().zip(tables) {
            // SAFETY: range: a vector of the table; ISA: passed on.
            *index = unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
        }
        Self {
            places,
            index,
            granule: PhantomData,
        }
    }

    /// If `SOME`, vectors that the masks name nothing of are left out.
    ///
    /// # Safety
    /// - Range: what the masks name can be written in the vectors from that of `dst` on.
    /// - ISA: that of the granule, and AVX-512 BW.
    #[inline(always)]
    unsafe fn store<const SOME: bool>(self, line: __m512i, dst: *mut u8, masks: [u64; V]) {
        let base = dst.wrapping_offset(self.places.base);
        for (v, mask) in masks.into_iter().enumerate() {
            let to = base.wrapping_add(v * LINE).cast();
            if !SOME || mask != 0 {
                // SAFETY: range: masked-out bytes are not accessed, the others are the caller's; ISA: passed on.
                unsafe { _mm512_mask_storeu_epi8(to, mask, G::one(line, self.index[v])) };
            }
        }
    }
}

impl<G: Granule, const CELL: usize, const V: usize> Spread<__m512i> for Over<G, CELL, V> {
    #[inline(always)]
    unsafe fn part(self, line: __m512i, dst: *mut u8, lanes: Range<usize>) {
        // SAFETY: range: the cells of those lanes; ISA: passed on.
        unsafe { self.store::<true>(line, dst, self.places.masks(CELL, &lanes)) }
    }

    #[inline(always)]
    unsafe fn whole(self, line: __m512i, dst: *mut u8) {
        // SAFETY: range: the cells of all lanes; ISA: passed on.
        unsafe { self.store::<false>(line, dst, self.places.cells) }
    }
}

/// Spreads over more vectors, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct OverMany<'a, G, const CELL: usize> {
    places: &'a Places<MOST>,
    index: &'a [[u8; LINE]; MOST],
    vectors: usize,
    granule: PhantomData<G>,
}

impl<'a, G: Granule, const CELL: usize> OverMany<'a, G, CELL> {
    /// For the places of a line in this many vectors, with their [`Places::spread`].
    #[inline(always)]
    pub(crate) fn new(
        places: &'a Places<MOST>,
        index: &'a [[u8; LINE]; MOST],
        vectors: usize,
    ) -> Self {
        Self {
            places,
            index,
            vectors,
            granule: PhantomData,
        }
    }

    /// # Safety
    /// - Range: the cells within `reach` can be written in the vectors from that of `dst` on.
    /// - ISA: that of the granule, and AVX-512 BW.
    #[inline(always)]
    unsafe fn store(self, line: __m512i, dst: *mut u8, reach: (isize, isize)) {
        let base = dst.wrapping_offset(self.places.base);
        for v in 0..self.vectors {
            let mask = self.places.within(v, reach);
            let to = base.wrapping_add(v * LINE).cast();
            // SAFETY: range: masked-out bytes are not accessed, the others are the caller's; a
            // vector of the table; ISA: passed on.
            unsafe {
                let index = _mm512_loadu_si512(self.index[v].as_ptr().cast());
                _mm512_mask_storeu_epi8(to, mask, G::one(line, index));
            }
        }
    }
}

impl<G: Granule, const CELL: usize> Spread<__m512i> for OverMany<'_, G, CELL> {
    #[inline(always)]
    unsafe fn part(self, line: __m512i, dst: *mut u8, lanes: Range<usize>) {
        // SAFETY: range: the cells of those lanes; ISA: passed on.
        unsafe { self.store(line, dst, self.places.reach(CELL, &lanes)) }
    }

    #[inline(always)]
    unsafe fn whole(self, line: __m512i, dst: *mut u8) {
        // SAFETY: range: the cells of all lanes; ISA: passed on.
        unsafe { self.store(line, dst, (0, (MOST * LINE) as isize)) }
    }
}

/// Moves a panel whose lines are picked by `pick`.
///
/// # Safety
/// The contract of the crate, with a straight panel whose source step is that of `pick` and whose
/// destination step [`picks`] admits; AVX-512 F and BW and the ISA of the granule are enabled where
/// this is inlined.
#[inline(always)]
unsafe fn spread<G: Granule, P: Pick<Line = __m512i>, const CELL: usize>(
    panel: &Panel<'_>,
    pick: P,
) {
    let step = panel.dst.step;
    let cells = step.unsigned_abs() / CELL;
    // SAFETY: passed on: each spread is for this step.
    unsafe {
        match cells {
            2 => over(panel, pick, Over::<G, CELL, 2>::new(step)),
            3 => over(panel, pick, Over::<G, CELL, 3>::new(step)),
            4 => over(panel, pick, Over::<G, CELL, 4>::new(step)),
            _ if panel.rows * panel.cols < TABLE => {
                straight(panel, Fixed::<CELL>, panel.src.step, step);
            }
            _ => {
                let places = &Places::new(CELL, G::BYTES, cells, step < 0);
                let index = &places.spread(CELL, G::BYTES);
                walk(panel, pick, OverMany::<G, CELL>::new(places, index, cells));
            }
        }
    }
}

/// Moves a panel whose lines go to few vectors. Rows shorter than a line are stored under the same masks.
///
/// # Safety
/// As [`spread`], with the step of `over`.
#[inline(always)]
unsafe fn over<G: Granule, P: Pick<Line = __m512i>, const CELL: usize, const V: usize>(
    panel: &Panel<'_>,
    pick: P,
    over: Over<G, CELL, V>,
) {
    if panel.cols >= LINE / CELL {
        // SAFETY: passed on.
        return unsafe { walk(panel, pick, over) };
    }
    let coming = ComingRows::of(panel).beyond(LINE, LINE);
    let masks = over.places.masks(CELL, &(0..panel.cols));
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and so are those that come; range and aliasing: the cells of the row, others are
        // not accessed; ISA: passed on.
        unsafe {
            coming.ask(panel, r, |row| row);
            let line = pick.part(panel.src.cell(r, 0), 0..panel.cols);
            over.store::<true>(line, panel.dst.cell(r, 0), masks);
        }
    }
}

/// Moves a panel of contiguous or reversed source rows.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits; AVX-512 F and BW and the ISA of
/// the granule are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn scattered<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on: the source step is a cell in either direction.
    unsafe {
        if panel.src.step < 0 {
            let pick = Shuffled::<G, CELL, 1>::new(panel);
            spread::<G, _, CELL>(panel, pick);
        } else {
            spread::<G, _, CELL>(panel, Contiguous::<CELL>);
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { scattered::<G, CELL>(panel) }
}

/// Bytes between cells of the destination at most: every fourth u8 2.6 times as fast as cell by cell, every
/// eighth u16 0.4, of 4 KiB of them.
const NEAR: usize = 8;

/// The same where a line goes to four vectors and fewer, which have tables that stand ready. Times as fast
/// as cell by cell in the first-level cache and in the second: every second f64 1.5 and 1.1, every third
/// 0.9 and 1.0; every second f32 2.6 and 1.4, every third 1.8 and 1.1, every fourth 1.3 and 1.1. Out of
/// them all are bound by lines that are read and written back.
const FAR: usize = 16;

/// Cells of the shortest row, and bytes between its cells. Times as fast as cell by cell, 2000 cells in all (Xeon): to
/// every second, u8 8 2.5, 16 3.7, 32 6, 63 6; u16 8 2.3, 31 3.5; f32 8 2.2, 15 2.2; f64 4 0.9, 6 1.0; to every fourth, u8
/// 8 2.0, 31 3.3, u16 8 1.7, f32 12 1.2, 15 0.8. Rows of 6 far from each other, after all had been flushed, 0.8.
const SHORTEST: usize = 8;
const SHORT_NEAR: usize = 12;

/// Rows of a line and more, and shorter ones that masks stand ready for.
pub(super) fn takes<const CELL: usize>(ask: &Ask) -> bool {
    let most = NEAR.max(FAR.min(4 * CELL));
    let short = ask.cols >= SHORTEST && ask.dst_step.unsigned_abs() <= SHORT_NEAR.min(4 * CELL);
    picks::<CELL>(ask.dst_step, most) && (ask.cols >= LINE / CELL || short)
}

/// The row of a cell size.
macro_rules! rows {
    ($($cell:literal, $granule:ty, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("scatter-", $cell, "-avx512-1x", $lanes),
                family: Family::Scatter,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 1, cols: $lanes },
                needs: takes::<$cell>,
                call: Call::Cached(cached::<$granule, $cell>),
            },
        )*]
    };
}

pub(super) static ROWS: &[Row] = rows!(2, Halves, 32; 4, Words, 16; 8, Words, 8);
