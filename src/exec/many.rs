//! Many copies carried out as one: how many threads they get, and which stores, follows from all of
//! them together, however small each is.
//!
//! The bytes of all copies, one after another, are cut into equal ranges. A copy inside of a range
//! is carried out by one thread; one that a range's end cuts is planned for several, and each takes
//! its share of the tasks. So a thousand small pieces and one large one both keep all threads busy.

use core::ops::Range;

use super::{Source, Table, Walk, copy_once, execute, first_panel, split};
use crate::error::Error;
use crate::layout::Layout;
use crate::machine::{Machine, lowered};
use crate::plan::{Options, Par, Plan, Problem, SourceGaps, Stores, streaming_bytes, wanted};

/// A copy of this many bytes and more is written as all the copies together want it; a smaller one
/// as it wants itself. *Guess*: sixteen pages, of which the first and the last line do not stream.
const STREAMED_PIECE: usize = 64 << 10;

/// Bytes up to which a copy is carried out without a plan, as it takes one thread and cached stores
/// anyway.
const SMALL: usize = 4 << 10;

/// One copy of many. Both layouts have the same shape.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// Layout, gaps, and the address of index `[0, 0, ..]`.
    pub(crate) src: (&'a Layout, SourceGaps, *const u8),
    /// Layout, and the address of index `[0, 0, ..]`.
    pub(crate) dst: (&'a Layout, *mut u8),
}

// SAFETY: two addresses and shared plain data. What is read and written through the addresses is up
// to `run_jobs`, whose callers answer for all threads together.
unsafe impl Sync for Job<'_> {}

/// Carries out many copies of elements of `size` bytes, in any order and at the same time.
///
/// # Errors
/// Those of [`Machine::host`], and [`Error::UnsupportedIsa`] for the options' ISA. Nothing is written
/// then.
///
/// # Safety
/// The obligations of [`copy_once`] for each job; no destination element of one job is a source or
/// destination element, or in a readable gap, of another; the bytes of every layout fit isize.
pub(crate) unsafe fn run_jobs(
    size: usize,
    jobs: &[Job<'_>],
    options: &Options,
) -> Result<(), Error> {
    let (together, ranges) = settle(jobs.iter().map(|job| job.src.0.len() * size), options)?;
    if let [job] = jobs {
        // SAFETY: passed on.
        unsafe { share(job, size, options, None) };
        return Ok(());
    }
    let mut starts = Vec::with_capacity(jobs.len() + 1);
    starts.push(0_usize);
    for job in jobs {
        starts.push(starts[starts.len() - 1] + job.src.0.len() * size);
    }
    split::in_ranges(ranges, &|k| {
        let range = cut(together.bytes, k, ranges);
        let first = starts.partition_point(|&start| start <= range.start);
        for (job, ends) in jobs.iter().zip(starts.windows(2)).skip(first - 1) {
            let (from, to) = (range.start.max(ends[0]), range.end.min(ends[1]));
            if from >= to {
                break;
            }
            let part = (to - from < ends[1] - ends[0]).then_some(Part {
                range: from - ends[0]..to - ends[0],
                of: ends[1] - ends[0],
                ranges,
            });
            let options = together.options(options, ends[1] - ends[0]);
            // SAFETY: passed on; ranges are disjoint, and so are the shares of each job.
            unsafe { share(job, size, &options, part) };
        }
    });
    Ok(())
}

/// What all copies are together.
pub(super) struct Together {
    bytes: usize,
    pub(super) streams: bool,
}

impl Together {
    /// The options of one copy of `bytes` among them, on one thread.
    fn options(&self, options: &Options, bytes: usize) -> Options {
        let stores = match options.stores {
            Stores::Auto if self.streams && bytes >= STREAMED_PIECE => Stores::Streaming,
            asked => asked,
        };
        Options {
            par: Par::Seq,
            stores,
            ..*options
        }
    }
}

/// What all copies are together, and the number of ranges they are worth now.
pub(super) fn settle(
    bytes: impl Iterator<Item = usize>,
    options: &Options,
) -> Result<(Together, usize), Error> {
    let facts = Machine::host()?.facts();
    if let Some(isa) = options.isa {
        lowered(facts.isa, isa, "options.isa")?;
    }
    // What cannot be counted is not in the memory of this machine: broadcast elements, which count
    // as often as they are written.
    let bytes = bytes.fold(0, usize::saturating_add);
    let streams = bytes >= streaming_bytes(facts);
    let ranges = split::ranges(wanted(options.par, bytes, facts)).clamp(1, bytes.max(1));
    Ok((Together { bytes, streams }, ranges))
}

/// A part of a copy, in bytes of it.
struct Part {
    range: Range<usize>,
    of: usize,
    ranges: usize,
}

impl Part {
    /// The tasks that begin in this part.
    fn tasks(&self, all: usize) -> Range<usize> {
        let task = |byte: usize| (byte as u128 * all as u128 / self.of as u128) as usize;
        task(self.range.start)..task(self.range.end)
    }
}

/// Carries out one job, or a part of it.
///
/// # Safety
/// The obligations of [`run_jobs`] for this job and, where it is a part, for these tasks.
unsafe fn share(job: &Job<'_>, size: usize, options: &Options, part: Option<Part>) {
    let ((src_layout, gaps, src), (dst_layout, dst)) = (job.src, job.dst);
    let asks_for_nothing = !matches!(options.par, Par::Threads(_))
        && options.stores == Stores::Auto
        && options.isa.is_none();
    if part.is_none() && asks_for_nothing && src_layout.len().saturating_mul(size) <= SMALL {
        // SAFETY: passed on.
        let copied = unsafe { copy_once(size, job.src, job.dst) };
        return copied.expect("same shape, and the bytes fit");
    }
    let problem = Problem::of_proven(size, src_layout, dst_layout);
    let problem = problem
        .expect("same shape, and the bytes fit")
        .with_source_gaps(gaps);
    let options = part.as_ref().map_or(*options, |part| Options {
        par: Par::Threads(part.ranges),
        ..*options
    });
    let plan = Plan::once(&problem, &options).expect("the tier was asked for before");
    match part {
        // SAFETY: passed on: the problem is that of the layouts.
        None => unsafe { execute(&plan, Source::Base(src), dst) },
        Some(part) => {
            let Some((work, kernels)) = plan.bound() else {
                return;
            };
            let (src, dst, mut tables) = (Source::Base(src), Source::Base(dst), Table::pair());
            let panel = first_panel(&work.panel, gaps, src, dst, &mut tables);
            // SAFETY: shape, stride: the recipe's panels and loops, which its kernel takes; range,
            // aliasing and alignment: the caller's; ISA: the kernel is bound. The plan is the same
            // for all parts of the job, so its tasks are run once each.
            unsafe { Walk::new(work, kernels, panel).run(part.tasks(work.split.tasks)) }
        }
    }
}

/// Carries out one plan from many places to many places: `places` are bytes from `src` and from
/// `dst`.
///
/// With `in_order`, as if the places were copied one after another; else in any order and at the
/// same time.
///
/// # Safety
/// The obligations of [`Plan::run_raw`] for each place; if not `in_order`, no destination cell of
/// one place is a destination cell of another.
pub(crate) unsafe fn run_places(
    problem: &Problem,
    (src, dst): (*const u8, *mut u8),
    places: &[(isize, isize)],
    in_order: bool,
    options: &Options,
) -> Result<(), Error> {
    let bytes: usize = problem
        .dims()
        .iter()
        .map(|dim| dim.extent)
        .product::<usize>()
        * problem.cell_bytes();
    let (together, ranges) = settle(places.iter().map(|_| bytes), options)?;
    let ranges = if in_order { 1 } else { ranges };
    let whole = Plan::with(problem, &together.options(options, bytes))?;
    if ranges == 1 {
        for &(from, to) in places {
            // SAFETY: passed on, one place after another.
            unsafe { whole.run_raw(src.wrapping_offset(from), dst.wrapping_offset(to)) };
        }
        return Ok(());
    }
    let cut_options = Options {
        par: Par::Threads(ranges),
        ..together.options(options, bytes)
    };
    let (cut_plan, bases) = (Plan::with(problem, &cut_options)?, Bases { src, dst });
    let Some((work, kernels)) = cut_plan.bound() else {
        return Ok(());
    };
    let tasks = work.split.tasks;
    split::in_ranges(ranges, &|k| {
        let range = cut(places.len() * tasks, k, ranges);
        let mut task = range.start;
        while task < range.end {
            let (from, to) = places[task / tasks];
            let (src, dst) = bases.at(from, to);
            let begin = task % tasks;
            let end = tasks.min(begin + range.end - task);
            // SAFETY: passed on: places are disjoint, ranges are, and all tasks of a place are run
            // once each, by one plan or the other.
            unsafe {
                if end - begin == tasks {
                    whole.run_raw(src, dst);
                } else {
                    let gaps = problem.source_gaps();
                    let (src, dst) = (Source::Base(src), Source::Base(dst));
                    let mut tables = Table::pair();
                    let panel = first_panel(&work.panel, gaps, src, dst, &mut tables);
                    Walk::new(work, kernels, panel).run(begin..end);
                }
            }
            task += end - begin;
        }
    });
    Ok(())
}

/// The addresses that places are counted from.
pub(super) struct Bases {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
}

// SAFETY: two addresses. What is read and written through them is up to `run_places`, `run_channels` and the carrying out
// of what is repeated, whose callers answer for all threads together.
unsafe impl Sync for Bases {}

impl Bases {
    pub(super) fn at(&self, from: isize, to: isize) -> (*const u8, *mut u8) {
        (self.src.wrapping_offset(from), self.dst.wrapping_offset(to))
    }
}

/// The `k`th of `ranges` pieces of `0..all`, whose lengths differ by at most one.
pub(super) fn cut(all: usize, k: usize, ranges: usize) -> Range<usize> {
    let at = |k: usize| (all as u128 * k as u128 / ranges as u128) as usize;
    at(k)..at(k + 1)
}
