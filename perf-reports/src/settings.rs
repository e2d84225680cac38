//! How a suite is measured: what the command line asked for, with its gaps filled.

use crate::buffers::Pages;
use crate::implementations::Peer;

/// How a suite is measured.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Numbers of threads, ascending and not empty.
    pub(crate) threads: Vec<usize>,
    /// Rounds of a case; as many as its length suggests where nothing is said.
    pub(crate) samples: Option<usize>,
    /// Pages of all buffers.
    pub(crate) pages: Pages,
    /// What stands beside restride and the yardsticks.
    pub(crate) peers: Vec<&'static Peer>,
}

impl Settings {
    /// The largest number of threads.
    pub(crate) fn most_threads(&self) -> usize {
        self.threads.iter().copied().max().unwrap_or(1)
    }
}
