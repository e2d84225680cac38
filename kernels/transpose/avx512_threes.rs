//! `transpose` with AVX-512, cached and streaming: cells of 3 and 6 bytes, triples of bytes and pairs.
//!
//! Twelve bytes of each of four source rows (four cells of 3, two of 6) are loaded as sixteen, a quarter of a
//! register each, spread to cells of 4 or 8 bytes, transposed as those are, and closed up to twelve again. Three
//! lines are a whole number of cells, a *unit*: four such registers of a destination row are closed up to three
//! lines, as those of [12-byte cells](super::avx512_triples):
//!
//! ```text
//!   loaded        aaabbbcccddd---- eeefffggghhh---- ..     twelve bytes of rows 0, 4, 8, 12
//!   spread        aaa-bbb-ccc-ddd- eee-fff-ggg-hhh- ..
//!   transposed    aaa-iii-mmm-qqq- eee- ..                 the first cells of rows 0 to 3, 4 to 7, ..
//!   closed        aaaiiimmmqqq---- eee ..                  and, of four registers, to three lines
//! ```
//!
//! What is loaded beside the twelve are cells of the tile as well: bytes after them in its first rows, bytes
//! before them in the others. Streamed, the lines of a tile are joined with what a row [carries](super::bands).
//!
//! Of the roof on a 2-core AVX-512 server VM (Zen 4), the AVX2 tiles and these: 3 bytes 3840x2160 0.17 and 0.6,
//! 2000x2000 0.13 and 0.38, through the caches 256x256 0.22 and 0.32; 6 bytes 3000x4001 0.20 and 0.65, 2000x2000 0.19
//! and 0.66, through the caches 256x256 0.38 and 0.43.

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_broadcast_i32x4, _mm512_shuffle_epi8, _mm512_storeu_si512,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use super::avx512::transposed;
use super::avx512_cells_stream::Ones;
use super::avx512_quarters::quarters;
use super::avx512_triples::{closed_up, places};
use super::bands::{BandTile, bands};
use super::carry::Carry;
use super::lines::Lines;
use super::staged;
use super::stream::Out;
use super::triples::row;
use super::walk::{RegisterTile, walk};
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel};
use crate::row::{Call, Row};

/// Bytes of a quarter of a register that are cells.
const TWELVE: usize = 12;

/// Where the bytes of a quarter go, by their index; negative ones are zero.
#[repr(align(16))]
struct Places([i8; 16]);

impl Places {
    /// Cells of `cell` bytes, from `from` bytes on, to slots of four thirds of that.
    const fn spread(cell: usize, from: usize) -> Self {
        let mut all = [-1; 16];
        let mut i = 0;
        while i < TWELVE {
            all[i / cell * (cell / 3 * 4) + i % cell] = (from + i) as i8;
            i += 1;
        }
        Self(all)
    }

    /// And back to the start.
    const fn closed(cell: usize) -> Self {
        let mut all = [-1; 16];
        let mut i = 0;
        while i < TWELVE {
            all[i] = (i / cell * (cell / 3 * 4) + i % cell) as i8;
            i += 1;
        }
        Self(all)
    }
}

/// The bytes of each quarter at these places.
///
/// # Safety
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn picked(register: __m512i, places: &Places) -> __m512i {
    // SAFETY: range: places are 16 bytes; alignment: an unaligned load; ISA: the caller's.
    unsafe {
        let places = _mm_loadu_si128(places.0.as_ptr().cast());
        _mm512_shuffle_epi8(register, _mm512_broadcast_i32x4(places))
    }
}

/// Cells of which twelve bytes are `R`.
trait Triple<const R: usize>: Copy {
    /// Bytes of a cell.
    const BYTES: usize = TWELVE / R;
    /// How they are spread, from the start of a quarter and from 4 bytes on.
    const SPREAD: [Places; 2] = [
        Places::spread(Self::BYTES, 0),
        Places::spread(Self::BYTES, 4),
    ];
    /// How they are closed up.
    const CLOSED: Places = Places::closed(Self::BYTES);

    /// Transposes `R` slots of each of `4 * R` source rows; register `i` has those of rows `i`, `i + R` and so on.
    ///
    /// # Safety
    /// - ISA: AVX-512 F.
    unsafe fn transposed(rows: [__m512i; R]) -> [__m512i; R];
}

/// Cells of 3 bytes.
#[derive(Clone, Copy)]
struct Three;

impl Triple<4> for Three {
    #[inline(always)]
    unsafe fn transposed(rows: [__m512i; 4]) -> [__m512i; 4] {
        // SAFETY: passed on.
        unsafe { transposed(rows) }
    }
}

/// Cells of 6 bytes.
#[derive(Clone, Copy)]
struct Six;

impl Triple<2> for Six {
    #[inline(always)]
    unsafe fn transposed([a, b]: [__m512i; 2]) -> [__m512i; 2] {
        // SAFETY: ISA: the caller's; registers only.
        unsafe { [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)] }
    }
}

/// Twelve bytes of source rows `i`, `i + R` and so on, spread: the first of a tile or those after them.
///
/// # Safety
/// - Shape: the four lines exist.
/// - Range: 24 bytes can be read at each.
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn spread<T: Triple<R>, const R: usize>(src: impl Lines, i: usize, second: bool) -> __m512i {
    let (places, from) = if second {
        (const { &T::SPREAD[1] }, 8)
    } else {
        (const { &T::SPREAD[0] }, 0)
    };
    // SAFETY: range: bytes 0..16 or 8..24, of which those are twelve; the rest is passed on.
    unsafe { picked(quarters(src, i, R, from), places) }
}

/// The same of `4 * R` source rows from `first` on, a register of each destination row.
///
/// # Safety
/// As [`spread`].
#[inline(always)]
unsafe fn registers<T: Triple<R>, const R: usize>(
    src: impl Lines,
    first: usize,
    second: bool,
) -> [__m512i; R] {
    // SAFETY: passed on.
    unsafe {
        let mut rows = [spread::<T, R>(src, first, second); R];
        for (i, row) in rows.iter_mut().enumerate().skip(1) {
            *row = spread::<T, R>(src, first + i, second);
        }
        let mut rows = T::transposed(rows);
        for row in &mut rows {
            *row = picked(*row, const { &T::CLOSED });
        }
        rows
    }
}

/// `2 * R` rows of a unit of cells.
#[derive(Clone, Copy)]
struct Unit<T, const R: usize>(T);

impl<T: Triple<R>, const R: usize> RegisterTile for Unit<T, R> {
    const CELL: usize = T::BYTES;
    const SIDE: usize = 3 * LINE / T::BYTES;

    #[inline(always)]
    fn rows(self) -> usize {
        2 * R
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: passed on: each line of `dst` takes what is given as its row.
        unsafe { self.give(src, Straight(dst), 0, 0) }
    }
}

/// Rows of a tile that go through the caches, wherever they start.
#[derive(Clone, Copy)]
struct Straight<D>(D);

impl<D: Lines> Out<Ones, 3> for Straight<D> {
    const JOINS: bool = false;

    #[inline(always)]
    unsafe fn put(self, r: usize, lines: [Ones; 3]) {
        // SAFETY: shape, range, aliasing and ISA: a row of the tile that is transposed; alignment: unaligned
        // stores.
        unsafe {
            let to = self.0.at(r);
            for (i, line) in lines.into_iter().enumerate() {
                _mm512_storeu_si512(to.wrapping_add(i * LINE).cast(), line.0);
            }
        }
    }
}

impl<T: Triple<R>, const R: usize> BandTile for Unit<T, R> {
    type Line = Ones;

    #[inline(always)]
    unsafe fn give(self, src: impl Lines, out: impl Out<Ones, 3>, first: usize, skipped: usize) {
        for second in [false, true] {
            // SAFETY: shape: `16 * R` lines of src are a unit, and `2 * R` rows a tile; range: 24 bytes are its
            // rows of a source line, three lines its columns of a destination row, which `out` takes; ISA: the
            // caller has AVX-512 F and BW.
            unsafe {
                let a = registers::<T, R>(src, 0, second);
                let b = registers::<T, R>(src, 4 * R, second);
                let c = registers::<T, R>(src, 8 * R, second);
                let d = registers::<T, R>(src, 12 * R, second);
                for i in 0..R {
                    let r = R * usize::from(second) + i;
                    if r >= skipped {
                        let places = const { &places(TWELVE, false) };
                        // Not by `map`, which goes through the stack: 3 bytes 256x256 0.32 and 0.24 of memcpy.
                        let [low, middle, high] = closed_up([a[i], b[i], c[i], d[i]], places);
                        out.put(first + r, [Ones(low), Ones(middle), Ones(high)]);
                    }
                }
            }
        }
    }
}

/// Bytes of scratch: what is carried, which is nothing where rows are staged.
fn scratch(panel: &Panel<'_>) -> usize {
    if staged::takes(panel) {
        0
    } else {
        Carry::bytes(panel.rows)
    }
}

/// Stamps the two rows of a size of cells.
macro_rules! rows_of {
    (
        $tile:expr, $cell:literal, $rows:literal, [$cols:literal, $many:literal],
        $cached:literal, $streaming:literal
    ) => {{
        /// # Safety
        /// The contract of the crate, with a panel this row takes.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        unsafe fn tiles(panel: &Panel<'_>) {
            // SAFETY: passed on: the row takes cells of the tile, and panels of its rows and columns or more; ISA:
            // AVX-512 F and BW are enabled here.
            unsafe { walk(panel, $tile) }
        }
        /// # Safety
        /// The contract of the crate, with a panel this row takes and the guard of its task.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        unsafe fn streamed(panel: &Panel<'_>, fence: &StreamFence<'_>) {
            // SAFETY: as above, and the guard has the scratch of a carry.
            unsafe {
                if staged::takes(panel) {
                    staged::rows::<Ones>(panel, fence, tiles);
                } else {
                    bands(panel, fence, $tile);
                }
            }
        }
        [
            row!(Avx512, $cell, $rows, $cols, $cached, Call::Cached(tiles)),
            row!(
                Avx512,
                $cell,
                $rows,
                $many,
                $streaming,
                Call::Streaming {
                    call: streamed,
                    scratch,
                }
            ),
        ]
    }};
}

pub(super) static THREE: [Row; 2] = rows_of!(
    Unit(Three),
    3,
    8,
    [64, 128],
    "transpose-3-avx512-8x64",
    "transpose-3-avx512-8x128"
);
pub(super) static SIX: [Row; 2] = rows_of!(
    Unit(Six),
    6,
    4,
    [32, 64],
    "transpose-6-avx512-4x32",
    "transpose-6-avx512-4x64"
);
