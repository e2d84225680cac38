//! Square transposes of f32, row by row around sizes whose strides fall onto few cache sets:
//! `R.<rows>`.

use super::quick::permuted;
use crate::case::{Case, Kind};

/// All of them, ascending.
pub(super) fn cases() -> Vec<Case> {
    let square = |rows| Case {
        kind: Kind::Resonance,
        ..permuted(&format!("R.{rows}"), 4, &[rows, rows], &[1, 0])
    };
    (1000..=1100).chain(4080..=4112).map(square).collect()
}
