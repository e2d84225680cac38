//! The progress bar: on stderr, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use restride_cases::Case;

use super::sampler;
use crate::statistics::median;
use crate::units;

/// Steps of a case: verification and the sampler's.
pub(crate) const STEPS: u64 = 1 + sampler::TICKS;

/// What is told while a run goes on.
pub(crate) trait Watch {
    /// A case begins.
    fn case(&mut self, case: &Case);
    /// One of [`STEPS`] parts of it is done; restride's last time, if it has one.
    fn step(&mut self, ns: Option<f64>);
    /// It ended before its last step, or was left out.
    fn skip(&mut self);
}

/// A bar over all steps of all cases.
pub(crate) struct Bar {
    bar: ProgressBar,
    case: String,
    bytes: usize,
    times: Vec<f64>,
    begun: u64,
}

impl Bar {
    /// A bar for this many cases, or one that shows nothing.
    pub(crate) fn new(cases: usize, shown: bool) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(cases as u64 * STEPS), target);
        let line = "{elapsed:>4} [{bar:30}] {percent:>3}% {eta:>4} left  {msg}";
        let style = ProgressStyle::with_template(line);
        Self {
            bar: bar.with_style(style.expect("the template is right")),
            case: String::new(),
            bytes: 0,
            times: Vec::new(),
            begun: 0,
        }
    }
}

impl Watch for Bar {
    fn case(&mut self, case: &Case) {
        self.case.clone_from(&case.name);
        self.bytes = case.bytes();
        self.times.clear();
        self.begun += STEPS;
        self.bar.set_message(case.name.clone());
    }

    fn step(&mut self, ns: Option<f64>) {
        self.times.extend(ns);
        if let Some(ns) = median(&self.times) {
            let speed = units::digits(self.bytes as f64 / ns);
            self.bar
                .set_message(format!("{}  {}, {speed} GB/s", self.case, units::time(ns)));
        }
        self.bar.inc(1);
    }

    fn skip(&mut self) {
        self.bar.set_position(self.begun);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
