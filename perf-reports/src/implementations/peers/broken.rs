//! One that is wrong on purpose: who wants to see what happens then asks for it by name.

use super::{Peer, Run, Terms, naive};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "broken",
    version: None,
    parallel: false,
    how: "the naive loop, and one bit of the last cell is wrong",
    new,
};

struct Broken {
    naive: Box<dyn Run>,
    /// The place of the last cell in the destination.
    last: usize,
}

impl Run for Broken {
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize) {
        self.naive.run(src, dst, times);
        dst[self.last] ^= 1;
    }
}

fn new(case: &Case, terms: Terms) -> Option<Box<dyn Run>> {
    if case.side_bytes() == 0 {
        return None; // nothing can be wrong
    }
    let naive = (naive::PEER.new)(case, terms)?;
    let steps = case.shape.iter().zip(case.in_bytes(&case.dst));
    let way: isize = steps
        .map(|(&extent, stride)| (extent as isize - 1) * stride)
        .sum();
    let last = (case.dst_place().base as isize + way) as usize;
    Some(Box::new(Broken { naive, last }))
}
