//! How a run went: what was asked for, what disturbed it, who took part. A part of `env.json`.

use serde::{Deserialize, Serialize};

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// What was asked for, but for the folder.
    pub(crate) command: String,
    /// The suites.
    pub(crate) suites: Vec<String>,
    /// How long it took.
    pub(crate) seconds: f64,
    /// The share of CPU time that went to other processes meanwhile.
    pub(crate) others: Option<f64>,
    /// Whether it was stopped before its end.
    pub(crate) interrupted: bool,
    /// How many cases were left out, for want of time or because it was stopped.
    pub(crate) left_out: usize,
    /// Fewest rounds of restride and the yardsticks.
    pub(crate) rounds: usize,
    /// Numbers of threads.
    pub(crate) threads: Vec<usize>,
    /// Pages that were asked for.
    pub(crate) pages: String,
    /// reused, fresh or cold.
    pub(crate) dest: String,
    /// What the order of a round starts from.
    pub(crate) seed: u64,
    /// Who comes when in the rounds, and after how many untimed calls.
    #[serde(default)]
    pub(crate) turns: Turns,
    /// What could be pinned, in words.
    pub(crate) pinning: String,
    /// Source and destination lie so many bytes behind a multiple of 2 MiB.
    pub(crate) offsets: (usize, usize),
    /// Who took part beside restride and the yardsticks.
    pub(crate) peers: Vec<PeerRecord>,
}

/// How implementations took turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Turns {
    /// In an order that rotated, in which each had the same predecessor but where a round began, and of which those that
    /// write around the caches had one untimed call. Data that do not say are such.
    #[default]
    Rotated,
    /// In an order in which others come before each, and those have three.
    Balanced,
}

/// Someone who took part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeerRecord {
    /// The name in records.
    pub(crate) name: String,
    /// The version of the crate or package; none of a loop of ours.
    pub(crate) version: Option<String>,
    /// How it is called, and what of that needs to be known to judge its figures.
    pub(crate) how: String,
}

impl Run {
    /// What the run was like, in a line.
    pub(crate) fn words(&self) -> String {
        let others = self.others.map_or_else(String::new, |share| {
            let share = 100.0 * share;
            format!(", {share:.0} % of the CPU time went to other processes")
        });
        let cut = match (self.interrupted, self.left_out) {
            (_, 0) => String::new(),
            (true, cases) => format!(", interrupted: {cases} cases left out"),
            (false, cases) => format!(", {cases} cases left out for want of time"),
        };
        format!("{:.0} s{others}{cut}", self.seconds)
    }
}
