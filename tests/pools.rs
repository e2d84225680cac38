//! Copies in the middle of someone else's threads: inside jobs of any pool, under a lock, on several
//! threads at once, and with any number of ranges.

use std::sync::Mutex;

#[cfg(feature = "rayon")]
use rayon::prelude::*;
use restride::{Layout, Options, Par, Plan, Problem, View, ViewMut};

/// The elements `0..`.
fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).collect()
}

/// A transposition of 96 x 65, which is worth cutting into ranges when asked to.
struct Transposition {
    rows: Layout,
    columns: Layout,
    src: Vec<u32>,
    want: Vec<u32>,
}

impl Transposition {
    fn new() -> Self {
        let (rows, columns) = (
            Layout::row_major(&[96, 65]),
            Layout::column_major(&[96, 65]),
        );
        let (rows, columns) = (rows.unwrap(), columns.unwrap());
        let src = numbers(96 * 65);
        let want = (0..65)
            .flat_map(|j| (0..96).map(move |i| i * 65 + j))
            .collect();
        Self {
            rows,
            columns,
            src,
            want,
        }
    }

    fn plan(&self, par: Par) -> Plan {
        let problem = Problem::new::<u32>(&self.rows, &self.columns).unwrap();
        Plan::with(
            &problem,
            &Options {
                par,
                ..Options::default()
            },
        )
        .unwrap()
    }

    fn run(&self, plan: &Plan) {
        let mut dst = vec![0; self.src.len()];
        let src = View::with_layout(&self.src, self.rows.clone()).unwrap();
        plan.run(
            &src,
            &mut ViewMut::with_layout(&mut dst, self.columns.clone()).unwrap(),
        )
        .unwrap();
        assert_eq!(dst, self.want);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let case = Transposition::new();
    case.run(&case.plan(Par::Seq));
    for n in [0, 1, 2, 3, 4, 8, 16, 64, 1000, 1_000_000] {
        case.run(&case.plan(Par::Threads(n)));
    }
}

#[cfg(feature = "rayon")]
#[test]
fn copies_run_inside_rayon_jobs_of_any_pool() {
    let case = Transposition::new();
    let plan = case.plan(Par::Threads(4));
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| case.run(&plan));
        pool.install(|| (0..200).into_par_iter().for_each(|_| case.run(&plan)));
        pool.scope(|scope| (0..50).for_each(|_| scope.spawn(|_| case.run(&plan))));
    }
    (0..2000).into_par_iter().for_each(|_| case.run(&plan));
    rayon::join(
        || case.run(&plan),
        || rayon::join(|| case.run(&plan), || case.run(&plan)),
    );
}

/// A lock held by the caller: a worker that waits for it must not be waited for.
#[test]
fn copies_run_under_a_lock() {
    let case = Transposition::new();
    let plan = case.plan(Par::Threads(4));
    let runs = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let mut runs = runs.lock().unwrap();
                    case.run(&plan);
                    *runs += 1;
                }
            });
        }
    });
    assert_eq!(runs.into_inner().unwrap(), 200);
}

/// Threads of the same program copy at the same time, with one plan.
#[test]
fn a_plan_is_shared() {
    let case = Transposition::new();
    let plan = case.plan(Par::Auto);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| case.run(&plan)));
        }
    });
}
