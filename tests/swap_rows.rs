//! The rows that transpose in place, between guard pages: flush left and flush right, every row under
//! every cap, all small sides and a few larger ones. A byte beside the matrix is a fault.

mod common;

use common::pages::{Pages, pattern};
use restride_kernels::{CellSize, Isa, Square, Token, swap_rows};

#[test]
fn swap_rows_between_guard_pages() {
    let token = Token::best();
    let pages = Pages::guarded(1 << 20);
    let mut done = 0;
    for row in swap_rows() {
        let cells = match row.cell {
            CellSize::Exact(cell) => vec![cell],
            CellSize::Any => vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 48],
        };
        for cap in Isa::ALL.into_iter().filter(|&cap| cap >= row.isa) {
            let Some(swap) = (cap <= token.isa()).then(|| row.bind(token, cap)).flatten() else {
                eprintln!("skipped: {row:?} under {cap}");
                continue;
            };
            for &cell in &cells {
                for side in (1..=35).chain([64, 65, 100]) {
                    for gap in [0, cell, 5] {
                        let stride = side * cell + gap;
                        let bytes = (side - 1) * stride + side * cell;
                        for base in [pages.start, pages.end().wrapping_sub(bytes)] {
                            // SAFETY: range: the first or the last bytes of the pages, which are this
                            // test's own; alignment: none.
                            let memory = unsafe { std::slice::from_raw_parts_mut(base, bytes) };
                            memory
                                .iter_mut()
                                .enumerate()
                                .for_each(|(at, byte)| *byte = pattern(at));
                            let square = Square {
                                cell,
                                base: memory.as_mut_ptr(),
                                row: stride as isize,
                                step: cell as isize,
                                ahead: 64 * (side % 2),
                            };
                            // SAFETY: shape: equal ranges; range, aliasing: the matrix fills the bytes
                            // borrowed here, but for gaps between its rows; ISA: bound.
                            unsafe { swap.run(&square, 0..side, 0..side) };
                            for (at, &byte) in memory.iter().enumerate() {
                                let (r, rest) = (at / stride, at % stride);
                                let (c, part) = (rest / cell, rest % cell);
                                let from = if c < side {
                                    c * stride + r * cell + part
                                } else {
                                    at
                                };
                                assert_eq!(
                                    byte,
                                    pattern(from),
                                    "{row:?} under {cap}: {side} of {cell}"
                                );
                            }
                            done += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(done > 2000, "{done}");
}
