//! `restride-perf compare REPORT --criterion DIR`: two programs that time the same copies in the same way
//! must find the same. Criterion repeats one copy for a second, a report interleaves all of them.

mod folder;

use std::path::Path;

use serde::Serialize;

use crate::cli::Compare;
use crate::data::{Data, folder as files};
use crate::failure::Failure;
use crate::implementations::{MEMCPY, PLAN_AND_RUN, RESTRIDE, VIEWS};
use crate::table::{Table, left, right};
use crate::units;
use folder::Timed;

/// Whether both found the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Agree,
    Differ,
    /// What memcpy took differs: so did the machine, which is allowed for in the others' verdicts.
    Drifted,
}

/// What both have measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Pair {
    verdict: Verdict,
    /// What criterion calls it.
    bench: String,
    case: String,
    implementation: String,
    report_ns: f64,
    criterion_ns: f64,
    /// Where criterion's median may lie.
    low_ns: f64,
    high_ns: f64,
    /// Criterion's time as a multiple of the report's.
    ratio: f64,
    /// The same of the times as multiples of memcpy's.
    relative: Option<f64>,
}

/// What programs want to know.
#[derive(Serialize)]
struct Report<'a> {
    limit: f64,
    pairs: &'a [Pair],
    only_criterion: usize,
    only_report: usize,
}

/// Prints the times of both, case by case.
///
/// # Errors
/// [`Failure::Io`] for data that cannot be read, [`Failure::Usage`] if nothing was measured by both,
/// [`Failure::Regression`] if they disagree on something.
pub(super) fn compare(asked: &Compare, dir: &Path) -> Result<(), Failure> {
    let data = Data::load(&asked.a)?;
    let all = folder::load(dir)?;
    let limit = 1.0 + (asked.threshold.unwrap_or(0.0) / 100.0).max(data.noise());
    let pairs = pairs(&data, &all, limit);
    if pairs.is_empty() {
        let what = format!(
            "{} has no bench that is named after a case of {}",
            dir.display(),
            asked.a.display()
        );
        return Err(Failure::Usage(what));
    }
    let alone = data.ours_on(1).filter(|ours| {
        let name = &ours.case().name;
        !pairs.iter().any(|pair| pair.case == *name)
    });
    let report = Report {
        limit,
        pairs: &pairs,
        only_criterion: all.len() - pairs.len(),
        only_report: alone.count(),
    };
    if asked.json {
        crate::print(&files::pretty(&report)?)?;
    } else {
        crate::print(&text(&report))?;
    }
    let differ = || pairs.iter().filter(|pair| pair.verdict == Verdict::Differ);
    let far = |pair: &Pair| pair.ratio.max(1.0 / pair.ratio);
    let worst = differ().max_by(|one, other| far(one).total_cmp(&far(other)));
    worst.map_or(Ok(()), |worst| {
        let (number, bench, ratio) = (differ().count(), &worst.bench, worst.ratio);
        Err(Failure::Regression(format!(
            "{number} differ from what criterion measured, most of all {bench}: {ratio:.2} of the report's time"
        )))
    })
}

/// What both have measured, on one thread, in criterion's order of names. Two runs are minutes or days
/// apart, and the machine may have changed between them: they agree if the times do, or the times as
/// multiples of what memcpy took on the same case.
fn pairs(data: &Data, all: &[Timed], limit: f64) -> Vec<Pair> {
    let near = |low: f64, high: f64| low <= limit && high >= 1.0 / limit;
    let pair = |timed: &Timed| {
        let (implementation, report_ns) = reported(data, timed)?;
        let of_report = |ns: f64| ns / report_ns;
        let drift = all.iter().find_map(|other| {
            let same = other.case == timed.case && other.who.as_deref() == Some(MEMCPY);
            Some(other.median_ns / reported(data, other).filter(|_| same)?.1)
        });
        let (low, high) = (of_report(timed.low_ns), of_report(timed.high_ns));
        let verdict = if near(low, high) {
            Verdict::Agree
        } else if implementation == MEMCPY {
            Verdict::Drifted
        } else if drift.is_some_and(|drift| near(low / drift, high / drift)) {
            Verdict::Agree
        } else {
            Verdict::Differ
        };
        let ratio = of_report(timed.median_ns);
        Some(Pair {
            verdict,
            bench: timed.bench.clone(),
            case: timed.case.clone(),
            implementation: implementation.into(),
            report_ns,
            criterion_ns: timed.median_ns,
            low_ns: timed.low_ns,
            high_ns: timed.high_ns,
            ratio,
            relative: drift.map(|drift| ratio / drift),
        })
    };
    all.iter().filter_map(pair).collect()
}

/// What the report calls a bench of criterion's, and the time it has of it.
fn reported<'t>(data: &Data, timed: &'t Timed) -> Option<(&'t str, f64)> {
    let mut cases = data.cases.iter();
    let measured = cases.find(|measured| measured.case.name == timed.case)?;
    // Where a call makes the plan, the report calls that restride itself.
    let implementation = match timed.who.as_deref() {
        None => RESTRIDE,
        Some("plan-and-run") => PLAN_AND_RUN,
        Some("copy") => VIEWS,
        Some(name) => name,
    };
    Some((implementation, measured.of(implementation, 1)?.median_ns))
}

fn text(report: &Report<'_>) -> String {
    let mut table = Table::new(vec![
        left("verdict"),
        left("bench"),
        right("report"),
        right("criterion"),
        left("95 % of it"),
        right("criterion / report"),
        right("of memcpy's"),
    ]);
    for pair in report.pairs {
        table.push(vec![
            match pair.verdict {
                Verdict::Agree => "agree",
                Verdict::Differ => "differ",
                Verdict::Drifted => "drifted",
            }
            .into(),
            pair.bench.clone(),
            units::time(pair.report_ns),
            units::time(pair.criterion_ns),
            format!(
                "{} to {}",
                units::time(pair.low_ns),
                units::time(pair.high_ns)
            ),
            format!("x {:.3}", pair.ratio),
            pair.relative
                .map_or_else(|| "-".into(), |relative| format!("x {relative:.3}")),
        ]);
    }
    let count = |verdict| report.pairs.iter().filter(|p| p.verdict == verdict).count();
    format!(
        "{}\n{} compared on one thread: {} agree within {:.1} %, {} differ, {} times memcpy drifted; {} only \
         criterion's, {} cases only the report's\nagree: criterion's median, or an end of its interval, is \
         that near to the report's median, or both are as multiples of memcpy's\n",
        table.text(),
        report.pairs.len(),
        count(Verdict::Agree),
        100.0 * (report.limit - 1.0),
        count(Verdict::Differ),
        count(Verdict::Drifted),
        report.only_criterion,
        report.only_report,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    fn timed(who: Option<&str>, case: &str, [low_ns, median_ns, high_ns]: [f64; 3]) -> Timed {
        let who = who.map(String::from);
        Timed {
            bench: who
                .iter()
                .chain([&case.to_string()])
                .map(|part| format!("/{part}"))
                .collect(),
            who,
            case: case.into(),
            median_ns,
            low_ns,
            high_ns,
        }
    }

    /// Of a case that the report says took 4 ms.
    fn agrees(times: [f64; 3], limit: f64) -> bool {
        let data = synthetic::data();
        let all = [timed(None, &data.cases[0].case.name, times)];
        pairs(&data, &all, limit)[0].verdict == Verdict::Agree
    }

    #[test]
    fn they_agree_where_the_interval_reaches_the_noise() {
        assert!(agrees([3.9e6, 4e6, 4.1e6], 1.02));
        assert!(agrees([4.05e6, 4.07e6, 4.1e6], 1.02));
        assert!(agrees([4.05e6, 4.3e6, 4.5e6], 1.02));
        assert!(!agrees([4.1e6, 4.3e6, 4.5e6], 1.02));
        assert!(agrees([4.1e6, 4.3e6, 4.5e6], 1.03));
        assert!(!agrees([3.6e6, 3.7e6, 3.8e6], 1.05));
        assert!(agrees([3.6e6, 3.7e6, 3.82e6], 1.05));
    }

    #[test]
    fn a_machine_that_drifted_is_no_difference() {
        let data = synthetic::data();
        let case = &data.cases[0].case.name;
        // Of memcpy the report says 6 ms.
        let verdicts = |ours: f64, memcpy: f64| {
            let all = [
                timed(None, case, [ours; 3]),
                timed(Some(MEMCPY), case, [memcpy; 3]),
            ];
            let pairs = pairs(&data, &all, 1.02);
            [pairs[0].verdict, pairs[1].verdict]
        };
        assert_eq!(verdicts(5e6, 7.5e6), [Verdict::Agree, Verdict::Drifted]);
        assert_eq!(verdicts(4e6, 7.5e6), [Verdict::Agree, Verdict::Drifted]);
        assert_eq!(verdicts(5e6, 6e6), [Verdict::Differ, Verdict::Agree]);
        assert_eq!(verdicts(5e6, 5e6), [Verdict::Differ, Verdict::Drifted]);
    }

    #[test]
    fn benches_meet_the_records_of_their_implementation_on_one_thread() {
        let mut data = synthetic::data();
        let case = data.cases[0].case.name.clone();
        let record = synthetic::record(&case, (PLAN_AND_RUN, 1), 5e6);
        data.cases[0].records.push(record);
        let times = [4e6; 3];
        let all = [
            timed(None, &case, times),
            timed(Some("memcpy"), &case, times),
            timed(Some("plan-and-run"), &case, times),
            timed(Some("no one"), &case, times),
            timed(None, "no case", times),
        ];
        let pairs = pairs(&data, &all, 1.02);
        let found: Vec<_> = pairs.iter().map(|p| (p.report_ns, p.verdict)).collect();
        let (drifted, differ) = ((6e6, Verdict::Drifted), (5e6, Verdict::Differ));
        assert_eq!(found, [(4e6, Verdict::Agree), drifted, differ]);
        let said = text(&Report {
            limit: 1.02,
            pairs: &pairs,
            only_criterion: 2,
            only_report: 0,
        });
        let row = "drifted  /memcpy/transpose-f32-4096x4096          6 ms       4 ms  4 ms to 4 ms             \
                   x 0.667      x 1.000\n";
        assert!(said.contains(row), "{said}");
        let sum = "3 compared on one thread: 1 agree within 2.0 %, 1 differ, 1 times memcpy drifted; 2 only";
        assert!(said.contains(sum), "{said}");
    }
}
