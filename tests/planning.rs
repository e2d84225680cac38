//! What planning costs: no allocation up to rank 4, and a time that small copies can afford.
//!
//! Times are minima over many batches, so that a busy machine does not fail them; they are checked
//! in release builds only.

use std::alloc::{GlobalAlloc, Layout as Block, System};
use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use restride::recipe::Family;
use restride::{Layout, Machine, Options, Par, Plan, Problem, Recipe, View, ViewMut, copy};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is the system allocator's, with what it was given.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: passed on.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, address: *mut u8, block: Block) {
        // SAFETY: passed on.
        unsafe { System.dealloc(address, block) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(mut run: impl FnMut()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    run();
    ALLOCATIONS.with(Cell::get) - before
}

/// The least time of one call, over batches of `each` calls.
fn least(each: u32, batches: usize, mut run: impl FnMut()) -> Duration {
    let batch = |_| {
        let start = Instant::now();
        (0..each).for_each(|_| run());
        start.elapsed() / each
    };
    (0..batches).map(batch).min().unwrap()
}

/// Shape, and the axes of the source in the order of their strides, for 4-byte cells.
const SMALL: &[(&str, &[usize], &[usize])] = &[
    ("one element", &[], &[]),
    ("contiguous", &[7, 5, 3], &[0, 1, 2]),
    ("matrix", &[64, 64], &[1, 0]),
    ("batched", &[8, 12, 64], &[0, 2, 1]),
    ("planes of an image", &[3, 108, 192], &[1, 2, 0]),
    ("head split", &[1, 32, 2048, 128], &[0, 2, 1, 3]),
    ("reversed axes", &[9, 8, 7, 6], &[3, 2, 1, 0]),
    ("axes of two", &[2, 2, 2, 2], &[3, 1, 2, 0]),
];

fn problem(shape: &[usize], order: &[usize]) -> (Layout, Layout) {
    let permuted: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
    let mut back = vec![0; order.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(place, &axis)| back[axis] = place);
    let src = Layout::row_major(&permuted)
        .unwrap()
        .permute(&back)
        .unwrap();
    (src, Layout::row_major(shape).unwrap())
}

/// The bound is several times what planning takes: up to 150 ns on a 2-core AVX-512 server VM, twice that
/// where somebody else's threads share the cores.
#[test]
fn rank_four_plans_without_heap_and_in_less_than_a_microsecond() {
    Machine::host().unwrap();
    for &(name, shape, order) in SMALL {
        let (src, dst) = problem(shape, order);
        let plan = || {
            let problem = Problem::new::<f32>(black_box(&src), black_box(&dst)).unwrap();
            black_box(Plan::with(&problem, &Options::default()).unwrap());
        };
        assert_eq!(allocations(plan), 0, "{name} allocates");
        let time = least(1_000, 50, plan);
        println!("{name}: {time:?}");
        if !cfg!(debug_assertions) {
            assert!(time <= Duration::from_nanos(900), "{name}: {time:?}");
        }
    }
}

#[test]
fn copies_between_views_up_to_rank_four_take_no_heap() {
    Machine::host().unwrap();
    for &(name, shape, order) in SMALL {
        let (from, to) = problem(shape, order);
        if from.len() > 1 << 14 {
            continue; // may go to other threads
        }
        let (src, mut dst) = (vec![1_f32; from.len()], vec![0_f32; to.len()]);
        let src = View::with_layout(&src, from).unwrap();
        let mut dst = ViewMut::with_layout(&mut dst, to).unwrap();
        let once = || copy(black_box(&src), black_box(&mut dst)).unwrap();
        assert_eq!(allocations(once), 0, "{name} allocates");
    }
}

/// The bounds are several times what a 2-core AVX-512 server VM takes: 50 and 8 ns.
#[test]
fn small_copies_between_views_are_cheap() {
    for (name, order, limit) in [("transposed", [1, 0], 300), ("contiguous", [0, 1], 100)] {
        let (from, to) = problem(&[4, 4], &order);
        let (src, mut dst) = ([1_f32; 16], [0_f32; 16]);
        let src = View::with_layout(&src, from).unwrap();
        let mut dst = ViewMut::with_layout(&mut dst, to).unwrap();
        let time = least(1_000, 50, || {
            copy(black_box(&src), black_box(&mut dst)).unwrap();
        });
        println!("f32 4x4 {name}: {time:?}");
        if !cfg!(debug_assertions) {
            assert!(time <= Duration::from_nanos(limit), "{name}: {time:?}");
        }
    }
}

#[test]
fn running_a_plan_allocates_nothing() {
    let (src, dst) = problem(&[9, 8, 7, 6], &[3, 2, 1, 0]);
    let problem = Problem::new::<f32>(&src, &dst).unwrap();
    let options = Options {
        par: Par::Seq,
        ..Options::default()
    };
    let plan = Plan::with(&problem, &options).unwrap();
    let from = vec![1_f32; src.len()];
    let mut to = vec![0_f32; src.len()];
    let run = || {
        // SAFETY: both vectors have the elements that the layouts reach, and do not overlap.
        unsafe { plan.run_raw(from.as_ptr().cast(), to.as_mut_ptr().cast()) };
    };
    assert_eq!(allocations(run), 0);
    assert_eq!(to, from);
}

#[test]
fn high_ranks_stay_cheap() {
    let host = Machine::host().unwrap().facts();
    // 24 axes of 2 reversed; 64 axes that nothing merges: 20 of 2, the others repeat the source
    // along one of them and have extent 1.
    let reversed: Vec<isize> = (0..24).map(|i| 8 << i).collect();
    let forward: Vec<isize> = reversed.iter().rev().copied().collect();
    let shape = [2; 24];
    let tall = Problem::from_bytes(8, &shape, &reversed, &forward).unwrap();

    let extents: Vec<usize> = (0..64).map(|i| if i % 3 == 0 { 2 } else { 1 }).collect();
    let strides: Vec<isize> = (0..64).map(|i| 8 << (i / 3)).collect();
    let padded: Vec<isize> = strides.iter().map(|stride| stride * 3).collect();
    let wide = Problem::from_bytes(8, &extents, &padded, &strides).unwrap();

    // All 64 axes of extent 2 where 62 of them read one place: what is moved would be 2^64
    // elements, so the most axes longer than 1 that any memory holds is what is timed above it.
    let deep: Vec<usize> = vec![2; 60];
    let far: Vec<isize> = (0..60).map(|i| 1 << i).collect();
    let back: Vec<isize> = far.iter().rev().copied().collect();
    let deepest = Problem::from_bytes(1, &deep, &back, &far).unwrap();

    for (name, problem, limit) in [
        ("24 axes of 2", &tall, Duration::from_micros(20)),
        ("64 axes, 22 of 2", &wide, Duration::from_micros(100)),
        ("60 axes of 2", &deepest, Duration::from_micros(100)),
    ] {
        let options = Options {
            par: Par::Seq,
            ..Options::default()
        };
        let time = least(20, 50, || {
            let plan = Plan::with(black_box(problem), &options).unwrap();
            black_box(plan);
        });
        println!("{name}: {time:?}");
        if !cfg!(debug_assertions) {
            assert!(time <= limit, "{name}: {time:?}");
        }
    }
    let recipe = Recipe::choose(&tall, &Options::default(), host);
    assert_eq!(recipe.work.unwrap().family(), Family::Transpose);
}
