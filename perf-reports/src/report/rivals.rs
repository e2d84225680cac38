//! Restride and the fastest other crate, case by case: by how much it is ahead, and where it is not
//! far enough.

use crate::implementations::{PEERS, Peer, RESTRIDE};
use crate::record::Record;
use crate::statistics::paired_ratio;
use crate::units;

/// What being well ahead means.
const TWICE: f64 = 2.0;

/// Another crate on the case of a record of restride's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rival<'a> {
    pub(super) name: &'a str,
    /// How many times as fast restride is.
    pub(super) ahead: f64,
}

/// Whether a crate other than restride took part.
pub(super) fn took_part(records: &[Record]) -> bool {
    records.iter().any(is_rival)
}

fn is_rival(record: &Record) -> bool {
    let named = |peer: &&Peer| peer.name == record.implementation;
    PEERS
        .iter()
        .find(named)
        .is_some_and(|peer| peer.version.is_some())
}

/// The fastest crate on the case of `ours`, on up to as many threads; `None` if none could express it.
pub(super) fn fastest<'a>(records: &'a [Record], ours: &Record) -> Option<Rival<'a>> {
    let others = records.iter().filter(|other| {
        is_rival(other) && other.case == ours.case && other.threads <= ours.threads
    });
    let rivals = others.filter_map(|other| {
        Some(Rival {
            name: &other.implementation,
            ahead: paired_ratio(&ours.samples_ns, &other.samples_ns)?,
        })
    });
    rivals.min_by(|one, other| one.ahead.total_cmp(&other.ahead))
}

/// A paragraph per number of threads; empty where no other crate took part.
pub(super) fn summary(records: &[Record]) -> String {
    let ours = || {
        records
            .iter()
            .filter(|record| record.implementation == RESTRIDE)
    };
    let mut counts: Vec<usize> = ours().map(|record| record.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    let paragraph = |&threads: &usize| {
        let ours = ours().filter(|record| record.threads == threads);
        let all: Vec<(&Record, Rival)> = ours
            .filter_map(|ours| Some((ours, fastest(records, ours)?)))
            .collect();
        paragraph(threads, all)
    };
    counts.iter().map(paragraph).collect()
}

fn paragraph(threads: usize, mut all: Vec<(&Record, Rival)>) -> String {
    if all.is_empty() {
        return String::new();
    }
    let ahead_by = |factor: f64| {
        all.iter()
            .filter(|(_, rival)| rival.ahead >= factor)
            .count()
    };
    let (cases, ahead, twice) = (all.len(), ahead_by(1.0), ahead_by(TWICE));
    let mut text = format!(
        "{}: ahead of every other crate on {ahead} of {cases} {}, twice as fast on {twice}{}\n",
        units::threads(threads),
        if cases == 1 { "case" } else { "cases" },
        if twice < cases { "; not on" } else { "" },
    );
    all.sort_by(|(_, one), (_, other)| one.ahead.total_cmp(&other.ahead));
    for (ours, Rival { name, ahead }) in all.iter().filter(|(_, rival)| rival.ahead < TWICE) {
        // Cut, so that what is not twice as fast does not read as 2.00.
        let ahead = (ahead * 100.0).floor() / 100.0;
        text += &format!("  {ahead:.2} x {name}: {}\n", ours.case);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::record;
    use super::*;

    fn rival(case: &str, threads: usize, median_ns: f64) -> Record {
        Record {
            case: case.into(),
            ..record("ndarray", threads, median_ns)
        }
    }

    fn ours(case: &str, threads: usize, median_ns: f64) -> Record {
        Record {
            case: case.into(),
            ..record(RESTRIDE, threads, median_ns)
        }
    }

    #[test]
    fn the_fastest_crate_on_up_to_as_many_threads_counts() {
        let records = [
            ours("a", 1, 2e6),
            ours("a", 2, 1e6),
            rival("a", 1, 5e6),
            record("naive", 1, 1e3),
        ];
        assert!(took_part(&records) && !took_part(&records[..2]));
        let name = "ndarray";
        let (one, two) = (2.5, 5.0);
        let rivals = [0, 1].map(|at| fastest(&records, &records[at]).unwrap());
        assert_eq!(rivals[0], Rival { name, ahead: one });
        assert_eq!(rivals[1], Rival { name, ahead: two });
        assert_eq!(fastest(&records, &ours("b", 1, 1.0)), None);
    }

    #[test]
    fn the_summary_lists_where_it_is_not_twice_as_fast() {
        let records = [
            ours("a", 1, 2e6),
            rival("a", 1, 5e6),
            ours("b", 1, 2e6),
            rival("b", 1, 3.999e6),
            ours("c", 1, 2e6),
            rival("c", 1, 1e6),
            ours("alone", 1, 2e6),
        ];
        let want = "1 thread: ahead of every other crate on 2 of 3 cases, twice as fast on 1; not on\n  \
                    0.50 x ndarray: c\n  1.99 x ndarray: b\n";
        assert_eq!(summary(&records), want);
        assert_eq!(summary(&records[6..]), "");
    }
}
