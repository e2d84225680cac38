//! What a campaign reached: ranks, cells and kernel rows, and how fast it went.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::time::Instant;

use super::layouts::Case;
use restride::Plan;
use restride::recipe::Stored;

pub(crate) struct Counters {
    start: Instant,
    cases: u64,
    poisoned: u64,
    empty: u64,
    split: u64,
    streamed: u64,
    /// Of these, in batches of blocks.
    batches: u64,
    /// Of these, with others of the same region of the source between two blocks.
    regions: u64,
    /// Copies made and found right.
    runs: u64,
    /// Of these, between views.
    views: u64,
    ranks: BTreeMap<usize, u64>,
    cells: BTreeMap<usize, u64>,
    kernels: BTreeMap<&'static str, u64>,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            cases: 0,
            poisoned: 0,
            empty: 0,
            split: 0,
            streamed: 0,
            batches: 0,
            regions: 0,
            runs: 0,
            views: 0,
            ranks: BTreeMap::new(),
            cells: BTreeMap::new(),
            kernels: BTreeMap::new(),
        }
    }

    pub(crate) fn case(&mut self, case: &Case) {
        self.cases += 1;
        self.poisoned += u64::from(case.poisoned.is_some());
        *self.ranks.entry(case.shape.len()).or_default() += 1;
        *self.cells.entry(case.cell).or_default() += 1;
    }

    pub(crate) fn views(&mut self, runs: usize) {
        self.runs += runs as u64;
        self.views += runs as u64;
    }

    pub(crate) fn plan(&mut self, plan: &Plan, runs: usize) {
        self.runs += runs as u64;
        match &plan.recipe().work {
            Some(work) => {
                *self.kernels.entry(work.kernel()).or_default() += 1;
                self.split += u64::from(work.threads.cold > 1);
                self.streamed += u64::from(work.stores() == Stored::Streaming);
                self.batches += u64::from(work.batch.is_some());
                self.regions += u64::from(work.batch.as_ref().is_some_and(|batch| batch.near > 0));
            }
            None => self.empty += 1,
        }
    }
}

impl Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.start.elapsed().as_secs_f64();
        writeln!(
            f,
            "{} cases ({} poisoned), {} runs in {seconds:.1} s, {:.0} cases/s\n  \
             plans: {} of nothing, {} split among threads, {} streaming, {} in batches, {} of these region by region",
            self.cases,
            self.poisoned,
            self.runs,
            self.cases as f64 / seconds,
            self.empty,
            self.split,
            self.streamed,
            self.batches,
            self.regions
        )?;
        list(f, "ranks", &self.ranks)?;
        list(f, "cells", &self.cells)?;
        list(f, "kernels", &self.kernels)
    }
}

fn list<K: Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    counts: &BTreeMap<K, u64>,
) -> fmt::Result {
    write!(f, "  {name}:")?;
    counts
        .iter()
        .try_for_each(|(key, count)| write!(f, " {key} ({count})"))?;
    writeln!(f)
}
