//! `gather`: strided, repeated or reversed source cells into a contiguous destination row.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Vector rows pick a line of the destination at a time;
//! what is left of lines at the ends of a row is picked and stored exactly, so no row needs a scalar
//! tail. Rows shorter than a line have walks of their own. Pixels that lose a part have rows of their own. `fill`, `scatter` and `strided` use the same picks and walks.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_bytes;
#[cfg(target_arch = "x86_64")]
mod avx2_pixels;
#[cfg(target_arch = "x86_64")]
mod avx2_short;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_pixels;
#[cfg(target_arch = "x86_64")]
mod avx512_short;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512vbmi;
#[cfg(target_arch = "x86_64")]
pub(crate) mod coming;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pick;
#[cfg(target_arch = "x86_64")]
pub(crate) mod places;
mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod walk;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::THREE,
    #[cfg(target_arch = "x86_64")]
    avx512::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::SIX,
    #[cfg(target_arch = "x86_64")]
    &avx512_pixels::TWELVE,
    #[cfg(target_arch = "x86_64")]
    avx2_pixels::ROWS,
    #[cfg(target_arch = "x86_64")]
    avx2::ROWS,
    scalar::ROWS,
];
