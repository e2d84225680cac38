//! `strided-kernel`: `copy_into`, its blocked element-by-element map. It orders and blocks the loops in
//! every call. Threads as for `strided-perm`.

use super::cells::Cell;
use super::strided_perm::between_views;
use super::{Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "strided-kernel",
    version: Some(env!("RESTRIDE_PERF_STRIDED_KERNEL")),
    parallel: true,
    how: "`copy_into`, planned in every call; u8, u16, f32, f64, u128; threads of its own pool",
    new,
};

fn new(case: &Case, terms: Terms) -> Option<Box<dyn Run>> {
    match case.cell {
        1 => of_type::<u8>(case, terms.threads),
        2 => of_type::<u16>(case, terms.threads),
        4 => of_type::<f32>(case, terms.threads),
        8 => of_type::<f64>(case, terms.threads),
        16 => of_type::<u128>(case, terms.threads),
        _ => None,
    }
}

fn of_type<T: Cell>(case: &Case, threads: usize) -> Option<Box<dyn Run>> {
    Some(between_views::<T>(case, threads, |dst, src, exec| {
        strided_kernel::copy_into(dst, src, exec).expect("the case is one");
    }))
}
