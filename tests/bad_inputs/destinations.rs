//! Destinations that reach a place twice, and those that only look so.

use std::time::{Duration, Instant};

use restride::{Error, Layout, Problem, ViewMut, fill, strided_copy};

use crate::{Done, Meets, NoOp, Row, row};

/// Writes in a layout, through every door that takes one; all must say the same.
fn write(data: &mut [u32], shape: &[usize], strides: &[isize], offset: usize) -> Result<(), Error> {
    let layout = Layout::new(shape, strides, offset)?;
    let src_layout = Layout::row_major(shape)?;
    let src = vec![9; src_layout.len()];
    let problem = Problem::new::<u32>(&src_layout, &layout).map(drop);
    let view = ViewMut::with_layout(data, layout.clone());
    let filled = view.and_then(|mut view| fill(&mut view, 7));
    let copied = strided_copy(&src, &src_layout, data, &layout);
    assert_eq!((&problem, &problem), (&filled, &copied));
    let bytes: Vec<isize> = strides.iter().map(|stride| 4 * stride).collect();
    let still = vec![0; shape.len()];
    assert_eq!(
        problem,
        Problem::from_bytes(4, shape, &still, &bytes).map(drop)
    );
    copied
}

/// The same of a problem in bytes only.
fn bytes(cell: usize, shape: &[usize], strides: &[isize]) -> Result<(), Error> {
    let still = vec![0; shape.len()];
    Problem::from_bytes(cell, shape, &still, strides).map(drop)
}

pub(crate) fn rows() -> Vec<Row> {
    vec![
        row(
            11,
            "a destination written through a stride of 0",
            |data| write(data, &[2], &[0], 0),
            Meets(&[2], &[0], 1),
        ),
        row(
            37,
            "shape [5, 5], strides [1, 0]",
            |data| write(data, &[5, 5], &[1, 0], 0),
            Meets(&[5, 5], &[1, 0], 1),
        ),
        row(
            38,
            "shape [5, 4], strides [3, 4]",
            |data| write(data, &[5, 4], &[3, 4], 0),
            Meets(&[5, 4], &[3, 4], 1),
        ),
        row(
            38,
            "shape [5, 4], strides [-3, 4]",
            |data| write(data, &[5, 4], &[-3, 4], 50),
            Meets(&[5, 4], &[-3, 4], 1),
        ),
        row(
            39,
            "shape [4, 4], strides [3, 4]",
            |data| write(data, &[4, 4], &[3, 4], 0),
            Done,
        ),
        row(
            39,
            "shape [4, 4], strides [-3, 4]",
            |data| write(data, &[4, 4], &[-3, 4], 50),
            Done,
        ),
        row(
            40,
            "shape [2, 2], strides [1, 1]",
            |data| write(data, &[2, 2], &[1, 1], 0),
            Meets(&[2, 2], &[1, 1], 1),
        ),
        row(
            41,
            "shape [2, 2, 10], strides [11, 10, 1]",
            |data| write(data, &[2, 2, 10], &[11, 10, 1], 0),
            Meets(&[2, 2, 10], &[11, 10, 1], 1),
        ),
        row(
            42,
            "shape [87, 22], strides [0, -9993]",
            |_| bytes(1, &[87, 22], &[0, -9993]),
            Meets(&[87, 22], &[0, -9993], 1),
        ),
        row(
            42,
            "shape [1, 22] of the same",
            |_| bytes(1, &[1, 22], &[0, -9993]),
            Done,
        ),
        row(
            42,
            "shape [0, 22] of the same",
            |_| bytes(1, &[0, 22], &[0, -9993]),
            Done,
        ),
        row(
            42,
            "no index, and strides of 0",
            |data| write(data, &[0, 5, 5], &[1, 1, 0], 0),
            NoOp,
        ),
        row(
            42,
            "shape [0, 22] of the same, in elements",
            |data| write(data, &[0, 22], &[0, -9993], 0),
            NoOp,
        ),
        row(
            43,
            "a sliding window: shape [6, 3], strides [1, 1]",
            |data| write(data, &[6, 3], &[1, 1], 0),
            Meets(&[6, 3], &[1, 1], 1),
        ),
        row(
            43,
            "cells of 4 bytes, 3 apart",
            |_| bytes(4, &[9], &[3]),
            Meets(&[9], &[3], 4),
        ),
        row(
            43,
            "cells of 4 bytes, 3 apart, and a stride of 0",
            |_| bytes(4, &[9, 2], &[3, 0]),
            Meets(&[9, 2], &[3, 0], 4),
        ),
        row(
            43,
            "cells of 3 bytes, 3 and 10 apart",
            |_| bytes(3, &[4, 2], &[3, 10]),
            Meets(&[4, 2], &[3, 10], 3),
        ),
        row(
            43,
            "cells of 3 bytes, 3 and 9 apart",
            |_| bytes(3, &[3, 2], &[3, 9]),
            Done,
        ),
        row(
            51,
            "NumPy's hard instance: an answer, soon",
            |_| hard(),
            Done,
        ),
    ]
}

/// The two arrays as one destination, their distance being the stride of one more axis.
fn hard() -> Result<(), Error> {
    // 10 ms on a quiet machine; tests share theirs.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });
    let n = 1049;
    let strides = [64_023_025, 36674, 61119, 85569, 12223, 12224];
    let times = (0..5).map(|_| {
        let start = Instant::now();
        for answer in [
            bytes(1, &[2, n, n, n, n, n], &strides),
            bytes(1, &[n; 3], &strides[1..4]),
        ] {
            let known = matches!(
                answer,
                Ok(()) | Err(Error::InternalOverlap { .. } | Error::OverlapUndecided { .. })
            );
            assert!(known, "{answer:?}");
        }
        start.elapsed()
    });
    let best = times.min().unwrap();
    assert!(best < 2 * limit, "{best:?}");
    Ok(())
}
