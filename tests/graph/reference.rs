//! Three small tensors whose views overlap in ways that a look at names would miss.

use std::collections::BTreeMap;
use std::sync::Mutex;

use restride::{Array, Error, Graph, HazardKind, Layout, OperationId, Tensor, TensorView};

fn layout(offset: usize, shape: [usize; 2], strides: [isize; 2]) -> Layout {
    Layout::new(&shape, &strides, offset).unwrap()
}

struct Reference<'f> {
    graph: Graph<'f>,
    a: Tensor<f64>,
    c: Tensor<f64>,
    ops: [OperationId; 4],
}

/// op1 fills A1, op2 maps A2 into A3, op3 only reads A3, op4 adds A1 and B1 into C1: A1's leading
/// block, or in the variant all of it, by a closure.
fn reference(seen: &Mutex<Vec<f64>>, variant: bool) -> Result<Reference<'_>, Error> {
    let mut graph = Graph::new();
    let a = graph.tensor("A", Array::filled(&[4, 4], 1.0)?);
    let b = graph.tensor("B", Array::filled(&[3, 3], 2.0)?);
    let c = graph.tensor("C", Array::filled(&[2, 2], 0.0)?);
    let a1 = a.view(layout(0, [3, 3], [4, 1])).named("A1");
    let a2 = a.view(layout(5, [2, 2], [4, 1])).named("A2");
    let a3 = a.view(layout(10, [2, 2], [4, 1])).named("A3");
    let b1 = b.view(layout(0, [2, 2], [3, 1])).named("B1");
    let c1 = c.view(layout(0, [2, 2], [2, 1])).named("C1");
    let op1 = graph.fill(&a1, 3.0)?;
    let op2 = graph.map(&a2, &a3, |x| 10.0 * x)?;
    let mut look = graph.operation("look");
    let input = look.reads(&a3)?;
    let op3 = look.submit(move |io| {
        let values = io.read(input).to_contiguous()?;
        seen.lock().unwrap().extend_from_slice(values.as_slice());
        Ok(())
    })?;
    let op4 = if variant {
        let mut sums = graph.operation("sums");
        let (all, more) = (sums.reads(&a1)?, sums.reads(&b1)?);
        let out = sums.writes(&c1)?;
        sums.submit(move |io| {
            let sum: f64 = io.read(all).to_contiguous()?.as_slice().iter().sum();
            let more = io.read(more).to_contiguous()?;
            let values: Vec<f64> = more.as_slice().iter().map(|b| sum + b).collect();
            restride::View::from_slice(&values, &[2, 2])?.copy_to(&mut io.write(out))
        })?
    } else {
        let leading = a.view(layout(0, [2, 2], [4, 1])).named("A1 leading");
        graph.binary(&leading, &b1, &c1, |x, y| x + y)?
    };
    let ops = [op1, op2, op3, op4];
    Ok(Reference { graph, a, c, ops })
}

type Found = BTreeMap<(usize, usize), Vec<(HazardKind, bool, Option<usize>)>>;

fn conflicts(graph: &Graph<'_>) -> Found {
    let all = graph.conflicts().map(|conflict| {
        let hazards = conflict.hazards.iter();
        let hazards = hazards.map(|h| (h.kind, h.explicit, h.witness)).collect();
        (
            (conflict.earlier.index() + 1, conflict.later.index() + 1),
            hazards,
        )
    });
    all.collect()
}

fn dependencies(graph: &Graph<'_>) -> Vec<(usize, usize)> {
    let few = graph.dependencies();
    few.map(|conflict| (conflict.earlier.index() + 1, conflict.later.index() + 1))
        .collect()
}

use HazardKind::{ReadAfterWrite, WriteAfterWrite};

#[test]
fn the_conflicts_are_those_of_the_footprints() {
    let seen = Mutex::new(Vec::new());
    let reference = reference(&seen, false).unwrap();
    let found = conflicts(&reference.graph);
    let pairs: Vec<_> = found.keys().copied().collect();
    assert_eq!(pairs, [(1, 2), (1, 3), (1, 4), (2, 3)]);
    let of = |pair| &found[&pair][..];
    // A1 = {0, 1, 2, 4, 5, 6, 8, 9, 10}, A2 = {5, 6, 9, 10}, A3 = {10, 11, 14, 15}.
    let [
        (ReadAfterWrite, false, Some(shared)),
        (WriteAfterWrite, false, Some(10)),
    ] = of((1, 2))
    else {
        panic!("{found:?}");
    };
    assert!([5, 6, 9, 10].contains(shared));
    assert_eq!(of((2, 3)).len(), 1);
    assert_eq!((of((2, 3))[0].0, of((2, 3))[0].1), (ReadAfterWrite, true));
    assert_eq!(of((1, 3)), [(ReadAfterWrite, false, Some(10))]);
    let [(ReadAfterWrite, false, Some(shared))] = of((1, 4)) else {
        panic!("{found:?}");
    };
    assert!([0, 1, 4, 5].contains(shared));
    // 1 before 3 follows from 1 before 2 before 3.
    assert_eq!(dependencies(&reference.graph), [(1, 2), (2, 3), (1, 4)]);
}

#[test]
fn an_operation_that_reads_all_of_a_view_conflicts_with_one_that_overlaps_it() {
    let seen = Mutex::new(Vec::new());
    let reference = reference(&seen, true).unwrap();
    let found = conflicts(&reference.graph);
    let pairs: Vec<_> = found.keys().copied().collect();
    assert_eq!(pairs, [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4)]);
    assert_eq!(
        (found[&(1, 4)][0].0, found[&(1, 4)][0].1),
        (ReadAfterWrite, true)
    );
    assert_eq!(found[&(2, 4)], [(ReadAfterWrite, false, Some(10))]);
    assert_eq!(dependencies(&reference.graph), [(1, 2), (2, 3), (2, 4)]);
}

#[test]
fn the_result_is_that_of_the_order_of_submission() {
    for variant in [false, true] {
        let seen = Mutex::new(Vec::new());
        let mut reference = reference(&seen, variant).unwrap();
        reference.graph.run().unwrap();
        // op2 overlaps itself in element 10: it reads all of A2 first.
        let a = reference.graph.array(reference.a).unwrap();
        #[rustfmt::skip]
        assert_eq!(a.as_slice(), [
            3.0, 3.0, 3.0, 1.0,
            3.0, 3.0, 3.0, 1.0,
            3.0, 3.0, 30.0, 30.0,
            1.0, 1.0, 30.0, 30.0,
        ]);
        assert_eq!(*seen.lock().unwrap(), [30.0; 4]);
        let c = reference.graph.array(reference.c).unwrap();
        let sum = if variant { 8.0 * 3.0 + 30.0 } else { 3.0 };
        assert_eq!(c.as_slice(), [sum + 2.0; 4]);
    }
}

#[test]
fn the_schedule_says_what_waits_for_what_and_why() {
    let seen = Mutex::new(Vec::new());
    let reference = reference(&seen, true).unwrap();
    let waves: Vec<Vec<usize>> = (reference.graph.schedule().waves().iter())
        .map(|wave| wave.iter().map(|id| id.index() + 1).collect())
        .collect();
    assert_eq!(waves, [vec![1], vec![2], vec![3, 4]]);
    assert_eq!(reference.ops.map(OperationId::index), [0, 1, 2, 3]);
    let text = reference.graph.schedule().to_string();
    let expected = "\
wave 0
  0 fill
wave 1
  1 map
      after 0 fill
          read after write, implicit: A2 overlaps A1, element 5
          write after write, implicit: A3 overlaps A1, element 10
wave 2
  2 look
      after 1 map
          read after write, explicit: A3, element 10
  3 sums
      after 1 map
          read after write, implicit: A1 overlaps A3, element 10";
    assert_eq!(text, expected);
    let dot = reference.graph.to_dot();
    for line in [
        "op1 -> op2 [style=solid, label=\"read after write, explicit: A3, element 10\\l\"];",
        "op1 -> op3 [style=dashed, label=\"read after write, implicit: A1 overlaps A3, element 10\\l\"];",
        "{ rank=same; op2; op3; }",
        "op0 [label=\"0 fill\\lwrites A1\\l\"];",
    ] {
        assert!(dot.contains(line), "{dot}");
    }
    assert!(dot.starts_with("digraph") && dot.ends_with("}\n"));
}

#[test]
fn views_that_only_interleave_run_in_one_wave() {
    let mut graph = Graph::new();
    let t = graph.tensor("t", Array::filled(&[16], 0_u8).unwrap());
    // {0, 1, 4, 5} and {8, 9, 12, 13}; then {2, 3, 6, 7}, between those of the first.
    for offset in [0, 8, 2] {
        let view: TensorView<u8> = t.view(layout(offset, [2, 2], [4, 1]));
        graph.fill(&view, offset as u8 + 1).unwrap();
    }
    assert_eq!(graph.conflicts().count(), 0);
    assert_eq!(graph.schedule().waves().len(), 1);
    graph.run().unwrap();
    let values = graph.array(t).unwrap().as_slice();
    assert_eq!(values, [1, 1, 3, 3, 1, 1, 3, 3, 9, 9, 0, 0, 9, 9, 0, 0]);
}
