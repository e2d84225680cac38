//! `interleave`: 2, 3 or 4 planes into pixels and back: crossed panels with one short side.
//!
//! ```text
//!   split   rows = planes                     merge   cols = planes
//!
//!   r g b r g b r g b ..      r r r ..        r r r ..
//!                        ->   g g g ..        g g g ..  ->  r g b r g b r g b ..
//!                             b b b ..        b b b ..
//! ```
//!
//! A *group* is a line of each plane and as many lines of pixels. It moves whole: its pixels lie in
//! `STEP` lines, `STEP` cells of which, fewer where the panel leaves some out (three planes of four),
//! are a pixel.
//!
//! Obligations of every row: the contract in the crate's documentation. Rows take any panel with a
//! side of 2 to 4 and any addresses. Pixels follow each other at a stride of 2 to 4 cells, from first to
//! last or from last to first, or are every second one of three or four cells (see `apart`); others
//! move cell by cell. **Edges**: rows whose ISA has masks move the rest of a group under one; cached
//! rows move the last group back to overlap the one before it, inside the panel. Cells that a pixel
//! leaves out are neither read nor written. Streaming rows write no line twice: see `stream`.

#[cfg(target_arch = "x86_64")]
mod apart;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2_cells;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2_line;
#[cfg(target_arch = "x86_64")]
mod avx2_records;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_pairs;
#[cfg(target_arch = "x86_64")]
mod avx512_places;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi_records;
#[cfg(target_arch = "x86_64")]
mod cached;
#[cfg(target_arch = "x86_64")]
mod rows;
mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod short;
#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod weave;
#[cfg(target_arch = "x86_64")]
mod woven;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[
    #[cfg(target_arch = "x86_64")]
    avx512vbmi_records::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx512::ONE,
    #[cfg(target_arch = "x86_64")]
    &avx512::TWO,
    #[cfg(target_arch = "x86_64")]
    &avx512::FOUR,
    #[cfg(target_arch = "x86_64")]
    &avx512::EIGHT,
    #[cfg(target_arch = "x86_64")]
    avx2_records::ROWS,
    #[cfg(target_arch = "x86_64")]
    &avx2::ONE,
    #[cfg(target_arch = "x86_64")]
    &avx2::TWO,
    #[cfg(target_arch = "x86_64")]
    &avx2::FOUR,
    #[cfg(target_arch = "x86_64")]
    &avx2::EIGHT,
    scalar::ROWS,
];
