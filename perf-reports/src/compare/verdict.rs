//! Whether a case became slower or faster: only if its time and its time as a share of the roof's both
//! say so, beyond the noise of both runs and with their whole intervals.

use serde::Serialize;

use crate::data::Data;
use crate::data::query::Ours;
use crate::statistics::{Interval, quotient};

/// What may be said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// Beyond doubt.
    Slower,
    /// Beyond doubt.
    Faster,
    /// One of the two measures changed, or both, but not beyond doubt.
    Unsure,
    /// Within the limit.
    Same,
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Unsure => "unsure",
            Self::Same => "same",
        }
    }
}

/// A case in both runs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Change {
    pub(super) verdict: Verdict,
    pub(super) case: String,
    pub(super) threads: usize,
    pub(super) before_ns: f64,
    pub(super) after_ns: f64,
    /// The time after as a multiple of that before.
    pub(super) time: Interval,
    /// The same of the times as multiples of the roof's in their rounds.
    pub(super) relative: Option<Interval>,
    /// The kernels of the two plans.
    pub(super) kernel: [String; 2],
}

impl Change {
    /// The kernel, or both where they differ.
    pub(super) fn kernels(&self) -> String {
        let [one, other] = &self.kernel;
        if one == other {
            one.clone()
        } else {
            format!("{one} -> {other}")
        }
    }
}

/// What became of restride's cases that both have, and how many only one has.
pub(super) fn changes(a: &Data, b: &Data, limit: f64) -> (Vec<Change>, [usize; 2]) {
    let same = |one: &Ours<'_>, other: &Ours<'_>| {
        one.case().name == other.case().name && one.record.threads == other.record.threads
    };
    let mut changes = Vec::new();
    let mut only_in_a = 0;
    for before in a.ours() {
        match b.ours().find(|after| same(&before, after)) {
            Some(after) => changes.extend(change(&before, &after, limit)),
            None => only_in_a += 1,
        }
    }
    let only_in_b = b.ours().count() - changes.len();
    (changes, [only_in_a, only_in_b])
}

fn change(before: &Ours<'_>, after: &Ours<'_>, limit: f64) -> Option<Change> {
    let time = quotient(&after.record.taken(), &before.record.taken())?;
    // A smaller share of the roof's speed is a longer time.
    let relative = quotient(&before.of_roof_by_round(), &after.of_roof_by_round());
    let kernel = |ours: &Ours<'_>| {
        let plan = ours.case().kernel(ours.record.threads);
        plan.map_or_else(String::new, |plan| plan.kernel.clone())
    };
    Some(Change {
        verdict: verdict(time, relative, limit),
        case: before.case().name.clone(),
        threads: before.record.threads,
        before_ns: before.record.median_ns,
        after_ns: after.record.median_ns,
        time,
        relative,
        kernel: [kernel(before), kernel(after)],
    })
}

fn verdict(time: Interval, relative: Option<Interval>, limit: f64) -> Verdict {
    let all = || [Some(time), relative].into_iter().flatten();
    if all().all(|it| it.low > limit) {
        Verdict::Slower
    } else if all().all(|it| it.high < 1.0 / limit) {
        Verdict::Faster
    } else if all().any(|it| it.middle > limit || it.middle < 1.0 / limit) {
        Verdict::Unsure
    } else {
        Verdict::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Record;
    use crate::data::synthetic;

    /// A run of many cases whose times scatter by some percent, differently in each run.
    fn run(seed: u64) -> Data {
        let mut data = synthetic::data();
        data.cases = (0..40)
            .map(|i| synthetic::measured(&format!("case-{i}"), "table", 1024, 1.0))
            .collect();
        let mut state = seed;
        for record in data.cases.iter_mut().flat_map(|case| &mut case.records) {
            let samples: Vec<_> = (0..15)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    let scatter = (state >> 40) as f64 / (1_u64 << 24) as f64;
                    Some(record.median_ns * (0.98 + 0.04 * scatter))
                })
                .collect();
            let who = (&record.implementation[..], record.threads);
            *record = Record::new(&record.case, who, 1, &samples).unwrap();
        }
        data
    }

    fn scaled(data: &mut Data, case: &str, who: &[&str], factor: f64) {
        for record in data.cases.iter_mut().flat_map(|case| &mut case.records) {
            if record.case == case && who.contains(&&record.implementation[..]) {
                let samples: Vec<_> = record
                    .samples_ns
                    .iter()
                    .map(|ns| ns.map(|ns| ns * factor))
                    .collect();
                let who = (&record.implementation[..], record.threads);
                *record = Record::new(&record.case, who, 1, &samples).unwrap();
            }
        }
    }

    fn named(changes: &[Change], verdict: Verdict) -> Vec<&str> {
        let of_it = changes.iter().filter(|change| change.verdict == verdict);
        let mut names: Vec<&str> = of_it.map(|change| &change.case[..]).collect();
        names.dedup();
        names
    }

    #[test]
    fn exactly_the_injected_changes_are_named() {
        let (a, mut b) = (run(1), run(2));
        let (none, missing) = changes(&a, &b, 1.05);
        assert_eq!((none.len(), missing), (80, [0, 0]));
        assert!(none.iter().all(|change| change.verdict == Verdict::Same));

        let ours = ["restride"];
        scaled(&mut b, "case-3", &ours, 1.15);
        scaled(&mut b, "case-17", &ours, 1.5);
        scaled(&mut b, "case-20", &ours, 0.8);
        // The machine was slower here, not restride.
        scaled(&mut b, "case-30", &["restride", "memcpy", "nt4copy"], 1.4);
        b.cases.retain(|measured| measured.case.name != "case-39");
        let (changes, missing) = changes(&a, &b, 1.05);
        assert_eq!(named(&changes, Verdict::Slower), ["case-3", "case-17"]);
        assert_eq!(named(&changes, Verdict::Faster), ["case-20"]);
        assert_eq!(named(&changes, Verdict::Unsure), ["case-30"]);
        assert_eq!((changes.len(), missing), (78, [2, 0]));
    }

    #[test]
    fn nothing_within_the_noise_is_a_change() {
        let (a, mut b) = (run(1), run(2));
        scaled(&mut b, "case-3", &["restride"], 1.15);
        let (changes, _) = changes(&a, &b, 1.3);
        assert!(changes.iter().all(|change| change.verdict == Verdict::Same));
    }
}
