//! Permutations of axes, 16 MiB a side: all of ranks 2 to 4, a sample of ranks 5 and 6, for cells of
//! 1 to 16 bytes: `P.<rank>.<order>.<cell>`. Axis `i` of the row-major destination is axis `order[i]`
//! of the row-major source. Extents are near each other and mostly no powers of two.

use super::quick::permuted;
use crate::case::{Case, Kind};

const BYTES: usize = 16 << 20;

const CELLS: [usize; 5] = [1, 2, 4, 8, 16];

/// Of the 120 and 720: the last axis stays, moves to the middle, moves to the front; neighbours stay
/// together and do not.
const SAMPLED: [&str; 16] = [
    "43210", "10234", "01243", "24130", "30142", "42031", "12340", "31420", //
    "543210", "102345", "012354", "135024", "504132", "240513", "123450", "351402",
];

/// What is added to the middle extent.
const UNEVEN: [isize; 6] = [0, 1, -1, 2, -2, 1];

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let mut orders: Vec<Vec<usize>> = (2..=4).flat_map(permutations).collect();
    let digits = |word: &str| {
        word.bytes()
            .map(|digit| usize::from(digit - b'0'))
            .collect()
    };
    orders.extend(SAMPLED.map(digits));
    let mut all = Vec::new();
    for order in &orders {
        let digits: String = order.iter().map(usize::to_string).collect();
        all.extend(CELLS.map(|cell| Case {
            kind: Kind::Permutation,
            ..permuted(
                &format!("P.{}.{digits}.{cell}", order.len()),
                cell,
                &extents(order.len(), BYTES / cell),
                order,
            )
        }));
    }
    all
}

/// `rank` extents whose product is about `cells`.
fn extents(rank: usize, cells: usize) -> Vec<usize> {
    let middle = (cells as f64).powf(1.0 / rank as f64).round() as isize;
    let near = UNEVEN.iter().map(|&off| (middle + off) as usize);
    near.take(rank).collect()
}

/// All orders of `rank` axes but the one that changes nothing, in lexical order.
fn permutations(rank: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..rank {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            let next = (0..rank).filter(|axis| !order.contains(axis));
            next.map(|axis| [&order[..], &[axis]].concat())
        });
        all = longer.collect();
    }
    all.remove(0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_all_orders_of_few_axes_and_some_of_many() {
        assert_eq!(
            permutations(3),
            [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        );
        assert_eq!(permutations(4).len(), 23);
        let cases = cases();
        assert_eq!(cases.len(), (1 + 5 + 23 + 16) * CELLS.len());
        for case in cases {
            let ratio = case.side_bytes() as f64 / BYTES as f64;
            assert!((0.8..1.25).contains(&ratio), "{}: {ratio}", case.name);
        }
    }
}
