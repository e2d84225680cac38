//! `gather` with permutes of single bytes: as drawn in `avx512`.

use core::arch::x86_64::{__m512i, _mm512_permutex2var_epi8, _mm512_permutexvar_epi8};

use super::avx512::{Granule, Streamed, by_step, far, near, through};
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::Panel;
use crate::row::{Call, CellSize, Family, Row, Tile};

/// Single bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes;

impl Granule for Bytes {
    const BYTES: usize = 1;

    #[inline(always)]
    unsafe fn one(from: __m512i, index: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutexvar_epi8(index, from) }
    }

    #[inline(always)]
    unsafe fn two(low: __m512i, index: __m512i, high: __m512i) -> __m512i {
        // SAFETY: ISA: passed on.
        unsafe { _mm512_permutex2var_epi8(low, index, high) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn cached(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe { through::<Bytes, 1>(panel) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn streamed(panel: &Panel<'_>, guard: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe { by_step::<Bytes, 1>(panel, Streamed(panel, guard.next())) }
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "gather-1-avx512vbmi-1x64",
        family: Family::Gather,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512Vbmi,
        tile: Tile { rows: 1, cols: 64 },
        needs: near::<1>,
        call: Call::Cached(cached),
    },
    Row {
        name: "gather-1-avx512vbmi-2x64",
        family: Family::Gather,
        cell: CellSize::Exact(1),
        isa: Isa::Avx512Vbmi,
        tile: Tile { rows: 2, cols: 64 },
        needs: far::<1>,
        call: Call::Streaming {
            call: streamed,
            scratch: |_| 0,
        },
    },
];
