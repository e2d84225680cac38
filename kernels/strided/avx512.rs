//! `strided` with 64-byte vectors: a line picked as `gather` does and spread as `scatter` does,
//! without a buffer between them. Straight panels only.

use crate::cell::Fixed;
use crate::gather::avx512::{Granule, Halves, MOST, Many, TABLE, Words, picks};
use crate::gather::places::Places;
use crate::isa::Isa;
use crate::panel::{LINE, Pairing, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};
use crate::scalar::straight;
use crate::scatter::avx512::{NEAR, OverMany};
use crate::scatter::spread::walk;

/// Moves a straight panel.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`] admits; AVX-512 F and BW and the ISA of
/// the granule are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn strided<G: Granule, const CELL: usize>(panel: &Panel<'_>) {
    let (from, to) = (panel.src.step, panel.dst.step);
    if panel.rows * panel.cols < TABLE {
        // SAFETY: passed on; the panel is straight.
        return unsafe { straight(panel, Fixed::<CELL>, from, to) };
    }
    let vectors = |step: isize| step.unsigned_abs() / CELL;
    let sources = &Places::<MOST>::new(CELL, G::BYTES, vectors(from), from < 0);
    let places = &Places::<MOST>::new(CELL, G::BYTES, vectors(to), to < 0);
    let index = &places.spread(CELL, G::BYTES);
    let pick = Many::<G, CELL>::new(sources, vectors(from));
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

/// Straight rows of a line and more, of cells as near each other as `scatter` wants them. Every second
/// to every second u8 3.5 times as fast as cell by cell, f32 1.0 in the caches and 1.13 out of them;
/// every third f32 0.82.
pub(super) fn takes<const CELL: usize>(ask: &Ask) -> bool {
    let steps = picks::<CELL>(ask.src_step, NEAR) && picks::<CELL>(ask.dst_step, NEAR);
    ask.pairing == Pairing::Straight && steps && ask.cols >= LINE / CELL
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
