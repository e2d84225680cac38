//! The progress bar: on stderr, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::case::Case;
use crate::suite::{STEPS, Watch};

/// A bar over all steps of all cases.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar for this many cases.
    pub(crate) fn new(cases: usize) -> Self {
        let bar = ProgressBar::new(cases as u64 * STEPS);
        let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {percent:>3}% {msg}");
        Self(bar.with_style(style.expect("the template is right")))
    }
}

impl Watch for Bar {
    fn case(&mut self, case: &Case) {
        self.0.set_message(case.name.clone());
    }

    fn step(&mut self) {
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
