//! `transpose` with AVX-512: 1-byte cells in tiles of 16x64, whole destination lines, and of 16x32 and 16x16.
//!
//! [Quarters](super::avx512_quarters) of registers, 16x16 cells in each lane: four perfect shuffles, as drawn in
//! `portable`, 64 in all for 16 lines.
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
//! Panels that fill no lines have the tiles of AVX2 and of 128-bit vectors, whose sixteen registers and
//! what is made of them fit into 32; panels that are smaller still have those tiers.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_mask_storeu_epi8, _mm512_unpackhi_epi8, _mm512_unpacklo_epi8,
};
use core::marker::PhantomData;

use super::avx2_one;
use super::avx512_cells_stream::Ones;
use super::avx512_quarters::{Make, Quartered, Staged, Turned, Whole, apart, walk_apart};
use super::lines::{crowded, fills_lines};
use super::portable::SIXTEEN;
use super::strips::of_tile;
use super::walk::walk;
use super::{aside, far};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Cells of 16 bytes: registers of a tile.
pub(super) const R: usize = Bytes::R;
/// Cells of a line.
pub(super) const N: usize = Bytes::N;

/// Cells of a byte.
#[derive(Clone, Copy)]
pub(super) struct Bytes;

const CELLS: PhantomData<Bytes> = PhantomData;

/// A tile of whole lines.
pub(super) const WHOLE: Whole<Bytes> = Whole(CELLS);

/// A perfect shuffle of the registers, in each lane. Written out: a loop over sixteen registers goes
/// through the stack, with calls of the memory copy.
///
/// # Safety
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn stage(a: [__m512i; 16]) -> [__m512i; 16] {
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

impl Quartered for Bytes {
    const CELL: usize = 1;

    type Registers = [__m512i; 16];

    #[inline(always)]
    unsafe fn transposed(rows: impl Make) -> [__m512i; 16] {
        // SAFETY: passed on.
        unsafe {
            stage(stage(stage(stage([
                rows.register(0),
                rows.register(1),
                rows.register(2),
                rows.register(3),
                rows.register(4),
                rows.register(5),
                rows.register(6),
                rows.register(7),
                rows.register(8),
                rows.register(9),
                rows.register(10),
                rows.register(11),
                rows.register(12),
                rows.register(13),
                rows.register(14),
                rows.register(15),
            ]))))
        }
    }

    #[inline(always)]
    unsafe fn store_part(to: *mut u8, cells: usize, piece: __m128i) {
        let stored = 0xffff_u16 >> (16 - cells);
        // SAFETY: range: cells that are masked out are not accessed; shape, the rest of range, and ISA: the caller's.
        unsafe { _mm_mask_storeu_epi8(to.cast(), stored, piece) }
    }
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
            return walk_apart(panel, Turned { cols, cells: CELLS });
        }
        if aside::moved(panel, tiles, true) {
            return;
        }
        if !far::is_near(panel)
            && far::way!("avx512f,avx512bw,avx512vl", |panel| -> bool {
                far::by_stage::<Ones, _>(panel, WHOLE)
            })
        {
            return;
        }
        if rows.min(cols) >= N && crowded(apart(panel), N) {
            walk_apart(panel, Staged(CELLS));
        } else if fills_lines(panel, N) {
            walk_apart(panel, WHOLE);
        } else {
            walk_apart(panel, avx2_one::Whole);
        }
    }
}

of_tile!(one, strips, "avx512f,avx512bw,avx512vl", avx2_one::Whole);

/// # Safety
/// The contract of the crate, with a panel of 1-byte cells, `R` rows and columns or more.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn squares(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: that of the build is enabled, and more.
    unsafe { walk(panel, SIXTEEN) }
}

of_tile!(
    one_square,
    square_strips,
    "avx512f,avx512bw,avx512vl",
    SIXTEEN
);

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
        Call::Tiles {
            call: tiles,
            one,
            strips,
        },
    ),
    row(
        "transpose-1-avx512-16x16",
        R,
        |ask| ask.rows.min(ask.cols) >= R && ask.rows + ask.cols > 2 * R,
        Call::Tiles {
            call: squares,
            one: one_square,
            strips: square_strips,
        },
    ),
];
