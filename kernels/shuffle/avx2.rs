//! `shuffle` with 32-byte registers. Their permutes stay within halves of sixteen bytes, so each register is
//! permuted as it is and with its halves exchanged, and the bytes that were found are put together.
//!
//! There are no masks to leave bytes out, so loose blocks are taken where what lies between their cells may be read. Of the
//! roof, by the rows that had them before and so, Xeon, images of 2 MP: RGBA to BGR u8 0.14 and 0.76, f32 0.32 and 0.41;
//! gray to RGB u8 0.11 and 1.26, f32 0.37 and 0.66; RGB mirrored u8 0.25 and 0.72, u16 0.29 and 0.46; every second pixel
//! of RGB u8 0.19 and 0.31; cells twice u8 0.06 and 0.45, u16 0.14 and 0.76, f32 0.21 and 0.88, RGB u8 0.15 and 0.88.

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set_epi32, _mm_set_epi64x, _mm_set1_epi8,
    _mm256_adds_epu8, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_set_m128i, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_xor_si256,
    _mm256_zextsi128_si256,
};
use core::ops::Range;

use super::REGISTERS;
use super::gathered_avx2::Gathered;
use super::loose::{Blocks, loosely};
use super::register::Register;
use super::sink::Sink;
use super::walk::{cached, everywhere, takes};
use super::whole::{fills_registers, streamed};
use crate::fence::StreamFence;
use crate::gather::pick::Joint;
use crate::isa::Isa;
use crate::panel::{LINE, Panel, SourceGaps, stretches};
use crate::row::{Ask, Call, CellSize, Family, Moves, Row, Tile};

#[derive(Clone, Copy)]
pub(super) struct Ymm(pub(super) __m256i);

/// Bytes of half a register.
const HALF: u8 = 16;

/// Of a register, the byte of the same half for each place, and the byte of the other half; none where the
/// highest bit is set.
#[derive(Clone, Copy)]
pub(super) struct Places {
    same: __m256i,
    other: __m256i,
}

impl Places {
    /// Those of `places` that are in the register with byte `start`.
    ///
    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn of(places: __m256i, start: u8) -> Self {
        // SAFETY: ISA: passed on.
        unsafe {
            let (low, high) = (
                _mm_set1_epi8(start as i8),
                _mm_set1_epi8((start + HALF) as i8),
            );
            let same = _mm256_xor_si256(places, _mm256_set_m128i(high, low));
            let other = _mm256_xor_si256(places, _mm256_set_m128i(low, high));
            // Below 16 where the byte is in the half; all others get the highest bit.
            let rest = _mm256_set1_epi8((0x80 - HALF) as i8);
            Self {
                same: _mm256_adds_epu8(same, rest),
                other: _mm256_adds_epu8(other, rest),
            }
        }
    }

    /// The bytes of this register, each in its place; zeros elsewhere.
    ///
    /// # Safety
    /// - ISA: AVX2 is enabled where this is inlined.
    #[inline(always)]
    unsafe fn found(self, register: __m256i) -> __m256i {
        /// The second half before the first.
        const EXCHANGED: i32 = 0b01_00_11_10;
        // SAFETY: ISA: passed on.
        unsafe {
            let exchanged = _mm256_permute4x64_epi64::<EXCHANGED>(register);
            let same = _mm256_shuffle_epi8(register, self.same);
            _mm256_or_si256(same, _mm256_shuffle_epi8(exchanged, self.other))
        }
    }
}

/// Copies the first and the last `N` of so many bytes.
///
/// # Safety
/// - Range: so many, at least `N`, can be read and written.
/// - Aliasing: they do not overlap.
#[inline(always)]
unsafe fn both_ends<const N: usize>(from: *const u8, to: *mut u8, bytes: usize) {
    let last = bytes - N;
    // SAFETY: range and aliasing: passed on.
    unsafe {
        core::ptr::copy_nonoverlapping(from, to, N);
        core::ptr::copy_nonoverlapping(from.wrapping_add(last), to.wrapping_add(last), N);
    }
}

impl Register for Ymm {
    const BYTES: usize = 32;
    const LOOSE: usize = 32;
    const MASKS: bool = false;
    type Order<const N: usize> = [Places; N];

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: passed on.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self {
        let mut joint = Joint([0; LINE]);
        let line = joint.0.as_mut_ptr();
        // SAFETY: range: bytes of the caller's, and their places in a line of this function's own; ISA: passed on.
        unsafe {
            // As many at a time as follow each other, which mostly are all.
            for (at, count) in stretches(bytes) {
                let (from, to) = (from.wrapping_add(at), line.wrapping_add(at));
                core::ptr::copy_nonoverlapping(from, to, count);
            }
            Self::load(line)
        }
    }

    #[inline(always)]
    unsafe fn load_following(from: *const u8, bytes: Range<usize>) -> Self {
        let (from, count) = (from.wrapping_add(bytes.start), bytes.len());
        let end = from.wrapping_add(count);
        // SAFETY: range: as many bytes as there are, or less, from the first one on and up to the last one; ISA: passed on.
        unsafe {
            Self(match count {
                16.. => {
                    let low = _mm_loadu_si128(from.cast());
                    let high = _mm_loadu_si128(end.wrapping_sub(16).cast());
                    _mm256_set_m128i(high, low)
                }
                8.. => {
                    let low = from.cast::<i64>().read_unaligned();
                    let high = end.cast::<i64>().wrapping_sub(1).read_unaligned();
                    _mm256_zextsi128_si256(_mm_set_epi64x(high, low))
                }
                4.. => {
                    let low = from.cast::<i32>().read_unaligned();
                    let high = end.cast::<i32>().wrapping_sub(1).read_unaligned();
                    _mm256_zextsi128_si256(_mm_set_epi32(0, 0, high, low))
                }
                2.. => {
                    let low = from.cast::<u16>().read_unaligned();
                    let high = end.cast::<u16>().wrapping_sub(1).read_unaligned();
                    let both = u32::from(high) << 16 | u32::from(low);
                    _mm256_zextsi128_si256(_mm_cvtsi32_si128(both as i32))
                }
                _ => _mm256_zextsi128_si256(_mm_cvtsi32_si128(i32::from(*from))),
            })
        }
    }

    /// The bytes are loaded from both ends, one half behind the other, which overlap.
    #[inline(always)]
    unsafe fn order_of_some(places: &[u8; LINE], bytes: Range<usize>) -> [Places; 1] {
        let (start, count) = (bytes.start as u8, bytes.len() as u8);
        let half = HALF.min(1 << count.checked_ilog2().unwrap_or(0));
        let moved = (2 * half).wrapping_sub(count);
        let places = places.map(|place| {
            let place = place.wrapping_sub(start);
            place.wrapping_add(if place < half { 0 } else { moved })
        });
        // SAFETY: passed on.
        unsafe { Self::order::<1>(&places) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        let mut joint = Joint([0; LINE]);
        let line = joint.0.as_mut_ptr();
        // SAFETY: range: a line of this function's own, and bytes of the caller's, which are at least as many; ISA: passed on.
        unsafe {
            self.store(line);
            match bytes {
                16.. => both_ends::<16>(line, to, bytes),
                8.. => both_ends::<8>(line, to, bytes),
                4.. => both_ends::<4>(line, to, bytes),
                2.. => both_ends::<2>(line, to, bytes),
                _ => both_ends::<1>(line, to, bytes),
            }
        }
    }

    #[inline(always)]
    unsafe fn order<const N: usize>(places: &[u8; LINE]) -> [Places; N] {
        // SAFETY: range: half a line of the caller's; ISA: passed on.
        unsafe {
            let places = _mm256_loadu_si256(places.as_ptr().cast());
            let mut order = [Places::of(places, 0); N];
            for (nth, order) in order.iter_mut().enumerate().skip(1) {
                *order = Places::of(places, (nth * Self::BYTES) as u8);
            }
            order
        }
    }

    #[inline(always)]
    unsafe fn shuffle<const N: usize>(order: [Places; N], from: [Self; N]) -> Self {
        // SAFETY: ISA: AVX2 is enabled where this is inlined.
        unsafe {
            let mut all = order[0].found(from[0].0);
            for nth in 1..N {
                all = _mm256_or_si256(all, order[nth].found(from[nth].0));
            }
            Self(all)
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn loosely<S: Sink<Self>>(blocks: &Blocks, to: S) -> S {
        // SAFETY: passed on; ISA: enabled here.
        unsafe { loosely(blocks, to) }
    }

    type Windows = Gathered;

    #[inline(always)]
    fn windows(panel: &Panel<'_>) -> Option<Gathered> {
        match panel.gaps {
            SourceGaps::Readable => Gathered::of(panel),
            SourceGaps::Forbidden => None,
        }
    }

    #[inline(always)]
    unsafe fn gathered<S: Sink<Self>>(gathered: &Gathered, panel: &Panel<'_>, to: S) -> S {
        // SAFETY: passed on; what lies between the cells may be read, or there were none.
        unsafe { gathered.put(panel.src.base, to) }
    }
}

/// # Safety
/// The contract of the crate, with a panel this row takes.
#[target_feature(enable = "avx2")]
unsafe fn through(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { cached::<Ymm>(panel) }
}

/// # Safety
/// As [`through`], for all these panels.
#[target_feature(enable = "avx2")]
unsafe fn through_everywhere(panel: &Panel<'_>, moves: &mut Moves<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe { everywhere::<Ymm>(panel, moves) }
}

/// # Safety
/// The contract of the crate, with a panel this row takes and the guard of its task.
#[target_feature(enable = "avx2")]
unsafe fn around(panel: &Panel<'_>, _: &StreamFence<'_>) {
    // SAFETY: passed on; ISA: AVX2 is enabled here.
    unsafe {
        if !streamed(panel) {
            cached::<Ymm>(panel);
        }
    }
}

/// Whether blocks follow each other in the source.
fn follow(ask: &Ask) -> bool {
    ask.src_step.unsigned_abs() == ask.cols * ask.cell
}

/// Without masks, what others leave out would be loaded byte by byte: blocks that follow each other in the source, or of which
/// whole registers may be loaded.
fn takes_whole_registers(ask: &Ask) -> bool {
    takes::<Ymm>(ask) && (follow(ask) || ask.gaps == SourceGaps::Readable)
}

/// Those that are stored in whole registers.
fn streams(ask: &Ask) -> bool {
    takes::<Ymm>(ask) && follow(ask) && fills_registers(ask.cols * ask.cell)
}

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "shuffle-any-avx2-1x128",
        family: Family::Shuffle,
        cell: CellSize::Any,
        isa: Isa::Avx2,
        tile: Tile {
            rows: 1,
            cols: REGISTERS * Ymm::BYTES,
        },
        needs: takes_whole_registers,
        call: Call::Everywhere {
            call: through,
            everywhere: through_everywhere,
        },
    },
    Row {
        name: "shuffle-any-avx2-2x128",
        family: Family::Shuffle,
        cell: CellSize::Any,
        isa: Isa::Avx2,
        tile: Tile {
            rows: 2,
            cols: REGISTERS * Ymm::BYTES,
        },
        needs: streams,
        call: Call::Streaming {
            call: around,
            scratch: |_| 0,
        },
    },
];
