//! `transpose` with AVX-512: 2-byte cells in tiles of 8x32, whole destination lines, and of 8x16.
//!
//! [Quarters](super::avx512_quarters) of registers, 8x8 cells in each lane: three perfect shuffles, 24 in all for 8
//! lines.
//!
//! ```text
//!   register i: cells 0..8 of rows i, i + 8, i + 16, i + 24        register j: dst row j
//!
//!     row 0  | row 8  | row 16 | row 24                               cells 0..32
//!     row 1  | row 9  | row 17 | row 25                ->             of source rows
//!     ..                                                              0..32
//!     row 7  | row 15 | row 23 | row 31
//! ```
//!
//! Panels that fill no lines have the tiles of AVX2, and panels that are smaller still that tier.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_mask_storeu_epi16, _mm512_unpackhi_epi16, _mm512_unpacklo_epi16,
};
use core::marker::PhantomData;

use super::avx2_two;
use super::avx512_cells_stream::Twos;
use super::avx512_quarters::{Make, Quartered, Staged, Turned, Whole, apart, walk_apart};
use super::lines::{crowded, fills_lines};
use super::strips::of_tile;
use super::{aside, far};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Cells of 16 bytes: registers of a tile.
pub(super) const R: usize = Pairs::R;
/// Cells of a line.
pub(super) const N: usize = Pairs::N;

/// Cells of two bytes.
#[derive(Clone, Copy)]
pub(super) struct Pairs;

const CELLS: PhantomData<Pairs> = PhantomData;

/// A tile of whole lines.
pub(super) const WHOLE: Whole<Pairs> = Whole(CELLS);

/// A perfect shuffle of the registers, in each lane. Written out: a loop over sixteen registers goes
/// through the stack, with calls of the memory copy.
///
/// # Safety
/// - ISA: AVX-512 F and BW.
#[inline(always)]
unsafe fn stage(a: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: ISA: the caller's; registers only.
    unsafe {
        [
            _mm512_unpacklo_epi16(a[0], a[4]),
            _mm512_unpackhi_epi16(a[0], a[4]),
            _mm512_unpacklo_epi16(a[1], a[5]),
            _mm512_unpackhi_epi16(a[1], a[5]),
            _mm512_unpacklo_epi16(a[2], a[6]),
            _mm512_unpackhi_epi16(a[2], a[6]),
            _mm512_unpacklo_epi16(a[3], a[7]),
            _mm512_unpackhi_epi16(a[3], a[7]),
        ]
    }
}

impl Quartered for Pairs {
    const CELL: usize = 2;

    type Registers = [__m512i; 8];

    #[inline(always)]
    unsafe fn transposed(rows: impl Make) -> [__m512i; 8] {
        // SAFETY: passed on.
        unsafe {
            stage(stage(stage([
                rows.register(0),
                rows.register(1),
                rows.register(2),
                rows.register(3),
                rows.register(4),
                rows.register(5),
                rows.register(6),
                rows.register(7),
            ])))
        }
    }

    #[inline(always)]
    unsafe fn store_part(to: *mut u8, cells: usize, piece: __m128i) {
        let stored = 0xff_u8 >> (8 - cells);
        // SAFETY: range: cells that are masked out are not accessed; shape, the rest of range, and ISA: the caller's.
        unsafe { _mm_mask_storeu_epi16(to.cast(), stored, piece) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn tiles(panel: &Panel<'_>) {
    let (rows, cols) = (panel.rows, panel.cols);
    // SAFETY: passed on: the row takes 2-byte cells, and panels of N rows where it has fewer than R columns,
    // else of R rows and half of N columns; ISA: AVX-512 F, BW and VL are enabled here.
    unsafe {
        if cols < R {
            return walk_apart(panel, Turned { cols, cells: CELLS });
        }
        if aside::moved(panel, tiles, true) {
            return;
        }
        if !far::is_near(panel)
            && far::way!("avx512f,avx512bw,avx512vl", |panel| -> bool {
                far::by_stage::<Twos, _>(panel, WHOLE)
            })
        {
            return;
        }
        if rows.min(cols) >= N && crowded(apart(panel), N) {
            walk_apart(panel, Staged(CELLS));
        } else if fills_lines(panel, N) {
            walk_apart(panel, WHOLE);
        } else {
            walk_apart(panel, avx2_two::Whole);
        }
    }
}

of_tile!(one, strips, "avx512f,avx512bw,avx512vl", avx2_two::Whole);

/// Whole tiles, and panels of very few columns and many rows. Smaller tiles are better in the others than this one
/// with masks: GB/s, in the first-level cache, 8x8 28 and 8, 1000x12 49 and 40, 1000x24 61 and 55; but 1000x4 22
/// and 27.
fn takes(ask: &Ask) -> bool {
    ask.rows >= R && ask.cols >= N / 2 || ask.rows >= N && (1..R).contains(&ask.cols)
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "transpose-2-avx512-8x16",
    family: Family::Transpose,
    cell: CellSize::Exact(2),
    isa: Isa::Avx512,
    tile: Tile {
        rows: R,
        cols: N / 2,
    },
    needs: takes,
    call: Call::Tiles {
        call: tiles,
        one,
        strips,
    },
}];
