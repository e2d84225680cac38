//! The ceilings: what plain copies reach, from within the first cache to far out of the last, through
//! the caches and around them, on each number of threads.

use restride_cases::{Buffer, Call, Case, DST_OFFSET, Kind, Side, pattern};

use super::interrupt;
use super::sampler::{self, ROUNDS, Rounds, Target};
use super::settings::Settings;
use super::verify::verify;
use crate::data::ceilings::Point;
use crate::failure::Failure;
use crate::implementations::yardsticks;

/// Bytes of a side: powers of two.
const LEAST_POWER: u32 = 12;
const MOST_POWER: u32 = 27;
/// Of a full run, whose largest cases have as many.
const FULL_POWER: u32 = 28;
/// Working sets below this are copied by one thread only.
const THREADED_BYTES: usize = 2 << 20;
/// However small the cases are, plain copies are measured up to here.
const LEAST_LARGEST: usize = 64 << 10;
/// Rounds of a quick run: what is far apart need not be known as well as what is compared.
const QUICK_ROUNDS: usize = 5;

/// Sizes of a side, ascending: twice as many in a full run.
fn sizes(full: bool) -> Vec<usize> {
    if !full {
        return (LEAST_POWER..=MOST_POWER).map(|power| 1 << power).collect();
    }
    let powers = (LEAST_POWER..FULL_POWER).flat_map(|power| [1 << power, 3 << (power - 1)]);
    powers.chain([1 << FULL_POWER]).collect()
}

/// Measures all sizes up to that of the largest case on these numbers of threads, as far as no one
/// interrupts.
///
/// # Errors
/// [`Failure::Wrong`] or [`Failure::Io`], as for cases.
pub(crate) fn measure(
    threads: &[usize],
    cases: &[Case],
    settings: &Settings,
) -> Result<Vec<Point>, Failure> {
    let largest = cases.iter().map(Case::side_bytes).max().unwrap_or(0);
    let largest = largest.max(LEAST_LARGEST).next_power_of_two();
    let mut sizes = sizes(settings.full);
    sizes.retain(|&bytes| bytes <= largest);
    let most = sizes.last().copied().unwrap_or(0);
    let memory = |error| Failure::memory(&error);
    let mut src = Buffer::new(most, 0, settings.pages).map_err(memory)?;
    let mut dst = Buffer::new(most, DST_OFFSET, settings.pages).map_err(memory)?;
    pattern::fill(&mut src);
    let rounds = Rounds {
        asked: Some(if settings.full { ROUNDS } else { QUICK_ROUNDS }),
        seed: settings.seed,
        ..Rounds::default()
    };
    let mut points = Vec::new();
    for side_bytes in sizes {
        let case = plain(side_bytes);
        let counts = threads
            .iter()
            .filter(|&&n| n == 1 || case.bytes() >= THREADED_BYTES);
        let mut copies: Vec<_> = counts.flat_map(|&n| yardsticks(&case, n)).collect();
        let (src, dst) = (&src[..side_bytes], &mut dst[..side_bytes]);
        let first = copies
            .iter_mut()
            .map(|copy| verify(&case, copy, src, dst, src))
            .collect::<Result<Vec<_>, _>>()?;
        let target = Target::Reused(dst);
        let samples = sampler::sample(&mut copies, &first, rounds, (src, target), |_| ())?;
        let Some(samples) = samples else { break };
        points.extend(copies.iter().zip(samples).map(|(copy, samples)| {
            Point {
                copy: copy.name.into(),
                threads: copy.threads,
                side_bytes,
                samples_ns: samples
                    .ns
                    .into_iter()
                    .flatten()
                    .map(crate::data::record::five_digits)
                    .collect(),
            }
        }));
        if interrupt::asked() {
            break;
        }
    }
    Ok(points)
}

fn plain(bytes: usize) -> Case {
    let side = Side::row_major(&[bytes]);
    Case {
        name: format!("plain-{bytes}"),
        kind: Kind::Size,
        cell: 1,
        shape: vec![bytes],
        src: side.clone(),
        dst: side,
        call: Call::Prepared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_runs_look_between_powers_of_two() {
        assert_eq!(sizes(false)[..2], [4096, 8192]);
        assert_eq!(sizes(true)[..3], [4096, 6144, 8192]);
        assert!(sizes(true).is_sorted());
        assert_eq!(sizes(false).last(), Some(&(128 << 20)));
        assert_eq!(sizes(true).last(), Some(&(256 << 20)));
    }
}
