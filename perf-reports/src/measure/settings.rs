//! How a suite is measured: what the command line asked for, with its gaps filled.

use std::time::Duration;

use restride_cases::{Case, Pages, Suite};

use crate::implementations::Peer;

/// How a suite is measured.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Numbers of threads that were asked for, ascending; empty where nothing was said.
    pub(crate) threads: Vec<usize>,
    /// Threads that can run at the same time.
    pub(crate) workers: usize,
    /// The suite decides on threads where nothing was said.
    pub(crate) suite: Suite,
    /// Rounds of a case; as many as its length suggests where nothing is said.
    pub(crate) samples: Option<usize>,
    /// More rounds, more sizes.
    pub(crate) full: bool,
    /// Time that all cases together may take.
    pub(crate) budget: Option<Duration>,
    /// What the order of the first round starts from.
    pub(crate) seed: u64,
    /// Pages of all buffers.
    pub(crate) pages: Pages,
    /// What is written to.
    pub(crate) dest: Dest,
    /// What stands beside restride and the yardsticks.
    pub(crate) peers: Vec<&'static Peer>,
    /// Whether the naive loop takes part in all cases, not only in small copies.
    pub(crate) naive: bool,
    /// Whether those that stand beside were named, and take part wherever they can.
    pub(crate) named: bool,
}

/// The memory that copies write to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dest {
    /// The same for all calls, touched before.
    #[default]
    Reused,
    /// New from the system in each call: the first writes to its pages are part of the time.
    Fresh,
    /// The same for all calls, but out of all caches before each, and the source as well.
    Cold,
}

impl Dest {
    /// All.
    pub(crate) const ALL: [Self; 3] = [Self::Reused, Self::Fresh, Self::Cold];

    /// The word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reused => "reused",
            Self::Fresh => "fresh",
            Self::Cold => "cold",
        }
    }
}

/// Cases that move less, read and written together, run on one thread only where nothing else is
/// said: waking another costs more than it could save.
const THREADED_BYTES: usize = 2 << 20;

impl Settings {
    /// The numbers of threads that a case is measured on.
    pub(crate) fn threads_of(&self, case: &Case) -> Vec<usize> {
        if case.bytes() < THREADED_BYTES || (self.threads.is_empty() && !case.kind.is_threaded()) {
            return vec![1];
        }
        if !self.threads.is_empty() {
            return self.threads.clone();
        }
        if self.suite == Suite::Scaling {
            return self.steps();
        }
        vec![1, self.workers.max(1)]
            .into_iter()
            .take(self.workers)
            .collect()
    }

    /// The largest number of threads.
    pub(crate) fn most_threads(&self) -> usize {
        let all = self.threads.iter().copied().max();
        all.unwrap_or(self.workers)
    }

    /// 1, 2, 3, 4, 6, 8, 12 .. and as many as there are.
    fn steps(&self) -> Vec<usize> {
        let steps = (0..usize::BITS).flat_map(|power| [1 << power, 3 << power]);
        let mut all: Vec<usize> = steps.take_while(|&n| n < 2 * self.workers.max(1)).collect();
        all.push(self.workers);
        all.retain(|&n| n <= self.workers.max(1));
        all.sort_unstable();
        all.dedup();
        all
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// One thread, one round, nothing beside.
    pub(crate) fn plain() -> Settings {
        Settings {
            threads: vec![1],
            workers: 2,
            suite: Suite::Quick,
            samples: Some(1),
            full: false,
            budget: None,
            seed: 0,
            pages: Pages::Huge,
            dest: Dest::Reused,
            peers: Vec::new(),
            naive: true,
            named: false,
        }
    }

    #[test]
    fn threads_follow_from_what_was_said_from_the_suite_and_from_the_case() {
        let by = |threads: &[usize], suite: Suite, case: usize| {
            let cases = suite.cases();
            let case = &cases[case];
            let settings = Settings {
                threads: threads.to_vec(),
                workers: 5,
                suite,
                ..plain()
            };
            settings.threads_of(case)
        };
        assert_eq!(by(&[], Suite::Flagship, 0), [1, 5]);
        assert_eq!(by(&[2, 3], Suite::Flagship, 0), [2, 3]);
        assert_eq!(by(&[], Suite::Scaling, 0), [1, 2, 3, 4, 5]);
        // Small copies, and sweeps that nothing was said of.
        assert_eq!(by(&[2, 3], Suite::Latency, 0), [1]);
        assert_eq!(by(&[], Suite::Resonance, 0), [1]);
        assert_eq!(by(&[2], Suite::Resonance, 0), [2]);
        let alone = Settings {
            threads: Vec::new(),
            workers: 1,
            ..plain()
        };
        assert_eq!(alone.threads_of(&Suite::Flagship.cases()[0]), [1]);
    }
}
