//! Roofline by working set: every case as a dot below what a plain copy of as many bytes reaches.

use super::ceilings::range;
use super::{FAMILIES, family, figure, level_bands};
use crate::data::Data;
use crate::data::query::Ours;
use crate::implementations::MEMCPY;
use crate::report::doc::Figure;
use crate::report::draw::{Entry, GREY, INK, Plot, Scale, byte_ticks, decades, legend};

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let threads = *data.threads().first()?;
    let dots: Vec<(f64, f64, &str)> = data
        .ours_on(threads)
        .filter(Ours::has_roof)
        .filter_map(|ours| {
            let plan = ours.case().kernel(threads)?;
            Some((
                ours.case().bytes() as f64,
                ours.gb_per_s(),
                &plan.family[..],
            ))
        })
        .collect();
    if dots.is_empty() {
        return None;
    }
    let mut roof = data.ceilings.roof(threads);
    let mut memcpy = data.ceilings.curve(MEMCPY, threads);
    // Cases beyond the largest copy are held against that.
    let largest = dots.iter().map(|dot| dot.0).fold(0.0, f64::max);
    for curve in [&mut roof, &mut memcpy] {
        if let Some(&(bytes, gb)) = curve.last()
            && bytes < largest
        {
            curve.push((largest * 1.2, gb));
        }
    }
    let xs = dots.iter().map(|dot| dot.0).chain(roof.iter().map(|p| p.0));
    let ys = dots.iter().map(|dot| dot.1).chain(roof.iter().map(|p| p.1));
    let ((low, high), (least, most)) = (range(xs)?, range(ys)?);
    let title = "Roofline by working set, one thread";
    Some(figure(
        "roofline-working-set",
        title,
        (960, 540),
        |canvas| {
            canvas.head(
            title,
            "Each mark is a case. The thick line is the roof: the better of memcpy and a streaming copy of \
             as many bytes",
        );
            let plot = Plot {
                canvas,
                frame: (64, 100, 936, 480),
                x: Scale::log(low.max(4096.0), high),
                y: Scale::log(least.max(most / 1000.0) * 0.8, most * 1.5),
            };
            level_bands(&plot, data);
            plot.grid_x(&byte_ticks(plot.x.low, high, 2));
            plot.grid_y(&decades(plot.y.low, plot.y.high));
            plot.rules();
            plot.names("source + destination, bytes", "GB/s");
            plot.steps(&memcpy, GREY, 1);
            for (bytes, gb, name) in &dots {
                let (colour, mark) = family(name);
                plot.mark((*bytes, *gb), mark, 7, colour);
            }
            plot.steps(&roof, INK, 3);
            let shown = |name: &str| dots.iter().any(|dot| dot.2 == name);
            let mut entries: Vec<Entry<'_>> = FAMILIES
                .iter()
                .filter(|(name, ..)| shown(name))
                .map(|&(name, colour, mark)| Entry {
                    name,
                    colour,
                    mark: Some(mark),
                })
                .collect();
            let line = |name, colour| Entry {
                name,
                colour,
                mark: None,
            };
            entries.extend([line("roof", INK), line("memcpy", GREY)]);
            legend(canvas, (64, 72), 936, &entries);
        },
    ))
}
