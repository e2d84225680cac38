//! `interleave`: 2, 3 or 4 planes into pixels and back: crossed panels with one short side.
//!
//! Obligations of every row: the contract in the crate's documentation. Rows touch exactly the
//! cells, so there are no tails.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    scalar::ROWS,
];
