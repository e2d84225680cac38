//! `interleave`: 2, 3 or 4 planes into pixels and back: crossed panels with one short side.
//!
//! Obligations of every row: the contract in the crate's documentation. Rows touch exactly the
//! cells, so there are no tails.

mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[scalar::ROWS];
