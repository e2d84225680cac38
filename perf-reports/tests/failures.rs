//! Runs that end badly: the exit codes that the help names, one line on stderr, and what is left.

#[allow(dead_code)] // not every test needs all of it
mod common;

use std::fs;

use common::{fresh, perf, refused, text};

/// The words of a command.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn a_wrong_result_ends_with_code_3_and_leaves_nothing() {
    let folder = fresh("broken");
    let bench = words("bench --filter run-4x4-f32 --threads 1 --peers ndarray,broken --out");
    let (code, said) = refused(&[&bench[..], &[text(&folder)]].concat());
    assert_eq!(code, 3, "{said}");
    // 16 cells of 4 bytes; a bit of the last is wrong.
    let what = "wrong result: broken with threads = 1 on run-4x4-f32: byte 60 of 64 is 0x";
    assert!(said.contains(what), "{said}");
    assert!(!folder.exists(), "nothing was measured");

    let verify = words("verify --filter run-4x4-f32 --peers broken");
    let (code, said) = refused(&verify);
    assert!(code == 3 && said.contains(what), "{said}");
    let right = perf(&words("verify --filter run-4x4-f32 --peers ndarray"));
    assert_eq!(right.status.code(), Some(0), "{right:?}");
}

#[test]
fn the_wrong_one_takes_part_in_nothing_unless_it_is_named() {
    let verify = "verify --filter run-4x4-f32";
    for peers in ["", "--peers .*", "--peers none"] {
        let output = perf(&words(&format!("{verify} {peers}")));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let listed = perf(&["list", "peers"]);
    assert!(!common::stdout(&listed).contains("broken"));
    let (code, said) = refused(&words("verify --peers brok.*"));
    assert!(code == 2 && said.contains("ndarray"), "{said}");
}

#[test]
fn reports_that_are_not_there_or_no_reports_are_named() {
    let (none, empty) = (fresh("no-report"), fresh("empty-report"));
    fs::create_dir_all(empty.join("data")).unwrap();
    for folder in [&none, &empty].map(|folder| text(folder)) {
        for args in [
            &["render", folder][..],
            &["compare", folder, folder],
            &["compare", folder, "--criterion", folder],
        ] {
            let (code, said) = refused(args);
            assert!(code == 1 && said.contains("env.json"), "{said}");
        }
    }
    let (code, said) = refused(&["index", text(&none)]);
    assert!(code == 1 && said.contains("no-report"), "{said}");
    assert_eq!(refused(&["compare", text(&none)]).0, 2);
    let both = ["compare", "a", "b", "--criterion", "c"];
    assert_eq!(refused(&both).0, 2);
}

#[cfg(unix)]
mod unix {
    use std::path::Path;
    use std::process::{Command, Output};

    use super::*;

    const SMALL: &str = "bench --filter 4x4-f32 --threads 1 --samples 3 --peers none --out";

    /// What a script makes of the words of a command, which are its arguments.
    fn under(shell: &[&str], script: &str, args: &[&str]) -> Output {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).args(["sh", "-c", script]);
        command.arg(env!("CARGO_BIN_EXE_restride-perf")).args(args);
        command.output().expect("there is a shell")
    }

    /// Its one line on stderr, and that it ended with code 1.
    fn failed(output: &Output) -> String {
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert!(
            output.status.code() == Some(1) && said.lines().count() == 1,
            "{output:?}"
        );
        said
    }

    /// Files that cannot grow beyond a few KiB, on any system: writing fails half-way.
    #[test]
    fn a_report_that_cannot_be_written_to_its_end_is_said_and_shown() {
        let folder = fresh("limited");
        let script = r#"trap "" XFSZ; ulimit -f 4; exec "$0" "$@""#;
        let args = [&words(SMALL)[..], &[text(&folder)]].concat();
        let output = under(&["env"], script, &args);
        let said = failed(&output);
        assert!(
            said.contains("limited/") && said.contains("large"),
            "{said}"
        );
        // Whatever could not be saved can still be read, and nothing that was cut looks whole.
        let shown = common::stdout(&output);
        assert!(shown.contains("\nrun-4x4-f32 "), "{shown}");
        let half = |folder: &Path| {
            let entries = fs::read_dir(folder).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name());
            names
                .filter(|name| name.to_str().unwrap().ends_with(".new"))
                .count()
        };
        assert_eq!(half(&folder) + half(&folder.join("data")), 0);
        assert!(!folder.join("report.html").exists());
    }

    /// What was there stays as it was where its successor finds no room.
    #[test]
    fn a_report_that_cannot_be_drawn_again_stays() {
        let folder = fresh("stays");
        common::measured(&folder);
        let old = folder.join("fig/old.svg");
        fs::write(&old, "").unwrap();
        let files = ["report.md", "report.html", "fig/noise.svg"];
        let all = || files.map(|file| fs::read(folder.join(file)).unwrap());
        let before = all();
        let script = r#"trap "" XFSZ; ulimit -f 4; exec "$0" "$@""#;
        let said = failed(&under(&["env"], script, &["render", text(&folder)]));
        assert!(said.contains("stays/"), "{said}");
        assert!(all() == before);
        assert_eq!(perf(&["render", text(&folder)]).status.code(), Some(0));
        assert!(
            all() == before && !old.exists(),
            "figures of an earlier one go"
        );
    }

    /// A file system of its own that is full or read-only, gone with the process.
    #[cfg(target_os = "linux")]
    #[test]
    fn full_and_read_only_disks_are_said() {
        const APART: [&str; 3] = ["unshare", "--map-root-user", "--mount"];
        let place = fresh("mounted");
        fs::create_dir_all(&place).unwrap();
        let script = |options: &str| {
            let place = text(&place);
            format!(r#"mount -t tmpfs -o {options} tmpfs "{place}" || exit 77; exec "$0" "$@""#)
        };
        let probe = Command::new(APART[0])
            .args(&APART[1..])
            .args(["sh", "-c", &script("size=64k"), "true"])
            .output();
        if !probe.is_ok_and(|output| output.status.success()) {
            println!("skipped: nothing can be mounted here");
            return;
        }
        let folder = place.join("report");
        let args = [&words(SMALL)[..], &[text(&folder)]].concat();
        // Room for the data and not for the report; for some of the data; for none.
        for size in ["64k", "8k", "4k"] {
            let said = failed(&under(&APART, &script(&format!("size={size}")), &args));
            let what = said.contains("mounted/report") && said.contains("No space left");
            assert!(what, "{size}: {said}");
        }
        let said = failed(&under(&APART, &script("ro"), &args));
        let what = said.contains("mounted/report") && said.contains("Read-only");
        assert!(what, "{said}");
    }
}
