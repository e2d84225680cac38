//! The command line: what can be asked for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};

use crate::buffers::Pages;
use crate::case::Case;
use crate::cases::Suite;
use crate::failure::Failure;
use crate::implementations::{NAIVE, PEERS, Peer};
use crate::settings::Settings;

/// Measures restride: without options, the quick suite, in about a minute on two cores.
///
/// Every implementation is verified before it is timed. The suite prints a table and writes
/// report.md, results.jsonl and env.json into a new folder.
#[derive(Parser)]
#[command(
    name = "restride-perf",
    version,
    args_conflicts_with_subcommands = true
)]
#[command(after_help = "\
Exit codes: 0 done, 1 a file or memory could not be had, 2 wrong usage, 3 a wrong result was found.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) measure: Measure,
}

/// What to do instead of measuring.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print the plan of a copy
    Explain(Explain),
    /// Describe the machine, the system, the compiler and the commit
    Env {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// The options of a measurement.
#[derive(Args)]
pub(crate) struct Measure {
    /// The cases
    #[arg(long, value_name = "SUITE", value_enum, default_value_t = Suite::Quick)]
    pub(crate) suite: Suite,

    /// Where the report goes [default: perf-reports/DATE_MACHINE_COMMIT]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) case: Option<String>,

    /// Numbers of threads: 1,2 [default: one, and as many as can run at the same time]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Vec<u16>,

    /// Samples of each case [default: 7 to 25, by how long they take]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) samples: Option<u16>,

    /// What stands beside restride and the yardsticks: names, or none [default: all, but naive only
    /// in the quick suite]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) against: Vec<String>,

    /// Pages of the buffers
    #[arg(long, value_name = "SIZE", value_enum, default_value_t = Pages::Huge)]
    pub(crate) pages: Pages,
}

impl Measure {
    /// The command that measures the same again.
    pub(crate) fn command(&self) -> String {
        let list = |values: Vec<String>| (!values.is_empty()).then(|| values.join(","));
        let threads = self.threads.iter().map(u16::to_string).collect();
        let options = [
            ("suite", other(self.suite.name(), Suite::Quick.name())),
            ("case", self.case.as_ref().map(|text| format!("'{text}'"))),
            ("threads", list(threads)),
            ("samples", self.samples.map(|samples| samples.to_string())),
            ("against", list(self.against.clone())),
            ("pages", other(self.pages.name(), Pages::default().name())),
        ];
        let words = options.into_iter().filter_map(|(name, value)| {
            let value = value?;
            Some(format!(" --{name} {value}"))
        });
        let options: String = words.collect();
        let dashes = if options.is_empty() { "" } else { " --" };
        format!("cargo run --release -p restride-perf{dashes}{options}")
    }

    /// The cases that were asked for.
    pub(crate) fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases = self.suite.cases();
        if let Some(text) = &self.case {
            cases.retain(|case| case.name.contains(text));
            if cases.is_empty() {
                let suite = self.suite.name();
                let what = format!("no case of {suite} has `{text}` in its name");
                return Err(Failure::Usage(what));
            }
        }
        Ok(cases)
    }

    /// How to measure, where `threads` can run at the same time.
    pub(crate) fn settings(&self, threads: usize) -> Result<Settings, Failure> {
        let mut counts: Vec<usize> = self.threads.iter().copied().map(usize::from).collect();
        if counts.is_empty() {
            counts = vec![1, threads];
        }
        counts.sort_unstable();
        counts.dedup();
        Ok(Settings {
            threads: counts,
            samples: self.samples.map(usize::from),
            pages: self.pages,
            peers: self.peers()?,
        })
    }

    fn peers(&self) -> Result<Vec<&'static Peer>, Failure> {
        if self.against.is_empty() {
            // The naive loop would take most of the time of the long suites and says little there.
            let quick = self.suite == Suite::Quick;
            let worth = |peer: &&Peer| quick || peer.name != NAIVE;
            return Ok(PEERS.iter().filter(worth).collect());
        }
        let names = self.against.iter().filter(|name| *name != "none");
        let named = |name: &String| {
            let found = PEERS.iter().find(|peer| peer.name == name);
            found.ok_or_else(|| {
                let all: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
                let all = all.join(", ");
                Failure::Usage(format!("nothing is called `{name}`; there are {all}"))
            })
        };
        names.map(named).collect()
    }
}

/// A value that has to be said.
fn other(value: &str, default: &str) -> Option<String> {
    (value != default).then(|| value.into())
}

/// A copy to be explained.
#[derive(Args)]
pub(crate) struct Explain {
    /// Extents: 4096,4096
    #[arg(long, value_name = "EXTENTS")]
    pub(crate) shape: List<usize>,

    /// Source strides in cells, one per axis, of either sign: 1,4096
    #[arg(long, value_name = "STRIDES", allow_hyphen_values = true)]
    pub(crate) src_strides: List<isize>,

    /// Destination strides in cells [default: row-major]
    #[arg(long, value_name = "STRIDES", allow_hyphen_values = true)]
    pub(crate) dst_strides: Option<List<isize>>,

    /// Bytes of a cell
    #[arg(long, value_name = "BYTES")]
    pub(crate) cell: usize,

    /// The highest tier to plan for: scalar, portable, avx2, avx512, avx512vbmi
    #[arg(long, value_name = "ISA")]
    pub(crate) isa: Option<String>,

    /// Threads [default: as many as are predicted to pay]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

/// Values between commas; none of an empty text.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T: FromStr<Err: fmt::Display>> FromStr for List<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self(Vec::new()));
        }
        let parse = |value: &str| value.trim().parse().map_err(|e| format!("`{value}`: {e}"));
        text.split(',')
            .map(parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_command_of_a_run_can_be_run_again() {
        let plain = "cargo run --release -p restride-perf";
        let command = |options: &str| {
            let words = ["restride-perf"]
                .into_iter()
                .chain(options.split_whitespace());
            Cli::parse_from(words).measure.command()
        };
        assert_eq!(command("--out here --suite quick"), plain);
        let options =
            "--suite perms --case 'f32' --threads 1,3 --samples 5 --against none --pages small";
        let asked = options.replace('\'', "");
        assert_eq!(command(&asked), format!("{plain} -- {options}"));
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let settings = |options: &[&str]| {
            let words = ["restride-perf"].iter().chain(options);
            Cli::parse_from(words).measure.settings(4)
        };
        let quick = settings(&[]).unwrap();
        assert_eq!(quick.threads, [1, 4]);
        assert_eq!(quick.peers.len(), PEERS.len());
        let long = settings(&["--suite", "ttc57", "--threads", "2,1,2"]).unwrap();
        assert_eq!(long.threads, [1, 2]);
        assert!(long.peers.iter().all(|peer| peer.name != NAIVE));
        assert!(settings(&["--against", "none"]).unwrap().peers.is_empty());
        let naive = settings(&["--against", "naive"]).unwrap();
        assert_eq!(naive.peers[0].name, NAIVE);
        let failure = settings(&["--against", "nothing"]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
    }

    #[test]
    fn lists_take_either_sign() {
        assert_eq!("-1, 4096".parse::<List<isize>>().unwrap().0, [-1, 4096]);
        assert!("".parse::<List<usize>>().unwrap().0.is_empty());
        assert!("3,x".parse::<List<usize>>().unwrap_err().starts_with("`x`"));
    }
}
