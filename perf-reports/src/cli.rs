//! The command line: what can be asked for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};

/// Measures restride: without a command, the quick suite, in about a minute on two cores.
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
    pub(crate) suite: Suite,
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
pub(crate) struct Suite {
    /// Where the report goes [default: perf-reports/DATE_MACHINE_COMMIT]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) case: Option<String>,

    /// Threads beside one [default: as many as can run at the same time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

impl Suite {
    /// The command that measures the same again.
    pub(crate) fn command(&self) -> String {
        let case = self.case.as_ref().map(|text| format!(" --case '{text}'"));
        let threads = self.threads.map(|threads| format!(" --threads {threads}"));
        let options = [case, threads].into_iter().flatten().collect::<String>();
        let dashes = if options.is_empty() { "" } else { " --" };
        format!("cargo run --release -p restride-perf{dashes}{options}")
    }
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
        let cli = Cli::parse_from(["restride-perf", "--out", "here"]);
        assert_eq!(cli.suite.command(), plain);
        let cli = Cli::parse_from(["restride-perf", "--threads", "3", "--case", "f32"]);
        assert_eq!(
            cli.suite.command(),
            format!("{plain} -- --case 'f32' --threads 3")
        );
    }

    #[test]
    fn lists_take_either_sign() {
        assert_eq!("-1, 4096".parse::<List<isize>>().unwrap().0, [-1, 4096]);
        assert!("".parse::<List<usize>>().unwrap().0.is_empty());
        assert!("3,x".parse::<List<usize>>().unwrap_err().starts_with("`x`"));
    }
}
