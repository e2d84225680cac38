//! `transpose`, cell by cell, in blocks of whole lines.

use crate::scalar::{crossed_in_blocks, scalar_rows};

scalar_rows!(Transpose, "transpose", crossed_in_blocks);
