//! Operations on overlapping views of three small tensors: what depends on what and why, in which
//! waves that can run, and the result.
//!
//! ```sh
//! cargo run --example graph            # schedule, edges, result
//! cargo run --example graph -- --dot   # the DOT text alone, for `dot -Tsvg`
//! ```

use restride::{Array, Conflict, Error, Graph, Layout, View};

/// op0 fills A1, op1 maps A2 into A3, op2 only reads A3, op3 adds the sum of A1 to B1 in C1.
fn reference(graph: &mut Graph<'_>) -> Result<(), Error> {
    let a = graph.tensor("A", Array::filled(&[4, 4], 1.0)?);
    let b = graph.tensor("B", Array::filled(&[3, 3], 2.0)?);
    let c = graph.tensor("C", Array::filled(&[2, 2], 0.0)?);
    let a1 = a.view(Layout::new(&[3, 3], &[4, 1], 0)?).named("A1");
    let a2 = a.view(Layout::new(&[2, 2], &[4, 1], 5)?).named("A2");
    let a3 = a.view(Layout::new(&[2, 2], &[4, 1], 10)?).named("A3");
    let b1 = b.view(Layout::new(&[2, 2], &[3, 1], 0)?).named("B1");
    let c1 = c.view(Layout::new(&[2, 2], &[2, 1], 0)?).named("C1");

    graph.fill(&a1, 3.0)?;
    graph.map(&a2, &a3, |x: f64| 10.0 * x)?;

    let mut look = graph.operation("look");
    let input = look.reads(&a3)?;
    look.submit(move |io| {
        let seen = io.read(input).to_contiguous()?;
        eprintln!("look sees {:?}", seen.as_slice());
        Ok(())
    })?;

    let mut add = graph.operation("add the sum");
    let (all, more, out) = (add.reads(&a1)?, add.reads(&b1)?, add.writes(&c1)?);
    add.submit(move |io| {
        let sum: f64 = io.read(all).to_contiguous()?.as_slice().iter().sum();
        let more = io.read(more).to_contiguous()?;
        let sums: Vec<f64> = more.as_slice().iter().map(|x| x + sum).collect();
        View::from_slice(&sums, &[2, 2])?.copy_to(&mut io.write(out))
    })?;

    if std::env::args().any(|argument| argument == "--dot") {
        print!("{}", graph.to_dot());
        return Ok(());
    }
    println!("{}\n", graph.schedule());
    let needed: Vec<_> = graph
        .dependencies()
        .map(|edge| (edge.earlier, edge.later))
        .collect();
    println!("all conflicts");
    for conflict in graph.conflicts() {
        let implied = !needed.contains(&(conflict.earlier, conflict.later));
        println!("{}", line(graph, &conflict, implied));
    }
    println!("\n{}", graph.to_dot());
    graph.run()?;
    println!("C is {:?}", graph.array(c)?.as_slice());
    Ok(())
}

/// One conflict in a line.
fn line(graph: &Graph<'_>, conflict: &Conflict<'_>, implied: bool) -> String {
    let what = if conflict.is_explicit() {
        "explicit"
    } else {
        "implicit"
    };
    let more = if implied { ", implied by others" } else { "" };
    let (earlier, later) = (graph.name(conflict.earlier), graph.name(conflict.later));
    format!("  {earlier} -> {later}: {what}{more}")
}

fn main() -> Result<(), Error> {
    reference(&mut Graph::new())
}
