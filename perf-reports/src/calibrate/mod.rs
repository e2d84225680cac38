//! `restride-perf calibrate`: what plans assume of a machine, measured on this one: where streaming
//! stores begin to pay, what a parallel section costs, how fast each level of the memory is. Prints how
//! to set what it found; nothing is written anywhere, and restride reads nothing of it behind its
//! user's back.

mod section;
mod streaming;

use restride::{Facts, Machine};
use restride_cases::{Buffer, DST_OFFSET, Pages, pattern};
use serde::Serialize;

use crate::data::folder;
use crate::failure::Failure;
use crate::measure::pool::{self, Pin};
use crate::statistics::median;
use crate::table::{Table, left, right};
use crate::units;
use section::Sections;
use streaming::Curve;

/// Everything that was found.
#[derive(Serialize)]
struct Calibration {
    /// Bytes per second of a plain copy within each level, read + written.
    levels: Vec<Level>,
    sections: Sections,
    curves: Vec<Curve>,
    assumed: Assumed,
}

#[derive(Serialize)]
struct Level {
    name: &'static str,
    side_bytes: usize,
    gb_per_s: f64,
}

/// What plans assume where nothing is said.
#[derive(Serialize)]
struct Assumed {
    warm_section_ns: u64,
    cold_section_ns: u64,
    bytes_per_us: u64,
    streaming_from: usize,
}

/// Rounds of everything.
const ROUNDS: usize = 9;

/// Bytes of a side that is far out of the caches.
const LARGE: usize = 64 << 20;

/// Measures, and prints.
pub(crate) fn calibrate(as_json: bool) -> Result<(), Failure> {
    let facts = *Machine::host()?.facts();
    // What is measured outside of the pool is measured first: it starts as other programs do.
    let cold_ns = section::cold(facts.workers);
    let (warm_ns, levels, curves) = pool::within(facts.workers, Pin::None, |_| {
        let warm_ns = section::warm(facts.workers);
        Ok((warm_ns, levels(&facts)?, streaming::curves()?))
    })?;
    let found = Calibration {
        levels,
        sections: Sections { warm_ns, cold_ns },
        curves,
        assumed: Assumed {
            warm_section_ns: facts.costs.warm_section_ns,
            cold_section_ns: facts.costs.cold_section_ns,
            bytes_per_us: facts.costs.bytes_per_us,
            streaming_from: streaming::assumed_from(),
        },
    };
    if as_json {
        return crate::print(&folder::pretty(&found)?);
    }
    crate::print(&found.text(&facts))
}

/// memcpy within each cache and out of all, the best of some rounds of each.
fn levels(facts: &Facts) -> Result<Vec<Level>, Failure> {
    let memory = |error| Failure::memory(&error);
    let mut src = Buffer::new(LARGE, 0, Pages::Huge).map_err(memory)?;
    let mut dst = Buffer::new(LARGE, DST_OFFSET, Pages::Huge).map_err(memory)?;
    pattern::fill(&mut src);
    let caches = &facts.caches;
    // A third of a cache for each side: the rest is for what else there is.
    let third = |bytes: usize| (bytes / 3 / 4096 * 4096).min(LARGE);
    let mut levels = Vec::new();
    for (name, bytes) in [
        ("L1", third(caches.l1)),
        ("L2", third(caches.l2)),
        ("large", LARGE),
    ] {
        if bytes == 0 {
            continue;
        }
        let (src, dst) = (&src[..bytes], &mut dst[..bytes]);
        // As many calls as move a few MiB, so that the clock says something.
        let calls = (4 << 20) / bytes + 1;
        let times = (0..ROUNDS).map(|_| {
            let ns = streaming::timed(|| {
                for _ in 0..calls {
                    std::hint::black_box(&mut *dst).copy_from_slice(std::hint::black_box(src));
                }
            });
            ns / calls as f64
        });
        let times: Vec<f64> = times.skip(1).collect();
        let ns = median(&times).unwrap_or(f64::INFINITY);
        levels.push(Level {
            name,
            side_bytes: bytes,
            gb_per_s: 2.0 * bytes as f64 / ns,
        });
    }
    Ok(levels)
}

impl Calibration {
    fn text(&self, facts: &Facts) -> String {
        let mut levels = Table::new(vec![left("level"), right("a side"), right("memcpy, GB/s")]);
        for level in &self.levels {
            levels.push(vec![
                level.name.into(),
                units::binary(level.side_bytes as u64),
                units::digits(level.gb_per_s),
            ]);
        }
        let mut columns = vec![left("streaming / cached speed")];
        let sizes: Vec<usize> = self.curves[0].points.iter().map(|p| p.side_bytes).collect();
        columns.extend(
            sizes
                .iter()
                .map(|&bytes| right(&units::binary(bytes as u64))),
        );
        columns.push(right("pays from"));
        let mut curves = Table::new(columns);
        for curve in &self.curves {
            let mut row = vec![curve.name()];
            row.extend(curve.points.iter().map(|p| units::ratio(Some(p.gain))));
            row.push(
                curve
                    .pays_from()
                    .map_or_else(|| "never".into(), |bytes| units::binary(bytes as u64)),
            );
            curves.push(row);
        }
        let Sections { warm_ns, cold_ns } = self.sections;
        let pays = |next: bool| {
            let all = self.curves.iter().filter(|curve| curve.read_next == next);
            let sizes = all.map(|curve| curve.pays_from().unwrap_or(usize::MAX));
            sizes.max().filter(|&bytes| bytes < usize::MAX)
        };
        let said = |from: Option<usize>| {
            from.map_or_else(
                || "at no size that was tried".into(),
                |bytes| format!("from {} on", units::binary(bytes as u64)),
            )
        };
        let rate = self.rate();
        format!(
            "{}\n{}\nA parallel section of {} takes {} entered from inside the pool, {} from outside with its \
             workers asleep.\n\n\
             Plans assume {} and {}, {} B/us, and stream destinations of {} and more.\n\n\
             To set what was found, for one copy:\n\n    \
             // Results that are read later pay {}; results that are read next {}.\n    \
             let options = Options {{ stores: Stores::Streaming, ..Options::default() }};\n    \
             let options = Options {{ stores: Stores::Cached, ..Options::default() }};\n    \
             // Below about {} moved, a second thread costs more than it saves.\n    \
             let options = Options {{ par: Par::Seq, ..Options::default() }};\n    \
             let plan = Plan::with(&problem, &options)?;\n\n\
             To see what the planner would choose with these costs:\n\n    \
             let mut facts = *Machine::host()?.facts();\n    \
             facts.costs = Costs {{ warm_section_ns: {warm_ns}, cold_section_ns: {cold_ns}, bytes_per_us: \
             {rate} }};\n    \
             println!(\"{{}}\", Recipe::choose(&problem, &options, &facts));\n",
            levels.text(),
            curves.text(),
            units::threads(facts.workers),
            units::time(warm_ns as f64),
            units::time(cold_ns as f64),
            units::time(self.assumed.warm_section_ns as f64),
            units::time(self.assumed.cold_section_ns as f64),
            self.assumed.bytes_per_us,
            units::binary(self.assumed.streaming_from as u64),
            said(pays(false)),
            said(pays(true)),
            // Half the work on a second thread saves half its time.
            units::bytes((2 * cold_ns * rate / 1000) as usize),
        )
    }

    /// Bytes that a thread moves in a microsecond out of the caches, of a plain copy.
    fn rate(&self) -> u64 {
        let large = self.levels.last();
        large.map_or(0, |level| (level.gb_per_s * 1000.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::streaming::Point;
    use super::*;

    #[test]
    fn what_was_found_is_said_with_how_to_set_it() {
        let curve = |read_next, gains: [f64; 3]| Curve {
            copy: "run".into(),
            read_next,
            points: gains
                .into_iter()
                .zip([1 << 20, 2 << 20, 4 << 20])
                .map(|(gain, side_bytes)| Point { side_bytes, gain })
                .collect(),
        };
        let found = Calibration {
            levels: vec![Level {
                name: "large",
                side_bytes: LARGE,
                gb_per_s: 12.5,
            }],
            sections: Sections {
                warm_ns: 2000,
                cold_ns: 40_000,
            },
            curves: vec![curve(false, [0.5, 1.2, 1.4]), curve(true, [0.5, 1.2, 0.9])],
            assumed: Assumed {
                warm_section_ns: 1,
                cold_section_ns: 2,
                bytes_per_us: 3,
                streaming_from: 4 << 20,
            },
        };
        let text = found.text(Machine::host().unwrap().facts());
        for part in [
            "run, read later",
            "read later pay from 2 MiB on; results that are read next at no size that was tried",
            "cold_section_ns: 40000, bytes_per_us: 12500",
            "Below about 1 MB moved",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
