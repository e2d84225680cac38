//! The few statistics of the reports: medians, ratios paired by round, their bootstrap intervals,
//! geometric means. All are functions of the samples alone: the bootstrap draws from a generator with
//! a fixed seed, so that a report can be rendered again byte for byte.

use serde::Serialize;

/// A median and where it may lie: the middle 95 % of the medians of resampled rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

/// Resamples of a bootstrap: enough for a second digit of the bounds.
const RESAMPLES: usize = 400;

/// The median of `values`: the mean of the middle two where their number is even. `None` of none.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    median_of(&mut sorted)
}

/// The same of values that may be put into order.
fn median_of(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// The median of `values` and its interval. `None` of none.
pub(crate) fn interval(values: &[f64]) -> Option<Interval> {
    let middle = median(values)?;
    let mut random = SEED;
    let medians = (0..RESAMPLES).filter_map(|_| resampled(values, &mut random));
    Some(bounds(middle, medians.collect()))
}

/// The median of `values` as a multiple of that of `others`, and its interval. `None` if either is of
/// none.
pub(crate) fn quotient(values: &[f64], others: &[f64]) -> Option<Interval> {
    let middle = median(values)? / median(others)?;
    let mut random = SEED;
    let quotients = (0..RESAMPLES)
        .filter_map(|_| Some(resampled(values, &mut random)? / resampled(others, &mut random)?));
    Some(bounds(middle, quotients.collect()))
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// The median of as many values, drawn with repetition.
fn resampled(values: &[f64], random: &mut u64) -> Option<f64> {
    let mut drawn: Vec<f64> = (0..values.len())
        .map(|_| {
            // The high half of a product is a number below the length.
            let at = (u128::from(next(random)) * values.len() as u128) >> 64;
            values[at as usize]
        })
        .collect();
    median_of(&mut drawn)
}

fn bounds(middle: f64, mut resamples: Vec<f64>) -> Interval {
    resamples.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| resamples[((RESAMPLES - 1) as f64 * share).round() as usize];
    Interval {
        low: at(0.025),
        middle,
        high: at(0.975),
    }
}

/// The next of splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// `yardstick / time` of each round that has both: how much of the yardstick's speed was reached.
/// What slows a whole round down cancels out.
pub(crate) fn ratios(times: &[Option<f64>], yardstick: &[Option<f64>]) -> Vec<f64> {
    let pairs = times.iter().zip(yardstick);
    pairs
        .filter_map(|(time, yardstick)| Some((*yardstick)? / (*time)?))
        .collect()
}

/// The faster of two in each round, for rounds that have one.
pub(crate) fn faster(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<Option<f64>> {
    let rounds = one.len().max(other.len());
    let at = |times: &[Option<f64>], round: usize| times.get(round).copied().flatten();
    (0..rounds)
        .map(|round| match (at(one, round), at(other, round)) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        })
        .collect()
}

/// The geometric mean of positive values, `None` of none.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

/// The smallest value that `share` of all are not above. `None` of none.
pub(crate) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied()
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
    }

    #[test]
    fn intervals_hold_the_median_and_grow_with_the_spread() {
        let narrow = interval(&[10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0]).unwrap();
        let wide = interval(&[10.0, 14.0, 6.0, 10.0, 17.0, 3.0, 10.0]).unwrap();
        for found in [narrow, wide] {
            assert!(found.low <= found.middle && found.middle <= found.high);
        }
        assert!(wide.high - wide.low > 10.0 * (narrow.high - narrow.low));
        assert_eq!(interval(&[2.0; 9]), interval(&[2.0; 5]));
        assert_eq!(interval(&[]), None);
        // The same samples have the same interval, always.
        assert_eq!(interval(&[1.0, 2.0, 3.0]), interval(&[1.0, 2.0, 3.0]));
    }

    #[test]
    fn quotients_have_the_spread_of_both() {
        let found = quotient(&[20.0, 21.0, 19.0, 20.0, 20.5], &[10.0, 10.2, 9.8]).unwrap();
        assert_eq!(found.middle, 2.0);
        assert!(found.low > 1.8 && found.low < 2.0 && found.high > 2.0 && found.high < 2.2);
        assert_eq!(quotient(&[1.0], &[]), None);
    }

    #[test]
    fn ratios_pair_rounds_and_skip_those_that_lack_one() {
        // Everything is slower in the second round; the ratio is not.
        let times = [Some(10.0), Some(40.0), Some(10.0)];
        let yardstick = [Some(5.0), Some(20.0), None];
        assert_eq!(ratios(&times, &yardstick), [0.5, 0.5]);
        assert!(ratios(&times, &[None; 3]).is_empty());
        let best = faster(&times, &yardstick);
        assert_eq!(best, [Some(5.0), Some(20.0), Some(10.0)]);
        assert_eq!(faster(&times, &[]), times);
    }

    #[test]
    fn means_and_quantiles() {
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(quantile(&values, 0.5), Some(2.0));
        assert_eq!(quantile(&values, 0.95), Some(4.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
