//! `run` through the compiler's memory copy: always there, and hard to beat above a few hundred
//! bytes.

use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// # Safety
/// The contract of the crate, with a panel that the family admits.
unsafe fn memcpy(panel: &Panel<'_>) {
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows; stride, range and aliasing: both sides of a row are runs
        // of `cols` bytes that do not overlap (contract).
        unsafe {
            let (src, dst) = (panel.src.cell(r, 0), panel.dst.cell(r, 0));
            core::ptr::copy_nonoverlapping(src, dst, panel.cols);
        }
    }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "run-any-scalar-1x1",
    family: Family::Run,
    cell: CellSize::Any,
    isa: Isa::Scalar,
    tile: Tile { rows: 1, cols: 1 },
    needs: |_| true,
    call: Call::Cached(memcpy),
}];
