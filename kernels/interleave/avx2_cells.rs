//! What depends on the size of a cell where a register has 32 bytes: how cells of a register, or of
//! three, are put into another order. Tables, and an instruction or two.
//!
//! A file of its own because `avx2` is the same for all sizes.

use core::arch::x86_64::{
    __m256i, _mm256_blend_epi32, _mm256_blendv_epi8, _mm256_loadu_si256, _mm256_permute2x128_si256,
    _mm256_permutevar8x32_epi32, _mm256_shuffle_epi8,
};

use super::avx2_line::HALF;

/// Bytes of a register from a table.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Table([u8; HALF]);

impl Table {
    /// # Safety
    /// - ISA: AVX2.
    #[inline(always)]
    unsafe fn get(&self) -> __m256i {
        // SAFETY: range: a register; ISA: the caller's.
        unsafe { _mm256_loadu_si256(self.0.as_ptr().cast()) }
    }

    /// For each byte of sixteen, twice, where it comes from: bytes of cell `from[i]` to cell `i`.
    const fn bytes(cell: usize, from: [usize; 16]) -> Self {
        let (mut table, mut i) = (Self([0; HALF]), 0);
        while i < HALF {
            let place = i % 16;
            table.0[i] = (from[place / cell] * cell + place % cell) as u8;
            i += 1;
        }
        table
    }

    /// For each of eight words, where it comes from.
    const fn words(from: [u8; 8]) -> Self {
        let (mut table, mut i) = (Self([0; HALF]), 0);
        while i < 8 {
            table.0[4 * i] = from[i];
            i += 1;
        }
        table
    }

    /// Ones in the cells of line `j` of three that are of this plane; cells repeat after `cells`.
    pub(super) const fn of_plane(cell: usize, cells: usize, j: usize, plane: usize) -> Self {
        let (mut table, mut i) = (Self([0; HALF]), 0);
        while i < HALF {
            if (j * cells + i / cell % cells) % 3 == plane {
                table.0[i] = 0xff;
            }
            i += 1;
        }
        table
    }
}

/// The cells of one of three planes, taken in from three pieces of `cells` cells, in order.
const fn in_order(cells: usize, plane: usize) -> [usize; 16] {
    let (mut from, mut i) = ([0; 16], 0);
    while i < cells {
        from[i] = (3 * i + plane) % cells;
        i += 1;
    }
    from
}

/// The inverse of [`in_order`].
const fn apart(cells: usize, plane: usize) -> [usize; 16] {
    let (mut from, mut i) = ([0; 16], 0);
    while i < cells {
        from[(3 * i + plane) % cells] = i;
        i += 1;
    }
    from
}

/// The cells of each of `planes` planes together.
const fn grouped(cells: usize, planes: usize) -> [usize; 16] {
    let (mut from, mut i) = ([0; 16], 0);
    let each = cells / planes;
    while i < cells {
        from[i] = planes * (i % each) + i / each;
        i += 1;
    }
    from
}

/// The inverse of [`grouped`].
const fn ungrouped(cells: usize, planes: usize) -> [usize; 16] {
    let (mut from, mut i) = ([0; 16], 0);
    let each = cells / planes;
    while i < cells {
        from[planes * (i % each) + i / each] = i;
        i += 1;
    }
    from
}

/// The cells from last to first.
const fn turned(cells: usize) -> [usize; 16] {
    let (mut from, mut i) = ([0; 16], 0);
    while i < cells {
        from[i] = cells - 1 - i;
        i += 1;
    }
    from
}

/// Cells of `a` and `b` by a mask.
///
/// # Safety
/// - ISA: AVX2.
#[inline(always)]
pub(super) unsafe fn choose(mask: &Table, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: ISA: the caller's.
    unsafe { _mm256_blendv_epi8(a, b, mask.get()) }
}

/// What depends on the size of a cell. Registers in, registers out.
pub(super) trait Sized256: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of the piece in which three planes are put in order.
    const PIECE: usize;

    /// Three registers of pixels as pieces that follow each other, and back.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn deal(lines: [__m256i; 3]) -> [__m256i; 3];
    /// The inverse of [`Self::deal`].
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn collect(pieces: [__m256i; 3]) -> [__m256i; 3];
    /// The cells of plane `P`, in the order of a piece, in order.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn in_order<const P: usize>(cells: __m256i) -> __m256i;
    /// The inverse of [`Self::in_order`].
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn apart<const P: usize>(cells: __m256i) -> __m256i;
    /// The cells of each of `N` planes together.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn grouped<const N: usize>(cells: __m256i) -> __m256i;
    /// The inverse of [`Self::grouped`].
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn ungrouped<const N: usize>(cells: __m256i) -> __m256i;
    /// The cells from last to first.
    ///
    /// # Safety
    /// - ISA: AVX2.
    unsafe fn turned(cells: __m256i) -> __m256i;
}

/// Cells of one and two bytes.
#[derive(Clone, Copy)]
pub(crate) struct Small<const CELL: usize>;

impl<const C: usize> Sized256 for Small<C> {
    const CELL: usize = C;
    const PIECE: usize = 16 / C;

    #[inline(always)]
    unsafe fn deal([a, b, c]: [__m256i; 3]) -> [__m256i; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            [
                _mm256_blend_epi32::<0xf0>(a, b),
                _mm256_permute2x128_si256::<0x21>(a, c),
                _mm256_blend_epi32::<0xf0>(b, c),
            ]
        }
    }

    #[inline(always)]
    unsafe fn collect([a, b, c]: [__m256i; 3]) -> [__m256i; 3] {
        // SAFETY: ISA: the caller's.
        unsafe {
            [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_blend_epi32::<0xf0>(c, a),
                _mm256_permute2x128_si256::<0x31>(b, c),
            ]
        }
    }

    #[inline(always)]
    unsafe fn in_order<const P: usize>(cells: __m256i) -> __m256i {
        let table = const { &Table::bytes(C, in_order(16 / C, P)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_shuffle_epi8(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn apart<const P: usize>(cells: __m256i) -> __m256i {
        let table = const { &Table::bytes(C, apart(16 / C, P)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_shuffle_epi8(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn grouped<const N: usize>(cells: __m256i) -> __m256i {
        let table = const { &Table::bytes(C, grouped(16 / C, N)) };
        // The groups of two sixteens, 16 / N bytes each, side by side.
        let words = const {
            &Table::words(if N == 2 {
                [0, 1, 4, 5, 2, 3, 6, 7]
            } else {
                [0, 4, 1, 5, 2, 6, 3, 7]
            })
        };
        // SAFETY: ISA: the caller's.
        unsafe {
            let cells = _mm256_shuffle_epi8(cells, table.get());
            _mm256_permutevar8x32_epi32(cells, words.get())
        }
    }

    #[inline(always)]
    unsafe fn ungrouped<const N: usize>(cells: __m256i) -> __m256i {
        let table = const { &Table::bytes(C, ungrouped(16 / C, N)) };
        let words = const {
            &Table::words(if N == 2 {
                [0, 1, 4, 5, 2, 3, 6, 7]
            } else {
                [0, 2, 4, 6, 1, 3, 5, 7]
            })
        };
        // SAFETY: ISA: the caller's.
        unsafe {
            let cells = _mm256_permutevar8x32_epi32(cells, words.get());
            _mm256_shuffle_epi8(cells, table.get())
        }
    }

    #[inline(always)]
    unsafe fn turned(cells: __m256i) -> __m256i {
        let table = const { &Table::bytes(C, turned(16 / C)) };
        // SAFETY: ISA: the caller's.
        unsafe {
            let cells = _mm256_shuffle_epi8(cells, table.get());
            _mm256_permute2x128_si256::<0x01>(cells, cells)
        }
    }
}

/// Cells of four and eight bytes.
#[derive(Clone, Copy)]
pub(super) struct Large<const CELL: usize>;

/// Words of cells of `cell` bytes, of which cell `from[i]` goes to place `i`.
const fn words(cell: usize, from: [usize; 16]) -> Table {
    let (mut words, mut i, each) = ([0; 8], 0, cell / 4);
    while i < 8 {
        words[i] = (from[i / each] * each + i % each) as u8;
        i += 1;
    }
    Table::words(words)
}

impl<const C: usize> Sized256 for Large<C> {
    const CELL: usize = C;
    const PIECE: usize = HALF / C;

    #[inline(always)]
    unsafe fn deal(lines: [__m256i; 3]) -> [__m256i; 3] {
        lines
    }

    #[inline(always)]
    unsafe fn collect(pieces: [__m256i; 3]) -> [__m256i; 3] {
        pieces
    }

    #[inline(always)]
    unsafe fn in_order<const P: usize>(cells: __m256i) -> __m256i {
        let table = const { &words(C, in_order(HALF / C, P)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permutevar8x32_epi32(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn apart<const P: usize>(cells: __m256i) -> __m256i {
        let table = const { &words(C, apart(HALF / C, P)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permutevar8x32_epi32(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn grouped<const N: usize>(cells: __m256i) -> __m256i {
        let table = const { &words(C, grouped(HALF / C, N)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permutevar8x32_epi32(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn ungrouped<const N: usize>(cells: __m256i) -> __m256i {
        let table = const { &words(C, ungrouped(HALF / C, N)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permutevar8x32_epi32(cells, table.get()) }
    }

    #[inline(always)]
    unsafe fn turned(cells: __m256i) -> __m256i {
        let table = const { &words(C, turned(HALF / C)) };
        // SAFETY: ISA: the caller's.
        unsafe { _mm256_permutevar8x32_epi32(cells, table.get()) }
    }
}
