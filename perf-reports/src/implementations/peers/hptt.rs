//! `hptt`: the C++ library of the 57 cases, through its crate. The crate plans in every call, by
//! estimate; that is part of its figures, and little of those of the large cases. Its build leaves
//! the AVX kernels out unless `CXXFLAGS` says `-mavx -DHPTT_ARCH_AVX`. Threads are OpenMP's.

use std::thread;
use std::time::Duration;

use hptt::{MemoryOrder, transpose_c64, transpose_f32, transpose_f64};
use num_complex::Complex64;

use super::cells::typed;
use super::dense::Permutation;
use super::{Each, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "hptt",
    version: Some(env!("RESTRIDE_PERF_HPTT")),
    parallel: true,
    how: concat!(
        "`transpose_f32`, `_f64`, `_c64` with alpha 1 and beta 0, planned in every call by estimate; \
         permutations of dense arrays up to rank 8; OpenMP's threads; built with CXXFLAGS \"",
        env!("RESTRIDE_PERF_CXXFLAGS"),
        "\""
    ),
    new,
};

/// Its planner looks at every order of the loops.
const MOST_AXES: usize = 8;

fn new(case: &Case, terms: Terms) -> Option<Box<dyn Run>> {
    let threads = terms.threads;
    let Permutation { shape, order } = Permutation::of(case)?;
    if shape.len() > MOST_AXES || case.side_bytes() == 0 {
        return None;
    }
    let again = case.clone();
    let rows = MemoryOrder::RowMajor;
    let copies: Box<dyn Run> = match case.cell {
        4 => Each::of(case, move |src: &[u8], dst: &mut [u8]| {
            let (src, dst) = typed(&again, src, dst);
            let done = transpose_f32(&order, 1.0, src, &shape, 0.0, dst, threads, rows);
            done.expect("the case is a permutation");
        }),
        8 => Each::of(case, move |src: &[u8], dst: &mut [u8]| {
            let (src, dst) = typed(&again, src, dst);
            let done = transpose_f64(&order, 1.0, src, &shape, 0.0, dst, threads, rows);
            done.expect("the case is a permutation");
        }),
        16 => Each::of(case, move |src: &[u8], dst: &mut [u8]| {
            let (src, dst) = typed(&again, src, dst);
            let (one, none) = (Complex64::new(1.0, 0.0), Complex64::new(0.0, 0.0));
            let done = transpose_c64(&order, one, src, &shape, none, dst, threads, false, rows);
            done.expect("the case is a permutation");
        }),
        _ => return None,
    };
    Some(Box::new(Settling { copies, threads }))
}

/// Waits until OpenMP's workers have gone to sleep.
struct Settling {
    copies: Box<dyn Run>,
    threads: usize,
}

/// GNU's workers spin up to 300,000 times after a parallel section: 14 ms where a pause takes 47 ns.
const SPINNING: Duration = Duration::from_millis(30);

impl Run for Settling {
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize) {
        self.copies.run(src, dst, times);
    }

    fn settle(&self) {
        if self.threads > 1 {
            thread::sleep(SPINNING);
        }
    }
}
