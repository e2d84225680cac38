//! Every row, under every cap, on blocks of all sizes: each cell where it belongs, and not a byte
//! beside it. What lies beyond the buffer is for the tests with guard pages, outside this crate.

use std::eprintln;
use std::vec::Vec;

use super::{Square, swap_rows};
use crate::row::CellSize;
use crate::{Isa, Token};

/// A matrix in a buffer: `side` rows and columns, `row` and `step` bytes apart.
struct Case {
    cell: usize,
    side: usize,
    row: usize,
    step: usize,
}

impl Case {
    fn at(&self, r: usize, c: usize) -> usize {
        100 + r * self.row + c * self.step
    }

    fn bytes(&self) -> usize {
        self.at(self.side, 0) + 100
    }

    /// The buffer in which cell (r, c) and cell (c, r) have changed places, in these ranges.
    fn exchanged(
        &self,
        before: &[u8],
        rows: core::ops::Range<usize>,
        cols: core::ops::Range<usize>,
    ) -> Vec<u8> {
        let mut after = before.to_vec();
        for r in rows {
            for c in cols.clone() {
                for (to, from) in [((r, c), (c, r)), ((c, r), (r, c))] {
                    let (to, from) = (self.at(to.0, to.1), self.at(from.0, from.1));
                    after[to..to + self.cell].copy_from_slice(&before[from..from + self.cell]);
                }
            }
        }
        after
    }
}

#[test]
fn every_row_exchanges_its_block_and_nothing_else() {
    let token = Token::best();
    for row in swap_rows() {
        let cells = match row.cell {
            CellSize::Exact(cell) => std::vec![cell],
            CellSize::Any => std::vec![1, 2, 3, 4, 8, 12, 16, 40, 3000, 9000],
        };
        for cap in Isa::ALL {
            if cap < row.isa || cap > token.isa() {
                eprintln!("skipped: {row:?} under {cap}");
                continue;
            }
            let swap = row.bind(token, cap).expect("the machine has the cap");
            for &cell in &cells {
                let most = if cell < 100 {
                    2 * row.tile.rows.min(32) + 3
                } else {
                    4
                };
                let spread = matches!(row.cell, CellSize::Any) && cell < 100;
                for side in (1..=most).chain((cell < 20).then_some(150)) {
                    for step in [cell, cell + 5].into_iter().take(1 + usize::from(spread)) {
                        let row_bytes = side * step + (side % 3) * 7;
                        let case = Case {
                            cell,
                            side,
                            row: row_bytes,
                            step,
                        };
                        let before: Vec<u8> =
                            (0..case.bytes()).map(|i| (i * 31 % 251) as u8).collect();
                        for (rows, cols) in [
                            (0..side, 0..side),
                            (0..side / 3, side / 3..side),
                            (side / 4..side / 2, side / 2 + side / 5..side),
                            (side / 4..side - side / 4, side / 4..side - side / 4),
                        ] {
                            let mut got = before.clone();
                            let square = Square {
                                cell,
                                base: got.as_mut_ptr().wrapping_add(case.at(0, 0)),
                                row: row_bytes as isize,
                                step: step as isize,
                                ahead: side % 2 * 64,
                            };
                            if rows != cols && rows.end > cols.start {
                                continue;
                            }
                            // SAFETY: shape: checked just now; range and aliasing: a matrix inside the
                            // buffer, which is this thread's own, rows and steps apart; ISA: bound.
                            unsafe { swap.run(&square, rows.clone(), cols.clone()) };
                            assert!(
                                got == case.exchanged(&before, rows.clone(), cols.clone()),
                                "{row:?} under {cap}: {side} of {cell}, step {step}, {rows:?} {cols:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn names_follow_the_scheme_and_the_last_row_takes_all() {
    for row in swap_rows() {
        let cell = match row.cell {
            CellSize::Exact(bytes) => std::format!("{bytes}"),
            CellSize::Any => "any".into(),
        };
        let (rows, cols) = (row.tile.rows, row.tile.cols);
        let name = std::format!("swap-{cell}-{}-{rows}x{cols}", row.isa);
        assert_eq!(row.name, name);
    }
    let last = swap_rows().last().expect("the table is not empty");
    assert_eq!((last.cell, last.isa), (CellSize::Any, Isa::Scalar));
}
