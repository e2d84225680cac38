//! The few statistics of the reports: medians, ratios paired by round, geometric means.

/// The median of `values`: the mean of the middle two where their number is even. `None` of none.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The smallest of `values`, `None` of none.
pub(crate) fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

/// The median over the rounds of `yardstick / time`, for rounds that have both: how much of the
/// yardstick's speed was reached. What slows a whole round down cancels out.
pub(crate) fn paired_ratio(times: &[Option<f64>], yardstick: &[Option<f64>]) -> Option<f64> {
    let pairs = times.iter().zip(yardstick);
    let ratios: Vec<f64> = pairs
        .filter_map(|(time, yardstick)| Some((*yardstick)? / (*time)?))
        .collect();
    median(&ratios)
}

/// The faster of two in each round, for rounds that have one.
pub(crate) fn faster(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<Option<f64>> {
    let pairs = one.iter().zip(other);
    pairs
        .map(|(one, other)| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(*other)),
            _ => one.or(*other),
        })
        .collect()
}

/// The geometric mean of positive values, `None` of none.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_even_and_no_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[]), None);
        // One outlier does not move it.
        assert_eq!(median(&[1.0, 1.0, 1.0, 1.0, 1e9]), Some(1.0));
        assert_eq!(least(&[3.0, 1.0, 2.0]), Some(1.0));
    }

    #[test]
    fn ratios_pair_rounds_and_skip_those_that_lack_one() {
        // Everything is slower in the second round; the ratio is not.
        let times = [Some(10.0), Some(40.0), Some(10.0)];
        let yardstick = [Some(5.0), Some(20.0), None];
        assert_eq!(paired_ratio(&times, &yardstick), Some(0.5));
        assert_eq!(paired_ratio(&times, &[None; 3]), None);
        let best = faster(&times, &yardstick);
        assert_eq!(best, [Some(5.0), Some(20.0), Some(10.0)]);
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
