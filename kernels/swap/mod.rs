//! `swap`: square matrices of cells, transposed where they stand.
//!
//! A call exchanges a block of a [`Square`] with its mirror image, or turns a block on the diagonal:
//!
//! ```text
//!       cols                          rows
//!     + . . . a b . +               + . . . . . . +
//!     . + . . c d . .               . a b c . . . .   rows
//!     . . + . e f . . rows          . d e f . . . .
//!     a c e + . . . .               . g h i . . . .
//!     b d f . + . . . cols          . . . . + . . .
//! ```
//!
//! A family of its own, because its contract is: source and destination are the same cells, so a cell
//! is read before it is written, and no tile may be moved back over another one to end with the block.
//! What is left of whole tiles goes through a stage ([`staged`]), as do the cells that have no
//! registers here: with the rows of the other families, transposed on the way in.
//!
//! # Obligations of every row
//!
//! - **Shape.** The two ranges are equal, or `rows` ends where `cols` starts or before.
//! - **Stride.** [`SwapRow::takes`] is true of the square.
//! - **Range.** Cell `(r, c)` and cell `(c, r)` are initialised and can be read and written for all `r`
//!   of `rows` and `c` of `cols`.
//! - **Aliasing.** No two different cells of the square share a byte, and no other thread touches those
//!   of the call while it runs.
//! - **Alignment.** None.
//! - **ISA.** Bound with a token of the row's ISA or a higher one ([`SwapRow::bind`]).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod staged;
#[cfg(target_arch = "x86_64")]
mod tiles;

#[cfg(test)]
mod tests;

use core::ops::Range;

use crate::isa::{Isa, Token};
use crate::row::{CellSize, Tile};

/// A square matrix of cells, in bytes: cell `(r, c)` stands `r * row + c * step` from the base.
#[derive(Clone, Copy, Debug)]
pub struct Square {
    /// Bytes of one cell.
    pub cell: usize,
    /// The address of cell `(0, 0)`.
    pub base: *mut u8,
    /// Bytes from one row to the next.
    pub row: isize,
    /// Bytes from one cell of a row to the next.
    pub step: isize,
    /// How many columns ahead rows of the family may prefetch, where the matrix is too large for the
    /// caches; 0 for not at all.
    pub ahead: usize,
}

impl Square {
    /// The address of a cell. Integer arithmetic on the address only.
    #[inline(always)]
    fn at(&self, r: usize, c: usize) -> *mut u8 {
        let row = (r as isize).wrapping_mul(self.row);
        let bytes = row.wrapping_add((c as isize).wrapping_mul(self.step));
        self.base.wrapping_offset(bytes)
    }
}

/// What a row may use: `token` proves what the machine has, `cap` says what is allowed of it.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    token: Token,
    cap: Isa,
}

/// One kernel of the family: a line of its table.
pub struct SwapRow {
    /// `swap-cell-isa-tile`.
    pub name: &'static str,
    /// The cells it moves.
    pub cell: CellSize,
    /// The ISA it needs.
    pub isa: Isa,
    /// What it moves in registers, or through its stage, at a time.
    pub tile: Tile,
    call: unsafe fn(&Square, Allowed, Range<usize>, Range<usize>),
}

impl core::fmt::Debug for SwapRow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

impl SwapRow {
    /// Whether it moves these cells: rows for one size want them side by side.
    #[must_use]
    pub fn takes(&self, cell: usize, step: isize) -> bool {
        match self.cell {
            CellSize::Exact(bytes) => bytes == cell && step == cell as isize,
            CellSize::Any => true,
        }
    }

    /// This row as something that can be run, if `token` proves its ISA. What it asks other families
    /// for needs no more than `cap`.
    #[must_use]
    pub fn bind(&'static self, token: Token, cap: Isa) -> Option<Swap> {
        let allowed = Allowed { token, cap };
        (token.isa() >= self.isa).then_some(Swap { row: self, allowed })
    }
}

/// A row and the proof that this machine runs it.
#[derive(Clone, Copy, Debug)]
pub struct Swap {
    row: &'static SwapRow,
    allowed: Allowed,
}

impl Swap {
    /// The row behind this kernel.
    #[must_use]
    pub fn row(&self) -> &'static SwapRow {
        self.row
    }

    /// Exchanges cell `(r, c)` with cell `(c, r)`, for all `r` of `rows` and `c` of `cols`, once.
    ///
    /// # Safety
    /// In this order:
    /// - Shape: the two ranges are equal, or `rows` ends where `cols` starts or before.
    /// - Stride: `self.row().takes(..)` is true of the square.
    /// - Range: those cells are initialised and can be read and written.
    /// - Aliasing: no two of them share a byte, and no other thread touches them.
    /// - Alignment: none.
    /// - ISA: met by this value.
    #[inline]
    pub unsafe fn run(&self, square: &Square, rows: Range<usize>, cols: Range<usize>) {
        debug_assert!(
            self.row.takes(square.cell, square.step),
            "{self:?} {square:?}"
        );
        debug_assert!(rows == cols || rows.end <= cols.start, "{rows:?} {cols:?}");
        // SAFETY: passed on to the caller; ISA: the token in self.
        unsafe { (self.row.call)(square, self.allowed, rows, cols) }
    }
}

/// Best first.
static TABLE: &[&[SwapRow]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    staged::ROWS,
];

/// Every row of the family, in look-up order.
pub fn swap_rows() -> impl Iterator<Item = &'static SwapRow> {
    TABLE.iter().copied().flatten()
}

/// The first row that needs no more than `cap` and takes these cells, `step` bytes apart.
#[must_use]
pub fn find_swap(cell: usize, step: isize, cap: Isa) -> &'static SwapRow {
    swap_rows()
        .find(|row| row.isa <= cap && row.takes(cell, step))
        .expect("the last row takes all cells and needs nothing")
}
