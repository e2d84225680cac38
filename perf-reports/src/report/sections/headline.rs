//! The verdict: one line per scenario, and beside them the worst cases of the run.

use std::collections::BTreeSet;

use crate::data::Data;
use crate::data::query::Ours;
use crate::report::doc::{Block, Section};
use crate::report::words;
use crate::statistics::Interval;
use crate::table::{Table, left, right};
use crate::units;

/// Cases named as the worst.
const WORST: usize = 5;

/// The case of each flagship scenario that stands for it: `F1-`, `F2-` .. the first that was measured.
pub(crate) fn headlines(data: &Data) -> Vec<Ours<'_>> {
    let mut seen = BTreeSet::new();
    let Some(&threads) = data.threads().first() else {
        return Vec::new();
    };
    let all = data.kind("flagship").flat_map(|measured| measured.ours());
    all.filter(|ours| ours.record.threads == threads)
        .filter(|ours| {
            let scenario = ours.case().name.split('-').next();
            seen.insert(scenario.map(String::from))
        })
        .collect()
}

/// The cases that are farthest from the roof, counted in lines.
pub(in crate::report) fn worst(data: &Data, number: usize) -> Vec<(f64, Ours<'_>)> {
    let Some(&threads) = data.threads().first() else {
        return Vec::new();
    };
    let large = data.ours_on(threads).filter(Ours::has_roof);
    let mut all: Vec<_> = large
        .filter_map(|ours| Some((ours.of_roof_in_lines()?, ours)))
        .collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all.truncate(number);
    all
}

pub(super) fn section(data: &Data) -> Section {
    let environment = &data.environment;
    let mut blocks = vec![Block::Text(format!(
        "{}, commit `{}`, {}. {} cases, every result verified; {}.",
        environment.cpu,
        environment.revision(),
        environment.date,
        data.cases.len(),
        data.run.words(),
    ))];
    if environment.virtualised == Some(true) || data.run.others.is_some_and(|share| share > 0.05) {
        blocks.push(Block::Text(warning(data)));
    }
    if data.cases.is_empty() {
        blocks.push(Block::Text(
            "There is nothing to see: no case was measured.".into(),
        ));
        return Section::new("verdict", "Verdict", blocks);
    }
    let headlines = headlines(data);
    if !headlines.is_empty() {
        blocks.push(Block::Table(scenarios(data, &headlines)));
    }
    blocks.push(Block::Text(format!(
        "The {WORST} cases of this run that are farthest from the roof, counted in the lines they have to \
         touch:"
    )));
    let mut table = Table::new(vec![
        left("case"),
        right("GB/s"),
        right("of the roof, in lines"),
        left("kernel"),
    ]);
    for (share, ours) in worst(data, WORST) {
        let plan = ours.case().kernel(ours.record.threads);
        table.push(vec![
            ours.case().name.clone(),
            units::digits(ours.gb_per_s()),
            units::ratio(Some(share)),
            plan.map_or_else(String::new, |plan| plan.kernel.clone()),
        ]);
    }
    blocks.push(Block::Table(table));
    let means = words::means(data);
    blocks.push(Block::List(means.lines().map(String::from).collect()));
    Section::new("verdict", "Verdict", blocks)
}

fn warning(data: &Data) -> String {
    let mut reasons = Vec::new();
    if data.environment.virtualised == Some(true) {
        reasons.push("this is a virtual machine, whose neighbours share caches and memory".into());
    }
    if let Some(share) = data.run.others.filter(|share| *share > 0.05) {
        let share = 100.0 * share;
        reasons.push(format!("other processes took {share:.0} % of the CPU time"));
    }
    format!("Read with care: {}.", reasons.join("; "))
}

/// Middle, and the bounds of an interval.
pub(super) fn with_bounds(interval: Option<Interval>) -> String {
    interval.map_or_else(
        || "-".into(),
        |Interval { low, middle, high }| {
            let [low, middle, high] = [low, middle, high].map(units::digits);
            format!("{middle} ({low} to {high})")
        },
    )
}

fn scenarios(data: &Data, headlines: &[Ours<'_>]) -> Table {
    let mut table = Table::new(vec![
        left("scenario"),
        right("GB/s"),
        right("of the roof"),
        right("times the best peer"),
        left("best peer"),
    ]);
    for ours in headlines {
        let rival = ours.fastest_rival();
        let shares = crate::statistics::interval(&ours.of_roof_by_round());
        table.push(vec![
            ours.case().name.clone(),
            with_bounds(ours.gb_interval()),
            with_bounds(shares),
            with_bounds(rival.as_ref().map(|rival| rival.ahead)),
            rival.map_or_else(
                || "none can express it".into(),
                |rival| {
                    let name = &rival.record.implementation;
                    let peers = &data.run.peers;
                    let peer = peers.iter().find(|peer| peer.name == *name);
                    let version = peer.and_then(|peer| peer.version.clone());
                    format!("{name} {}", version.unwrap_or_default())
                },
            ),
        ]);
    }
    table
}
