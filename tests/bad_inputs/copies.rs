//! Pairs of views, plans run on other views, odd elements.

use restride::{Error, Isa, Layout, Options, Par, Plan, Problem, Stores, View, ViewMut, copy};

use crate::{Done, NoOp, Refused, Row, row};

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
            |data| in_a_job(|| between(data, &[4, 5], &[4, 5])),
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

/// Inside a job of a pool, where there are pools.
fn in_a_job<R: Send>(job: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    let job = || rayon::join(job, || ()).0;
    job()
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
