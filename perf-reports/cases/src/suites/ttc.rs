//! The benchmark of TTC and HPTT: permutations of every kind up to rank 6, in three aspect ratios
//! each. The file is theirs and column-major; `README.md` describes it.

use crate::case::{Call, Case, Kind, Side};

/// All 57, in f32.
pub(super) fn cases() -> Vec<Case> {
    let lines = include_str!("../../data/ttc57.txt").lines();
    lines.enumerate().map(|(i, line)| case(i, line)).collect()
}

fn case(number: usize, line: &str) -> Case {
    let mut numbers = line.split(' ').map(|word| word.parse().expect("a number"));
    let mut next = || -> usize { numbers.next().expect("a line is whole") };
    let rank = next();
    let order: Vec<usize> = (0..rank).map(|_| next()).collect();
    let sizes: Vec<usize> = (0..rank).map(|_| next()).collect();

    // Dimension 0 is the fastest: row-major once all are turned around.
    let mut strides = vec![1; rank];
    for dim in 1..rank {
        strides[dim] = strides[dim - 1] * sizes[dim - 1] as isize;
    }
    let axes = || order.iter().rev();
    let shape: Vec<usize> = axes().map(|&dim| sizes[dim]).collect();
    let words = |numbers: &[usize], between| {
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        words.join(between)
    };
    Case {
        name: format!("B.{number:02}.{}.{}", words(&order, ""), words(&sizes, "x")),
        kind: Kind::Ttc,
        cell: 4,
        src: Side {
            strides: axes().map(|&dim| strides[dim]).collect(),
            offset: 0,
        },
        dst: Side::row_major(&shape),
        shape,
        call: Call::Prepared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_turned_into_axes() {
        let case = case(7, "3 1 0 2 2320 384 59");
        assert_eq!(case.name, "B.07.102.2320x384x59");
        assert_eq!(case.shape, [59, 2320, 384]);
        assert_eq!(case.src.strides, [2320 * 384, 1, 2320]);
        assert_eq!(case.dst.strides, [2320 * 384, 384, 1]);
    }

    #[test]
    fn each_has_about_200_mib() {
        for case in cases() {
            let mib = case.side_bytes() >> 20;
            assert!((190..=235).contains(&mib), "{}: {mib} MiB", case.name);
        }
    }
}
