//! `run` with overlapping vectors: short runs without a call, a length class at a time.
//!
//! A memory copy decides by length and jumps, for every run. All runs of a panel have the same
//! length, so the decision is made once, and what is left for a run of `n` bytes is two moves of
//! the largest power of two `m <= n`, or from 33 bytes on moves of 16, the last one ending where
//! the run ends:
//!
//! ```text
//!   n = 13     |<----- 8 ---->|          n = 45   |<-- 16 -->|<-- 16 -->|
//!                   |<----- 8 ---->|                           |<-- 16 -->|
//! ```

use super::each::{Called, Few, Once, Sixteen, Times, TwoMoves, Vectors, each, only};
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Along, Call, CellSize, Family, Row, Tile};

/// From this many bytes on, a run is a call of the memory copy. Time per run inline and called,
/// both sides in the second-level cache of a 2-core AVX-512 server VM: 8 bytes 0.49 and 1.7 ns, 32
/// bytes 0.94 and 1.7, 64 bytes 1.9 and 2.5, 100 and 128 bytes the same, 200 bytes 5.5 and 4.9.
/// Runs of 33 to 127 bytes as two blocks of 32 or 64 were slower at the lower end (33 bytes 1.4, 64
/// bytes 2.9).
const CALL_FROM: usize = 128;

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[inline(never)] // what saves registers for it stays out of `runs`
unsafe fn by_length(panel: &Panel<'_>, times: impl Times) {
    let cols = panel.cols;
    // SAFETY: passed on; each arm names the lengths that its move asks for.
    unsafe {
        match cols {
            0 => {}
            1 => each(panel, times, TwoMoves::<1>::of(cols)),
            2..4 => each(panel, times, TwoMoves::<2>::of(cols)),
            4..8 => each(panel, times, TwoMoves::<4>::of(cols)),
            8..16 => each(panel, times, TwoMoves::<8>::of(cols)),
            16..=32 => each(panel, times, TwoMoves::<16>::of(cols)),
            33..=48 => each(panel, times, Few::<Sixteen, 3>::of(cols)),
            49..CALL_FROM => each(panel, times, Vectors::<Sixteen>::of(cols)),
            _ => each(panel, times, Called(cols)),
        }
    }
}

/// A panel of one run has nothing to decide once for many, so it is a call of the memory copy and
/// nothing else. Such calls through [`by_length`]: 64 bytes 5.5 ns, 500 bytes 7.3, 4 KiB 28; the
/// memory copy takes 3.3, 4.2 and 22.
///
/// # Safety
/// The contract of the crate, with a panel this row takes.
unsafe fn runs(panel: &Panel<'_>) {
    if panel.rows == 1 {
        // SAFETY: passed on: a panel of one run.
        unsafe { only(panel) }
    } else {
        // SAFETY: passed on.
        unsafe { by_length(panel, Once) }
    }
}

/// # Safety
/// The contract of the crate, with panels this row takes.
unsafe fn runs_along(panel: &Panel<'_>, along: Along) {
    // SAFETY: passed on.
    unsafe { by_length(panel, along) }
}

pub(super) static ROWS: &[Row] = &[Row {
    name: "run-1-portable-1x16",
    family: Family::Run,
    cell: CellSize::Exact(1),
    isa: Isa::Portable,
    tile: Tile { rows: 1, cols: 16 },
    needs: |_| true,
    call: Call::Along {
        call: runs,
        along: runs_along,
    },
}];
