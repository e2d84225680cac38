//! The table of bad inputs: what is given, and the answer expected, exactly.
//!
//! Every row runs on a destination of 100 elements that is compared before and after, and no row
//! may panic. Rows are numbered 1 to 83; several inputs may stand under one number. The files hold
//! the rows by what they are about:
//!
//! - `sizes`: shapes, strides and offsets that do not fit what there is.
//! - `algebra`: arguments of the operations on layouts and views.
//! - `destinations`: layouts that reach a place twice.
//! - `copies`: pairs of views, plans run on other views, odd elements.
//! - `within`: copies in one buffer, inferred extents, parts of views.
//! - `raw`: problems in bytes, raw addresses.
//! - `alone`: what needs a process of its own, an environment variable or a memory limit.

mod algebra;
mod alone;
mod copies;
mod destinations;
mod raw;
mod sizes;
mod within;

use std::panic::{AssertUnwindSafe, catch_unwind};

use restride::Error;

/// Rows about operation graphs, which have tests of their own (tests/graph): no destination stands
/// beside them that could be compared.
const OF_GRAPHS: &[(u32, &str)] = &[
    (72, "a user's closure panics at element 57"),
    (74, "graph: a node reads a handle freed earlier"),
    (76, "graph: two writes overlap partly"),
    (77, "graph: reduction over an empty axis"),
    (78, "graph: no nodes; 10^5 nodes on one buffer"),
];

/// Rows that no argument can express.
const VOID: &[(u32, &str)] = &[
    (
        75,
        "graph: an explicit edge makes a cycle: edges are found, none is given",
    ),
    (
        80,
        "a deserialised layout that is inconsistent: layouts are not deserialised",
    ),
    (
        68,
        "streaming threshold of 0 or usize::MAX, tile of 0: stores are a policy, tiles are not set",
    ),
    (
        79,
        "AsRef that returns a shorter slice at the second call: slices only",
    ),
];

/// What must come of a row.
enum Answer {
    /// It is done.
    Done,
    /// It is accepted, and the destination stays as it was.
    NoOp,
    /// This refusal.
    Refused(Error),
    /// The destination is refused because two indices of this shape meet under these strides, a
    /// cell of so many units standing at each.
    Meets(&'static [usize], &'static [isize], usize),
}
use Answer::{Done, Meets, NoOp, Refused};

struct Row {
    number: u32,
    given: &'static str,
    run: fn(&mut [u32]) -> Result<(), Error>,
    answer: Answer,
}

fn row(
    number: u32,
    given: &'static str,
    run: fn(&mut [u32]) -> Result<(), Error>,
    answer: Answer,
) -> Row {
    Row {
        number,
        given,
        run,
        answer,
    }
}

/// Runs every row; all failures are reported together.
fn check(rows: Vec<Row>) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let wrong = outcome(row).err()?;
            Some(format!("row {}, {}: {wrong}", row.number, row.given))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} inputs", rows.len());
}

fn outcome(row: &Row) -> Result<(), String> {
    let before: Vec<u32> = (0..100).map(|i| 0xa5a5_0000 + i).collect();
    let mut data = before.clone();
    let got = catch_unwind(AssertUnwindSafe(|| (row.run)(&mut data)));
    let Ok(got) = got else {
        return Err("panics".to_owned());
    };
    if (got.is_err() || matches!(row.answer, NoOp)) && data != before {
        return Err(format!("writes, and answers {got:?}"));
    }
    let as_expected = match (&row.answer, &got) {
        (Done | NoOp, Ok(())) => true,
        (Refused(want), Err(got)) => want == got && !got.to_string().is_empty(),
        (&Meets(shape, strides, width), Err(got)) => meet(got, shape, strides, width),
        _ => false,
    };
    if as_expected {
        Ok(())
    } else {
        Err(format!("answers {got:?}"))
    }
}

/// Whether the refusal names two different indices of the shape that share a unit.
fn meet(error: &Error, shape: &[usize], strides: &[isize], width: usize) -> bool {
    let Error::InternalOverlap {
        arg: "dst",
        first,
        second,
    } = error
    else {
        return false;
    };
    let inside = |index: &[usize]| {
        index.len() == shape.len() && index.iter().zip(shape).all(|(i, extent)| i < extent)
    };
    let place = |index: &[usize]| -> i128 {
        index
            .iter()
            .zip(strides)
            .map(|(&i, &stride)| i as i128 * stride as i128)
            .sum()
    };
    let apart = (place(first) - place(second)).unsigned_abs();
    first != second && inside(first) && inside(second) && apart < width as u128
}

#[test]
fn sizes() {
    check(sizes::rows());
}

#[test]
fn algebra() {
    check(algebra::rows());
}

#[test]
fn destinations() {
    check(destinations::rows());
}

#[test]
fn copies() {
    check(copies::rows());
}

#[test]
fn within() {
    check(within::rows());
}

#[test]
fn raw() {
    check(raw::rows());
}

/// Every number stands in a table, or in a list that says why not, and in one only.
#[test]
fn every_row_is_accounted_for() {
    let tables = [
        sizes::rows(),
        algebra::rows(),
        destinations::rows(),
        copies::rows(),
        raw::rows(),
        within::rows(),
    ];
    let mut covered: Vec<u32> = tables.iter().flatten().map(|row| row.number).collect();
    covered.extend(alone::ROWS.iter().map(|&(number, _)| number));
    covered.sort_unstable();
    covered.dedup();
    let left_out = OF_GRAPHS.iter().chain(VOID).map(|&(number, _)| number);
    let mut all: Vec<u32> = covered.iter().copied().chain(left_out).collect();
    all.sort_unstable();
    assert_eq!(all, (1..=83).collect::<Vec<u32>>());
    println!("{} rows of 83 covered; left out:", covered.len());
    for (number, given) in OF_GRAPHS.iter().chain(VOID) {
        println!("row {number}, {given}");
    }
}

/// The table notices a wrong answer, a write before a refusal, and a panic.
#[test]
fn the_table_can_fail() {
    let refused = || Error::BadStep { axis: 0 };
    let wrong = [
        row(
            0,
            "another error",
            |_| Err(Error::BadStep { axis: 1 }),
            Refused(refused()),
        ),
        row(0, "no error", |_| Ok(()), Refused(refused())),
        row(0, "an error", |_| Err(Error::BadStep { axis: 0 }), Done),
        row(
            0,
            "a write before the refusal",
            |data| {
                data[99] = 0;
                Err(Error::BadStep { axis: 0 })
            },
            Refused(refused()),
        ),
        row(
            0,
            "a write where nothing is to move",
            |data| {
                data[0] = 0;
                Ok(())
            },
            NoOp,
        ),
        row(
            0,
            "indices that do not meet",
            |_| {
                let (first, second) = ([0, 1].into(), [1, 0].into());
                Err(Error::InternalOverlap {
                    arg: "dst",
                    first,
                    second,
                })
            },
            Meets(&[2, 2], &[1, 2], 1),
        ),
    ];
    for row in &wrong {
        assert!(outcome(row).is_err(), "{}", row.given);
    }
}
