//! A canvas of whole pixels over plotters' SVG backend.

use plotters::coord::Shift;
use plotters::element::Drawable;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::colour::{BAND, Colour, PAPER};

/// What figures draw on.
pub(in crate::report) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Words {
    pub(in crate::report) size: u32,
    pub(in crate::report) colour: Colour,
    pub(in crate::report) anchor: Anchor,
    pub(in crate::report) bold: bool,
    /// From below to above.
    pub(in crate::report) upright: bool,
}

impl Words {
    /// Plain ones, beginning at their point.
    pub(in crate::report) fn new(size: u32, colour: Colour) -> Self {
        Self {
            size,
            colour,
            anchor: Anchor::Start,
            bold: false,
            upright: false,
        }
    }

    pub(in crate::report) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(in crate::report) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(in crate::report) fn upright(self) -> Self {
        let upright = true;
        Self { upright, ..self }
    }
}

/// The shape of a dot: colour is never alone in telling things apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Mark {
    Disc,
    Square,
    Diamond,
    Up,
    Down,
    Ring,
    Cross,
}

/// Paints a figure of so many pixels and returns its SVG.
pub(in crate::report) fn draw(
    (width, height): (u32, u32),
    title: &str,
    paint: impl FnOnce(&Canvas<'_>),
) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        let canvas = Canvas { area };
        canvas.rect((0, 0), (width as i32, height as i32), PAPER);
        paint(&canvas);
        canvas.area.present().expect(NEVER);
    }
    // A name for those who cannot see it, and for the pointer.
    let escaped = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let named = format!(" role=\"img\">\n<title>{escaped}</title>\n");
    text.replacen(">\n", &named, 1)
}

const NEVER: &str = "a string can always be written to";

impl Canvas<'_> {
    fn put<'e, E>(&self, element: &'e E)
    where
        for<'s> &'e E: plotters::element::PointCollection<'e, (i32, i32)>,
        for<'s> E: Drawable<SVGBackend<'s>>,
    {
        self.area.draw(element).expect(NEVER);
    }

    /// A line through points.
    pub(in crate::report) fn line(&self, points: &[(i32, i32)], colour: Colour, width: u32) {
        if points.len() > 1 {
            let style = rgb(colour).stroke_width(width);
            self.put(&PathElement::new(points.to_vec(), style));
        }
    }

    /// The same in dashes of some pixels: plotters has none.
    pub(in crate::report) fn dashes(&self, points: &[(i32, i32)], colour: Colour, width: u32) {
        const DASH: f64 = 7.0;
        const GAP: f64 = 5.0;
        let mut into = 0.0;
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let at = |way: f64| {
                let part = if length > 0.0 { way / length } else { 0.0 };
                let x = from.0 + part * (to.0 - from.0);
                let y = from.1 + part * (to.1 - from.1);
                (x.round() as i32, y.round() as i32)
            };
            let mut way: f64 = -into;
            while way < length {
                let (start, end) = (way.max(0.0), (way + DASH).min(length));
                if end > start {
                    self.line(&[at(start), at(end)], colour, width);
                }
                way += DASH + GAP;
            }
            into = (length - (way - DASH - GAP)).clamp(0.0, DASH + GAP);
        }
    }

    /// A filled rectangle.
    pub(in crate::report) fn rect(&self, from: (i32, i32), to: (i32, i32), colour: Colour) {
        self.put(&Rectangle::new([from, to], rgb(colour).filled()));
    }

    /// A filled dot of about `size` pixels across.
    pub(in crate::report) fn mark(&self, at: (i32, i32), mark: Mark, size: i32, colour: Colour) {
        let (x, y) = at;
        let (r, fill) = (size / 2, rgb(colour).filled());
        match mark {
            Mark::Disc => self.put(&Circle::new(at, r, fill)),
            Mark::Ring => self.put(&Circle::new(at, r, rgb(colour).stroke_width(2))),
            Mark::Square => self.rect((x - r, y - r), (x + r, y + r), colour),
            Mark::Diamond => {
                let r = r + 1;
                let corners = vec![(x - r, y), (x, y - r), (x + r, y), (x, y + r)];
                self.put(&Polygon::new(corners, fill));
            }
            Mark::Up => {
                let corners = vec![(x - r - 1, y + r), (x, y - r - 1), (x + r + 1, y + r)];
                self.put(&Polygon::new(corners, fill));
            }
            Mark::Down => {
                let corners = vec![(x - r - 1, y - r), (x, y + r + 1), (x + r + 1, y - r)];
                self.put(&Polygon::new(corners, fill));
            }
            Mark::Cross => {
                self.line(&[(x - r, y - r), (x + r, y + r)], colour, 2);
                self.line(&[(x - r, y + r), (x + r, y - r)], colour, 2);
            }
        }
    }

    /// The same with an edge in the colour of the page, to stand out from a bar.
    pub(in crate::report) fn edged(&self, at: (i32, i32), mark: Mark, size: i32, colour: Colour) {
        self.mark(at, mark, size + 4, PAPER);
        self.mark(at, mark, size, colour);
    }

    /// A text, its point at half its height.
    pub(in crate::report) fn text(&self, at: (i32, i32), text: &str, words: Words) {
        let font = ("sans-serif", f64::from(words.size) * 1.24).into_font();
        let font = if words.bold {
            font.style(FontStyle::Bold)
        } else {
            font
        };
        let font = if words.upright {
            font.transform(FontTransform::Rotate270)
        } else {
            font
        };
        let h_pos = match words.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let colour = rgb(words.colour);
        let style = TextStyle::from(font)
            .color(&colour)
            .pos(Pos::new(h_pos, VPos::Center));
        self.put(&Text::new(text, at, style));
    }

    /// The head of a figure: what it shows, and how to read it.
    pub(in crate::report) fn head(&self, title: &str, reading: &str) {
        use super::colour::{INK, SOFT};
        self.text((16, 22), title, Words::new(16, INK).bold());
        self.text((16, 43), reading, Words::new(12, SOFT));
    }

    /// A faint ground behind a part of a figure.
    pub(in crate::report) fn ground(&self, from: (i32, i32), to: (i32, i32)) {
        self.rect(from, to, BAND);
    }
}

fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::draw::{BLUE, INK};

    #[test]
    fn a_figure_has_a_name_and_is_the_same_each_time() {
        let paint = || {
            draw((200, 100), "a < b", |canvas| {
                canvas.line(&[(0, 0), (9, 9)], BLUE, 2);
                canvas.dashes(&[(0, 50), (100, 50)], BLUE, 1);
                canvas.mark((50, 50), Mark::Up, 6, BLUE);
                canvas.text((10, 10), "x & y", Words::new(12, INK).bold());
            })
        };
        let svg = paint();
        assert_eq!(svg, paint());
        assert!(
            svg.starts_with("<svg width=\"200\" height=\"100\""),
            "{svg}"
        );
        for part in [
            " role=\"img\">\n<title>a &lt; b</title>",
            "#0072B2",
            "<polygon",
            "font-weight=\"bold\"",
            "x &amp; y",
            "</svg>",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        // A line and nine dashes.
        assert_eq!(svg.matches("<polyline").count(), 10);
    }
}
