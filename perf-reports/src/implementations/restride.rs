//! restride itself, through its raw door: a prepared plan, a plan made in the call, or a source in
//! separate allocations.

use restride::{Options, Par, Plan};
use restride_cases::{Buffer, Call, Case, Pages};

use super::{Checked, Each, Implementation, RESTRIDE, Run};
use crate::failure::Failure;

/// A plan for `threads` ranges; one range runs on the calling thread.
pub(super) fn new(
    case: &Case,
    src: &[u8],
    pages: Pages,
    threads: usize,
) -> Result<Implementation, Failure> {
    let par = match threads {
        1 => Par::Seq,
        n => Par::Threads(n),
    };
    let options = Options {
        par,
        ..Options::default()
    };
    let plan = Plan::with(&case.problem()?, &options)?;
    let recipe = Some(plan.recipe().clone());
    let run: Box<dyn Run> = match case.call {
        Call::Prepared => prepared(case, plan),
        Call::Planned => planned(case, options),
        Call::Listed(axis) => listed(case, axis, plan, (src, pages))?,
    };
    Ok(Implementation {
        name: RESTRIDE,
        threads,
        checked: Checked::Permuted,
        recipe,
        run,
    })
}

fn prepared(case: &Case, plan: Plan) -> Box<dyn Run> {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        // SAFETY: range: `Each` has checked that the buffers are as long as the places of the case
        // say, which hold all its cells and the gaps between; aliasing: `dst` is borrowed uniquely.
        unsafe { plan.run_raw(src.as_ptr().add(from), dst.as_mut_ptr().add(to)) }
    })
}

pub(super) fn planned(case: &Case, options: Options) -> Box<dyn Run> {
    let (from, to) = (case.src_place().base, case.dst_place().base);
    let again = case.clone();
    let (src_strides, dst_strides) = (case.in_bytes(&case.src), case.in_bytes(&case.dst));
    Each::of(case, move |src: &[u8], dst: &mut [u8]| {
        let (cell, shape) = (again.cell, &again.shape);
        let problem = restride::Problem::from_bytes(cell, shape, &src_strides, &dst_strides);
        let plan = problem.and_then(|problem| Plan::with(&problem, &options));
        let plan = plan.expect("the same plan was made before");
        // SAFETY: as for a prepared plan; gaps are not read.
        unsafe { plan.run_raw(src.as_ptr().add(from), dst.as_mut_ptr().add(to)) }
    })
}

/// Every index of `axis` gets a piece of its own that holds what its cells reach. The pieces stand as an
/// allocator puts them that serves one after the other from large pages, the same pages as those of the
/// yardsticks: each a line behind the last.
fn listed(
    case: &Case,
    axis: usize,
    plan: Plan,
    (src, pages): (&[u8], Pages),
) -> Result<Box<dyn Run>, Failure> {
    const LINE: usize = 64;
    let place = case.src_place();
    let mut piece = case.clone();
    piece.shape[axis] = 1;
    let reach = piece.src_place().len - piece.src_place().base;
    let (pieces, apart) = (case.shape[axis], reach.next_multiple_of(LINE) + LINE);
    let stride = case.in_bytes(&case.src)[axis];
    let memory = Buffer::new(pieces * apart, 0, pages);
    let mut memory = memory.map_err(|error| Failure::memory(&error))?;
    for (index, piece) in memory.chunks_exact_mut(apart).enumerate() {
        let start = (place.base as isize + index as isize * stride) as usize;
        piece[..reach].copy_from_slice(&src[start..start + reach]);
    }
    let to = case.dst_place().base;
    let mut starts = Vec::with_capacity(pieces);
    Ok(Each::of(case, move |_: &[u8], dst: &mut [u8]| {
        starts.clear();
        starts.extend(memory.chunks_exact(apart).map(<[u8]>::as_ptr));
        // SAFETY: range: each piece holds the cells of its index, `Each` has checked `dst`;
        // aliasing: `dst` is borrowed uniquely.
        unsafe { plan.run_listed_raw(&starts, dst.as_mut_ptr().add(to)) }
    }))
}
