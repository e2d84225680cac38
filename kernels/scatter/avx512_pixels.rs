//! `scatter` with AVX-512: pixels get a fourth part that is left as it is, as from RGB to RGBA. What
//! moves are cells of three parts, each fourth part of a destination row between them.
//!
//! Three quarters of a line of the source are a line of the destination:
//!
//! ```text
//!   src   r g b r g b r g b r g b               48 bytes
//!   dst   r g b - r g b - r g b - r g b -       64 bytes, 48 of which are written
//! ```
//!
//! Loads and stores are masked: nothing beyond the cells is read, no fourth part is written. A line
//! that is not written whole cannot be streamed.

use core::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_permutexvar_epi8, _mm512_permutexvar_epi16, _mm512_permutexvar_epi32,
    _mm512_shuffle_epi8,
};

use crate::ahead::{FROM_ZEN5, LEAD_ZEN5, pays};
use crate::cpu::from_zen5;
use crate::gather::avx512_pixels::moved;
use crate::gather::coming::Coming;
use crate::isa::{Isa, prefetch_write};
use crate::panel::{LINE, Panel};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// Bytes between a store and the prefetch that goes before it. RGB to RGBA f32, 56 MiB, 2-core AVX-512
/// server VM, lines touched, ratio to the roof with 2, 4, 8 lines and without: 0.67, 0.67, 0.68, 0.50; in
/// the second-level cache all are within the noise.
const AHEAD: usize = 8 * LINE;

/// From how many bytes of a row on that is done, where it pays: a row in the first-level cache takes 0.24 of memcpy
/// with and 0.28 without.
const COLD: usize = 20 << 10;

/// Which part of a line of the source, or of a lane of one, goes to each place of one of the destination.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Places([u8; LINE]);

impl Places {
    const fn of(part: usize) -> Self {
        let (mut places, mut i) = (Self([0; LINE]), 0);
        while i < LINE / part {
            // Fourth parts come from anywhere.
            places.0[i * part] = (i / 4 * 3 + i % 4 % 3) as u8;
            i += 1;
        }
        places
    }

    /// Of parts of a byte, in each lane by itself.
    const fn of_lanes() -> Self {
        let (one, mut places, mut i) = (Self::of(1), Self([0; LINE]), 0);
        while i < LINE {
            places.0[i] = one.0[i % 16];
            i += 1;
        }
        places
    }

    /// # Safety
    /// - ISA: AVX-512 F.
    #[inline(always)]
    unsafe fn get(&self) -> __m512i {
        // SAFETY: range: a table is a line; ISA: the caller's.
        unsafe { _mm512_loadu_si512(self.0.as_ptr().cast()) }
    }
}

/// Parts of pixels.
trait Part: Copy {
    /// Bytes of a part.
    const BYTES: usize;
    /// Pixels of a line of the destination.
    const PIXELS: usize = LINE / Self::BYTES / 4;

    /// Parts of `line` where pixels have a fourth one.
    ///
    /// # Safety
    /// - ISA: what the rows of this part enable.
    unsafe fn apart(line: __m512i) -> __m512i;
}

/// Parts of a byte where none but words are permuted across lanes: three of the source are a lane of the destination,
/// inside of which bytes are shuffled. RGB to RGBA, of the roof, cell by cell and so (Xeon): 100 KB 0.16 and 0.78, 2 MB 0.37
/// and 0.71, 33 MB 0.34 and 0.54. With VBMI, one permutation, 1 KB 0.30 and, so, 0.26; larger ones the same.
#[derive(Clone, Copy)]
struct Lanes;

impl Part for Lanes {
    const BYTES: usize = 1;

    #[inline(always)]
    unsafe fn apart(line: __m512i) -> __m512i {
        // SAFETY: ISA: the caller's.
        unsafe {
            let lanes = _mm512_permutexvar_epi32(const { &Places::of(4) }.get(), line);
            _mm512_shuffle_epi8(lanes, const { &Places::of_lanes() }.get())
        }
    }
}

/// Stamps one size of parts that one permutation puts where they belong.
macro_rules! part {
    ($name:ident, $bytes:literal, $permute:ident) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Part for $name {
            const BYTES: usize = $bytes;

            #[inline(always)]
            unsafe fn apart(line: __m512i) -> __m512i {
                // SAFETY: ISA: the caller's.
                unsafe { $permute(const { &Places::of($bytes) }.get(), line) }
            }
        }
    };
}

part!(One, 1, _mm512_permutexvar_epi8);
part!(Two, 2, _mm512_permutexvar_epi16);
part!(Four, 4, _mm512_permutexvar_epi32);

/// Moves `len` pixels, up to a line of the destination.
///
/// # Safety
/// The contract of the crate, for these pixels; ISA: AVX-512 BW, and that of `P`.
#[inline(always)]
unsafe fn line<P: Part>(src: *const u8, dst: *mut u8, len: usize) {
    let pixel = 3 * P::BYTES;
    let cells: u64 = !0 >> (LINE - len * pixel);
    let places = !0 >> (LINE - len * 4 * P::BYTES);
    // SAFETY: range: the masks name the parts of `len` pixels on either side, and what they leave
    // out is not accessed; ISA: the caller's.
    unsafe {
        let parts = _mm512_maskz_loadu_epi8(cells, src.cast());
        _mm512_mask_storeu_epi8(dst.cast(), moved(P::BYTES) & places, P::apart(parts));
    }
}

/// What is asked for on both sides of a panel, and how many bytes ahead. Made once per panel.
///
/// Of the roof without and with, Zen 5: RGB to RGBA u8, 32 MB, 0.49 and 0.97, u16 0.42 and 0.89, f32 0.44 and 1.00; after all
/// had been flushed 0.57 and 0.87; 6 MB of f32 0.79 and 0.83, 0.53 and 0.80.
#[derive(Clone, Copy)]
struct Asked {
    coming: Coming,
    lead: Option<usize>,
}

impl Asked {
    fn of<P: Part>(panel: &Panel<'_>) -> Self {
        let row = panel.cols * 4 * P::BYTES;
        let lead = if from_zen5() {
            (panel.rows * row >= FROM_ZEN5).then_some(LEAD_ZEN5)
        } else {
            pays(row, COLD).then_some(AHEAD)
        };
        let coming = Coming::over(panel.rows * panel.cols * panel.cell, 1);
        Self { coming, lead }
    }
}

/// Moves a row of `len` pixels.
///
/// # Safety
/// As [`line`].
#[inline(always)]
unsafe fn row_of_pixels<P: Part>(src: *const u8, dst: *mut u8, len: usize, asked: Asked) {
    let whole = len / P::PIXELS * P::PIXELS;
    for at in (0..whole).step_by(P::PIXELS) {
        let (from, to) = (at * 3 * P::BYTES, at * 4 * P::BYTES);
        if let Some(lead) = asked.lead {
            prefetch_write(dst.wrapping_add(to + lead));
        }
        asked.coming.ask(src.wrapping_add(from), 1);
        // SAFETY: range and aliasing: a line of pixels from `at` on is in the row; ISA: passed on.
        unsafe { line::<P>(src.wrapping_add(from), dst.wrapping_add(to), P::PIXELS) };
    }
    if whole < len {
        let (from, to) = (whole * 3 * P::BYTES, whole * 4 * P::BYTES);
        // SAFETY: the rest of the row, 1 pixel or more; ISA: passed on.
        unsafe { line::<P>(src.wrapping_add(from), dst.wrapping_add(to), len - whole) };
    }
}

/// Stamps the function of one size of parts, and gives the row around it.
macro_rules! row {
    ($part:ident, $isa:ident, $features:literal, $name:expr) => {{
        #[target_feature(enable = $features)]
        unsafe fn pixels(panel: &Panel<'_>) {
            let asked = Asked::of::<$part>(panel);
            for r in 0..panel.rows {
                // SAFETY: the contract of the crate, with a panel this row takes; shape: r is below
                // rows; ISA: enabled here.
                unsafe {
                    let (src, dst) = (panel.src_cell(r, 0), panel.dst_cell(r, 0));
                    row_of_pixels::<$part>(src, dst, panel.cols, asked);
                }
            }
        }
        Row {
            name: $name,
            family: Family::Scatter,
            cell: CellSize::Exact(3 * $part::BYTES),
            isa: Isa::$isa,
            tile: Tile {
                rows: 1,
                cols: $part::PIXELS,
            },
            needs: gets_a_part,
            call: Call::Cached(pixels),
        }
    }};
}

fn gets_a_part(ask: &Ask) -> bool {
    ask.src_step == ask.cell as isize && ask.dst_step.checked_mul(3) == Some(4 * ask.src_step)
}

pub(super) static ROWS: &[Row] = &[
    row!(
        One,
        Avx512Vbmi,
        "avx512f,avx512bw,avx512vl,avx512vbmi",
        "scatter-3-avx512vbmi-1x16"
    ),
    row!(
        Lanes,
        Avx512,
        "avx512f,avx512bw,avx512vl",
        "scatter-3-avx512-1x16"
    ),
    row!(
        Two,
        Avx512,
        "avx512f,avx512bw,avx512vl",
        "scatter-6-avx512-1x8"
    ),
    row!(
        Four,
        Avx512,
        "avx512f,avx512bw,avx512vl",
        "scatter-12-avx512-1x4"
    ),
];
