//! Stride resonance: square transposes row by row around sizes whose strides fall onto few cache sets.

use super::{figure, others};
use crate::data::Data;
use crate::implementations::{MEMCPY, NT4COPY};
use crate::report::doc::Figure;
use crate::report::draw::{
    Anchor, BLUE, Colour, Entry, GREY, INK, Plot, Scale, Words, even_ticks, legend,
};

/// Rows, and GB/s.
type Speeds = Vec<(f64, f64)>;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    let rows = |name: &str| name.strip_prefix("R.")?.parse::<f64>().ok();
    // Rows, and GB/s of an implementation.
    let speeds = |who: &str| -> Speeds {
        let cases = data.kind("resonance");
        let of = cases.filter_map(|measured| {
            let record = measured.of(who, 1)?;
            let gb = measured.case.bytes() as f64 / record.median_ns;
            Some((rows(&measured.case.name)?, gb))
        });
        of.collect()
    };
    let ours = speeds("restride");
    let mut roof = speeds(MEMCPY);
    for (point, other) in roof.iter_mut().zip(speeds(NT4COPY)) {
        point.1 = point.1.max(other.1);
    }
    let peers: Vec<(&str, Colour, Speeds)> = others(data)
        .into_iter()
        .map(|(name, colour, _)| (name, colour, speeds(name)))
        .filter(|(.., speeds)| !speeds.is_empty())
        .collect();
    let near = |points: &[(f64, f64)], low: f64, high: f64| -> Vec<(f64, f64)> {
        let within = points.iter().filter(|p| (low..=high).contains(&p.0));
        within.copied().collect()
    };
    let panels = [(1000.0, 1100.0), (4080.0, 4112.0)];
    let panels: Vec<_> = panels
        .into_iter()
        .filter(|&(low, high)| near(&ours, low, high).len() > 1)
        .collect();
    if panels.is_empty() {
        return None;
    }
    let title = "Stride resonance: square transposes of f32, one thread";
    Some(figure("resonance", title, (960, 430), |canvas| {
        canvas.head(
            title,
            "GB/s by number of rows. Dips are row lengths whose strides fall onto few cache sets: multiples \
             of 1024 rows are 4 KiB",
        );
        let mut entries = vec![("restride", BLUE), ("roof", INK)];
        entries.extend(peers.iter().map(|(name, colour, _)| (*name, *colour)));
        let entries: Vec<Entry<'_>> = entries
            .into_iter()
            .map(|(name, colour)| Entry {
                name,
                colour,
                mark: None,
            })
            .collect();
        legend(canvas, (16, 70), 944, &entries);
        let width = 944 / panels.len() as i32;
        for (i, &(low, high)) in panels.iter().enumerate() {
            let left = 58 + i as i32 * width;
            let (ours, roof) = (near(&ours, low, high), near(&roof, low, high));
            let all = ours.iter().chain(&roof).map(|p| p.1);
            let most = all.max_by(f64::total_cmp).unwrap_or(1.0) * 1.1;
            let plot = Plot {
                canvas,
                frame: (left, 100, left + width - 72, 372),
                x: Scale::linear(low, high),
                y: Scale::linear(0.0, most),
            };
            plot.grid_x(&even_ticks(low, high, 6));
            plot.grid_y(&even_ticks(0.0, most, 6));
            if (low..=high).contains(&1024.0) || (low..=high).contains(&4096.0) {
                let special = if low < 2000.0 { 1024.0 } else { 4096.0 };
                plot.dashes(&[(special, 0.0), (special, most)], GREY, 1);
                let at = (plot.x_at(special) + 5, 110);
                canvas.text(at, &special.to_string(), Words::new(11, GREY));
            }
            plot.rules();
            for (_, colour, speeds) in &peers {
                plot.line(&near(speeds, low, high), *colour, 1);
            }
            plot.line(&roof, INK, 2);
            plot.line(&ours, BLUE, 2);
            let middle = Words::new(12, INK).anchored(Anchor::Middle);
            let (left, _, right, _) = plot.frame;
            canvas.text((i32::midpoint(left, right), 406), "rows", middle);
            canvas.text((left - 40, 236), "GB/s", middle.upright());
        }
    }))
}
