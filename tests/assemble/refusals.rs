//! Every bad argument by name, with nothing written.

use restride::{
    Array, Error, Isa, Layout, Options, Pad, View, ViewMut, concat, concat_into, copy_many,
    gather_rows, gather_rows_into, pad, pad_into, put, repeat, repeat_each, repeat_each_into,
    repeat_into, roll, roll_into, split, split_into, stack, stack_into, take, take_into, tile,
    tile_into, unstack, unstack_into,
};

const DATA: [u32; 24] = [5; 24];

fn view(shape: &[usize]) -> View<'static, u32> {
    View::from_slice(&DATA, shape).unwrap()
}

fn no_axis(got: usize, rank: usize) -> Error {
    Error::AxisOutOfRange {
        arg: "axis",
        got,
        rank,
    }
}

fn outside(arg: &'static str, axis: Option<usize>, got: i128, low: i128, high: i128) -> Error {
    Error::OutOfBounds {
        arg,
        axis,
        got,
        low,
        high,
    }
}

#[track_caller]
fn refused<T>(got: Result<T, Error>, want: Error) {
    assert_eq!(got.map(drop), Err(want));
}

/// A destination of this shape that must stay as it is.
#[track_caller]
fn refused_into(
    shape: &[usize],
    want: Error,
    run: impl FnOnce(&mut ViewMut<'_, u32>, &Options) -> Result<(), Error>,
) {
    let mut data = [9; 100];
    let mut dst = ViewMut::from_slice(&mut data, shape).unwrap();
    assert_eq!(run(&mut dst, &Options::default()), Err(want));
    assert_eq!(data, [9; 100]);
}

fn shapes_differ(axis: usize, src: usize, dst: usize) -> Error {
    Error::ShapeMismatch { axis, src, dst }
}

fn misfit(part: usize, axis: usize, got: usize, want: usize) -> Error {
    Error::PartMismatch {
        arg: "parts",
        part,
        axis,
        got,
        want,
    }
}

#[test]
fn parts_that_do_not_fit() {
    let none: [View<'_, u32>; 0] = [];
    let nothing = || Error::NoParts { arg: "parts" };
    refused(concat(&none, 0), nothing());
    refused(stack(&none, 0), nothing());
    let parts = [view(&[2, 3]), view(&[2, 4])];
    refused(concat(&parts, 0), misfit(1, 1, 4, 3));
    refused(stack(&parts, 0), misfit(1, 1, 4, 3));
    refused(concat(&parts, 2), misfit(1, 1, 4, 3));
    refused(concat(&parts[..1], 2), no_axis(2, 2));
    refused(stack(&parts[..1], 3), no_axis(3, 3));
    refused(concat(&[view(&[])], 0), no_axis(0, 0));
    let ranks = [view(&[2, 3]), view(&[2])];
    let rank = Error::PartRankMismatch {
        arg: "parts",
        part: 1,
        got: 1,
        want: 2,
    };
    refused(concat(&ranks, 0), rank.clone());
    refused(stack(&ranks, 0), rank);
    refused_into(&[2, 6], shapes_differ(1, 7, 6), |dst, options| {
        concat_into(&parts, 1, dst, options)
    });
    refused_into(&[3, 2, 3], shapes_differ(0, 2, 3), |dst, options| {
        stack_into(&[view(&[2, 3]), view(&[2, 3])], 0, dst, options)
    });
    let rank = Error::RankMismatch {
        arg: "dst",
        got: 1,
        want: 2,
    };
    refused_into(&[12], rank, |dst, options| {
        concat_into(&parts[..1], 0, dst, options)
    });
    let units = [(); 1];
    let huge = View::from_slice(&units, &[1]).unwrap();
    let huge = huge.broadcast_to(&[isize::MAX as usize]).unwrap();
    let overflow = Error::SizeOverflow {
        arg: "shape",
        axis: 0,
    };
    refused(concat(&[huge.clone(), huge.clone(), huge], 0), overflow);
}

#[test]
fn cuts_and_parts_to_be_taken_apart() {
    let src = view(&[4, 6]);
    refused(split(&src, 2, &[]), no_axis(2, 2));
    refused(split(&src, 1, &[3, 2]), outside("at", Some(1), 2, 3, 7));
    refused(split(&src, 1, &[7]), outside("at", Some(1), 7, 0, 7));
    refused(unstack(&src, 2), no_axis(2, 2));
    let options = Options::default();
    let mut rooms = [[9_u32; 24], [9; 24]];
    let mut into = |first: &[usize], second: &[usize], axis: usize, whole: bool| {
        let [a, b] = &mut rooms;
        let mut parts = [
            ViewMut::from_slice(&mut a[..], first).unwrap(),
            ViewMut::from_slice(&mut b[..], second).unwrap(),
        ];
        let done = if whole {
            unstack_into(&src, axis, &mut parts, &options)
        } else {
            split_into(&src, axis, &mut parts, &options)
        };
        assert_eq!(rooms, [[9; 24], [9; 24]]);
        done
    };
    refused(into(&[4, 2], &[4, 3], 2, false), no_axis(2, 2));
    refused(into(&[4, 2], &[3, 4], 1, false), misfit(1, 0, 3, 4));
    let size = Error::SizeMismatch {
        arg: "parts",
        got: 5,
        want: 6,
    };
    refused(into(&[4, 2], &[4, 3], 1, false), size);
    let rank = Error::PartRankMismatch {
        arg: "parts",
        part: 1,
        got: 1,
        want: 2,
    };
    refused(into(&[4, 2], &[4], 1, false), rank);
    let size = Error::SizeMismatch {
        arg: "parts",
        got: 2,
        want: 4,
    };
    refused(into(&[6], &[6], 0, true), size);
    let src = view(&[2, 6]);
    let mut room = [9; 24];
    let (first, second) = room.split_at_mut(12);
    let mut parts = [
        ViewMut::from_slice(first, &[6]).unwrap(),
        ViewMut::from_slice(second, &[5]).unwrap(),
    ];
    refused(
        unstack_into(&src, 0, &mut parts, &options),
        misfit(1, 0, 5, 6),
    );
    refused(unstack_into(&src, 3, &mut parts, &options), no_axis(3, 2));
    assert_eq!(room, [9; 24]);
}

#[test]
fn margins_and_repetitions() {
    let src = view(&[2, 3]);
    let rank = Error::RankMismatch {
        arg: "widths",
        got: 1,
        want: 2,
    };
    refused(pad(&src, &[(0, 0)], Pad::Edge), rank);
    let empty = view(&[2, 0]);
    for margin in [Pad::Edge, Pad::Wrap] {
        let nothing = Error::NothingToRepeat { axis: 1 };
        refused(pad(&empty, &[(0, 0), (0, 1)], margin), nothing.clone());
        refused_into(&[2, 1], nothing, |dst, options| {
            pad_into(&empty, &[(0, 0), (1, 0)], margin, dst, options)
        });
        assert!(pad(&empty, &[(3, 1), (0, 0)], margin).is_ok());
    }
    assert_eq!(
        pad(&empty, &[(0, 0), (1, 1)], Pad::Constant(7))
            .unwrap()
            .as_slice(),
        [7; 4]
    );
    let overflow = |axis| Error::SizeOverflow { arg: "shape", axis };
    refused(
        pad(&src, &[(0, 0), (usize::MAX, 1)], Pad::Edge),
        overflow(1),
    );
    refused_into(&[3, 3], shapes_differ(0, 4, 3), |dst, options| {
        pad_into(&src, &[(1, 1), (0, 0)], Pad::Edge, dst, options)
    });
    refused(tile(&src, &[1, usize::MAX]), overflow(1));
    refused(tile(&src, &[isize::MAX as usize, 1]), overflow(0));
    refused_into(&[2, 6], shapes_differ(0, 4, 2), |dst, options| {
        tile_into(&src, &[2, 2], dst, options)
    });
    refused(repeat(&src, 2, 1), no_axis(2, 2));
    refused(repeat(&src, 1, usize::MAX), overflow(1));
    refused_into(&[2, 3], shapes_differ(1, 6, 3), |dst, options| {
        repeat_into(&src, 1, 2, dst, options)
    });
    refused(repeat_each(&src, 2, &[]), no_axis(2, 2));
    let size = Error::SizeMismatch {
        arg: "times",
        got: 1,
        want: 2,
    };
    refused(repeat_each(&src, 0, &[1]), size);
    refused(repeat_each(&src, 0, &[usize::MAX, 1]), overflow(0));
    refused_into(&[2, 3], shapes_differ(0, 3, 2), |dst, options| {
        repeat_each_into(&src, 0, &[1, 2], dst, options)
    });
    let axis = Error::AxisOutOfRange {
        arg: "by",
        got: 2,
        rank: 2,
    };
    refused(roll(&src, &[(0, 1), (2, 1)]), axis);
    refused_into(&[3, 2], shapes_differ(0, 2, 3), |dst, options| {
        roll_into(&src, &[(0, 1)], dst, options)
    });
}

#[test]
fn indices_that_do_not_exist() {
    let src = view(&[2, 3]);
    refused(take(&src, 2, &[]), no_axis(2, 2));
    refused(
        take(&src, 1, &[0, 3]),
        outside("indices", Some(1), 3, -3, 3),
    );
    refused(take(&src, 1, &[-4]), outside("indices", Some(1), -4, -3, 3));
    refused(
        take(&view(&[0]), 0, &[0]),
        outside("indices", Some(0), 0, 0, 0),
    );
    refused(
        gather_rows(&src, &[1, 2]),
        outside("rows", Some(0), 2, 0, 2),
    );
    refused(gather_rows(&view(&[]), &[0]), no_axis(0, 0));
    refused_into(&[2, 2], shapes_differ(1, 3, 2), |dst, options| {
        take_into(&src, 1, &[0, 0, 0], dst, options)
    });
    refused_into(&[2, 3], shapes_differ(0, 1, 2), |dst, options| {
        gather_rows_into(&src, &[0], dst, options)
    });
    refused_into(
        &[2, 3],
        outside("indices", Some(1), 3, -3, 3),
        |dst, options| put(&src, 1, &[0, 1, 3], dst, options),
    );
    refused_into(&[2, 3], no_axis(2, 2), |dst, options| {
        put(&src, 2, &[], dst, options)
    });
    refused_into(&[2, 5], shapes_differ(1, 3, 2), |dst, options| {
        put(&src, 1, &[0, 1], dst, options)
    });
    let rank = Error::RankMismatch {
        arg: "dst",
        got: 3,
        want: 2,
    };
    refused_into(&[2, 3, 1], rank, |dst, options| {
        put(&src, 1, &[0, 1, 2], dst, options)
    });
}

#[test]
fn blocks_that_leave_their_slices() {
    let mut dst = [9_u32; 24];
    let (row, options) = (Layout::row_major(&[2, 3]).unwrap(), Options::default());
    let mut many = |src_block: &Layout, dst_block: &Layout, places: &[(usize, usize)]| {
        let done = copy_many(&DATA, src_block, &mut dst, dst_block, places, &options);
        assert_eq!(dst, [9; 24]);
        done
    };
    refused(
        many(&row, &row, &[(0, 0), (19, 0)]),
        outside("places.src", None, 24, 0, 24),
    );
    refused(
        many(&row, &row, &[(0, 0), (0, 20)]),
        outside("places.dst", None, 25, 0, 24),
    );
    let far = outside("places.dst", None, usize::MAX as i128 + 5, 0, 24);
    refused(many(&row, &row, &[(0, usize::MAX)]), far);
    let other = Layout::row_major(&[3, 2]).unwrap();
    refused(many(&row, &other, &[]), shapes_differ(0, 2, 3));
    let same = Layout::new(&[2, 3], &[0, 1], 0).unwrap();
    let got = many(&row, &same, &[(0, 0)]).unwrap_err();
    assert!(
        matches!(got, Error::InternalOverlap { arg: "dst", .. }),
        "{got}"
    );
}

/// A tier that this machine may run but the cap forbids, or does not have, is refused by all that
/// takes options.
#[test]
fn a_tier_that_is_not_there() {
    let highest = Isa::Avx512Vbmi;
    let options = Options {
        isa: Some(highest),
        ..Options::default()
    };
    let src = view(&[2, 3]);
    let mut dst = Array::filled(&[2, 3], 9).unwrap();
    let done = roll_into(&src, &[(1, 1)], &mut dst.view_mut(), &options);
    let available = restride::Machine::host().unwrap().facts().isa;
    if available < highest {
        assert!(matches!(
            done,
            Err(Error::UnsupportedIsa {
                arg: "options.isa",
                ..
            })
        ));
        assert_eq!(dst.as_slice(), [9; 6]);
    } else {
        assert_eq!((done, dst.as_slice()), (Ok(()), &[5; 6][..]));
    }
}
