//! Cases as crates see them that know dense arrays only: a permutation of axes, or planes to be
//! transposed one after the other.

use restride_cases::{Case, Side};

/// A row-major source whose axes are put into another order: axis `i` of the row-major destination is
/// axis `order[i]` of the source.
#[derive(Debug, PartialEq)]
pub(super) struct Permutation {
    /// Extents of the source.
    pub(super) shape: Vec<usize>,
    pub(super) order: Vec<usize>,
}

impl Permutation {
    /// None if `case` is something else.
    pub(super) fn of(case: &Case) -> Option<Self> {
        if case.dst != Side::row_major(&case.shape) || case.src.offset != 0 {
            return None;
        }
        // Axes of the destination in the order of the source.
        let mut axes: Vec<usize> = (0..case.shape.len()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(case.src.strides[axis]));
        let shape: Vec<usize> = axes.iter().map(|&axis| case.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| case.src.strides[axis]);
        if !strides.eq(Side::row_major(&shape).strides) {
            return None;
        }
        let mut order = vec![0; axes.len()];
        for (at, &axis) in axes.iter().enumerate() {
            order[axis] = at;
        }
        Some(Self { shape, order })
    }

    /// The same with fewest axes: those that stay neighbours become one.
    fn merged(&self) -> Self {
        let extent = |at: usize| self.shape[self.order[at]];
        // The axes of the destination as lists of neighbours: (first axis of the source, extent).
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (at, &axis) in self.order.iter().enumerate() {
            let follows = at > 0 && axis == self.order[at - 1] + 1;
            match groups.last_mut() {
                Some(last) if follows => last.1 *= extent(at),
                _ => groups.push((axis, extent(at))),
            }
        }
        let mut sorted = groups.clone();
        sorted.sort_unstable();
        let at = |group| sorted.binary_search(group).expect("it is one of them");
        Self {
            order: groups.iter().map(at).collect(),
            shape: sorted.iter().map(|&(_, extent)| extent).collect(),
        }
    }
}

/// Transposes of dense planes that lie one behind the other on both sides.
#[derive(Debug, PartialEq)]
pub(super) struct Planes {
    pub(super) count: usize,
    /// Rows of a plane of the source.
    pub(super) rows: usize,
    /// Cells of such a row.
    pub(super) columns: usize,
}

impl Planes {
    /// None if `case` is something else.
    pub(super) fn of(case: &Case) -> Option<Self> {
        let Permutation { shape, order } = Permutation::of(case)?.merged();
        let (count, rows, columns) = match (&shape[..], &order[..]) {
            (&[rows, columns], [1, 0]) => (1, rows, columns),
            (&[count, rows, columns], [0, 2, 1]) => (count, rows, columns),
            _ => return None,
        };
        Some(Self {
            count,
            rows,
            columns,
        })
    }

    /// Calls `plane` for each plane of the source and of the destination.
    pub(super) fn each<T>(&self, src: &[T], dst: &mut [T], mut plane: impl FnMut(&[T], &mut [T])) {
        let cells = self.rows * self.columns;
        let planes = src.chunks_exact(cells).zip(dst.chunks_exact_mut(cells));
        planes
            .take(self.count)
            .for_each(|(src, dst)| plane(src, dst));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use restride_cases::{Call, Kind};

    fn case(shape: &[usize], strides: &[isize]) -> Case {
        Case {
            name: "dense".into(),
            kind: Kind::Table,
            cell: 1,
            shape: shape.to_vec(),
            src: Side {
                strides: strides.to_vec(),
                offset: 0,
            },
            dst: Side::row_major(shape),
            call: Call::Prepared,
        }
    }

    #[test]
    fn permutations_are_recognised_and_merged() {
        // (2, 3, 4, 5) to (2, 4, 5, 3): channels behind pixels.
        let planes = case(&[2, 4, 5, 3], &[60, 5, 1, 20]);
        let permutation = Permutation::of(&planes).unwrap();
        assert_eq!(permutation.shape, [2, 3, 4, 5]);
        assert_eq!(permutation.order, [0, 2, 3, 1]);
        let merged = permutation.merged();
        assert_eq!(
            (merged.shape, merged.order),
            (vec![2, 3, 20], vec![0, 2, 1])
        );
        let (count, rows, columns) = (2, 3, 20);
        let want = Planes {
            count,
            rows,
            columns,
        };
        assert_eq!(Planes::of(&planes), Some(want));
    }

    #[test]
    fn other_cases_are_refused() {
        assert!(Permutation::of(&case(&[4, 3], &[6, 2])).is_none());
        assert!(Permutation::of(&case(&[4, 3], &[-3, 1])).is_none());
        let volume = case(&[4, 3, 2], &[1, 4, 12]);
        assert_eq!(Permutation::of(&volume).unwrap().order, [2, 1, 0]);
        assert!(Planes::of(&volume).is_none());
    }
}
