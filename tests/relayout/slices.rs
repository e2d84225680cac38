//! `--slice` takes what NumPy's indexing takes.

use std::fs;

use crate::support::{Array, data, relayout};

#[test]
fn slices_of_one_axis_visit_what_numpy_visits() {
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    for line in fs::read_to_string(data("slices.txt")).unwrap().lines() {
        let [extent, notation, found] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let extent: u8 = extent.parse().unwrap();
        let expected: Vec<u8> = match found {
            "-" => vec![],
            some => some.split(',').map(|i| i.parse().unwrap()).collect(),
        };
        let array = Array {
            descr: "'|u1'".into(),
            fortran: false,
            shape: vec![extent.into()],
            payload: (0..extent).collect(),
        };
        array.write(&input);
        assert_eq!(
            relayout(&input, &out, &["--slice", notation]).payload,
            expected,
            "{line}"
        );
    }
}

/// What an entry of an index takes of its axis.
enum Takes {
    These(&'static [usize]),
    One(usize),
}

#[test]
fn slices_of_several_axes() {
    use Takes::{One, These};
    const A: Takes = These(&[0, 1, 2, 3]);
    const B: Takes = These(&[0, 1, 2, 3, 4]);
    const C: Takes = These(&[0, 1, 2, 3, 4, 5]);
    let cases: [(&str, [Takes; 3]); 19] = [
        ("", [A, B, C]),
        ("...", [A, B, C]),
        (":", [A, B, C]),
        (
            "0:10,::-1,1:8:2",
            [A, These(&[4, 3, 2, 1, 0]), These(&[1, 3, 5])],
        ),
        (
            "3:1:-1, 4:0:-3, -1:-7:-1",
            [These(&[3, 2]), These(&[4, 1]), These(&[5, 4, 3, 2, 1, 0])],
        ),
        ("2", [One(2), B, C]),
        ("-4", [One(0), B, C]),
        ("...,-1", [A, B, One(5)]),
        ("-1,...,0", [One(3), B, One(0)]),
        (":,1", [A, One(1), C]),
        ("1,2,3", [One(1), One(2), One(3)]),
        ("1,2,...,3", [One(1), One(2), One(3)]),
        ("0:2,", [These(&[0, 1]), B, C]),
        ("-3:-1,:-3", [These(&[1, 2]), These(&[0, 1]), C]),
        ("...,1:3,::4", [A, These(&[1, 2]), These(&[0, 4])]),
        ("::-1,...,5:100:9", [These(&[3, 2, 1, 0]), B, These(&[5])]),
        ("2:2", [These(&[]), B, C]),
        ("1,3:1,4", [One(1), These(&[]), One(4)]),
        (
            "::9,::-9,::-2",
            [These(&[0]), These(&[4]), These(&[5, 3, 1])],
        ),
    ];

    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (dir.path().join("in.npy"), dir.path().join("out.npy"));
    for (fortran_in, order) in [(false, "C"), (false, "F"), (true, "C"), (true, "F")] {
        let array = Array::numbered("'<u2'", 2, &[4, 5, 6], fortran_in);
        array.write(&input);
        for (notation, takes) in &cases {
            let found = relayout(&input, &out, &["--slice", notation, "--order", order]);
            let kept = takes.iter().filter_map(|take| match take {
                These(indices) => Some(indices.len()),
                One(_) => None,
            });
            let expected = array.gather(&kept.collect::<Vec<_>>(), order == "F", |index| {
                let mut index = index.iter();
                let from = |take: &Takes| match take {
                    These(indices) => indices[*index.next().unwrap()],
                    One(at) => *at,
                };
                takes.iter().map(from).collect()
            });
            assert_eq!(found, expected, "{notation} order {order}");
        }
    }
}
