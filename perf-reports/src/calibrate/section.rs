//! What a parallel section costs: one that does nothing, from inside the pool, and from outside with
//! its workers asleep.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::statistics::median;

/// Nanoseconds of a section.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sections {
    pub(super) warm_ns: u64,
    pub(super) cold_ns: u64,
}

const WARM_ROUNDS: usize = 2000;
const COLD_ROUNDS: usize = 40;
/// Where no one comes, fewer threads run than there are said to be.
const PATIENCE: Duration = Duration::from_millis(20);
/// Rayon's workers are asleep after that.
const ASLEEP: Duration = Duration::from_millis(10);

/// A section as restride opens one, whose ranges begin on as many threads: the caller, which has a share
/// of its own, waits until the others have begun theirs.
fn section(threads: usize) {
    let begun = AtomicUsize::new(1);
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| {
                begun.fetch_add(1, Ordering::SeqCst);
            });
        }
        let start = Instant::now();
        while begun.load(Ordering::SeqCst) < threads && start.elapsed() < PATIENCE {
            hint::spin_loop();
        }
    });
}

/// From inside the pool, one after the other.
pub(super) fn warm(threads: usize) -> u64 {
    let times = (0..WARM_ROUNDS).map(|_| timed(threads));
    middle(times.skip(WARM_ROUNDS / 10).collect())
}

/// From outside of a pool of its own, after its workers have gone to sleep.
pub(super) fn cold(threads: usize) -> u64 {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else {
        return 0;
    };
    let times = (0..COLD_ROUNDS).map(|_| {
        thread::sleep(ASLEEP);
        let start = Instant::now();
        pool.install(|| section(threads));
        start.elapsed().as_nanos() as f64
    });
    middle(times.skip(2).collect())
}

fn timed(threads: usize) -> f64 {
    let start = Instant::now();
    section(threads);
    start.elapsed().as_nanos() as f64
}

fn middle(times: Vec<f64>) -> u64 {
    median(&times).unwrap_or(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waking_someone_costs_more_than_nothing() {
        assert!(cold(2) > 0);
    }
}
