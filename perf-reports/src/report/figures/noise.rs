//! The noise of the run: the same copy over time, and the same case measured twice.

use super::figure;
use crate::data::Data;
use crate::report::doc::Figure;
use crate::report::draw::{
    Anchor, BLUE, GREY, INK, Mark, Plot, Scale, VERMILION, Words, even_ticks,
};
use crate::statistics::median;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let control: Vec<(f64, f64)> = data
        .ceilings
        .control
        .iter()
        .filter_map(|control| Some((control.seconds, median(&control.samples_ns)?)))
        .collect();
    let middle = median(&control.iter().map(|point| point.1).collect::<Vec<_>>())?;
    let control: Vec<_> = control.iter().map(|(s, ns)| (*s, ns / middle)).collect();
    let mut twins: Vec<f64> = data.again().iter().map(|off| 100.0 * off).collect();
    twins.sort_unstable_by(f64::total_cmp);
    let title = "The noise of this run";
    Some(figure("noise", title, (960, 330), |canvas| {
        canvas.head(
            title,
            "Left: one memcpy timed again and again. Right: pairs of measurements of the same thing, sorted",
        );
        let end = control.last().map_or(1.0, |point| point.0).max(1.0);
        let most = control.iter().map(|p| p.1).fold(1.2, f64::max) * 1.02;
        let least = control.iter().map(|p| p.1).fold(0.8, f64::min) * 0.98;
        let plot = Plot {
            canvas,
            frame: (64, 70, 470, 270),
            x: Scale::linear(0.0, end),
            y: Scale::linear(least, most),
        };
        plot.grid_x(&even_ticks(0.0, end, 5));
        plot.grid_y(&even_ticks(least, most, 5));
        plot.rules();
        plot.line(&[(0.0, 1.0), (end, 1.0)], GREY, 1);
        plot.line(&control, BLUE, 1);
        for &point in &control {
            plot.mark(point, Mark::Disc, 5, BLUE);
        }
        plot.names("seconds since the start", "time / median");
        if twins.is_empty() {
            return;
        }
        let floor = 100.0 * data.noise();
        let high = twins.last().copied().unwrap_or(0.0).max(floor) * 1.1;
        let plot = Plot {
            canvas,
            frame: (560, 70, 936, 270),
            x: Scale::linear(0.0, twins.len() as f64 + 1.0),
            y: Scale::linear(0.0, high),
        };
        plot.grid_y(&even_ticks(0.0, high, 5));
        plot.rules();
        plot.dashes(&[(0.0, floor), (plot.x.high, floor)], VERMILION, 2);
        let at = (566, plot.y_at(floor) - 10);
        canvas.text(
            at,
            &format!("floor {floor:.1} %"),
            Words::new(12, VERMILION),
        );
        for (i, &off) in twins.iter().enumerate() {
            plot.mark((i as f64 + 1.0, off), Mark::Disc, 5, BLUE);
        }
        let middle = Words::new(12, INK).anchored(Anchor::Middle);
        canvas.text((748, 302), "pairs", middle);
        canvas.text((518, 170), "difference, %", middle.upright());
    }))
}
