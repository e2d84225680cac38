//! `run` with overlapping vectors: short runs without a call, a length class at a time.
//!
//! A memory copy decides by length and jumps, for every run. All runs of a panel have the same
//! length, so the decision is made once, and what is left for a run of `n` bytes is two moves of
//! the largest power of two `m <= n`, or from 33 bytes on moves of 16, the last one ending where the
//! run ends:
//!
//! ```text
//!   n = 13     |<----- 8 ---->|          n = 45   |<-- 16 -->|<-- 16 -->|
//!                   |<----- 8 ---->|                           |<-- 16 -->|
//! ```

use crate::cell::{Cell, Fixed};
use crate::isa::Isa;
use crate::panel::{Panel, Rows};
use crate::row::{Call, CellSize, Family, Row, Tile};

/// From this many bytes on, a run is a call of the memory copy. Time per run inline and called, both
/// sides in the second-level cache of a 2-core AVX-512 server VM: 8 bytes 0.49 and 1.7 ns, 32 bytes
/// 0.94 and 1.7, 64 bytes 1.9 and 2.5, 100 and 128 bytes the same, 200 bytes 5.5 and 4.9. Runs of 33
/// to 127 bytes as two blocks of 32 or 64 were slower at the lower end (33 bytes 1.4, 64 bytes 2.9).
const CALL_FROM: usize = 128;

/// Copies all runs of the panel with `one(src, dst)`.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits; `one` may be called with the
/// starts of any run.
#[inline(always)]
unsafe fn each(panel: &Panel<'_>, one: impl Fn(*const u8, *mut u8)) {
    let (src, dst) = (&panel.src, &panel.dst);
    if let (Rows::Stride(src_stride), Rows::Stride(dst_stride)) = (src.rows, dst.rows) {
        let (mut from, mut to) = (src.base, dst.base);
        for _ in 0..panel.rows {
            one(from, to);
            from = from.wrapping_offset(src_stride);
            to = to.wrapping_offset(dst_stride);
        }
    } else {
        for r in 0..panel.rows {
            // SAFETY: shape: r is below rows, and tables have an entry for each (contract).
            let (from, to) = unsafe { (src.cell(r, 0), dst.cell(r, 0)) };
            one(from, to);
        }
    }
}

/// Copies runs of `n` bytes by two moves of `M` bytes, where `M <= n <= 2 * M`.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits and `cols` as said.
#[inline(always)]
unsafe fn two_moves<const M: usize>(panel: &Panel<'_>) {
    let last = panel.cols - M;
    let one = |src: *const u8, dst: *mut u8| {
        // SAFETY: range and aliasing: src and dst are runs of `cols` bytes (see `each`), of which
        // these are the first and the last M; alignment: none needed.
        unsafe {
            Fixed::<M>.copy(src, dst);
            Fixed::<M>.copy(src.add(last), dst.add(last));
        }
    };
    // SAFETY: passed on; `one` moves bytes of the runs it is called with.
    unsafe { each(panel, one) }
}

/// Copies runs of 16 bytes or more by whole vectors, the last of which overlaps the one before.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits and `cols >= 16`.
#[inline(always)]
unsafe fn vectors(panel: &Panel<'_>) {
    let last = panel.cols - 16;
    let one = |src: *const u8, dst: *mut u8| {
        for i in (0..last).step_by(16) {
            // SAFETY: range and aliasing: src and dst are runs of `cols` bytes (see `each`), and
            // i + 16 is at most `cols`; alignment: none needed.
            unsafe { Fixed::<16>.copy(src.add(i), dst.add(i)) };
        }
        // SAFETY: range and aliasing: the last 16 of the same runs; alignment: none needed.
        unsafe { Fixed::<16>.copy(src.add(last), dst.add(last)) };
    };
    // SAFETY: passed on; `one` moves bytes of the runs it is called with.
    unsafe { each(panel, one) }
}

/// Copies runs by one call each.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[inline(always)]
unsafe fn calls(panel: &Panel<'_>) {
    let one = |src: *const u8, dst: *mut u8| {
        // SAFETY: range and aliasing: src and dst are runs of `cols` bytes (see `each`); alignment:
        // none needed.
        unsafe { core::ptr::copy_nonoverlapping(src, dst, panel.cols) };
    };
    // SAFETY: passed on; `one` moves bytes of the runs it is called with.
    unsafe { each(panel, one) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
unsafe fn runs(panel: &Panel<'_>) {
    // SAFETY: passed on; each arm names the lengths that its function asks for.
    unsafe {
        match panel.cols {
            0 => {}
            1 => two_moves::<1>(panel),
            2..4 => two_moves::<2>(panel),
            4..8 => two_moves::<4>(panel),
            8..16 => two_moves::<8>(panel),
            16..=32 => two_moves::<16>(panel),
            33..CALL_FROM => vectors(panel),
            _ => calls(panel),
        }
    }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "run-1-portable-1x16",
    family: Family::Run,
    cell: CellSize::Exact(1),
    isa: Isa::Portable,
    tile: Tile { rows: 1, cols: 16 },
    needs: |_| true,
    call: Call::Cached(runs),
}];
