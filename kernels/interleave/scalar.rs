//! `interleave`, cell by cell. The loop over the short side is the inner one when the destination
//! is the pixels, the outer one when it is the planes, so that the destination is written in order.

use crate::cell::Cell;
use crate::panel::Panel;
use crate::scalar::{crossed, scalar_rows};

/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[inline(always)]
unsafe fn body<C: Cell>(panel: &Panel<'_>, cell: C) {
    // SAFETY: passed on; the family admits crossed panels only, and the ranges are the panel's.
    unsafe { crossed(panel, cell, 0..panel.rows, 0..panel.cols) }
}

scalar_rows!(Interleave, "interleave", body);
