//! What is kept of a measurement: one record per case, implementation and number of threads, a line
//! of `results.jsonl` each. Reports are rendered from records and from nothing else.

use restride::{Recipe, Stored};
use serde::Serialize;

use crate::case::Case;
use crate::implementations::{Implementation, MEMCPY, NT4COPY};
use crate::sampler::Samples;
use crate::statistics::{faster, least, median, paired_ratio};

/// Raised when a field changes its meaning.
const SCHEMA: u32 = 1;

/// One implementation on one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Record {
    /// The version of these fields.
    pub(crate) schema: u32,
    /// The case's name.
    pub(crate) case: String,
    /// The implementation's name.
    pub(crate) implementation: String,
    /// Threads it could use.
    pub(crate) threads: usize,
    /// What a call of restride includes: prepared, planned or listed.
    pub(crate) call: &'static str,
    /// Bytes of a cell.
    pub(crate) cell: usize,
    /// Extents.
    pub(crate) shape: Vec<usize>,
    /// Source strides in cells.
    pub(crate) src_strides: Vec<isize>,
    /// Destination strides in cells.
    pub(crate) dst_strides: Vec<isize>,
    /// Bytes read + written.
    pub(crate) bytes: usize,
    /// Calls in a sample.
    pub(crate) calls_per_sample: usize,
    /// Nanoseconds per call by round; null where it sat out.
    pub(crate) samples_ns: Vec<Option<f64>>,
    /// Rounds it took part in.
    pub(crate) rounds: usize,
    /// Median nanoseconds per call.
    pub(crate) median_ns: f64,
    /// Least nanoseconds per call.
    pub(crate) least_ns: f64,
    /// 10^9 bytes read + written per second, of the median.
    pub(crate) gb_per_s: f64,
    /// Of the speed of memcpy on one thread, the median over rounds.
    pub(crate) of_memcpy: Option<f64>,
    /// Of the speed of the better of memcpy and nt4copy on as many threads, the median over rounds.
    pub(crate) of_roof: Option<f64>,
    /// What restride decided.
    pub(crate) plan: Option<PlanRecord>,
}

/// What a recipe says that explains a speed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlanRecord {
    /// The kernel row.
    pub(crate) kernel: String,
    /// Cached or streaming.
    pub(crate) stores: &'static str,
    /// Ranges that it is cut into.
    pub(crate) ranges: usize,
    /// The share of the bytes of the touched source lines that the copy uses.
    pub(crate) src_line_use: f64,
    /// The same of the destination.
    pub(crate) dst_line_use: f64,
    /// The smallest level of the memory that holds both sides.
    pub(crate) level: String,
}

impl PlanRecord {
    /// None where there is nothing to move.
    pub(crate) fn of(recipe: &Recipe) -> Option<Self> {
        let (work, traffic) = (recipe.work.as_ref()?, recipe.traffic()?);
        Some(Self {
            kernel: work.kernel().into(),
            stores: match work.stores() {
                Stored::Streaming => "streaming",
                _ => "cached",
            },
            ranges: work.threads.warm,
            src_line_use: traffic.source.line_use,
            dst_line_use: traffic.dest.line_use,
            level: traffic.level.to_string(),
        })
    }
}

/// The records of a case, in the order of its implementations.
pub(crate) fn records(
    case: &Case,
    implementations: &[Implementation],
    samples: &[Samples],
) -> Vec<Record> {
    let times = |name, threads| -> &[Option<f64>] {
        let mut all = implementations.iter().zip(samples);
        let found = all.find(|(row, _)| row.name == name && row.threads == threads);
        found.map_or(&[], |(_, samples)| &samples.ns)
    };
    let record = |(row, samples): (&Implementation, &Samples)| {
        let taken: Vec<f64> = samples.ns.iter().flatten().copied().collect();
        let median_ns = median(&taken)?;
        let roof = faster(times(MEMCPY, row.threads), times(NT4COPY, row.threads));
        Some(Record {
            schema: SCHEMA,
            case: case.name.clone(),
            implementation: row.name.into(),
            threads: row.threads,
            call: case.call.name(),
            cell: case.cell,
            shape: case.shape.clone(),
            src_strides: case.src.strides.clone(),
            dst_strides: case.dst.strides.clone(),
            bytes: case.bytes(),
            calls_per_sample: samples.calls,
            samples_ns: samples.ns.clone(),
            rounds: taken.len(),
            median_ns,
            least_ns: least(&taken)?,
            gb_per_s: case.bytes() as f64 / median_ns,
            of_memcpy: paired_ratio(&samples.ns, times(MEMCPY, 1)),
            of_roof: paired_ratio(&samples.ns, &roof),
            plan: row.plan.clone(),
        })
    };
    implementations
        .iter()
        .zip(samples)
        .filter_map(record)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Pages;
    use crate::cases::Suite;
    use crate::implementations::{self, Checked};
    use crate::settings::Settings;

    #[test]
    fn ratios_are_to_memcpy_on_one_thread_and_to_the_roof_on_as_many() {
        let case = Suite::Quick.cases().pop().expect("there are cases");
        let settings = Settings {
            threads: vec![1, 2],
            samples: None,
            pages: Pages::Huge,
            peers: Vec::new(),
        };
        let implementations = implementations::all(&case, &[0; 64], &settings).unwrap();
        // The yardsticks copy at 1, 2, 4 .. ns per call in the order that they stand in.
        let mut ns = 8.0;
        let mut of_yardsticks = || {
            ns /= 2.0;
            ns
        };
        let samples: Vec<Samples> = implementations
            .iter()
            .map(|row| Samples {
                calls: 1,
                ns: vec![
                    Some(if row.checked == Checked::Plain {
                        of_yardsticks()
                    } else {
                        16.0
                    });
                    3
                ],
            })
            .collect();
        let records = records(&case, &implementations, &samples);
        assert_eq!(records.len(), implementations.len());
        let restride = |threads| {
            let mut found = records.iter().filter(|r| r.implementation == "restride");
            found.find(|record| record.threads == threads).unwrap()
        };
        // One thread: memcpy 4 ns, nt4copy 2; two threads: 1 and 0.5.
        assert_eq!(restride(1).of_memcpy, Some(4.0 / 16.0));
        assert_eq!(restride(1).of_roof, Some(2.0 / 16.0));
        assert_eq!(restride(2).of_memcpy, Some(4.0 / 16.0));
        assert_eq!(restride(2).of_roof, Some(0.5 / 16.0));
        assert_eq!(restride(1).gb_per_s, 128.0 / 16.0);
        assert_eq!(restride(1).rounds, 3);
    }
}
