//! The loop that every family's last rows are made of where nothing is transposed: cell by cell; and what stamps
//! those rows.
//!
//! It stands here once; a family's `scalar.rs` fixes the cell size and the steps it knows, so that
//! the compiler sees constants. No over-read, no vector, no alignment: what they touch is exactly
//! the cells.

use crate::ahead::{self, Ahead};
use crate::cell::Cell;
use crate::cpu::by_amd;
use crate::isa::wait_for_loads;
use crate::panel::{LINE, Panel};
use crate::starts::AT_ONCE;

/// Bytes between cells from which on the lines of a destination are asked for before they are written:
/// cells that are nearer are many of a line.
const APART: isize = 12;

/// The same from which on they are not: the lines that hardware asks for are then of more use. 8 Mi
/// bytes of f64 to every 40th, milliseconds with and without: 27, 18; to every eighth 3.8, 4.4.
const FAR: isize = 128;

/// Destinations that reach over so many bytes are, where that pays: *guess*, about a first-level cache. Every
/// eighth f64 of 32 KiB took 0.42 us with and 0.14 without.
const COLD: usize = 64 << 10;

/// Bytes between a store and the prefetch that goes before it: *guess*, between 256 and 2048 times
/// differ by less than the noise. 4 Mi f32, milliseconds with and without: to every third 4.6, 6.5; every
/// fourth 6.1, 9.0; every eighth 12, 18; every fourth to every fourth 8.8, 10.8.
const AHEAD: usize = 1024;

/// Cells that are moved between prefetches of their lines. With a prefetch for each cell, f64 to every
/// second, 16 to 256 KiB of them, took 1.3 to 1.7 times as long.
const BATCH: usize = 8;

/// Bytes between source cells such that their lines share a set of the first-level cache, or two. More of them on
/// their way than it has ways push each other out before they are read, on AMD's cores: they are waited for after
/// each [`BATCH`], which is as many. One f32 of each so many bytes, microseconds without and with (Zen 4): 4096 of
/// 16 KiB 30 and 14, 2048 of 4 KiB 10.2 and 6.3, 4096 of 12 KiB 28 and 16, 2048 of 2 KiB 7.1 and 4.6; 512 of 4 KiB
/// 1.4 and 1.4, as the second-level cache holds them; 4096 of 1 KiB 8.7 and 8.6. Others need no wait: 4096 of
/// 16388 bytes 9.3 and 11.1.
///
/// Not on Xeon, whose cores begin some hundred loads that keep each other waiting where each needs a page that the TLB
/// has no entry for: 4096 f32 of 16388 bytes take 22 us out of the second-level cache, and 13.5 where no more than 16
/// are on their way, but 38 and 107 out of memory.
const CROWDED: usize = 2048;

/// Moves a straight panel. `src_step` and `dst_step` repeat what the panel says, as constants where
/// a family knows them.
///
/// # Safety
/// The contract of the crate; the panel's pairing is straight and its steps are those given.
#[inline(always)]
pub(crate) unsafe fn straight<C: Cell>(
    panel: &Panel<'_>,
    cell: C,
    src_step: isize,
    dst_step: isize,
) {
    let reach = (panel.rows * panel.cols).saturating_mul(dst_step.unsigned_abs());
    let cold = (APART..FAR).contains(&dst_step) && ahead::pays(reach, COLD);
    let ahead = cold.then(|| Ahead::new(panel, AHEAD));
    let (batch, apart) = (
        BATCH.wrapping_mul(dst_step.unsigned_abs()),
        LINE.max(dst_step.unsigned_abs()),
    );
    let far = src_step.unsigned_abs();
    let crowded = far >= CROWDED && far.is_multiple_of(CROWDED) && by_amd();
    for r in 0..panel.rows {
        // SAFETY: shape: r is below rows, and tables have an entry for each (contract).
        let (mut src, mut dst, asked) = unsafe { ahead::row(panel, ahead, r) };
        let (mut left, mut byte) = (panel.cols, 0);
        while left >= BATCH {
            if let Some(asked) = asked {
                let mut asking = byte;
                byte += batch;
                while asking < byte {
                    asked.at(asking);
                    asking += apart;
                }
            }
            for _ in 0..BATCH / AT_ONCE {
                // SAFETY: range and aliasing: cells of the panel (contract).
                unsafe { some(cell, (src, src_step), (dst, dst_step), AT_ONCE) };
                src = src.wrapping_offset(src_step.wrapping_mul(AT_ONCE as isize));
                dst = dst.wrapping_offset(dst_step.wrapping_mul(AT_ONCE as isize));
            }
            if crowded {
                wait_for_loads();
            }
            left -= BATCH;
        }
        // SAFETY: range and aliasing: the last cells of the row (contract).
        unsafe { some(cell, (src, src_step), (dst, dst_step), left) };
    }
}

/// Moves some cells from one place on to those from another on, each with its step.
///
/// # Safety
/// As [`Cell::copy`], for each of them.
#[inline(always)]
unsafe fn some<C: Cell>(
    cell: C,
    (src, src_step): (*const u8, isize),
    (dst, dst_step): (*mut u8, isize),
    cells: usize,
) {
    for i in 0..cells as isize {
        let from = src.wrapping_offset(i.wrapping_mul(src_step));
        let to = dst.wrapping_offset(i.wrapping_mul(dst_step));
        // SAFETY: passed on.
        unsafe { cell.copy(from, to) };
    }
}

/// Stamps the scalar rows of a family, one for each cell size that has a move of its own and a last
/// one for all others. `$body` is an `unsafe fn(&Panel, impl Cell)`.
macro_rules! scalar_rows {
    ($family:ident, $name:literal, $body:path) => {
        pub(super) static ROWS: &[$crate::row::Row] = &[
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 1),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 2),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 3),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 4),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 6),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 8),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 12),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 16),
            $crate::scalar::scalar_rows!(@ $family, $name, $body, 24),
            $crate::scalar::scalar_rows!(@row $family, concat!($name, "-any-scalar-1x1"),
                $crate::row::CellSize::Any, {
                    /// Cells of any size.
                    ///
                    /// # Safety
                    /// The contract of the crate.
                    unsafe fn any(panel: &$crate::panel::Panel<'_>) {
                        // SAFETY: passed on to the caller.
                        unsafe { $body(panel, $crate::cell::Sized(panel.cell)) }
                    }
                    any
                }),
        ];
    };
    (@ $family:ident, $name:literal, $body:path, $bytes:literal) => {
        $crate::scalar::scalar_rows!(@row $family, concat!($name, "-", $bytes, "-scalar-1x1"),
            $crate::row::CellSize::Exact($bytes), {
                /// Cells of one size.
                ///
                /// # Safety
                /// The contract of the crate.
                unsafe fn fixed(panel: &$crate::panel::Panel<'_>) {
                    // SAFETY: passed on to the caller; the row takes cells of this size only.
                    unsafe { $body(panel, $crate::cell::Fixed::<$bytes>) }
                }
                fixed
            })
    };
    (@row $family:ident, $name:expr, $cell:expr, $call:expr) => {
        $crate::row::Row {
            name: $name,
            family: $crate::row::Family::$family,
            cell: $cell,
            isa: $crate::isa::Isa::Scalar,
            tile: $crate::row::Tile { rows: 1, cols: 1 },
            needs: |_| true,
            call: $crate::row::Call::Cached($call),
        }
    };
}
pub(crate) use scalar_rows;
