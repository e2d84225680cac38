//! In which order the loops around a panel run.

use core::cmp::Reverse;

use crate::plan::problem::Dim;

/// How the loops around a panel are ordered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// By source stride: reads want order, writes of whole lines care less.
    Source,
    /// By the cost of the jumps on both sides, writes slightly dearer.
    Cost,
    /// By source stride, but what the destination continues with is innermost. Two planes in rows of
    /// 256 bytes, 256 MiB: 0.95 of the roof, in source order 0.87; pixel shuffles 0.94 to 0.96, 0.89
    /// to 0.92.
    Continued,
    /// As [`Self::Continued`] if that loop is shorter than the innermost one by source stride: a few sequences on one side
    /// beside one on the other. Planes of cells that no row streams, by source stride and so, of the roof, again and again,
    /// then after all had been flushed, Zen 5: 12 bytes 5242x4x2x50 0.25 and 0.90, 0.29 and 0.90, 672x10x4x26 0.20 and 0.46;
    /// 16 bytes 16x81x2x200 0.45 and 0.89; 24 bytes 4x1024x4x64 0.43 and 0.70, 0.58 and 0.82. Not where one streams: f64
    /// 1638x10x2x32 1.14 and 0.47, u16 2048x16x4x32 0.95 and 0.27, after all had been flushed.
    Shorter,
}

impl Order {
    /// Sorts `loops`, outermost first.
    #[inline]
    pub(super) fn sort(self, loops: &mut [Dim]) {
        match self {
            Self::Source => loops.sort_by_key(|dim| Reverse(dim.src.unsigned_abs())),
            Self::Continued | Self::Shorter => {
                Self::Source.sort(loops);
                let innermost = loops.last().map_or(0, |dim| dim.extent);
                let next = (0..loops.len()).min_by_key(|&i| loops[i].dst);
                let always = matches!(self, Self::Continued);
                if let Some(next) = next.filter(|&i| always || loops[i].extent < innermost) {
                    loops[next..].rotate_left(1);
                }
            }
            Self::Cost => loops.sort_by_key(|dim| {
                let (src, dst) = (
                    dim.src.unsigned_abs() as u128,
                    dim.dst.unsigned_abs() as u128,
                );
                Reverse(100 * src + 101 * dst)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The extents of loops in order, of which each goes on on one side.
    fn sorted(order: Order, by_source: usize, by_destination: usize) -> [usize; 2] {
        let dim = |extent, src, dst| Dim { extent, src, dst };
        let mut loops = [
            dim(by_destination, 1 << 20, 1200),
            dim(by_source, 1200, 1 << 20),
        ];
        order.sort(&mut loops);
        loops.map(|dim| dim.extent)
    }

    #[test]
    fn the_shorter_of_two_loops_is_innermost() {
        assert_eq!(sorted(Order::Shorter, 5000, 4), [5000, 4]);
        assert_eq!(sorted(Order::Shorter, 4, 5000), [5000, 4]);
        assert_eq!(sorted(Order::Source, 5000, 4), [4, 5000]);
        assert_eq!(sorted(Order::Continued, 4, 5000), [4, 5000]);
    }
}
