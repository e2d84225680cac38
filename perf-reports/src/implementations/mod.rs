//! What is measured: restride, the yardsticks, and what stands beside them. Each is a row: a name,
//! a number of threads, how its result is checked, and how it runs.

mod peers;
mod plain;
mod restride;
mod small;

use std::hint::black_box;

use ::restride::Recipe;
use ::restride::recipe::Stored;
use peers::Terms;
pub(crate) use peers::{BROKEN, LOOPS, LOOPS_BY_SOURCE, NAIVE, PEERS, Peer};
use restride_cases::{Call, Case, Kind};

use crate::failure::Failure;
use crate::measure::settings::Settings;

/// The implementation that the reports are about.
pub(crate) const RESTRIDE: &str = "restride";
/// The same once more: what the two differ by is the noise.
pub(crate) const AGAIN: &str = "restride again";
/// Of small copies: problem and plan made, nothing copied.
pub(crate) const PLAN: &str = "restride plan";
/// Of small copies: problem and plan made, and run.
pub(crate) const PLAN_AND_RUN: &str = "restride plan and run";
/// Of small copies: a plan that stands, run between two typed views, which it compares with its own.
pub(crate) const RUN: &str = "restride run";
/// Of small copies: `copy` between two typed views.
pub(crate) const VIEWS: &str = "restride copy";
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
    pub(crate) recipe: Option<Recipe>,
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
    /// What it held before: only planned.
    Nothing,
}

impl Implementation {
    /// Whether it takes part in every round, however slow: the reports compare restride with the
    /// yardsticks; the others only stand beside them.
    pub(crate) fn is_compared(&self) -> bool {
        self.name.starts_with(RESTRIDE) || self.checked == Checked::Plain
    }

    /// Whether it is known to write around the caches, which leaves none of the destination there.
    pub(crate) fn streams(&self) -> bool {
        let stores = self.recipe.as_ref().and_then(Recipe::stores);
        self.name == NT4COPY || stores == Some(Stored::Streaming)
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

/// memcpy and nt4copy of as many bytes as a case moves.
pub(crate) fn yardsticks(case: &Case, threads: usize) -> [Implementation; 2] {
    [plain::memcpy(case, threads), plain::nt4copy(case, threads)]
}

/// Everything that can carry out `case`, on the numbers of threads that the settings ask for, restride
/// twice where it is to be measured `again`; and the names of those that cannot express it. `src` is
/// the source that a list of separate allocations is filled from.
///
/// # Errors
/// [`Failure::Usage`] if restride refuses the case, [`Failure::Io`] if memory is lacking.
pub(crate) fn all(
    case: &Case,
    src: &[u8],
    settings: &Settings,
    again: bool,
) -> Result<(Vec<Implementation>, Vec<String>), Failure> {
    let counts = settings.threads_of(case);
    let (mut all, mut inexpressible) = (Vec::new(), Vec::new());
    for &threads in &counts {
        all.push(restride::new(case, src, settings.pages, threads)?);
        if again {
            all.push(Implementation {
                name: AGAIN,
                ..restride::new(case, src, settings.pages, threads)?
            });
        }
        all.extend(yardsticks(case, threads));
    }
    if case.kind == Kind::Small {
        all.extend(small::all(case)?);
    }
    for peer in &settings.peers {
        // It would take most of the time of the long suites, and says little there.
        if peer.name == NAIVE && !settings.naive && case.kind != Kind::Small {
            continue;
        }
        let loops = [LOOPS, LOOPS_BY_SOURCE].contains(&peer.name);
        if loops && !settings.named && !peers::loops_belong(case) {
            continue;
        }
        // None knows lists.
        if matches!(case.call, Call::Listed(_)) {
            inexpressible.push(peer.name.into());
            continue;
        }
        let counts = if peer.parallel { &counts[..] } else { &[1] };
        let pages = settings.pages;
        let before = all.len();
        all.extend(counts.iter().filter_map(|&threads| {
            Some(Implementation {
                name: peer.name,
                threads,
                checked: Checked::Permuted,
                recipe: None,
                run: (peer.new)(case, Terms { threads, pages })?,
            })
        }));
        if all.len() == before {
            inexpressible.push(peer.name.into());
        }
    }
    Ok((all, inexpressible))
}
