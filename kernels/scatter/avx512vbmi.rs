//! `scatter` with permutes of single bytes: as drawn in `avx512`.

use super::avx512::{scattered, takes};
use crate::gather::avx512vbmi::Bytes;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe { scattered::<Bytes, 1>(panel) }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "scatter-1-avx512vbmi-1x64",
    family: Family::Scatter,
    cell: CellSize::Exact(1),
    isa: Isa::Avx512Vbmi,
    tile: Tile { rows: 1, cols: 64 },
    needs: takes::<1>,
    call: Call::Cached(cached),
}];
