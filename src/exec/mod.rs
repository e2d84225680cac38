//! Execution: everything is decided, memory is moved.
//!
//! `walk` moves a range of tasks on one thread; `split` cuts the tasks into ranges and is the only
//! file that names rayon.

mod split;
mod walk;

use crate::plan::Plan;
pub(crate) use walk::Source;
use walk::Walk;

/// Carries out a plan.
///
/// # Safety
/// The obligations of [`Plan::run_raw`], or of [`Plan::run_listed_raw`] where the plan's source is
/// a list; `src` is of the kind that the plan was made for.
#[inline]
pub(crate) unsafe fn execute(plan: &Plan, src: Source<'_>, dst: *mut u8) {
    let Some(walk) = Walk::new(plan, src, dst) else {
        return;
    };
    let ranges = split::ranges(walk.work());
    // SAFETY: shape, stride: the recipe's panels and loops, which its kernel takes; range, aliasing
    // and alignment: the caller's; ISA: the kernel is bound. All tasks of the walk are run, each
    // once.
    unsafe {
        if ranges <= 1 {
            walk.run_all();
        } else {
            split::run(&walk, ranges);
        }
    }
}
