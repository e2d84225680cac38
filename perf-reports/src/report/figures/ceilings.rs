//! What plain copies reach, by working set: the ceilings of everything else.

use super::{figure, level_bands};
use crate::data::Data;
use crate::implementations::{MEMCPY, NT4COPY};
use crate::report::doc::Figure;
use crate::report::draw::{BLUE, Plot, SOFT, Scale, VERMILION, Words, byte_ticks, decades, spread};
use crate::units;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let mut curves = Vec::new();
    for threads in data.ceilings.threads() {
        for (name, words, colour) in [(MEMCPY, "memcpy", BLUE), (NT4COPY, "streaming", VERMILION)] {
            let curve = data.ceilings.curve(name, threads);
            let label = format!("{words}, {}", units::threads(threads));
            if !curve.is_empty() {
                curves.push((label, curve, colour, threads == 1));
            }
        }
    }
    let all = || curves.iter().flat_map(|(_, curve, ..)| curve);
    let (low, high) = range(all().map(|&(bytes, _)| bytes))?;
    let (least, most) = range(all().map(|&(_, gb)| gb))?;
    let title = "Ceilings: what plain copies reach";
    Some(figure("ceilings", title, (960, 470), |canvas| {
        canvas.head(
            title,
            "GB/s read + written, higher is faster; memcpy goes through the caches, the streaming copy \
             around them",
        );
        let plot = Plot {
            canvas,
            frame: (64, 74, 790, 410),
            x: Scale::log(low, high),
            y: Scale::log(least * 0.8, most * 1.6),
        };
        level_bands(&plot, data);
        plot.grid_x(&byte_ticks(low, high, 2));
        plot.grid_y(&decades(plot.y.low, plot.y.high));
        plot.rules();
        plot.names("source + destination, bytes", "GB/s");
        let mut places: Vec<i32> = curves
            .iter()
            .map(|(_, curve, ..)| curve.last().map_or(0, |&(_, gb)| plot.y_at(gb)))
            .collect();
        spread(&mut places, 16, 80, 404);
        for ((label, curve, colour, alone), place) in curves.iter().zip(places) {
            if *alone {
                plot.line(curve, *colour, 3);
            } else {
                plot.dashes(curve, *colour, 2);
            }
            canvas.text((798, place), label, Words::new(12, *colour));
        }
        if curves.iter().any(|(.., alone)| !alone) {
            canvas.text((798, 442), "dashed: several threads", Words::new(11, SOFT));
        }
    }))
}

/// The least and the largest of positive values.
pub(super) fn range(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    let low = values.clone().min_by(f64::total_cmp)?;
    let high = values.max_by(f64::total_cmp)?;
    // A scale needs two ends.
    Some(if low < high {
        (low, high)
    } else {
        (low / 2.0, high * 2.0)
    })
}
