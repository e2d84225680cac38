//! Blocks on their way around the caches: bytes of a line that is not full wait in a register.
//!
//! A file of its own because registers hold bytes that start anywhere in a line, and a streaming store wants all
//! of one. From a stage in the first-level cache lines would have to wait until what they are made of is stored.
//!
//! ```text
//!   carried     |a b c d e . . .|
//!   register    |f g h i j k - -|   turned   |i j k - - f g h|
//!   streamed    |a b c d e f g h|   carried  |i j k . . . . .|
//! ```

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_storeu_epi8,
    _mm512_permutexvar_epi8, _mm512_setzero_si512, _mm512_stream_si512,
};

use super::avx512vbmi::Zmm;
use super::gathered::Windows;
use super::gathered::gathered;
use super::sink::Sink;
use super::walk::walk;
use crate::gather::places::bits;
use crate::panel::{LINE, Panel};

/// The places of a line twice: those of a line turned by some bytes start so many before the second one.
static TWICE: [u8; 2 * LINE] = {
    let (mut places, mut i) = ([0; 2 * LINE], 0);
    while i < 2 * LINE {
        places[i] = (i % LINE) as u8;
        i += 1;
    }
    places
};

/// Around the caches, from any place in a line on.
struct Around {
    /// The line that waits.
    line: *mut u8,
    /// Bytes of it from `start` to `end` are ours, and carried.
    carried: __m512i,
    start: usize,
    end: usize,
}

impl Around {
    /// # Safety
    /// - ISA: AVX-512 F is enabled where this is inlined.
    #[inline(always)]
    unsafe fn new(to: *mut u8) -> Self {
        let start = to.addr() % LINE;
        Self {
            line: to.wrapping_sub(start),
            // SAFETY: ISA: passed on.
            carried: unsafe { _mm512_setzero_si512() },
            start,
            end: start,
        }
    }

    /// Stores what is carried, which does not end a line.
    ///
    /// # Safety
    /// - Range: it can be written.
    /// - ISA: AVX-512 BW is enabled where this is inlined.
    #[inline(always)]
    unsafe fn finish(self) {
        let mask = bits(self.start as isize, self.end as isize);
        // SAFETY: range: masked-out bytes are not accessed, the others are passed on; ISA: passed on.
        unsafe { _mm512_mask_storeu_epi8(self.line.cast(), mask, self.carried) }
    }
}

impl Sink<Zmm> for Around {
    #[inline(always)]
    unsafe fn put(&mut self, Zmm(register): Zmm, bytes: usize) {
        // SAFETY: range: a line of the table, as `end` is less than a line; the line from `start` on, as so many
        // bytes are taken; alignment: a line; ISA: AVX-512 BW and VBMI are enabled where this is inlined.
        unsafe {
            let turn = TWICE.as_ptr().wrapping_add(LINE - self.end);
            let turned = _mm512_permutexvar_epi8(_mm512_loadu_si512(turn.cast()), register);
            let line = _mm512_mask_blend_epi8(!0 << self.end, self.carried, turned);
            self.end += bytes;
            if self.end < LINE {
                self.carried = line;
                return;
            }
            if self.start == 0 {
                _mm512_stream_si512(self.line.cast(), line);
            } else {
                _mm512_mask_storeu_epi8(self.line.cast(), !0 << self.start, line);
                self.start = 0;
            }
            self.line = self.line.wrapping_add(LINE);
            self.end -= LINE;
            self.carried = turned;
        }
    }
}

/// Moves a panel around the caches.
///
/// # Safety
/// As [`walk`], with the guard of the task; AVX-512 BW and VBMI are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn streamed(panel: &Panel<'_>) {
    // SAFETY: passed on; ISA: enabled where this is inlined.
    unsafe {
        if let Some(around) = walk(panel, |to, _| Around::new(to)) {
            around.finish();
        }
    }
}

/// The same of blocks from windows.
///
/// # Safety
/// As [`gathered`], of a panel with a row, with the guard of the task.
#[inline(always)]
pub(super) unsafe fn gathered_around(windows: &Windows, panel: &Panel<'_>) {
    // SAFETY: shape: there is a row; the others passed on.
    unsafe {
        let dst = panel.dst.cell(0, 0);
        gathered(windows, panel, Around::new(dst)).finish();
    }
}
