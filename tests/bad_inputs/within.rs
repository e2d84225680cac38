//! Copies inside one buffer, inferred extents, and the parts of views.

use restride::{Error, INFER, Layout, Options, View, ViewMut, copy_within, copy_within_with, s};

use crate::{Done, Meets, NoOp, Refused, Row, row};

/// A copy inside the buffer; where it is done, the result is what it would be if the source had been
/// copied away first.
fn within(
    data: &mut [u32],
    src: (&[usize], &[isize], usize),
    dst: (&[usize], &[isize], usize),
) -> Result<(), Error> {
    let (src, dst) = (
        Layout::new(src.0, src.1, src.2)?,
        Layout::new(dst.0, dst.1, dst.2)?,
    );
    let mut want = data.to_vec();
    copy_within(data, &src, &dst)?;
    let aside: Vec<u32> = src.places().map(|place| want[place]).collect();
    for (place, value) in dst.places().zip(aside) {
        want[place] = value;
    }
    assert_eq!(data, want);
    Ok(())
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = copies();
    rows.extend(refusals());
    rows.extend(parts());
    rows
}

fn copies() -> Vec<Row> {
    vec![
        row(
            44,
            "source and destination the same, same strides",
            |data| within(data, (&[10, 10], &[10, 1], 0), (&[10, 10], &[10, 1], 0)),
            NoOp,
        ),
        row(
            44,
            "the same but for the stride of an axis of 1",
            |data| within(data, (&[1, 10], &[7, 1], 0), (&[1, 10], &[-9, 1], 0)),
            NoOp,
        ),
        row(
            45,
            "a 2 x 2 matrix transposed onto itself",
            |data| within(data, (&[2, 2], &[2, 1], 0), (&[2, 2], &[1, 2], 0)),
            Done,
        ),
        row(
            46,
            "a[1:] <- a[:-1]",
            |data| within(data, (&[99], &[1], 0), (&[99], &[1], 1)),
            Done,
        ),
        row(
            46,
            "a[1:] <- a[:-1], 10^6 elements",
            |_| {
                let mut data: Vec<u32> = (0..1_000_000).collect();
                within(&mut data, (&[999_999], &[1], 0), (&[999_999], &[1], 1))
            },
            Done,
        ),
        row(
            47,
            "a[:3, :3] <- its transpose",
            |data| within(data, (&[3, 3], &[1, 10], 0), (&[3, 3], &[10, 1], 0)),
            Done,
        ),
        row(
            49,
            "the source ends one element past the start of the destination",
            |data| within(data, (&[50], &[1], 0), (&[50], &[1], 49)),
            Done,
        ),
        row(
            49,
            "the same in bytes",
            |_| {
                let mut bytes: Vec<u8> = (0..100).collect();
                let (src, dst) = (Layout::new(&[50], &[1], 0)?, Layout::new(&[50], &[1], 49)?);
                copy_within(&mut bytes, &src, &dst)?;
                assert!(
                    bytes[..49]
                        .iter()
                        .chain(&bytes[49..99])
                        .copied()
                        .eq((0..49).chain(0..50))
                );
                Ok(())
            },
            Done,
        ),
        row(
            50,
            "a[1::2] <- a[::2] in one buffer",
            |data| within(data, (&[50], &[2], 0), (&[50], &[2], 1)),
            Done,
        ),
    ]
}

fn refusals() -> Vec<Row> {
    let outside = |arg, axis, got| {
        let (low, high) = (0, 100);
        Refused(Error::OutOfBounds {
            arg,
            axis,
            got,
            low,
            high,
        })
    };
    vec![
        row(
            15,
            "copy_within from offset 100",
            |data| within(data, (&[1], &[1], 100), (&[1], &[1], 0)),
            outside("src.offset", None, 100),
        ),
        row(
            15,
            "copy_within to 60 elements from 41 on",
            |data| within(data, (&[60], &[1], 0), (&[60], &[1], 41)),
            outside("dst.strides", Some(0), 100),
        ),
        row(
            52,
            "copy_within from [4, 5] to [5, 4]",
            |data| within(data, (&[4, 5], &[5, 1], 0), (&[5, 4], &[4, 1], 40)),
            Refused(Error::ShapeMismatch {
                axis: 0,
                src: 4,
                dst: 5,
            }),
        ),
        row(
            53,
            "copy_within from [20] to [4, 5]",
            |data| within(data, (&[20], &[1], 0), (&[4, 5], &[5, 1], 40)),
            Refused(Error::RankMismatch {
                arg: "dst",
                got: 2,
                want: 1,
            }),
        ),
        row(
            38,
            "copy_within to shape [5, 4] strides [3, 4]",
            |data| within(data, (&[5, 4], &[4, 1], 0), (&[5, 4], &[3, 4], 0)),
            Meets(&[5, 4], &[3, 4], 1),
        ),
        row(
            37,
            "copy_within to a broadcast row, which is where it came from",
            |data| within(data, (&[5, 5], &[1, 0], 0), (&[5, 5], &[1, 0], 0)),
            Meets(&[5, 5], &[1, 0], 1),
        ),
        row(
            65,
            "copy_within of a square with an ISA that the machine may lack",
            |data| {
                let (rows, columns) = (Layout::row_major(&[5, 5])?, Layout::column_major(&[5, 5])?);
                let isa = Some(restride::Isa::Scalar);
                let options = Options {
                    isa,
                    ..Options::default()
                };
                copy_within_with(data, &rows, &columns, &options)
            },
            Done,
        ),
    ]
}

fn parts() -> Vec<Row> {
    let size = |got, want| {
        let arg = "shape";
        Refused(Error::SizeMismatch { arg, got, want })
    };
    let bounds = |arg, axis, got, low, high| {
        let axis = Some(axis);
        Refused(Error::OutOfBounds {
            arg,
            axis,
            got,
            low,
            high,
        })
    };
    vec![
        row(
            59,
            "reshape with two inferred extents",
            |data| {
                ViewMut::from_slice(data, &[10, 10])?
                    .reshape(&[INFER, INFER])
                    .map(drop)
            },
            size(INFER, 100),
        ),
        row(
            59,
            "reshape with an inferred extent and a 0",
            |data| {
                View::from_slice(data, &[0, 10])?
                    .reshape(&[0, INFER])
                    .map(drop)
            },
            size(0, 0),
        ),
        row(
            59,
            "reshape of 100 to [INFER, 7]",
            |data| {
                View::from_slice(data, &[10, 10])?
                    .reshape(&[INFER, 7])
                    .map(drop)
            },
            size(7, 100),
        ),
        row(
            31,
            "an index of s![] that the axis does not have",
            |data| {
                ViewMut::from_slice(data, &[5, 4])?
                    .slice(&s![.., 4])
                    .map(drop)
            },
            bounds("index", 1, 4, -4, 4),
        ),
        row(
            31,
            "an index of s![] before the first",
            |data| {
                View::from_slice(data, &[5, 4])?
                    .slice(&s![-6, ..])
                    .map(drop)
            },
            bounds("index", 0, -6, -5, 5),
        ),
        row(
            31,
            "narrow beyond the end",
            |data| {
                ViewMut::from_slice(data, &[5, 4])?
                    .narrow(0, 3, 3)
                    .map(drop)
            },
            bounds("len", 0, 3, 0, 3),
        ),
        row(
            31,
            "split_at beyond the end",
            |data| ViewMut::from_slice(data, &[5, 4])?.split_at(1, 5).map(drop),
            bounds("index", 1, 5, 0, 5),
        ),
        row(
            31,
            "chunks of 0",
            |data| ViewMut::from_slice(data, &[5, 4])?.chunks(0, 0).map(drop),
            bounds("size", 0, 0, 1, isize::MAX as i128 + 1),
        ),
        row(
            31,
            "windows of 0, and windows longer than the axis",
            |data| {
                let view = View::from_slice(data, &[5, 4])?;
                assert!(view.windows(&[6, 1]).is_err() && view.windows(&[1]).is_err());
                view.windows(&[1, 0]).map(drop)
            },
            bounds("window", 1, 0, 1, 5),
        ),
        row(
            32,
            "unbind, diagonal and chunks of an axis that is not there",
            |data| {
                let view = View::from_slice(data, &[5, 4])?;
                assert!(view.chunks(2, 1).is_err() && view.unbind(2).is_err());
                view.diagonal(0, 2).map(drop)
            },
            Refused(Error::AxisOutOfRange {
                arg: "b",
                got: 2,
                rank: 2,
            }),
        ),
        row(
            33,
            "two views with extents 3 and 4",
            |data| {
                let (a, b) = (
                    View::from_slice(data, &[3])?,
                    View::from_slice(data, &[5, 4])?,
                );
                a.broadcast_with(&b).map(drop)
            },
            Refused(Error::BroadcastMismatch {
                axis: 1,
                got: 4,
                want: 3,
            }),
        ),
    ]
}
