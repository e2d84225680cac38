//! The suites: lists of cases, as data. Names are the names of the reports and never change their
//! meaning.

mod lines;
mod quick;
mod ttc;

use clap::ValueEnum;

use crate::case::Case;

/// A list of cases that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// Six flagship scenarios and a short table: a minute on two cores
    Quick,
    /// The 57 tensor transpositions of TTC and HPTT, 200 MiB of f32 each
    Ttc57,
    /// Permutations of all kinds, cells of 1 to 16 bytes, and those of ttc57
    Perms,
}

impl Suite {
    /// The word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Ttc57 => "ttc57",
            Self::Perms => "perms",
        }
    }

    /// The cases, in the order that they are measured and reported in.
    pub(crate) fn cases(self) -> Vec<Case> {
        match self {
            Self::Quick => quick::cases(),
            Self::Ttc57 => ttc::cases(),
            Self::Perms => lines::perms().into_iter().chain(ttc::cases()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_case_makes_a_problem_and_has_a_name_of_its_own() {
        for (suite, number) in [(Suite::Quick, 26), (Suite::Ttc57, 57), (Suite::Perms, 126)] {
            let cases = suite.cases();
            assert_eq!(cases.len(), number, "{suite:?}");
            let names: HashSet<_> = cases.iter().map(|case| &case.name).collect();
            assert_eq!(names.len(), cases.len());
            for case in &cases {
                assert!(case.problem().is_ok(), "{}", case.name);
                assert!(case.side_bytes() > 0);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        for suite in Suite::value_variants() {
            let value = suite.to_possible_value().expect("no suite is hidden");
            assert_eq!(value.get_name(), suite.name());
        }
    }
}
