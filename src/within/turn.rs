//! Transpositions of matrices onto themselves: found in the dimensions, carried out by the `swap`
//! kernels where they are square, along cycles where they are not.

use restride_kernels::{Square, Swap, find_swap};

use super::cycles::Cycles;
use crate::error::Error;
use crate::exec::share;
use crate::machine::{Machine, lowered};
use crate::plan::{Dim, Options, wanted};

/// Rows and columns of the blocks that change places, of which the next ones are prefetched. On a 2-core
/// AVX-512 server VM, of an out-of-place transposition in the same run, f32 without and with prefetching:
/// 3000x3000 0.36, 1.42; 4096x4096 0.58, 0.70; 4100x4100 0.49, 0.90. 16 bytes 2048x2048: 0.83, in blocks
/// of 16 0.53; f64 4096x4096: 0.56, in blocks of 32 0.54.
const BLOCK: usize = 64;

/// Matrices that are transposed where they stand, one for each index of `batch`.
pub(super) struct Turn {
    cell: usize,
    matrix: Matrix,
    batch: Vec<Dim>,
}

enum Matrix {
    /// Bytes from row to row and from cell to cell.
    Square {
        side: usize,
        row: isize,
        step: isize,
    },
    /// `rows x cols` cells, `step` bytes apart, become `cols x rows`.
    Dense {
        rows: usize,
        cols: usize,
        step: isize,
    },
}

impl Turn {
    /// What a copy between equal addresses turns in place, if that is all it does.
    pub(super) fn of(cell: usize, dims: &[Dim]) -> Option<Self> {
        let crossed = |dim: &&Dim| dim.src != dim.dst;
        let mut turned = dims.iter().filter(crossed);
        // By ascending destination stride.
        let (inner, outer) = (turned.next()?, turned.next()?);
        if turned.next().is_some() {
            return None;
        }
        let matrix = if inner.extent == outer.extent
            && (inner.src, outer.src) == (outer.dst, inner.dst)
        {
            Matrix::Square {
                side: inner.extent,
                row: outer.dst,
                step: inner.dst,
            }
        } else {
            let step = inner.dst;
            let continues =
                |stride: isize, extent: usize| step.checked_mul(extent as isize) == Some(stride);
            let dense = outer.src == step
                && continues(outer.dst, inner.extent)
                && continues(inner.src, outer.extent);
            dense.then_some(Matrix::Dense {
                rows: inner.extent,
                cols: outer.extent,
                step,
            })?
        };
        let batch = dims.iter().filter(|dim| !crossed(dim)).copied().collect();
        Some(Self {
            cell,
            matrix,
            batch,
        })
    }

    /// Bytes of one matrix.
    pub(super) fn bytes(&self) -> usize {
        self.cell
            * match self.matrix {
                Matrix::Square { side, .. } => side * side,
                Matrix::Dense { rows, cols, .. } => rows * cols,
            }
    }

    pub(super) fn is_square(&self) -> bool {
        matches!(self.matrix, Matrix::Square { .. })
    }

    /// Transposes all of them.
    ///
    /// # Errors
    /// [`Error::AllocFailed`], and those of [`Machine::host`]; nothing was written then.
    ///
    /// # Safety
    /// - Range: all cells that the dimensions reach from `base`, on either side, can be read and
    ///   written.
    /// - Aliasing: no two destination cells share a byte, and no other thread touches them.
    pub(super) unsafe fn run(&self, base: *mut u8, options: &Options) -> Result<(), Error> {
        let machine = Machine::host()?;
        match self.matrix {
            Matrix::Square { side, row, step } => {
                let highest = machine.facts().isa;
                let cap = options.isa.unwrap_or(highest);
                let cap = lowered(highest, cap, "options.isa")?;
                let kernel = find_swap(self.cell, step, cap).bind(machine.token(), cap);
                let kernel = kernel.expect("the cap is not above the machine");
                let square = Square {
                    cell: self.cell,
                    base,
                    row,
                    step,
                    ahead: if self.bytes() > machine.facts().caches.l2 {
                        BLOCK
                    } else {
                        0
                    },
                };
                // SAFETY: passed on.
                unsafe { self.swap(&square, side, kernel, options, machine) };
            }
            Matrix::Dense { rows, cols, step } => {
                let mut cycles = Cycles::new(rows, cols, self.cell)?;
                for i in 0..self.matrices() {
                    // SAFETY: passed on: the cells of the `i`th matrix.
                    unsafe { cycles.follow(base.wrapping_offset(self.start(i)), step) };
                }
            }
        }
        Ok(())
    }

    fn matrices(&self) -> usize {
        self.batch.iter().fold(1, |all, dim| all * dim.extent)
    }

    /// Bytes from the first matrix to the `i`th.
    fn start(&self, mut i: usize) -> isize {
        let mut bytes = 0;
        for dim in &self.batch {
            bytes += (i % dim.extent) as isize * dim.dst;
            i /= dim.extent;
        }
        bytes
    }

    /// Square matrices, in blocks on and above the diagonal: the rows of blocks of all matrices are
    /// cut into ranges, each long one with a short one.
    ///
    /// # Safety
    /// Those of [`Turn::run`]; `kernel` takes the square.
    unsafe fn swap(
        &self,
        square: &Square,
        side: usize,
        kernel: Swap,
        options: &Options,
        machine: &Machine,
    ) {
        let blocks = side.div_ceil(BLOCK);
        let matrices = self.matrices();
        let tasks = matrices * blocks;
        let threads = wanted(options.par, self.bytes() * matrices, machine.facts());
        let shared = Shared(*square);
        share(tasks, threads, &|range| {
            for task in range {
                let (matrix, i) = (task / blocks, task % blocks);
                // 0, last, 1, last but one ..: neighbours are as long as any other neighbours.
                let i = if i % 2 == 0 {
                    i / 2
                } else {
                    blocks - 1 - i / 2
                };
                let first = shared.get();
                let square = Square {
                    base: first.base.wrapping_offset(self.start(matrix)),
                    ..first
                };
                let rows = i * BLOCK..side.min((i + 1) * BLOCK);
                for j in i..blocks {
                    let cols = j * BLOCK..side.min((j + 1) * BLOCK);
                    // SAFETY: shape: j is i or larger; stride: the kernel was found for the square;
                    // range: passed on; aliasing: passed on, and a pair of blocks belongs to one task;
                    // ISA: bound.
                    unsafe { kernel.run(&square, rows.clone(), cols) };
                }
            }
        });
    }
}

/// A square on its way to another thread.
struct Shared(Square);

impl Shared {
    fn get(&self) -> Square {
        self.0
    }
}

// SAFETY: a square is an address and numbers. What is read and written through the address is up to
// the kernel's caller, who answers for all threads together.
unsafe impl Sync for Shared {}
