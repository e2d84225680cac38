//! `strided`: neither side has a unit dimension. The planner makes the destination's smaller stride
//! the column, so that whole destination lines are written while they are in the cache.
//!
//! Obligations of every row: the contract in the crate's documentation. Rows touch exactly the
//! cells, so there are no tails.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_same;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi;
mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_same::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    scalar::ROWS,
];
