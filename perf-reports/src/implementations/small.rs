//! What small copies are measured with beside a prepared plan at two addresses: planning alone, planning and running in
//! one call, and, between typed views, the plan and `copy`.

use std::hint::black_box;

use bytemuck::{AnyBitPattern, NoUninit};
use restride::{Layout, Options, Par, Plan, Problem, SourceGaps, View, ViewMut};
use restride_cases::{Case, Place, Side};

use super::restride::planned;
use super::{Checked, Each, Implementation, PLAN, PLAN_AND_RUN, RUN, Run, VIEWS};
use crate::failure::Failure;

/// All of them, on one thread.
pub(super) fn all(case: &Case) -> Result<Vec<Implementation>, Failure> {
    let options = Options {
        par: Par::Seq,
        ..Options::default()
    };
    let row = |name, checked, run| Implementation {
        name,
        threads: 1,
        checked,
        recipe: None,
        run,
    };
    let mut all = vec![
        row(PLAN, Checked::Nothing, only_planned(case, options)),
        row(PLAN_AND_RUN, Checked::Permuted, planned(case, options)),
    ];
    let plan = Plan::with(&case.problem()?, &options)?;
    for (name, plan) in [(RUN, Some(plan)), (VIEWS, None)] {
        let views = match case.cell {
            1 => between_views::<u8>(case, plan)?,
            2 => between_views::<u16>(case, plan)?,
            4 => between_views::<u32>(case, plan)?,
            8 => between_views::<u64>(case, plan)?,
            _ => break,
        };
        all.push(row(name, Checked::Permuted, views));
    }
    Ok(all)
}

fn only_planned(case: &Case, options: Options) -> Box<dyn Run> {
    let again = case.clone();
    let (src, dst) = (case.in_bytes(&case.src), case.in_bytes(&case.dst));
    Each::of(case, move |_: &[u8], _: &mut [u8]| {
        let problem = Problem::from_bytes(again.cell, black_box(&again.shape), &src, &dst);
        let problem = problem.map(|problem| problem.with_source_gaps(SourceGaps::Readable));
        let plan = problem.and_then(|problem| Plan::with(&problem, &options));
        black_box(plan.expect("the same plan was made before"));
    })
}

/// Views stand before the clock starts, as they do where arrays are kept.
fn between_views<T: AnyBitPattern + NoUninit>(
    case: &Case,
    plan: Option<Plan>,
) -> Result<Box<dyn Run>, Failure> {
    let layout =
        |side: &Side, place: Place| Layout::new(&case.shape, &side.strides, place.base / case.cell);
    Ok(Box::new(Views::<T> {
        src: layout(&case.src, case.src_place())?,
        dst: layout(&case.dst, case.dst_place())?,
        plan,
        element: std::marker::PhantomData,
    }))
}

struct Views<T> {
    src: Layout,
    dst: Layout,
    /// One for these, or none: `copy` does without.
    plan: Option<Plan>,
    element: std::marker::PhantomData<T>,
}

impl<T: AnyBitPattern + NoUninit> Run for Views<T> {
    fn run(&mut self, src: &[u8], dst: &mut [u8], times: usize) {
        let whole = |bytes: usize| bytes / size_of::<T>() * size_of::<T>();
        let (from, to) = (whole(src.len()), whole(dst.len()));
        let src: &[T] = bytemuck::cast_slice(&src[..from]);
        let dst: &mut [T] = bytemuck::cast_slice_mut(&mut dst[..to]);
        let src = View::with_layout(src, self.src.clone()).expect("the case fits its buffer");
        let mut dst = ViewMut::with_layout(dst, self.dst.clone()).expect("so does the other side");
        for _ in 0..times {
            let (src, dst) = (black_box(&src), black_box(&mut dst));
            let done = match &self.plan {
                Some(plan) => plan.run(src, dst),
                None => restride::copy(src, dst),
            };
            done.expect("the views are those of the case");
        }
    }
}
