//! The figures, a file each. Each is a function of the data; `None` where there is nothing to show.

pub(super) mod ceilings;
pub(super) mod flagship;
pub(super) mod latency;
pub(super) mod line_use;
pub(super) mod noise;
pub(super) mod permutations;
pub(super) mod resonance;
mod rows;
pub(super) mod sizes;
pub(super) mod threads;
pub(super) mod ttc;
pub(super) mod working_set;

use super::doc::Figure;
use super::draw::{
    AMBER, BLUE, Canvas, Colour, GREEN, GREY, Mark, PURPLE, Plot, SKY, SOFT, VERMILION, Words, draw,
};
use crate::data::Data;

/// A drawn figure.
fn figure(
    name: &'static str,
    title: &str,
    size: (u32, u32),
    paint: impl FnOnce(&Canvas<'_>),
) -> Figure {
    let svg = draw(size, title, paint);
    let title = title.into();
    Figure { name, title, svg }
}

/// The kernel families, each with its colour and shape, in the order of legends.
const FAMILIES: [(&str, Colour, Mark); 7] = [
    ("run", BLUE, Mark::Disc),
    ("transpose", VERMILION, Mark::Square),
    ("interleave", GREEN, Mark::Diamond),
    ("gather", AMBER, Mark::Up),
    ("scatter", PURPLE, Mark::Down),
    ("fill", SKY, Mark::Ring),
    ("strided", GREY, Mark::Cross),
];

fn family(name: &str) -> (Colour, Mark) {
    let found = FAMILIES.iter().find(|(known, ..)| *known == name);
    found.map_or((GREY, Mark::Disc), |&(_, colour, mark)| (colour, mark))
}

/// Colours and shapes of those who stand beside restride, in the order that they appear in.
const OTHERS: [(Colour, Mark); 7] = [
    (VERMILION, Mark::Diamond),
    (GREEN, Mark::Up),
    (PURPLE, Mark::Down),
    (AMBER, Mark::Square),
    (SKY, Mark::Ring),
    (GREY, Mark::Cross),
    (SOFT, Mark::Disc),
];

/// The peers that have a record of some case: name, colour, shape.
fn others(data: &Data) -> Vec<(&str, Colour, Mark)> {
    let took_part = |name: &str| {
        let mut records = data.cases.iter().flat_map(|measured| &measured.records);
        records.any(|record| record.implementation == name)
    };
    let names = data.run.peers.iter().map(|peer| &peer.name[..]);
    let styles = OTHERS.into_iter().cycle();
    let taking_part = names.filter(|name| took_part(name)).zip(styles);
    taking_part
        .map(|(name, (colour, mark))| (name, colour, mark))
        .collect()
}

/// The levels of the memory by the bytes that fit into them, the last without an end.
fn levels(data: &Data) -> Vec<(&'static str, f64, f64)> {
    let caches = &data.environment.caches;
    let mut from = 0.0;
    let mut levels = Vec::new();
    for (name, bytes) in [("L1", caches.l1), ("L2", caches.l2), ("L3", caches.l3)] {
        if bytes as f64 > from {
            levels.push((name, from, bytes as f64));
            from = bytes as f64;
        }
    }
    levels.push(("memory", from, f64::INFINITY));
    levels
}

/// Grounds and names of the levels behind a plot whose x is a working set in bytes.
fn level_bands(plot: &Plot<'_, '_>, data: &Data) {
    use super::draw::{Anchor, BAND, FAR_BAND};
    let (_, top, _, bottom) = plot.frame;
    for (i, (name, from, to)) in levels(data).into_iter().enumerate() {
        let (left, right) = (
            plot.x_at(from.max(plot.x.low)),
            plot.x_at(to.min(plot.x.high)),
        );
        if right - left < 4 {
            continue;
        }
        let ground = if i % 2 == 0 { BAND } else { FAR_BAND };
        plot.canvas.rect((left, top), (right, bottom), ground);
        let words = Words::new(12, SOFT).bold();
        // Above the frame, where no line of the grid crosses them.
        if right - left > 60 {
            let at = (i32::midpoint(left, right), top - 9);
            plot.canvas.text(at, name, words.anchored(Anchor::Middle));
        } else {
            let at = (right, top - 9);
            plot.canvas.text(at, name, words.anchored(Anchor::End));
        }
    }
}
