//! `strided`, cell by cell: rows as they come where the panel is straight, blocks where it is
//! crossed.

use crate::cell::Cell;
use crate::crossed::crossed;
use crate::panel::{Pairing, Panel};
use crate::scalar::{scalar_rows, straight};

/// # Safety
/// The contract of the crate; any steps, either pairing.
#[inline(always)]
unsafe fn body<C: Cell>(panel: &Panel<'_>, cell: C) {
    match panel.pairing {
        // SAFETY: passed on; the steps are the panel's.
        Pairing::Straight => unsafe { straight(panel, cell, panel.src.step, panel.dst.step) },
        // SAFETY: passed on; the panel is crossed.
        Pairing::Crossed => unsafe { crossed(panel, cell) },
    }
}

scalar_rows!(Strided, "strided", body);
