//! The sampler: which implementation is timed when, and how often. Implementations take turns within
//! a round, so that whatever slows the machine down for a while slows all of them, and the order
//! rotates from round to round, so that no one always follows the same neighbour.

use std::time::{Duration, Instant};

use crate::implementations::Implementation;

/// Nanoseconds per call, one entry per round; none where an implementation sat out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Samples {
    /// Calls in one sample.
    pub(crate) calls: usize,
    /// Nanoseconds per call, by round.
    pub(crate) ns: Vec<Option<f64>>,
}

/// Rounds of a case, enough for a median that one disturbed round does not move.
const ROUNDS: usize = 9;
/// Rounds where a whole round takes less than [`SHORT_ROUND_NS`].
const MANY_ROUNDS: usize = 25;
const SHORT_ROUND_NS: f64 = 4e6;
/// Rounds where a whole round takes more than [`LONG_ROUND_NS`]: what disturbs the machine for a
/// moment disturbs little of them.
const SOME_ROUNDS: usize = 7;
const LONG_ROUND_NS: f64 = 100e6;
/// Rounds of the slowest.
const FEW_ROUNDS: usize = 3;
/// Time that one implementation may take of a case before it sits out rounds. Restride and the
/// yardsticks never do.
const BUDGET_NS: f64 = 700e6;
/// The shortest sample: a thousand times what reading the clock takes.
const SAMPLE_NS: f64 = 20e3;
/// Shorter calls run once untimed before each sample, so that what their predecessor left in the
/// caches does not count. Streaming onto lines that another implementation had just written through
/// the caches ran at 11 GB/s instead of 28 (12 MB per side, four-page copy).
const WARMED_NS: f64 = 20e6;
/// First calls that took this long are taken at their word.
const LONG_NS: f64 = 100e6;
/// Timings below this are cheap enough to be repeated.
const DOUBTED_NS: f64 = 5e6;

/// Times all implementations in as many rounds as were asked for, or seem right. `first` says how long
/// the first call of each took; `tick` is called [`ROUNDS`] times, whatever the number of rounds.
pub(crate) fn sample(
    implementations: &mut [Implementation],
    first: &[Duration],
    asked: Option<usize>,
    (src, dst): (&[u8], &mut [u8]),
    mut tick: impl FnMut(),
) -> Vec<Samples> {
    let turns: Vec<Turn> = implementations
        .iter_mut()
        .zip(first)
        .map(|(implementation, first)| Turn::calibrate(implementation, *first, src, dst))
        .collect();
    let rounds = asked.unwrap_or_else(|| rounds(turns.iter().map(Turn::sample_ns).sum()));
    let mut all: Vec<Samples> = turns
        .iter()
        .map(|turn| Samples {
            calls: turn.calls,
            ns: vec![None; rounds],
        })
        .collect();
    for round in 0..rounds {
        for which in order(round, turns.len()) {
            let (turn, implementation) = (&turns[which], &mut implementations[which]);
            let its_rounds = if implementation.is_compared() {
                rounds
            } else {
                rounds_within_budget(turn.sample_ns(), rounds)
            };
            if takes_part(round, its_rounds, rounds) {
                let ns = turn.take(implementation, src, dst);
                all[which].ns[round] = Some(ns);
            }
        }
        let ticks = |round: usize| round * ROUNDS / rounds;
        (ticks(round)..ticks(round + 1)).for_each(|_| tick());
    }
    all
}

/// Ticks of one call of [`sample`].
pub(crate) const TICKS: u64 = ROUNDS as u64;

/// How one implementation is timed.
struct Turn {
    calls: usize,
    call_ns: f64,
}

impl Turn {
    /// Finds the calls that make a sample long enough for the clock.
    fn calibrate(
        implementation: &mut Implementation,
        first: Duration,
        src: &[u8],
        dst: &mut [u8],
    ) -> Self {
        let first_ns = first.as_nanos() as f64;
        if first_ns >= LONG_NS {
            return Self {
                calls: 1,
                call_ns: first_ns,
            };
        }
        let mut calls = 1;
        loop {
            let ns = quickest(implementation, src, dst, calls);
            if ns >= SAMPLE_NS {
                return Self {
                    calls,
                    call_ns: ns / calls as f64,
                };
            }
            // A little more than needed, and at most ten times as many on the word of one sample.
            let factor = (1.3 * SAMPLE_NS / ns.max(1.0)).clamp(1.3, 10.0);
            calls = (calls as f64 * factor).ceil() as usize;
        }
    }

    fn sample_ns(&self) -> f64 {
        self.calls as f64 * self.call_ns
    }

    /// One sample, in nanoseconds per call.
    fn take(&self, implementation: &mut Implementation, src: &[u8], dst: &mut [u8]) -> f64 {
        if self.call_ns < WARMED_NS {
            implementation.run.run(src, dst, self.calls);
        }
        let ns = timed(implementation, src, dst, self.calls) / self.calls as f64;
        implementation.run.settle();
        ns
    }
}

/// The least of up to three timings: one during which the thread was taken off its CPU must not
/// decide how many calls a sample has.
fn quickest(implementation: &mut Implementation, src: &[u8], dst: &mut [u8], calls: usize) -> f64 {
    let mut ns = timed(implementation, src, dst, calls);
    for _ in 0..2 {
        if ns < DOUBTED_NS {
            ns = ns.min(timed(implementation, src, dst, calls));
        }
    }
    ns
}

fn timed(implementation: &mut Implementation, src: &[u8], dst: &mut [u8], calls: usize) -> f64 {
    if implementation.threads > 1 {
        wake_workers();
    }
    let start = Instant::now();
    implementation.run.run(src, dst, calls);
    start.elapsed().as_nanos() as f64
}

/// Keeps every worker of the pool busy for a moment, so that none is asleep when the clock starts:
/// waking one takes about 50 us, and that is not what is measured.
fn wake_workers() {
    rayon::broadcast(|_| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(5) {
            std::hint::spin_loop();
        }
    });
}

/// Rounds of a case one round of which takes `ns`.
fn rounds(ns: f64) -> usize {
    match ns {
        ns if ns < SHORT_ROUND_NS => MANY_ROUNDS,
        ns if ns > LONG_ROUND_NS => SOME_ROUNDS,
        _ => ROUNDS,
    }
}

/// Rounds of an implementation whose sample takes `ns`.
fn rounds_within_budget(ns: f64, rounds: usize) -> usize {
    ((BUDGET_NS / ns) as usize).max(FEW_ROUNDS).min(rounds)
}

/// Whether an implementation that takes part in `its` of `all` rounds does so in this one: they are
/// spread evenly.
fn takes_part(round: usize, its: usize, all: usize) -> bool {
    round * its / all != (round + 1) * its / all
}

/// Who comes when in a round.
fn order(round: usize, implementations: usize) -> impl Iterator<Item = usize> {
    (0..implementations).map(move |place| (place + round) % implementations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations::{Checked, Run};

    #[test]
    fn the_slow_sit_out_evenly_and_everyone_comes_first() {
        for its in FEW_ROUNDS..=ROUNDS {
            let taken = (0..ROUNDS).filter(|&round| takes_part(round, its, ROUNDS));
            assert_eq!(taken.count(), its);
        }
        assert_eq!(rounds_within_budget(1e9, ROUNDS), FEW_ROUNDS);
        assert_eq!(rounds_within_budget(1e3, ROUNDS), ROUNDS);
        assert_eq!(rounds_within_budget(1e9, 1), 1);
        let by_length = [1e6, 1e7, 1e9].map(rounds);
        assert_eq!(by_length, [MANY_ROUNDS, ROUNDS, SOME_ROUNDS]);
        let firsts: Vec<_> = (0..4).filter_map(|round| order(round, 4).next()).collect();
        assert_eq!(firsts, [0, 1, 2, 3]);
        assert_eq!(order(3, 4).collect::<Vec<_>>(), [3, 0, 1, 2]);
    }

    struct Wait(Duration);

    impl Run for Wait {
        fn run(&mut self, _: &[u8], _: &mut [u8], times: usize) {
            let start = Instant::now();
            while start.elapsed() < self.0 * times as u32 {}
        }
    }

    #[test]
    fn short_calls_are_timed_in_batches() {
        let wait = |name, micros| Implementation {
            name,
            threads: 1,
            checked: Checked::Permuted,
            plan: None,
            run: Box::new(Wait(Duration::from_micros(micros))),
        };
        let mut both = [wait("short", 2), wait("long", 300)];
        let first = [Duration::from_micros(2), Duration::from_micros(300)];
        let mut ticks = 0;
        let samples = sample(&mut both, &first, None, (&[], &mut []), || ticks += 1);
        assert_eq!(ticks, TICKS);
        for asked in [1, 4] {
            let samples = sample(&mut both, &first, Some(asked), (&[], &mut []), || ());
            assert!(samples.iter().all(|samples| samples.ns.len() == asked));
        }
        assert!(
            samples[0].calls >= 10 && samples[1].calls == 1,
            "{samples:?}"
        );
        for (samples, least) in samples.iter().zip([2000.0, 300_000.0]) {
            assert_eq!(samples.ns.len(), MANY_ROUNDS);
            assert!(samples.ns.iter().all(|ns| ns.is_some_and(|ns| ns >= least)));
        }
    }
}
