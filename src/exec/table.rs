//! Row tables of small panels, made on the stack just before these are moved.
//!
//! A file of its own because planning, which describes the rows, is without unsafe code, and the
//! entries that are not needed are not initialised.

use core::mem::MaybeUninit;

use crate::plan::Nest;

/// Room for a table, not initialised.
pub(super) struct Table([MaybeUninit<isize>; Nest::ROWS]);

impl Table {
    /// Room on either side of a panel.
    #[inline(always)]
    pub(super) fn pair() -> [Self; 2] {
        [const { Self([MaybeUninit::uninit(); Nest::ROWS]) }; 2]
    }

    /// The offsets that `nest` stands for. Nothing is read back: loads of several entries just after
    /// each was stored have to wait for the stores.
    #[inline]
    pub(super) fn of(&mut self, nest: &Nest) -> &[isize] {
        let ([inner, middle, outer], [a, b, c]) = (nest.extents(), nest.strides());
        let rows = inner * middle * outer;
        assert!(rows <= Nest::ROWS, "a nest has no more rows");
        let start = self.0.as_mut_ptr().cast::<isize>();
        let (mut place, mut outside) = (start, 0_isize);
        for _ in 0..outer {
            let mut between = outside;
            for _ in 0..middle {
                let mut inside = between;
                for _ in 0..inner {
                    // SAFETY: range: these loops write `rows` entries, one after another, and there
                    // are as many.
                    unsafe { place.write(inside) };
                    place = place.wrapping_add(1);
                    inside = inside.wrapping_add(a);
                }
                between = between.wrapping_add(b);
            }
            outside = outside.wrapping_add(c);
        }
        // SAFETY: range: the first `rows` entries were written; aliasing: self is borrowed as long.
        unsafe { core::slice::from_raw_parts(start, rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stride_counts_fastest() {
        let mut table = Table::pair();
        let nest = |dims: &[(usize, isize)]| {
            let mut nest = Nest::new();
            for (place, &(extent, stride)) in dims.iter().enumerate() {
                nest.put(place, extent, stride);
            }
            nest
        };
        let expected = [0, 10, -100, -90, -200, -190, 7, 17, -93, -83, -193, -183];
        assert_eq!(table[0].of(&nest(&[(2, 10), (3, -100), (2, 7)])), expected);
        assert_eq!(table[1].of(&nest(&[(64, 3)]))[63], 189);
    }
}
