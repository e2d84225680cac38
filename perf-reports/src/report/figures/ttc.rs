//! The 57 transpositions, sorted by how near they come to the roof.

use super::rows::{Row, Rows};
use super::{figure, others};
use crate::data::Data;
use crate::data::query::Ours;
use crate::report::doc::Figure;
use crate::report::draw::{BLUE, Entry, INK, Mark, Scale, even_ticks};
use crate::statistics::geometric_mean;
use crate::units;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let threads = *data.threads().first()?;
    let most_threads = *data.threads().last()?;
    let peers = others(data);
    let mut all: Vec<(f64, Ours<'_>)> = data
        .kind("ttc")
        .flat_map(|measured| measured.ours())
        .filter(|ours| ours.record.threads == threads)
        .filter_map(|ours| Some((ours.of_roof()?, ours)))
        .collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mean = geometric_mean(&all.iter().map(|(share, _)| *share).collect::<Vec<_>>())?;
    let rows: Vec<Row> = all
        .iter()
        .map(|(share, ours)| {
            // Shares of the roof by the ratio of medians: peers sit out rounds.
            let roof_ns = ours.record.median_ns * share;
            let marks = peers.iter().filter_map(|&(name, colour, mark)| {
                Some((roof_ns / ours.measured.of(name, 1)?.median_ns, mark, colour))
            });
            let many = ours
                .measured
                .ours()
                .find(|other| other.record.threads == most_threads && most_threads != threads);
            let many = many.and_then(|many| many.of_roof());
            let mut marks: Vec<_> = marks.collect();
            marks.extend(many.map(|share| (share, Mark::Ring, INK)));
            Row {
                name: ours.case().name.clone(),
                bar: Some((*share, BLUE)),
                marks,
                limit: Some(1.0),
                note: units::ratio(Some(*share)),
            }
        })
        .collect();
    let one = "restride, one thread";
    let several = format!("restride, {}, of their roof", units::threads(most_threads));
    let mut entries = vec![Entry {
        name: one,
        colour: BLUE,
        mark: Some(Mark::Square),
    }];
    if most_threads != threads {
        entries.push(Entry {
            name: &several,
            colour: INK,
            mark: Some(Mark::Ring),
        });
    }
    entries.extend(peers.iter().map(|&(name, colour, mark)| Entry {
        name,
        colour,
        mark: Some(mark),
    }));
    let title = format!(
        "57 tensor transpositions: {} of the roof as geometric mean",
        units::ratio(Some(mean))
    );
    let chart = Rows {
        title: &title,
        reading: "Share of the roof, 200 MiB of f32 each; the names are the permutation and the extents, \
                  column-major",
        x: Scale::linear(0.0, 1.3),
        ticks: even_ticks(0.0, 1.3, 7),
        x_name: "of the better of memcpy and the streaming copy",
        entries,
        names: 236,
        pitch: 14,
        notes: 40,
    };
    let size = chart.size(rows.len());
    Some(figure("ttc57", &title, size, |canvas| {
        chart.paint(canvas, &rows);
    }))
}
