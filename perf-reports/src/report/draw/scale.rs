//! Scales and the values that stand beside them.

/// From values to a part of a length.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Scale {
    pub(in crate::report) low: f64,
    pub(in crate::report) high: f64,
    pub(in crate::report) log: bool,
}

impl Scale {
    pub(in crate::report) fn linear(low: f64, high: f64) -> Self {
        let log = false;
        Self { low, high, log }
    }

    /// For positive values.
    pub(in crate::report) fn log(low: f64, high: f64) -> Self {
        let log = true;
        Self { low, high, log }
    }

    /// Where a value stands, 0 at the low end, 1 at the high one; values beyond stand at the ends.
    pub(in crate::report) fn part(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// A value beside an axis.
pub(in crate::report) type Tick = (f64, String);

/// Powers of two of bytes, every `step`th power.
pub(in crate::report) fn byte_ticks(low: f64, high: f64, step: u32) -> Vec<Tick> {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let name = |power: u32| format!("{} {}", 1 << (power % 10), units[power as usize / 10]);
    let powers = (0..50).filter(|power| power % step == 0);
    powers
        .map(|power| (2_f64.powi(power as i32), name(power)))
        .filter(|(bytes, _)| (low..=high).contains(bytes))
        .collect()
}

/// Ones, twos and fives of each power of ten.
pub(in crate::report) fn decades(low: f64, high: f64) -> Vec<Tick> {
    let all = (-3..9).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
    all.filter(|value| (low * 0.999..=high * 1.001).contains(value))
        .map(|value| (value, plain(value)))
        .collect()
}

/// About `number` values from 0 or `low` on, at ones, twos or fives of a power of ten.
pub(in crate::report) fn even_ticks(low: f64, high: f64, number: usize) -> Vec<Tick> {
    let rough = (high - low) / number as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = steps.into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = (
        (low / step).ceil() as i64,
        (high / step + 1e-9).floor() as i64,
    );
    (first..=last)
        .map(|n| (n as f64 * step, plain(n as f64 * step)))
        .collect()
}

/// A number without digits that say nothing.
fn plain(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn values_stand_where_people_expect_them() {
        assert_eq!(Scale::linear(0.0, 4.0).part(1.0), 0.25);
        assert!((Scale::log(1.0, 100.0).part(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(Scale::linear(0.0, 4.0).part(9.0), 1.0);
        assert_eq!(
            names(byte_ticks(1e3, 3e7, 4)),
            ["4 KiB", "64 KiB", "1 MiB", "16 MiB"]
        );
        assert_eq!(
            names(decades(0.5, 20.0)),
            ["0.5", "1", "2", "5", "10", "20"]
        );
        assert_eq!(
            names(even_ticks(0.0, 1.2, 6)),
            ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2"]
        );
        assert_eq!(
            names(even_ticks(4080.0, 4112.0, 4)),
            ["4080", "4090", "4100", "4110"]
        );
    }
}
