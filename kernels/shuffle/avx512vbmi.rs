//! `shuffle` with 64-byte registers and permutes of single bytes: one for a register or two, two for three or
//! four.

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8,
    _mm512_permutexvar_epi8, _mm512_storeu_si512,
};
use core::ops::Range;

use super::REGISTERS;
use super::carry::{gathered_around, streamed};
use super::gathered::{Windows, gathered};
use super::kept::{SCRATCH, kept, of_many};
use super::loose::{Blocks, loosely};
use super::register::Register;
use super::sink::Sink;
use super::walk::{cached, everywhere, gathered_everywhere, takes};
use crate::fence::StreamFence;
use crate::gather::places::bits;
use crate::isa::Isa;
use crate::panel::{LINE, Panel};
use crate::row::{Ask, Call, CellSize, Family, Moves, Row, Tile};

#[derive(Clone, Copy)]
pub(super) struct Zmm(pub(super) __m512i);

impl Register for Zmm {
    const BYTES: usize = LINE;
    const LOOSE: usize = LINE;
    const MASKS: bool = true;
    /// Permutes look at seven bits of each place: the eighth is which two of four registers.
    type Order<const N: usize> = __m512i;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self {
        // SAFETY: range: masked-out bytes are not accessed, the others are passed on; ISA: AVX-512 BW is.
        unsafe { Self(_mm512_maskz_loadu_epi8(bytes, from.cast())) }
    }

    #[inline(always)]
    unsafe fn load_following(from: *const u8, bytes: Range<usize>) -> Self {
        // SAFETY: passed on.
        unsafe { Self::load_some(from, bits(bytes.start as isize, bytes.end as isize)) }
    }

    #[inline(always)]
    unsafe fn order_of_some(places: &[u8; LINE], _: Range<usize>) -> __m512i {
        // SAFETY: passed on.
        unsafe { Self::order::<1>(places) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        let mask = bits(0, bytes as isize);
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask, self.0) }
    }

    #[inline(always)]
    unsafe fn order<const N: usize>(places: &[u8; LINE]) -> __m512i {
        // SAFETY: range: a line of the caller's; ISA: passed on.
        unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn shuffle<const N: usize>(order: __m512i, from: [Self; N]) -> Self {
        // SAFETY: ISA: AVX-512 BW and VBMI are enabled where this is inlined.
        unsafe {
            Self(match from.map(|Self(register)| register)[..] {
                [a] => _mm512_permutexvar_epi8(order, a),
                [a, b] => _mm512_permutex2var_epi8(a, order, b),
                [a, b, c] => {
                    let first = _mm512_permutex2var_epi8(a, order, b);
                    let last = _mm512_permutexvar_epi8(order, c);
                    _mm512_mask_blend_epi8(_mm512_movepi8_mask(order), first, last)
                }
                [a, b, c, d] => {
                    let first = _mm512_permutex2var_epi8(a, order, b);
                    let last = _mm512_permutex2var_epi8(c, order, d);
                    _mm512_mask_blend_epi8(_mm512_movepi8_mask(order), first, last)
                }
                _ => unreachable!("one to four registers"),
            })
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline(never)]
    unsafe fn loosely<S: Sink<Self>>(blocks: &Blocks, to: S) -> S {
        // SAFETY: passed on; ISA: enabled here.
        unsafe { loosely(blocks, to) }
    }

    type Windows = Windows;

    #[inline(always)]
    fn windows(panel: &Panel<'_>) -> Option<Windows> {
        Windows::of(panel)
    }

    #[inline(always)]
    unsafe fn gathered<S: Sink<Self>>(windows: &Windows, panel: &Panel<'_>, to: S) -> S {
        // SAFETY: passed on.
        unsafe { gathered(windows, panel, to) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn through(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe { cached::<Zmm>(panel) }
}

/// # Safety
/// As [`through`], for all these panels.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn through_everywhere(panel: &Panel<'_>, moves: &mut Moves<'_>) {
    // SAFETY: passed on, of panels with a row; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe {
        match of_many(panel) {
            Some(windows) => gathered_everywhere::<Zmm>(&windows, panel, moves),
            None => everywhere::<Zmm>(panel, moves),
        }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn around(panel: &Panel<'_>, fence: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VBMI are enabled here.
    unsafe {
        match kept(panel, fence) {
            Some(windows) => gathered_around(windows, panel),
            None => streamed(panel),
        }
    }
}

/// Blocks that follow each other in the source, and of others those that are a part of a line or more. 700x700 of
/// them transposed, cached and streamed, ratios to the roof: 36 bytes 0.31 and 0.19, 72 bytes 0.28 and 0.21, 140
/// bytes 0.35 and 0.26; 16 bytes 0.19 and 0.23, 32 bytes 0.33 and 0.44, 256 bytes 0.41 and 0.60.
fn streams(ask: &Ask) -> bool {
    const PART: usize = LINE / 4;
    let bytes = ask.cols * ask.cell;
    let follow = ask.src_step.unsigned_abs() == bytes;
    takes::<Zmm>(ask)
        && (follow || bytes.is_multiple_of(PART) || ask.src_step.unsigned_abs() <= LINE)
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "shuffle-any-avx512vbmi-1x256",
        family: Family::Shuffle,
        cell: CellSize::Any,
        isa: Isa::Avx512Vbmi,
        tile: Tile {
            rows: 1,
            cols: REGISTERS * Zmm::BYTES,
        },
        needs: takes::<Zmm>,
        call: Call::Everywhere {
            call: through,
            everywhere: through_everywhere,
        },
    },
    Row {
        name: "shuffle-any-avx512vbmi-2x256",
        family: Family::Shuffle,
        cell: CellSize::Any,
        isa: Isa::Avx512Vbmi,
        tile: Tile {
            rows: 2,
            cols: REGISTERS * Zmm::BYTES,
        },
        needs: streams,
        call: Call::Streaming {
            call: around,
            scratch: |_| SCRATCH,
        },
    },
];
