//! `gather`: strided, repeated or reversed source cells into a contiguous destination row.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Rows touch exactly the cells. Pixels that lose a part
//! have rows of their own; the others go cell by cell.

#[cfg(target_arch = "x86_64")]
mod avx2_pixels;
#[cfg(target_arch = "x86_64")]
mod avx512_pixels;
mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::THREE,
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::SIX,
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::TWELVE,
    #[cfg(target_arch = "x86_64")]
    avx2_pixels::ROWS,
    scalar::ROWS,
];
