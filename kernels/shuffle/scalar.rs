//! `shuffle`, cell by cell.

use crate::cell::Cell;
use crate::panel::Panel;
use crate::scalar::{crossed, scalar_rows};

/// # Safety
/// The contract of the crate, with a crossed panel.
#[inline(always)]
pub(super) unsafe fn body<C: Cell>(panel: &Panel<'_>, cell: C) {
    // SAFETY: passed on; all of the panel.
    unsafe { crossed(panel, cell, 0..panel.rows, 0..panel.cols) }
}

scalar_rows!(Shuffle, "shuffle", body);
