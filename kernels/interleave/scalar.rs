//! `interleave`, cell by cell: plane after plane, some pixels of each.

#[cfg(target_arch = "x86_64")]
use crate::cell::{Fixed, Sized};
use crate::crossed::crossed;
#[cfg(target_arch = "x86_64")]
use crate::panel::Panel;
use crate::scalar::scalar_rows;

/// A panel of any cells: for rows that find pixels scattered.
///
/// # Safety
/// The contract of the crate, with a panel that the family admits.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) unsafe fn cells(panel: &Panel<'_>) {
    // SAFETY: passed on: the family admits crossed panels only, and each arm moves cells of the panel's size.
    unsafe {
        match panel.cell {
            1 => crossed(panel, Fixed::<1>),
            2 => crossed(panel, Fixed::<2>),
            4 => crossed(panel, Fixed::<4>),
            8 => crossed(panel, Fixed::<8>),
            bytes => crossed(panel, Sized(bytes)),
        }
    }
}

scalar_rows!(Interleave, "interleave", crossed);
