//! `run`: contiguous to contiguous. A panel row is one run; its cells are bytes.
//!
//! Obligations of every row: the contract in the crate's documentation. A run is moved in whole
//! vectors (or powers of two, where it is shorter than one) with the last one overlapping the one
//! before; both stay inside the run and write the same bytes, so no row needs a scalar tail.

mod portable;
mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[portable::ROWS, scalar::ROWS];
