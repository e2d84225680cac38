//! `fill`, cell by cell.

use crate::cell::Cell;
use crate::panel::Panel;
use crate::scalar::{scalar_rows, straight};

/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[inline(always)]
unsafe fn body<C: Cell>(panel: &Panel<'_>, cell: C) {
    // SAFETY: passed on; the family admits straight panels with these steps only.
    unsafe { straight(panel, cell, 0, panel.dst.step) }
}

scalar_rows!(Fill, "fill", body);
