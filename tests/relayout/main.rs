//! The example `relayout`, run as its users run it: `.npy` files in, `.npy` files out.
//!
//! Results are compared with an oracle that takes one element after the other (`support.rs`), and
//! with what NumPy itself wrote (`tests/data/make.py`).

mod folder;
mod refusals;
mod results;
mod slices;
mod support;
mod targets;
