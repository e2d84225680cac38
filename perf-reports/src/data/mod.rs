//! What a report consists of: where, how, which cases with which plans, every sample, the ceilings.
//! Reports are rendered from this and from nothing else, so that they can be rendered again.
//!
//! ```text
//! data/env.json       machine, system, compiler, commit; how the run went
//! data/plans.json     the cases: layouts, bytes and lines they move, what was planned
//! data/results.jsonl  a line per case, implementation and number of threads: all samples
//! data/ceilings.json  plain copies by size and number of threads; the control
//! data/command.txt    the command that measures the same again
//! ```

pub(crate) mod ceilings;
mod date;
pub(crate) mod environment;
pub(crate) mod folder;
mod load;
pub(crate) mod plans;
pub(crate) mod query;
pub(crate) mod record;
pub(crate) mod run;
mod save;
#[cfg(test)]
pub(crate) mod synthetic;

use ceilings::Ceilings;
use environment::Environment;
use plans::CaseRecord;
use record::Record;
use run::Run;

pub(crate) use load::merge;
pub(crate) use save::Writer;

/// Raised when a field changes its meaning.
pub(crate) const SCHEMA: u32 = 2;

/// All that is known of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    /// Where.
    pub(crate) environment: Environment,
    /// How.
    pub(crate) run: Run,
    /// What, in the order it was measured in.
    pub(crate) cases: Vec<Measured>,
    /// What plain copies reach.
    pub(crate) ceilings: Ceilings,
}

/// A case and its measurements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) case: CaseRecord,
    pub(crate) records: Vec<Record>,
}
