//! Cases that stand in files, a line of JSON each, so that other programs can read them too.
//! `README.md` says what the fields mean.

use serde::Deserialize;

use crate::case::{Call, Case, Kind, Side};

/// A line of a file. Names and strides say what the other fields say, so those are not read.
#[derive(Deserialize)]
struct Line {
    name: String,
    family: String,
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
            kind: match &line.family[..] {
                "A" => Kind::Transpose,
                "C" | "H" => Kind::Layout,
                "D" => Kind::Small,
                _ => Kind::Volume,
            },
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

/// 2-D transposes.
pub(super) fn transposes() -> Vec<Case> {
    parse(include_str!("../../data/transposes.jsonl"))
}

/// Layouts of arrays, machine learning and images.
pub(super) fn layouts() -> Vec<Case> {
    parse(include_str!("../../data/layouts.jsonl"))
}

/// Blocks of a few bytes whose cells change places.
pub(super) fn blocks() -> Vec<Case> {
    parse(include_str!("../../data/blocks.jsonl"))
}

/// What images, audio, networks and tables have done to them.
pub(super) fn applications() -> Vec<Case> {
    parse(include_str!("../../data/applications.jsonl"))
}

/// Small copies.
pub(super) fn small() -> Vec<Case> {
    parse(include_str!("../../data/small.jsonl"))
}

/// Volumes and tensor networks.
pub(super) fn volumes() -> Vec<Case> {
    parse(include_str!("../../data/volumes.jsonl"))
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
    fn transposes_and_volumes_are_permutations_of_dense_arrays() {
        for case in transposes().into_iter().chain(volumes()) {
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
