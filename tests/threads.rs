//! One plan used by many threads at once, and many ranges of one copy: always the oracle's bytes.

mod common;

use common::copies;
use common::harness::Harness;
use common::layouts::Case;
use common::random::mix;
use restride::{Options, Par, Plan, Problem, SourceGaps, Stores};

/// A plan and the copy it is for.
struct Job {
    case: Case,
    plan: Plan,
    par: Par,
}

const JOBS: u64 = if cfg!(debug_assertions) { 150 } else { 2_000 };

fn jobs(pars: &[Par]) -> Vec<Job> {
    let stores = [Stores::Auto, Stores::Cached, Stores::Streaming];
    let each = (0..JOBS).map(|i| (i as usize, Case::draw(mix(&[0x7472, i]))));
    each.map(|(i, case)| {
        let (par, stores) = (pars[i % pars.len()], stores[i / pars.len() % stores.len()]);
        let problem = Problem::from_bytes(case.cell, &case.shape, &case.src, &case.dst);
        let options = Options {
            par,
            stores,
            ..Options::default()
        };
        let plan = problem.and_then(|problem| Plan::with(&problem, &options));
        let plan = plan.unwrap_or_else(|error| panic!("refused: {error}\n{case}"));
        Job { case, plan, par }
    })
    .collect()
}

fn run(harness: &mut Harness, job: &Job, places: usize) {
    let run = |src, dst| {
        // SAFETY: range and aliasing: the check places the case's footprints in the buffers of this
        // thread's own harness. Gaps are forbidden, so poisoned ones are not read.
        unsafe { job.plan.run_raw(src, dst) }
    };
    let how = format!("{:?}, in `threads`", job.par);
    copies::check(
        harness,
        &job.case,
        job.case.places[places],
        SourceGaps::Forbidden,
        &how,
        &run,
    )
    .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn one_plan_runs_in_many_threads_at_once() {
    let jobs = jobs(&[Par::Seq, Par::Threads(2), Par::Auto, Par::Threads(3)]);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let jobs = &jobs;
            scope.spawn(move || {
                let mut harness = Harness::new();
                // Neighbours in step, so that they are in the same plan at the same time.
                for job in jobs {
                    run(&mut harness, job, thread % 2);
                }
            });
        }
    });
}

#[test]
fn any_number_of_ranges_gives_the_same_bytes() {
    let counts = [0, 1, 2, 3, 4, 5, 7, 8, 16, 64, 1000].map(Par::Threads);
    let mut harness = Harness::new();
    for job in &jobs(&counts) {
        (0..2).for_each(|places| run(&mut harness, job, places));
    }
}

#[cfg(feature = "rayon")]
#[test]
fn plans_run_inside_a_pool_of_any_size() {
    let jobs = jobs(&[Par::Threads(2), Par::Auto, Par::Threads(5)]);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("a pool of a few threads");
        pool.scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let mut harness = Harness::new();
                    jobs.iter().for_each(|job| run(&mut harness, job, 0));
                });
            }
        });
    }
}
