//! The oracle: what a destination must hold, index by index. Sources hold the pattern of
//! `pattern.rs`, so that the oracle needs none.

use crate::case::Case;
use crate::pattern;

/// What stands in the destination before a copy; gaps must keep it.
pub const BEFORE: u8 = 0xA5;

/// Fills `dst`, a whole destination buffer, with what it holds after a right copy, gaps included.
pub fn expect(case: &Case, dst: &mut [u8]) {
    dst.fill(BEFORE);
    if case.side_bytes() == 0 {
        return;
    }
    match case.cell {
        1 => rows(case, dst, cells::<1>),
        2 => rows(case, dst, cells::<2>),
        4 => rows(case, dst, cells::<4>),
        8 => rows(case, dst, cells::<8>),
        16 => rows(case, dst, cells::<16>),
        _ => rows(case, dst, any_cells),
    }
}

/// The cells of the last axis.
struct Row {
    cell: usize,
    extent: usize,
    src: usize,
    src_stride: isize,
    dst: usize,
    dst_stride: isize,
}

/// Hands each row of the last axis to `row`.
fn rows(case: &Case, dst: &mut [u8], row: impl Fn(&Row, &mut [u8])) {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    let (src_strides, dst_strides) = (case.in_bytes(&case.src), case.in_bytes(&case.dst));
    let outer = case.shape.len().saturating_sub(1);
    let mut index = vec![0; outer];
    loop {
        let at = |base: usize, strides: &[isize]| -> usize {
            let steps = index.iter().zip(strides).map(|(&i, &s)| i as isize * s);
            (base as isize + steps.sum::<isize>()) as usize
        };
        let last = Row {
            cell: case.cell,
            extent: case.shape.last().map_or(1, |&extent| extent),
            src: at(from, &src_strides),
            src_stride: src_strides.last().map_or(0, |&stride| stride),
            dst: at(to, &dst_strides),
            dst_stride: dst_strides.last().map_or(0, |&stride| stride),
        };
        row(&last, dst);
        if !advance(&mut index, &case.shape[..outer]) {
            return;
        }
    }
}

/// A row of cells that are at multiples of their size, or no longer than 8 bytes.
fn cells<const N: usize>(row: &Row, dst: &mut [u8]) {
    for i in 0..row.extent as isize {
        let at = (row.dst as isize + i * row.dst_stride) as usize;
        let from = (row.src as isize + i * row.src_stride) as usize;
        dst[at..at + N].copy_from_slice(&pattern::bytes::<N>(from));
    }
}

/// A row of any cells, byte by byte.
fn any_cells(row: &Row, dst: &mut [u8]) {
    for i in 0..row.extent as isize {
        for byte in 0..row.cell {
            let at = (row.dst as isize + i * row.dst_stride) as usize;
            let from = (row.src as isize + i * row.src_stride) as usize;
            dst[at + byte] = pattern::byte(from + byte);
        }
    }
}

/// The next index, the last axis fastest; whether there is one.
fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (i, &extent) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < extent {
            return true;
        }
        *i = 0;
    }
    false
}

/// The place of the first byte that differs, in two buffers of the same length.
#[must_use]
pub fn first_difference(got: &[u8], want: &[u8]) -> Option<usize> {
    if got == want {
        return None;
    }
    got.iter().zip(want).position(|(got, want)| got != want)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Call, Kind, Side};

    fn transpose() -> Case {
        Case {
            name: "transpose-2x3".into(),
            kind: Kind::Table,
            cell: 1,
            shape: vec![3, 2],
            src: Side {
                strides: vec![1, 3],
                offset: 0,
            },
            dst: Side {
                strides: vec![3, 1],
                offset: 0,
            },
            call: Call::Prepared,
        }
    }

    /// The cells of the source at these places, [`BEFORE`] for none.
    fn holding(places: [Option<usize>; 8]) -> [u8; 8] {
        places.map(|place| place.map_or(BEFORE, pattern::byte))
    }

    const RIGHT: [Option<usize>; 8] = [
        Some(0),
        Some(3),
        None,
        Some(1),
        Some(4),
        None,
        Some(2),
        Some(5),
    ];

    #[test]
    fn the_oracle_leaves_gaps_alone() {
        let mut expected = [0; 8];
        expect(&transpose(), &mut expected);
        assert_eq!(expected, holding(RIGHT));
    }

    #[test]
    fn all_widths_of_cells_agree_with_bytes() {
        for cell in [1, 2, 4, 8, 16] {
            let case = Case {
                cell,
                ..transpose()
            };
            let (mut fast, mut slow) = (vec![0; 8 * cell], vec![0; 8 * cell]);
            expect(&case, &mut fast);
            slow.fill(BEFORE);
            rows(&case, &mut slow, any_cells);
            assert_eq!(fast, slow, "{cell} bytes");
        }
    }
}
