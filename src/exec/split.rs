//! The split: tasks into balanced contiguous ranges, one per thread.
//!
//! Work runs in the rayon pool the caller is in, else in the global one; no pool is built per call
//! and no thread is pinned. The calling thread takes the first range. Where no pool can be had, and
//! without the feature `rayon`, the calling thread does everything; the bytes are the same.

use core::ops::Range;

use crate::plan::Threads;

#[cfg(feature = "rayon")]
pub(super) use with_rayon::run;
#[cfg(feature = "rayon")]
pub(crate) use with_rayon::{in_ranges, ranges, workers};
#[cfg(not(feature = "rayon"))]
pub(super) use without_rayon::run;
#[cfg(not(feature = "rayon"))]
pub(crate) use without_rayon::{in_ranges, ranges, workers};

/// Calls `work` with ranges that together are all of `tasks`, one for each of the threads that they
/// are worth.
pub(crate) fn share(tasks: usize, threads: Threads, work: &(impl Fn(Range<usize>) + Sync)) {
    let ranges = ranges(threads).min(tasks);
    if ranges <= 1 {
        return work(0..tasks);
    }
    in_ranges(ranges, &|k| work(range(k, tasks, ranges)));
}

/// The `k`th of `ranges` contiguous pieces of `0..tasks` whose lengths differ by at most one.
fn range(k: usize, tasks: usize, ranges: usize) -> Range<usize> {
    let (each, more) = (tasks / ranges, tasks % ranges);
    let start = |k: usize| k * each + k.min(more);
    start(k)..start(k + 1)
}

#[cfg(feature = "rayon")]
mod with_rayon {
    use std::error::Error;
    use std::sync::OnceLock;

    use super::range;
    use crate::exec::walk::Walk;
    use crate::plan::Threads;

    /// Into how many ranges this thread should cut work now that is worth so many.
    #[inline]
    pub(crate) fn ranges(threads: Threads) -> usize {
        if threads.cold == 1 && threads.warm == 1 {
            return 1;
        }
        if rayon::current_thread_index().is_some() {
            threads.warm
        } else if threads.cold > 1 && has_global_pool() {
            threads.cold
        } else {
            1
        }
    }

    /// Runs all tasks in `ranges` ranges.
    ///
    /// # Safety
    /// The obligations of [`Walk::run`] for all tasks.
    pub(crate) unsafe fn run(walk: &Walk<'_>, ranges: usize) {
        let tasks = walk.work().split.tasks;
        let shared = SendWalk(walk);
        rayon::in_place_scope(|scope| {
            for k in 1..ranges {
                scope.spawn(move |_| {
                    // SAFETY: passed on to the caller; ranges are disjoint, and so are the
                    // destination cells of different tasks.
                    unsafe { shared.get().run(range(k, tasks, ranges)) }
                });
            }
            // SAFETY: as above, for range 0.
            unsafe { walk.run(range(0, tasks, ranges)) }
        });
    }

    /// Calls `each` with every number below `ranges`, on as many threads as there are.
    pub(crate) fn in_ranges(ranges: usize, each: &(dyn Fn(usize) + Sync)) {
        rayon::in_place_scope(|scope| {
            for k in 1..ranges {
                scope.spawn(move |_| each(k));
            }
            each(0);
        });
    }

    /// The threads of the pool that work would run in now.
    pub(crate) fn workers() -> usize {
        if rayon::current_thread_index().is_some() || has_global_pool() {
            rayon::current_num_threads()
        } else {
            1
        }
    }

    /// Whether there is a global pool, which this starts where no one has yet. Asked only when a
    /// copy is worth several threads.
    fn has_global_pool() -> bool {
        static POOL: OnceLock<bool> = OnceLock::new();
        *POOL.get_or_init(|| match rayon::ThreadPoolBuilder::new().build_global() {
            Ok(()) => true,
            // Without an I/O error behind it, the refusal says that there is a pool already.
            Err(error) => error.source().is_none(),
        })
    }

    /// A walk on its way to another thread.
    #[derive(Clone, Copy)]
    struct SendWalk<'a>(&'a Walk<'a>);

    impl<'a> SendWalk<'a> {
        fn get(self) -> &'a Walk<'a> {
            self.0
        }
    }

    // SAFETY: a walk is two addresses and shared plain data. What is read and written through the
    // addresses is up to `Walk::run`, whose callers answer for all threads together.
    unsafe impl Send for SendWalk<'_> {}
}

#[cfg(not(feature = "rayon"))]
mod without_rayon {
    use crate::exec::walk::Walk;
    use crate::plan::Threads;

    /// One range, whatever the plan would like.
    #[inline]
    pub(crate) fn ranges(_: Threads) -> usize {
        1
    }

    /// One thread, whatever there is.
    pub(crate) fn workers() -> usize {
        1
    }

    /// Calls `each` with every number below `ranges`.
    pub(crate) fn in_ranges(ranges: usize, each: &(dyn Fn(usize) + Sync)) {
        (0..ranges).for_each(each);
    }

    /// Runs all tasks.
    ///
    /// # Safety
    /// The obligations of [`Walk::run`] for all tasks.
    pub(crate) unsafe fn run(walk: &Walk<'_>, _: usize) {
        // SAFETY: passed on to the caller.
        unsafe { walk.run_all() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_tasks_once_and_are_balanced() {
        for tasks in 0..40 {
            for ranges in 1..9 {
                let pieces: Vec<_> = (0..ranges).map(|k| range(k, tasks, ranges)).collect();
                assert_eq!((pieces[0].start, pieces[ranges - 1].end), (0, tasks));
                assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths = pieces.iter().map(ExactSizeIterator::len);
                assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
            }
        }
    }
}
