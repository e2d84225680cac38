//! Problems in bytes and raw addresses.

use restride::{Array, Error, Layout, Plan, Problem, SourceGaps, Unit, View, ViewMut, copy};

use crate::{Done, Meets, NoOp, Refused, Row, row};

pub(crate) fn rows() -> Vec<Row> {
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
