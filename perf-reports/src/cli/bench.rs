//! The options of a measurement, and what follows from them.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use regex_lite::Regex;
use restride_cases::{Case, Pages, Suite};

use super::{Named, peers};
use crate::failure::Failure;
use crate::measure::pool::Pin;
use crate::measure::settings::{Dest, Settings};

/// The options of a measurement.
#[derive(Args, Clone)]
pub(crate) struct Bench {
    /// The cases: quick, flagship, kernels, perms, ttc57, layouts, blocks, applications, latency, resonance,
    /// scaling, random, all [default: quick]
    #[arg(long, value_name = "SUITES", value_delimiter = ',')]
    pub(crate) suite: Vec<Named<Suite>>,

    /// Nine rounds, ceilings at powers of two: the default
    #[arg(long)]
    pub(crate) quick: bool,

    /// Fifteen rounds, ceilings between powers of two as well
    #[arg(long, conflicts_with = "quick")]
    pub(crate) full: bool,

    /// Only cases whose name contains this or matches it as a regular expression
    #[arg(long, visible_alias = "case", value_name = "REGEX")]
    pub(crate) filter: Option<String>,

    /// Who stands beside restride and the yardsticks: regular expressions between commas, each for a
    /// whole name, or none [default: all, but naive only in the quick suite and for small copies, loops
    /// only in the random suite].
    /// `broken` is wrong on purpose, and never there unless named: with it a run ends with code 3
    #[arg(
        long,
        visible_alias = "against",
        value_name = "REGEX",
        value_delimiter = ','
    )]
    pub(crate) peers: Vec<String>,

    /// Numbers of threads: 1,2 [default: one, and as many as can run at the same time]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Vec<u16>,

    /// Only cases of cells of so many bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub(crate) cell: Vec<usize>,

    /// Seconds that all cases together may take: fewer rounds, then fewer cases
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_budget: Option<u32>,

    /// Samples of each case [default: 9 or 15, and 25 where they are short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) samples: Option<u16>,

    /// Bind threads to cores: compact, spread, none
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) pin: Named<Pin>,

    /// What is written to: reused memory, memory fresh from the system in each call, or reused memory that is out of all
    /// caches before each call, as the source is (x86-64)
    #[arg(long, value_name = "WHICH", default_value = "reused")]
    pub(crate) dest: Named<Dest>,

    /// Pages of the buffers: huge, small
    #[arg(long, value_name = "SIZE", default_value = "huge")]
    pub(crate) pages: Named<Pages>,

    /// What the order of the rounds starts from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The random layouts of another seed: those of the random suite are of 0
    #[arg(long, value_name = "SEED", conflicts_with = "suite")]
    pub(crate) random: Option<u64>,

    /// Random layouts of each size [default: 40]
    #[arg(long, value_name = "N", requires = "random", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) each: Option<u16>,

    /// Where the report goes [default: perf-reports/DATE_MACHINE_COMMIT]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// No progress bar, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Print a summary in JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Cases whose names contain a text or match it as a regular expression.
///
/// # Errors
/// [`Failure::Usage`] if it is no regular expression, or there is no such case.
pub(crate) fn filtered(
    mut cases: Vec<Case>,
    filter: Option<&str>,
    suites: &str,
) -> Result<Vec<Case>, Failure> {
    let Some(text) = filter else { return Ok(cases) };
    let regex = Regex::new(text)
        .map_err(|error| Failure::Usage(format!("`{text}` is no regular expression: {error}")))?;
    let named = |case: &Case| case.name.contains(text) || regex.is_match(&case.name);
    cases.retain(named);
    if cases.is_empty() {
        let others = Suite::ALL.into_iter().filter(|suite| *suite != Suite::All);
        let has: Vec<_> = others
            .filter(|suite| suite.cases().iter().any(named))
            .map(Suite::name)
            .collect();
        let mut what = format!("no case of {suites} has `{text}` in its name");
        if !has.is_empty() {
            what += &format!("; there are some in {}", has.join(", "));
        }
        return Err(Failure::Usage(what));
    }
    Ok(cases)
}

/// How this program was built and is run.
const CARGO: &str = if cfg!(feature = "peers-heavy") {
    "cargo run --release -p restride-perf --features peers-heavy"
} else if cfg!(feature = "peers") {
    "cargo run --release -p restride-perf --features peers"
} else {
    "cargo run --release -p restride-perf"
};

impl Bench {
    /// The suites that were asked for.
    pub(crate) fn suites(&self) -> Vec<Suite> {
        if self.random.is_some() {
            return vec![Suite::Random];
        }
        if self.suite.is_empty() {
            return vec![Suite::Quick];
        }
        self.suite.iter().map(|suite| suite.0).collect()
    }

    fn suite_names(&self) -> String {
        let names: Vec<_> = self.suites().iter().map(|suite| suite.name()).collect();
        names.join(",")
    }

    /// The command that measures the same again.
    pub(crate) fn command(&self) -> String {
        fn list<T: ToString>(values: &[T]) -> Option<String> {
            let words: Vec<String> = values.iter().map(T::to_string).collect();
            (!words.is_empty()).then(|| words.join(","))
        }
        let quoted = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,".contains(c);
            if text.chars().all(plain) {
                text.into()
            } else {
                format!("'{text}'")
            }
        };
        let named = |word: &str, default: &str| (word != default).then(|| String::from(word));
        let suite = named(&self.suite_names(), Suite::Quick.name());
        let options = [
            ("suite", suite.filter(|_| self.random.is_none())),
            ("random", self.random.map(|seed| seed.to_string())),
            ("each", self.each.map(|n| n.to_string())),
            ("full", self.full.then(String::new)),
            ("filter", self.filter.as_deref().map(quoted)),
            ("peers", list(&self.peers).as_deref().map(quoted)),
            ("threads", list(&self.threads)),
            ("cell", list(&self.cell)),
            ("time-budget", self.time_budget.map(|n| n.to_string())),
            ("samples", self.samples.map(|n| n.to_string())),
            ("pin", named(self.pin.0.name(), Pin::default().name())),
            ("dest", named(self.dest.0.name(), Dest::default().name())),
            ("pages", named(self.pages.0.name(), Pages::default().name())),
            ("seed", (self.seed != 0).then(|| self.seed.to_string())),
        ];
        let words = options.into_iter().filter_map(|(name, value)| {
            let option = format!(" --{name} {}", value?);
            Some(String::from(option.trim_end()))
        });
        let options: String = words.collect();
        let bench = if options.is_empty() { "" } else { " -- bench" };
        format!("{CARGO}{bench}{options}")
    }

    /// The cases that were asked for, each once.
    pub(crate) fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases: Vec<Case> = Vec::new();
        let mut names = std::collections::HashSet::new();
        let asked = match self.random {
            Some(seed) => Suite::random(seed, self.each.map_or(Suite::RANDOM_EACH, usize::from)),
            None => self.suites().into_iter().flat_map(Suite::cases).collect(),
        };
        for case in asked {
            if names.insert(case.name.clone()) {
                cases.push(case);
            }
        }
        if !self.cell.is_empty() {
            cases.retain(|case| self.cell.contains(&case.cell));
            if cases.is_empty() {
                let suites = self.suite_names();
                let what = format!("no case of {suites} has cells of that many bytes");
                return Err(Failure::Usage(what));
            }
        }
        filtered(cases, self.filter.as_deref(), &self.suite_names())
    }

    /// How to measure, where `workers` threads can run at the same time.
    pub(crate) fn settings(&self, workers: usize) -> Result<Settings, Failure> {
        let mut threads: Vec<usize> = self.threads.iter().copied().map(usize::from).collect();
        threads.sort_unstable();
        threads.dedup();
        let suites = self.suites();
        if self.dest.0 == Dest::Cold && !restride_cases::flush(&[]) {
            let what = "--dest cold: nothing takes memory out of the caches on this architecture";
            return Err(Failure::Usage(what.into()));
        }
        let short = |suite: &Suite| matches!(suite, Suite::Quick | Suite::Latency);
        Ok(Settings {
            threads,
            workers,
            suite: suites[0],
            samples: self.samples.map(usize::from),
            full: self.full,
            budget: self.time_budget.map(|n| Duration::from_secs(n.into())),
            seed: self.seed,
            pages: self.pages.0,
            dest: self.dest.0,
            peers: peers::chosen(&self.peers)?,
            naive: !self.peers.is_empty() || suites.iter().all(short),
            named: !self.peers.is_empty(),
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;
    use crate::implementations::PEERS;

    fn parsed(options: &str) -> Bench {
        let words = ["restride-perf"].into_iter();
        Cli::parse_from(words.chain(options.split_whitespace())).bench
    }

    #[test]
    fn the_command_of_a_run_can_be_run_again() {
        let plain = CARGO;
        assert_eq!(parsed("--out here --suite quick --quick").command(), plain);
        let options = "--suite perms,ttc57 --full --filter f32 --peers none --threads 1,3 \
                       --cell 4,8 --time-budget 60 --samples 5 --pin compact --dest fresh \
                       --pages small --seed 7";
        assert_eq!(
            parsed(options).command(),
            format!("{plain} -- bench {options}")
        );
        let random = "--random 7 --each 5 --threads 1";
        assert_eq!(
            parsed(random).command(),
            format!("{plain} -- bench {random}")
        );
        assert!(parsed("--case a|b").command().ends_with("--filter 'a|b'"));
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let settings = |options: &str| parsed(options).settings(4);
        let quick = settings("").unwrap();
        assert!(quick.threads.is_empty() && !quick.full);
        assert_eq!((quick.most_threads(), quick.peers.len()), (4, PEERS.len()));
        let long = settings("--suite ttc57 --threads 2,1,2").unwrap();
        assert_eq!((long.most_threads(), &long.threads[..]), (2, &[1, 2][..]));
        assert!(quick.naive && !long.naive);
        assert!(settings("--peers none").unwrap().peers.is_empty());
        let naive = settings("--against nai.*").unwrap();
        assert_eq!((naive.peers.len(), naive.peers[0].name), (1, "naive"));
        assert_eq!(settings("--peers (").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn cases_are_found_by_suite_text_expression_and_cell() {
        let names = |options: &str| -> Vec<String> {
            let cases = parsed(options).cases().unwrap();
            cases.into_iter().map(|case| case.name).collect()
        };
        // A name is text first.
        let shuffle = "C.pixelshuffle.8x(16x2x2)x64x64.f32";
        assert_eq!(names(&format!("--suite all --case {shuffle}")), [shuffle]);
        assert_eq!(names("--filter ^run-4x4"), ["run-4x4-f32"]);
        assert_eq!(names("--suite quick,flagship").len(), 26);
        assert_eq!(names("--cell 1").len(), 2);
        assert_eq!(names("--random 7 --each 1")[1], "X.l1.7.0");
        assert_eq!(names("--suite random"), names("--random 0"));
        let failure = parsed("--filter C.headsplit").cases().unwrap_err();
        assert!(failure.to_string().contains("layouts"), "{failure}");
        assert!(parsed("--cell 3").cases().is_err());
    }
}
