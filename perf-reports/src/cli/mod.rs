//! The command line: what can be asked for.

pub(crate) mod bench;
mod named;
pub(crate) mod peers;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

use bench::Bench;
pub(crate) use named::Named;

/// Measures restride: without a command, the quick suite, in about a minute on two cores.
///
/// Every implementation is verified before it is timed. A run prints a table and leaves a folder with
/// report.md, report.html, the figures and all data.
#[derive(Parser)]
#[command(
    name = "restride-perf",
    version,
    args_conflicts_with_subcommands = true
)]
#[command(after_help = "\
Exit codes: 0 done, 1 a file or memory could not be had or a file is corrupt, 2 wrong usage, 3 a wrong
result was found, 4 something became slower or criterion says something else, 130 interrupted (what was
measured is kept).")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) bench: Bench,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure, and write a report
    Bench(Bench),
    /// Describe the machine, the system, the compiler and the commit
    Env {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List cases, kernels or peers
    List(List),
    /// Check every case once against the oracle, without timing
    Verify(Verify),
    /// Draw a report again from its data
    Render {
        /// The folder of the report
        dir: PathBuf,
        /// Records that another program made, to be added to the data first
        #[arg(long, value_name = "FILE")]
        merge: Vec<PathBuf>,
    },
    /// Say what changed from one run to another, or whether criterion agrees with a run; exit code 4 if
    /// something became slower, or criterion says something else
    Compare(Compare),
    /// Print the plan of a copy
    Explain(Explain),
    /// Measure what plans assume of this machine, and print how to set it
    Calibrate {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write the index of the reports in a folder, its README.md
    Index {
        /// The folder that holds the reports [default: perf-reports]
        dir: Option<PathBuf>,
    },
}

/// What to list.
#[derive(Args)]
pub(crate) struct List {
    /// Of what
    #[arg(value_enum, default_value_t = Listed::Cases)]
    pub(crate) what: Listed,

    /// The cases of a suite [default: all]
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<Named<restride_cases::Suite>>,

    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Names, layouts and sizes
    Cases,
    /// Kernel rows: cell, tile, stores, whether this machine has them
    Kernels,
    /// Who can be measured beside restride in this build
    Peers,
    /// Suites
    Suites,
}

/// What to verify.
#[derive(Args)]
pub(crate) struct Verify {
    /// The cases
    #[arg(long, value_name = "SUITE", default_value = "quick")]
    pub(crate) suite: Named<restride_cases::Suite>,

    /// Only cases whose name contains this or matches it as a regular expression
    #[arg(long, visible_alias = "case", value_name = "REGEX")]
    pub(crate) filter: Option<String>,

    /// Who is checked beside restride and the yardsticks, as for `bench` [default: all]
    #[arg(
        long,
        visible_alias = "against",
        value_name = "REGEX",
        value_delimiter = ','
    )]
    pub(crate) peers: Vec<String>,
}

/// Two runs, or a run and what criterion measured.
#[derive(Args)]
pub(crate) struct Compare {
    /// The folder of the first
    pub(crate) a: PathBuf,
    /// The folder of the second
    #[arg(required_unless_present = "criterion")]
    pub(crate) b: Option<PathBuf>,

    /// Instead of a second run, what criterion left of benches with the names of cases: target/criterion.
    /// Exit code 4 if the two disagree on the time of a case
    #[arg(long, value_name = "DIR", conflicts_with_all = ["b", "any_machine"])]
    pub(crate) criterion: Option<PathBuf>,

    /// What is too small to count, in percent, whatever the noise [default: 5; with criterion 0]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) threshold: Option<f64>,

    /// Compare runs on different machines, too
    #[arg(long)]
    pub(crate) any_machine: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A copy to be explained.
#[derive(Args)]
pub(crate) struct Explain {
    /// Extents: 4096,4096
    #[arg(long, value_name = "EXTENTS")]
    pub(crate) shape: Numbers<usize>,

    /// Source strides in cells, one per axis, of either sign: 1,4096
    #[arg(long, value_name = "STRIDES", allow_hyphen_values = true)]
    pub(crate) src_strides: Numbers<isize>,

    /// Destination strides in cells [default: row-major]
    #[arg(long, value_name = "STRIDES", allow_hyphen_values = true)]
    pub(crate) dst_strides: Option<Numbers<isize>>,

    /// Bytes of a cell
    #[arg(long, value_name = "BYTES")]
    pub(crate) cell: usize,

    /// The highest tier to plan for: scalar, portable, avx2, avx512, avx512vbmi
    #[arg(long, value_name = "ISA")]
    pub(crate) isa: Option<String>,

    /// Threads [default: as many as are predicted to pay]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Values between commas; none of an empty text.
#[derive(Clone, Debug)]
pub(crate) struct Numbers<T>(pub(crate) Vec<T>);

impl<T: FromStr<Err: fmt::Display>> FromStr for Numbers<T> {
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
    fn lists_take_either_sign() {
        assert_eq!("-1, 4096".parse::<Numbers<isize>>().unwrap().0, [-1, 4096]);
        assert!("".parse::<Numbers<usize>>().unwrap().0.is_empty());
        assert!(
            "3,x"
                .parse::<Numbers<usize>>()
                .unwrap_err()
                .starts_with("`x`")
        );
    }
}
