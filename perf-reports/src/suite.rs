//! A run of a list of cases: fill, verify, time, record, one case after the other.

use crate::buffers::{Buffer, DST_OFFSET, Pages};
use crate::case::{Case, Place};
use crate::failure::Failure;
use crate::implementations;
use crate::record::{Record, records};
use crate::sampler;
use crate::settings::Settings;
use crate::{oracle, pattern};

/// Cases that move less, read and written together, run on one thread only: waking another costs
/// more than it could save.
pub(crate) const THREADED_BYTES: usize = 2 << 20;

/// What is told while a run goes on.
pub(crate) trait Watch {
    /// A case begins.
    fn case(&mut self, case: &Case);
    /// One of [`STEPS`] parts of it is done.
    fn step(&mut self);
}

/// Steps of a case: verification and the sampler's.
pub(crate) const STEPS: u64 = 1 + sampler::TICKS;

/// Measures all cases. Runs inside a pool of as many workers as the settings have threads, where that
/// is more than one.
///
/// # Errors
/// [`Failure::Wrong`] at the first wrong result, [`Failure::Io`] if memory is lacking.
pub(crate) fn run(
    cases: &[Case],
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Record>, Failure> {
    let mut memory = Memory::new(cases, settings.pages)?;
    let mut all = Vec::new();
    for case in cases {
        watch.case(case);
        all.extend(measure(case, &mut memory, settings, watch)?);
    }
    Ok(all)
}

/// The buffers of all cases, as large as the largest asks for: a suite touches fresh pages once.
struct Memory {
    src: Buffer,
    dst: Buffer,
    /// What `dst` must hold.
    expected: Buffer,
}

impl Memory {
    fn new(cases: &[Case], pages: Pages) -> Result<Self, Failure> {
        let longest = |place: fn(&Case) -> Place| {
            let all = cases.iter().map(|case| place(case).len);
            all.max().unwrap_or(0)
        };
        let mut src = Buffer::new(longest(Case::src_place), 0, pages)?;
        pattern::fill(&mut src);
        Ok(Self {
            src,
            dst: Buffer::new(longest(Case::dst_place), DST_OFFSET, pages)?,
            expected: Buffer::new(longest(Case::dst_place), 0, Pages::Huge)?,
        })
    }
}

fn measure(
    case: &Case,
    memory: &mut Memory,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Record>, Failure> {
    let small = case.bytes() < THREADED_BYTES;
    let settings = Settings {
        threads: if small {
            vec![1]
        } else {
            settings.threads.clone()
        },
        ..settings.clone()
    };
    let src = &memory.src[..case.src_place().len];
    let dst = &mut memory.dst[..case.dst_place().len];
    let expected = &mut memory.expected[..case.dst_place().len];
    let mut implementations = implementations::all(case, src, &settings)?;
    oracle::expect(case, expected);
    let first = implementations
        .iter_mut()
        .map(|implementation| oracle::verify(case, implementation, src, dst, expected))
        .collect::<Result<Vec<_>, _>>()?;
    watch.step();
    let samples = sampler::sample(
        &mut implementations,
        &first,
        settings.samples,
        (src, dst),
        || watch.step(),
    );
    Ok(records(case, &implementations, &samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::Suite;
    use crate::implementations::PEERS;

    struct Count(u64);

    impl Watch for Count {
        fn case(&mut self, _: &Case) {}
        fn step(&mut self) {
            self.0 += 1;
        }
    }

    #[test]
    fn small_cases_are_verified_and_measured_on_one_thread() {
        let small = |case: &Case| case.bytes() < 100_000;
        let cases: Vec<Case> = Suite::Quick.cases().into_iter().filter(small).collect();
        let mut count = Count(0);
        let settings = Settings {
            threads: vec![1, 2],
            samples: None,
            pages: Pages::Huge,
            peers: PEERS.iter().collect(),
        };
        let records = run(&cases, &settings, &mut count).unwrap();
        assert_eq!(count.0, cases.len() as u64 * STEPS);
        assert_eq!(records.len(), cases.len() * (3 + PEERS.len()));
        assert!(
            records
                .iter()
                .all(|record| record.threads == 1 && record.median_ns > 0.0)
        );
    }
}
