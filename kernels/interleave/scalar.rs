//! `interleave`, cell by cell. The loop over the short side is the inner one when the destination
//! is the pixels, the outer one when it is the planes, so that the destination is written in order.

use crate::cell::Cell;
#[cfg(target_arch = "x86_64")]
use crate::cell::{Fixed, Sized};
use crate::panel::Panel;
use crate::scalar::{crossed, scalar_rows};

/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[inline(always)]
unsafe fn body<C: Cell>(panel: &Panel<'_>, cell: C) {
    // SAFETY: passed on; the family admits crossed panels only, and the ranges are the panel's.
    unsafe { crossed(panel, cell, 0..panel.rows, 0..panel.cols) }
}

/// A panel of any cells: for rows that find pixels scattered.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) unsafe fn cells(panel: &Panel<'_>) {
    // SAFETY: passed on; each arm moves cells of the panel's size.
    unsafe {
        match panel.cell {
            1 => body(panel, Fixed::<1>),
            2 => body(panel, Fixed::<2>),
            4 => body(panel, Fixed::<4>),
            8 => body(panel, Fixed::<8>),
            bytes => body(panel, Sized(bytes)),
        }
    }
}

scalar_rows!(Interleave, "interleave", body);
