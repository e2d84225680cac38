//! A small run made up for tests: every number is known.

use super::ceilings::{Ceilings, Control, Point};
use super::environment::{Assumed, Caches, Environment};
use super::plans::{CaseRecord, PlanRecord};
use super::record::Record;
use super::run::{PeerRecord, Run};
use super::{Data, Measured};

/// A record of nine rounds that all took as long.
pub(crate) fn record(case: &str, who: (&str, usize), ns: f64) -> Record {
    Record::new(case, who, 1, &[Some(ns); 9]).expect("there are samples")
}

/// A transpose of f32, by name, kind and rows.
pub(crate) fn case(name: &str, kind: &str, rows: usize) -> CaseRecord {
    let side = 4 * rows * rows;
    let plan = |threads| PlanRecord {
        threads,
        kernel: "transpose-4-avx512-16x16".into(),
        family: "transpose".into(),
        stores: "streaming".into(),
        ranges: threads,
    };
    CaseRecord {
        name: name.into(),
        kind: kind.into(),
        call: "prepared".into(),
        cell: 4,
        shape: vec![rows, rows],
        src_strides: vec![1, rows as isize],
        dst_strides: vec![rows as isize, 1],
        side_bytes: side,
        src_line_bytes: side as f64,
        dst_line_bytes: side as f64,
        level: "memory".into(),
        plans: vec![plan(1), plan(2)],
        words: "kernel   transpose-4-avx512-16x16\nbound    memory".into(),
        inexpressible: vec!["transpose".into()],
    }
}

/// A case with its records, the times in proportion to `scale`.
pub(crate) fn measured(name: &str, kind: &str, rows: usize, scale: f64) -> Measured {
    let who = [
        ("restride", 1, 4e6),
        ("restride again", 1, 4.08e6),
        ("memcpy", 1, 6e6),
        ("nt4copy", 1, 5e6),
        ("restride", 2, 2.5e6),
        ("memcpy", 2, 4e6),
        ("nt4copy", 2, 3e6),
        ("naive", 1, 5e5),
        ("ndarray", 1, 12e6),
    ];
    let records = who.map(|(who, threads, ns)| record(name, (who, threads), ns * scale));
    Measured {
        case: case(name, kind, rows),
        records: records.into(),
    }
}

/// A run of one case.
pub(crate) fn data() -> Data {
    Data {
        environment: environment(),
        run: Run {
            command: "cargo run --release -p restride-perf".into(),
            suites: vec!["quick".into()],
            seconds: 59.7,
            others: Some(0.123),
            rounds: 9,
            threads: vec![1, 2],
            pages: "huge".into(),
            dest: "reused".into(),
            pinning: "not pinned".into(),
            offsets: (0, 2112),
            peers: vec![PeerRecord {
                name: "ndarray".into(),
                version: Some("0.17".into()),
                how: "`assign` between two views".into(),
            }],
            ..Run::default()
        },
        cases: vec![measured("transpose-f32-4096x4096", "table", 4096, 1.0)],
        ceilings: ceilings(),
    }
}

fn ceilings() -> Ceilings {
    let point = |copy: &str, threads, side_bytes: usize, gb: f64| Point {
        copy: copy.into(),
        threads,
        side_bytes,
        samples_ns: vec![2.0 * side_bytes as f64 / gb; 3],
    };
    Ceilings {
        points: vec![
            point("memcpy", 1, 16 << 10, 128.0),
            point("nt4copy", 1, 16 << 10, 16.0),
            point("memcpy", 1, 64 << 20, 16.0),
            point("nt4copy", 1, 64 << 20, 32.0),
        ],
        control: vec![Control {
            after: 0,
            seconds: 1.5,
            samples_ns: vec![1e6; 3],
        }],
    }
}

/// A machine that does not exist.
pub(crate) fn environment() -> Environment {
    Environment {
        date: "2025-01-31".into(),
        commit: "abc1234".into(),
        dirty: true,
        cpu: "A CPU".into(),
        target: "x86_64-linux".into(),
        isa: vec!["scalar".into(), "portable".into()],
        choices: Some("others".into()),
        threads: 2,
        cores: Some(1),
        caches: Caches {
            line: 64,
            l1: 49_152,
            l2: 2 << 20,
            l3: 0,
        },
        memory: Some(8 << 30),
        page: Some(4096),
        huge_pages: Some("madvise".into()),
        governor: None,
        virtualised: None,
        load: Some(0.5),
        can_pin: true,
        kernel: None,
        libc: None,
        compiler: "rustc 1.89.0".into(),
        flags: String::new(),
        optimised: true,
        assumed: Assumed {
            warm_section_ns: 1,
            cold_section_ns: 2,
            bytes_per_us: 3,
        },
    }
}
