//! `transpose` with AVX-512, cells of one and two bytes: tiles whose registers are quarters of four source rows.
//!
//! A register is 16 bytes of each of four source rows, as many rows apart as 16 bytes are cells, put together by
//! inserts from memory. What is left are four independent square transpositions, one in each lane, which are the
//! [cells'](Quartered) own. What comes of it are lines of the destination.
//!
//! Where source rows crowd into few sets of the caches, a line of each is copied side by side first, and transposed
//! there. Panels of few columns turn the tile around: a register is a line of one source row, and each
//! lane of a result is a piece of 16 bytes of a destination row. Cells beyond the columns are masked
//! out of stores, which never fault there; source rows beyond them are the last one again, of which
//! nothing is stored.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm512_castsi128_si512, _mm512_extracti32x4_epi32,
    _mm512_inserti32x4, _mm512_loadu_si512, _mm512_store_si512, _mm512_storeu_si512,
};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::lines::{Clamped, Lines, Strided};
use super::walk::{RegisterTile, walk};
use crate::panel::{LINE, Panel};

/// Sixteen bytes of a source row, from `from` bytes after the start of its line on.
///
/// # Safety
/// - Shape: the line exists.
/// - Range: those bytes can be read.
#[inline(always)]
unsafe fn sixteen(src: impl Lines, line: usize, from: isize) -> __m128i {
    // SAFETY: shape and range are the caller's; alignment: an unaligned load; ISA: part of SSE2.
    unsafe { _mm_loadu_si128(src.at(line).wrapping_offset(from).cast()) }
}

/// Sixteen bytes of source rows `i`, `i + apart` and so on, a quarter of the register each.
///
/// # Safety
/// - Shape: the four lines exist.
/// - Range: the bytes from `from` bytes after the start of each line on can be read.
/// - ISA: AVX-512 F.
#[inline(always)]
pub(super) unsafe fn quarters(src: impl Lines, i: usize, apart: usize, from: isize) -> __m512i {
    // SAFETY: passed on.
    unsafe {
        let register = _mm512_castsi128_si512(sixteen(src, i, from));
        let register = _mm512_inserti32x4::<1>(register, sixteen(src, i + apart, from));
        let register = _mm512_inserti32x4::<2>(register, sixteen(src, i + 2 * apart, from));
        _mm512_inserti32x4::<3>(register, sixteen(src, i + 3 * apart, from))
    }
}

/// Cells that are transposed as quarters of registers.
pub(super) trait Quartered: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of 16 bytes: registers of a tile.
    const R: usize = 16 / Self::CELL;
    /// Cells of a line.
    const N: usize = LINE / Self::CELL;

    /// `R` registers.
    type Registers: Copy + AsRef<[__m512i]>;

    /// Makes `R` registers and transposes `R` by `R` cells in each lane of them.
    ///
    /// # Safety
    /// - All that [`Make::register`] asks of the first `R`.
    /// - ISA: AVX-512 F, BW and VL.
    unsafe fn transposed(rows: impl Make) -> Self::Registers;

    /// Stores the first `cells` cells of a piece.
    ///
    /// # Safety
    /// - Shape: `cells` is 1 to `R`.
    /// - Range: so many cells can be written.
    /// - Alignment: none.
    /// - ISA: AVX-512 F, BW and VL.
    unsafe fn store_part(to: *mut u8, cells: usize, piece: __m128i);
}

/// What registers are made of. No closure: one that is called from several places is not inlined for sure.
pub(super) trait Make: Copy {
    /// Register `i`.
    ///
    /// # Safety
    /// What the implementor says.
    unsafe fn register(self, i: usize) -> __m512i;
}

/// Cells `R * block ..` of source rows `i`, `i + R`, `i + 2 * R` and `i + 3 * R`, one in each lane.
#[derive(Clone, Copy)]
struct Quarters<C, L> {
    src: L,
    block: usize,
    cells: PhantomData<C>,
}

impl<C: Quartered, L: Lines> Make for Quarters<C, L> {
    /// # Safety
    /// - Shape: the four lines exist.
    /// - Range: those cells can be read in all four.
    /// - ISA: AVX-512 F.
    #[inline(always)]
    unsafe fn register(self, i: usize) -> __m512i {
        // SAFETY: passed on to the caller.
        unsafe { quarters(self.src, i, C::R, 16 * self.block as isize) }
    }
}

/// A line of source row `i`.
#[derive(Clone, Copy)]
struct Rows<L>(L);

impl<L: Lines> Make for Rows<L> {
    /// # Safety
    /// - Shape: the line exists.
    /// - Range: a line can be read there.
    /// - ISA: AVX-512 F.
    #[inline(always)]
    unsafe fn register(self, i: usize) -> __m512i {
        // SAFETY: shape, range and ISA are the caller's; alignment: an unaligned load.
        unsafe { _mm512_loadu_si512(self.0.at(i).cast()) }
    }
}

/// Destination rows `R * block ..` of a tile, a line each.
///
/// # Safety
/// - Shape: `N` lines of the source exist.
/// - Range: cells `R * block ..` of each, 16 bytes, can be read.
/// - ISA: AVX-512 F, BW and VL.
#[inline(always)]
pub(super) unsafe fn lines<C: Quartered>(src: impl Lines, block: usize) -> C::Registers {
    let cells = PhantomData::<C>;
    // SAFETY: shape, range and ISA: passed on to the caller.
    unsafe { C::transposed(Quarters { src, block, cells }) }
}

/// A whole tile: `R` rows and `N` columns.
#[derive(Clone, Copy)]
pub(super) struct Whole<C>(pub(super) PhantomData<C>);

impl<C: Quartered> RegisterTile for Whole<C> {
    const CELL: usize = C::CELL;
    const SIDE: usize = C::N;

    #[inline(always)]
    fn rows(self) -> usize {
        C::R
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        // SAFETY: shape: lines 0..N of the source exist, and 0..R of the destination; range: R cells
        // of a source line are 16 bytes, N cells of a destination line a register; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned stores;
        // ISA: the caller has AVX-512 F, BW and VL.
        unsafe {
            let lines = lines::<C>(src, 0);
            for (i, line) in lines.as_ref().iter().enumerate() {
                _mm512_storeu_si512(dst.at(i).cast(), *line);
            }
        }
    }
}

/// A square of `N` by `N` cells, a line of each of `N` source rows, that is copied side by side and
/// transposed there.
#[derive(Clone, Copy)]
pub(super) struct Staged<C>(pub(super) PhantomData<C>);

/// Lines of the largest square.
#[repr(align(64))]
struct Stage([[MaybeUninit<u8>; LINE]; LINE]);

impl<C: Quartered> RegisterTile for Staged<C> {
    const CELL: usize = C::CELL;
    const SIDE: usize = C::N;

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let mut stage = Stage([[MaybeUninit::uninit(); LINE]; LINE]);
        let base = stage.0.as_mut_ptr().cast::<u8>();
        // SAFETY: shape: lines 0..N exist on both sides; range: N cells of a line are a register,
        // and so is each of the N lines of the stage, which has 64; aliasing: all is read before the first store
        // to the destination, and the sides do not overlap; alignment: lines of the stage start at
        // lines, other accesses are unaligned; ISA: the caller has AVX-512 F, BW and VL.
        unsafe {
            for i in 0..C::N {
                let line = Rows(src).register(i);
                _mm512_store_si512(base.wrapping_add(LINE * i).cast(), line);
            }
            let stride = LINE as isize;
            let src = Strided { base, stride };
            for block in 0..C::N / C::R {
                let lines = lines::<C>(src, block);
                for (i, line) in lines.as_ref().iter().enumerate() {
                    _mm512_storeu_si512(dst.at(C::R * block + i).cast(), *line);
                }
            }
        }
    }
}

/// The tile turned around: `N` rows and 1 to `R` columns.
#[derive(Clone, Copy)]
pub(super) struct Turned<C> {
    pub(super) cols: usize,
    pub(super) cells: PhantomData<C>,
}

impl<C: Quartered> Turned<C> {
    /// Stores lane `LANE` of registers as destination rows `LANE * R ..`.
    ///
    /// # Safety
    /// - Shape: destination lines below `N` exist, and there are 1 to `R` columns.
    /// - Range: so many cells can be written at each line.
    /// - Alignment: none.
    /// - ISA: AVX-512 F, BW and VL.
    #[inline(always)]
    unsafe fn store_lane<const LANE: i32>(self, registers: C::Registers, dst: impl Lines) {
        let first = LANE as usize * C::R;
        for (i, register) in registers.as_ref().iter().enumerate() {
            // SAFETY: shape, range and ISA: the caller's.
            unsafe {
                let piece = _mm512_extracti32x4_epi32::<LANE>(*register);
                C::store_part(dst.at(first + i), self.cols, piece);
            }
        }
    }
}

impl<C: Quartered> RegisterTile for Turned<C> {
    const CELL: usize = C::CELL;
    const SIDE: usize = C::N;

    #[inline(always)]
    fn cols(self) -> usize {
        self.cols
    }

    #[inline(always)]
    unsafe fn transpose(self, src: impl Lines, dst: impl Lines) {
        let last = self.cols - 1;
        // SAFETY: shape: source lines are clamped to those that exist, destination lines 0..N do, columns are 1 to R;
        // range: N cells of a source line are a register, columns are what a destination line has; aliasing: all is
        // read before the first store, and the sides do not overlap; alignment: unaligned accesses; ISA: the caller
        // has AVX-512 F, BW and VL.
        unsafe {
            let registers = C::transposed(Rows(Clamped { lines: src, last }));
            self.store_lane::<0>(registers, dst);
            self.store_lane::<1>(registers, dst);
            self.store_lane::<2>(registers, dst);
            self.store_lane::<3>(registers, dst);
        }
    }
}

/// Bytes from the first source row to the second.
///
/// # Safety
/// - Shape: the panel has two columns or more.
#[inline(always)]
pub(super) unsafe fn apart(panel: &Panel<'_>) -> usize {
    // SAFETY: shape: the caller's.
    let (first, second) = unsafe { (panel.src_cell(0, 0), panel.src_cell(0, 1)) };
    second.addr().wrapping_sub(first.addr())
}

/// [`walk`] in a function of its own: of three walks in one, the compiler makes less (Zen 4, u8 1000x16 in tiles
/// turned around 760 ns, 1000 so).
///
/// # Safety
/// As [`walk`], with a tile of AVX2 or of AVX-512 F, BW and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline(never)]
pub(super) unsafe fn walk_apart<T: RegisterTile>(panel: &Panel<'_>, tile: T) {
    // SAFETY: passed on; ISA: AVX-512 F, BW and VL are enabled here.
    unsafe { walk(panel, tile) }
}
