//! `shuffle`, cell by cell.

use crate::crossed::crossed;
use crate::scalar::scalar_rows;

scalar_rows!(Shuffle, "shuffle", crossed);
