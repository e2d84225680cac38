//! Each kernel family and cell at sizes from within the first cache to far out of the last, as data:
//! `K.<family>.<cell>.<size of a side>`.

use super::quick::permuted;
use crate::case::{Call, Case, Kind, Side};

/// Bytes of the cells moved: of one side without its gaps.
const SIZES: [(usize, &str); 8] = [
    (4 << 10, "4KiB"),
    (16 << 10, "16KiB"),
    (64 << 10, "64KiB"),
    (256 << 10, "256KiB"),
    (1 << 20, "1MiB"),
    (4 << 20, "4MiB"),
    (16 << 20, "16MiB"),
    (64 << 20, "64MiB"),
];

/// A family: its name, its cells, and its copy of about so many bytes.
type Family = (&'static str, &'static [usize], fn(usize, usize) -> Case);

const FAMILIES: [Family; 7] = [
    ("run", &[64, 256, 4096], run),
    ("transpose", &[1, 2, 4, 8, 16], transpose),
    ("interleave", &[1, 2, 4, 8], interleave),
    ("gather", &[1, 2, 4, 8], gather),
    ("scatter", &[1, 2, 4, 8], scatter),
    ("fill", &[1, 2, 4, 8, 16], fill),
    ("strided", &[1, 2, 4, 8], strided),
];

/// All of them, from small to large within a family and cell.
pub(super) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (family, cells, of) in FAMILIES {
        for &cell in cells {
            all.extend(SIZES.map(|(bytes, size)| Case {
                name: format!("K.{family}.{cell}.{size}"),
                kind: Kind::Size,
                ..of(cell, bytes)
            }));
        }
    }
    all
}

/// Runs of `cell` bytes, every other of the source, into one piece.
fn run(cell: usize, bytes: usize) -> Case {
    let shape = vec![bytes / cell, cell];
    plain(1, shape, vec![2 * cell as isize, 1])
}

/// A square, nearly.
fn transpose(cell: usize, bytes: usize) -> Case {
    let cells = bytes / cell;
    let rows = 1 << (cells.ilog2() / 2);
    permuted("", cell, &[rows, cells / rows], &[1, 0])
}

/// Pixels of three into planes.
fn interleave(cell: usize, bytes: usize) -> Case {
    permuted("", cell, &[bytes / cell / 3, 3], &[1, 0])
}

/// Every other column of rows of 4 KiB and less.
fn gather(cell: usize, bytes: usize) -> Case {
    let cols = (2048 / cell).min(bytes / cell);
    let rows = bytes / cell / cols;
    plain(cell, vec![rows, cols], vec![2 * cols as isize, 2])
}

/// Into every other column of rows of 4 KiB.
fn scatter(cell: usize, bytes: usize) -> Case {
    let gathered = gather(cell, bytes);
    Case {
        src: gathered.dst,
        dst: gathered.src,
        ..gathered
    }
}

/// A column of cells into rows of 512 bytes.
fn fill(cell: usize, bytes: usize) -> Case {
    plain(cell, vec![bytes / 512, 512 / cell], vec![1, 0])
}

/// Every other row and column of both sides.
fn strided(cell: usize, bytes: usize) -> Case {
    let side = transpose(cell, bytes);
    let (rows, cols) = (side.shape[0], side.shape[1]);
    let every_other = Side {
        strides: vec![4 * cols as isize, 2],
        offset: 0,
    };
    Case {
        dst: every_other.clone(),
        ..plain(cell, vec![rows, cols], every_other.strides)
    }
}

/// A strided source and a row-major destination.
fn plain(cell: usize, shape: Vec<usize>, strides: Vec<isize>) -> Case {
    Case {
        name: String::new(),
        kind: Kind::Size,
        cell,
        src: Side { strides, offset: 0 },
        dst: Side::row_major(&shape),
        shape,
        call: Call::Prepared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_names_say_but_for_a_third_of_a_pixel() {
        for (case, (bytes, _)) in cases().iter().zip(SIZES.into_iter().cycle()) {
            let off = bytes - case.side_bytes();
            assert!(off < 3 * case.cell, "{}: {off}", case.name);
        }
    }
}
