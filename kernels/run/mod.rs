//! `run`: contiguous to contiguous. A panel row is one run; its cells are bytes.
//!
//! Obligations of every row: the contract in the crate's documentation. A run is moved in whole
//! vectors (or powers of two, where it is shorter than one) with the last one overlapping the one
//! before; both stay inside the run and write the same bytes, so no row needs a scalar tail.
//! Streaming rows are the exception: what is left of a line at either end of a run is moved
//! exactly, so that no line is written by both kinds of stores. Those of runs shorter than a line put lines
//! together in the first-level cache first.

#[cfg(target_arch = "x86_64")]
mod ahead;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi;
mod each;
#[cfg(target_arch = "x86_64")]
mod line;
mod portable;
#[cfg(target_arch = "x86_64")]
mod resonance;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod staged;
#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::{Ymm, by_length};
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Zmm;
#[cfg(target_arch = "x86_64")]
pub(crate) use each::Once;
#[cfg(target_arch = "x86_64")]
pub(crate) use line::{Line, Parts, Reach, piece};

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    portable::ROWS,
    scalar::ROWS,
];
