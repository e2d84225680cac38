//! The flagship scenarios: restride's bar, the roof's line, the marks of the others.

use super::rows::{Row, Rows};
use super::{figure, others};
use crate::data::Data;
use crate::report::doc::Figure;
use crate::report::draw::{BLUE, Entry, INK, Mark, Scale, even_ticks};
use crate::units;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let threads = *data.threads().first()?;
    let peers = others(data);
    let mut rows = Vec::new();
    let mut most: f64 = 0.0;
    let cases = data.kind("flagship").chain(data.kind("table"));
    for ours in cases.flat_map(|measured| measured.ours()) {
        if ours.record.threads != threads || !ours.has_roof() {
            continue;
        }
        let case = ours.case();
        let bytes = case.bytes() as f64;
        let share = ours.of_roof_in_lines();
        let limit = share.map(|share| ours.gb_per_s() / share);
        let marks = peers.iter().filter_map(|&(name, colour, mark)| {
            let record = ours.measured.of(name, 1)?;
            Some((bytes / record.median_ns, mark, colour))
        });
        most = most.max(ours.gb_per_s()).max(limit.unwrap_or(0.0));
        rows.push(Row {
            name: case.name.clone(),
            bar: Some((ours.gb_per_s(), BLUE)),
            marks: marks.collect(),
            limit,
            note: format!(
                "{}, {} of the roof",
                units::digits(ours.gb_per_s()),
                units::ratio(share)
            ),
        });
    }
    if rows.is_empty() {
        return None;
    }
    let mut entries = vec![
        Entry {
            name: "restride",
            colour: BLUE,
            mark: Some(Mark::Square),
        },
        Entry {
            name: "roof: the better plain copy of as many bytes or lines",
            colour: INK,
            mark: None,
        },
    ];
    entries.extend(peers.iter().map(|&(name, colour, mark)| Entry {
        name,
        colour,
        mark: Some(mark),
    }));
    // Small cases run in a cache at several times the speed; the scale is that of most.
    let mut limits: Vec<f64> = rows.iter().filter_map(|row| row.limit).collect();
    limits.sort_unstable_by(f64::total_cmp);
    let usual = limits.get(limits.len() * 3 / 4).copied().unwrap_or(most);
    let high = most.min(usual * 1.6) * 1.02;
    // What lies beyond would stand on the edge as if it were there.
    for row in &mut rows {
        row.marks.retain(|mark| mark.0 <= high);
        row.limit = row.limit.filter(|&limit| limit <= high);
    }
    let chart = Rows {
        title: "Real scenarios, one thread",
        reading: "GB/s read + written, longer is faster. Bars that reach the right edge go on beyond it: \
                  copies within a cache",
        x: Scale::linear(0.0, high),
        ticks: even_ticks(0.0, high, 8),
        x_name: "GB/s",
        entries,
        names: 216,
        pitch: 22,
        notes: 140,
    };
    let size = chart.size(rows.len());
    Some(figure("flagship", chart.title, size, |canvas| {
        chart.paint(canvas, &rows);
    }))
}
