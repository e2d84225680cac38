//! Starting the program, and what it leaves behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The program with these arguments.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restride-perf"));
    command.args(args).env_remove("RESTRIDE_ISA");
    command
}

/// Runs it to its end.
pub(crate) fn perf(args: &[&str]) -> Output {
    command(args).output().expect("the program starts")
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is text")
}

/// The exit code and the one line on stderr.
pub(crate) fn refused(args: &[&str]) -> (i32, String) {
    let output = perf(args);
    let text = String::from_utf8(output.stderr).expect("errors are text");
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    assert!(text.starts_with("restride-perf: "), "{text}");
    (output.status.code().expect("it ends by itself"), text)
}

/// A path of its own for each test, where nothing is.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// A report of two small cases in `folder`.
pub(crate) fn measured(folder: &Path) -> Output {
    let asked = "bench --filter 4x4-f32 --threads 1 --samples 9 --out";
    let words = asked.split(' ').chain([text(folder)]);
    let output = perf(&words.collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    output
}

/// The lines of a file as JSON.
pub(crate) fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("it is there");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect()
}
