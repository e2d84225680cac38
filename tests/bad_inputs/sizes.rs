//! Shapes, strides and offsets that do not fit what there is.

use restride::{Array, Error, Layout, Plan, Problem, SourceGaps, Unit, View, ViewMut, fill};

use crate::{Done, NoOp, Refused, Row, row};

const MAX: usize = isize::MAX as usize;
/// 2^62 as a stride.
const FAR: isize = 1 << 62;

/// Reads and writes `data` in a layout; both must say the same.
fn access(
    data: &mut [u32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Result<(), Error> {
    let read = View::as_strided(data, shape, strides, offset).map(drop);
    let view = ViewMut::as_strided(data, shape, strides, offset);
    let written = view.and_then(|mut view| fill(&mut view, 7));
    assert_eq!(read, written);
    written
}

/// Everything that takes a bare shape refuses it alike.
fn shaped(shape: &[usize]) -> Result<(), Error> {
    let mut data = [0_u8];
    let answer = Layout::row_major(shape).map(drop);
    let zeros = vec![0; shape.len()];
    let others = [
        Layout::column_major(shape).map(drop),
        Layout::new(shape, &zeros, 0).map(drop),
        View::from_slice(&data, shape).map(drop),
        ViewMut::from_slice(&mut data, shape).map(drop),
        Array::filled(shape, 0_u8).map(drop),
        View::from_slice(&data, &[])
            .and_then(|view| view.broadcast_to(shape))
            .map(drop),
        Layout::row_major(&[0])
            .and_then(|empty| empty.reshape(shape))
            .map(drop),
        Problem::from_bytes(1, shape, &zeros, &zeros).map(drop),
    ];
    for other in others {
        // Fortran order multiplies from the other end and may stop at another axis.
        match (&answer, &other) {
            (Err(Error::SizeOverflow { arg, .. }), Err(Error::SizeOverflow { arg: other, .. })) => {
                assert_eq!(arg, other);
            }
            _ => assert_eq!(answer, other),
        }
    }
    answer
}

fn too_many(axis: usize) -> crate::Answer {
    Refused(Error::SizeOverflow { arg: "shape", axis })
}

fn overflow(arg: &'static str, axis: Option<usize>, unit: Unit) -> crate::Answer {
    Refused(Error::OffsetOverflow { arg, axis, unit })
}

fn outside(arg: &'static str, axis: Option<usize>, got: i128, high: usize) -> crate::Answer {
    let (low, high) = (0, high as i128);
    Refused(Error::OutOfBounds {
        arg,
        axis,
        got,
        low,
        high,
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = counts();
    rows.extend(strides());
    rows.extend(offsets());
    rows
}

fn counts() -> Vec<Row> {
    vec![
        row(
            1,
            "shape [2^63+1, 2^63+1], which wraps to 1",
            |_| shaped(&[MAX + 2, MAX + 2]),
            too_many(0),
        ),
        row(
            1,
            "the same with 1 in front",
            |_| shaped(&[1, MAX + 2, MAX + 2]),
            too_many(1),
        ),
        row(
            2,
            "shape whose product wraps to 5",
            |_| shaped(&[3, 7, 29, 36_760_123, 823_996_703]),
            too_many(4),
        ),
        row(
            3,
            "shape [0, 2^63, 2^63]",
            |_| shaped(&[0, MAX + 1, MAX + 1]),
            too_many(1),
        ),
        row(
            4,
            "shape [2^32, 2^32], strides 0, to be read",
            |data| View::as_strided(data, &[1 << 32, 1 << 32], &[0, 0], 0).map(drop),
            too_many(1),
        ),
        row(
            5,
            "shape [isize::MAX] over 1 byte",
            |_| View::from_slice(&[0_u8], &[MAX]).map(drop),
            outside("shape", Some(0), MAX as i128 - 1, 1),
        ),
        row(
            5,
            "the same to be written",
            |_| ViewMut::from_slice(&mut [0_u8], &[MAX]).map(drop),
            outside("shape", Some(0), MAX as i128 - 1, 1),
        ),
        row(
            5,
            "shape [isize::MAX] of u32: the bytes do not fit",
            |data| View::from_slice(data, &[MAX]).map(drop),
            overflow("shape", Some(0), Unit::Byte),
        ),
        row(
            5,
            "an array of as many",
            |_| Array::filled(&[MAX], 0_u32).map(drop),
            overflow("shape", Some(0), Unit::Byte),
        ),
        row(
            6,
            "shape [isize::MAX, 2]",
            |_| shaped(&[MAX, 2]),
            too_many(1),
        ),
        row(
            22,
            "rank 65",
            |data| access(data, &[1; 65], &[0; 65], 0),
            Done,
        ),
        row(
            22,
            "rank 1000",
            |data| access(data, &[1; 1000], &[isize::MIN; 1000], 99),
            Done,
        ),
        row(
            62,
            "2^40 elements of () over 3",
            |_| View::from_slice(&[(); 3], &[1 << 40]).map(drop),
            outside("shape", Some(0), (1 << 40) - 1, 3),
        ),
        row(
            62,
            "3 elements of () over 3",
            |_| {
                let (src, mut dst) = ([(); 3], [(); 3]);
                let dst = &mut ViewMut::from_slice(&mut dst, &[3])?;
                restride::copy(&View::from_slice(&src, &[3])?, dst)
            },
            NoOp,
        ),
        row(
            62,
            "an array of 2^40 elements of ()",
            |_| {
                let array = Array::filled(&[1 << 40], ())?;
                assert_eq!(array.as_slice().len(), 1 << 40);
                array.transpose().to_array().map(drop)
            },
            NoOp,
        ),
        row(
            83,
            "63 axes of 2, strides 0",
            |data| View::as_strided(data, &[2; 63], &[0; 63], 0).map(drop),
            too_many(62),
        ),
        row(
            83,
            "62 axes of 2, strides 0: read, not visited",
            |data| View::as_strided(data, &[2; 62], &[0; 62], 0).map(drop),
            NoOp,
        ),
        row(
            83,
            "the same into an array",
            |data| {
                View::as_strided(data, &[2; 62], &[0; 62], 0)?
                    .to_array()
                    .map(drop)
            },
            overflow("shape", Some(0), Unit::Byte),
        ),
    ]
}

fn strides() -> Vec<Row> {
    let below = |axis, got| outside("strides", Some(axis), got, MAX);
    let far = overflow("strides", Some(0), Unit::Element);
    vec![
        row(
            7,
            "shape [2], stride isize::MAX",
            |data| access(data, &[2], &[isize::MAX], 0),
            overflow("strides", Some(0), Unit::Byte),
        ),
        row(
            7,
            "the same of bytes",
            |_| View::as_strided(&[0_u8; 100], &[2], &[isize::MAX], 0).map(drop),
            overflow("strides", Some(0), Unit::Byte),
        ),
        row(
            8,
            "shape [2], stride isize::MIN",
            |data| access(data, &[2], &[isize::MIN], 0),
            below(0, isize::MIN as i128),
        ),
        row(
            8,
            "the same at offset 99",
            |data| access(data, &[2], &[isize::MIN], 99),
            below(0, isize::MIN as i128 + 99),
        ),
        row(
            8,
            "the same at offset isize::MAX",
            |data| access(data, &[2], &[isize::MIN], MAX),
            below(0, -1),
        ),
        row(
            9,
            "shape [1], stride isize::MIN",
            |data| access(data, &[1], &[isize::MIN], 0),
            Done,
        ),
        row(
            10,
            "shape [0], stride isize::MIN",
            |data| access(data, &[0], &[isize::MIN], 0),
            NoOp,
        ),
        row(
            10,
            "shape [5, 0, 5], strides isize::MIN",
            |data| access(data, &[5, 0, 5], &[isize::MIN; 3], 50),
            NoOp,
        ),
        row(
            11,
            "shape [3, 3], strides 2^62",
            |data| access(data, &[3, 3], &[FAR, FAR], 0),
            far,
        ),
        row(
            12,
            "shape [2, 2], strides 2^62 and -2^62",
            |data| access(data, &[2, 2], &[FAR, -FAR], 0),
            below(1, -(FAR as i128)),
        ),
        row(
            12,
            "the same at offset 2^62",
            |data| access(data, &[2, 2], &[FAR, -FAR], 1 << 62),
            overflow("strides", Some(0), Unit::Element),
        ),
        row(
            18,
            "shape [2], stride -1 at offset 0",
            |data| access(data, &[2], &[-1], 0),
            below(0, -1),
        ),
        row(
            19,
            "shape [101], stride -1 at offset 99",
            |data| access(data, &[101], &[-1], 99),
            below(0, -1),
        ),
        row(
            20,
            "shape [100], stride -1 at offset 99",
            |data| access(data, &[100], &[-1], 99),
            Done,
        ),
        row(
            20,
            "shape [51], stride 2",
            |data| access(data, &[51], &[2], 0),
            outside("strides", Some(0), 100, 100),
        ),
        row(
            21,
            "shape [10, 10], strides [10]",
            |data| access(data, &[10, 10], &[10], 0),
            {
                let (arg, got, want) = ("strides", 1, 2);
                Refused(Error::RankMismatch { arg, got, want })
            },
        ),
        row(
            82,
            "64 axes of 1 with wild strides",
            |data| {
                let wild: Vec<isize> = (0..64)
                    .map(|i| [isize::MIN, isize::MAX, -1, 0][i % 4])
                    .collect();
                access(data, &[1; 64], &wild, 99)?;
                assert_eq!((data[98], data[99]), (0xa5a5_0000 + 98, 7));
                Ok(())
            },
            Done,
        ),
    ]
}

fn offsets() -> Vec<Row> {
    vec![
        row(
            13,
            "offset usize::MAX",
            |data| access(data, &[1], &[1], usize::MAX),
            overflow("offset", None, Unit::Element),
        ),
        row(
            13,
            "offset 2^63",
            |data| access(data, &[0], &[1], MAX + 1),
            overflow("offset", None, Unit::Element),
        ),
        row(
            14,
            "offset 2^63 - 10000, shape [5], stride 2",
            |data| access(data, &[5], &[2], MAX - 9999),
            overflow("offset", None, Unit::Byte),
        ),
        row(
            14,
            "the same of bytes",
            |_| View::as_strided(&[0_u8; 100], &[5], &[2], MAX - 9999).map(drop),
            outside("offset", None, MAX as i128 - 9999, 100),
        ),
        row(
            15,
            "offset 100 of 100, shape [1]",
            |data| access(data, &[1], &[1], 100),
            outside("offset", None, 100, 100),
        ),
        row(
            16,
            "offset 100 of 100, shape [0]",
            |data| access(data, &[0], &[1], 100),
            NoOp,
        ),
        row(
            17,
            "offset 101 of 100, shape [0]",
            |data| access(data, &[0], &[1], 101),
            outside("offset", None, 101, 100),
        ),
        row(
            23,
            "rank 0 over nothing",
            |_| access(&mut [], &[], &[], 0),
            outside("offset", None, 0, 0),
        ),
        row(
            23,
            "the same by its shape",
            |_| View::<u32>::from_slice(&[], &[]).map(drop),
            outside("shape", None, 0, 0),
        ),
    ]
}

/// What no memory holds is planned all the same, and no number of it overflows.
#[test]
fn strides_near_the_limits_are_planned() {
    type Axes<'a> = (&'a [usize], &'a [isize], &'a [isize]);
    let problems: [Axes<'_>; 4] = [
        (&[2], &[-FAR], &[-3]),
        (&[200], &[isize::MAX / 200 - 1], &[3]),
        (&[2], &[3], &[FAR]),
        (&[2, 13, 3], &[FAR, -18, -64], &[49_191, 4099, 102_478]),
    ];
    for (shape, src, dst) in problems {
        let problem = Problem::from_bytes(3, shape, src, dst).expect("its bytes fit");
        for gaps in [SourceGaps::Forbidden, SourceGaps::Readable] {
            let problem = problem.clone().with_source_gaps(gaps);
            Plan::new(&problem).expect("a valid RESTRIDE_ISA");
        }
    }
}
