//! `gather`: strided, repeated or reversed source cells into a contiguous destination row.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Rows touch exactly the cells, so there are no tails.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pick;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(target_arch = "x86_64")]
mod walk;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    scalar::ROWS,
];
