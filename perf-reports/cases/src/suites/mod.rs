//! The suites: lists of cases, as data. Names are the names of the reports and never change their
//! meaning.

mod lines;
mod orders;
mod quick;
mod random;
mod resonance;
mod sizes;
mod ttc;

use crate::case::Case;

/// A list of cases that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The flagship scenarios and a short table.
    Quick,
    /// Six scenarios from real use.
    Flagship,
    /// Each kernel family and cell, from 4 KiB to 64 MiB a side.
    Kernels,
    /// Transposes, volumes, and permutations of ranks 2 to 6.
    Perms,
    /// The 57 tensor transpositions of TTC and HPTT, 200 MiB of f32 each.
    Ttc57,
    /// Layouts of arrays, machine learning and images.
    Layouts,
    /// Channels, byte orders, batches of small matrices.
    Blocks,
    /// What images, audio, networks and tables have done to them.
    Applications,
    /// Small copies.
    Latency,
    /// Square transposes of 1000 to 1100 and of 4080 to 4112 rows.
    Resonance,
    /// The flagship scenarios and the table on 1, 2, 3, 4, 6, 8 .. threads.
    Scaling,
    /// Layouts that nobody thought of, beside plain loops.
    Random,
    /// All of these but the random ones.
    All,
}

impl Suite {
    /// Every suite.
    pub const ALL: [Self; 13] = [
        Self::Quick,
        Self::Flagship,
        Self::Kernels,
        Self::Perms,
        Self::Ttc57,
        Self::Layouts,
        Self::Blocks,
        Self::Applications,
        Self::Latency,
        Self::Resonance,
        Self::Scaling,
        Self::Random,
        Self::All,
    ];

    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Flagship => "flagship",
            Self::Kernels => "kernels",
            Self::Perms => "perms",
            Self::Ttc57 => "ttc57",
            Self::Layouts => "layouts",
            Self::Blocks => "blocks",
            Self::Applications => "applications",
            Self::Latency => "latency",
            Self::Resonance => "resonance",
            Self::Scaling => "scaling",
            Self::Random => "random",
            Self::All => "all",
        }
    }

    /// What it holds, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Quick => "six flagship scenarios and a short table",
            Self::Flagship => "six scenarios from real use",
            Self::Kernels => "each kernel family and cell, from 4 KiB to 64 MiB a side",
            Self::Perms => "transposes, volumes, and permutations of ranks 2 to 6",
            Self::Ttc57 => "the 57 tensor transpositions of TTC and HPTT, 200 MiB of f32 each",
            Self::Layouts => "layouts of arrays, machine learning and images",
            Self::Blocks => "channels, byte orders, batches of small matrices",
            Self::Applications => "what images, audio, networks and tables have done to them",
            Self::Latency => "small copies",
            Self::Resonance => {
                "square transposes of 1000 to 1100 and of 4080 to 4112 rows; copies to the same place of other pages"
            }
            Self::Scaling => "the flagship scenarios and the table on 1, 2, 3, 4, 6, 8 .. threads",
            Self::Random => "layouts that nobody thought of, from a seed, beside plain loops",
            Self::All => "all of these but the random ones",
        }
    }

    /// Cases of each size in [`Suite::Random`].
    pub const RANDOM_EACH: usize = random::EACH;

    /// Cases as those of [`Suite::Random`], from another seed: `each` of every size.
    #[must_use]
    pub fn random(seed: u64, each: usize) -> Vec<Case> {
        random::cases(seed, each)
    }

    /// The cases, in the order that they are measured and reported in, each once.
    #[must_use]
    pub fn cases(self) -> Vec<Case> {
        match self {
            Self::Quick | Self::Scaling => [quick::flagships(), quick::table()].concat(),
            Self::Flagship => quick::flagships(),
            Self::Kernels => sizes::cases(),
            Self::Perms => [lines::transposes(), lines::volumes(), orders::cases()].concat(),
            Self::Ttc57 => ttc::cases(),
            Self::Layouts => lines::layouts(),
            Self::Blocks => lines::blocks(),
            Self::Applications => lines::applications(),
            Self::Latency => lines::small(),
            Self::Resonance => resonance::cases(),
            Self::Random => random::cases(random::SEED, random::EACH),
            Self::All => [
                Self::Quick,
                Self::Ttc57,
                Self::Layouts,
                Self::Blocks,
                Self::Applications,
                Self::Perms,
                Self::Kernels,
                Self::Latency,
                Self::Resonance,
            ]
            .into_iter()
            .flat_map(Self::cases)
            .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_case_makes_a_problem_and_has_a_name_of_its_own() {
        for suite in Suite::ALL {
            let cases = suite.cases();
            let names: HashSet<_> = cases.iter().map(|case| &case.name).collect();
            assert_eq!(names.len(), cases.len(), "{suite:?}");
            for case in &cases {
                assert!(case.problem().is_ok(), "{}", case.name);
                assert!(case.side_bytes() > 0);
            }
        }
    }

    #[test]
    fn all_holds_every_case_of_every_suite() {
        let all: HashSet<_> = Suite::All.cases().into_iter().map(|c| c.name).collect();
        for suite in Suite::ALL
            .into_iter()
            .filter(|suite| *suite != Suite::Random)
        {
            let missing = suite.cases().into_iter().find(|c| !all.contains(&c.name));
            assert!(missing.is_none(), "{suite:?}: {missing:?}");
        }
        let numbers = [
            Suite::Quick,
            Suite::Ttc57,
            Suite::Layouts,
            Suite::Blocks,
            Suite::Applications,
            Suite::Latency,
            Suite::Kernels,
        ];
        let numbers = numbers.map(|suite| suite.cases().len());
        assert_eq!(numbers, [26, 57, 41, 22, 140, 24, 232]);
    }
}
