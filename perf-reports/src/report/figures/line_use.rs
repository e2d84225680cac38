//! Roofline by line use: where cells leave gaps, what limits a copy is the lines it touches. A diagonal
//! per level of the memory says how fast useful bytes can come out of lines that are used in part.

use super::ceilings::range;
use super::{FAMILIES, family, figure, levels};
use crate::data::Data;
use crate::report::doc::Figure;
use crate::report::draw::{Entry, INK, Plot, Scale, Words, decades, legend, spread};
use crate::units;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let threads = *data.threads().first()?;
    let dots: Vec<(f64, f64, &str)> = data
        .ours_on(threads)
        .filter(|ours| ours.has_roof() && ours.case().line_bytes() > 0.0)
        .filter_map(|ours| {
            let case = ours.case();
            let used = case.bytes() as f64 / case.line_bytes();
            Some((used, ours.gb_per_s(), &case.kernel(threads)?.family[..]))
        })
        .collect();
    let roof = data.ceilings.roof(threads);
    // The best plain copy within each cache, and the largest of all.
    let mut tops: Vec<(String, f64)> = levels(data)
        .into_iter()
        .filter(|(.., to)| to.is_finite())
        .filter_map(|(name, from, to)| {
            let within = roof.iter().filter(|p| p.0 > 1.2 * from && p.0 <= 0.8 * to);
            let best = within.map(|p| p.1);
            Some((name.into(), best.max_by(f64::total_cmp)?))
        })
        .collect();
    let &(bytes, gb) = roof.last()?;
    tops.push((units::binary(bytes as u64), gb));
    let (least, _) = range(dots.iter().map(|dot| dot.0))?;
    let (slowest, most) = range(dots.iter().map(|d| d.1).chain(tops.iter().map(|t| t.1)))?;
    let title = "Roofline by line use, one thread";
    Some(figure("roofline-line-use", title, (960, 540), |canvas| {
        canvas.head(
            title,
            "How much of the cache lines it touches a copy uses, and how fast. Diagonals: lines at the speed of \
             the best plain copy in a cache, and of the largest",
        );
        let plot = Plot {
            canvas,
            frame: (64, 100, 860, 480),
            x: Scale::log((least * 0.8).min(0.2), 2.0),
            y: Scale::log(slowest.max(most / 1000.0) * 0.8, most * 2.0),
        };
        let shares = [0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0];
        let names = ["1/32", "1/16", "1/8", "1/4", "1/2", "1", "2"];
        let ticks: Vec<_> = shares
            .into_iter()
            .zip(names.map(String::from))
            .filter(|(share, _)| *share >= plot.x.low)
            .collect();
        plot.grid_x(&ticks);
        plot.grid_y(&decades(plot.y.low, plot.y.high));
        plot.rules();
        plot.names(
            "useful bytes per byte of the lines touched (above 1: source cells are used again)",
            "useful GB/s",
        );
        let ends = tops.iter().map(|(_, gb)| plot.y_at(gb * plot.x.high));
        let mut places: Vec<i32> = ends.collect();
        spread(&mut places, 15, 100, 474);
        for ((name, gb), place) in tops.iter().zip(places) {
            // Cut where the diagonal enters the plot.
            let from = plot.x.low.max(plot.y.low / gb);
            let line = [(from, gb * from), (plot.x.high, gb * plot.x.high)];
            let is_cache = name.starts_with('L');
            plot.line(&line, INK, if is_cache { 1 } else { 3 });
            canvas.text((868, place), name, Words::new(12, INK).bold());
        }
        for (used, gb, name) in &dots {
            let (colour, mark) = family(name);
            plot.mark((*used, *gb), mark, 7, colour);
        }
        let entries: Vec<Entry<'_>> = FAMILIES
            .iter()
            .filter(|(name, ..)| dots.iter().any(|dot| dot.2 == *name))
            .map(|&(name, colour, mark)| Entry {
                name,
                colour,
                mark: Some(mark),
            })
            .collect();
        legend(canvas, (64, 72), 936, &entries);
    }))
}
