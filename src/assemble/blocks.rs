//! One block from many places to many places: pages of a cache, halos of a grid.
//!
//! The block is planned once; what a place adds is two offsets. Whether blocks overlap in the
//! destination is found from the distances between them, of which there are few where they are
//! regular; blocks that do are copied one after another.

use std::collections::HashMap;

use bytemuck::NoUninit;

use crate::error::Error;
use crate::exec::run_places;
use crate::layout::Layout;
use crate::plan::{Options, Problem, SourceGaps};
use crate::view::Slot;

/// Pairs of blocks that are looked at before they are taken to overlap: *guess*, some milliseconds.
const PAIRS: usize = 1 << 18;

/// Copies a block of one shape from many places of `src` to many places of `dst`. Entry `(from, to)`
/// of `places` adds `from` elements to the offset of `src_block`, and `to` to that of `dst_block`.
///
/// The result is that of copying the places one after another in their order, always: where blocks
/// overlap in the destination the last one counts. Blocks that are found to be disjoint are copied
/// by several threads, if all together are large; if some overlap, or it is not decided quickly
/// whether they do, one thread copies them in order.
///
/// # Errors
/// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the blocks differ in shape.
/// - [`Error::InternalOverlap`] if `dst_block` reaches an element twice, [`Error::OverlapUndecided`]
///   if that could not be ruled out.
/// - [`Error::OutOfBounds`] if a block at one of its places leaves `src` or `dst`.
/// - Those of the options.
///
/// ```
/// use restride::{Layout, Options, copy_many};
///
/// // Pages of two elements, from one cache to another.
/// let (src, mut dst) = ([1, 2, 3, 4, 5, 6], [0; 6]);
/// let page = Layout::row_major(&[2])?;
/// copy_many(&src, &page, &mut dst, &page, &[(0, 4), (4, 0)], &Options::default())?;
/// assert_eq!(dst, [5, 6, 0, 0, 1, 2]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy_many<T: NoUninit, D: Slot<T>>(
    src: &[T],
    src_block: &Layout,
    dst: &mut [D],
    dst_block: &Layout,
    places: &[(usize, usize)],
    options: &Options,
) -> Result<(), Error> {
    // The whole slice is borrowed, so no one writes between a block's elements.
    let problem = Problem::new::<T>(src_block, dst_block)?.with_source_gaps(SourceGaps::Readable);
    check_places(
        "places.src",
        src.len(),
        src_block,
        places.iter().map(|place| place.0),
    )?;
    check_places(
        "places.dst",
        dst.len(),
        dst_block,
        places.iter().map(|place| place.1),
    )?;
    if src_block.is_empty() {
        return Ok(());
    }
    let in_order = !disjoint(dst_block, places.iter().map(|place| place.1).collect());
    let size = size_of::<T>() as isize;
    // The bytes of a slice fit isize.
    let bytes = |&(from, to): &(usize, usize)| (from as isize * size, to as isize * size);
    let places: Vec<(isize, isize)> = places.iter().map(bytes).collect();
    let src = src.as_ptr().wrapping_add(src_block.offset()).cast();
    let dst = dst.as_mut_ptr().wrapping_add(dst_block.offset()).cast();
    // SAFETY: range: every block at every place was checked against its slice, and the destination
    // block is injective; aliasing: the slices do not overlap, and neither do the destinations
    // unless they are copied in order.
    unsafe { run_places(&problem, (src, dst), &places, in_order, options) }
}

/// Refuses a block that leaves its slice at one of its places.
fn check_places(
    arg: &'static str,
    len: usize,
    block: &Layout,
    mut places: impl Iterator<Item = usize>,
) -> Result<(), Error> {
    let (end, high) = (block.storage_range().end as i128, len as i128);
    // Places are not negative, so none leaves at the low end.
    match places.find(|&place| place as i128 + end > high) {
        None => Ok(()),
        Some(place) => Err(Error::OutOfBounds {
            arg,
            axis: None,
            got: place as i128 + end - i128::from(!block.is_empty()),
            low: 0,
            high,
        }),
    }
}

/// Whether the block at one of these places never reaches what it reaches at another: no if that
/// takes too long to find out.
fn disjoint(block: &Layout, mut places: Vec<usize>) -> bool {
    places.sort_unstable();
    let span = block.storage_range().len();
    if block.is_dense() {
        return places.windows(2).all(|pair| pair[1] - pair[0] >= span);
    }
    let mut known: HashMap<usize, bool> = HashMap::new();
    let mut left = PAIRS;
    for (i, &place) in places.iter().enumerate() {
        for &other in places[i + 1..]
            .iter()
            .take_while(|&&other| other - place < span)
        {
            let distance = other - place;
            let meets = *known.entry(distance).or_insert_with(|| {
                let (shape, strides) = (block.shape(), block.strides());
                let moved = Layout::new(shape, strides, block.offset() + distance);
                moved.map_or(true, |moved| block.overlaps(&moved).is_possible())
            });
            let Some(fewer) = left.checked_sub(1).filter(|_| !meets) else {
                return false;
            };
            left = fewer;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_share_an_element_are_found_and_others_are_not() {
        let columns = Layout::new(&[4, 2], &[10, 1], 0).unwrap();
        assert!(disjoint(&columns, vec![4, 0, 2, 8, 6]));
        assert!(!disjoint(&columns, vec![4, 0, 3]));
        assert!(!disjoint(&columns, vec![0, 30]) && disjoint(&columns, vec![0, 40]));
        assert!(!disjoint(&columns, vec![7, 7]));
        let page = Layout::row_major(&[8]).unwrap();
        assert!(disjoint(&page, vec![0, 16, 8]) && !disjoint(&page, vec![0, 15, 8]));
        assert!(disjoint(&page, Vec::new()));
    }
}
