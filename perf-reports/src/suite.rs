//! A run of a list of cases: fill, verify, time, record, one case after the other.

use crate::buffers::{Buffer, DST_OFFSET};
use crate::case::Case;
use crate::failure::Failure;
use crate::implementations;
use crate::oracle;
use crate::record::{Record, records};
use crate::sampler;

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

/// Measures all cases, on one thread and on `threads`. Runs inside a pool of `threads` workers
/// where that is more than one.
///
/// # Errors
/// [`Failure::Wrong`] at the first wrong result, [`Failure::Io`] if memory is lacking.
pub(crate) fn run(
    cases: &[Case],
    threads: usize,
    watch: &mut dyn Watch,
) -> Result<Vec<Record>, Failure> {
    let mut all = Vec::new();
    for case in cases {
        watch.case(case);
        all.extend(measure(case, threads, watch)?);
    }
    Ok(all)
}

fn measure(case: &Case, threads: usize, watch: &mut dyn Watch) -> Result<Vec<Record>, Failure> {
    let threads = if case.bytes() < THREADED_BYTES {
        1
    } else {
        threads
    };
    let mut src = Buffer::new(case.src_place().len, 0)?;
    let mut dst = Buffer::new(case.dst_place().len, DST_OFFSET)?;
    src.fill_random(case.bytes() as u64);
    let mut implementations = implementations::all(case, &src, threads)?;
    let expected = oracle::expected(case, &src)?;
    let first = implementations
        .iter_mut()
        .map(|implementation| oracle::verify(case, implementation, &src, &mut dst, &expected))
        .collect::<Result<Vec<_>, _>>()?;
    drop(expected);
    watch.step();
    let samples = sampler::sample(&mut implementations, &first, &src, &mut dst, || {
        watch.step()
    });
    Ok(records(case, &implementations, &samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

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
        let cases: Vec<Case> = cases::quick().into_iter().filter(small).collect();
        let mut count = Count(0);
        let records = run(&cases, 2, &mut count).unwrap();
        assert_eq!(count.0, cases.len() as u64 * STEPS);
        assert_eq!(records.len(), cases.len() * 5);
        assert!(
            records
                .iter()
                .all(|record| record.threads == 1 && record.median_ns > 0.0)
        );
    }
}
