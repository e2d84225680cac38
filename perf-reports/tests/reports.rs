//! Reports after they were written: drawn again, compared, and what is wrong with them said.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{fresh, json_lines, measured, perf, refused, stdout, text};
use serde_json::Value;

/// The drawn files of a report.
fn drawn(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let figures = fs::read_dir(folder.join("fig")).expect("there are figures");
    let mut paths: Vec<PathBuf> = figures.map(|entry| entry.unwrap().path()).collect();
    paths.extend(["report.md", "report.html"].map(|name| folder.join(name)));
    paths.sort_unstable();
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("it is there"));
    paths.into_iter().map(read).collect()
}

/// A copy of a report's data, elsewhere.
fn copied(from: &Path, name: &str) -> PathBuf {
    let to = fresh(name);
    fs::create_dir_all(to.join("data")).unwrap();
    for entry in fs::read_dir(from.join("data")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join("data").join(path.file_name().unwrap())).unwrap();
    }
    to
}

/// Rewrites a file of a report's data.
fn changed(folder: &Path, file: &str, change: impl Fn(&str) -> String) {
    let path = folder.join("data").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let new = change(&text);
    assert_ne!(new, text);
    fs::write(path, new).unwrap();
}

/// The report with all times a microsecond, and restride's of a case a multiple of that: a machine
/// without noise.
fn timed(from: &Path, name: &str, case: &str, factor: f64) -> PathBuf {
    let folder = copied(from, name);
    let path = folder.join("data/results.jsonl");
    let records = json_lines(&path).into_iter().map(|mut record| {
        let ours = record["case"] == case && record["implementation"] == "restride";
        let ns = if ours { 1000.0 * factor } else { 1000.0 };
        record["median_ns"] = ns.into();
        record["samples_ns"] = vec![ns; 9].into();
        format!("{record}\n")
    });
    let records: String = records.collect();
    fs::write(path, records).unwrap();
    folder
}

#[test]
fn a_report_is_drawn_again_byte_for_byte() {
    let folder = fresh("again");
    measured(&folder);
    let before = drawn(&folder);
    let elsewhere = copied(&folder, "again-elsewhere");
    for folder in [&folder, &elsewhere] {
        let output = perf(&["render", text(folder)]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let names = before.iter().map(|(path, bytes)| {
            let name = path.strip_prefix(before[0].0.ancestors().nth(2).unwrap());
            (name.unwrap().to_owned(), bytes)
        });
        for (name, bytes) in names {
            assert!(fs::read(folder.join(&name)).unwrap() == *bytes, "{name:?}");
        }
    }
}

/// The reports that the repository holds; without git there are none to be seen.
fn committed() -> Vec<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git")
        .args(["-C", text(home), "ls-files", "*/data/env.json"])
        .output();
    let listed = listed.map_or(Vec::new(), |output| output.stdout);
    let listed = String::from_utf8(listed).unwrap();
    let folder = |path: &str| home.join(path.trim_end_matches("/data/env.json"));
    listed.lines().map(folder).collect()
}

/// What stands between two texts, the first time that both do.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).expect(before);
    rest.split_once(after).expect(after).0
}

/// The front page has a row for each machine, and those of the scenarios of the report that it links to.
#[test]
fn the_front_page_says_what_reports_say() {
    let front = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let front = fs::read_to_string(front).unwrap();
    let (reports, mut linked) = (committed(), 0);
    for folder in &reports {
        let report = fs::read_to_string(folder.join("report.md")).unwrap();
        let of_roof = |figure| between(&report, figure, " of the roof as geometric mean");
        let ahead = between(&report, "1 thread: ahead of every other crate on ", " of ");
        let row = format!(
            "| {ahead} | {} | {} | {} |\n",
            between(&report, " cases, twice as fast on ", ";"),
            of_roof("![Permutations of axes: "),
            of_roof("![57 tensor transpositions: "),
        );
        assert!(front.contains(&row), "{}: {row}", folder.display());
        let name = folder.file_name().unwrap().to_str().unwrap();
        if !front.contains(&format!("(perf-reports/{name}/report.md)")) {
            continue;
        }
        linked += 1;
        for scenario in report
            .lines()
            .filter(|line| line.starts_with("| F"))
            .take(6)
        {
            let cells: Vec<&str> = scenario.split('|').map(str::trim).collect();
            let first = |i: usize| cells[i].split(' ').next().unwrap();
            let row = format!(
                "| {} | {} | {} ({}) |\n",
                first(2),
                first(3),
                first(4),
                first(5)
            );
            assert!(front.contains(&row), "{name}: {row}");
        }
    }
    assert!(linked == 1 || reports.is_empty(), "{linked} reports");
}

#[test]
fn committed_reports_are_what_their_data_say() {
    for folder in committed() {
        let copy = copied(&folder, "committed");
        let output = perf(&["render", text(&copy)]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        for (path, bytes) in drawn(&folder) {
            let name = path.strip_prefix(&folder).unwrap();
            assert!(
                fs::read(copy.join(name)).unwrap() == bytes,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn what_became_slower_is_named_and_ends_with_code_4() {
    let run = fresh("compared");
    measured(&run);
    let case = "plan-and-run-4x4-f32";
    let folder = timed(&run, "compared-before", case, 1.0);
    let same = perf(&["compare", text(&folder), text(&folder)]);
    assert_eq!(same.status.code(), Some(0));
    assert!(stdout(&same).contains(": 0 slower, 0 faster, 0 unsure, 2 the same"));

    let slow = timed(&run, "compared-slow", case, 1.3);
    let args = ["compare", text(&folder), text(&slow)];
    let (code, said) = refused(&args);
    assert!(
        code == 4 && said.contains("plan-and-run-4x4-f32 on 1 thread: 1.30"),
        "{said}"
    );
    let output = perf(&args);
    let rows = stdout(&output).lines();
    let rows: Vec<&str> = rows.filter(|line| line.starts_with("slower ")).collect();
    assert!(rows.len() == 1 && rows[0].contains(case), "{rows:?}");

    let output = perf(&["compare", text(&slow), text(&folder), "--json"]);
    assert_eq!(output.status.code(), Some(0), "faster is no regression");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = json["changes"].as_array().unwrap();
    let faster = changes
        .iter()
        .filter(|change| change["verdict"] == "faster");
    let faster: Vec<_> = faster.map(|change| &change["case"]).collect();
    assert_eq!(faster, [case]);
}

#[test]
fn where_criterion_disagrees_is_named_and_ends_with_code_4() {
    let run = fresh("beside");
    measured(&run);
    let (case, other) = ("plan-and-run-4x4-f32", "run-4x4-f32");
    let folder = timed(&run, "beside-report", case, 1.0);
    let criterion = fresh("beside-criterion");
    // A bench of a case whose median is so many nanoseconds, for sure.
    let bench = |case: &str, ns: f64| {
        let new = criterion.join("group").join(case).join("new");
        fs::create_dir_all(&new).unwrap();
        let name = serde_json::json!({
            "full_id": format!("group/{case}"), "function_id": null, "value_str": case,
        });
        let estimates = serde_json::json!({"median": {
            "point_estimate": ns,
            "confidence_interval": {"lower_bound": 0.999 * ns, "upper_bound": 1.001 * ns},
        }});
        fs::write(new.join("benchmark.json"), name.to_string()).unwrap();
        fs::write(new.join("estimates.json"), estimates.to_string()).unwrap();
    };
    fs::create_dir_all(&criterion).unwrap();
    let args = ["compare", text(&folder), "--criterion", text(&criterion)];
    let (code, said) = refused(&args);
    assert!(code == 2 && said.contains("no bench"), "{said}");
    // A machine without noise: one percent is the least that counts.
    bench(case, 1005.0);
    bench(other, 995.0);
    let output = perf(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let sum = "2 compared on one thread: 2 agree within 1.0 %, 0 differ, 0 times memcpy drifted; ";
    assert!(stdout(&output).contains(sum), "{output:?}");
    bench(case, 1030.0);
    let (code, said) = refused(&args);
    assert!(
        code == 4 && said.contains("group/plan-and-run-4x4-f32: 1.03 of the report's time"),
        "{said}"
    );
    let wide = perf(&[&args[..], &["--threshold", "5", "--json"]].concat());
    assert_eq!(wide.status.code(), Some(0), "{wide:?}");
    let json: Value = serde_json::from_slice(&wide.stdout).unwrap();
    assert_eq!(json["pairs"][0]["verdict"], "agree");
}

#[test]
fn what_cannot_be_compared_or_read_is_said() {
    let folder = fresh("wrong");
    measured(&folder);
    let other = copied(&folder, "wrong-machine");
    changed(&other, "env.json", |text| {
        text.replacen("\"cpu\": \"", "\"cpu\": \"Another ", 1)
    });
    let args = ["compare", text(&folder), text(&other)];
    let (code, said) = refused(&args);
    assert!(code == 2 && said.contains("different machines"), "{said}");
    let all_the_same = perf(&[&args[..], &["--any-machine"]].concat());
    assert_eq!(all_the_same.status.code(), Some(0));

    let (code, said) = refused(&["render", text(&folder.join("none"))]);
    assert!(code == 1 && said.contains("env.json"), "{said}");
    let cut = copied(&folder, "wrong-cut");
    changed(&cut, "results.jsonl", |text| text[..text.len() - 30].into());
    let (code, said) = refused(&["render", text(&cut)]);
    assert!(code == 1 && said.contains("results.jsonl, line "), "{said}");
    assert!(
        !cut.join("report.md").exists(),
        "nothing is drawn from half of it"
    );
}

#[test]
fn records_of_others_are_merged_and_shown() {
    let folder = fresh("merged");
    measured(&folder);
    let records = folder.join("numpy.jsonl");
    let lines = "{\"peer\":{\"name\":\"numpy\",\"version\":\"2.0\",\"how\":\"`copyto`\"}}\n\
                 {\"case\":\"run-4x4-f32\",\"implementation\":\"numpy\",\"threads\":1,\"calls\":9,\
                 \"median_ns\":900.0,\"samples_ns\":[890.0,900.0,910.0]}\n";
    fs::write(&records, lines).unwrap();
    let output = perf(&["render", text(&folder), "--merge", text(&records)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("- `numpy` 2.0: `copyto`."), "{report}");
    // They stay: the data hold them now.
    let again = perf(&["render", text(&folder)]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(folder.join("report.md")).unwrap(),
        report
    );
}

#[test]
fn the_index_lists_reports() {
    let home = fresh("index");
    fs::create_dir_all(&home).unwrap();
    measured(&home.join("2025-01-01_machine_commit"));
    let output = perf(&["index", text(&home)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let index = fs::read_to_string(home.join("README.md")).unwrap();
    let link = "[2025-01-01_machine_commit](2025-01-01_machine_commit/report.md)";
    assert!(index.contains(link), "{index}");
}
