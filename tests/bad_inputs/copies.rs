//! Pairs of views, plans run on other views, problems in bytes, raw addresses, odd elements.

use restride::{
    Array, Error, Isa, Layout, Options, Par, Plan, Problem, SourceGaps, Stores, Unit, View,
    ViewMut, copy,
};

use crate::{Done, Meets, NoOp, Refused, Row, row};

/// Copies row-major elements of one shape to another.
fn between(data: &mut [u32], src: &[usize], dst: &[usize]) -> Result<(), Error> {
    let values: Vec<u32> = (0..100).collect();
    let (src, mut dst) = (
        View::from_slice(&values, src)?,
        ViewMut::from_slice(data, dst)?,
    );
    let problem = Problem::new::<u32>(src.layout(), dst.layout()).map(drop);
    let copied = copy(&src, &mut dst);
    assert_eq!(problem, copied);
    copied
}

/// The plan of a 4 x 5 transposition of u32.
fn plan() -> Result<(Layout, Layout, Plan), Error> {
    let (rows, columns) = (Layout::row_major(&[4, 5])?, Layout::column_major(&[4, 5])?);
    let plan = Plan::new(&Problem::new::<u32>(&rows, &columns)?)?;
    Ok((rows, columns, plan))
}

/// Runs that plan on other layouts.
fn stale(data: &mut [u32], src: &Layout, dst: &Layout) -> Result<(), Error> {
    let values: Vec<u32> = (0..100).collect();
    let src = View::with_layout(&values, src.clone())?;
    plan()?
        .2
        .run(&src, &mut ViewMut::with_layout(data, dst.clone())?)
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = pairs();
    rows.extend(plans());
    rows.extend(options());
    rows.extend(raw());
    rows
}

fn pairs() -> Vec<Row> {
    let differ = |axis, src, dst| Refused(Error::ShapeMismatch { axis, src, dst });
    vec![
        row(
            48,
            "the source ends where the destination starts",
            |data| {
                let (src, dst) = data.split_at_mut(50);
                copy(
                    &View::from_slice(src, &[50])?,
                    &mut ViewMut::from_slice(dst, &[50])?,
                )?;
                assert_eq!(data[..50], data[50..]);
                Ok(())
            },
            Done,
        ),
        row(
            52,
            "[4, 5] to [5, 4]",
            |data| between(data, &[4, 5], &[5, 4]),
            differ(0, 4, 5),
        ),
        row(
            52,
            "[4, 5] to [4, 1]: the source is not reduced",
            |data| between(data, &[4, 5], &[4, 1]),
            differ(1, 5, 1),
        ),
        row(
            52,
            "[4, 1] to [4, 5]: the source is not broadcast",
            |data| between(data, &[4, 1], &[4, 5]),
            differ(1, 1, 5),
        ),
        row(
            53,
            "[20] to [4, 5]",
            |data| between(data, &[20], &[4, 5]),
            {
                let (arg, got, want) = ("dst", 2, 1);
                Refused(Error::RankMismatch { arg, got, want })
            },
        ),
        row(
            54,
            "[0, 5] to [5, 0]",
            |data| between(data, &[0, 5], &[5, 0]),
            differ(0, 0, 5),
        ),
        row(
            54,
            "[0, 5] to [0, 5]",
            |data| between(data, &[0, 5], &[0, 5]),
            NoOp,
        ),
        row(
            63,
            "elements of 3 bytes",
            |_| {
                odd([
                    [1_u8, 2, 3],
                    [4, 5, 6],
                    [7, 8, 9],
                    [10, 11, 12],
                    [13, 14, 15],
                ])
            },
            NoOp,
        ),
        row(
            63,
            "elements of 12 bytes",
            |_| odd([[1_u32; 3], [2; 3], [3; 3], [4; 3], [5; 3]]),
            NoOp,
        ),
        row(
            63,
            "elements of 24 bytes",
            |_| odd([[1_u64; 3], [2; 3], [3; 3], [4; 3], [5; 3]]),
            NoOp,
        ),
        row(
            73,
            "a copy inside a rayon job",
            |data| rayon::scope(|_| between(data, &[4, 5], &[4, 5])),
            Done,
        ),
        row(
            81,
            "reaches just above 2^31 and 2^32 bytes",
            |_| far(),
            NoOp,
        ),
    ]
}

/// Five elements from steps of -7 to steps of 3.
fn odd<T: bytemuck::NoUninit + Default + PartialEq + std::fmt::Debug>(
    five: [T; 5],
) -> Result<(), Error> {
    let (mut src, mut dst) = (vec![T::default(); 40], vec![T::default(); 20]);
    for (i, &value) in five.iter().enumerate() {
        src[35 - 7 * i] = value;
    }
    let from = View::as_strided(&src, &[5], &[-7], 35)?;
    copy(&from, &mut ViewMut::as_strided(&mut dst, &[5], &[3], 4)?)?;
    for (place, got) in dst.iter().enumerate() {
        let hit = (4..=16).contains(&place) && (place - 4) % 3 == 0;
        let want = if hit {
            five[(place - 4) / 3]
        } else {
            T::default()
        };
        assert_eq!(*got, want, "{place}");
    }
    Ok(())
}

/// Memory that is reserved and hardly touched.
fn far() -> Result<(), Error> {
    let mut memory = vec![0_u8; (1 << 32) + 4096];
    for reach in [
        (1 << 31) - 1,
        1 << 31,
        (1 << 31) + 1,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 5,
    ] {
        for backwards in [false, true] {
            let (stride, offset) = if backwards {
                (-(reach as isize), 8 + reach)
            } else {
                (reach as isize, 8)
            };
            let far = Layout::new(&[2, 3], &[stride, 1], offset)?;
            let values = [1, 2, 3, 4, 5, 6];
            restride::strided_copy(&values, &Layout::row_major(&[2, 3])?, &mut memory, &far)?;
            let mut back = [0; 6];
            restride::strided_copy(&memory, &far, &mut back, &Layout::row_major(&[2, 3])?)?;
            assert_eq!(back, values);
            let (near, far) = if backwards {
                ([4, 5, 6], [1, 2, 3])
            } else {
                ([1, 2, 3], [4, 5, 6])
            };
            assert_eq!(
                (&memory[8..11], &memory[8 + reach..11 + reach]),
                (&near[..], &far[..])
            );
            memory[8..11].fill(0);
            memory[8 + reach..11 + reach].fill(0);
        }
    }
    Ok(())
}

fn plans() -> Vec<Row> {
    let other = |arg, what| Refused(Error::StalePlan { arg, what });
    vec![
        row(
            55,
            "a plan for u32 run on u64",
            |_| {
                let (rows, columns, plan) = plan()?;
                let (src, mut dst) = ([1_u64; 20], [0_u64; 20]);
                let mut dst_view = ViewMut::with_layout(&mut dst, columns)?;
                let answer = plan.run(&View::with_layout(&src, rows)?, &mut dst_view);
                assert_eq!(dst, [0; 20]);
                answer
            },
            other("src", "element size"),
        ),
        row(
            69,
            "a plan run 4, 8 .. 60 bytes further on",
            |data| {
                let (rows, columns, plan) = plan()?;
                let src: Vec<u32> = (0..100).collect();
                for shift in 0..16 {
                    let from = View::as_strided(&src, rows.shape(), rows.strides(), shift)?;
                    let dst = &mut ViewMut::as_strided(
                        data,
                        columns.shape(),
                        columns.strides(),
                        16 - shift,
                    )?;
                    plan.run(&from, dst)?;
                    for i in 0..20 {
                        assert_eq!(data[16 - shift + i % 5 * 4 + i / 5], (shift + i) as u32);
                    }
                }
                Ok(())
            },
            Done,
        ),
        row(
            70,
            "a plan run on another destination shape",
            |data| {
                let (rows, ..) = plan()?;
                stale(data, &rows, &Layout::column_major(&[4, 4])?)
            },
            other("dst", "shape"),
        ),
        row(
            70,
            "on another rank",
            |data| stale(data, &Layout::row_major(&[20])?, &Layout::row_major(&[20])?),
            other("src", "shape"),
        ),
        row(
            70,
            "on other source strides",
            |data| stale(data, &plan()?.1, &plan()?.1),
            other("src", "strides"),
        ),
        row(
            70,
            "on other destination strides",
            |data| stale(data, &plan()?.0, &plan()?.0),
            other("dst", "strides"),
        ),
        row(
            70,
            "on wild strides",
            |data| {
                stale(
                    data,
                    &plan()?.0,
                    &Layout::new(&[4, 0], &[isize::MAX, isize::MIN], 0)?,
                )
            },
            other("dst", "shape"),
        ),
        row(
            70,
            "on a destination slice that is too short",
            |data| {
                let (_, columns, _) = plan()?;
                ViewMut::with_layout(&mut data[..19], columns).map(drop)
            },
            {
                let (arg, axis, got, low, high) = ("strides", Some(1), 19, 0, 19);
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
            70,
            "slices that are too short, by the name of their side",
            |data| {
                let (rows, columns, _) = plan()?;
                let short = [0_u32; 19];
                let src = restride::strided_copy(&short, &rows, data, &columns);
                let Err(Error::OutOfBounds {
                    arg: "src.strides", ..
                }) = src
                else {
                    panic!("{src:?}");
                };
                restride::strided_copy(&[0; 20], &rows, &mut data[..19], &columns)
            },
            {
                let (arg, axis, got, low, high) = ("dst.strides", Some(1), 19, 0, 19);
                Refused(Error::OutOfBounds {
                    arg,
                    axis,
                    got,
                    low,
                    high,
                })
            },
        ),
    ]
}

fn options() -> Vec<Row> {
    /// A transposition of 10 x 10 under these options, into `data`.
    fn with(data: &mut [u32], options: Options) -> Result<(), Error> {
        let (rows, columns) = (
            Layout::row_major(&[10, 10])?,
            Layout::column_major(&[10, 10])?,
        );
        let plan = Plan::with(&Problem::new::<u32>(&rows, &columns)?, &options)?;
        let src: Vec<u32> = (0..100).collect();
        plan.run(
            &View::with_layout(&src, rows)?,
            &mut ViewMut::with_layout(data, columns)?,
        )?;
        assert!((0..100).all(|i| data[i % 10 * 10 + i / 10] == i as u32));
        Ok(())
    }
    vec![
        row(
            67,
            "0 threads",
            |data| {
                with(
                    data,
                    Options {
                        par: Par::Threads(0),
                        ..Options::default()
                    },
                )
            },
            Done,
        ),
        row(
            67,
            "10^6 threads",
            |data| {
                with(
                    data,
                    Options {
                        par: Par::Threads(1_000_000),
                        ..Options::default()
                    },
                )
            },
            Done,
        ),
        row(
            65,
            "every tier up to the machine's, every kind of stores",
            |data| {
                for isa in Isa::ALL
                    .into_iter()
                    .filter(|&isa| isa <= restride::Machine::host().unwrap().facts().isa)
                {
                    for stores in [Stores::Auto, Stores::Cached, Stores::Streaming] {
                        data.fill(0);
                        with(
                            data,
                            Options {
                                stores,
                                isa: Some(isa),
                                ..Options::default()
                            },
                        )?;
                    }
                }
                Ok(())
            },
            Done,
        ),
    ]
}

fn raw() -> Vec<Row> {
    let overflow = |arg, axis| {
        Refused(Error::OffsetOverflow {
            arg,
            axis,
            unit: Unit::Byte,
        })
    };
    let mismatch = |arg, got, want| Refused(Error::RankMismatch { arg, got, want });
    fn problem(cell: usize, shape: &[usize], src: &[isize], dst: &[isize]) -> Result<(), Error> {
        Problem::from_bytes(cell, shape, src, dst).map(drop)
    }
    const FAR: isize = isize::MAX;
    vec![
        row(
            2,
            "a problem whose count wraps",
            |_| problem(1, &[3, 7, 29, 36_760_123, 823_996_703], &[0; 5], &[0; 5]),
            Refused(Error::SizeOverflow {
                arg: "shape",
                axis: 4,
            }),
        ),
        row(
            7,
            "source strides whose bytes do not fit",
            |_| problem(4, &[2], &[FAR - 3], &[4]),
            overflow("src.strides", Some(0)),
        ),
        row(
            7,
            "destination strides whose bytes do not fit",
            |_| problem(4, &[3, 2], &[4, 4], &[8, -FAR]),
            overflow("dst.strides", Some(1)),
        ),
        row(
            7,
            "layouts whose bytes do not fit",
            |_| {
                let (far, near) = (Layout::new(&[2], &[FAR / 2], 0)?, Layout::row_major(&[2])?);
                Problem::new::<u32>(&near, &far).map(drop)
            },
            overflow("dst.strides", Some(0)),
        ),
        row(
            8,
            "a problem with strides of isize::MIN",
            |_| problem(1, &[2], &[isize::MIN], &[1]),
            overflow("src.strides", Some(0)),
        ),
        row(
            10,
            "an empty problem with wild strides",
            |_| problem(8, &[3, 0], &[isize::MIN, FAR], &[FAR, isize::MIN]),
            Done,
        ),
        row(
            12,
            "strides that only cancel",
            |_| problem(1, &[2, 2], &[FAR - 1, 1 - FAR], &[1, 2]),
            overflow("src.strides", Some(1)),
        ),
        row(
            15,
            "a cell of more than isize::MAX bytes",
            |_| problem(usize::MAX, &[], &[], &[]),
            overflow("cell_bytes", None),
        ),
        row(
            21,
            "one source stride for two axes",
            |_| problem(1, &[2, 2], &[1], &[2, 1]),
            mismatch("src.strides", 1, 2),
        ),
        row(
            21,
            "three destination strides for two axes",
            |_| problem(1, &[2, 2], &[1, 2], &[2, 1, 4]),
            mismatch("dst.strides", 3, 2),
        ),
        row(
            43,
            "destination cells that share a byte",
            |_| problem(4, &[2], &[4], &[3]),
            Meets(&[2], &[3], 4),
        ),
        row(
            50,
            "a[::2] to a[1::2] of one buffer",
            |data| {
                let plan = Plan::new(&Problem::from_bytes(4, &[50], &[8], &[8])?)?;
                let start = data.as_mut_ptr();
                // SAFETY: range: 50 steps of 8 bytes, from the first and from the second element, stay
                // inside 100 elements; aliasing: even and odd elements, and gaps are not read.
                unsafe { plan.run_raw(start.cast(), start.add(1).cast()) };
                assert!(
                    data.chunks(2)
                        .enumerate()
                        .all(|(i, pair)| pair == [0xa5a5_0000 + 2 * i as u32; 2])
                );
                Ok(())
            },
            Done,
        ),
        row(
            60,
            "addresses one byte off for cells of 4",
            |data| {
                let plan = Plan::new(&Problem::from_bytes(4, &[5, 6], &[4, 20], &[24, 4])?)?;
                let src: Vec<u8> = (0..121).collect();
                let dst = data.as_mut_ptr().cast::<u8>();
                // SAFETY: range: 120 bytes from the second byte on, of 121 and of 400; alignment: none.
                unsafe { plan.run_raw(src.as_ptr().add(1), dst.add(1)) };
                let bytes: &[u8] = bytemuck::cast_slice(data);
                for (i, j) in (0..5).flat_map(|i| (0..6).map(move |j| (i, j))) {
                    let (to, from) = (1 + 24 * i + 4 * j, 1 + 4 * i + 20 * j);
                    assert_eq!(bytes[to..to + 4], src[from..from + 4]);
                }
                Ok(())
            },
            Done,
        ),
        row(
            61,
            "byte strides of 6 for cells of 4",
            |data| {
                let plan = Plan::new(&Problem::from_bytes(4, &[5], &[6], &[4])?)?;
                let src: Vec<u8> = (0..28).collect();
                // SAFETY: range: 4 steps of 6 and a cell of 4 are 28 bytes, 5 cells of 4 are 20.
                unsafe { plan.run_raw(src.as_ptr(), data.as_mut_ptr().cast()) };
                let want: Vec<u8> = (0..5).flat_map(|i| 6 * i..6 * i + 4).collect();
                assert_eq!(bytemuck::cast_slice::<u32, u8>(&data[..5]), want);
                Ok(())
            },
            Done,
        ),
        row(
            64,
            "null addresses and nothing to move",
            |_| {
                for (cell, shape) in [(4, [0, 7]), (4, [7, 0]), (0, [7, 7])] {
                    let problem = Problem::from_bytes(cell, &shape, &[isize::MIN, 4], &[FAR, 4]);
                    let Ok(problem) = problem else {
                        // With cells of no bytes the strides still have to fit.
                        assert_eq!(cell, 0);
                        continue;
                    };
                    let plan = Plan::new(&problem.with_source_gaps(SourceGaps::Readable))?;
                    // SAFETY: range: there is no cell.
                    unsafe { plan.run_raw(std::ptr::null(), std::ptr::null_mut()) };
                }
                let nothing = Plan::new(&Problem::from_bytes(0, &[7, 7], &[0, 0], &[0, 0])?)?;
                // SAFETY: range: the cells have no bytes.
                unsafe { nothing.run_raw(std::ptr::null(), std::ptr::null_mut()) };
                Ok(())
            },
            NoOp,
        ),
        row(
            64,
            "views of nothing at null",
            |_| {
                let layout = Layout::new(&[0, 3], &[isize::MAX, isize::MIN], 1 << 40)?;
                // SAFETY: range: there is no element.
                let src = unsafe { View::<u32>::from_raw_parts(std::ptr::null(), layout.clone()) };
                // SAFETY: as above.
                let mut dst =
                    unsafe { ViewMut::<u32>::from_raw_parts(std::ptr::null_mut(), layout) };
                copy(&src, &mut dst)?;
                assert_eq!(src.as_slice(), Some(&[][..]));
                Array::from_view(&src).map(drop)
            },
            NoOp,
        ),
    ]
}
