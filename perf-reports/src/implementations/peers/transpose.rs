//! `transpose`: dense planes, one call for each.

use super::cells::{Cell, typed};
use super::dense::Planes;
use super::{Each, Peer, Run, Terms};
use restride_cases::Case;

pub(super) const PEER: Peer = Peer {
    name: "transpose",
    version: Some(env!("RESTRIDE_PERF_TRANSPOSE")),
    parallel: false,
    how: "`transpose` of each dense plane; cases that are such; u8, u16, u32, u64, u128",
    new,
};

fn new(case: &Case, _: Terms) -> Option<Box<dyn Run>> {
    match case.cell {
        1 => of_type::<u8>(case),
        2 => of_type::<u16>(case),
        4 => of_type::<u32>(case),
        8 => of_type::<u64>(case),
        16 => of_type::<u128>(case),
        _ => None,
    }
}

fn of_type<T: Cell>(case: &Case) -> Option<Box<dyn Run>> {
    let planes = Planes::of(case)?;
    let again = case.clone();
    Some(Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        let (src, dst) = typed::<T>(&again, src, dst);
        planes.each(src, dst, |src, dst| {
            transpose::transpose(src, dst, planes.columns, planes.rows);
        });
    }))
}
