//! Arithmetic: what each operation computes, and that floats have the same bits on any number of
//! threads.

use restride::{Array, Graph, Layout, Par, Reduce, View};

fn numbers(len: usize) -> Vec<f32> {
    (0..len)
        .map(|i| ((i * 7919) % 1013) as f32 * 1e-3 + 1e6 / (i + 1) as f32)
        .collect()
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_threads() {
    let data = numbers(6 * 1000);
    let sums = |par: Par| {
        let mut graph = Graph::new();
        let src = View::from_slice(&data, &[6, 1000])
            .unwrap()
            .to_array()
            .unwrap();
        let src = graph.tensor("src", src);
        let dst = graph.tensor("dst", Array::filled(&[1006], 0.0_f32).unwrap());
        let all = src.all(&[6, 1000]).unwrap();
        let line = |from, count| Layout::new(&[count], &[1], from).unwrap();
        graph
            .reduce(Reduce::Sum, &all, &[1], &dst.view(line(0, 6)))
            .unwrap();
        graph
            .reduce(Reduce::Sum, &all, &[0], &dst.view(line(6, 1000)))
            .unwrap();
        graph.run_with(par).unwrap();
        let bits = graph
            .array(dst)
            .unwrap()
            .as_slice()
            .iter()
            .map(|x| x.to_bits());
        bits.collect::<Vec<_>>()
    };
    let serial = sums(Par::Seq);
    let rows = data
        .chunks(1000)
        .map(|row| row.iter().copied().reduce(|a, b| a + b).unwrap());
    assert!(rows.map(f32::to_bits).eq(serial[..6].iter().copied()));
    for n in [1, 2, 3, 4, 8, 64] {
        assert_eq!(sums(Par::Threads(n)), serial);
    }
    assert_eq!(sums(Par::Auto), serial);
}

#[test]
fn smallest_and_largest_say_when_there_is_no_number() {
    let mut graph = Graph::new();
    let data = [1.0, f64::NAN, -3.0, 4.0, f64::NEG_INFINITY, 2.0];
    let src = View::from_slice(&data, &[2, 3])
        .unwrap()
        .to_array()
        .unwrap();
    let src = graph.tensor("src", src);
    let dst = graph.tensor("dst", Array::filled(&[4], 0.0).unwrap());
    let all = src.all(&[2, 3]).unwrap();
    let pair = |from| dst.view(Layout::new(&[2], &[1], from).unwrap());
    graph.reduce(Reduce::Min, &all, &[1], &pair(0)).unwrap();
    graph.reduce(Reduce::Max, &all, &[1], &pair(2)).unwrap();
    graph.run().unwrap();
    let got = graph.array(dst).unwrap().as_slice();
    assert!(got[0].is_nan() && got[2].is_nan());
    assert_eq!((got[1], got[3]), (f64::NEG_INFINITY, 4.0));
}

#[test]
fn named_functions_give_their_name_and_types_may_change() {
    let mut graph = Graph::new();
    let src = View::from_slice(&[4.0_f32, 9.0], &[2])
        .unwrap()
        .to_array()
        .unwrap();
    let src = graph.tensor("src", src);
    let dst = graph.tensor("dst", Array::filled(&[2], 0_i16).unwrap());
    let (x, y) = (src.all(&[2]).unwrap(), dst.all(&[2]).unwrap());
    let root = graph.map(&x, &x, f32::sqrt).unwrap();
    let whole = graph.map(&x, &y, |x| x as i16).unwrap();
    let sum = graph.binary(&y, &y, &y, i16::wrapping_add).unwrap();
    let names = [root, whole, sum].map(|id| graph.name(id).to_string());
    assert_eq!(names, ["map sqrt", "map", "binary wrapping_add"]);
    graph.run().unwrap();
    assert_eq!(graph.array(dst).unwrap().as_slice(), [4, 6]);
    // Run again: from what is there.
    graph.run().unwrap();
    assert_eq!(
        graph.array(src).unwrap().as_slice(),
        [2.0_f32.sqrt(), 3.0_f32.sqrt()]
    );
}
