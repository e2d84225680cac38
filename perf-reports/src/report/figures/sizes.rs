//! Throughput against size: a small chart per kernel family, a line per cell.

use std::collections::BTreeMap;

use super::ceilings::range;
use super::{FAMILIES, figure};
use crate::data::Data;
use crate::report::doc::Figure;
use crate::report::draw::{
    AMBER, Anchor, BLUE, Colour, GREEN, GREY, INK, Mark, PURPLE, Plot, SOFT, Scale, VERMILION,
    Words, byte_ticks, decades, spread,
};

const STYLES: [(Colour, Mark); 5] = [
    (BLUE, Mark::Disc),
    (VERMILION, Mark::Square),
    (GREEN, Mark::Diamond),
    (PURPLE, Mark::Up),
    (AMBER, Mark::Down),
];

const COLUMNS: usize = 3;
const PANEL: (i32, i32) = (314, 240);

/// Lines of a family by bytes of a cell: working set and GB/s.
type Lines = BTreeMap<usize, Vec<(f64, f64)>>;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let mut families: BTreeMap<&str, Lines> = BTreeMap::new();
    let all = data.kind("size").flat_map(|measured| measured.ours());
    for ours in all.filter(|ours| ours.record.threads == 1) {
        let mut words = ours.case().name.split('.').skip(1);
        let (Some(family), Some(Ok(cell))) = (words.next(), words.next().map(str::parse)) else {
            continue;
        };
        let lines = families.entry(family).or_default();
        let point = (ours.case().bytes() as f64, ours.gb_per_s());
        lines.entry(cell).or_default().push(point);
    }
    let all = families.values().flat_map(BTreeMap::values).flatten();
    let (low, high) = range(all.clone().map(|p| p.0))?;
    let roof = data.ceilings.roof(1);
    let (least, most) = range(all.map(|p| p.1).chain(roof.iter().map(|p| p.1)))?;
    let panels: Vec<(&str, &Lines)> = FAMILIES
        .iter()
        .filter_map(|&(name, ..)| Some((name, families.get(name)?)))
        .collect();
    let rows = panels.len().div_ceil(COLUMNS) as i32;
    let title = "Throughput against size, by kernel family and bytes of a cell";
    let size = (960, (62 + rows * PANEL.1 + 30) as u32);
    Some(figure("sizes", title, size, |canvas| {
        canvas.head(
            title,
            "GB/s of useful bytes read + written, one thread, both axes in factors. Grey: the roof. Numbers: \
             bytes of a cell, or of a run",
        );
        for (i, (name, lines)) in panels.into_iter().enumerate() {
            let left = 44 + (i % COLUMNS) as i32 * PANEL.0;
            let top = 80 + (i / COLUMNS) as i32 * PANEL.1;
            let plot = Plot {
                canvas,
                frame: (left, top, left + PANEL.0 - 76, top + PANEL.1 - 56),
                x: Scale::log(low, high),
                y: Scale::log(least.max(most / 2000.0) * 0.9, most * 1.2),
            };
            let ticks = byte_ticks(low, high, 2);
            let some: Vec<_> = ticks.into_iter().skip(1).step_by(2).collect();
            plot.grid_x(&some);
            let tens: Vec<_> = decades(plot.y.low, plot.y.high)
                .into_iter()
                .filter(|(value, _)| value.log10().fract().abs() < 1e-9)
                .collect();
            plot.grid_y(&tens);
            plot.rules();
            canvas.text((left, top - 12), name, Words::new(13, INK).bold());
            plot.steps(&roof, GREY, 2);
            let mut places: Vec<i32> = lines
                .values()
                .map(|line| line.last().map_or(0, |p| plot.y_at(p.1)))
                .collect();
            spread(&mut places, 13, top, top + PANEL.1 - 60);
            let styled = lines.iter().zip(STYLES.into_iter().cycle()).zip(places);
            for (((cell, line), (colour, mark)), place) in styled {
                plot.line(line, colour, 2);
                for &point in line {
                    plot.mark(point, mark, 5, colour);
                }
                let at = (left + PANEL.0 - 70, place);
                canvas.text(at, &format!("{cell} B"), Words::new(11, colour).bold());
            }
        }
        let words = Words::new(12, SOFT).anchored(Anchor::Middle);
        let bottom = size.1 as i32 - 14;
        canvas.text((480, bottom), "source + destination, bytes", words);
    }))
}
