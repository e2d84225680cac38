//! The report as text, rendered from fixed records.

use super::*;
use crate::environment::{Assumed, Caches};
use crate::record::PlanRecord;

pub(super) fn record(implementation: &str, threads: usize, median_ns: f64) -> Record {
    let bytes = 134_217_728;
    let restride = implementation == RESTRIDE;
    Record {
        schema: 1,
        case: "transpose-f32-4096x4096".into(),
        implementation: implementation.into(),
        threads,
        call: "prepared",
        cell: 4,
        shape: vec![4096, 4096],
        src_strides: vec![1, 4096],
        dst_strides: vec![4096, 1],
        bytes,
        calls_per_sample: 1,
        samples_ns: vec![Some(median_ns), None, Some(median_ns)],
        rounds: 2,
        median_ns,
        least_ns: median_ns,
        gb_per_s: bytes as f64 / median_ns,
        of_memcpy: Some(8e6 / median_ns),
        of_roof: Some(6e6 / median_ns),
        plan: restride.then(|| PlanRecord {
            kernel: "transpose-4-avx512-16x16".into(),
            stores: "streaming",
            ranges: threads,
            src_line_use: 1.0,
            dst_line_use: 1.0,
            level: "L3".into(),
        }),
    }
}

fn fixed() -> Vec<Record> {
    vec![
        record(RESTRIDE, 1, 6.4e6),
        record(MEMCPY, 1, 8e6),
        record("naive", 1, 120e6),
        record(RESTRIDE, 2, 4e6),
        record(MEMCPY, 2, 8e6),
    ]
}

fn somewhere() -> Environment {
    Environment {
        date: "2025-01-31".into(),
        commit: "abc1234".into(),
        dirty: true,
        cpu: "A CPU".into(),
        target: "x86_64-linux".into(),
        isa: vec!["scalar", "portable"],
        threads: 2,
        caches: Caches {
            line: 64,
            l1: 49_152,
            l2: 2 << 20,
            l3: 0,
        },
        memory: Some(8 << 30),
        huge_pages: Some("madvise".into()),
        virtualised: None,
        load: Some(0.5),
        kernel: None,
        libc: None,
        compiler: "rustc 1.89.0",
        flags: "",
        optimised: true,
        assumed: Assumed {
            warm_section_ns: 1,
            cold_section_ns: 2,
            bytes_per_us: 3,
        },
    }
}

#[test]
fn the_terminal_shows_restride_and_its_means() {
    let text = terminal(&fixed());
    let lines: Vec<&str> = text.lines().collect();
    let want = [
        "case                      bytes  threads  rounds   median  GB/s  /memcpy  /roof  kernel",
        "-----------------------  ------  -------  ------  -------  ----  -------  -----  \
         ------------------------",
        "transpose-f32-4096x4096  134 MB        1       2  6.40 ms  21.0     1.25   0.94  \
         transpose-4-avx512-16x16",
        "transpose-f32-4096x4096  134 MB        2       2     4 ms  33.6     2.00   1.50  \
         transpose-4-avx512-16x16",
    ];
    assert_eq!(lines[..4], want);
    let ends = "1 thread: geometric mean 1.25 of memcpy, 0.94 of the roof over 1 case\n\
                2 threads: geometric mean 2.00 of memcpy, 1.50 of the roof over 1 case\n";
    assert!(text.ends_with(ends), "{text}");
}

#[test]
fn the_means_name_the_case_farthest_from_the_roof() {
    let other = Record {
        case: "another".into(),
        of_roof: Some(0.24),
        ..record(RESTRIDE, 1, 6.4e6)
    };
    let text = means(&[record(RESTRIDE, 1, 6.4e6), other]);
    let ends = "0.47 of the roof over 2 cases of 16 KiB and more; least 0.24, another\n";
    assert!(text.ends_with(ends), "{text}");
}

#[test]
fn the_report_names_the_place_and_every_implementation() {
    let run = Run {
        command: "cargo run".into(),
        seconds: 59.7,
        others: Some(0.123),
    };
    let text = markdown(&somewhere(), &fixed(), &run);
    for part in [
        "# restride, measured on 2025-01-31\n",
        "```sh\ncargo run\n```",
        "A CPU, commit abc1234-dirty, 60 s, 12 % of the CPU time went to other",
        "| case                    | threads | restride | memcpy | naive |",
        "| ----------------------- | ------: | -------: | -----: | ----: |",
        "| transpose-f32-4096x4096 |       2 |     33.6 |   16.8 |       |",
        "- naive: a nested loop over typed cells",
        "| l1 data  | 48 KiB ",
        "| virtual  | unknown ",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_folder_is_named_after_date_machine_and_commit() {
    assert_eq!(somewhere().folder_name(), "2025-01-31_a_abc1234-dirty");
}
