//! Square transposes of f32, row by row around sizes whose strides fall onto few cache sets:
//! `R.<rows>`; and plain copies to places that resemble those of the source, as two allocations often do:
//! `R.whole.<bytes>` and `R.half-rows.<bytes>`, by how many bytes the destination lies behind the source
//! in a page of 4 KiB.

use super::quick::permuted;
use crate::buffers::DST_OFFSET;
use crate::case::{Case, Kind, Side};

/// All of them: squares ascending, then copies.
pub(super) fn cases() -> Vec<Case> {
    let square = |rows| Case {
        kind: Kind::Resonance,
        ..permuted(&format!("R.{rows}"), 4, &[rows, rows], &[1, 0])
    };
    let squares = (1000..=1100).chain(4080..=4112).map(square);
    let behind = [0, 48, 64, 256, 2048];
    let whole = behind.map(|bytes| copy(&format!("R.whole.{bytes}"), 1024, bytes));
    let rows = behind.map(|bytes| copy(&format!("R.half-rows.{bytes}"), 2048, bytes));
    squares.chain(whole).chain(rows).collect()
}

/// 4096 rows of 4 KiB, so many cells from one to the next in the source, back to back in a destination
/// that lies so many bytes behind the source in a page.
fn copy(name: &str, apart: isize, bytes: usize) -> Case {
    const PAGE: usize = 4096;
    let shape = [4096, 1024];
    let mut dst = Side::row_major(&shape);
    dst.offset = (PAGE + bytes - DST_OFFSET) % PAGE / 4;
    Case {
        kind: Kind::Layout,
        src: Side {
            strides: vec![apart, 1],
            offset: 0,
        },
        dst,
        ..permuted(name, 4, &shape, &[0, 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_begin_where_their_names_say() {
        for case in cases() {
            if case.kind == Kind::Layout {
                let behind = (DST_OFFSET + case.dst.offset * case.cell) % 4096;
                assert!(case.name.ends_with(&format!(".{behind}")), "{}", case.name);
            }
        }
    }
}
