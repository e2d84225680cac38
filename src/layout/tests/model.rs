//! The model: which place of the storage stands at each index, in row-major order of the indices.
//!
//! Each operation is computed index by index from what it is said to do. Strides are looked at
//! once, when a layout is turned into a map by the sum that defines it.

use crate::Layout;

/// A shape, and the place of every index in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    pub(super) shape: Vec<usize>,
    pub(super) places: Vec<i128>,
}

/// All indices of a shape in row-major order.
pub(super) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &extent in shape {
        let longer = |index: Vec<usize>| {
            (0..extent).map(move |i| index.iter().copied().chain([i]).collect::<Vec<_>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

impl Map {
    /// The map of a shape with strides: the definition of a layout.
    pub(super) fn of(layout: &Layout) -> Self {
        let place = |index: &[usize]| {
            let steps = index.iter().zip(layout.strides());
            let sum: i128 = steps.map(|(&i, &stride)| i as i128 * stride as i128).sum();
            layout.offset() as i128 + sum
        };
        let shape = layout.shape().to_vec();
        let places = indices(&shape).iter().map(|index| place(index)).collect();
        Self { shape, places }
    }

    /// The map in which index `i` is what index `from(i)` is here.
    pub(super) fn pulled(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let places = indices(&shape).iter().map(|i| self.at(&from(i))).collect();
        Self { shape, places }
    }

    pub(super) fn at(&self, index: &[usize]) -> i128 {
        let mut number = 0;
        for (&i, &extent) in index.iter().zip(&self.shape) {
            assert!(i < extent, "{index:?} in {:?}", self.shape);
            number = number * extent + i;
        }
        self.places[number]
    }

    /// Axis `i` of the result is axis `perm[i]` of this.
    pub(super) fn permute(&self, perm: &[usize]) -> Self {
        let shape = perm.iter().map(|&axis| self.shape[axis]).collect();
        self.pulled(shape, |index| {
            let mut from = vec![0; perm.len()];
            for (&i, &axis) in index.iter().zip(perm) {
                from[axis] = i;
            }
            from
        })
    }

    /// The indices `picks[axis]` of every axis.
    pub(super) fn take(&self, picks: &[Vec<usize>]) -> Self {
        let shape = picks.iter().map(Vec::len).collect();
        self.pulled(shape, |index| {
            let pairs = index.iter().zip(picks);
            pairs.map(|(&i, picks)| picks[i]).collect()
        })
    }

    pub(super) fn index_axis(&self, axis: usize, at: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        self.pulled(shape, |index| {
            let mut from = index.to_vec();
            from.insert(axis, at);
            from
        })
    }

    pub(super) fn flip(&self, axis: usize) -> Self {
        self.pulled(self.shape.clone(), |index| {
            let mut from = index.to_vec();
            from[axis] = self.shape[axis] - 1 - from[axis];
            from
        })
    }

    /// `None` if an extent is neither 1 nor the one asked for.
    pub(super) fn broadcast_to(&self, shape: &[usize]) -> Option<Self> {
        let added = shape.len().checked_sub(self.shape.len())?;
        let mut pairs = self.shape.iter().zip(&shape[added..]);
        if !pairs.all(|(&got, &want)| got == want || got == 1) {
            return None;
        }
        Some(self.pulled(shape.to_vec(), |index| {
            let pairs = index[added..].iter().zip(&self.shape);
            pairs
                .map(|(&i, &got)| if got == 1 { 0 } else { i })
                .collect()
        }))
    }

    /// The same places in the same order under another shape.
    pub(super) fn reshape(&self, shape: &[usize]) -> Self {
        assert_eq!(shape.iter().product::<usize>(), self.places.len());
        Self {
            shape: shape.to_vec(),
            places: self.places.clone(),
        }
    }

    /// Whether any strides at all express this map: they can only be the distances from index 0 to
    /// the second index of each axis.
    pub(super) fn has_strides(&self) -> bool {
        let Some(&first) = self.places.first() else {
            return true;
        };
        let stride = |axis: usize| {
            let mut second = vec![0; self.shape.len()];
            second[axis] = 1;
            self.at(&second) - first
        };
        let strides: Vec<i128> = (0..self.shape.len())
            .map(|axis| {
                if self.shape[axis] > 1 {
                    stride(axis)
                } else {
                    0
                }
            })
            .collect();
        let sum = |index: &Vec<usize>| -> i128 {
            let steps = index.iter().zip(&strides);
            steps.map(|(&i, &stride)| i as i128 * stride).sum()
        };
        let mut all = indices(&self.shape).into_iter().zip(&self.places);
        all.all(|(index, &place)| first + sum(&index) == place)
    }
}

/// A layout is what the map says, and consistent in itself.
pub(super) fn assert_same(layout: &Layout, map: &Map, what: &dyn core::fmt::Debug) {
    assert_eq!(layout.shape(), &map.shape[..], "{what:?}");
    assert_eq!(layout.len(), map.places.len(), "{what:?}: {layout:?}");
    assert_eq!(layout.strides().len(), layout.rank(), "{what:?}");
    assert_eq!(Map::of(layout).places, map.places, "{what:?}: {layout:?}");
}

/// Every shape with at most `rank` axes and extents up to `most`.
pub(super) fn shapes(rank: usize, most: usize) -> Vec<Vec<usize>> {
    (0..=rank)
        .flat_map(|rank| indices(&vec![most + 1; rank]))
        .collect()
}

/// Layouts of a shape of different kinds: dense, permuted, reversed, with gaps, broadcast.
pub(super) fn layouts(shape: &[usize]) -> Vec<Layout> {
    let rows = Layout::row_major(shape).unwrap();
    let columns = Layout::column_major(shape).unwrap();
    let scaled = |layout: &Layout, by: &dyn Fn(usize) -> isize| {
        let strides: Vec<isize> = layout.strides().to_vec();
        let strides: Vec<isize> = (0..shape.len())
            .map(|axis| strides[axis] * by(axis))
            .collect();
        Layout::new(shape, &strides, 1000).unwrap()
    };
    vec![
        scaled(&rows, &|_| 2),
        scaled(&rows, &|_| -1),
        scaled(&rows, &|axis| if axis % 2 == 0 { -3 } else { 1 }),
        scaled(&rows, &|axis| isize::from(axis % 2 == 1)),
        scaled(&rows, &|axis| isize::from(axis % 2 == 0)),
        scaled(&columns, &|axis| if axis == 0 { -1 } else { 1 }),
        scaled(&columns, &|axis| if axis == 0 { 1 } else { 2 }),
        rows,
        columns,
    ]
}

/// Choices from a seed: SplitMix64 (Steele, Lea, Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z as u128 * n as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn from(&mut self, low: isize, high: isize) -> isize {
        low + self.below((high - low + 1) as usize) as isize
    }
}
