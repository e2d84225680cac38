//! The cases that restride is tested, benched and reported on, and what it takes to run one.
//!
//! - [`Suite`]: which cases; [`Case`]: a copy as data.
//! - [`pattern`]: what stands in sources; [`oracle`]: what a destination must hold.
//! - [`Buffer`]: memory to measure with, [`flush`]: out of the caches; [`streaming`]: the streaming copy that is a yardstick.

mod buffers;
mod caches;
mod case;
pub mod oracle;
pub mod pattern;
pub mod streaming;
mod suites;

pub use buffers::{Buffer, DST_OFFSET, HUGE, Pages};
pub use caches::flush;
pub use case::{Call, Case, Kind, Place, Side};
pub use suites::Suite;
