//! What the benches share: a case with its memory, verified before it is timed, and memcpy of the same
//! bytes beside it. A group takes about a minute.
//!
//! `flagship/F1-hwc-to-chw-u8` is restride on that case, `flagship/memcpy/F1-hwc-to-chw-u8` the plain
//! copy of as many bytes. Names are those of tests and reports.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use restride::{Options, Par, Plan};
use restride_cases::{Buffer, Call, Case, DST_OFFSET, Pages, oracle, pattern};

/// A case, its memory, and what its destination must hold.
pub(crate) struct Ready {
    pub(crate) case: Case,
    pub(crate) src: Buffer,
    pub(crate) dst: Buffer,
    expected: Buffer,
}

#[allow(dead_code)] // not every bench needs all of it
impl Ready {
    pub(crate) fn new(case: Case) -> Self {
        let (from, to) = (case.src_place().len, case.dst_place().len);
        let memory = |len, offset| Buffer::new(len, offset, Pages::Huge).expect("there is memory");
        let (mut src, dst) = (memory(from, 0), memory(to, DST_OFFSET));
        let mut expected = memory(to, 0);
        pattern::fill(&mut src);
        oracle::expect(&case, &mut expected);
        Self {
            case,
            src,
            dst,
            expected,
        }
    }

    /// Runs a copy once and compares with the oracle.
    pub(crate) fn verify(&mut self, who: &str, copy: impl FnOnce(&[u8], &mut [u8])) {
        self.dst.fill(oracle::BEFORE);
        copy(&self.src, &mut self.dst);
        let wrong = oracle::first_difference(&self.dst, &self.expected);
        assert_eq!(wrong, None, "{who} on {}: byte", self.case.name);
    }

    /// A plan for one thread.
    pub(crate) fn plan(&self) -> Plan {
        let par = Par::Seq;
        let options = Options {
            par,
            ..Options::default()
        };
        let problem = self.case.problem().expect("a case is a problem");
        Plan::with(&problem, &options).expect("it can be planned")
    }

    /// Verifies and times a copy.
    pub(crate) fn bench(
        &mut self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        who: Option<&str>,
        mut copy: impl FnMut(&[u8], &mut [u8]),
    ) {
        self.verify(who.unwrap_or("restride"), &mut copy);
        let name = &self.case.name;
        let id = match who {
            None => BenchmarkId::from_parameter(name),
            Some(who) => BenchmarkId::new(who, name),
        };
        group.throughput(Throughput::BytesDecimal(self.case.bytes() as u64));
        let (src, dst) = (&self.src, &mut self.dst);
        group.bench_function(id, |bencher| {
            bencher.iter(|| copy(black_box(src), black_box(dst)));
        });
    }

    /// Times restride with a plan that stands.
    pub(crate) fn bench_plan(&mut self, group: &mut BenchmarkGroup<'_, WallTime>) {
        let plan = self.plan();
        let (from, to) = (self.case.src_place().base, self.case.dst_place().base);
        self.bench(group, None, |src, dst| {
            // SAFETY: range: the buffers are as long as the places of the case say, which hold all
            // its cells and the gaps between; aliasing: `dst` is borrowed uniquely.
            unsafe { plan.run_raw(src.as_ptr().add(from), dst.as_mut_ptr().add(to)) }
        });
    }

    /// Times memcpy of as many bytes.
    pub(crate) fn bench_memcpy(&mut self, group: &mut BenchmarkGroup<'_, WallTime>) {
        let bytes = self.case.side_bytes();
        group.throughput(Throughput::BytesDecimal(self.case.bytes() as u64));
        let (src, dst) = (&self.src[..bytes], &mut self.dst[..bytes]);
        group.bench_function(BenchmarkId::new("memcpy", &self.case.name), |bencher| {
            bencher.iter(|| black_box(&mut *dst).copy_from_slice(black_box(src)));
        });
    }
}

/// A group whose benches take about a second each.
pub(crate) fn group<'c>(
    criterion: &'c mut Criterion,
    name: &str,
    seconds: f64,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_secs_f64(seconds / 3.0))
        .measurement_time(Duration::from_secs_f64(seconds));
    group
}

/// Cases that a prepared plan copies: lists of allocations need more.
#[allow(dead_code)]
pub(crate) fn prepared(cases: Vec<Case>) -> impl Iterator<Item = Case> {
    cases.into_iter().filter(|case| case.call == Call::Prepared)
}
