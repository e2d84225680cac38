//! `strided-perm`: `copy_into`, its permutation engine, made after HPTT. It plans in every call and
//! keeps no plan for typed copies. Several threads are those of a pool of its own, which is what
//! the crate asks for; a copy may use as many as the case is measured on.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use strided_kernel::{Exec, Pool, StridedView, StridedViewMut};

use super::cells::{Cell, offsets, typed};
use super::{Each, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "strided-perm",
    version: Some(env!("RESTRIDE_PERF_STRIDED_PERM")),
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
        strided_perm::copy_into(dst, src, exec).expect("the case is one");
    }))
}

/// Runs `copy` on views of the case, made in the call, and a token for `threads`.
pub(super) fn between_views<T: Cell>(
    case: &Case,
    threads: usize,
    copy: impl Fn(&mut StridedViewMut<T>, &StridedView<T>, Exec) + 'static,
) -> Box<dyn Run> {
    let (from, to) = offsets(case);
    let pool = (threads > 1).then(|| pool(threads));
    let again = case.clone();
    Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        let (src, dst) = typed::<T>(&again, src, dst);
        let (shape, strides) = (&again.shape[..], &again.src.strides[..]);
        let src = StridedView::<T>::new(src, shape, strides, from as isize);
        let dst = StridedViewMut::new(dst, shape, &again.dst.strides, to as isize);
        let exec = pool.map_or_else(Exec::serial, |pool| {
            Exec::new(pool, threads).expect("there are threads")
        });
        let (src, mut dst) = (src.expect("it is long enough"), dst.expect("it is, too"));
        copy(black_box(&mut dst), black_box(&src), exec);
    })
}

/// A pool for as long as the program runs, one for each number of threads: its workers sleep while
/// others are measured.
fn pool(threads: usize) -> &'static Pool {
    static POOLS: OnceLock<Mutex<HashMap<usize, &'static Pool>>> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Mutex::default).lock().expect("no panic");
    pools.entry(threads).or_insert_with(|| {
        let pool = Pool::builder().threads(threads);
        let pool = pool.idle_spin(Duration::ZERO).build();
        Box::leak(Box::new(pool.expect("threads can be started")))
    })
}
