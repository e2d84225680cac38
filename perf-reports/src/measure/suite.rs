//! A run of a list of cases: fill, verify, time, record, one case after the other, and the control
//! every few cases.

use std::time::{Duration, Instant};

use restride_cases::{Buffer, Case, DST_OFFSET, Pages, Place, oracle, pattern};

use super::control::Controls;
use super::interrupt;
use super::progress::Watch;
use super::sampler::{self, Rounds, Target};
use super::settings::{Dest, Settings};
use super::verify::verify;
use crate::data::ceilings::Control;
use crate::data::plans::CaseRecord;
use crate::data::record::Record;
use crate::data::{Measured, Writer};
use crate::failure::Failure;
use crate::implementations::{self, Implementation};

/// Every so many cases restride is measured a second time under another name: what the two differ by
/// is the noise.
const AGAIN_EVERY: usize = 3;
/// Every so many cases the control is timed.
const CONTROL_EVERY: usize = 4;

/// What a run of cases leaves.
pub(crate) struct Done {
    pub(crate) cases: Vec<Measured>,
    pub(crate) control: Vec<Control>,
    /// Cases that were not measured.
    pub(crate) left_out: usize,
}

/// Measures all cases, as long as there is time and no one interrupts. Runs inside a pool of as many
/// workers as the settings have threads, where that is more than one.
///
/// # Errors
/// [`Failure::Wrong`] at the first wrong result, [`Failure::Io`] if memory is lacking or the records
/// cannot be written.
pub(crate) fn run(
    cases: &[Case],
    settings: &Settings,
    watch: &mut dyn Watch,
    writer: &mut Writer,
) -> Result<Done, Failure> {
    let start = Instant::now();
    let mut memory = Memory::new(cases, settings)?;
    let mut controls = Controls::new(settings.pages, start)?;
    let mut done = Done {
        cases: Vec::new(),
        control: vec![controls.take(0)],
        left_out: 0,
    };
    for (place, case) in cases.iter().enumerate() {
        watch.case(case);
        let left = settings
            .budget
            .map(|budget| budget.saturating_sub(start.elapsed()));
        if interrupt::asked() || left.is_some_and(|left| left.is_zero()) {
            done.left_out += 1;
            watch.skip();
            continue;
        }
        let share = left.map(|left| left / (cases.len() - place) as u32);
        let again = place % AGAIN_EVERY == 0;
        let Some(measured) = measure(case, &mut memory, settings, (share, again), watch)? else {
            done.left_out += 1;
            watch.skip();
            continue;
        };
        writer.add(&measured.records)?;
        done.cases.push(measured);
        if (place + 1) % CONTROL_EVERY == 0 || place + 1 == cases.len() {
            done.control.push(controls.take(place + 1));
        }
    }
    Ok(done)
}

/// The buffers of all cases, as large as the largest asks for: a suite touches fresh pages once.
pub(crate) struct Memory {
    src: Buffer,
    dst: Buffer,
    /// What `dst` must hold.
    expected: Buffer,
}

impl Memory {
    pub(crate) fn new(cases: &[Case], settings: &Settings) -> Result<Self, Failure> {
        let longest = |place: fn(&Case) -> Place| {
            let all = cases.iter().map(|case| place(case).len);
            all.max().unwrap_or(0)
        };
        let pages = settings.pages;
        let memory = |error| Failure::memory(&error);
        let mut src = Buffer::new(longest(Case::src_place), 0, pages).map_err(memory)?;
        pattern::fill(&mut src);
        let to = longest(Case::dst_place);
        Ok(Self {
            src,
            dst: Buffer::new(to, DST_OFFSET, pages).map_err(memory)?,
            expected: Buffer::new(to, 0, Pages::Huge).map_err(memory)?,
        })
    }

    /// All that is to run on a case, verified, with the times of the first calls.
    pub(crate) fn verified(
        &mut self,
        case: &Case,
        settings: &Settings,
        again: bool,
    ) -> Result<Verified<'_>, Failure> {
        let src = &self.src[..case.src_place().len];
        let dst = &mut self.dst[..case.dst_place().len];
        let expected = &mut self.expected[..case.dst_place().len];
        let (mut all, inexpressible) = implementations::all(case, src, settings, again)?;
        oracle::expect(case, expected);
        let first = all
            .iter_mut()
            .map(|implementation| verify(case, implementation, src, dst, expected))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Verified {
            all,
            inexpressible,
            first,
            src,
            dst,
        })
    }
}

/// What is ready to be timed.
pub(crate) struct Verified<'a> {
    pub(crate) all: Vec<Implementation>,
    inexpressible: Vec<String>,
    first: Vec<Duration>,
    src: &'a [u8],
    dst: &'a mut [u8],
}

/// None where someone asked to stop meanwhile.
fn measure(
    case: &Case,
    memory: &mut Memory,
    settings: &Settings,
    (share, again): (Option<Duration>, bool),
    watch: &mut dyn Watch,
) -> Result<Option<Measured>, Failure> {
    let ready = memory.verified(case, settings, again)?;
    let Verified {
        mut all,
        inexpressible,
        first,
        src,
        dst,
    } = ready;
    watch.step(None);
    let target = match settings.dest {
        Dest::Reused => Target::Reused(dst),
        Dest::Fresh => Target::Fresh(dst.len(), settings.pages),
        Dest::Cold => Target::Cold(dst),
    };
    let rounds = Rounds {
        asked: settings.samples,
        full: settings.full,
        sweep: case.kind.is_sweep(),
        seed: settings.seed,
        budget: share,
    };
    let samples = sampler::sample(&mut all, &first, rounds, (src, target), |ns| watch.step(ns))?;
    let Some(samples) = samples else {
        return Ok(None);
    };
    let rows = all.iter().zip(&samples);
    let records = rows
        .filter_map(|(row, samples)| {
            Record::new(
                &case.name,
                (row.name, row.threads),
                samples.calls,
                &samples.ns,
            )
        })
        .collect();
    let mut recipes: Vec<_> = all
        .iter()
        .filter_map(|row| Some((row.threads, row.recipe.as_ref()?)))
        .collect();
    recipes.dedup_by_key(|(threads, _)| *threads);
    Ok(Some(Measured {
        case: CaseRecord::of(case, &recipes, inexpressible),
        records,
    }))
}

#[cfg(test)]
mod tests {
    use restride_cases::Suite;

    use super::*;
    use crate::implementations::{AGAIN, LOOPS, PEERS};
    use crate::measure::progress::STEPS;
    use crate::measure::settings::tests::plain;

    struct Count(u64, u64);

    impl Watch for Count {
        fn case(&mut self, _: &Case) {}
        fn step(&mut self, _: Option<f64>) {
            self.0 += 1;
        }
        fn skip(&mut self) {
            self.1 += 1;
        }
    }

    #[test]
    fn small_cases_are_verified_measured_and_written_on_one_thread() {
        let small = |case: &Case| case.bytes() < 100_000;
        let cases: Vec<Case> = Suite::Quick.cases().into_iter().filter(small).collect();
        let report = std::env::temp_dir().join(format!("restride-suite-{}", std::process::id()));
        let (mut count, mut writer) = (Count(0, 0), Writer::new(&report).unwrap());
        let settings = Settings {
            threads: vec![1, 2],
            samples: None,
            peers: PEERS.iter().collect(),
            ..plain()
        };
        let done = run(&cases, &settings, &mut count, &mut writer).unwrap();
        assert_eq!((count.0, count.1), (cases.len() as u64 * STEPS, 0));
        assert_eq!((done.cases.len(), done.left_out), (cases.len(), 0));
        assert_eq!(done.control.len(), 2);
        for (place, measured) in done.cases.iter().enumerate() {
            let again = usize::from(place % AGAIN_EVERY == 0);
            let mut named = measured.case.inexpressible.len();
            named += measured.records.len();
            let loops = PEERS.iter().filter(|peer| peer.name.starts_with(LOOPS));
            assert_eq!(named, 3 + again + PEERS.len() - loops.count());
            assert_eq!(measured.of(AGAIN, 1).is_some(), again == 1);
            assert!(measured.records.iter().all(|record| record.threads == 1));
        }
        let written = std::fs::read_to_string(report.join("data/results.jsonl")).unwrap();
        let records: usize = done.cases.iter().map(|case| case.records.len()).sum();
        assert_eq!(written.lines().count(), records);

        let budget = Some(Duration::ZERO);
        let late = Settings { budget, ..settings };
        let done = run(&cases, &late, &mut count, &mut writer).unwrap();
        assert_eq!((done.cases.len(), done.left_out), (0, cases.len()));
        assert_eq!(count.1, cases.len() as u64);
        std::fs::remove_dir_all(report).unwrap();
    }
}
