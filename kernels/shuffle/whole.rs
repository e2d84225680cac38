//! Blocks on their way around the caches, with AVX2: those of which whole registers are stored, one behind the other.
//!
//! Of the roof, cached and so, again and again, then after all had been flushed, Zen 3: byte order of u32, 16 MiB 0.79 and 1.06,
//! 0.75 and 1.06; f32 4x4, 64 MiB 0.58 and 1.00, 0.63 and 1.06; complex numbers to planes, 48 MiB 0.70 and 0.96, 0.61 and 0.88.
//!
//! A file of its own because registers of 32 bytes cannot be turned by any number of them, as those of
//! [`carry`](super::carry) are. Others could wait in a stage until lines are full: of the roof, through the caches and by
//! a stage of 4 KiB that is sent 2 KiB or 256 bytes at a time, 1 KiB behind, Zen 3: f32 3x3 0.61, 0.53, and 0.44; f64 3x3
//! 0.62, 0.46, and 0.45; 27 f32 0.57, 0.43, and 0.40; BGR to RGB u8 0.74, 0.52, and 0.55.

use core::arch::x86_64::{
    _mm_stream_si128, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_stream_si256,
};

use super::avx2::Ymm;
use super::block::Block;
use super::register::Register;
use super::sink::Sink;
use super::walk::blocks;
use crate::panel::Panel;

/// Whether blocks of so many bytes are stored in whole registers.
pub(super) fn fills_registers(bytes: usize) -> bool {
    bytes.is_multiple_of(Ymm::BYTES) || Ymm::BYTES.is_multiple_of(bytes)
}

/// Bytes of half a register: what large allocations start at a multiple of.
const HALF: usize = Ymm::BYTES / 2;

/// Around the caches, from a multiple of `UNIT` bytes on: of a register, or of half of one.
struct Around<const UNIT: usize> {
    to: *mut u8,
}

impl<const UNIT: usize> Sink<Ymm> for Around<UNIT> {
    const ASKS: bool = true;

    #[inline(always)]
    unsafe fn put(&mut self, Ymm(register): Ymm, bytes: usize) {
        // SAFETY: range: passed on; alignment: whole registers from a unit on, of which what is less is the last; ISA: AVX2 is
        // enabled where this is inlined.
        unsafe {
            if bytes < Ymm::BYTES {
                Ymm(register).store_part(self.to, bytes);
            } else if UNIT == Ymm::BYTES {
                _mm256_stream_si256(self.to.cast(), register);
            } else {
                let (low, high) = (
                    _mm256_castsi256_si128(register),
                    _mm256_extracti128_si256::<1>(register),
                );
                _mm_stream_si128(self.to.cast(), low);
                _mm_stream_si128(self.to.wrapping_add(HALF).cast(), high);
            }
        }
        self.to = self.to.wrapping_add(bytes);
    }
}

/// Moves a panel around the caches, if it is one of blocks that [fill registers](fills_registers) on both sides, from the
/// start of one or of half of one on. Whether it did.
///
/// # Safety
/// The contract of the crate, with a panel that [`takes`](super::walk::takes) admits and the guard of its task; AVX2 is
/// enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn streamed(panel: &Panel<'_>) -> bool {
    let Some(block) = Block::of(panel, Ymm::LOOSE).filter(|_| panel.rows > 0) else {
        return false;
    };
    if !block.follows() || !fills_registers(block.bytes) {
        return false;
    }
    // SAFETY: shape: there is a row; the rest is passed on; alignment: of the unit, which halves of registers are multiples
    // of.
    unsafe {
        let to = panel.dst.cell(0, 0);
        match to.addr() % Ymm::BYTES {
            0 => drop(blocks(block, panel, Around::<{ Ymm::BYTES }> { to })),
            HALF => drop(blocks(block, panel, Around::<HALF> { to })),
            _ => return false,
        }
    }
    true
}
