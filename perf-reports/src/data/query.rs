//! What reports ask of the data: speeds, ratios to the yardsticks and to the fastest peer, the noise.

use super::plans::CaseRecord;
use super::record::Record;
use super::{Data, Measured};
use crate::implementations::{AGAIN, LOOPS, LOOPS_BY_SOURCE, MEMCPY, NAIVE, NT4COPY, RESTRIDE};
use crate::statistics::{Interval, faster, interval, median, quantile, ratios};

/// Differences below this are never called differences, however quiet the run was.
const LEAST_NOISE: f64 = 0.01;

/// Another implementation beside restride's record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rival<'a> {
    pub(crate) record: &'a Record,
    /// How many times as fast restride is.
    pub(crate) ahead: Interval,
}

/// A record of restride's in its case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ours<'a> {
    pub(crate) measured: &'a Measured,
    pub(crate) record: &'a Record,
}

impl Measured {
    /// The record of an implementation on so many threads.
    pub(crate) fn of(&self, implementation: &str, threads: usize) -> Option<&Record> {
        self.records
            .iter()
            .find(|record| record.implementation == implementation && record.threads == threads)
    }

    /// Restride's records, by number of threads as measured.
    pub(crate) fn ours(&self) -> impl Iterator<Item = Ours<'_>> {
        let all = self.records.iter();
        all.filter(|record| record.implementation == RESTRIDE)
            .map(|record| Ours {
                measured: self,
                record,
            })
    }

    /// By round, the faster of the two plain copies on so many threads.
    fn roof(&self, threads: usize) -> Vec<Option<f64>> {
        let times = |name| self.of(name, threads).map_or(&[][..], |r| &r.samples_ns);
        faster(times(MEMCPY), times(NT4COPY))
    }
}

impl<'a> Ours<'a> {
    pub(crate) fn case(&self) -> &'a CaseRecord {
        &self.measured.case
    }

    /// 10^9 bytes read + written per second, of the median.
    pub(crate) fn gb_per_s(&self) -> f64 {
        self.case().bytes() as f64 / self.record.median_ns
    }

    /// The same with its interval.
    pub(crate) fn gb_interval(&self) -> Option<Interval> {
        let speeds = self.record.taken();
        let bytes = self.case().bytes() as f64;
        interval(&speeds.iter().map(|ns| bytes / ns).collect::<Vec<_>>())
    }

    /// Of the speed of memcpy on as many threads, paired by round.
    pub(crate) fn of_memcpy(&self) -> Option<f64> {
        let memcpy = self.measured.of(MEMCPY, self.record.threads)?;
        median(&ratios(&self.record.samples_ns, &memcpy.samples_ns))
    }

    /// Of the speed of the better of memcpy and nt4copy on as many threads, by round.
    pub(crate) fn of_roof_by_round(&self) -> Vec<f64> {
        let roof = self.measured.roof(self.record.threads);
        ratios(&self.record.samples_ns, &roof)
    }

    /// The median of that.
    pub(crate) fn of_roof(&self) -> Option<f64> {
        median(&self.of_roof_by_round())
    }

    /// Of the roof, counted in what has to be moved: the lines of the source and the cells of the
    /// destination. Where cells fill their lines it is [`Ours::of_roof`].
    pub(crate) fn of_roof_in_lines(&self) -> Option<f64> {
        Some(self.of_roof()? * self.case().line_weight())
    }

    /// Whether the case is large enough for a ratio to a plain copy to mean anything.
    pub(crate) fn has_roof(&self) -> bool {
        self.case().bytes() >= 16 << 10 && self.case().kind != "small"
    }

    /// The fastest crate or package on up to as many threads; `None` if none could express the case.
    pub(crate) fn fastest_rival(&self) -> Option<Rival<'a>> {
        let others = self.measured.records.iter().filter(|other| {
            is_rival(&other.implementation) && other.threads <= self.record.threads
        });
        let rivals = others.filter_map(|other| self.beside(other));
        rivals.min_by(|one, other| one.ahead.middle.total_cmp(&other.ahead.middle))
    }

    /// How many times as fast restride is as the better of two plain loops, by round; `None` if they were not measured.
    pub(crate) fn of_loops(&self) -> Option<f64> {
        let times = |name| self.measured.of(name, 1).map_or(&[][..], |r| &r.samples_ns);
        let loops = faster(times(LOOPS), times(LOOPS_BY_SOURCE));
        median(&ratios(&self.record.samples_ns, &loops))
    }

    /// How many times as fast restride is as another.
    pub(crate) fn beside(&self, other: &'a Record) -> Option<Rival<'a>> {
        let ahead = if other.apart {
            // No common rounds: each of ours against the median of theirs.
            let ours = self.record.taken();
            let factors: Vec<f64> = ours.iter().map(|ns| other.median_ns / ns).collect();
            interval(&factors)?
        } else {
            interval(&ratios(&self.record.samples_ns, &other.samples_ns))?
        };
        Some(Rival {
            record: other,
            ahead,
        })
    }
}

/// Whether a name is that of a crate or package, not of restride, a yardstick or a loop of ours.
pub(crate) fn is_rival(name: &str) -> bool {
    ![
        RESTRIDE,
        AGAIN,
        MEMCPY,
        NT4COPY,
        NAIVE,
        LOOPS,
        LOOPS_BY_SOURCE,
    ]
    .contains(&name)
        && !name.starts_with(RESTRIDE)
}

impl Data {
    /// Restride's records of every case.
    pub(crate) fn ours(&self) -> impl Iterator<Item = Ours<'_>> {
        self.cases.iter().flat_map(Measured::ours)
    }

    /// Those on so many threads.
    pub(crate) fn ours_on(&self, threads: usize) -> impl Iterator<Item = Ours<'_>> {
        self.ours()
            .filter(move |ours| ours.record.threads == threads)
    }

    /// The cases of a kind.
    pub(crate) fn kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Measured> {
        let all = self.cases.iter();
        all.filter(move |measured| measured.case.kind == kind)
    }

    /// The numbers of threads that restride was measured on, ascending.
    pub(crate) fn threads(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.ours().map(|ours| ours.record.threads).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// By how much two measurements of the same thing in this run differ: the ratios of restride to
    /// itself under another name, as distances from 1.
    pub(crate) fn again(&self) -> Vec<f64> {
        let twins = self.ours().filter_map(|ours| {
            let again = ours.measured.of(AGAIN, ours.record.threads)?;
            let ratio = again.median_ns / ours.record.median_ns;
            Some(ratio.max(1.0 / ratio) - 1.0)
        });
        twins.collect()
    }

    /// The noise floor: 19 of 20 measurements of the same thing differed by less. No verdict stands on
    /// less.
    pub(crate) fn noise(&self) -> f64 {
        quantile(&self.again(), 0.95)
            .unwrap_or(0.05)
            .max(LEAST_NOISE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn ratios_are_to_the_yardsticks_on_as_many_threads() {
        let data = synthetic::data();
        let case = &data.cases[0];
        let ours: Vec<_> = case.ours().collect();
        // 4 ms of 6 (memcpy) and 5 (nt4copy) on one thread, 2.5 of 4 and 3 on two.
        assert_eq!(ours[0].of_memcpy(), Some(6.0 / 4.0));
        assert_eq!(ours[0].of_roof(), Some(5.0 / 4.0));
        assert_eq!(ours[1].of_memcpy(), Some(4.0 / 2.5));
        assert_eq!(ours[1].of_roof(), Some(3.0 / 2.5));
        assert_eq!(ours[0].gb_per_s(), case.case.bytes() as f64 / 4e6);
    }

    #[test]
    fn the_fastest_crate_on_up_to_as_many_threads_counts() {
        let data = synthetic::data();
        let ours: Vec<_> = data.cases[0].ours().collect();
        // ndarray took 12 ms on one thread; the naive loop is no crate.
        for (ours, factor) in ours.iter().zip([3.0, 4.8]) {
            let rival = ours.fastest_rival().unwrap();
            assert_eq!(rival.record.implementation, "ndarray");
            assert!((rival.ahead.middle - factor).abs() < 1e-9);
        }
    }

    #[test]
    fn the_noise_is_what_twins_differ_by() {
        let mut data = synthetic::data();
        assert_eq!(data.again().len(), 1);
        assert!((data.noise() - 0.02).abs() < 1e-9);
        data.cases[0].records.retain(|r| r.implementation != AGAIN);
        assert_eq!(data.noise(), 0.05);
    }
}
