//! A matrix that is not square, transposed where it stands, along the cycles of its permutation.
//!
//! In row-major order of the result, cell `i` is to hold what stands at `source(i)`. Following that
//! from any cell leads back to it: a cycle, along which each cell moves once and one has to be put
//! aside. A bit per cell remembers which are done; nothing else is needed, where a copy would need room
//! for all cells.

use core::mem::MaybeUninit;

use crate::error::Error;

/// The cycles of one shape.
pub(super) struct Cycles {
    /// Of the matrix as it was.
    rows: usize,
    cols: usize,
    /// A bit per cell of the result.
    done: Vec<u64>,
    /// The cell that was put aside.
    aside: Vec<MaybeUninit<u8>>,
}

impl Cycles {
    /// For a matrix of `rows x cols` cells of `cell` bytes.
    pub(super) fn new(rows: usize, cols: usize, cell: usize) -> Result<Self, Error> {
        let mut done = Vec::new();
        let words = (rows * cols).div_ceil(64);
        done.try_reserve_exact(words)
            .map_err(|_| Error::AllocFailed { bytes: 8 * words })?;
        done.resize(words, 0);
        let mut aside = Vec::new();
        aside
            .try_reserve_exact(cell)
            .map_err(|_| Error::AllocFailed { bytes: cell })?;
        aside.resize(cell, MaybeUninit::uninit());
        Ok(Self {
            rows,
            cols,
            done,
            aside,
        })
    }

    /// Transposes the matrix at `base`, whose cells are `step` bytes apart.
    ///
    /// # Safety
    /// - Range: all its cells can be read and written.
    /// - Aliasing: they share no byte, and no other thread touches them.
    pub(super) unsafe fn follow(&mut self, base: *mut u8, step: isize) {
        self.done.fill(0);
        let aside = self.aside.as_mut_ptr().cast();
        // SAFETY: passed on; the room aside has the bytes of a cell.
        unsafe {
            match self.aside.len() {
                1 => self.cells::<1>(base, step),
                2 => self.cells::<2>(base, step),
                4 => self.cells::<4>(base, step),
                8 => self.cells::<8>(base, step),
                16 => self.cells::<16>(base, step),
                bytes => self.each(base, step, |from, to| {
                    let from = from.unwrap_or(aside);
                    let to = to.unwrap_or(aside);
                    // SAFETY: range: two different cells, or a cell and the room aside.
                    core::ptr::copy_nonoverlapping(from, to, bytes);
                }),
            }
        }
    }

    /// Cells of `N` bytes, which fit a register.
    ///
    /// # Safety
    /// As [`Cycles::follow`], for cells of `N` bytes.
    unsafe fn cells<const N: usize>(&mut self, base: *mut u8, step: isize) {
        let mut aside = [0_u8; N];
        // SAFETY: passed on.
        unsafe {
            self.each(base, step, |from, to| {
                let cell = match from {
                    // SAFETY: range: a cell of the matrix; alignment: bytes have none.
                    Some(from) => from.cast::<[u8; N]>().read(),
                    None => aside,
                };
                match to {
                    // SAFETY: as above.
                    Some(to) => to.cast::<[u8; N]>().write(cell),
                    None => aside = cell,
                }
            });
        }
    }

    /// Calls `moved` with where a cell comes from and where it goes, `None` being aside.
    ///
    /// # Safety
    /// As [`Cycles::follow`]; `moved` reads and writes the cells it is given.
    unsafe fn each(
        &mut self,
        base: *mut u8,
        step: isize,
        mut moved: impl FnMut(Option<*mut u8>, Option<*mut u8>),
    ) {
        let (rows, cols) = (self.rows, self.cols);
        let at = |i: usize| base.wrapping_offset(i as isize * step);
        // The result has `cols` rows of `rows` cells: its cell (i / rows, i % rows).
        let source = |i: usize| i % rows * cols + i / rows;
        for start in 0..rows * cols {
            if self.done[start / 64] >> (start % 64) & 1 == 1 || source(start) == start {
                continue;
            }
            moved(Some(at(start)), None);
            let mut place = start;
            loop {
                self.done[place / 64] |= 1 << (place % 64);
                let from = source(place);
                if from == start {
                    break;
                }
                moved(Some(at(from)), Some(at(place)));
                place = from;
            }
            moved(None, Some(at(place)));
        }
    }
}
