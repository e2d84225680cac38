//! `transpose`, cell by cell, in blocks of whole lines.

use crate::crossed::crossed;
use crate::scalar::scalar_rows;

scalar_rows!(Transpose, "transpose", crossed);
