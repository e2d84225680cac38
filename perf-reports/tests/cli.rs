//! The command line as a user meets it: files, exit codes, one line on stderr.

mod common;

use std::fs;

use common::{fresh, json_lines, measured, perf, refused, stdout, text};
use serde_json::Value;

#[test]
fn a_run_prints_a_table_and_leaves_a_whole_report() {
    let folder = fresh("run");
    let output = measured(&folder);
    assert!(
        output.stderr.is_empty(),
        "silent where stderr is no terminal"
    );
    let table = stdout(&output);
    assert!(table.contains("\nrun-4x4-f32 ") && table.contains("\nplan-and-run-4x4-f32 "));
    assert!(table.contains("\n1 thread: ahead of every other crate on "));

    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("| plan-and-run-4x4-f32 |"));
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("<script"));
    for figure in ["ceilings", "noise"] {
        assert!(folder.join(format!("fig/{figure}.svg")).is_file());
        assert!(report.contains(&format!("(fig/{figure}.svg)")));
    }

    let place = fs::read_to_string(folder.join("data/env.json")).unwrap();
    let place: Value = serde_json::from_str(&place).unwrap();
    assert_eq!(place["schema"], 2);
    assert!(place["environment"]["caches"]["line"].is_u64());
    assert!(place["run"]["seconds"].is_f64());
    let command = fs::read_to_string(folder.join("data/command.txt")).unwrap();
    let asked = "bench --filter 4x4-f32 --threads 1 --samples 9\n";
    assert!(command.ends_with(asked), "{command}");
    let records = json_lines(&folder.join("data/results.jsonl"));
    // Two cases; restride, memcpy, nt4copy, naive, ndarray; restride again in the first.
    assert!(records.len() >= 11);
    for record in &records {
        assert!(record["median_ns"].as_f64().unwrap() > 0.0);
        assert_eq!(record["samples_ns"].as_array().unwrap().len(), 9);
    }
    let plans = fs::read_to_string(folder.join("data/plans.json")).unwrap();
    let plans: Value = serde_json::from_str(&plans).unwrap();
    assert_eq!(plans["cases"][0]["side_bytes"], 64);
    let ceilings = fs::read_to_string(folder.join("data/ceilings.json")).unwrap();
    let ceilings: Value = serde_json::from_str(&ceilings).unwrap();
    assert!(ceilings["points"].as_array().unwrap().len() >= 10);
    assert!(!ceilings["control"].as_array().unwrap().is_empty());
}

#[test]
fn suites_threads_samples_and_peers_are_what_was_asked_for() {
    let folder = fresh("suite");
    let asked = "--suite perms --case A.u16.64x64 --samples 2 --against ndarray --pages small \
                 --dest fresh --pin compact --json --out";
    let words = asked.split_whitespace().chain([text(&folder)]);
    let output = perf(&words.collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
    let summary: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(summary["results"][0]["case"], "A.u16.64x64");
    assert_eq!(summary["interrupted"], false);
    let records = json_lines(&folder.join("data/results.jsonl"));
    let names: Vec<_> = records
        .iter()
        .map(|r| r["implementation"].as_str())
        .collect();
    let wanted = ["restride", "restride again", "memcpy", "nt4copy", "ndarray"];
    assert_eq!(names, wanted.map(Some));
    for record in records {
        assert_eq!(record["samples_ns"].as_array().unwrap().len(), 2);
        assert_eq!(record["calls"], 1);
    }
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("mapped anew") && report.contains("pinned"));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn memory_is_cold_if_that_was_asked_for() {
    let median = |dest: &str| {
        let folder = fresh(dest);
        let asked = "--suite perms --case A.u16.1024x1024 --threads 1 --samples 5 --against none --json --dest";
        let words = asked.split_whitespace();
        let output = perf(
            &words
                .chain([dest, "--out", text(&folder)])
                .collect::<Vec<_>>(),
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let records = json_lines(&folder.join("data/results.jsonl"));
        let memcpy = records.iter().find(|r| r["implementation"] == "memcpy");
        let report = fs::read_to_string(folder.join("report.md")).unwrap();
        assert_eq!(report.contains("out of all caches"), dest == "cold");
        memcpy.unwrap()["median_ns"].as_f64().unwrap()
    };
    // 2 MiB a side, which are in some cache otherwise.
    assert!(median("cold") > median("reused"));
}

#[test]
fn refusals_are_one_line_and_have_codes() {
    let (code, said) = refused(&["--case", "no such case"]);
    assert!(code == 2 && said.contains("no such case"), "{said}");
    for zero in ["--threads", "--samples"] {
        assert_eq!(refused(&[zero, "0"]).0, 2);
    }
    assert_eq!(refused(&["--threads", "1,0"]).0, 2);
    let (code, said) = refused(&["bench", "--suite", "slow"]);
    assert!(code == 2 && said.contains("slow"), "{said}");
    let (code, said) = refused(&["--suite", "ttc57", "--case", "4x4-f32"]);
    assert!(code == 2 && said.contains("quick"), "{said}");
    for (option, value) in [
        ("--pages", "large"),
        ("--pin", "hard"),
        ("--dest", "far"),
        ("--cell", "5"),
        ("--filter", "["),
    ] {
        assert_eq!(refused(&[option, value]).0, 2, "{option}");
    }
    let (code, said) = refused(&["--against", "nothing"]);
    assert!(code == 2 && said.contains("ndarray"), "{said}");
    assert_eq!(refused(&["bench", "--quick", "--full"]).0, 2);
    assert_eq!(refused(&["measure"]).0, 2);
    assert_eq!(refused(&["explain", "--shape", "4"]).0, 2);
    // A file where the folder should be.
    let file = fresh("file");
    fs::write(&file, "").unwrap();
    let (code, said) = refused(&["--case", "run-4x4", "--out", text(&file)]);
    assert!(code == 1 && said.contains("file"), "{said}");
    fs::remove_file(file).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_is_measured() {
    let (code, said) = refused(&["--out", "/proc/report"]);
    assert!(code == 1 && said.contains("/proc/report"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    use std::process::Stdio;
    use std::thread;
    use std::time::Duration;

    let folder = fresh("interrupted");
    // Long enough to be interrupted wherever it is.
    let asked = "bench --suite latency --samples 2000 --out";
    let words: Vec<&str> = asked.split(' ').chain([text(&folder)]).collect();
    let mut command = common::command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().expect("the program starts");
    let results = folder.join("data/results.jsonl");
    // As soon as a case is done.
    while fs::read_to_string(&results).map_or(true, |text| text.is_empty()) {
        thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.expect("there is kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("interrupted; ") && said.lines().count() == 1,
        "{said}"
    );
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains(", interrupted: "), "{report}");
    assert!(!json_lines(&results).is_empty());
    let again = perf(&["render", text(&folder)]);
    assert_eq!(again.status.code(), Some(0));
}

#[test]
fn plans_and_places_are_printed() {
    let asked = "explain --shape 4096,4096 --src-strides 1,4096 --dst-strides -4096,1 --cell 4 \
                 --isa scalar --threads 2";
    let words: Vec<&str> = asked.split_whitespace().collect();
    let output = perf(&words);
    let plan = stdout(&output);
    assert!(
        plan.starts_with("kernel   transpose-4-scalar-1x1\n"),
        "{plan}"
    );
    assert!(plan.contains("\nthreads  2;"), "{plan}");
    let output = perf(&[&words[..], &["--json"]].concat());
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["threads"][0], 2);
    assert_eq!(plan["dest"]["line_use"], 1.0);

    let lines = perf(&["env"]);
    assert!(stdout(&lines).starts_with("isa      scalar portable"));
    let json: Value = serde_json::from_slice(&perf(&["env", "--json"]).stdout).unwrap();
    assert_eq!(json["isa"][0], "scalar");
    assert!(["others", "zen3", "zen4", "zen5"].contains(&json["choices"].as_str().unwrap()));

    let kernels = perf(&["list", "kernels"]);
    assert!(stdout(&kernels).contains("\ntranspose-4-scalar-1x1"));
    let cases = perf(&["list", "cases", "--suite", "ttc57", "--json"]);
    assert_eq!(stdout(&cases).lines().count(), 57);
    let verified = perf(&["verify", "--suite", "latency"]);
    assert!(stdout(&verified).ends_with(" results of 24 cases are right\n"));
}
