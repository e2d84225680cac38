//! `scatter`: a contiguous (or reversed) source row to strided or reversed destination cells.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Rows touch exactly the cells. Pixels that get a part
//! have rows of their own; the others go cell by cell.

#[cfg(target_arch = "x86_64")]
mod avx512_pixels;
mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512_pixels::ROWS,
    scalar::ROWS,
];
