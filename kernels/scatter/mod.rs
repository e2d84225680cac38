//! `scatter`: a contiguous (or reversed) source row to strided or reversed destination cells.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). What is left of a line at the end of a row is picked and
//! stored exactly, so no row needs a scalar tail. Pixels that
//! get a part have rows of their own.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_pixels;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi;
mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod spread;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512_pixels::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    scalar::ROWS,
];
