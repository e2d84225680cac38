//! `restride-perf compare`: what changed from one run to another, and what only seems to have; or
//! whether criterion measured the same.

mod criterion;
mod verdict;

use std::path::Path;

use serde::Serialize;

use crate::cli::Compare;
use crate::data::{Data, folder};
use crate::failure::Failure;
use crate::table::{Table, left, right};
use crate::units;
use verdict::{Change, Verdict, changes};

/// What programs want to know.
#[derive(Serialize)]
struct Report<'a> {
    from: String,
    to: String,
    noise: [f64; 2],
    limit: f64,
    changes: &'a [Change],
    missing: [usize; 2],
}

/// What is too small to count between two runs, in percent.
const THRESHOLD: f64 = 5.0;

/// Compares what was asked for.
///
/// # Errors
/// [`Failure::Usage`] for nonsense, and those of the two comparisons.
pub(crate) fn compare(asked: &Compare) -> Result<(), Failure> {
    if asked.threshold.is_some_and(|it| !(0.0..1e6).contains(&it)) {
        return Err(Failure::Usage(
            "--threshold: a percentage, 0 or more".into(),
        ));
    }
    match (&asked.criterion, &asked.b) {
        (Some(dir), _) => criterion::compare(asked, dir),
        (None, Some(b)) => runs(asked, b),
        (None, None) => Err(Failure::Usage("compare: with what?".into())),
    }
}

/// Prints what changed.
///
/// # Errors
/// [`Failure::Usage`] if the two were not measured alike, [`Failure::Io`] for data that cannot be read,
/// [`Failure::Regression`] if something became slower.
fn runs(asked: &Compare, b: &Path) -> Result<(), Failure> {
    let (a, b) = (Data::load(&asked.a)?, Data::load(b)?);
    comparable(&a, &b, asked.any_machine)?;
    let least = asked.threshold.unwrap_or(THRESHOLD) / 100.0;
    let limit = 1.0 + least.max(a.noise()).max(b.noise());
    let (changes, missing) = changes(&a, &b, limit);
    if changes.is_empty() {
        return Err(Failure::Usage("the two runs have no case in common".into()));
    }
    if asked.json {
        crate::print(&folder::pretty(&Report {
            from: a.environment.revision(),
            to: b.environment.revision(),
            noise: [a.noise(), b.noise()],
            limit,
            changes: &changes,
            missing,
        })?)?;
    } else {
        crate::print(&text(&a, &b, limit, &changes, missing))?;
    }
    let slower = || changes.iter().filter(|c| c.verdict == Verdict::Slower);
    let worst = slower().max_by(|one, other| one.time.middle.total_cmp(&other.time.middle));
    worst.map_or(Ok(()), |worst| {
        let (number, factor) = (slower().count(), worst.time.middle);
        let (case, threads) = (&worst.case, units::threads(worst.threads));
        Err(Failure::Regression(format!(
            "{number} became slower, most of all {case} on {threads}: {factor:.2} of its time"
        )))
    })
}

/// Refuses what says nothing side by side.
fn comparable(a: &Data, b: &Data, any_machine: bool) -> Result<(), Failure> {
    let (one, other) = (a.environment.machine(), b.environment.machine());
    if one != other && !any_machine {
        return Err(Failure::Usage(format!(
            "measured on different machines ({one}; {other}); --any-machine compares them all the same"
        )));
    }
    for (what, one, other) in [
        ("pages", &a.run.pages, &b.run.pages),
        ("destinations", &a.run.dest, &b.run.dest),
    ] {
        if one != other {
            let what = format!("measured with different {what}: {one} and {other}");
            return Err(Failure::Usage(what));
        }
    }
    Ok(())
}

fn text(a: &Data, b: &Data, limit: f64, changes: &[Change], missing: [usize; 2]) -> String {
    let mut table = Table::new(vec![
        left("verdict"),
        left("case"),
        right("threads"),
        right("before"),
        right("after"),
        right("time"),
        right("time / roof's"),
        left("kernel"),
    ]);
    for verdict in [Verdict::Slower, Verdict::Faster, Verdict::Unsure] {
        let mut some: Vec<&Change> = changes.iter().filter(|c| c.verdict == verdict).collect();
        some.sort_by(|one, other| other.time.middle.total_cmp(&one.time.middle));
        for change in some {
            table.push(vec![
                verdict.word().into(),
                change.case.clone(),
                change.threads.to_string(),
                units::time(change.before_ns),
                units::time(change.after_ns),
                format!("x {:.2}", change.time.middle),
                change
                    .relative
                    .map_or_else(|| "-".into(), |it| format!("x {:.2}", it.middle)),
                change.kernels(),
            ]);
        }
    }
    let count = |verdict| changes.iter().filter(|c| c.verdict == verdict).count();
    let tiers = |data: &Data| data.environment.isa.last().cloned().unwrap_or_default();
    let tiers = if tiers(a) == tiers(b) {
        String::new()
    } else {
        format!("plans up to {} and {}\n", tiers(a), tiers(b))
    };
    let table = if table.rows.is_empty() {
        String::new()
    } else {
        table.text() + "\n"
    };
    format!(
        "{table}{} to {}, {}\n{tiers}{} compared: {} slower, {} faster, {} unsure, {} the same within \
         {:.1} % (noise {:.1} % and {:.1} %); {} only in the first, {} only in the second\nunsure: the time \
         changed, but not beyond doubt, or what the roof took changed with it\n",
        a.environment.revision(),
        b.environment.revision(),
        b.environment.machine(),
        changes.len(),
        count(Verdict::Slower),
        count(Verdict::Faster),
        count(Verdict::Unsure),
        count(Verdict::Same),
        100.0 * (limit - 1.0),
        100.0 * a.noise(),
        100.0 * b.noise(),
        missing[0],
        missing[1],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn different_conditions_are_refused_by_name() {
        let a = synthetic::data();
        assert_eq!(comparable(&a, &a, false), Ok(()));
        let mut b = a.clone();
        b.environment.cpu = "Another".into();
        let failure = comparable(&a, &b, false).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.to_string().contains("Another, 2 threads"));
        assert_eq!(comparable(&a, &b, true), Ok(()));
        let mut b = a.clone();
        b.run.pages = "small".into();
        let failure = comparable(&a, &b, false).unwrap_err();
        assert!(failure.to_string().contains("huge and small"));
    }

    #[test]
    fn the_text_names_what_changed() {
        let a = synthetic::data();
        let mut b = a.clone();
        for record in &mut b.cases[0].records {
            if record.implementation == "restride" && record.threads == 2 {
                *record = synthetic::record(&record.case, ("restride", 2), 5e6);
            }
        }
        let (changes, missing) = changes(&a, &b, 1.05);
        let text = text(&a, &b, 1.05, &changes, missing);
        let row = "slower   transpose-f32-4096x4096        2  2.50 ms   5 ms  x 2.00         x 2.00  \
                   transpose-4-avx512-16x16\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("2 compared: 1 slower, 0 faster, 0 unsure, 1 the same within 5.0 %"));
    }
}
