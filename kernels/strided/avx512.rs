//! `strided` with 64-byte vectors: a line picked as `gather` does and spread as `scatter` does,
//! without a buffer between them. Straight panels only; those with the same step on both sides have a
//! row of their own.

use super::avx512_same;
use crate::cell::Fixed;
use crate::gather::avx512::{Granule, Halves, MOST, Many, Words, picks};
use crate::gather::places::Places;
use crate::isa::Isa;
use crate::panel::{LINE, Pairing, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};
use crate::scalar::straight;
use crate::scatter::avx512::OverMany;
use crate::scatter::spread::walk;

/// Cells that a panel has before it is worth tables that are made for it, which takes 0.6 us. 32 Ki cells,
/// every second to every third, with them and cell by cell: u8 6.8 us and 13, u16 6.7 us and 7.2.
const WORTH: usize = 8192;

/// Moves a straight panel.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits; AVX-512 F and BW and the ISA of
/// the granule are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn strided<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    let (from, to) = (panel.src.step, panel.dst.step);
    if panel.rows * panel.cols < WORTH {
        // SAFETY: passed on; the panel is straight.
        return unsafe { straight(panel, Fixed::<CELL>, from, to) };
    }
    let vectors = |step: isize| step.unsigned_abs() / CELL;
    let sources = &Places::<MOST>::new(CELL, G::BYTES, vectors(from), from < 0);
    let places = &Places::<MOST>::new(CELL, G::BYTES, vectors(to), to < 0);
    let index = &places.spread(CELL, G::BYTES);
    let pick = Many::<G, CELL>::new(panel, sources, vectors(from));
    // SAFETY: passed on: pick and spread are for these steps.
    unsafe {
        walk(
            panel,
            pick,
            OverMany::<G, CELL>::new(places, index, vectors(to)),
        )
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn cached<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F and BW are enabled here.
    unsafe { strided::<G, CELL>(panel) }
}

/// Bytes between cells on either side at most. Every second to every third out of the first-level cache:
/// u8 1.9 times as fast as cell by cell, u16 1.1; every third f32 to every third 0.82.
const NEAR: usize = 8;

/// Straight rows of a line and more, but those that masks are enough for.
pub(super) fn takes<const CELL: usize>(ask: &Ask) -> bool {
    let steps = picks::<CELL>(ask.src_step, NEAR) && picks::<CELL>(ask.dst_step, NEAR);
    let straight = ask.pairing == Pairing::Straight && !avx512_same::takes(ask);
    straight && steps && ask.cols >= LINE / CELL
}

/// The row of a cell size.
macro_rules! rows {
    ($($cell:literal, $granule:ty, $lanes:literal);*) => {
        &[$(
            Row {
                name: concat!("strided-", $cell, "-avx512-1x", $lanes),
                family: Family::Strided,
                cell: CellSize::Exact($cell),
                isa: Isa::Avx512,
                tile: Tile { rows: 1, cols: $lanes },
                needs: takes::<$cell>,
                call: Call::Cached(cached::<$granule, $cell>),
            },
        )*]
    };
}

pub(super) static ROWS: &[Row] = rows!(2, Halves, 32; 4, Words, 16);
