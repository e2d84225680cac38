//! What a run prints when it is done: a table of restride, its means, where other crates stand; or a
//! summary in JSON.

use std::path::Path;

use serde::Serialize;

use super::words;
use crate::data::Data;
use crate::data::query::Ours;
use crate::table::{Table, left, right};
use crate::units;

const LEGEND: &str = "\
bytes, GB/s: source + destination, decimal; median over the rounds
/memcpy: speed relative to memcpy of the same bytes on as many threads, in the same rounds
/roof: relative to the better of memcpy and nt4copy (four pages interleaved, streaming stores)
/lines: the same counted in source lines and destination cells, where cells do not fill their lines
/peer: relative to the fastest other crate on up to as many threads
";

/// The table of restride and its means.
pub(crate) fn text(data: &Data) -> String {
    format!(
        "{}\n{LEGEND}\nnoise    {}\n{}{}{}",
        table(data).text(),
        words::noise(data),
        words::means(data),
        words::rivals(data),
        words::loops(data),
    )
}

/// A row per case and number of threads.
pub(crate) fn table(data: &Data) -> Table {
    let rivals = data.ours().any(|ours| ours.fastest_rival().is_some());
    let mut columns = vec![
        left("case"),
        right("bytes"),
        right("threads"),
        right("median"),
        right("GB/s"),
        right("/memcpy"),
        right("/roof"),
        right("/lines"),
    ];
    if rivals {
        columns.extend([right("/peer"), left("fastest peer")]);
    }
    columns.push(left("kernel"));
    let mut table = Table::new(columns);
    for ours in data.ours() {
        let case = ours.case();
        let mut row = vec![
            case.name.clone(),
            units::bytes(case.bytes()),
            ours.record.threads.to_string(),
            units::time(ours.record.median_ns),
            units::digits(ours.gb_per_s()),
            units::ratio(ours.of_memcpy()),
            units::ratio(ours.of_roof()),
            units::ratio(ours.of_roof_in_lines().filter(|_| is_sparse(&ours))),
        ];
        if rivals {
            let rival = ours.fastest_rival();
            row.extend(match &rival {
                Some(rival) => [
                    units::digits(rival.ahead.middle),
                    rival.record.implementation.clone(),
                ],
                None => [String::new(), String::new()],
            });
        }
        let plan = case.kernel(ours.record.threads);
        row.push(plan.map_or_else(|| "-".into(), |plan| plan.kernel.clone()));
        table.push(row);
    }
    table
}

/// Whether counting lines makes a difference.
fn is_sparse(ours: &Ours<'_>) -> bool {
    (ours.case().line_weight() - 1.0).abs() > 0.01
}

/// What programs want to know of a run.
#[derive(Serialize)]
pub(crate) struct Summary {
    folder: String,
    seconds: f64,
    interrupted: bool,
    left_out: usize,
    noise: f64,
    results: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    case: String,
    threads: usize,
    bytes: usize,
    median_ns: f64,
    gb_per_s: f64,
    of_memcpy: Option<f64>,
    of_roof: Option<f64>,
    of_roof_in_lines: Option<f64>,
    fastest_peer: Option<String>,
    ahead_of_it: Option<f64>,
}

/// A summary of restride's results.
pub(crate) fn summary(data: &Data, folder: &Path) -> Summary {
    let line = |ours: Ours<'_>| {
        let rival = ours.fastest_rival();
        Line {
            case: ours.case().name.clone(),
            threads: ours.record.threads,
            bytes: ours.case().bytes(),
            median_ns: ours.record.median_ns,
            gb_per_s: ours.gb_per_s(),
            of_memcpy: ours.of_memcpy(),
            of_roof: ours.of_roof(),
            of_roof_in_lines: ours.of_roof_in_lines(),
            fastest_peer: rival.as_ref().map(|r| r.record.implementation.clone()),
            ahead_of_it: rival.map(|rival| rival.ahead.middle),
        }
    };
    Summary {
        folder: folder.display().to_string(),
        seconds: data.run.seconds,
        interrupted: data.run.interrupted,
        left_out: data.run.left_out,
        noise: data.noise(),
        results: data.ours().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn the_terminal_shows_restride_its_noise_means_and_rivals() {
        let text = text(&synthetic::data());
        let lines: Vec<&str> = text.lines().collect();
        let want = [
            "case                      bytes  threads   median  GB/s  /memcpy  /roof  /lines  \
             /peer  fastest peer  kernel",
            "-----------------------  ------  -------  -------  ----  -------  -----  ------  \
             -----  ------------  ------------------------",
            "transpose-f32-4096x4096  134 MB        1     4 ms  33.6     1.50   1.25       -  \
             3.00   ndarray       transpose-4-avx512-16x16",
            "transpose-f32-4096x4096  134 MB        2  2.50 ms  53.7     1.60   1.20       -  \
             4.80   ndarray       transpose-4-avx512-16x16",
        ];
        assert_eq!(
            lines[..4].join("\n"),
            want.join("\n")
                .replace("3.00   nd", " 3.00  nd")
                .replace("4.80   nd", " 4.80  nd")
        );
        let means = "1 thread: geometric mean 1.50 of memcpy, 1.25 of the roof over 1 case\n";
        assert!(text.contains(means), "{text}");
        let ahead = "2 threads: ahead of every other crate on 1 of 1 case, twice as fast on 1\n";
        assert!(text.contains(ahead), "{text}");
    }

    #[test]
    fn the_summary_holds_the_same_numbers() {
        let summary = summary(&synthetic::data(), Path::new("here"));
        let value = serde_json::to_value(&summary).unwrap();
        assert_eq!(value["results"][0]["of_roof"], 1.25);
        assert_eq!(value["results"][1]["fastest_peer"], "ndarray");
        assert_eq!(value["interrupted"], false);
    }
}
