//! Nothing is timed that has not passed the oracle.

use std::time::{Duration, Instant};

use restride_cases::Case;
use restride_cases::oracle::{BEFORE, first_difference};

use crate::failure::Failure;
use crate::implementations::{Checked, Implementation};

/// Runs `implementation` once on a fresh destination and compares. The yardsticks, which permute
/// nothing, must leave the first bytes of the source in the first bytes of the destination.
///
/// Returns how long that took.
///
/// # Errors
/// [`Failure::Wrong`] names case, implementation, threads, and the first wrong byte.
pub(crate) fn verify(
    case: &Case,
    implementation: &mut Implementation,
    src: &[u8],
    dst: &mut [u8],
    expected: &[u8],
) -> Result<Duration, Failure> {
    dst.fill(BEFORE);
    let start = Instant::now();
    implementation.run.run(src, dst, 1);
    let took = start.elapsed();
    implementation.run.hand_over(dst);
    let unchanged = |part: &[u8]| part.iter().position(|&byte| byte != BEFORE);
    let wrong = match implementation.checked {
        Checked::Permuted => first_difference(dst, expected),
        Checked::Nothing => unchanged(dst),
        Checked::Plain => {
            let (same, rest) = dst.split_at(case.side_bytes());
            first_difference(same, &src[..same.len()])
                .or_else(|| unchanged(rest).map(|at| at + same.len()))
        }
    };
    let Some(at) = wrong else {
        return Ok(took);
    };
    let Implementation { name, threads, .. } = implementation;
    Err(Failure::Wrong(format!(
        "wrong result: {name} with threads = {threads} on {}: byte {at} of {} is {:#04x}",
        case.name,
        dst.len(),
        dst[at]
    )))
}

#[cfg(test)]
mod tests {
    use restride_cases::{Call, Kind, Side, oracle, pattern};

    use super::*;
    use crate::implementations::Run;

    /// Writes what it was made with.
    struct Planted(Vec<u8>);

    impl Run for Planted {
        fn run(&mut self, _: &[u8], dst: &mut [u8], _: usize) {
            dst.copy_from_slice(&self.0);
        }
    }

    /// A transpose of 2 x 3 bytes into rows of three, and what is right.
    fn transpose() -> (Case, [u8; 8]) {
        let side = |strides: &[isize]| Side {
            strides: strides.to_vec(),
            offset: 0,
        };
        let case = Case {
            name: "transpose-2x3".into(),
            kind: Kind::Table,
            cell: 1,
            shape: vec![3, 2],
            src: side(&[1, 3]),
            dst: side(&[3, 1]),
            call: Call::Prepared,
        };
        let mut right = [0; 8];
        oracle::expect(&case, &mut right);
        (case, right)
    }

    fn verdict(result: &[u8], checked: Checked) -> Result<(), Failure> {
        let ((case, right), mut src) = (transpose(), [0; 6]);
        pattern::fill(&mut src);
        let mut planted = Implementation {
            name: "planted",
            threads: 2,
            checked,
            recipe: None,
            run: Box::new(Planted(result.to_vec())),
        };
        verify(&case, &mut planted, &src, &mut [0; 8], &right).map(|_| ())
    }

    #[test]
    fn planted_mistakes_are_found_and_end_with_code_3() {
        let (_, right) = transpose();
        assert_eq!(verdict(&right, Checked::Permuted), Ok(()));
        let mut wrong_cell = right;
        wrong_cell[7] ^= 1;
        let failure = verdict(&wrong_cell, Checked::Permuted).unwrap_err();
        assert_eq!(failure.exit_code(), 3);
        let text = failure.to_string();
        let said = "planted with threads = 2 on transpose-2x3: byte 7 of 8 is 0x";
        assert!(text.contains(said), "{text}");
        let mut gap_written = right;
        gap_written[2] = 0;
        let failure = verdict(&gap_written, Checked::Permuted).unwrap_err();
        assert!(failure.to_string().contains("byte 2"));
        assert_eq!(verdict(&[BEFORE; 8], Checked::Nothing), Ok(()));
        assert!(verdict(&right, Checked::Nothing).is_err());
        assert!(verdict(&right, Checked::Plain).is_err());
    }
}
