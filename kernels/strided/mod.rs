//! `strided`: neither side has a unit dimension. The planner makes the destination's smaller stride
//! the column, so that whole destination lines are written while they are in the cache.
//!
//! Obligations of every row: the contract in the crate's documentation. Rows touch exactly the
//! cells, so there are no tails.

mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[scalar::ROWS];
