//! Random graphs: half of the views overlap others partly.

use std::collections::BTreeSet;

use restride::{
    Array, Error, Graph, HazardKind, Layout, Par, Reduce, Tensor, TensorView, View, ViewMut, copy,
};

use crate::common::random::{Random, mix};
use crate::model::{Action, Step, Window, combined, mapped, mixed};

const GRAPHS: u64 = if cfg!(debug_assertions) { 100 } else { 10_000 };

/// A view of `shape` somewhere in a tensor of `len`: axes in any order and direction, some with gaps,
/// some repeated if it is only read.
fn window(random: &mut Random, lens: &[usize], shape: &[usize], written: bool) -> Window {
    loop {
        let tensor = random.below(lens.len());
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if random.one_in(2) {
            random.shuffle(&mut order);
        }
        let (mut strides, mut stride, mut first) = (vec![0; shape.len()], 1, 0);
        for axis in order.into_iter().rev() {
            if !written && random.one_in(12) {
                continue;
            }
            stride *= 1 + random.below(6) / 4;
            strides[axis] = stride as isize;
            if random.one_in(5) {
                strides[axis] = -(stride as isize);
                first += shape[axis].saturating_sub(1) * stride;
            }
            stride = stride * shape[axis].max(1) + random.below(6) / 4;
        }
        let len = lens[tensor];
        if first + stride <= len {
            let offset = first + random.below(len + 1 - stride);
            if let Ok(layout) = Layout::new(shape, &strides, offset)
                && layout.storage_range().end <= len
            {
                return Window { tensor, layout };
            }
        }
    }
}

fn shape(random: &mut Random) -> Vec<usize> {
    let extent = |random: &mut Random| match random.below(30) {
        0 => 0,
        1..5 => 1,
        _ => 2 + random.below(3),
    };
    (0..random.below(4)).map(|_| extent(random)).collect()
}

fn step(random: &mut Random, lens: &[usize], before: &[Step]) -> Step {
    // Now and then the very view that an earlier operation has.
    let again = |random: &mut Random, shape: &[usize]| {
        let known = before.iter().flat_map(Step::views);
        let known: Vec<_> = known
            .filter(|(window, written)| *written && window.layout.shape() == shape)
            .collect();
        (!known.is_empty() && random.one_in(3)).then(|| random.pick(&known).0.clone())
    };
    let draw = |random: &mut Random, shape: &[usize], written: bool| {
        again(random, shape).unwrap_or_else(|| window(random, lens, shape, written))
    };
    let extents = shape(random);
    let action = match random.below(7) {
        0 => Action::Fill(random.bits() as u32),
        1 => Action::Copy,
        2 => Action::Map(random.bits() as u32 | 1),
        3 => Action::Binary,
        4 => Action::Reduce(random.below(3), random.below(extents.len() + 1)),
        _ => Action::Mix,
    };
    let (reads, writes): (Vec<Vec<usize>>, Vec<Vec<usize>>) = match action {
        Action::Fill(_) => (vec![], vec![extents]),
        Action::Copy | Action::Map(_) => (vec![extents.clone()], vec![extents]),
        Action::Binary => (vec![extents.clone(), extents.clone()], vec![extents]),
        Action::Reduce(_, axes) => (vec![extents.clone()], vec![extents[axes..].to_vec()]),
        Action::Mix => (
            (0..random.below(4)).map(|_| shape(random)).collect(),
            (0..random.below(3)).map(|_| shape(random)).collect(),
        ),
    };
    Step {
        action,
        reads: reads
            .iter()
            .map(|shape| draw(random, shape, false))
            .collect(),
        writes: writes
            .iter()
            .map(|shape| draw(random, shape, true))
            .collect(),
    }
}

/// Submits a step; false if it is refused, as it has to be.
fn submit(graph: &mut Graph<'_>, tensors: &[Tensor<u32>], step: &Step) -> bool {
    let view = |window: &Window| tensors[window.tensor].view(window.layout.clone());
    let reads: Vec<TensorView<u32>> = step.reads.iter().map(view).collect();
    let writes: Vec<TensorView<u32>> = step.writes.iter().map(view).collect();
    let submitted = match step.action {
        Action::Fill(value) => graph.fill(&writes[0], value),
        Action::Copy => graph.copy(&reads[0], &writes[0]),
        Action::Map(by) => graph.map(&reads[0], &writes[0], move |value| mapped(value, by)),
        Action::Binary => graph.binary(&reads[0], &reads[1], &writes[0], combined),
        Action::Reduce(how, axes) => {
            let how = [Reduce::Sum, Reduce::Min, Reduce::Max][how];
            let axes: Vec<usize> = (0..axes).collect();
            graph.reduce(how, &reads[0], &axes, &writes[0])
        }
        Action::Mix => {
            let mut operation = graph.operation("mix");
            let inputs: Vec<_> = reads
                .iter()
                .map(|view| operation.reads(view).unwrap())
                .collect();
            let outputs: Vec<_> = writes
                .iter()
                .map(|view| operation.writes(view).unwrap())
                .collect();
            operation.submit(move |io| {
                // Both are borrowed at once, and inputs are looked at late.
                let mut rooms: Vec<ViewMut<'_, u32>> =
                    outputs.iter().map(|&output| io.write(output)).collect();
                std::thread::yield_now();
                for (k, room) in rooms.iter_mut().enumerate() {
                    let values: Result<Vec<Vec<u32>>, Error> = (inputs.iter())
                        .map(|&input| Ok(io.read(input).to_contiguous()?.as_slice().to_vec()))
                        .collect();
                    let values = values?;
                    let made: Vec<u32> = (0..room.len()).map(|n| mixed(&values, k, n)).collect();
                    copy(&View::from_slice(&made, room.shape())?, room)?;
                }
                Ok(())
            })
        }
    };
    match submitted {
        Ok(_) => true,
        Err(Error::OutputsOverlap { first, second }) => {
            let outputs = [first, second].map(|n| step.writes[n - step.reads.len()].set());
            assert!(!outputs[0].is_disjoint(&outputs[1]), "{step:?}");
            false
        }
        Err(Error::NothingToReduce { .. }) => {
            assert!(step.reads[0].layout.is_empty(), "{step:?}");
            false
        }
        Err(error) => panic!("{error}: {step:?}"),
    }
}

/// Pairs (earlier, later, view of the earlier, view of the later, kind, same view).
type Hazards = BTreeSet<(usize, usize, usize, usize, u8, bool)>;

fn kind(kind: HazardKind) -> u8 {
    match kind {
        HazardKind::ReadAfterWrite => 0,
        HazardKind::WriteAfterRead => 1,
        HazardKind::WriteAfterWrite => 2,
    }
}

fn hazards_by_sets(steps: &[Step]) -> Hazards {
    let views: Vec<Vec<_>> = (steps.iter())
        .map(|step| {
            step.views()
                .map(|(w, writes)| (w, w.set(), writes))
                .collect()
        })
        .collect();
    let mut hazards = Hazards::new();
    for later in 0..steps.len() {
        for earlier in 0..later {
            for (i, (first, a, first_writes)) in views[earlier].iter().enumerate() {
                for (j, (second, b, second_writes)) in views[later].iter().enumerate() {
                    let kind = match (first_writes, second_writes) {
                        (false, false) => continue,
                        (true, false) => 0,
                        (false, true) => 1,
                        (true, true) => 2,
                    };
                    if !a.is_disjoint(b) {
                        let same = first.tensor == second.tensor && first.layout == second.layout;
                        hazards.insert((earlier, later, i, j, kind, same));
                    }
                }
            }
        }
    }
    hazards
}

/// `reach[i]`: bits of the operations that have to come before `i`.
fn closure(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<u64> {
    let mut direct = vec![0_u64; count];
    edges.for_each(|(earlier, later)| direct[later] |= 1 << earlier);
    for i in 0..count {
        let before = direct[i];
        let further = (0..i).filter(|&k| before >> k & 1 == 1).map(|k| direct[k]);
        direct[i] = further.fold(before, |all, more| all | more);
    }
    direct
}

/// Compares what the graph found with sets of elements.
fn check_dependencies(graph: &Graph<'_>, steps: &[Step], seed: u64) {
    let mut found = Hazards::new();
    let mut pairs = Vec::new();
    for conflict in graph.conflicts() {
        let (earlier, later) = (conflict.earlier.index(), conflict.later.index());
        assert!(
            pairs.last().is_none_or(|&(e, l)| (l, e) < (later, earlier)),
            "in order"
        );
        pairs.push((earlier, later));
        for hazard in &conflict.hazards {
            let (i, j) = (hazard.earlier, hazard.later);
            found.insert((earlier, later, i, j, kind(hazard.kind), hazard.explicit));
            let witness = hazard.witness.expect("small enough to be decided");
            for (step, view) in [(earlier, i), (later, j)] {
                let (window, _) = steps[step].views().nth(view).unwrap();
                assert!(
                    window.places().contains(&witness),
                    "seed {seed}: {hazard:?}"
                );
            }
        }
        assert_eq!(
            conflict.is_explicit(),
            conflict.hazards.iter().any(|h| h.explicit)
        );
    }
    assert_eq!(found, hazards_by_sets(steps), "seed {seed}: {steps:?}");

    let few: Vec<(usize, usize)> = graph
        .dependencies()
        .map(|conflict| (conflict.earlier.index(), conflict.later.index()))
        .collect();
    let all = closure(steps.len(), pairs.iter().copied());
    assert_eq!(
        closure(steps.len(), few.iter().copied()),
        all,
        "seed {seed}"
    );
    assert!(few.iter().all(|pair| pairs.contains(pair)), "seed {seed}");
    // Nothing that a path implies.
    for skipped in 0..few.len() {
        let others = few.iter().enumerate().filter(|&(i, _)| i != skipped);
        let less = closure(steps.len(), others.map(|(_, &pair)| pair));
        assert_ne!(less, all, "seed {seed}: {:?} is implied", few[skipped]);
    }

    // Waves: everyone after those it waits for.
    let schedule = graph.schedule();
    let mut wave_of = vec![usize::MAX; steps.len()];
    for (number, wave) in schedule.waves().iter().enumerate() {
        wave.iter().for_each(|id| wave_of[id.index()] = number);
    }
    assert!(
        pairs
            .iter()
            .all(|&(earlier, later)| wave_of[earlier] < wave_of[later])
    );
    assert!(wave_of.iter().all(|&wave| wave < schedule.waves().len()) || steps.is_empty());
}

#[test]
fn random_graphs_are_what_their_operations_are_one_after_another() {
    let pools: Vec<_> = [1, 2, 4].into_iter().map(|n| (n, pool(n))).collect();
    let (mut overlapping, mut views) = (0, 0);
    for i in 0..GRAPHS {
        let seed = mix(&[0x0067_7261_7068, i]);
        let random = &mut Random::new(seed);
        let lens: Vec<usize> = (0..1 + random.below(2))
            .map(|_| 64 + random.below(60))
            .collect();
        let start: Vec<Vec<u32>> = (lens.iter())
            .map(|&len| (0..len).map(|_| random.bits() as u32).collect())
            .collect();
        let mut graph = Graph::new();
        let tensors: Vec<Tensor<u32>> = (start.iter().enumerate())
            .map(|(k, data)| {
                let view = View::from_slice(data, &[data.len()]).unwrap();
                graph.tensor(&format!("t{k}"), view.to_array().unwrap())
            })
            .collect();
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..random.below(31) {
            let step = step(random, &lens, &steps);
            if submit(&mut graph, &tensors, &step) {
                steps.push(step);
            }
        }
        let mut expected = start.clone();
        steps.iter().for_each(|step| step.run(&mut expected));
        check_dependencies(&graph, &steps, seed);
        count_overlaps(&steps, &mut overlapping, &mut views);
        for (n, pool) in &pools {
            for (tensor, data) in tensors.iter().zip(&start) {
                let view = View::from_slice(data, &[data.len()]).unwrap();
                copy(&view, &mut graph.array_mut(*tensor).unwrap()).unwrap();
            }
            let par = if *n == 1 { Par::Seq } else { Par::Threads(*n) };
            install(pool, || graph.run_with(par)).unwrap();
            for (tensor, expected) in tensors.iter().zip(&expected) {
                let got: &Array<u32> = graph.array(*tensor).unwrap();
                assert_eq!(
                    got.as_slice(),
                    expected,
                    "seed {seed}, {n} threads: {steps:?}"
                );
            }
        }
    }
    assert!(
        2 * overlapping > views,
        "{overlapping} of {views} views overlap another partly"
    );
}

/// Counts views that share some, and not all, elements with a view of another operation.
fn count_overlaps(steps: &[Step], overlapping: &mut usize, views: &mut usize) {
    let sets: Vec<(usize, BTreeSet<_>)> = (steps.iter().enumerate())
        .flat_map(|(i, step)| step.views().map(move |(window, _)| (i, window.set())))
        .collect();
    *views += sets.len();
    let partly = |(i, set): &&(usize, BTreeSet<_>)| {
        let others = sets.iter().filter(|(j, _)| i != j);
        others.into_iter().any(|(_, other)| {
            let shared = set.intersection(other).count();
            shared > 0 && shared < set.len()
        })
    };
    *overlapping += sets.iter().filter(partly).count();
}

#[cfg(feature = "rayon")]
fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

#[cfg(feature = "rayon")]
fn install<R: Send>(pool: &rayon::ThreadPool, run: impl FnOnce() -> R + Send) -> R {
    pool.install(run)
}

#[cfg(not(feature = "rayon"))]
fn pool(_: usize) {}

#[cfg(not(feature = "rayon"))]
fn install<R>(_: &(), run: impl FnOnce() -> R) -> R {
    run()
}
