//! Ctrl-C: the first asks the run to stop where it can keep what it has, the second ends the program.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks instead of ending the program.
pub(crate) fn listen() -> Result<(), Failure> {
    let heard = || {
        if ASKED.swap(true, Ordering::SeqCst) {
            process::exit(130);
        }
    };
    ctrlc::set_handler(heard).map_err(|error| Failure::Io(format!("Ctrl-C: {error}")))
}

/// Whether someone asked the run to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
