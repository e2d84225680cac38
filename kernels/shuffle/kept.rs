//! Windows that are kept from one panel of a task to the next one.
//!
//! A file of its own because panels are small where the rows of blocks are: to find out what a block is made of takes longer
//! than to move a kilobyte.

use core::mem::{align_of, size_of};

use super::block::Block;
use super::gathered::Windows;
use crate::fence::StreamFence;
use crate::panel::{LINE, Panel, Rows};

/// Bytes of a panel from which on blocks that lie in one register are moved as such, for which less is to be found out, and
/// whole registers are loaded where that may be: *guess*.
const FEW: usize = 1 << 9;

/// Those of panels like this one, if that is better than to look at each panel.
pub(super) fn of_many(panel: &Panel<'_>) -> Option<Windows> {
    if panel.rows == 0 {
        return None;
    }
    let better = match Block::of(panel, LINE) {
        Some(block) => {
            let bytes = block.bytes;
            !block.follows() && bytes <= LINE && panel.rows * bytes < FEW
        }
        None => true,
    };
    better.then(|| Windows::of(panel)).flatten()
}

/// What [`Windows`] were made of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Made {
    cell: usize,
    extents: [usize; 2],
    step: isize,
    rows: [usize; 2],
    /// Whether the blocks follow each other in the destination.
    follow: bool,
}

impl Made {
    fn of(panel: &Panel<'_>) -> Self {
        Self {
            cell: panel.cell,
            extents: [panel.rows, panel.cols],
            step: panel.src.step,
            rows: match panel.src.rows {
                Rows::Stride(stride) => [0, stride as usize],
                Rows::Offsets(offsets) => [1, offsets.as_ptr().addr()],
                Rows::Pointers(list, _) => [2, list.as_ptr().addr()],
            },
            follow: panel.dst.rows.follow(panel.cols * panel.cell),
        }
    }
}

/// What the scratch holds.
struct Kept {
    made: Made,
    /// None if it is better to look at each panel.
    windows: Option<Windows>,
}

/// Bytes of scratch, whatever the panel: parts of one that is moved otherwise may be few enough. The first one says whether
/// something is kept.
pub(super) const SCRATCH: usize = 1 + size_of::<Kept>() + align_of::<Kept>();

/// The windows of `panel`, if that is better than to look at it: those of the panel before it, if they are the same.
///
/// # Safety
/// - Shape: the scratch of `fence` has [`SCRATCH`] bytes; offsets at the same address were the same offsets when other panels
///   were moved with `fence`.
#[inline(always)]
pub(super) unsafe fn kept<'f>(
    panel: &Panel<'_>,
    fence: &'f StreamFence<'_>,
) -> Option<&'f Windows> {
    let (scratch, _) = fence.scratch();
    let behind = scratch.wrapping_add(1);
    let place = behind
        .wrapping_add(behind.align_offset(align_of::<Kept>()))
        .cast::<Kept>();
    let made = Made::of(panel);
    // SAFETY: range and alignment: an aligned place with so many bytes, which is ours as long as the guard is there; what it
    // holds was written before the first byte, which is 0 until then.
    unsafe {
        if *scratch == 0 || (*place).made != made {
            let windows = of_many(panel);
            place.write(Kept { made, windows });
            *scratch = 1;
        }
        (*place).windows.as_ref()
    }
}
