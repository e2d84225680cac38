//! What is measured: restride, the yardsticks, and what stands beside them. Each is a row: a name,
//! a number of threads, how its result is checked, and how it runs.

mod peers;
mod plain;
mod restride;
mod streaming;

use std::hint::black_box;

use peers::Terms;
pub(crate) use peers::{NAIVE, PEERS, Peer};

use crate::case::{Call, Case};
use crate::failure::Failure;
use crate::record::PlanRecord;
use crate::settings::Settings;

/// The implementation that the reports are about.
pub(crate) const RESTRIDE: &str = "restride";
/// The C library's copy of as many contiguous bytes.
pub(crate) const MEMCPY: &str = "memcpy";
/// The streaming copy of as many contiguous bytes that interleaves four pages.
pub(crate) const NT4COPY: &str = "nt4copy";

/// One way to carry out a case, ready to run.
pub(crate) struct Implementation {
    /// The name in tables, records and figures.
    pub(crate) name: &'static str,
    /// Threads it may use.
    pub(crate) threads: usize,
    /// What it must leave in the destination.
    pub(crate) checked: Checked,
    /// What restride decided.
    pub(crate) plan: Option<PlanRecord>,
    /// The copy.
    pub(crate) run: Box<dyn Run>,
}

/// What an implementation must leave in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// What the oracle says.
    Permuted,
    /// The first bytes of the source: yardsticks only move as many bytes.
    Plain,
}

impl Implementation {
    /// Whether it takes part in every round, however slow: the reports compare restride with the
    /// yardsticks; the others only stand beside them.
    pub(crate) fn is_compared(&self) -> bool {
        self.name == RESTRIDE || self.checked == Checked::Plain
    }
}

/// A copy that can be repeated. Buffers are those of the case: as long as its places say.
pub(crate) trait Run {
    /// Copies `times` times. The loop is in here so that a call costs what it costs, and no more.
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize);

    /// Returns when no thread of its own is busy any more, so that none disturbs what is timed next.
    fn settle(&self) {}

    /// Leaves the result in `dst`, if `run` left it in memory of its own. Not timed.
    fn hand_over(&self, _dst: &mut [u8]) {}
}

/// Repeats a closure on buffers whose lengths were checked once.
struct Each<F> {
    src_len: usize,
    dst_len: usize,
    copy: F,
}

impl<F: FnMut(&[u8], &mut [u8])> Each<F> {
    /// `copy` may rely on both buffers having the bytes that the places of `case` ask for.
    fn of(case: &Case, copy: F) -> Box<Self> {
        let (src_len, dst_len) = (case.src_place().len, case.dst_place().len);
        Box::new(Self {
            src_len,
            dst_len,
            copy,
        })
    }
}

impl<F: FnMut(&[u8], &mut [u8])> Run for Each<F> {
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize) {
        assert!(src.len() >= self.src_len && dst.len() >= self.dst_len);
        for _ in 0..times {
            (self.copy)(black_box(src), black_box(&mut *dst));
        }
    }
}

/// Everything that can carry out `case`, on the numbers of threads that the settings ask for. `src`
/// is the source that a list of separate allocations is filled from.
///
/// # Errors
/// [`Failure::Usage`] if restride refuses the case, [`Failure::Io`] if memory is lacking.
pub(crate) fn all(
    case: &Case,
    src: &[u8],
    settings: &Settings,
) -> Result<Vec<Implementation>, Failure> {
    let mut all = Vec::new();
    for &threads in &settings.threads {
        all.push(restride::new(case, src, settings.pages, threads)?);
        all.push(plain::memcpy(case, threads));
        all.push(plain::nt4copy(case, threads));
    }
    // What everything is compared with.
    if !settings.threads.contains(&1) {
        all.push(plain::memcpy(case, 1));
    }
    // None knows lists.
    if !matches!(case.call, Call::Listed(_)) {
        for peer in &settings.peers {
            let counts = if peer.parallel {
                &settings.threads[..]
            } else {
                &[1]
            };
            let pages = settings.pages;
            all.extend(counts.iter().filter_map(|&threads| {
                Some(Implementation {
                    name: peer.name,
                    threads,
                    checked: Checked::Permuted,
                    plan: None,
                    run: (peer.new)(case, Terms { threads, pages })?,
                })
            }));
        }
    }
    Ok(all)
}
