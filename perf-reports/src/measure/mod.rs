//! `restride-perf bench`: a suite, from the list of cases to the report.

pub(crate) mod busy;
mod ceilings;
mod control;
pub(crate) mod interrupt;
pub(crate) mod pool;
mod progress;
pub(crate) mod sampler;
pub(crate) mod settings;
pub(crate) mod suite;
pub(crate) mod verify;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Instant;

use restride_cases::{Case, DST_OFFSET};

use crate::cli::bench::Bench;
use crate::data::environment::Environment;
use crate::data::run::{PeerRecord, Run, Turns};
use crate::data::{Data, Writer, folder};
use crate::failure::Failure;
use crate::report;
use busy::Busy;
use progress::Bar;
use sampler::Rounds;
use settings::Settings;

/// Measures what was asked for, and writes its report.
///
/// # Errors
/// Every kind: nonsense, files, memory, wrong results; [`Failure::Interrupted`] once everything that
/// was measured is saved.
pub(crate) fn bench(asked: &Bench) -> Result<(), Failure> {
    let cases = asked.cases()?;
    let environment = Environment::detect(&folder::tree())?;
    let settings = asked.settings(environment.threads)?;
    let folder = folder::create(asked.out.as_deref(), &folder::home(), &environment)?;
    let writer = Writer::new(&folder)?;
    interrupt::listen()?;
    let measured = measured(asked, &cases, settings, environment, writer);
    let (data, writer) = measured.inspect_err(|_| {
        // A folder without results helps no one; one that holds something stays.
        let results = folder.join("data/results.jsonl");
        if fs::metadata(&results).is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(results);
            let _ = fs::remove_dir(folder.join("data"));
            let _ = fs::remove_dir(&folder);
        }
    })?;
    let saved = writer
        .finish(&data)
        .and_then(|()| report::write(&folder, &data));
    if saved.is_err() {
        // Where a file cannot be had, at least someone may see what was measured.
        crate::print(&report::terminal::text(&data))?;
    }
    saved?;
    tell(asked, &folder, &data)?;
    if data.run.interrupted {
        let (kept, folder) = (data.cases.len(), folder.display());
        let what = format!("interrupted; {kept} cases are kept in {folder}");
        return Err(Failure::Interrupted(what));
    }
    Ok(())
}

fn measured(
    asked: &Bench,
    cases: &[Case],
    settings: Settings,
    environment: Environment,
    mut writer: Writer,
) -> Result<(Data, Writer), Failure> {
    let (start, before) = (Instant::now(), Busy::now());
    let shown = !asked.no_progress && io::stderr().is_terminal();
    let mut threads: Vec<usize> = cases.iter().flat_map(|c| settings.threads_of(c)).collect();
    threads.push(1);
    threads.sort_unstable();
    threads.dedup();
    let (ceilings, done, pinning) =
        pool::within(settings.most_threads(), asked.pin.0, |pinning| {
            let mut bar = Bar::new(cases.len(), shown);
            let ceilings = ceilings::measure(&threads, cases, &settings)?;
            let done = suite::run(cases, &settings, &mut bar, &mut writer)?;
            Ok((ceilings, done, pinning))
        })?;
    let rounds = Rounds {
        asked: settings.samples,
        full: settings.full,
        ..Rounds::default()
    };
    let mut data = Data {
        environment,
        run: Run {
            command: asked.command(),
            suites: asked.suites().iter().map(|s| s.name().into()).collect(),
            seconds: (start.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            others: Busy::others_since(before).map(|share| (share * 1e3).round() / 1e3),
            interrupted: interrupt::asked(),
            left_out: done.left_out,
            rounds: rounds.least(),
            threads,
            pages: settings.pages.name().into(),
            dest: settings.dest.name().into(),
            seed: settings.seed,
            turns: Turns::Balanced,
            pinning,
            offsets: (0, DST_OFFSET),
            peers: settings.peers.iter().map(|peer| record(peer)).collect(),
        },
        cases: done.cases,
        ceilings: crate::data::ceilings::Ceilings {
            points: ceilings,
            control: done.control,
        },
    };
    report::forget_words(&mut data);
    Ok((data, writer))
}

fn record(peer: &crate::implementations::Peer) -> PeerRecord {
    PeerRecord {
        name: peer.name.into(),
        version: peer.version.map(Into::into),
        how: peer.how.into(),
    }
}

/// A table on stdout, or a summary in JSON.
fn tell(asked: &Bench, folder: &Path, data: &Data) -> Result<(), Failure> {
    if asked.json {
        return crate::print(&folder::pretty(&report::terminal::summary(data, folder))?);
    }
    let table = report::terminal::text(data);
    let words = data.run.words();
    crate::print(&format!(
        "{table}\n{words}\nreport in {}\n",
        folder.display()
    ))
}
