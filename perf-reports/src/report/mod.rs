//! The report: tables and text, from records and the environment alone.

mod rivals;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::environment::Environment;
use crate::implementations::{MEMCPY, PEERS, Peer, RESTRIDE};
use crate::record::Record;
use crate::statistics::geometric_mean;
use crate::table::{Align, Table};
use crate::units;

/// Cases that move less are left out of the means: a few cells have no roof.
const MEAN_BYTES: usize = 16 << 10;

const LEGEND: &str = "\
bytes, GB/s: source + destination, decimal; median over the rounds
/memcpy: speed relative to memcpy of the same bytes on one thread, in the same rounds
/roof: relative to the better of memcpy and nt4copy (four pages interleaved, streaming stores)
of the same bytes on the same number of threads, in the same rounds
/peer: relative to the fastest other crate, on up to as many threads, in the rounds it took part in
";

/// The table of restride and its means, for a terminal.
pub(crate) fn terminal(records: &[Record]) -> String {
    format!(
        "{}\n{LEGEND}\n{}{}",
        main_table(records).text(),
        means(records),
        rivals::summary(records),
    )
}

/// How a run went.
#[derive(Serialize)]
pub(crate) struct Run {
    /// What was asked for, but for the folder.
    pub(crate) command: String,
    /// How long it took.
    pub(crate) seconds: f64,
    /// The share of CPU time that went to other processes meanwhile.
    pub(crate) others: Option<f64>,
}

impl Run {
    /// In words.
    pub(crate) fn words(&self) -> String {
        let others = self.others.map_or_else(String::new, |share| {
            format!(
                ", {:.0} % of the CPU time went to other processes",
                100.0 * share
            )
        });
        format!("{:.0} s{others}", self.seconds)
    }
}

/// The whole report.
pub(crate) fn markdown(environment: &Environment, records: &[Record], run: &Run) -> String {
    let mut machine = Table::new(vec![left("fact"), left("value")]);
    for (name, value) in environment.lines() {
        machine.push(vec![name.into(), value]);
    }
    format!(
        "# restride, measured on {date}\n\n\
         {cpu}, commit {revision}, {run}. Every result verified.\n\n\
         ```sh\n{command}\n```\n\n\
         ## restride\n\n{main}\n```text\n{LEGEND}```\n\n```text\n{means}{rivals}```\n\n\
         ## All implementations\n\n\
         GB/s read + written, of the median. Blank: not run, or cannot be expressed.\n\n{all}\n\
         ## How\n\n{HOW}{peers}\n\
         ## Where\n\n{machine}",
        date = environment.date,
        cpu = environment.cpu,
        revision = environment.revision(),
        run = run.words(),
        command = run.command,
        main = main_table(records).markdown(),
        means = means(records),
        rivals = rivals::summary(records),
        all = all_table(records).markdown(),
        peers = peers(records),
        machine = machine.markdown(),
    )
}

const HOW: &str = "\
- Each implementation is run once and compared with an index-by-index oracle, gaps included; a wrong
  result ends the run. Only then is it timed.
- Implementations take turns within a round, in an order that rotates. 9 rounds, 25 where a round
  takes less than 4 ms, 7 where more than 100 ms, or as many as `--samples` says; of the peers fewer,
  at least 3, where those would take more than 0.7 s of a case. Ratios are medians over the rounds
  that both took part in.
- A sample is at least 20 us long: short calls are timed in batches, calls below 20 ms after an
  untimed one, so that each finds the caches as it leaves them itself: small cases are measured in the
  caches they fit in, and streaming stores do not pay for lines that a predecessor left there.
- All cases share buffers that begin at huge pages (advised, but for `--pages small`), the
  destination 2112 bytes behind one; both are touched, the source filled with pseudo-random bytes.
  memcpy and nt4copy copy as many contiguous bytes.
- restride runs a prepared plan through `run_raw` (`plan-and-run`: makes it in each call;
  `listed`: through `run_listed_raw`), with readable source gaps and default stores, cut into as many
  ranges as threads.
- Several threads are the workers of one rayon pool that the caller is part of, kept awake up to the
  start of each sample. Cases that move less than 2 MiB run on one thread, and so do peers that know no
  others.
- Peers write the same row-major destination as restride, into the same memory where they can be
  given memory, else into memory of their own on the same pages, which stands before the clock starts.
  What can be kept between calls is kept.
- Not pinned; whoever shares the machine is part of the numbers.
";

fn main_table(records: &[Record]) -> Table {
    let rivals = rivals::took_part(records);
    let mut columns = vec![
        left("case"),
        right("bytes"),
        right("threads"),
        right("rounds"),
        right("median"),
        right("GB/s"),
        right("/memcpy"),
        right("/roof"),
    ];
    if rivals {
        columns.extend([right("/peer"), left("fastest peer")]);
    }
    columns.push(left("kernel"));
    let mut table = Table::new(columns);
    for record in of(records, RESTRIDE) {
        let mut row = vec![
            record.case.clone(),
            units::bytes(record.bytes),
            record.threads.to_string(),
            record.rounds.to_string(),
            units::time(record.median_ns),
            units::digits(record.gb_per_s),
            units::ratio(record.of_memcpy),
            units::ratio(record.of_roof),
        ];
        if rivals {
            let rival = rivals::fastest(records, record);
            row.push(rival.map_or_else(String::new, |rival| units::digits(rival.ahead)));
            row.push(rival.map_or_else(String::new, |rival| rival.name.into()));
        }
        let plan = record.plan.as_ref();
        row.push(plan.map_or_else(|| "-".into(), |plan| plan.kernel.clone()));
        table.push(row);
    }
    table
}

fn all_table(records: &[Record]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for record in records {
        if !names.contains(&record.implementation.as_str()) {
            names.push(&record.implementation);
        }
    }
    let mut columns = vec![left("case"), right("threads")];
    columns.extend(names.iter().map(|name| right(name)));
    let mut table = Table::new(columns);
    for record in of(records, RESTRIDE) {
        let mut row = vec![record.case.clone(), record.threads.to_string()];
        row.extend(names.iter().map(|name| {
            let same =
                |other: &&Record| other.case == record.case && other.threads == record.threads;
            let speed = of(records, name).find(same).map(|other| other.gb_per_s);
            speed.map_or_else(String::new, units::digits)
        }));
        table.push(row);
    }
    table
}

/// The peers that took part, a line each.
fn peers(records: &[Record]) -> String {
    let here = PEERS
        .iter()
        .filter(|peer| of(records, peer.name).next().is_some());
    let name = |peer: &Peer| match peer.version {
        Some(version) => format!("{} {version}", peer.name),
        None => peer.name.into(),
    };
    here.map(|peer| format!("- {}: {}.\n", name(peer), peer.how))
        .collect()
}

/// The geometric means of the ratios and the case that is farthest from the roof, a line per number
/// of threads.
fn means(records: &[Record]) -> String {
    let large = || of(records, RESTRIDE).filter(|record| record.bytes >= MEAN_BYTES);
    let mut counts: Vec<usize> = large().map(|record| record.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut text = String::new();
    for threads in counts {
        let of_them = || large().filter(|record| record.threads == threads);
        let mean = |ratio: fn(&Record) -> Option<f64>| {
            geometric_mean(&of_them().filter_map(ratio).collect::<Vec<_>>())
        };
        let ratios = of_them().filter_map(|record| Some((record.of_roof?, &record.case)));
        let worst = ratios.min_by(|one, other| one.0.total_cmp(&other.0));
        let worst = worst.map(|(ratio, case)| format!("; least {ratio:.2}, {case}"));
        let cases = of_them().count();
        text += &format!(
            "{}: geometric mean {} of {MEMCPY}, {} of the roof over {cases} {}{}\n",
            units::threads(threads),
            units::ratio(mean(|record| record.of_memcpy)),
            units::ratio(mean(|record| record.of_roof)),
            if cases == 1 {
                "case"
            } else {
                "cases of 16 KiB and more"
            },
            worst.filter(|_| cases > 1).unwrap_or_default(),
        );
    }
    text
}

fn of<'a>(records: &'a [Record], name: &'a str) -> impl Iterator<Item = &'a Record> {
    records
        .iter()
        .filter(move |record| record.implementation == name)
}

fn left(name: &str) -> (String, Align) {
    (name.into(), Align::Left)
}

fn right(name: &str) -> (String, Align) {
    (name.into(), Align::Right)
}
