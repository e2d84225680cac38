//! The sampler: which implementation is timed when, and how often. Implementations take turns within
//! a round, so that whatever slows the machine down for a while slows all of them, in another order
//! in each round, so that no one always follows the same neighbour.

use std::time::{Duration, Instant};

use restride_cases::{Buffer, DST_OFFSET, Pages, flush};

use super::interrupt;
use crate::failure::Failure;
use crate::implementations::{Implementation, RESTRIDE};

/// Nanoseconds per call, one entry per round; none where an implementation sat out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Samples {
    /// Calls in one sample.
    pub(crate) calls: usize,
    /// Nanoseconds per call, by round.
    pub(crate) ns: Vec<Option<f64>>,
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    /// So many.
    pub(crate) asked: Option<usize>,
    /// As many as a report for others needs.
    pub(crate) full: bool,
    /// No more for short rounds: one of very many cases that show something together.
    pub(crate) sweep: bool,
    /// What the order of the first round starts from.
    pub(crate) seed: u64,
    /// What all of them may take, if that leaves [`FEW_ROUNDS`].
    pub(crate) budget: Option<Duration>,
}

/// Where implementations write to.
pub(crate) enum Target<'a> {
    /// Memory that was touched.
    Reused(&'a mut [u8]),
    /// So many bytes, new from the system in each sample.
    Fresh(usize, Pages),
    /// Memory that was touched, and is out of all caches when a sample begins, as is the source.
    Cold(&'a mut [u8]),
}

/// Fewest rounds of a case, enough for a median that one disturbed round does not move.
pub(crate) const ROUNDS: usize = 9;
/// The same of a full report.
pub(crate) const FULL_ROUNDS: usize = 15;
/// Rounds where a whole round takes less than [`SHORT_ROUND_NS`].
const MANY_ROUNDS: usize = 25;
const SHORT_ROUND_NS: f64 = 4e6;
/// Rounds of the slowest peers, and where time is short.
const FEW_ROUNDS: usize = 3;
/// Time that one peer may take of a case before it sits out rounds. Restride and the yardsticks
/// never do.
const BUDGET_NS: f64 = 300e6;
/// The shortest sample: ten thousand times what reading the clock takes. With samples of one call, two
/// measurements of 4 MB in 0.2 ms (u16 1000x1003) differed by a third; in samples of 0.3 ms by 5 %.
const SAMPLE_NS: f64 = 300e3;
/// Shorter calls run untimed before each sample, [`STREAMED_AGAIN`] or [`CACHED_AGAIN`] times, so that what
/// their predecessor left in the caches does not count. Streaming onto lines that another implementation
/// had just written through the caches ran at 11 GB/s instead of 28 (12 MB per side, four-page copy).
const WARMED_NS: f64 = 20e6;
/// Untimed calls of what writes around the caches. Of the roof, 17 MB per side, u16 in the other byte
/// order, with a third-level cache that holds it, after what had written the same lines through the caches,
/// byte by byte: 0.73 after one untimed call, 0.84 after two, 0.96 after three, 0.96 without a predecessor.
const STREAMED_AGAIN: usize = 3;
/// Untimed calls of what writes through the caches. 17 MB per side, u8, with a third-level cache that
/// holds it: 2.4 ms instead of 1.3 in the first few calls after what wrote around them. With one
/// untimed call, 19 of 20 pairs of the same thing differed by less than 54 %; with these, 6 %. What
/// another implementation wrote through the caches, in another order, costs up to 1.8 as well.
const CACHED_AGAIN: usize = 4;
/// First calls that took this long are taken at their word.
const LONG_NS: f64 = 100e6;
/// Timings below this are cheap enough to be repeated.
const DOUBTED_NS: f64 = 5e6;

/// Ticks of one call of [`sample`].
pub(crate) const TICKS: u64 = ROUNDS as u64;

/// Times all implementations in as many rounds as were asked for, or seem right. `first` says how long
/// the first call of each took; `tick` is called [`TICKS`] times, whatever the number of rounds, with
/// the time of restride's last sample. None where someone asked to stop.
///
/// # Errors
/// [`Failure::Io`] if fresh memory cannot be had.
pub(crate) fn sample(
    implementations: &mut [Implementation],
    first: &[Duration],
    asked: Rounds,
    (src, mut target): (&[u8], Target<'_>),
    mut tick: impl FnMut(Option<f64>),
) -> Result<Option<Vec<Samples>>, Failure> {
    let mut turns = Vec::with_capacity(implementations.len());
    for (implementation, first) in implementations.iter_mut().zip(first) {
        turns.push(Turn::calibrate(implementation, *first, src, &mut target)?);
    }
    let rounds = asked.of(turns.iter().map(Turn::sample_ns).sum());
    let mut all: Vec<Samples> = turns
        .iter()
        .map(|turn| Samples {
            calls: turn.calls,
            ns: vec![None; rounds],
        })
        .collect();
    let mut latest = None;
    for round in 0..rounds {
        for which in order(round + asked.seed as usize, turns.len()) {
            if interrupt::asked() {
                return Ok(None);
            }
            let (turn, implementation) = (&turns[which], &mut implementations[which]);
            let its_rounds = if implementation.is_compared() {
                rounds
            } else {
                rounds_within_budget(turn.sample_ns(), rounds)
            };
            if takes_part(round, its_rounds, rounds) {
                let streams = implementation.streams();
                let untimed = if streams {
                    STREAMED_AGAIN
                } else {
                    CACHED_AGAIN
                };
                let ns = turn.take(implementation, untimed, src, &mut target)?;
                all[which].ns[round] = Some(ns);
                if implementation.name == RESTRIDE {
                    latest = Some(ns);
                }
            }
        }
        let ticks = |round: usize| round * ROUNDS / rounds;
        (ticks(round)..ticks(round + 1)).for_each(|_| tick(latest));
    }
    Ok(Some(all))
}

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
        target: &mut Target<'_>,
    ) -> Result<Self, Failure> {
        let first_ns = first.as_nanos() as f64;
        if first_ns >= LONG_NS || !matches!(target, Target::Reused(_)) {
            return Ok(Self {
                calls: 1,
                call_ns: first_ns,
            });
        }
        let mut calls = 1;
        loop {
            let ns = quickest(implementation, src, target, calls)?;
            if ns >= SAMPLE_NS {
                return Ok(Self {
                    calls,
                    call_ns: ns / calls as f64,
                });
            }
            // A little more than needed, and at most ten times as many on the word of one sample.
            let factor = (1.3 * SAMPLE_NS / ns.max(1.0)).clamp(1.3, 10.0);
            calls = (calls as f64 * factor).ceil() as usize;
        }
    }

    fn sample_ns(&self) -> f64 {
        self.calls as f64 * self.call_ns
    }

    /// One sample after so many `untimed` calls, or as many as it has, in nanoseconds per call.
    fn take(
        &self,
        implementation: &mut Implementation,
        untimed: usize,
        src: &[u8],
        target: &mut Target<'_>,
    ) -> Result<f64, Failure> {
        if let Target::Reused(dst) = target
            && self.call_ns < WARMED_NS
        {
            implementation.run.run(src, dst, self.calls.max(untimed));
        }
        let ns = timed(implementation, src, target, self.calls)? / self.calls as f64;
        implementation.run.settle();
        Ok(ns)
    }
}

/// The least of up to three timings: one during which the thread was taken off its CPU must not
/// decide how many calls a sample has.
fn quickest(
    implementation: &mut Implementation,
    src: &[u8],
    target: &mut Target<'_>,
    calls: usize,
) -> Result<f64, Failure> {
    let mut ns = timed(implementation, src, target, calls)?;
    for _ in 0..2 {
        if ns < DOUBTED_NS {
            ns = ns.min(timed(implementation, src, target, calls)?);
        }
    }
    Ok(ns)
}

fn timed(
    implementation: &mut Implementation,
    src: &[u8],
    target: &mut Target<'_>,
    calls: usize,
) -> Result<f64, Failure> {
    if let Target::Cold(dst) = target {
        flush(src);
        flush(dst);
    }
    if implementation.threads > 1 {
        wake_workers();
    }
    let start = Instant::now();
    let took = match target {
        Target::Reused(dst) | Target::Cold(dst) => {
            implementation.run.run(src, dst, calls);
            start.elapsed()
        }
        Target::Fresh(bytes, pages) => {
            let fresh = Buffer::fresh(*bytes, DST_OFFSET, *pages);
            let mut dst = fresh.map_err(|error| Failure::memory(&error))?;
            implementation.run.run(src, &mut dst, calls);
            start.elapsed()
        }
    };
    Ok(took.as_nanos() as f64)
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

impl Rounds {
    /// The fewest rounds, but where time is short.
    pub(crate) fn least(&self) -> usize {
        let usual = if self.full { FULL_ROUNDS } else { ROUNDS };
        self.asked.unwrap_or(usual)
    }

    /// Rounds of a case one round of which takes `ns`.
    fn of(&self, ns: f64) -> usize {
        let mut rounds = self.least();
        if self.asked.is_none() && !self.sweep && ns < SHORT_ROUND_NS {
            rounds = MANY_ROUNDS;
        }
        let within = |budget: Duration| (budget.as_nanos() as f64 / ns) as usize;
        let affordable = self.budget.map_or(usize::MAX, within);
        rounds.min(affordable.max(FEW_ROUNDS))
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

/// Who comes when in a round: to and fro, with steps that grow, so that over the rounds others come before
/// each. E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, 1949.
fn order(round: usize, implementations: usize) -> impl Iterator<Item = usize> {
    (0..implementations).map(move |place| {
        let half = place.div_ceil(2);
        let to = if place % 2 == 1 {
            half
        } else {
            implementations - half
        };
        (to + round) % implementations
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations::{Checked, Run};
    use crate::measure::settings::Dest;

    #[test]
    fn the_slow_sit_out_evenly_and_everyone_comes_first() {
        for its in FEW_ROUNDS..=ROUNDS {
            let taken = (0..ROUNDS).filter(|&round| takes_part(round, its, ROUNDS));
            assert_eq!(taken.count(), its);
        }
        assert_eq!(rounds_within_budget(1e9, ROUNDS), FEW_ROUNDS);
        assert_eq!(rounds_within_budget(1e3, ROUNDS), ROUNDS);
        assert_eq!(rounds_within_budget(1e9, 1), 1);
        let firsts: Vec<_> = (0..4).filter_map(|round| order(round, 4).next()).collect();
        assert_eq!(firsts, [0, 1, 2, 3]);
        assert_eq!(order(3, 4).collect::<Vec<_>>(), [3, 0, 2, 1]);
    }

    #[test]
    fn no_one_always_follows_the_same_neighbour() {
        for n in 1..20 {
            let mut follows = vec![0; n * n];
            for round in 0..n {
                let order: Vec<_> = order(round, n).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(
                    sorted.into_iter().eq(0..n),
                    "everyone takes part: {order:?}"
                );
                order
                    .windows(2)
                    .for_each(|two| follows[two[0] * n + two[1]] += 1);
            }
            let most = if n % 2 == 0 { 1 } else { 2 };
            assert!(
                follows.iter().all(|&times| times <= most),
                "{n}: {follows:?}"
            );
        }
    }

    #[test]
    fn rounds_depend_on_what_they_take_and_may_take() {
        let quick = Rounds::default();
        assert_eq!([1e6, 1e7, 1e9].map(|ns| quick.of(ns)), [25, 9, 9]);
        let full = Rounds {
            full: true,
            ..quick
        };
        assert_eq!([1e6, 1e9].map(|ns| full.of(ns)), [25, 15]);
        let sweep = true;
        assert_eq!(Rounds { sweep, ..full }.of(1e6), 15);
        let asked = Some(5);
        assert_eq!(Rounds { asked, ..full }.of(1e3), 5);
        let budget = Some(Duration::from_millis(60));
        let short = Rounds { budget, ..full };
        assert_eq!([1e6, 6e6, 1e9].map(|ns| short.of(ns)), [25, 10, 3]);
    }

    struct Wait(Duration);

    impl Run for Wait {
        fn run(&mut self, _: &[u8], _: &mut [u8], times: usize) {
            let start = Instant::now();
            while start.elapsed() < self.0 * times as u32 {}
        }
    }

    fn wait(name: &'static str, micros: u64) -> Implementation {
        Implementation {
            name,
            threads: 1,
            checked: Checked::Permuted,
            recipe: None,
            run: Box::new(Wait(Duration::from_micros(micros))),
        }
    }

    #[test]
    fn short_calls_are_timed_in_batches() {
        let mut both = [wait("short", 2), wait("long", 300)];
        let first = [Duration::from_micros(2), Duration::from_micros(300)];
        let mut ticks = 0;
        let mut with = |rounds: Rounds, dest: Dest| {
            let target = match dest {
                Dest::Fresh => Target::Fresh(4096, Pages::Small),
                Dest::Reused => Target::Reused(&mut []),
                Dest::Cold => Target::Cold(&mut []),
            };
            let samples = sample(&mut both, &first, rounds, (&[], target), |_| ticks += 1);
            samples.unwrap().expect("no one interrupts")
        };
        let samples = with(Rounds::default(), Dest::Reused);
        for asked in [1, 4].map(Some) {
            let rounds = Rounds {
                asked,
                ..Rounds::default()
            };
            let some = with(rounds, Dest::Reused);
            assert!(some.iter().all(|samples| Some(samples.ns.len()) == asked));
        }
        for dest in [Dest::Fresh, Dest::Cold] {
            let samples = with(Rounds::default(), dest);
            assert!(samples.iter().all(|samples| samples.calls == 1));
        }
        assert_eq!(ticks, 5 * TICKS);
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
