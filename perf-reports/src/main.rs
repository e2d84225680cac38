//! Measures restride against the roof of the memory, and reports it.
//!
//! ```text
//! restride-cases -> measure/ -> implementations/ -> data/ -> report/   -> report.md, .html, fig/
//! (data)            (verify,    (restride, yard-    (files)  compare/  -> what changed
//!                   time)       sticks, peers)
//! ```
//!
//! `cli/` says what can be asked for, `explain.rs` prints plans, `list.rs` what there is,
//! `calibrate/` measures what plans assume.

mod calibrate;
mod cli;
mod compare;
mod data;
mod explain;
mod failure;
mod implementations;
mod list;
mod measure;
mod report;
mod statistics;
mod table;
mod units;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use data::environment::Environment;
use data::{Data, folder};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) if !answer.use_stderr() => answer.exit(), // --help, --version
        Err(usage) => {
            // clap explains at length; its first paragraph is the error.
            let text = usage.to_string();
            let what = text.split("\n\n").next().unwrap_or_default();
            return stop(&Failure::Usage(what.trim_start_matches("error: ").into()));
        }
    };
    let done = match &cli.command {
        None => measure::bench(&cli.bench),
        Some(Command::Bench(asked)) => measure::bench(asked),
        Some(Command::Env { json }) => describe(*json),
        Some(Command::List(asked)) => list::list(asked).and_then(|text| print(&text)),
        Some(Command::Verify(asked)) => verify::verify(asked),
        Some(Command::Render { dir, merge }) => render(dir, merge),
        Some(Command::Compare(asked)) => compare::compare(asked),
        Some(Command::Explain(asked)) => explain::explain(asked).and_then(|text| print(&text)),
        Some(Command::Calibrate { json }) => calibrate::calibrate(*json),
        Some(Command::Index { dir }) => report::index::write(dir.as_deref()),
    };
    done.map_or_else(|failure| stop(&failure), |()| ExitCode::SUCCESS)
}

fn stop(failure: &Failure) -> ExitCode {
    eprintln!("restride-perf: {failure}");
    ExitCode::from(failure.exit_code())
}

fn describe(json: bool) -> Result<(), Failure> {
    let environment = Environment::detect(&folder::tree())?;
    if json {
        return print(&folder::pretty(&environment)?);
    }
    let line = |(name, value)| format!("{name:<8} {value}\n");
    let lines = environment.lines();
    print(&lines.into_iter().map(line).collect::<String>())
}

/// A report again from its data, and from records of others.
fn render(dir: &std::path::Path, others: &[std::path::PathBuf]) -> Result<(), Failure> {
    let mut data = Data::load(dir)?;
    for file in others {
        data::merge(&mut data, file)?;
    }
    if !others.is_empty() {
        data.save(&dir.join("data"))?;
    }
    report::write(dir, &data)?;
    print(&format!("report in {}\n", dir.display()))
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::Io(format!("standard output: {error}")))
}
