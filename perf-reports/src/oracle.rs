//! The oracle: what a destination must hold, index by index, and the comparison with what an
//! implementation left there. Nothing is timed that has not passed it.

use std::time::{Duration, Instant};

use crate::buffers::Buffer;
use crate::case::Case;
use crate::failure::Failure;
use crate::implementations::{Checked, Implementation};

/// What stands in the destination before a copy; gaps must keep it.
const BEFORE: u8 = 0xA5;

/// The whole destination buffer after a right copy, gaps included.
pub(crate) fn expected(case: &Case, src: &[u8]) -> Result<Buffer, Failure> {
    let (from, to) = (case.src_place().base, case.dst_place());
    let (src_strides, dst_strides) = (case.in_bytes(&case.src), case.in_bytes(&case.dst));
    let mut dst = Buffer::new(to.len, 0)?;
    dst.fill(BEFORE);
    let mut index = vec![0; case.shape.len()];
    loop {
        let at = |base: usize, strides: &[isize]| -> usize {
            let steps = index.iter().zip(strides).map(|(&i, &s)| i as isize * s);
            (base as isize + steps.sum::<isize>()) as usize
        };
        let (s, d) = (at(from, &src_strides), at(to.base, &dst_strides));
        dst[d..d + case.cell].copy_from_slice(&src[s..s + case.cell]);
        if !advance(&mut index, &case.shape) {
            return Ok(dst);
        }
    }
}

/// The next index, the last axis fastest; whether there is one.
fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (i, &extent) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < extent {
            return true;
        }
        *i = 0;
    }
    false
}

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
    let wrong = match implementation.checked {
        Checked::Permuted => first_difference(dst, expected),
        Checked::Plain => {
            let (same, rest) = dst.split_at(case.side_bytes());
            first_difference(same, &src[..same.len()]).or_else(|| {
                let written = rest.iter().position(|&byte| byte != BEFORE);
                written.map(|at| at + same.len())
            })
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

fn first_difference(got: &[u8], want: &[u8]) -> Option<usize> {
    if got == want {
        return None;
    }
    got.iter().zip(want).position(|(got, want)| got != want)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Call, Side};
    use crate::implementations::Run;

    fn transpose() -> Case {
        Case {
            name: "transpose-2x3".into(),
            cell: 1,
            shape: vec![3, 2],
            src: Side {
                strides: vec![1, 3],
                offset: 0,
            },
            dst: Side {
                strides: vec![3, 1],
                offset: 0,
            },
            call: Call::Prepared,
        }
    }

    /// Writes what it was made with.
    struct Planted(Vec<u8>);

    impl Run for Planted {
        fn run(&mut self, _: &[u8], dst: &mut [u8], _: usize) {
            dst.copy_from_slice(&self.0);
        }
    }

    fn verdict(result: &[u8]) -> Result<(), Failure> {
        let (case, src) = (transpose(), [1, 2, 3, 4, 5, 6]);
        let expected = expected(&case, &src).unwrap();
        let mut planted = Implementation {
            name: "planted",
            threads: 2,
            checked: Checked::Permuted,
            plan: None,
            run: Box::new(Planted(result.to_vec())),
        };
        verify(&case, &mut planted, &src, &mut [0; 8], &expected).map(|_| ())
    }

    #[test]
    fn the_oracle_leaves_gaps_alone() {
        let expected = expected(&transpose(), &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(expected[..], [1, 4, BEFORE, 2, 5, BEFORE, 3, 6]);
    }

    #[test]
    fn planted_mistakes_are_found_and_end_with_code_3() {
        assert_eq!(verdict(&[1, 4, BEFORE, 2, 5, BEFORE, 3, 6]), Ok(()));
        let wrong_cell = verdict(&[1, 4, BEFORE, 2, 5, BEFORE, 3, 7]).unwrap_err();
        assert_eq!(wrong_cell.exit_code(), 3);
        let text = wrong_cell.to_string();
        let said = "planted with threads = 2 on transpose-2x3: byte 7 of 8 is 0x07";
        assert!(text.contains(said), "{text}");
        let gap_written = verdict(&[1, 4, 0, 2, 5, BEFORE, 3, 6]).unwrap_err();
        assert!(gap_written.to_string().contains("byte 2"));
    }
}
