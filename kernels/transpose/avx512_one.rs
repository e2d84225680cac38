//! `transpose` with AVX-512: 1-byte cells in tiles of 16x64, whole destination lines, and of 16x32 and 16x16.
//!
//! A register is 16 bytes of each of four source rows, sixteen rows apart, put together by inserts
//! from memory. What is left are four independent 16x16 transpositions, one in each lane: four
//! perfect shuffles, as drawn in `portable`, 64 in all for 16 lines.
//!
//! ```text
//!   register i: cells 0..16 of rows i, i + 16, i + 32, i + 48      register j: dst row j
//!
//!     row 0  | row 16 | row 32 | row 48                               cells 0..64
//!     row 1  | row 17 | row 33 | row 49                ->             of source rows
//!     ..                                                              0..64
//!     row 15 | row 31 | row 47 | row 63
//! ```
//!
//! Byte permutes over the whole register (VBMI) do no better: one of them does what two unpacks do,
//! but what it leaves are dwords to be exchanged between sixteen registers, which takes four more.
//!
//! Panels of few columns turn the tile around: a register is 64 bytes of one source row, and each
//! lane of a result is a piece of 16 bytes of a destination row. Cells beyond the columns are masked
//! out of stores, which never fault there; source rows beyond them are the last one again, of which
//! nothing is stored. Other panels have the tiles of AVX2 and of 128-bit vectors, whose sixteen registers and
//! what is made of them fit into 32; panels that are smaller still have those tiers.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm_mask_storeu_epi8, _mm512_castsi128_si512,
    _mm512_extracti32x4_epi32, _mm512_inserti32x4, _mm512_loadu_si512, _mm512_store_si512,
    _mm512_storeu_si512, _mm512_unpackhi_epi8, _mm512_unpacklo_epi8,
};

use core::mem::MaybeUninit;

use super::avx2_one;
use super::avx512_cells_stream::Ones;
use super::lines::{Clamped, Lines, Strided, crowded, fills_lines};
use super::portable::SIXTEEN;
use super::walk::{RegisterTile, alone, walk};
use super::{aside, far};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Cells of 16 bytes: registers of a tile.
pub(super) const R: usize = 16;
/// Cells of a line.
pub(super) const N: usize = 64;

/// A perfect shuffle of the registers, in each lane. Written out: a loop over sixteen registers goes
/// through the stack, with calls of the memory copy.
///
/// # Safety
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn stage(a: [__m512i; R]) -> [__m512i; R] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        [
            _mm512_unpacklo_epi8(a[0], a[8]),
            _mm512_unpackhi_epi8(a[0], a[8]),
            _mm512_unpacklo_epi8(a[1], a[9]),
            _mm512_unpackhi_epi8(a[1], a[9]),
            _mm512_unpacklo_epi8(a[2], a[10]),
            _mm512_unpackhi_epi8(a[2], a[10]),
            _mm512_unpacklo_epi8(a[3], a[11]),
            _mm512_unpackhi_epi8(a[3], a[11]),
            _mm512_unpacklo_epi8(a[4], a[12]),
            _mm512_unpackhi_epi8(a[4], a[12]),
            _mm512_unpacklo_epi8(a[5], a[13]),
            _mm512_unpackhi_epi8(a[5], a[13]),
            _mm512_unpacklo_epi8(a[6], a[14]),
            _mm512_unpackhi_epi8(a[6], a[14]),
            _mm512_unpacklo_epi8(a[7], a[15]),
            _mm512_unpackhi_epi8(a[7], a[15]),
        ]
    }
}

/// Transposes `R` by `R` cells in each lane.
///
/// # Safety
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn transposed(rows: [__m512i; R]) -> [__m512i; R] {
    // SAFETY: ISA: the caller's.
    unsafe { stage(stage(stage(stage(rows)))) }
}

/// Cells `R * block ..` of source row `row`, 16 bytes. A function, because a closure called from
/// several places is not inlined for sure.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: those cells can be read.
/// - ISA: AVX-512 F, BW and VL.
#[inline(always)]
unsafe fn piece(src: impl Lines, row: usize, block: usize) -> __m128i {
    // SAFETY: shape, range and ISA are the caller's; alignment: an
    // unaligned load.
    unsafe { _mm_loadu_si128(src.at(row).wrapping_add(16 * block).cast()) }
}

/// Cells `R * block ..` of source rows `i`, `i + R`, `i + 2 * R` and `i + 3 * R`, one in each lane.
///
/// # Safety
/// - Shape: the four lines exist.
/// - Range: those cells can be read in all four.
/// - ISA: AVX-512 F, BW and VL.
#[inline(always)]
unsafe fn quarters(src: impl Lines, i: usize, block: usize) -> __m512i {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        let register = _mm512_castsi128_si512(piece(src, i, block));
        let register = _mm512_inserti32x4::<1>(register, piece(src, i + R, block));
        let register = _mm512_inserti32x4::<2>(register, piece(src, i + 2 * R, block));
        _mm512_inserti32x4::<3>(register, piece(src, i + 3 * R, block))
    }
}

/// Destination rows `R * block ..` of a tile, a line each.
///
/// # Safety
/// As [`quarters`], for `i` below `R`.
#[inline(always)]
pub(super) unsafe fn lines(src: impl Lines, block: usize) -> [__m512i; R] {
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe {
        transposed([
            quarters(src, 0, block),
            quarters(src, 1, block),
            quarters(src, 2, block),
            quarters(src, 3, block),
            quarters(src, 4, block),
            quarters(src, 5, block),
            quarters(src, 6, block),
            quarters(src, 7, block),
            quarters(src, 8, block),
            quarters(src, 9, block),
            quarters(src, 10, block),
            quarters(src, 11, block),
            quarters(src, 12, block),
            quarters(src, 13, block),
            quarters(src, 14, block),
            quarters(src, 15, block),
        ])
    }
}

/// A whole tile.
#[derive(Clone, Copy)]
pub(super) struct Whole;

impl RegisterTile for Whole {
    const CELL: usize = 1;
    const SIDE: usize = N;

    #[inline(always)]
    fn rows(self) -> usize {
        R
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..N of the source exist, and 0..R of the destination; range: R cells
        // of a source line are 16 bytes, N cells of a destination line a register; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned stores;
        // ISA: the caller has AVX-512 F, BW and VL.
        unsafe {
            let lines = lines(src, 0);
            for (i, line) in lines.iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), *line);
            }
        }
    }
}

/// A square of `N` by `N` cells, a line of each of `N` source rows, that is copied side by side and
/// transposed there.
#[derive(Clone, Copy)]
struct Staged;

/// `N` lines.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; 64 * N]);

impl RegisterTile for Staged {
    const CELL: usize = 1;
    const SIDE: usize = N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let mut stage = Stage([MaybeUninit::uninit(); 64 * N]);
        let base = stage.0.as_mut_ptr().cast::<u8>();
        // SAFETY: shape: lines 0..N exist on both sides; range: N cells of a line are a register,
        // and so is each of the N lines of the stage; aliasing: all is read before the first store
        // to the destination, and the sides do not overlap; alignment: lines of the stage start at
        // lines, other accesses are unaligned; ISA: the caller has AVX-512 F, BW and VL.
        unsafe {
            for i in 0..N {
                let line = _mm512_loadu_si512(src.at(i).cast());
                _mm512_store_si512(base.wrapping_add(64 * i).cast(), line);
            }
            let src = Strided { base, stride: 64 };
            for block in 0..N / R {
                let lines = lines(src, block);
                for (i, line) in lines.iter().enumerate() {
                    _mm512_storeu_si512(dst.at(R * block + i).cast(), *line);
                }
            }
        }
    }
}

/// A line of a source row.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: a line can be read there.
/// - ISA: AVX-512 F.
#[inline(always)]
unsafe fn line(src: impl Lines, row: usize) -> __m512i {
    // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
    unsafe { _mm512_loadu_si512(src.at(row).cast()) }
}

/// The tile turned around: `N` rows and 1 to `R` columns.
#[derive(Clone, Copy)]
struct Turned {
    cols: usize,
}

/// Stores lane `LANE` of registers as destination rows `LANE * R ..`.
///
/// # Safety
/// - Shape: destination lines below `N` exist.
/// - Range: the cells that `stored` names can be written at each.
/// - Alignment: none.
/// - ISA: AVX-512 F, BW and VL.
#[inline(always)]
unsafe fn store_lane<const LANE: i32>(registers: [__m512i; R], dst: impl Lines, stored: u16) {
    let first = LANE as usize * R;
    for (i, register) in registers.iter().enumerate() {
        // SAFETY: shape and range: passed on; masked-out cells are not accessed; ISA: the caller's.
        unsafe {
            let piece = _mm512_extracti32x4_epi32::<LANE>(*register);
            _mm_mask_storeu_epi8(dst.at(first + i).cast(), stored, piece);
        }
    }
}

impl RegisterTile for Turned {
    const CELL: usize = 1;
    const SIDE: usize = N;

    #[inline(always)]
    fn cols(self) -> usize {
        self.cols
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let src = Clamped {
            lines: src,
            last: self.cols - 1,
        };
        let stored = 0xffff_u16 >> (R - self.cols);
        // SAFETY: shape: source lines are clamped to those that exist, destination lines 0..N do;
        // range: N cells of a source line are a register, `stored` names the cells below cols of a
        // destination line; aliasing: all is read before the first store, and the sides do not
        // overlap; alignment: unaligned accesses; ISA: the caller has AVX-512 F, BW and VL.
        unsafe {
            let registers = transposed([
                line(src, 0),
                line(src, 1),
                line(src, 2),
                line(src, 3),
                line(src, 4),
                line(src, 5),
                line(src, 6),
                line(src, 7),
                line(src, 8),
                line(src, 9),
                line(src, 10),
                line(src, 11),
                line(src, 12),
                line(src, 13),
                line(src, 14),
                line(src, 15),
            ]);
            store_lane::<0>(registers, dst, stored);
            store_lane::<1>(registers, dst, stored);
            store_lane::<2>(registers, dst, stored);
            store_lane::<3>(registers, dst, stored);
        }
    }
}

/// Bytes from the first source row to the second.
///
/// # Safety
/// - Shape: the panel has two columns or more.
#[inline(always)]
pub(super) unsafe fn apart(panel: &Panel<'_>) -> usize {
    // SAFETY: shape: the caller's.
    let (first, second) = unsafe { (panel.src_cell(0, 0), panel.src_cell(0, 1)) };
    second.addr().wrapping_sub(first.addr())
}

/// [`walk`] in a function of its own: of three walks in one, the compiler makes less (Zen 4, u8 1000x16 in tiles
/// turned around 760 ns, 1000 so).
///
/// # Safety
/// As [`walk`], with a tile of AVX2 or of AVX-512 F, BW and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline(never)]
pub(super) unsafe fn walk_apart<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VL are enabled here.
    unsafe { walk(panel, tile) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn tiles(panel: &Panel<'_>) {
    let (rows, cols) = (panel.rows, panel.cols);
    // SAFETY: passed on: the row takes 1-byte cells, and panels of N rows where it has up to R columns, else
    // of R rows and half of N columns; ISA: AVX-512 F, BW and VL are enabled here.
    unsafe {
        if cols <= R {
            return walk_apart(panel, Turned { cols });
        }
        if aside::moved(panel, tiles, true) {
            return;
        }
        if far::by_stage::<Ones, _>(panel, Whole) {
            return;
        }
        if rows.min(cols) >= N && crowded(apart(panel), N) {
            walk(panel, Staged);
        } else if fills_lines(panel, N) {
            walk(panel, Whole);
        } else {
            walk_apart(panel, avx2_one::Whole);
        }
    }
}

/// # Safety
/// As [`alone`], with the tile that is moved where lines are not filled; AVX-512 F, BW and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn one(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on; ISA: AVX2 is enabled here, and more.
    unsafe { alone(avx2_one::Whole, src, dst) }
}

/// # Safety
/// The contract of the crate, with a panel of 1-byte cells, `R` rows and columns or more.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn squares(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: that of the build is enabled, and more.
    unsafe { walk(panel, SIXTEEN) }
}

/// # Safety
/// As [`alone`], with this tile.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn square(src: (*const u8, isize), dst: (*mut u8, isize)) {
    // SAFETY: passed on; ISA: that of the build is enabled, and more.
    unsafe { alone(SIXTEEN, src, dst) }
}

/// Whole tiles, and panels of few columns and many rows. Smaller tiles are better in the others than this one
/// with masks: GB/s, in the first-level cache, 8x8 14 and 2, 12x1000 37 and 32, 1000x32 67 and 49, 1000x50 53
/// and 33; but 1000x12 30 and 42, 1000x16 46 and 59, 1000x4 11 and 13.
fn takes(ask: &Ask) -> bool {
    ask.rows >= R && ask.cols >= N / 2 || ask.rows >= N && (1..=R).contains(&ask.cols)
}

const fn row(name: &'static str, cols: usize, needs: fn(&Ask) -> bool, call: Call) -> Row {
    Row {
        name,
        family: Family::Transpose,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512,
        tile: Tile { rows: R, cols },
        needs,
        call,
    }
}

/// One tile of 16x16 is left to the portable row, which moves it by itself.
pub(super) static ROWS: &[Row] = &[
    row(
        "transpose-1-avx512-16x32",
        N / 2,
        takes,
        Call::Tiles { call: tiles, one },
    ),
    row(
        "transpose-1-avx512-16x16",
        R,
        |ask| ask.rows.min(ask.cols) >= R && ask.rows + ask.cols > 2 * R,
        Call::Tiles {
            call: squares,
            one: square,
        },
    ),
];
