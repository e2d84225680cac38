//! `restride-perf verify`: every case once against the oracle, every implementation of this build, on
//! one thread and on all, without timing.

use std::io::{self, IsTerminal};

use indicatif::ProgressBar;

use crate::cli::Verify;
use crate::cli::bench::filtered;
use crate::cli::peers;
use crate::data::environment::Environment;
use crate::data::folder;
use crate::failure::Failure;
use crate::measure::interrupt;
use crate::measure::pool::{self, Pin};
use crate::measure::settings::{Dest, Settings};
use crate::measure::suite::Memory;

/// Checks, and says how much.
///
/// # Errors
/// [`Failure::Wrong`] at the first wrong result.
pub(crate) fn verify(asked: &Verify) -> Result<(), Failure> {
    let suite = asked.suite.0;
    let cases = filtered(suite.cases(), asked.filter.as_deref(), suite.name())?;
    let workers = Environment::detect(&folder::tree())?.threads;
    let settings = Settings {
        threads: if workers > 1 {
            vec![1, workers]
        } else {
            vec![1]
        },
        workers,
        suite,
        samples: None,
        full: false,
        budget: None,
        seed: 0,
        pages: restride_cases::Pages::Huge,
        dest: Dest::Reused,
        peers: peers::chosen(&asked.peers)?,
        naive: true,
        named: true,
    };
    interrupt::listen()?;
    let checked = pool::within(workers, Pin::None, |_| {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::new(cases.len() as u64)
        } else {
            ProgressBar::hidden()
        };
        let mut memory = Memory::new(&cases, &settings)?;
        let mut checked = 0;
        for case in bar.wrap_iter(cases.iter()) {
            if interrupt::asked() {
                return Err(Failure::Interrupted(format!(
                    "interrupted; {checked} right"
                )));
            }
            checked += memory.verified(case, &settings, false)?.all.len();
        }
        Ok(checked)
    })?;
    let cases = cases.len();
    crate::print(&format!("{checked} results of {cases} cases are right\n"))
}
