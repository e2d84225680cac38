//! Threads: how many times as fast as one, beside how much the roof gains.

use super::figure;
use super::rows::{Row, Rows};
use crate::data::Data;
use crate::data::query::Ours;
use crate::report::doc::Figure;
use crate::report::draw::{
    BLUE, Colour, Entry, GREEN, INK, Mark, PURPLE, Scale, VERMILION, even_ticks,
};
use crate::units;

/// Cases from this many bytes a side on.
const LARGE: usize = 8 << 20;

const STYLES: [(Colour, Mark); 4] = [
    (BLUE, Mark::Disc),
    (VERMILION, Mark::Diamond),
    (GREEN, Mark::Up),
    (PURPLE, Mark::Down),
];

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let counts: Vec<usize> = data.threads().into_iter().filter(|&n| n > 1).collect();
    // The roof that a record stands under, in nanoseconds.
    let roof = |ours: &Ours<'_>| Some(ours.record.median_ns * ours.of_roof()?);
    let mut rows = Vec::new();
    let mut most: f64 = 1.0;
    for measured in data.kind("flagship").chain(data.kind("table")) {
        let alone = measured.ours().find(|ours| ours.record.threads == 1);
        let Some(alone) = alone.filter(|_| measured.case.side_bytes >= LARGE) else {
            continue;
        };
        let mut row = Row {
            name: measured.case.name.clone(),
            ..Row::default()
        };
        for (&threads, (colour, mark)) in counts.iter().zip(STYLES.into_iter().cycle()) {
            let many = measured.ours().find(|ours| ours.record.threads == threads);
            let Some(many) = many else { continue };
            let factor = alone.record.median_ns / many.record.median_ns;
            row.marks.push((factor, mark, colour));
            row.note = format!("{factor:.2}");
            if Some(&threads) == counts.last() {
                row.limit = roof(&alone).zip(roof(&many)).map(|(one, many)| one / many);
            }
            most = most.max(factor).max(row.limit.unwrap_or(0.0));
        }
        if !row.marks.is_empty() {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let names: Vec<String> = counts.iter().map(|&n| units::threads(n)).collect();
    let styles = STYLES.into_iter().cycle();
    let mut entries: Vec<Entry<'_>> = names
        .iter()
        .zip(styles)
        .map(|(name, (colour, mark))| Entry {
            name,
            colour,
            mark: Some(mark),
        })
        .collect();
    let what = format!("what the roof gains on {}", names.last()?);
    entries.push(Entry {
        name: &what,
        colour: INK,
        mark: None,
    });
    let high = most.max(2.0) * 1.05;
    let all = rows
        .iter()
        .flat_map(|row| row.marks.iter().map(|mark| mark.0));
    let low = if all.fold(1.0, f64::min) < 0.9 {
        0.0
    } else {
        0.8
    };
    let chart = Rows {
        title: "Threads: how many times as fast as one",
        reading: "Cases of 8 MiB a side and more. What one thread leaves of the memory's bandwidth is what \
                  others can gain",
        x: Scale::linear(low, high),
        ticks: even_ticks(low, high, 8),
        x_name: "times the speed of one thread",
        entries,
        names: 216,
        pitch: 22,
        notes: 48,
    };
    let size = chart.size(rows.len());
    Some(figure("threads", chart.title, size, |canvas| {
        chart.paint(canvas, &rows);
    }))
}
