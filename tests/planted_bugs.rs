//! The harness judged: rows with deliberate mistakes must be reported, by name and in the right
//! words, and a correct row must pass.
//!
//! A mistake that faults ends its process, so each row is swept in a child: this binary again, with
//! the row's name in `RESTRIDE_PLANTED` and only the test `child` to run.

#![cfg(unix)]

mod common;
#[path = "planted_bugs/rows.rs"]
mod rows;

use std::process::{Command, Output};

use common::harness::Harness;
use common::panels::Subject;
use common::sweep;
use rows::{Planted, ROWS, TILE};

const CHOICE: &str = "RESTRIDE_PLANTED";

/// Sweeps the row that the parent chose; nothing where this is not a child.
#[test]
fn child() {
    let Ok(choice) = std::env::var(CHOICE) else {
        return;
    };
    let planted = ROWS.iter().find(|planted| planted.name == choice);
    let planted = planted.expect("the parent names a row of the list");
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

fn run_child(name: &str) -> Output {
    let binary = std::env::current_exe().expect("the path of this test");
    Command::new(binary)
        .args(["--exact", "child", "--nocapture"])
        .env(CHOICE, name)
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("this test starts again")
}

/// What the child of this row got wrong about it, if anything.
fn judge(planted: &Planted) -> Result<String, String> {
    let output = run_child(planted.name);
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = |part: &str| report.lines().find(|line| line.contains(part));
    if planted.reports.is_empty() {
        let passed = output.status.success();
        return passed.then(|| "passed".into()).ok_or(report);
    }
    let found = planted.reports.iter().find_map(|part| line(part));
    let reproducer = line(&format!("RESTRIDE_CASE={}:", planted.name));
    match (output.status.code(), found, reproducer) {
        (Some(101), Some(found), Some(reproducer)) => Ok(format!("{found}\n    {reproducer}")),
        _ => Err(format!("{:?}, and this report:\n{report}", output.status)),
    }
}

#[test]
fn every_planted_row_is_reported_and_the_correct_one_passes() {
    let mut missed = Vec::new();
    for planted in ROWS {
        match judge(planted) {
            Ok(report) => println!("{}:\n    {report}", planted.name),
            Err(report) => missed.push(format!("{}: {report}", planted.name)),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
