//! Cases that stand in files, a line of JSON each, so that other programs can read them too.
//! `cases/README.md` says what the fields mean.

use serde::Deserialize;

use crate::case::{Call, Case, Side};

/// A line of a file. Names and strides say what the other fields say, so those are not read.
#[derive(Deserialize)]
struct Line {
    name: String,
    elem: usize,
    shape: Vec<usize>,
    src_strides: Vec<isize>,
    src_offset: usize,
    dst_strides: Vec<isize>,
    dst_offset: usize,
}

impl From<Line> for Case {
    fn from(line: Line) -> Self {
        Self {
            name: line.name,
            cell: line.elem,
            shape: line.shape,
            src: Side {
                strides: line.src_strides,
                offset: line.src_offset,
            },
            dst: Side {
                strides: line.dst_strides,
                offset: line.dst_offset,
            },
            call: Call::Prepared,
        }
    }
}

/// Transposes and permutations: families A, C and E.
pub(super) fn perms() -> Vec<Case> {
    parse(include_str!("../../cases/perms.jsonl"))
}

/// # Panics
/// If a line is not a case: the files are part of the program.
fn parse(text: &str) -> Vec<Case> {
    let case = |line| -> Line { serde_json::from_str(line).expect("a line is a case") };
    text.lines().map(|line| case(line).into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_permutations_of_dense_arrays() {
        for case in perms() {
            assert_eq!(case.dst, Side::row_major(&case.shape), "{}", case.name);
            let mut dims: Vec<_> = case.src.strides.iter().zip(&case.shape).collect();
            dims.sort_unstable();
            let mut dense = 1;
            for (&stride, &extent) in dims {
                assert_eq!(stride, dense, "{}", case.name);
                dense *= extent as isize;
            }
        }
    }
}
