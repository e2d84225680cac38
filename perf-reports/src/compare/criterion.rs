//! `restride-perf compare REPORT --criterion DIR`: two programs that time the same copies in the same way
//! must find the same. Criterion repeats one copy for a second, a report interleaves all of them.

mod folder;

use std::path::Path;

use serde::Serialize;

use crate::cli::Compare;
use crate::data::{Data, folder as files};
use crate::failure::Failure;
use crate::implementations::{PLAN_AND_RUN, RESTRIDE, VIEWS};
use crate::table::{Table, left, right};
use crate::units;
use folder::Timed;

/// What both have measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Pair {
    agree: bool,
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
    let differ = || pairs.iter().filter(|pair| !pair.agree);
    let far = |pair: &Pair| pair.ratio.max(1.0 / pair.ratio);
    let worst = differ().max_by(|one, other| far(one).total_cmp(&far(other)));
    worst.map_or(Ok(()), |worst| {
        let (number, bench, ratio) = (differ().count(), &worst.bench, worst.ratio);
        Err(Failure::Regression(format!(
            "{number} differ from what criterion measured, most of all {bench}: {ratio:.2} of the report's time"
        )))
    })
}

/// What both have measured, on one thread, in criterion's order of names.
fn pairs(data: &Data, all: &[Timed], limit: f64) -> Vec<Pair> {
    let pair = |timed: &Timed| {
        let mut cases = data.cases.iter();
        let measured = cases.find(|measured| measured.case.name == timed.case)?;
        // Where a call makes the plan, the report calls that restride itself.
        let implementation = match timed.who.as_deref() {
            None => RESTRIDE,
            Some("plan-and-run") => PLAN_AND_RUN,
            Some("copy") => VIEWS,
            Some(name) => name,
        };
        let record = measured.of(implementation, 1)?;
        let of_report = |ns: f64| ns / record.median_ns;
        Some(Pair {
            agree: of_report(timed.low_ns) <= limit && of_report(timed.high_ns) >= 1.0 / limit,
            bench: timed.bench.clone(),
            case: timed.case.clone(),
            implementation: implementation.into(),
            report_ns: record.median_ns,
            criterion_ns: timed.median_ns,
            low_ns: timed.low_ns,
            high_ns: timed.high_ns,
            ratio: of_report(timed.median_ns),
        })
    };
    all.iter().filter_map(pair).collect()
}

fn text(report: &Report<'_>) -> String {
    let mut table = Table::new(vec![
        left("verdict"),
        left("bench"),
        right("report"),
        right("criterion"),
        left("95 % of it"),
        right("criterion / report"),
    ]);
    for pair in report.pairs {
        table.push(vec![
            if pair.agree { "agree" } else { "differ" }.into(),
            pair.bench.clone(),
            units::time(pair.report_ns),
            units::time(pair.criterion_ns),
            format!(
                "{} to {}",
                units::time(pair.low_ns),
                units::time(pair.high_ns)
            ),
            format!("x {:.3}", pair.ratio),
        ]);
    }
    let differ = report.pairs.iter().filter(|pair| !pair.agree).count();
    format!(
        "{}\n{} compared on one thread: {} agree within {:.1} %, {differ} differ; {} only criterion's, {} \
         cases only the report's\nagree: criterion's median, or an end of its interval, is that near to the \
         report's median\n",
        table.text(),
        report.pairs.len(),
        report.pairs.len() - differ,
        100.0 * (report.limit - 1.0),
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
        pairs(&data, &all, limit)[0].agree
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
        let found: Vec<_> = pairs.iter().map(|p| (p.report_ns, p.agree)).collect();
        assert_eq!(found, [(4e6, true), (6e6, false), (5e6, false)]);
        let said = text(&Report {
            limit: 1.02,
            pairs: &pairs,
            only_criterion: 2,
            only_report: 0,
        });
        let row = "differ   /memcpy/transpose-f32-4096x4096          6 ms       4 ms  4 ms to 4 ms             \
                   x 0.667\n";
        assert!(said.contains(row), "{said}");
        let sum =
            "3 compared on one thread: 1 agree within 2.0 %, 2 differ; 2 only criterion's, 0 cases";
        assert!(said.contains(sum), "{said}");
    }
}
