//! Small copies: what a call takes, with a plan that stands, one that is made, and without.

use super::ceilings::range;
use super::figure;
use super::rows::{Row, Rows};
use crate::data::Data;
use crate::implementations::{NAIVE, PLAN, PLAN_AND_RUN, RESTRIDE, RUN, VIEWS};
use crate::report::doc::Figure;
use crate::report::draw::{
    AMBER, BLUE, Colour, Entry, GREEN, GREY, Mark, PURPLE, Scale, VERMILION, decades,
};
use crate::units;

/// Who is shown, under which name.
const SHOWN: [(&str, &str, Colour, Mark); 7] = [
    (RESTRIDE, "run a plan at addresses", BLUE, Mark::Disc),
    (RUN, "run it between views", BLUE, Mark::Ring),
    (VIEWS, "copy between views", GREEN, Mark::Square),
    (PLAN, "plan", PURPLE, Mark::Down),
    (PLAN_AND_RUN, "plan and run", VERMILION, Mark::Diamond),
    (NAIVE, "naive loop", GREY, Mark::Cross),
    ("ndarray", "ndarray", AMBER, Mark::Up),
];

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let mut rows = Vec::new();
    for measured in data.kind("small") {
        let marks: Vec<_> = SHOWN
            .iter()
            .filter_map(|&(name, _, colour, mark)| {
                Some((measured.of(name, 1)?.median_ns, mark, colour))
            })
            .collect();
        rows.push(Row {
            name: measured.case.name.clone(),
            marks,
            note: units::bytes(measured.case.side_bytes),
            ..Row::default()
        });
    }
    let times = || {
        rows.iter()
            .flat_map(|row| row.marks.iter().map(|mark| mark.0))
    };
    let (low, high) = range(times().collect::<Vec<_>>().into_iter())?;
    let took_part = |who: &str| data.kind("small").any(|case| case.of(who, 1).is_some());
    let shown = SHOWN.iter().filter(|(who, ..)| took_part(who));
    let entries = shown.map(|&(_, name, colour, mark)| Entry {
        name,
        colour,
        mark: Some(mark),
    });
    let chart = Rows {
        title: "Small copies: what a call takes",
        reading: "Nanoseconds per call, further left is faster; a step of the grid is a factor. Right: bytes \
                  of one side",
        x: Scale::log(low * 0.8, high * 1.2),
        ticks: decades(low * 0.8, high * 1.2),
        x_name: "ns per call",
        entries: entries.collect(),
        names: 250,
        pitch: 20,
        notes: 60,
    };
    let size = chart.size(rows.len());
    Some(figure("latency", chart.title, size, |canvas| {
        chart.paint(canvas, &rows);
    }))
}
