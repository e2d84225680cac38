//! What stands beside restride: the loop that anyone would write, and the crates that someone would
//! reach for. Each is a row: a name, a version, how it is called, what it can express.
//!
//! The same rules for all: the destination is the row-major one of the case, in the same memory as
//! restride's where the crate can be given memory, never allocated while the clock runs; views and
//! whatever else can be kept between calls stand before. Results pass the same oracle.

mod broken;
mod loops;
mod naive;
mod nd;

#[cfg(feature = "peers-heavy")]
mod candle;
#[cfg(feature = "peers")]
mod cells;
#[cfg(feature = "peers")]
mod dense;
#[cfg(feature = "peers")]
mod fast_transpose;
#[cfg(feature = "peers-heavy")]
mod hptt;
#[cfg(feature = "peers")]
mod rten;
#[cfg(feature = "peers")]
mod strided_kernel;
#[cfg(feature = "peers")]
mod strided_perm;
#[cfg(feature = "peers")]
mod transpose;

use super::{Each, Run};
use restride_cases::Case;
use restride_cases::Pages;

/// The loop that anyone would write.
pub(crate) const NAIVE: &str = "naive";

/// Loops over merged axes, in the order of the destination, and of the source.
pub(crate) const LOOPS: &str = "loops";
pub(crate) const LOOPS_BY_SOURCE: &str = "loops by source";
pub(super) use loops::belong as loops_belong;

/// Something that does what restride does, to stand beside it.
#[derive(Debug)]
pub(crate) struct Peer {
    /// The name in tables, records and figures.
    pub(crate) name: &'static str,
    /// The version of the crate; none of a loop of ours.
    pub(crate) version: Option<&'static str>,
    /// Whether it can use several threads.
    pub(super) parallel: bool,
    /// How it is called, and what of that needs to be known to judge its figures.
    pub(crate) how: &'static str,
    /// Makes it ready for a case; `None` where it cannot express it.
    pub(super) new: fn(&Case, Terms) -> Option<Box<dyn Run>>,
}

/// What a peer may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Threads; more than one only for those that can use them.
    #[cfg_attr(
        not(feature = "peers"),
        expect(dead_code, reason = "none of the others can")
    )]
    pub(super) threads: usize,
    /// Pages of memory of its own.
    #[cfg_attr(
        not(feature = "peers-heavy"),
        expect(dead_code, reason = "no other has any")
    )]
    pub(super) pages: Pages,
}

/// All peers, in the order of the reports.
pub(crate) const PEERS: &[Peer] = &[
    naive::PEER,
    loops::BY_DESTINATION,
    loops::BY_SOURCE,
    nd::PEER,
    #[cfg(feature = "peers")]
    rten::PEER,
    #[cfg(feature = "peers")]
    strided_perm::PEER,
    #[cfg(feature = "peers")]
    strided_kernel::PEER,
    #[cfg(feature = "peers")]
    transpose::PEER,
    #[cfg(feature = "peers")]
    fast_transpose::PEER,
    #[cfg(feature = "peers-heavy")]
    hptt::PEER,
    #[cfg(feature = "peers-heavy")]
    candle::PEER,
];

/// Wrong on purpose, and none of [`PEERS`]: it takes part only where someone asks for it by name.
pub(crate) const BROKEN: &Peer = &broken::PEER;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations::{Checked, Implementation};
    use crate::measure::verify::verify;
    use restride_cases::{Call, Kind, Side, oracle, pattern};

    fn case(cell: usize, shape: &[usize], src_strides: &[isize]) -> Case {
        Case {
            name: format!("{shape:?}"),
            kind: Kind::Table,
            cell,
            shape: shape.to_vec(),
            src: Side {
                strides: src_strides.to_vec(),
                offset: 0,
            },
            dst: Side::row_major(shape),
            call: Call::Prepared,
        }
    }

    /// Bytes that elements of 16 bytes may start at.
    fn aligned(len: usize) -> Vec<u128> {
        vec![0; len.div_ceil(16)]
    }

    fn bytes(words: &mut [u128]) -> &mut [u8] {
        // SAFETY: range, alignment: these are the bytes of `words`, and any bytes make words.
        unsafe { words.align_to_mut().1 }
    }

    #[test]
    fn all_of_them_copy_what_they_can_express() {
        let mut expressed = 0;
        for (cell, threads) in [1, 2, 4, 8, 16].into_iter().zip([1, 2, 1, 2, 1]) {
            let cases = [
                case(cell, &[33, 17], &[1, 33]),
                case(cell, &[3, 20, 7], &[140, 1, 20]),
                case(cell, &[5, 4, 3, 2], &[1, 5, 20, 60]),
                case(cell, &[2, 3, 2, 3, 2, 8], &[24, 48, 8, 144, 432, 1]),
                // A part of a larger array, which not all can express.
                case(cell, &[9, 7], &[1, 12]),
            ];
            for (case, peer) in cases
                .iter()
                .flat_map(|case| PEERS.iter().map(move |p| (case, p)))
            {
                let (mut src, mut dst) =
                    (aligned(case.src_place().len), aligned(case.dst_place().len));
                let (src, dst) = (bytes(&mut src), bytes(&mut dst));
                let (src, dst) = (
                    &mut src[..case.src_place().len],
                    &mut dst[..case.dst_place().len],
                );
                let mut expected = dst.to_vec();
                pattern::fill(src);
                oracle::expect(case, &mut expected);
                let threads = if peer.parallel { threads } else { 1 };
                let pages = Pages::Huge;
                let Some(run) = (peer.new)(case, Terms { threads, pages }) else {
                    continue;
                };
                let mut row = Implementation {
                    name: peer.name,
                    threads,
                    checked: Checked::Permuted,
                    recipe: None,
                    run,
                };
                verify(case, &mut row, src, dst, &expected).unwrap();
                expressed += 1;
            }
        }
        // naive and ndarray express all.
        assert!(expressed >= 50);
    }

    #[test]
    fn the_broken_one_is_found_at_its_last_cell() {
        let part = case(4, &[9, 7], &[1, 12]);
        let mut gaps = case(2, &[3, 2], &[1, 3]);
        gaps.dst.strides = vec![-5, 1];
        gaps.dst.offset = 10;
        // Cell [2, 1] is at 10 - 2 * 5 + 1.
        for (case, place) in [(part, 4 * (9 * 7 - 1)), (gaps, 2)] {
            let (mut src, mut dst) = (aligned(case.src_place().len), aligned(case.dst_place().len));
            let (src, dst) = (bytes(&mut src), bytes(&mut dst));
            let src = &mut src[..case.src_place().len];
            let dst = &mut dst[..case.dst_place().len];
            let mut expected = dst.to_vec();
            pattern::fill(src);
            oracle::expect(&case, &mut expected);
            let (threads, pages) = (1, Pages::Huge);
            let mut row = Implementation {
                name: BROKEN.name,
                threads,
                checked: Checked::Permuted,
                recipe: None,
                run: (BROKEN.new)(&case, Terms { threads, pages }).unwrap(),
            };
            let failure = verify(&case, &mut row, src, dst, &expected).unwrap_err();
            assert_eq!(failure.exit_code(), 3);
            let at = format!(": byte {place} of ");
            assert!(failure.to_string().contains(&at), "{failure}");
        }
    }
}
