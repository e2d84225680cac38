//! Where streaming stores begin to pay: the same plan with cached and with streaming stores, size by
//! size, onto memory that is in no cache; and once more with the result read afterwards.

use std::hint::black_box;
use std::time::Instant;

use restride::recipe::Stored;
use restride::{Machine, Options, Par, Plan, Problem, Recipe, Stores};
use restride_cases::{Buffer, DST_OFFSET, Pages, pattern};
use serde::Serialize;

use super::ROUNDS;
use crate::failure::Failure;
use crate::statistics::median;

/// The gain by size.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Curve {
    /// run or transpose.
    pub(super) copy: String,
    /// Whether the result is read at once, and that is part of the time.
    pub(super) read_next: bool,
    pub(super) points: Vec<Point>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Point {
    pub(super) side_bytes: usize,
    /// The speed with streaming stores as a multiple of that with cached ones.
    pub(super) gain: f64,
}

/// Bytes of a side.
const SIZES: [usize; 8] = [
    256 << 10,
    512 << 10,
    1 << 20,
    2 << 20,
    4 << 20,
    8 << 20,
    16 << 20,
    64 << 20,
];

/// What is written and read between two timings, so that nothing of either side is in a near cache.
const FLUSHED: usize = 32 << 20;

impl Curve {
    pub(super) fn name(&self) -> String {
        let when = if self.read_next { "next" } else { "later" };
        format!("{}, read {when}", self.copy)
    }

    /// The size from which on streaming gained at every size.
    pub(super) fn pays_from(&self) -> Option<usize> {
        let paying = self
            .points
            .iter()
            .rev()
            .take_while(|point| point.gain >= 1.0);
        paying.last().map(|point| point.side_bytes)
    }
}

/// Of runs and transposes, read later and next, on one thread.
pub(super) fn curves() -> Result<Vec<Curve>, Failure> {
    let most = SIZES[SIZES.len() - 1];
    let memory = |error| Failure::memory(&error);
    let mut src = Buffer::new(most, 0, Pages::Huge).map_err(memory)?;
    let mut dst = Buffer::new(most, DST_OFFSET, Pages::Huge).map_err(memory)?;
    let mut other = Buffer::new(FLUSHED, 0, Pages::Huge).map_err(memory)?;
    pattern::fill(&mut src);
    let mut curves = Vec::new();
    for (copy, problem) in [
        ("run", run as fn(usize) -> _),
        ("transpose", transpose as fn(usize) -> _),
    ] {
        for read_next in [false, true] {
            let mut points = Vec::new();
            for side_bytes in SIZES {
                let problem = problem(side_bytes)?;
                let mut times = [Vec::new(), Vec::new()];
                let plans =
                    [Stores::Cached, Stores::Streaming].map(|stores| with(&problem, stores));
                for round in 0..ROUNDS {
                    // Who is first alternates.
                    for which in [round % 2, 1 - round % 2] {
                        let plan = plans[which].as_ref().map_err(Clone::clone)?;
                        other.iter_mut().step_by(64).for_each(|byte| *byte ^= 1);
                        times[which].push(timed(|| {
                            // SAFETY: range: both buffers have the bytes of the largest size;
                            // aliasing: they are apart, and `dst` is borrowed uniquely.
                            unsafe { plan.run_raw(src.as_ptr(), dst.as_mut_ptr()) };
                            if read_next {
                                black_box(sum(&dst[..side_bytes]));
                            }
                        }));
                    }
                }
                let [cached, streaming] = times.map(|times| median(&times).unwrap_or(1.0));
                points.push(Point {
                    side_bytes,
                    gain: cached / streaming,
                });
            }
            curves.push(Curve {
                copy: copy.into(),
                read_next,
                points,
            });
        }
    }
    Ok(curves)
}

/// Nanoseconds of some work.
pub(super) fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

/// A reader that no one can skip.
fn sum(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let all = words.iter().map(|word| u64::from_ne_bytes(*word));
    all.fold(0, u64::wrapping_add)
}

fn with(problem: &Problem, stores: Stores) -> Result<Plan, restride::Error> {
    let par = Par::Seq;
    let options = Options {
        par,
        stores,
        ..Options::default()
    };
    Plan::with(problem, &options)
}

/// One piece.
fn run(bytes: usize) -> Result<Problem, restride::Error> {
    Problem::from_bytes(1, &[bytes], &[1], &[1])
}

/// A matrix of f32, square or twice as wide as high.
fn transpose(bytes: usize) -> Result<Problem, restride::Error> {
    let cells = bytes / 4;
    let rows = 1_usize << (cells.ilog2() / 2);
    let cols = cells / rows;
    let strides = |row: usize, col: usize| [4 * row as isize, 4 * col as isize];
    Problem::from_bytes(4, &[rows, cols], &strides(1, rows), &strides(cols, 1))
}

/// The size from which on the planner streams transposes on this machine where nothing is said.
pub(super) fn assumed_from() -> usize {
    let streams = |bytes: usize| {
        let (Ok(machine), Ok(problem)) = (Machine::host(), transpose(bytes)) else {
            return false;
        };
        let recipe = Recipe::choose(&problem, &Options::default(), machine.facts());
        recipe
            .work
            .is_some_and(|work| work.stores() == Stored::Streaming)
    };
    let sizes = (12..32).map(|power| 1 << power);
    sizes
        .into_iter()
        .find(|&bytes| streams(bytes))
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streaming_pays_from_where_it_always_does() {
        let curve = |gains: &[f64]| Curve {
            copy: "run".into(),
            read_next: false,
            points: gains
                .iter()
                .zip(SIZES)
                .map(|(&gain, side_bytes)| Point { side_bytes, gain })
                .collect(),
        };
        assert_eq!(curve(&[0.5, 1.1, 0.9, 1.2, 1.3]).pays_from(), Some(2 << 20));
        assert_eq!(curve(&[0.5, 1.1, 0.9]).pays_from(), None);
        assert_eq!(curve(&[1.1, 1.1]).pays_from(), Some(256 << 10));
    }

    #[test]
    fn problems_have_the_bytes_of_their_sizes() {
        for bytes in SIZES {
            for problem in [run(bytes), transpose(bytes)] {
                let recipe = with(&problem.unwrap(), Stores::Cached).unwrap();
                assert_eq!(recipe.recipe().work.as_ref().unwrap().bytes, bytes);
            }
        }
    }
}
