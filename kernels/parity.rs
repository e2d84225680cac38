//! Every row that this machine can bind moves random panels as the contract says: each cell where
//! it belongs, and not a byte beside it.
//!
//! The oracle copies the destination buffer and writes it cell by cell; the row must make the whole
//! buffer equal, gaps and margins included. What lies beyond the buffers is for tests with guard
//! pages, outside this crate.

use core::mem::MaybeUninit;
use core::num::NonZero;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::eprintln;
use std::thread::{available_parallelism, scope};
use std::vec;
use std::vec::Vec;

use crate::{
    CellSize, Family, Kernel, Moves, Pairing, Panel, Row, Rows, Side, SourceGaps, Token, rows,
};

/// xorshift64*: enough for picking cases, and the seed reproduces them.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// One side of a case: a buffer, and where its rows start in it.
struct Buffer {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    step: isize,
}

impl Buffer {
    /// Rows of `cells` cells that do not overlap, with gaps, in ascending, descending or any order.
    fn new(random: &mut Random, rows: usize, cells: usize, cell: usize, step: isize) -> Self {
        let reach = (cells - 1) * step.unsigned_abs();
        let gap = random.below(3) * random.below(40);
        // Whole cells apart: lines can be streamed; whole lines: bands start at lines.
        let unit = random.pick(&[1, cell, 64]);
        let stride = (reach + cell + gap).next_multiple_of(unit);
        let margin = (64 + random.below(64)).next_multiple_of(random.pick(&[1, cell]));
        let first = if step < 0 { margin + reach } else { margin };
        let mut starts: Vec<usize> = (0..rows).map(|r| first + r * stride).collect();
        match random.below(3) {
            0 => starts.reverse(),
            1 => (1..rows).for_each(|i| starts.swap(i, random.below(i + 1))),
            _ => {}
        }
        let bytes = (0..rows * stride + 2 * margin + cell)
            .map(|_| random.below(256) as u8)
            .collect();
        Self {
            bytes,
            starts,
            step,
        }
    }

    /// The places of `cols` cells in blocks of so many, which follow each other, up or down, or nearly, or overlap, and
    /// fill them, or leave every second one out, or are one; now and then in a few places apart.
    fn blocks(random: &mut Random, rows: usize, cols: usize, cell: usize) -> Self {
        let whole = cols * cell;
        let block = random.pick(&[whole, whole, whole, whole + 5, cell, 0]);
        let (margin, unit) = (64 + random.below(64), cell * random.pick(&[1, 1, 1, 2, 0]));
        let down = random.below(2) == 1;
        let first = margin + if down { (rows - 1) * block } else { 0 };
        let mut starts: Vec<usize> = (0..cols).map(|c| first + c * unit).collect();
        match random.below(3) {
            0 => starts.reverse(),
            _ => (1..cols).for_each(|i| starts.swap(i, random.below(i + 1))),
        }
        let (apart, windows) = (random.below(300), random.pick(&[1, 1, 1, 2, 3, 4, 5]));
        for start in &mut starts {
            *start += random.below(windows) * apart;
        }
        let bytes = (0..rows * block + 2 * whole + 2 * margin + windows * apart)
            .map(|_| random.below(256) as u8)
            .collect();
        Self {
            bytes,
            starts,
            step: if down {
                -(block as isize)
            } else {
                block as isize
            },
        }
    }

    /// Rows that follow each other without a gap.
    fn dense(random: &mut Random, rows: usize, cells: usize, cell: usize) -> Self {
        let margin = (64 + random.below(64)).next_multiple_of(random.pick(&[1, cell]));
        let row = cells * cell;
        Self {
            bytes: (0..rows * row + 2 * margin)
                .map(|_| random.below(256) as u8)
                .collect(),
            starts: (0..rows).map(|r| margin + r * row).collect(),
            step: cell as isize,
        }
    }

    /// The rows as a stride where they have one, else as a table or a list.
    fn with_side<R>(&mut self, random: &mut Random, call: impl FnOnce(Side<'_>) -> R) -> R {
        let base = self.bytes.as_mut_ptr();
        let moved = random.below(100);
        let relative = |&start: &usize| start as isize - moved as isize;
        let offsets: Vec<isize> = self.starts.iter().map(relative).collect();
        let pointer = |&offset: &isize| base.wrapping_offset(offset).cast_const();
        let pointers: Vec<*const u8> = offsets.iter().map(pointer).collect();
        let stride = offsets.get(1).map_or(7, |second| second - offsets[0]);
        let regular = offsets.windows(2).all(|pair| pair[1] - pair[0] == stride);
        let (base, rows) = match random.below(4) {
            0 => (
                core::ptr::null_mut(),
                Rows::Pointers(&pointers, moved as isize),
            ),
            1 => (base.wrapping_add(moved), Rows::Offsets(&offsets)),
            _ if regular => (base.wrapping_add(self.starts[0]), Rows::Stride(stride)),
            _ => (base.wrapping_add(moved), Rows::Offsets(&offsets)),
        };
        call(Side {
            base,
            rows,
            step: self.step,
        })
    }

    fn cell(&self, row: usize, i: usize) -> usize {
        self.starts[row].wrapping_add_signed(i as isize * self.step)
    }
}

/// Steps of the family: what [`Family::admits`] asks for.
fn steps(random: &mut Random, family: Family, cell: usize) -> (isize, isize) {
    let unit = cell as isize;
    let wider = (cell + random.below(20)) as isize;
    // Pixels of three parts, with a fourth one between them.
    let thirds = if unit % 3 == 0 { unit / 3 * 4 } else { wider };
    let strided = [wider, -wider, unit, -unit, 2 * unit, thirds];
    match family {
        Family::Run | Family::Transpose | Family::Interleave => (unit, unit),
        Family::Gather => (random.pick(&[0, wider, -wider, unit, -unit, thirds]), unit),
        Family::Scatter => (random.pick(&[unit, -unit]), random.pick(&strided)),
        Family::Fill => (0, random.pick(&strided)),
        Family::Strided => {
            let from = random.pick(&strided);
            let to = random.pick(&strided);
            // The same on both sides every other time.
            (from, random.pick(&[from, to]))
        }
        Family::Shuffle => (wider, unit),
    }
}

/// Runs one random panel of this shape; false if the row does not take it.
fn moves(random: &mut Random, row: &'static Row, token: Token, shape: (usize, usize)) -> bool {
    let (rows, cols) = shape;
    let cell = match row.cell {
        CellSize::Exact(bytes) => bytes,
        CellSize::Any if row.family == Family::Run => 1,
        CellSize::Any if row.family == Family::Shuffle => {
            random.pick(&[1, 1, 2, 3, 4, 5, 6, 8, 12, 16])
        }
        CellSize::Any if row.family == Family::Strided => {
            random.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 40])
        }
        CellSize::Any => random.pick(&[
            5, 7, 32, 33, 40, 51, 63, 64, 66, 68, 100, 192, 204, 255, 576,
        ]),
    };
    let pairing = match row.family {
        Family::Transpose | Family::Interleave | Family::Shuffle => Pairing::Crossed,
        Family::Strided => random.pick(&[Pairing::Crossed, Pairing::Straight]),
        _ => Pairing::Straight,
    };
    let gaps = random.pick(&[SourceGaps::Forbidden, SourceGaps::Readable]);
    let (src_step, dst_step) = steps(random, row.family, cell);
    let (src_rows, src_cells) = match pairing {
        Pairing::Straight => (rows, cols),
        Pairing::Crossed => (cols, rows),
    };
    let shuffles = row.family == Family::Shuffle;
    let mut src = if shuffles && random.below(8) > 0 {
        Buffer::blocks(random, rows, cols, cell)
    } else {
        Buffer::new(random, src_rows, src_cells, cell, src_step)
    };
    let follows = match row.family {
        Family::Shuffle => random.below(4) > 0,
        Family::Transpose => random.below(4) == 0,
        _ => false,
    };
    let mut dst = if follows {
        Buffer::dense(random, rows, cols, cell)
    } else {
        Buffer::new(random, rows, cols, cell, dst_step)
    };

    let mut expected = dst.bytes.clone();
    for r in 0..rows {
        for c in 0..cols {
            let from = match pairing {
                Pairing::Straight => src.cell(r, c),
                Pairing::Crossed => src.cell(c, r),
            };
            let to = dst.cell(r, c);
            expected[to..to + cell].copy_from_slice(&src.bytes[from..from + cell]);
        }
    }
    let unchanged = src.bytes.clone();
    let kernel = row.bind(token).expect("the caller bound it before");
    let (mut other, mut halves) = (Random(!random.0), Random(random.0 ^ 0x5eed));
    let taken = src.with_side(random, |src| {
        dst.with_side(&mut other, |dst| {
            let panel = Panel {
                cell,
                rows,
                cols,
                pairing,
                gaps,
                src,
                dst,
            };
            let takes = row.takes(&crate::Ask::of(&panel, row.streams()));
            if takes {
                // SAFETY: shape: the sides have an entry for each row; stride: the row takes the
                // panel; range: both sides lie in their buffers, gaps included; aliasing: rows of
                // dst are disjoint, the buffers are different and this thread's own; ISA: bound.
                unsafe { run(&mut halves, &kernel, &panel) };
            }
            takes
        })
    });
    assert!(
        !taken || dst.bytes == expected,
        "{row:?} {shape:?} cell {cell} steps {src_step} {dst_step} {pairing:?}: {:?} {:?}",
        src.starts,
        dst.starts
    );
    assert!(src.bytes == unchanged, "{row:?} wrote its source");
    taken
}

/// Runs a panel, or both halves of it: one after the other, or as the panels of a loop; or thirds of it, as those of several
/// loops.
///
/// # Safety
/// The contract of the crate.
unsafe fn run(random: &mut Random, kernel: &Kernel, panel: &Panel<'_>) {
    let mut scratch = vec![MaybeUninit::uninit(); kernel.scratch_bytes(panel)];
    let fence = kernel.begin(&mut scratch);
    let (half, row) = (panel.rows / 2, kernel.row());
    let first = panel.part(0..half, 0..panel.cols);
    let second = panel.part(half..panel.rows, 0..panel.cols);
    let takes = |part| row.takes(&crate::Ask::of(part, row.streams()));
    if random.below(2) == 0 || half == 0 || !takes(&first) || !takes(&second) {
        // SAFETY: passed on.
        return unsafe { kernel.run(panel, &fence) };
    }
    let crossed = panel.pairing == Pairing::Crossed;
    let parts = 2 + random.below(2);
    let even = panel.rows.is_multiple_of(parts) && !row.streams();
    let part = panel.part(0..panel.rows / parts, 0..panel.cols);
    let on = |side: &Side<'_>, cells: bool| match side.rows {
        _ if cells => Some(part.rows as isize * side.step),
        Rows::Stride(stride) => Some(part.rows as isize * stride),
        _ => None,
    };
    match (on(&panel.src, crossed), on(&panel.dst, false)) {
        (Some(src), Some(dst)) if even && takes(&part) && random.below(2) == 0 => {
            // One alone, and the others along.
            let mut others = core::iter::once(((src, dst), parts - 1));
            let moves = Moves {
                along: (1, (src, dst)),
                others: &mut others,
            };
            // SAFETY: passed on: each part lies so far from the one before it.
            unsafe { kernel.run_everywhere(part, moves) };
        }
        // SAFETY: as above.
        (Some(src), Some(dst)) if even && takes(&part) => unsafe {
            kernel.run_cached_along(part, (parts, parts), (src, dst));
        },
        // SAFETY: passed on: both are parts of the panel.
        _ => unsafe {
            kernel.run(&first, &fence);
            kernel.run(&second, &fence);
        },
    }
}

/// Of the panels, one in so many: without optimisation the oracle takes minutes for all.
const EVERY: usize = if cfg!(debug_assertions) { 3 } else { 1 };

#[test]
fn every_row_moves_every_cell_and_nothing_else() {
    let token = Token::best();
    let all: Vec<_> = rows().collect();
    let next = AtomicUsize::new(0);
    let each = || {
        while let Some(&row) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if row.bind(token).is_some() {
                moves_every_cell(row, token);
            } else {
                eprintln!("skipped: {} (this machine has {})", row.name, token.isa());
            }
        }
    };
    let threads = available_parallelism().map_or(1, NonZero::get);
    scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(each))));
}

/// Panels of this row, up to a few tiles and of any shape.
fn moves_every_cell(row: &'static Row, token: Token) {
    let mut random = Random(0x5eed);
    let mut taken = 0;
    for rows in 1..=2 * row.tile.rows + 1 {
        let all = 1..=2 * row.tile.cols + 1;
        for cols in all.filter(|cols| cols.abs_diff(rows + 1).is_multiple_of(EVERY)) {
            taken += usize::from(moves(&mut random, row, token, (rows, cols)));
        }
    }
    for (most_rows, most_cols) in [(60, 60), (4, 700), (40, 300), (300, 4)].repeat(50 / EVERY) {
        let shape = (1 + random.below(most_rows), 1 + random.below(most_cols));
        taken += usize::from(moves(&mut random, row, token, shape));
    }
    if let (Family::Transpose, CellSize::Exact(cell), 2..) = (row.family, row.cell, row.tile.rows) {
        // More than 3 MiB: large enough for the walk to prefetch its destination.
        taken += usize::from(moves(&mut random, row, token, (1030, 3080 / cell)));
        // Rows that end where the next one begins, inside a line: with the last band one less is moved, which may
        // not be as many as are worth what others are.
        for _ in 0..32 {
            let shape = (8 * row.tile.rows, 640 / cell);
            taken += usize::from(moves(&mut random, row, token, shape));
        }
    }
    if row.streams() && matches!(row.family, Family::Gather | Family::Fill) {
        // Rows of more than four pages, which are moved alone.
        let cell = match row.cell {
            CellSize::Exact(cell) => cell,
            CellSize::Any => 5,
        };
        for _ in 0..4 {
            taken += usize::from(moves(&mut random, row, token, (1, 17_000 / cell)));
        }
    } else if row.streams() {
        // More rows than a carry has slots.
        for rows in [4096, 4097, 4111, 8200].repeat(3 / EVERY) {
            taken += usize::from(moves(&mut random, row, token, (rows, 70)));
        }
    }
    assert!(taken > 0, "{} took no panel at all", row.name);
}
