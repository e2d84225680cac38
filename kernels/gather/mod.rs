//! `gather`: strided, repeated or reversed source cells into a contiguous destination row.
//!
//! Obligations of every row: the contract in the crate's documentation; what defines the family is
//! [`Family::admits`](crate::Family::admits). Rows touch exactly the cells, so there are no tails.

mod scalar;

use crate::row::Row;

/// Best first.
pub(crate) static TABLE: &[&[Row]] = &[scalar::ROWS];
