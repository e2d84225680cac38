//! The command line as a user meets it: files, exit codes, one line on stderr.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn perf(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restride-perf"));
    command.args(args).env_remove("RESTRIDE_ISA");
    command.output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is text")
}

/// The exit code and the one line on stderr.
fn refused(args: &[&str]) -> (i32, String) {
    let output = perf(args);
    let text = String::from_utf8(output.stderr).expect("errors are text");
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    assert!(text.starts_with("restride-perf: ") && output.stdout.is_empty());
    (output.status.code().expect("it ends by itself"), text)
}

/// A path of its own for each test, where nothing is.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn a_run_prints_a_table_and_leaves_three_files() {
    let folder = fresh("run");
    let out = folder.to_str().expect("the path is text");
    let asked = "--case 4x4-f32 --threads 1 --against naive,ndarray --out";
    let output = perf(&asked.split(' ').chain([out]).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "silent where stderr is no terminal"
    );
    let table = stdout(&output);
    assert!(table.contains("\nrun-4x4-f32 ") && table.contains("\nplan-and-run-4x4-f32 "));

    assert!(table.contains("\n1 thread: ahead of every other crate on "));

    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("| plan-and-run-4x4-f32 |"));
    let environment = fs::read_to_string(folder.join("env.json")).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert!(environment["caches"]["line"].is_u64());
    assert!(environment["run"]["seconds"].is_f64());
    let records = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let records: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Two cases; restride, memcpy, nt4copy, naive, ndarray.
    assert_eq!(records.len(), 10);
    for record in &records {
        assert_eq!(record["bytes"], 128);
        assert!(record["median_ns"].as_f64().unwrap() > 0.0);
        assert!(record["rounds"].as_u64().unwrap() >= 3);
        assert_eq!(
            record["plan"].is_object(),
            record["implementation"] == "restride"
        );
    }
}

#[test]
fn suites_samples_pages_and_peers_are_what_was_asked_for() {
    let folder = fresh("suite");
    let out = folder.to_str().expect("the path is text");
    let asked = "--suite perms --case A.u16.64x64 --samples 2 --against ndarray --pages small";
    let words = asked.split(' ').chain(["--out", out]);
    let output = perf(&words.collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("\nA.u16.64x64 "));
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    let command =
        "--suite perms --case 'A.u16.64x64' --samples 2 --against ndarray --pages small\n";
    assert!(report.contains(command), "{report}");
    let records = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let records: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<_> = records
        .iter()
        .map(|r| r["implementation"].as_str())
        .collect();
    let wanted = ["restride", "memcpy", "nt4copy", "ndarray"];
    assert_eq!(names, wanted.map(Some));
    assert!(records.iter().all(|record| record["rounds"] == 2));
}

#[test]
fn refusals_are_one_line_and_have_codes() {
    let (code, text) = refused(&["--case", "no such case"]);
    assert!(code == 2 && text.contains("no such case"), "{text}");
    for zero in ["--threads", "--samples"] {
        assert_eq!(refused(&[zero, "0"]).0, 2);
    }
    assert_eq!(refused(&["--threads", "1,0"]).0, 2);
    let (code, text) = refused(&["--suite", "slow"]);
    assert!(code == 2 && text.contains("slow"), "{text}");
    let (code, text) = refused(&["--suite", "ttc57", "--case", "4x4-f32"]);
    assert!(code == 2 && text.contains("ttc57"), "{text}");
    assert_eq!(refused(&["--pages", "large"]).0, 2);
    let (code, text) = refused(&["--against", "nothing"]);
    assert!(code == 2 && text.contains("ndarray"), "{text}");
    assert_eq!(refused(&["measure"]).0, 2);
    assert_eq!(refused(&["explain", "--shape", "4"]).0, 2);
    // A file where the folder should be.
    let file = fresh("file");
    fs::write(&file, "").unwrap();
    let (code, text) = refused(&["--case", "run-4x4", "--out", file.to_str().unwrap()]);
    assert!(code == 1 && text.contains("file"), "{text}");
    fs::remove_file(file).unwrap();
}

#[test]
fn plans_and_places_are_printed() {
    let asked = "explain --shape 4096,4096 --src-strides 1,4096 --dst-strides -4096,1 --cell 4 \
                 --isa scalar --threads 2";
    let output = perf(&asked.split_whitespace().collect::<Vec<_>>());
    let plan = stdout(&output);
    assert!(
        plan.starts_with("kernel   transpose-4-scalar-1x1\n"),
        "{plan}"
    );
    assert!(plan.contains("\nthreads  2;"), "{plan}");

    let lines = perf(&["env"]);
    assert!(stdout(&lines).starts_with("isa      scalar portable"));
    let json: Value = serde_json::from_slice(&perf(&["env", "--json"]).stdout).unwrap();
    assert_eq!(json["isa"][0], "scalar");
}
