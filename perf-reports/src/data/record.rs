//! One implementation on one case: a line of `results.jsonl`.

use serde::{Deserialize, Serialize};

use crate::statistics::median;

/// One implementation on one case and number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The case's name.
    pub(crate) case: String,
    /// The implementation's name.
    pub(crate) implementation: String,
    /// Threads it could use.
    pub(crate) threads: usize,
    /// Calls in a sample.
    pub(crate) calls: usize,
    /// Median nanoseconds per call.
    pub(crate) median_ns: f64,
    /// Nanoseconds per call by round, to five digits; null where it sat out.
    pub(crate) samples_ns: Vec<Option<f64>>,
    /// Whether it was measured in another process: its rounds are not those of the others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) apart: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl Record {
    /// From samples in nanoseconds per call; `None` if there are none.
    pub(crate) fn new(
        case: &str,
        (implementation, threads): (&str, usize),
        calls: usize,
        samples_ns: &[Option<f64>],
    ) -> Option<Self> {
        let samples_ns: Vec<_> = samples_ns.iter().map(|ns| ns.map(five_digits)).collect();
        let taken: Vec<f64> = samples_ns.iter().flatten().copied().collect();
        Some(Self {
            case: case.into(),
            implementation: implementation.into(),
            threads,
            calls,
            median_ns: median(&taken)?,
            samples_ns,
            apart: false,
        })
    }

    /// The samples that were taken.
    pub(crate) fn taken(&self) -> Vec<f64> {
        self.samples_ns.iter().flatten().copied().collect()
    }

    /// What is wrong with it, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let taken = self.taken();
        let name = format!("{} of {}", self.implementation, self.case);
        if taken.is_empty() || taken.iter().any(|ns| !ns.is_finite() || *ns <= 0.0) {
            return Some(format!("{name} has samples that are no times"));
        }
        let off = median(&taken).map(|ns| (ns / self.median_ns - 1.0).abs());
        // Not exactly, so that other programs may write records.
        (!off.is_some_and(|off| off < 1e-3))
            .then(|| format!("the median of {name} does not follow from its samples"))
    }
}

/// A time, to five digits: clocks say no more, and files stay small.
pub(crate) fn five_digits(ns: f64) -> f64 {
    if ns == 0.0 || !ns.is_finite() {
        return ns;
    }
    let places = 4 - ns.abs().log10().floor() as i32;
    let scale = 10_f64.powi(places.abs());
    if places >= 0 {
        (ns * scale).round() / scale
    } else {
        (ns / scale).round() * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_cut_to_five_digits() {
        assert_eq!(five_digits(123.456_78), 123.46);
        assert_eq!(five_digits(1_234_567.0), 1_234_600.0);
        assert_eq!(five_digits(0.0), 0.0);
        let samples = [Some(1_234_567.0), None, Some(3.0)];
        let record = Record::new("case", ("restride", 1), 1, &samples).unwrap();
        assert_eq!(record.samples_ns, [Some(1_234_600.0), None, Some(3.0)]);
        assert_eq!(record.median_ns, 617_301.5);
        assert_eq!(record.fault(), None);
        assert!(Record::new("case", ("restride", 1), 1, &[None]).is_none());
    }

    #[test]
    fn faults_are_named() {
        let right = Record::new("case", ("naive", 1), 1, &[Some(5.0)]).unwrap();
        let median_ns = 6.0;
        let off = Record {
            median_ns,
            ..right.clone()
        };
        assert!(off.fault().unwrap().contains("naive of case"));
        let samples_ns = vec![Some(-5.0)];
        let never = Record {
            samples_ns,
            ..right
        };
        assert!(never.fault().unwrap().contains("no times"));
    }
}
