//! `fill`: one source cell into a whole destination row.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Vector rows take contiguous destination rows; those that
//! stream walk as `gather` does, where cells are all the same one. What is left of lines at the ends of a row is
//! stored exactly, so no row needs a scalar tail.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lines;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod turning;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    scalar::ROWS,
];
