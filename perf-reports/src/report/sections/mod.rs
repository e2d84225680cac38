//! The sections of a report, a file each, in the order of a reader who stops anywhere: the verdict, what
//! it rests on, then the details.

mod cases;
mod ceilings;
mod environment;
pub(in crate::report) mod headline;
mod method;
mod peers;
mod results;
pub(in crate::report) mod worst;

use super::doc::Section;
use crate::data::Data;

/// All that the data have something for.
pub(super) fn all(data: &Data) -> Vec<Section> {
    let sections = [
        Some(headline::section(data)),
        Some(environment::section(data)),
        ceilings::section(data),
        cases::flagship(data),
        cases::rooflines(data),
        cases::sizes(data),
        cases::permutations(data),
        cases::ttc(data),
        cases::latency(data),
        cases::resonance(data),
        cases::threads(data),
        worst::section(data),
        results::section(data),
        Some(peers::section(data)),
        Some(method::section(data)),
        Some(method::reproduce(data)),
    ];
    sections.into_iter().flatten().collect()
}
