//! The harness judged: rows and copies with deliberate mistakes must be reported, by name and in the
//! right words, and correct ones must pass.
//!
//! A mistake that faults ends its process, so each one runs in a child: this binary again, with the
//! name of the mistake in `RESTRIDE_PLANTED` and only the test `child` to run.

#![cfg(unix)]

mod common;
#[path = "planted_bugs/plans.rs"]
mod plans;
#[path = "planted_bugs/rows.rs"]
mod rows;

use std::path::PathBuf;
use std::process::{Command, Output};

use common::copies;
use common::harness::Harness;
use common::layouts::Case;
use common::panels::Subject;
use common::random::mix;
use common::sweep;
use plans::PLANS;
use restride_kernels::SourceGaps;
use rows::{NEEDS_VALGRIND, ROWS, TILE};

const CHOICE: &str = "RESTRIDE_PLANTED";

/// Checks the mistake that the parent chose; nothing where this is not a child.
#[test]
fn child() {
    let Ok(choice) = std::env::var(CHOICE) else {
        return;
    };
    let mut rows = ROWS.iter().chain([&NEEDS_VALGRIND]);
    if let Some(planted) = rows.find(|planted| planted.name == choice) {
        sweep_row(planted);
    }
    if let Some(planted) = PLANS.iter().find(|planted| planted.name == choice) {
        copy_layouts(planted);
    }
}

fn sweep_row(planted: &rows::Planted) {
    let subject = Subject {
        name: planted.name,
        family: planted.family,
        cells: &[planted.cell],
        tile: TILE,
        streaming: false,
        takes: &|ask| {
            ask.cell == planted.cell && planted.family.admits(ask) && (planted.takes)(ask)
        },
        // SAFETY: the sweep keeps the contract; what the row does beyond it ends this process.
        call: &|panel| unsafe { (planted.call)(panel) },
    };
    match sweep::sweep(&mut Harness::new(), &subject) {
        Ok(tally) => println!("{tally:?}"),
        Err(failure) => panic!("{failure}"),
    }
}

fn copy_layouts(planted: &plans::Planted) {
    let mut harness = Harness::new();
    for case in (0..2_000).map(|i| Case::draw(mix(&[0x706c, i]))) {
        // SAFETY: the check places the case's footprints; what the copy does beyond them ends this
        // process.
        let run = |src, dst| unsafe { (planted.call)(&case, src, dst) };
        for places in case.places {
            copies::check(
                &mut harness,
                &case,
                places,
                SourceGaps::Forbidden,
                &planted.name,
                &run,
            )
            .unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

fn run_child(name: &str, mut command: Command) -> Output {
    command
        .args(["--exact", "child", "--nocapture"])
        .env(CHOICE, name)
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("this test starts again")
}

fn this_test() -> PathBuf {
    std::env::current_exe().expect("the path of this test")
}

/// What the child reported, or what was wrong with that.
fn judge(name: &str, reports: &[&str], reproducer: &str) -> Result<String, String> {
    judge_output(
        name,
        reports,
        reproducer,
        &run_child(name, Command::new(this_test())),
    )
}

fn judge_output(
    name: &str,
    reports: &[&str],
    reproducer: &str,
    output: &Output,
) -> Result<String, String> {
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = |part: &str| report.lines().find(|line| line.contains(part));
    if reports.is_empty() {
        let passed = output.status.success();
        return passed.then(|| "passed".into()).ok_or(report);
    }
    let found = reports.iter().find_map(|part| line(part));
    match (output.status.code(), found, line(reproducer), line(name)) {
        (Some(101), Some(found), Some(reproducer), Some(_)) => {
            Ok(format!("{found}\n    {reproducer}"))
        }
        _ => Err(format!("{:?}, and this report:\n{report}", output.status)),
    }
}

#[test]
fn every_planted_mistake_is_reported_and_what_is_correct_passes() {
    let rows = ROWS.iter().map(|row| {
        let reproducer = format!("RESTRIDE_CASE={}:", row.name);
        (row.name, row.reports, reproducer)
    });
    let plans = PLANS
        .iter()
        .map(|plan| (plan.name, plan.reports, "RESTRIDE_CASE=0x".into()));
    let mut missed = Vec::new();
    for (name, reports, reproducer) in rows.chain(plans) {
        match judge(name, reports, &reproducer) {
            Ok(report) => println!("{name}:\n    {report}"),
            Err(report) => missed.push(format!("{name}: {report}")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Reads of gaps smaller than a page need valgrind; without it they go unseen, and this says so.
#[test]
fn valgrind_sees_reads_of_small_gaps() {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("skipped: reads of small gaps, there is no valgrind");
        assert!(
            std::env::var_os("RESTRIDE_NO_SKIP").is_none(),
            "no valgrind"
        );
        return;
    }
    let mut command = Command::new("valgrind");
    command
        .args(["-q", "--partial-loads-ok=no"])
        .arg(this_test());
    let planted = &NEEDS_VALGRIND;
    let output = run_child(planted.name, command);
    let reproducer = format!("RESTRIDE_CASE={}:", planted.name);
    match judge_output(planted.name, planted.reports, &reproducer, &output) {
        Ok(report) => println!("{}:\n    {report}", planted.name),
        Err(report) => panic!("{}: {report}", planted.name),
    }
}
