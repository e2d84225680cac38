//! What plain copies reach: by size and number of threads, and again and again during the run.

use serde::{Deserialize, Serialize};

use crate::statistics::median;

/// `ceilings.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ceilings {
    /// Plain copies by size, ascending.
    pub(crate) points: Vec<Point>,
    /// One copy, of [`CONTROL_BYTES`] on one thread, timed every few cases.
    pub(crate) control: Vec<Control>,
}

/// Bytes of one side of the control copy.
pub(crate) const CONTROL_BYTES: usize = 16 << 20;

/// A plain copy of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// memcpy or nt4copy.
    pub(crate) copy: String,
    pub(crate) threads: usize,
    /// Bytes of one side.
    pub(crate) side_bytes: usize,
    /// Nanoseconds per copy by round.
    pub(crate) samples_ns: Vec<f64>,
}

impl Point {
    /// 10^9 bytes read + written per second, of the median.
    pub(crate) fn gb_per_s(&self) -> Option<f64> {
        Some(2.0 * self.side_bytes as f64 / median(&self.samples_ns)?)
    }
}

/// The control at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Control {
    /// Cases measured before.
    pub(crate) after: usize,
    /// Seconds since the run began.
    pub(crate) seconds: f64,
    /// Nanoseconds per copy.
    pub(crate) samples_ns: Vec<f64>,
}

impl Ceilings {
    /// The points of a copy on so many threads, ascending: working set in bytes and GB/s.
    pub(crate) fn curve(&self, copy: &str, threads: usize) -> Vec<(f64, f64)> {
        let of_it = self
            .points
            .iter()
            .filter(|point| point.copy == copy && point.threads == threads);
        let mut curve: Vec<_> = of_it
            .filter_map(|point| Some((2.0 * point.side_bytes as f64, point.gb_per_s()?)))
            .collect();
        curve.sort_by(|one, other| one.0.total_cmp(&other.0));
        curve
    }

    /// The numbers of threads that there are curves for.
    pub(crate) fn threads(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.points.iter().map(|point| point.threads).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The better of all copies on so many threads, by working set.
    pub(crate) fn roof(&self, threads: usize) -> Vec<(f64, f64)> {
        let mut roof: Vec<(f64, f64)> = Vec::new();
        let mut names: Vec<&str> = self.points.iter().map(|point| &point.copy[..]).collect();
        names.sort_unstable();
        names.dedup();
        for (bytes, gb) in names.iter().flat_map(|name| self.curve(name, threads)) {
            match roof.iter_mut().find(|point| point.0 == bytes) {
                Some(point) => point.1 = point.1.max(gb),
                None => roof.push((bytes, gb)),
            }
        }
        roof.sort_by(|one, other| one.0.total_cmp(&other.0));
        roof
    }

    /// The least and the largest median of the control, as shares of their median.
    pub(crate) fn control_spread(&self) -> Option<(f64, f64)> {
        let medians: Vec<f64> = self
            .control
            .iter()
            .filter_map(|control| median(&control.samples_ns))
            .collect();
        let middle = median(&medians)?;
        let low = medians.iter().copied().min_by(f64::total_cmp)?;
        let high = medians.iter().copied().max_by(f64::total_cmp)?;
        Some((low / middle, high / middle))
    }
}
