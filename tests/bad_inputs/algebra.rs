//! Arguments of the operations on layouts and views.

use restride::{Error, Layout, Slice, View, ViewMut, fill};

use crate::{Done, NoOp, Refused, Row, row};

/// An operation on a layout, on a view and on a mutable one of the same shape: all say the same.
macro_rules! each {
    ($data:expr, $shape:expr, $name:ident($($arg:expr),*)) => {{
        let layout = Layout::row_major($shape)?.$name($($arg),*).map(drop);
        let read = View::from_slice($data, $shape)?.$name($($arg),*).map(drop);
        let written = ViewMut::from_slice($data, $shape)?.$name($($arg),*).map(drop);
        assert_eq!((&layout, &layout), (&read, &written));
        layout
    }};
}

fn broadcast(data: &[u32], from: &[usize], to: &[usize]) -> Result<(), Error> {
    let array = View::from_slice(data, from)?.broadcast_to(to)?.to_array()?;
    assert_eq!(array.shape(), to);
    Ok(())
}

/// An axis that is out of range.
fn no_axis(arg: &'static str, got: usize, rank: usize) -> crate::Answer {
    Refused(Error::AxisOutOfRange { arg, got, rank })
}

fn rank_mismatch(arg: &'static str, got: usize, want: usize) -> crate::Answer {
    Refused(Error::RankMismatch { arg, got, want })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = axes();
    rows.extend(slices());
    rows.extend(broadcasts_and_reshapes());
    rows
}

fn axes() -> Vec<Row> {
    let (arg, position, axis) = ("perm", 1, 0);
    let twice = Refused(Error::NotAPermutation {
        arg,
        position,
        axis,
    });
    vec![
        row(
            24,
            "perm [0, 0]",
            |data| each!(data, &[10, 10], permute(&[0, 0])),
            twice,
        ),
        row(
            25,
            "perm [usize::MAX]",
            |data| each!(data, &[10], permute(&[usize::MAX])),
            no_axis("perm", usize::MAX, 1),
        ),
        row(
            26,
            "perm [0, 1, 2] of rank 2",
            |data| each!(data, &[10, 10], permute(&[0, 1, 2])),
            rank_mismatch("perm", 3, 2),
        ),
        row(
            26,
            "perm [0] of rank 2",
            |data| each!(data, &[10, 10], permute(&[0])),
            rank_mismatch("perm", 1, 2),
        ),
        row(
            26,
            "perm [] of rank 2",
            |data| each!(data, &[10, 10], permute(&[])),
            rank_mismatch("perm", 0, 2),
        ),
        row(
            27,
            "perm [1, 2] of rank 2",
            |data| each!(data, &[10, 10], permute(&[1, 2])),
            no_axis("perm", 2, 2),
        ),
        row(
            32,
            "swap_axes(2, 0) of rank 2",
            |data| each!(data, &[10, 10], swap_axes(2, 0)),
            no_axis("a", 2, 2),
        ),
        row(
            32,
            "swap_axes(0, 2) of rank 2",
            |data| each!(data, &[10, 10], swap_axes(0, 2)),
            no_axis("b", 2, 2),
        ),
        row(
            32,
            "move_axis(2, 0) of rank 2",
            |data| each!(data, &[10, 10], move_axis(2, 0)),
            no_axis("from", 2, 2),
        ),
        row(
            32,
            "move_axis(0, usize::MAX)",
            |data| each!(data, &[10, 10], move_axis(0, usize::MAX)),
            no_axis("to", usize::MAX, 2),
        ),
        row(
            32,
            "index_axis(2, 0) of rank 2",
            |data| each!(data, &[10, 10], index_axis(2, 0)),
            no_axis("axis", 2, 2),
        ),
        row(
            32,
            "index_axis(0, 0) of rank 0",
            |data| each!(data, &[], index_axis(0, 0)),
            no_axis("axis", 0, 0),
        ),
        row(
            32,
            "flip(2) of rank 2",
            |data| each!(data, &[10, 10], flip(2)),
            no_axis("axis", 2, 2),
        ),
        row(
            32,
            "squeeze(2) of rank 2",
            |data| each!(data, &[10, 10], squeeze(2)),
            no_axis("axis", 2, 2),
        ),
        row(
            32,
            "unsqueeze(3) of rank 2, which has 3 places",
            |data| each!(data, &[10, 10], unsqueeze(3)),
            no_axis("axis", 3, 3),
        ),
        row(
            32,
            "index 10 of extent 10",
            |data| each!(data, &[10, 10], index_axis(1, 10)),
            {
                let (arg, axis, got, low, high) = ("index", Some(1), 10, 0, 10);
                Refused(Error::OutOfBounds {
                    arg,
                    axis,
                    got,
                    low,
                    high,
                })
            },
        ),
        row(
            32,
            "squeeze of extent 10",
            |data| each!(data, &[1, 10], squeeze(1)),
            Refused(Error::NotSqueezable { axis: 1, got: 10 }),
        ),
    ]
}

fn slices() -> Vec<Row> {
    fn cut(data: &mut [u32], slice: Slice) -> Result<(), Error> {
        each!(data, &[5], slice(&[slice]))
    }
    let outside = |arg, got: i128, low: i128| {
        let (axis, high) = (Some(0), 6);
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
            28,
            "step 0",
            |data| cut(data, Slice::from(..).step(0)),
            Refused(Error::BadStep { axis: 0 }),
        ),
        row(
            28,
            "step 0 of an empty axis",
            |data| {
                each!(
                    data,
                    &[3, 0],
                    slice(&[Slice::from(..), Slice::from(..).step(0)])
                )
            },
            Refused(Error::BadStep { axis: 1 }),
        ),
        row(
            29,
            "step isize::MIN of extent 5 is the last element",
            |data| {
                let mut last =
                    ViewMut::from_slice(data, &[5])?.slice(&[Slice::from(..).step(isize::MIN)])?;
                assert_eq!(last.shape(), [1]);
                fill(&mut last, 7)?;
                assert_eq!(data[..6].iter().position(|&x| x == 7), Some(4));
                Ok(())
            },
            Done,
        ),
        row(
            29,
            "step isize::MAX of extent 5 is the first element",
            |data| {
                let mut first =
                    ViewMut::from_slice(data, &[5])?.slice(&[Slice::from(..).step(isize::MAX)])?;
                fill(&mut first, 7)?;
                assert_eq!(data[..6].iter().position(|&x| x == 7), Some(0));
                Ok(())
            },
            Done,
        ),
        row(
            30,
            "3..2",
            |data| cut(data, Slice::new(Some(3), Some(2), 1)),
            outside("slice.end", 2, 3),
        ),
        row(
            30,
            "3..2 backwards",
            |data| cut(data, Slice::new(Some(3), Some(2), 1).step(-1)),
            outside("slice.end", 2, 3),
        ),
        row(
            30,
            "-1..-3",
            |data| cut(data, Slice::new(Some(-1), Some(-3), 1)),
            outside("slice.end", -3, 4),
        ),
        row(
            30,
            "2..2 is empty",
            |data| cut(data, Slice::from(2..2)),
            NoOp,
        ),
        row(
            31,
            "..isize::MAX of extent 5",
            |data| cut(data, Slice::from(..isize::MAX)),
            outside("slice.end", isize::MAX as i128, 0),
        ),
        row(
            31,
            "..=isize::MAX of extent 5",
            |data| cut(data, Slice::from(0..=isize::MAX)),
            outside("slice.end", isize::MAX as i128, 0),
        ),
        row(
            31,
            "isize::MIN.. of extent 5",
            |data| cut(data, Slice::from(isize::MIN..)),
            outside("slice.start", isize::MIN as i128, 0),
        ),
        row(
            31,
            "-6.. of extent 5",
            |data| cut(data, Slice::from(-6..)),
            outside("slice.start", -6, 0),
        ),
        row(
            31,
            "6.. of extent 5",
            |data| cut(data, Slice::from(6..)),
            outside("slice.start", 6, 0),
        ),
        row(
            31,
            "one slice for two axes",
            |data| each!(data, &[5, 5], slice(&[Slice::from(..)])),
            rank_mismatch("slices", 1, 2),
        ),
    ]
}

fn broadcasts_and_reshapes() -> Vec<Row> {
    let mismatch = |got, want| Refused(Error::BroadcastMismatch { axis: 0, got, want });
    let arg = "shape";
    vec![
        row(
            33,
            "broadcast [3] to [4]",
            |data| broadcast(data, &[3], &[4]),
            mismatch(3, 4),
        ),
        row(
            33,
            "broadcast [3] to [1]",
            |data| broadcast(data, &[3], &[1]),
            mismatch(3, 1),
        ),
        row(
            34,
            "broadcast [0] to [5]",
            |data| broadcast(data, &[0], &[5]),
            mismatch(0, 5),
        ),
        row(
            35,
            "broadcast [1] to [0]",
            |data| broadcast(data, &[1], &[0]),
            NoOp,
        ),
        row(
            35,
            "broadcast [] to [0, 5]",
            |data| broadcast(data, &[], &[0, 5]),
            NoOp,
        ),
        row(
            36,
            "broadcast [1, 1] to [1]",
            |data| broadcast(data, &[1, 1], &[1]),
            rank_mismatch(arg, 1, 2),
        ),
        row(
            56,
            "reshape [2, 3] to [4]",
            |data| each!(data, &[2, 3], reshape(&[4])),
            {
                Refused(Error::SizeMismatch {
                    arg,
                    got: 4,
                    want: 6,
                })
            },
        ),
        row(
            56,
            "reshape [2, 3] to []",
            |data| each!(data, &[2, 3], reshape(&[])),
            {
                Refused(Error::SizeMismatch {
                    arg,
                    got: 1,
                    want: 6,
                })
            },
        ),
        row(
            57,
            "reshape [2, 0] to [0, 2^63, 4]",
            |data| each!(data, &[2, 0], reshape(&[0, 1 << 63, 4])),
            Refused(Error::SizeOverflow { arg, axis: 1 }),
        ),
        row(
            58,
            "reshape a transposed [2, 3] to [6]",
            |data| {
                let view = View::from_slice(data, &[2, 3])?
                    .transpose()
                    .reshape(&[6])
                    .map(drop);
                let mutable = ViewMut::from_slice(data, &[2, 3])?
                    .transpose()
                    .reshape(&[6])
                    .map(drop);
                assert_eq!(view, mutable);
                view
            },
            Refused(Error::ReshapeNeedsCopy { axis: 0 }),
        ),
        row(
            58,
            "the same behind an axis that can stay",
            |data| {
                let view = View::from_slice(data, &[4, 2, 3])?;
                view.permute(&[0, 2, 1])?.reshape(&[4, 6]).map(drop)
            },
            Refused(Error::ReshapeNeedsCopy { axis: 1 }),
        ),
    ]
}
