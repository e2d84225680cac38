//! A chart of named rows: a bar or marks for each, over one scale.

use crate::report::draw::{
    Anchor, Canvas, Colour, Entry, INK, Mark, Plot, SOFT, Scale, Words, legend,
};

/// A row: a name, a bar from the left, marks, and a short upright line.
#[derive(Default)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) bar: Option<(f64, Colour)>,
    pub(super) marks: Vec<(f64, Mark, Colour)>,
    /// The ceiling of the row.
    pub(super) limit: Option<f64>,
    /// What stands right of the plot.
    pub(super) note: String,
}

/// How the chart is laid out.
pub(super) struct Rows<'a> {
    pub(super) title: &'a str,
    pub(super) reading: &'a str,
    pub(super) x: Scale,
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) x_name: &'a str,
    pub(super) entries: Vec<Entry<'a>>,
    /// Pixels for names, and for a row.
    pub(super) names: i32,
    pub(super) pitch: i32,
    /// Pixels right of the plot.
    pub(super) notes: i32,
}

const WIDTH: i32 = 960;
const TOP: i32 = 106;

impl Rows<'_> {
    /// The pixels of a chart of so many rows.
    pub(super) fn size(&self, rows: usize) -> (u32, u32) {
        let height = TOP + rows as i32 * self.pitch + 56;
        (WIDTH as u32, height as u32)
    }

    pub(super) fn paint(&self, canvas: &Canvas<'_>, rows: &[Row]) {
        canvas.head(self.title, self.reading);
        legend(canvas, (16, 70), WIDTH - 16, &self.entries);
        let bottom = TOP + rows.len() as i32 * self.pitch;
        let plot = Plot {
            canvas,
            frame: (self.names, TOP, WIDTH - 16 - self.notes, bottom),
            x: self.x,
            y: Scale::linear(0.0, 1.0),
        };
        let (left, _, right, _) = plot.frame;
        for (i, _) in rows.iter().enumerate().skip(1).step_by(2) {
            let top = TOP + i as i32 * self.pitch;
            canvas.ground((16, top), (right, top + self.pitch));
        }
        plot.grid_x(&self.ticks);
        plot.rules();
        let below = (i32::midpoint(left, right), bottom + 34);
        let middle = Words::new(12, INK).anchored(Anchor::Middle);
        canvas.text(below, self.x_name, middle);
        let letters = if self.pitch < 16 { 10 } else { 12 };
        for (i, row) in rows.iter().enumerate() {
            let top = TOP + i as i32 * self.pitch;
            let y = top + self.pitch / 2;
            let words = Words::new(letters, INK).anchored(Anchor::End);
            canvas.text((left - 8, y), &row.name, words);
            if let Some((value, colour)) = row.bar {
                let half = (self.pitch / 2 - 2).max(3);
                canvas.rect((left, y - half), (plot.x_at(value), y + half), colour);
            }
            if let Some(limit) = row.limit {
                let x = plot.x_at(limit);
                canvas.line(&[(x, top + 1), (x, top + self.pitch - 1)], INK, 3);
            }
            let size = (self.pitch / 2).clamp(6, 9);
            for &(value, mark, colour) in &row.marks {
                canvas.edged((plot.x_at(value), y), mark, size, colour);
            }
            let words = Words::new(letters, SOFT);
            canvas.text((right + 8, y), &row.note, words);
        }
    }
}
