//! Measures restride against the roof of the memory, and reports it.
//!
//! ```text
//! cases/    ->  suite.rs  ->  implementations/  ->  record.rs  ->  report/, folder.rs
//! (data)        (verify,      (restride, yard-      (a line       (tables, files)
//!               time)         sticks, peers)        each)
//!               oracle.rs, sampler.rs, buffers.rs, pattern.rs
//! ```
//!
//! `settings.rs` says how, `explain.rs` prints plans, `environment.rs` describes the machine, `busy.rs` who else was on it.

mod buffers;
mod busy;
mod case;
mod cases;
mod cli;
mod date;
mod environment;
mod explain;
mod failure;
mod folder;
mod implementations;
mod oracle;
mod pattern;
mod progress;
mod record;
mod report;
mod sampler;
mod settings;
mod statistics;
mod suite;
mod table;
mod units;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use busy::Busy;
use cli::{Cli, Command, Measure};
use environment::Environment;
use failure::Failure;
use progress::Bar;

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
        None => measure(&cli.measure),
        Some(Command::Explain(asked)) => explain::explain(asked).and_then(|text| print(&text)),
        Some(Command::Env { json }) => describe(*json),
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
    print(
        &environment
            .lines()
            .into_iter()
            .map(line)
            .collect::<String>(),
    )
}

/// A suite, from the list of cases to the files.
fn measure(asked: &Measure) -> Result<(), Failure> {
    let start = Instant::now();
    let cases = asked.cases()?;
    let environment = Environment::detect(&folder::tree())?;
    let settings = asked.settings(environment.threads)?;
    let folder = folder::create(asked.out.as_deref(), &folder::home(), &environment)?;
    let before = Busy::now();
    let records = in_pool(settings.most_threads(), || {
        let mut bar = Bar::new(cases.len());
        suite::run(&cases, &settings, &mut bar)
    })
    .inspect_err(|_| {
        // An empty folder helps no one; one that holds something stays.
        let _ = std::fs::remove_dir(&folder);
    })?;
    let run = report::Run {
        command: asked.command(),
        seconds: start.elapsed().as_secs_f64(),
        others: Busy::others_since(before),
    };
    let report = report::markdown(&environment, &records, &run);
    folder::write(&folder, &environment, &run, &records, &report)?;
    let table = report::terminal(&records);
    let words = run.words();
    print(&format!(
        "{table}\n{words}\nreport in {}\n",
        folder.display()
    ))
}

/// Runs `work` as one of `threads` workers of rayon's global pool, or without a pool on one thread.
fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    if threads == 1 {
        return work();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let refused = |error| Failure::Io(format!("cannot start {threads} threads: {error}"));
    pool.build_global().map_err(refused)?;
    rayon::scope(|_| work())
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::Io(format!("standard output: {error}")))
}
