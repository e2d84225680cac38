//! A plot: a rectangle with two scales, its grid, its labels, and what is drawn by value.

use super::canvas::{Anchor, Canvas, Mark, Words};
use super::colour::{Colour, GRID, INK, SOFT};
use super::scale::{Scale, Tick};

/// A rectangle of a canvas with two scales.
pub(in crate::report) struct Plot<'c, 'a> {
    pub(in crate::report) canvas: &'c Canvas<'a>,
    /// Left, top, right, bottom.
    pub(in crate::report) frame: (i32, i32, i32, i32),
    pub(in crate::report) x: Scale,
    pub(in crate::report) y: Scale,
}

impl Plot<'_, '_> {
    pub(in crate::report) fn x_at(&self, value: f64) -> i32 {
        let (left, _, right, _) = self.frame;
        left + (self.x.part(value) * f64::from(right - left)).round() as i32
    }

    pub(in crate::report) fn y_at(&self, value: f64) -> i32 {
        let (_, top, _, bottom) = self.frame;
        bottom - (self.y.part(value) * f64::from(bottom - top)).round() as i32
    }

    pub(in crate::report) fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (self.x_at(x), self.y_at(y))
    }

    /// Upright lines and the values below them.
    pub(in crate::report) fn grid_x(&self, ticks: &[Tick]) {
        let (_, top, _, bottom) = self.frame;
        for (value, name) in ticks {
            let x = self.x_at(*value);
            self.canvas.line(&[(x, top), (x, bottom)], GRID, 1);
            let words = Words::new(11, SOFT).anchored(Anchor::Middle);
            self.canvas.text((x, bottom + 13), name, words);
        }
    }

    /// Level lines and the values left of them.
    pub(in crate::report) fn grid_y(&self, ticks: &[Tick]) {
        let (left, _, right, _) = self.frame;
        for (value, name) in ticks {
            let y = self.y_at(*value);
            self.canvas.line(&[(left, y), (right, y)], GRID, 1);
            let words = Words::new(11, SOFT).anchored(Anchor::End);
            self.canvas.text((left - 6, y), name, words);
        }
    }

    /// What the axes mean.
    pub(in crate::report) fn names(&self, x: &str, y: &str) {
        let (left, top, right, bottom) = self.frame;
        let middle = Words::new(12, INK).anchored(Anchor::Middle);
        let below = (i32::midpoint(left, right), bottom + 32);
        self.canvas.text(below, x, middle);
        let beside = (left - 42, i32::midpoint(top, bottom));
        self.canvas.text(beside, y, middle.upright());
    }

    /// A line at the left and the bottom.
    pub(in crate::report) fn rules(&self) {
        let (left, top, right, bottom) = self.frame;
        self.canvas
            .line(&[(left, top), (left, bottom), (right, bottom)], SOFT, 1);
    }

    /// A line through values.
    pub(in crate::report) fn line(&self, values: &[(f64, f64)], colour: Colour, width: u32) {
        let points: Vec<_> = values.iter().map(|&value| self.at(value)).collect();
        self.canvas.line(&points, colour, width);
    }

    /// A dashed line through values.
    pub(in crate::report) fn dashes(&self, values: &[(f64, f64)], colour: Colour, width: u32) {
        let points: Vec<_> = values.iter().map(|&value| self.at(value)).collect();
        self.canvas.dashes(&points, colour, width);
    }

    /// Steps between values: each holds half-way to its neighbours on the scale.
    pub(in crate::report) fn steps(&self, values: &[(f64, f64)], colour: Colour, width: u32) {
        let mut points = Vec::new();
        for (i, &(x, y)) in values.iter().enumerate() {
            let (x, y) = self.at((x, y));
            let half = |other: Option<&(f64, f64)>| {
                other.map_or(x, |&(value, _)| i32::midpoint(x, self.x_at(value)))
            };
            let before = i.checked_sub(1).and_then(|i| values.get(i));
            points.push((half(before), y));
            points.push((half(values.get(i + 1)), y));
        }
        self.canvas.line(&points, colour, width);
    }

    /// A mark at a value.
    pub(in crate::report) fn mark(&self, value: (f64, f64), mark: Mark, size: i32, colour: Colour) {
        self.canvas.mark(self.at(value), mark, size, colour);
    }
}

/// What a legend says of one kind of thing.
pub(in crate::report) struct Entry<'a> {
    pub(in crate::report) name: &'a str,
    pub(in crate::report) colour: Colour,
    /// A dot, or a line.
    pub(in crate::report) mark: Option<Mark>,
}

/// Pixels that a letter takes, amply.
const LETTER: f64 = 6.4;

/// Entries side by side from a point on, in as many lines as they need up to `right`.
pub(in crate::report) fn legend(
    canvas: &Canvas<'_>,
    (left, top): (i32, i32),
    right: i32,
    entries: &[Entry<'_>],
) {
    let (mut x, mut y) = (left, top);
    for entry in entries {
        let width = 20 + (entry.name.chars().count() as f64 * LETTER) as i32 + 14;
        if x > left && x + width > right {
            (x, y) = (left, y + 17);
        }
        match entry.mark {
            Some(mark) => canvas.mark((x + 7, y), mark, 8, entry.colour),
            None => canvas.line(&[(x, y), (x + 14, y)], entry.colour, 3),
        }
        canvas.text((x + 20, y), entry.name, Words::new(12, INK));
        x += width;
    }
}

/// Moves places on a line apart until they are `gap` from each other, in their order.
pub(in crate::report) fn spread(places: &mut [i32], gap: i32, low: i32, high: i32) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&i| places[i]);
    let mut least = low;
    for &i in &order {
        places[i] = places[i].max(least);
        least = places[i] + gap;
    }
    let mut most = high;
    for &i in order.iter().rev() {
        places[i] = places[i].min(most);
        most = places[i] - gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_in_their_order() {
        let mut places = [50, 10, 52, 51];
        spread(&mut places, 12, 0, 100);
        assert_eq!(places, [50, 10, 74, 62]);
        let mut low = [95, 96, 97];
        spread(&mut low, 10, 0, 100);
        assert_eq!(low, [80, 90, 100]);
    }
}
