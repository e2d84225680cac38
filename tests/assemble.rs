//! Arrays put together and taken apart: every operation against its NumPy meaning, index by index, on
//! random shapes and layouts; and every bad argument by name.

mod common;

#[path = "assemble/blocks.rs"]
mod blocks;
#[path = "assemble/refusals.rs"]
mod refusals;
#[path = "assemble/results.rs"]
mod results;
#[path = "assemble/support.rs"]
mod support;
