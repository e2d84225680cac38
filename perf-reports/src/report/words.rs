//! What tables say in sentences: the noise, the means, where other crates stand.

use restride_cases::Kind;

use crate::data::query::{Ours, Rival};
use crate::data::{Data, Measured};
use crate::implementations::MEMCPY;
use crate::statistics::geometric_mean;
use crate::units;

/// What being well ahead means.
const TWICE: f64 = 2.0;
/// So many cases are named.
const NAMED: usize = 40;
/// What being slower than a plain loop means: below the least that is ever called a difference, and more.
const SLOWER: f64 = 0.97;
/// So many random layouts are named.
const WORST: usize = 10;

/// What may be called a difference in this run.
pub(crate) fn noise(data: &Data) -> String {
    let (twins, floor) = (data.again().len(), 100.0 * data.noise());
    let control = data
        .ceilings
        .control_spread()
        .map_or_else(String::new, |(low, high)| {
            let n = data.ceilings.control.len();
            format!("; the control copy took {low:.2} to {high:.2} of its median, {n} times")
        });
    format!(
        "differences below {floor:.1} % are noise: 19 of 20 of {twins} pairs of the same thing differed \
         by less{control}"
    )
}

/// The geometric means of the ratios and the case that is farthest from the roof, a line per number
/// of threads.
pub(crate) fn means(data: &Data) -> String {
    let mut text = String::new();
    for threads in data.threads() {
        let all: Vec<Ours<'_>> = data.ours_on(threads).filter(Ours::has_roof).collect();
        if all.is_empty() {
            continue;
        }
        let mean = |ratio: fn(&Ours<'_>) -> Option<f64>| {
            geometric_mean(&all.iter().filter_map(ratio).collect::<Vec<_>>())
        };
        let ratios = all
            .iter()
            .filter_map(|ours| Some((ours.of_roof_in_lines()?, &ours.case().name)));
        let worst = ratios.min_by(|one, other| one.0.total_cmp(&other.0));
        let worst = worst.map(|(ratio, case)| format!("; least {ratio:.2} in lines, {case}"));
        let cases = all.len();
        text += &format!(
            "{}: geometric mean {} of {MEMCPY}, {} of the roof over {cases} {}{}\n",
            units::threads(threads),
            units::ratio(mean(|ours| ours.of_memcpy())),
            units::ratio(mean(|ours| ours.of_roof())),
            if cases == 1 {
                "case"
            } else {
                "cases of 16 KiB and more"
            },
            worst.filter(|_| cases > 1).unwrap_or_default(),
        );
    }
    text
}

/// Where other crates stand, a paragraph per number of threads; empty where none took part.
pub(crate) fn rivals(data: &Data) -> String {
    let mut text = String::new();
    for threads in data.threads() {
        let all: Vec<(Ours<'_>, Rival<'_>)> = data
            .ours_on(threads)
            .filter_map(|ours| Some((ours, ours.fastest_rival()?)))
            .collect();
        if !all.is_empty() {
            text += &paragraph(threads, all);
        }
    }
    text
}

/// Where plain loops stand on random layouts, a line for each size, and the layouts on which they are fastest; empty where
/// none were measured.
pub(crate) fn loops(data: &Data) -> String {
    let size = |name: &str| name.split('.').nth(1).map(String::from);
    let random = data.kind(Kind::Random.name()).flat_map(Measured::ours);
    let mut all: Vec<(f64, &str)> = random
        .filter_map(|ours| Some((ours.of_loops()?, &*ours.case().name)))
        .collect();
    let mut sizes: Vec<Option<String>> = all.iter().map(|(_, name)| size(name)).collect();
    sizes.dedup();
    let mut text = String::new();
    for of in sizes {
        let some = all.iter().filter(|(_, name)| size(name) == of);
        let factors: Vec<f64> = some.map(|(factor, _)| *factor).collect();
        let slower = factors.iter().filter(|factor| **factor < SLOWER).count();
        text += &format!(
            "random layouts, {}: slower than plain loops on {slower} of {}, geometric mean {} times as fast\n",
            of.unwrap_or_default(),
            factors.len(),
            units::ratio(geometric_mean(&factors)),
        );
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let slower = all.iter().filter(|(factor, _)| *factor < SLOWER);
    for (factor, name) in slower.take(WORST) {
        text += &format!("  {factor:.2} x plain loops: {name}\n");
    }
    text
}

fn paragraph(threads: usize, mut all: Vec<(Ours<'_>, Rival<'_>)>) -> String {
    let ahead_by = |factor: f64| {
        all.iter()
            .filter(|(_, rival)| rival.ahead.middle >= factor)
            .count()
    };
    let (cases, ahead, twice) = (all.len(), ahead_by(1.0), ahead_by(TWICE));
    let mut text = format!(
        "{}: ahead of every other crate on {ahead} of {cases} {}, twice as fast on {twice}{}\n",
        units::threads(threads),
        if cases == 1 { "case" } else { "cases" },
        if twice < cases { "; not on" } else { "" },
    );
    all.sort_by(|(_, one), (_, other)| one.ahead.middle.total_cmp(&other.ahead.middle));
    let slower = all.iter().filter(|(_, rival)| rival.ahead.middle < TWICE);
    for (ours, Rival { record, ahead }) in slower.clone().take(NAMED) {
        // Cut, so that what is not twice as fast does not read as 2.00.
        let ahead = (ahead.middle * 100.0).floor() / 100.0;
        text += &format!(
            "  {ahead:.2} x {}: {}\n",
            record.implementation,
            ours.case().name
        );
    }
    let more = slower.count().saturating_sub(NAMED);
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn plain_loops_are_compared_by_size_and_the_worst_are_named() {
        let mut data = synthetic::data();
        assert_eq!(loops(&data), "");
        data.cases.clear();
        // Restride took 4 ms each time.
        let times = [
            ("X.l1.0.0", 2e6, 3e6),
            ("X.l1.0.1", 8e6, 9e6),
            ("X.l2.0.0", 6e6, 4e6),
        ];
        for (name, by_destination, by_source) in times {
            let mut measured = synthetic::measured(name, "random", 64, 1.0);
            for (who, ns) in [("loops", by_destination), ("loops by source", by_source)] {
                measured.records.push(synthetic::record(name, (who, 1), ns));
            }
            measured.records.retain(|record| record.threads == 1);
            data.cases.push(measured);
        }
        let expected = "\
random layouts, l1: slower than plain loops on 1 of 2, geometric mean 1.00 times as fast
random layouts, l2: slower than plain loops on 0 of 1, geometric mean 1.00 times as fast
  0.50 x plain loops: X.l1.0.0
";
        assert_eq!(loops(&data), expected);
    }
}
