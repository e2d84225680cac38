//! What is refused, and what remains when a closure panics or fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use restride::{Array, Error, Graph, Layout, Par, Reduce, Tensor};

fn tensor(graph: &mut Graph<'_>, len: usize) -> Tensor<u32> {
    graph.tensor("t", Array::filled(&[len], 0).unwrap())
}

fn line(from: usize, count: usize) -> Layout {
    Layout::new(&[count], &[1], from).unwrap()
}

#[test]
fn stale_handles_and_views_beyond_their_tensor() {
    let mut graph = Graph::new();
    let t = tensor(&mut graph, 10);
    let stale = Error::StaleHandle { arg: "tensor" };
    let beyond = graph.fill(&t.view(line(6, 5)), 1).unwrap_err();
    assert!(
        matches!(
            beyond,
            Error::OutOfBounds {
                got: 10,
                high: 10,
                ..
            }
        ),
        "{beyond}"
    );
    assert_eq!(
        t.all(&[11]).unwrap_err(),
        Error::SizeMismatch {
            arg: "shape",
            got: 11,
            want: 10
        }
    );
    let twice = Layout::new(&[2, 2], &[1, 1], 0).unwrap();
    let twice = graph.fill(&t.view(twice), 1).unwrap_err();
    assert!(
        matches!(twice, Error::InternalOverlap { arg: "view", .. }),
        "{twice}"
    );
    let mut other = Graph::new();
    let foreign = tensor(&mut other, 10);
    assert_eq!(graph.fill(&foreign.view(line(0, 1)), 1), Err(stale.clone()));
    assert_eq!(graph.array(foreign).map(drop), Err(stale.clone()));
    assert!(graph.is_empty());

    let kept = tensor(&mut graph, 1);
    graph.fill(&kept.view(line(0, 1)), 5).unwrap();
    graph.fill(&t.view(line(0, 10)), 1).unwrap();
    assert_eq!(graph.take_out(t).unwrap().as_slice(), [0; 10]);
    assert_eq!(graph.take_out(t).map(drop), Err(stale.clone()));
    assert_eq!(graph.fill(&t.view(line(0, 1)), 1), Err(stale.clone()));
    // Refused as a whole, whatever the order.
    assert_eq!(graph.run(), Err(stale.clone()));
    assert_eq!(graph.array(kept).unwrap().as_slice(), [0]);
    // A new tensor does not take the place of the old one.
    let new = tensor(&mut graph, 10);
    assert_eq!(graph.array(t).map(drop), Err(stale.clone()));
    assert_eq!(graph.run(), Err(stale));
    graph.clear();
    graph.fill(&new.view(line(0, 2)), 7).unwrap();
    graph.run().unwrap();
    assert_eq!(graph.array(new).unwrap().as_slice()[..3], [7, 7, 0]);
}

#[test]
fn shapes_axes_and_outputs_that_do_not_fit() {
    let mut graph = Graph::new();
    let t = tensor(&mut graph, 24);
    let (a, b) = (t.all(&[4, 6]).unwrap(), t.all(&[24]).unwrap());
    let rank = Error::RankMismatch {
        arg: "dst",
        got: 1,
        want: 2,
    };
    assert_eq!(graph.copy(&a, &b), Err(rank.clone()));
    assert_eq!(graph.map(&a, &b, |x| x), Err(rank));
    let c = t.all(&[6, 4]).unwrap();
    let shape = Error::ShapeMismatch {
        axis: 0,
        src: 6,
        dst: 4,
    };
    assert_eq!(graph.binary(&a, &c, &a, |x, _| x), Err(shape));
    let axis = Error::AxisOutOfRange {
        arg: "axes",
        got: 2,
        rank: 2,
    };
    assert_eq!(graph.reduce(Reduce::Sum, &a, &[2], &b), Err(axis));
    let axis = Error::NotAPermutation {
        arg: "axes",
        position: 1,
        axis: 0,
    };
    assert_eq!(graph.reduce(Reduce::Sum, &a, &[0, 0], &b), Err(axis));
    let shape = Error::ShapeMismatch {
        axis: 0,
        src: 6,
        dst: 24,
    };
    assert_eq!(graph.reduce(Reduce::Sum, &a, &[0], &b), Err(shape));
    let empty = t.view(Layout::row_major(&[3, 0]).unwrap());
    let three = t.view(line(0, 3));
    let nothing = Error::NothingToReduce { axis: 1 };
    assert_eq!(
        graph.reduce(Reduce::Max, &empty, &[1], &three),
        Err(nothing)
    );
    graph.reduce(Reduce::Sum, &empty, &[1], &three).unwrap();
    let mut both = graph.operation("both");
    both.reads(&a).unwrap();
    both.writes(&t.view(line(0, 5))).unwrap();
    both.writes(&t.view(line(4, 5))).unwrap();
    let overlap = Error::OutputsOverlap {
        first: 1,
        second: 2,
    };
    assert_eq!(both.submit(|_| Ok(())), Err(overlap));
    assert_eq!(graph.len(), 1);
}

/// One operation after another, of which the `k`th panics or is refused: those before have run,
/// those after have not, whatever the number of threads.
#[test]
fn a_failure_arrives_once_and_later_operations_do_not_start() {
    for threads in [1, 2, 4] {
        for k in 0..12 {
            for panics in [true, false] {
                let calls = AtomicUsize::new(0);
                let mut graph = Graph::new();
                let t = tensor(&mut graph, 12);
                for i in 0..12 {
                    let calls = &calls;
                    let mut step = graph.operation("step");
                    step.reads(&t.all(&[12]).unwrap()).unwrap();
                    let out = step.writes(&t.view(line(i, 1))).unwrap();
                    let submitted = step.submit(move |io| {
                        calls.fetch_add(1, Ordering::Relaxed);
                        restride::fill(&mut io.write(out), i as u32 + 1)?;
                        match i == k {
                            true if panics => panic!("the {k}th"),
                            true => Err(Error::NoParts { arg: "asked for" }),
                            false => Ok(()),
                        }
                    });
                    submitted.unwrap();
                }
                let run = || graph.run_with(Par::Threads(threads));
                let done = catch_unwind(AssertUnwindSafe(run));
                match done {
                    Err(payload) => {
                        assert!(panics);
                        let message = payload.downcast_ref::<String>().unwrap();
                        assert_eq!(*message, format!("the {k}th"));
                    }
                    Ok(done) => {
                        assert!(!panics);
                        assert_eq!(done, Err(Error::NoParts { arg: "asked for" }));
                    }
                }
                assert_eq!(calls.load(Ordering::Relaxed), k + 1);
                let want: Vec<u32> = (1..=12)
                    .map(|i| if i <= k as u32 + 1 { i } else { 0 })
                    .collect();
                assert_eq!(graph.array(t).unwrap().as_slice(), want);
                // The graph can be used on.
                graph.clear();
                graph.fill(&t.all(&[12]).unwrap(), 9).unwrap();
                graph.run_with(Par::Threads(threads)).unwrap();
                assert_eq!(graph.array(t).unwrap().as_slice(), [9; 12]);
            }
        }
    }
}

/// Many at the same time, some of which panic: one panic arrives.
#[test]
fn of_many_panics_one_arrives() {
    let mut graph = Graph::new();
    let t = tensor(&mut graph, 400);
    for i in 0..400 {
        graph
            .map(&t.view(line(i, 1)), &t.view(line(i, 1)), move |_| {
                match i % 3 {
                    0 => panic!("one of many"),
                    _ => 1,
                }
            })
            .unwrap();
    }
    let done = catch_unwind(AssertUnwindSafe(|| graph.run_with(Par::Threads(4))));
    assert_eq!(
        done.unwrap_err().downcast_ref::<&str>(),
        Some(&"one of many")
    );
    assert!(
        graph
            .array(t)
            .unwrap()
            .as_slice()
            .iter()
            .all(|&value| value < 2)
    );
}

#[test]
fn inputs_and_outputs_belong_to_their_operation() {
    let mut graph = Graph::new();
    let t = tensor(&mut graph, 4);
    let bytes = graph.tensor("bytes", Array::filled(&[4], 0_u8).unwrap());
    let mut first = graph.operation("first");
    let foreign = first.reads(&bytes.view(line(0, 4))).unwrap();
    first.submit(|_| Ok(())).unwrap();
    let mut second = graph.operation("second");
    second.reads(&t.view(line(0, 4))).unwrap();
    second
        .submit(move |io| io.read(foreign).to_array().map(drop))
        .unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| graph.run())).is_err());
    graph.clear();
    let mut twice = graph.operation("twice");
    let out = twice.writes(&t.view(line(0, 4))).unwrap();
    let write = move |io: &mut restride::Io<'_>| {
        let (mut one, mut other) = (io.write(out), io.write(out));
        restride::fill(&mut one, 1)?;
        restride::fill(&mut other, 2)
    };
    twice.submit(write).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| graph.run())).is_err());
    assert_eq!(graph.array(t).unwrap().as_slice(), [0; 4]);
}
