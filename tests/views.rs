//! Views, arrays and plans as their users meet them.

use std::mem::MaybeUninit;

use restride::{
    Array, Contiguous, Error, INFER, Layout, Options, Par, Plan, Problem, Slice, Stores, View,
    ViewMut, copy, copy_with, fill, s, strided_copy,
};

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).collect()
}

/// The elements of a view, index by index.
fn elements<T: Copy>(data: &[T], layout: &Layout) -> Vec<T> {
    let mut places = vec![layout.offset() as isize];
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()) {
        let steps = |place| (0..extent as isize).map(move |i| place + i * stride);
        places = places.into_iter().flat_map(steps).collect();
    }
    places
        .into_iter()
        .map(|place| data[place as usize])
        .collect()
}

#[test]
fn to_contiguous_borrows_exactly_when_nothing_must_move() {
    let data = numbers(60);
    let view = View::from_slice(&data, &[3, 4, 5]).unwrap();
    let (all, every_second) = (Slice::from(..), Slice::from(..).step(2));
    for (view, borrowed) in [
        (view.clone(), true),
        (view.transpose(), false),
        (view.index_axis(0, 2).unwrap(), true),
        (view.index_axis(1, 2).unwrap(), false),
        (view.slice(&[Slice::from(1..), all, all]).unwrap(), true),
        (view.slice(&[all, Slice::from(1..), all]).unwrap(), false),
        (
            view.slice(&[Slice::from(1..2), Slice::from(1..), all])
                .unwrap(),
            true,
        ),
        (view.slice(&[all, all, every_second]).unwrap(), false),
        (view.flip(0).unwrap(), false),
        (
            view.slice(&[Slice::from(1..2), all, all])
                .unwrap()
                .flip(0)
                .unwrap(),
            true,
        ),
        (
            view.slice(&[all, all, Slice::from(2..2)])
                .unwrap()
                .transpose(),
            true,
        ),
        (view.reshape(&[60]).unwrap(), true),
        (view.unsqueeze(1).unwrap().move_axis(1, 3).unwrap(), true),
        (
            view.index_axis(2, 0)
                .unwrap()
                .broadcast_to(&[2, 3, 4])
                .unwrap(),
            false,
        ),
    ] {
        let contiguous = view.to_contiguous().unwrap();
        assert_eq!(contiguous.is_borrowed(), borrowed, "{view:?}");
        assert_eq!(
            contiguous.as_slice(),
            elements(&data, view.layout()),
            "{view:?}"
        );
        match contiguous {
            Contiguous::Borrowed(same) => {
                assert_eq!(same.as_ptr(), view.as_ptr());
                assert_eq!(view.as_slice().unwrap().len(), view.len());
            }
            Contiguous::Owned(array) => {
                assert_eq!((array.shape(), view.as_slice()), (view.shape(), None));
            }
        }
    }
}

/// What a view lends lives as long as its slice, not as long as the view.
#[test]
fn slices_outlive_the_view_they_come_from() {
    let data = numbers(6);
    let (slice, row) = {
        let view = View::from_slice(&data, &[2, 3]).unwrap();
        (view.as_slice().unwrap(), view.index_axis(0, 1).unwrap())
    };
    assert_eq!((slice, row.as_slice().unwrap()), (&data[..], &data[3..]));
}

#[test]
fn a_copy_hands_back_what_it_initialised() {
    let src = numbers(12);
    let view = View::from_slice(&src, &[3, 4]).unwrap();
    let mut room = [MaybeUninit::<u32>::uninit(); 40];
    let layout = Layout::new(&[3, 4], &[3, 10], 1).unwrap();
    let mut dst = ViewMut::with_layout(&mut room, layout).unwrap();
    let mut written: ViewMut<'_, u32> = copy(&view, &mut dst).unwrap();
    assert_eq!(
        (written.shape(), written.layout().strides()),
        (&[3, 4][..], &[3, 10][..])
    );
    // It can be read where it was written, and written again.
    assert_eq!(written.view().to_array().unwrap().as_slice(), src);
    fill(&mut written, 7).unwrap();
    let again: ViewMut<'_, u32> = fill(&mut dst, 8).unwrap();
    assert_eq!(again.view().to_array().unwrap().as_slice(), [8; 12]);
    let again: ViewMut<'_, u32> = view.copy_to(&mut dst).unwrap();
    assert_eq!(
        again.view().transpose().to_array().unwrap().as_slice()[..3],
        [0, 4, 8]
    );
}

#[test]
fn nothing_but_the_elements_is_written() {
    let src = numbers(24);
    let mut dst = vec![u32::MAX; 200];
    let layout = Layout::new(&[2, 3, 4], &[-60, 7, 21], 100).unwrap();
    let mut view = ViewMut::with_layout(&mut dst, layout.clone()).unwrap();
    copy(&View::from_slice(&src, &[2, 3, 4]).unwrap(), &mut view).unwrap();
    assert_eq!(elements(&dst, &layout), src);
    assert_eq!(dst.iter().filter(|&&x| x == u32::MAX).count(), 200 - 24);
}

#[test]
fn mutable_views_are_cut_reborrowed_and_read() {
    let mut data = vec![0; 24];
    let mut view = ViewMut::from_slice(&mut data, &[4, 6]).unwrap();
    let every_second = [Slice::from(..).step(2), Slice::from(1..)];
    fill(&mut view.reborrow().slice(&every_second).unwrap(), 3).unwrap();
    fill(
        &mut view.reborrow().transpose().index_axis(0, 0).unwrap(),
        5,
    )
    .unwrap();
    assert_eq!(
        view.view().index_axis(0, 2).unwrap().as_slice(),
        Some(&[5, 3, 3, 3, 3, 3][..])
    );
    let mut flat = view.reshape(&[24]).unwrap().flip(0).unwrap();
    copy(&View::from_slice(&numbers(24), &[24]).unwrap(), &mut flat).unwrap();
    assert_eq!((data[0], data[23]), (23, 0));
}

#[test]
fn arrays_start_on_a_line() {
    fn check<T: bytemuck::NoUninit + PartialEq + std::fmt::Debug>(value: T) {
        for len in [0, 1, 3, 64, 1000, (4 << 20) / size_of::<T>().max(1) + 1] {
            let mut array = Array::filled(&[len], value).unwrap();
            assert_eq!(array.as_slice().as_ptr().addr() % 64, 0, "{len}");
            assert_eq!((array.len(), array.is_empty()), (len, len == 0));
            assert!(array.as_slice().iter().all(|x| *x == value));
            assert!(array.as_mut_slice().len() == len && array.view().len() == len);
        }
    }
    check(7_u8);
    check([1_u8, 2, 3]);
    check(-3_i32);
    check(1.5_f64);
    check([9_u64; 4]);
    check(u128::MAX);
}

#[test]
fn arrays_are_views_of_themselves() {
    let mut array = Array::filled(&[2, 3], 1_u16).unwrap();
    fill(&mut array.view_mut().index_axis(1, 2).unwrap(), 9).unwrap();
    assert_eq!(array.as_slice(), [1, 1, 9, 1, 1, 9]);
    assert_eq!(
        array.transpose().to_array().unwrap().as_slice(),
        [1, 1, 1, 1, 9, 9]
    );
    let windows = array.as_strided(&[4, 3], &[1, 1], 0).unwrap();
    assert_eq!(
        windows.to_array().unwrap().as_slice(),
        [1, 1, 9, 1, 9, 1, 9, 1, 1, 1, 1, 9]
    );
    assert!(array.as_strided(&[5, 3], &[1, 1], 0).is_err());
    let point = array
        .slice(&[Slice::from(1..), Slice::from(2..)])
        .unwrap()
        .reshape(&[])
        .unwrap();
    assert_eq!(point.as_slice(), Some(&[9][..]));
}

#[test]
fn strided_copy_takes_slices_and_layouts() {
    let src = numbers(30);
    let from = Layout::new(&[3, 4], &[-2, 5], 10).unwrap();
    let to = Layout::column_major(&[3, 4]).unwrap();
    let mut dst = vec![0; 12];
    strided_copy(&src, &from, &mut dst, &to).unwrap();
    assert_eq!(elements(&dst, &to), elements(&src, &from));
    let mut room = vec![MaybeUninit::uninit(); 12];
    strided_copy(&src, &from, &mut room, &to).unwrap();
    // SAFETY: range: the copy wrote all twelve.
    let room: Vec<u32> = room
        .into_iter()
        .map(|x| unsafe { x.assume_init() })
        .collect();
    assert_eq!(room, dst);
}

#[test]
fn views_and_plans_cross_threads() {
    fn send_and_sync<T: Send + Sync>() {}
    send_and_sync::<View<'_, u32>>();
    send_and_sync::<ViewMut<'_, u32>>();
    send_and_sync::<ViewMut<'_, MaybeUninit<f64>>>();
    send_and_sync::<Array<u8>>();
    send_and_sync::<Contiguous<'_, u8>>();
    send_and_sync::<Layout>();
    send_and_sync::<Problem>();
    send_and_sync::<Plan>();
    send_and_sync::<Options>();
    send_and_sync::<Error>();
    // A cell may move to another thread but not be shared by two.
    fn send<T: Send>() {}
    send::<ViewMut<'_, std::cell::Cell<u32>>>();
    send::<Array<std::cell::Cell<u32>>>();
}

#[test]
fn a_plan_serves_other_offsets_and_alignments() {
    for cell in [1, 2, 3, 4, 8, 16] {
        let (rows, columns) = (9, 34);
        let shape = [rows, columns];
        let unit = cell as isize;
        let src_strides = [columns as isize * unit, unit];
        let dst_strides = [unit, rows as isize * unit];
        let problem = Problem::from_bytes(cell, &shape, &src_strides, &dst_strides).unwrap();
        let plan = Plan::new(&problem).unwrap();
        let len = cell * rows * columns;
        let src: Vec<u8> = (0..len + 64).map(|i| (i * 7 + i / 251) as u8).collect();
        for (from, to) in (0..64).map(|from| (from, (from * 29 + 3) % 64)) {
            let mut dst = vec![0xee_u8; len + 64];
            // SAFETY: range: both buffers have 63 bytes more than the cells need; aliasing: they
            // are two.
            unsafe { plan.run_raw(src.as_ptr().add(from), dst.as_mut_ptr().add(to)) };
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let got = &dst[to + cell * (i + rows * j)..][..cell];
                assert_eq!(
                    got,
                    &src[from + cell * (columns * i + j)..][..cell],
                    "{cell} {from} {to}"
                );
            }
            assert!(dst[..to].iter().chain(&dst[to + len..]).all(|&x| x == 0xee));
        }
    }
}

/// A promise about gaps is part of a plan: views that do not give it are refused.
#[test]
fn a_plan_that_reads_gaps_refuses_views_that_forbid_it() {
    let layout = Layout::new(&[8], &[3], 0).unwrap();
    let contiguous = Layout::row_major(&[8]).unwrap();
    let problem = Problem::new::<u32>(&layout, &contiguous).unwrap();
    let readable = Plan::new(
        &problem
            .clone()
            .with_source_gaps(restride::SourceGaps::Readable),
    );
    let (readable, forbidden) = (readable.unwrap(), Plan::new(&problem).unwrap());
    let data = numbers(24);
    // SAFETY: range: 7 steps of 3 stay inside 24 elements; aliasing: no one writes them.
    let bare = unsafe { View::from_raw_parts(data.as_ptr(), layout.clone()) };
    let whole = View::with_layout(&data, layout).unwrap();
    let mut dst = [0; 8];
    let mut view = ViewMut::from_slice(&mut dst, &[8]).unwrap();
    let (arg, what) = ("src", "promise about gaps");
    assert_eq!(
        readable.run(&bare, &mut view),
        Err(Error::StalePlan { arg, what })
    );
    assert_eq!(view.view().as_slice(), Some(&[0; 8][..]));
    for plan in [forbidden, readable] {
        plan.run(&whole, &mut view).unwrap();
        assert_eq!(
            view.view().as_slice(),
            Some(&[0, 3, 6, 9, 12, 15, 18, 21][..])
        );
    }
}

#[test]
fn a_view_is_made_of_the_first_address_and_strides() {
    let data = numbers(24);
    for (shape, strides, first) in [
        (&[4, 6][..], &[6, 1][..], 0),
        (&[4, 6], &[-6, -1], 23),
        (&[6, 4], &[1, -6], 18),
        (&[2, 3], &[-12, 2], 12),
        (&[3, 0], &[-5, 7], 4),
        (&[], &[], 9),
    ] {
        // SAFETY: all places are elements of `data`, which no one writes.
        let view = unsafe { View::from_ptr(&raw const data[first], shape, strides).unwrap() };
        let offset = data.len() + first; // of index [0, 0, ..] in a layout that may reach below it
        let doubled: Vec<u32> = (0..2 * data.len()).map(|i| (i % 24) as u32).collect();
        let layout = Layout::new(shape, strides, offset).unwrap();
        assert_eq!(
            view.to_array().unwrap().as_slice(),
            elements(&doubled, &layout)
        );
        assert_eq!(view, View::with_layout(&doubled, layout).unwrap());
    }
    let mut room = numbers(6);
    let last = &raw mut room[5];
    // SAFETY: the elements of `room` from the last one on backwards, which only this view reaches.
    let mut backwards = unsafe { ViewMut::from_ptr(last, &[6], &[-1]).unwrap() };
    copy(
        &View::from_slice(&numbers(6), &[6]).unwrap(),
        &mut backwards,
    )
    .unwrap();
    assert_eq!(room, [5, 4, 3, 2, 1, 0]);
    // SAFETY: nothing is made of strides that do not fit.
    let refused = unsafe { View::from_ptr(data.as_ptr(), &[3, 3], &[isize::MIN, isize::MIN]) };
    let (arg, axis) = ("strides", Some(0));
    let unit = restride::Unit::Element;
    assert_eq!(refused, Err(Error::OffsetOverflow { arg, axis, unit }));
    // SAFETY: as above.
    let refused = unsafe { View::from_ptr(data.as_ptr(), &[3, 3], &[-1]) };
    assert!(matches!(refused, Err(Error::RankMismatch { .. })));
}

#[test]
fn a_copy_takes_options() {
    let data = numbers(600 * 700);
    let turned = View::from_slice(&data, &[600, 700]).unwrap().transpose();
    for stores in [Stores::Auto, Stores::Cached, Stores::Streaming] {
        for par in [Par::Seq, Par::Threads(2)] {
            let options = Options {
                stores,
                par,
                ..Options::default()
            };
            let mut room = vec![MaybeUninit::<u32>::uninit(); data.len()];
            let mut dst = ViewMut::from_slice(&mut room, &[700, 600]).unwrap();
            let filled = copy_with(&turned, &mut dst, &options).unwrap();
            assert_eq!(filled.view(), turned, "{options:?}");
        }
    }
    let mut room = numbers(4);
    let mut dst = ViewMut::from_slice(&mut room, &[2, 2]).unwrap();
    let refused = copy_with(&turned, &mut dst, &Options::default());
    assert!(matches!(refused, Err(Error::ShapeMismatch { .. })));
}

#[test]
fn arrays_are_what_arrays_are_elsewhere() {
    fn crosses<T: Send + Sync>(_: &T) {}
    let data = numbers(6);
    let view = View::from_slice(&data, &[2, 3]).unwrap();
    let mut array = view.to_array().unwrap();
    crosses(&view.iter());
    crosses(&array.view_mut().iter_mut());
    assert_eq!(array.clone(), array);
    assert_eq!(array, view);
    assert_eq!(view, array);
    assert_eq!(array.as_ref(), data);
    (&mut array).into_iter().for_each(|element| *element += 1);
    assert!((&array).into_iter().eq(&[1, 2, 3, 4, 5, 6]));
    (&mut array.view_mut().transpose())
        .into_iter()
        .zip(0..)
        .for_each(|(to, i)| *to = i);
    assert_eq!(array.as_mut(), [0, 2, 4, 1, 3, 5]);
    // Ranges as they come, without the notation.
    let columns = view.slice(&[0..2, 1..3]).unwrap();
    assert!(columns.iter().eq(&[1, 2, 4, 5]));

    let same = view.to_contiguous().unwrap();
    assert_eq!((same.shape(), same[4]), (&[2, 3][..], 4));
    assert_eq!(same.into_array().unwrap(), view);
    let turned = view.transpose().to_contiguous().unwrap();
    assert_eq!(turned.view(), view.transpose());
    assert_eq!((turned.shape(), turned.first()), (&[3, 2][..], Some(&0)));
    assert_eq!(turned.into_array().unwrap(), view.transpose());
}

#[test]
fn refusals_say_what_is_wrong() {
    let four = Layout::row_major(&[2, 2]).unwrap();
    let none = Layout::row_major(&[0, 2]).unwrap();
    let point = Layout::row_major(&[]).unwrap();
    let line = Layout::row_major(&[6]).unwrap();
    let says = |error: Error, text: &str| assert_eq!(error.to_string(), text);
    says(
        point.pack(2).unwrap_err(),
        "self: axis 0 where the rank is 0",
    );
    says(
        four.reshape(&[INFER, INFER]).unwrap_err(),
        "shape: more than one extent is to be inferred",
    );
    says(
        none.reshape(&[INFER, 0]).unwrap_err(),
        "shape: the extent to be inferred could be any, as there is no element",
    );
    says(
        four.reshape(&[3]).unwrap_err(),
        "shape: 3 elements where there are 4",
    );
    says(
        four.diagonal(1, 1).unwrap_err(),
        "(a, b)[1]: axis 1 stands twice",
    );
    says(
        line.slice(&s![2..40]).unwrap_err(),
        "slice.end, axis 0: reaches 40, allowed is 2..7",
    );
    says(
        line.slice(&s![9]).unwrap_err(),
        "index, axis 0: reaches 9, allowed is -6..6",
    );
    says(
        Problem::new::<u8>(&line, &four).unwrap_err(),
        "dst: 2 axes where there are 1",
    );
    let crossed = Layout::new(&[4, 2, 3], &[6, 3, 1], 0)
        .unwrap()
        .permute(&[1, 0, 2])
        .unwrap();
    let axis = |got: Result<Layout, Error>| match got {
        Err(Error::ReshapeNeedsCopy { axis }) => axis,
        other => panic!("{other:?}"),
    };
    assert_eq!(axis(crossed.reshape(&[8, 3])), 0);
    let crossed = crossed.transpose();
    assert_eq!(axis(crossed.reshape_column_major(&[3, 8])), 1);
}

/// Long axes are not walked to be left out, and of what has no element as few rows are shown as of what has.
#[test]
fn what_is_left_out_takes_no_time() {
    let long = 1 << 60;
    let one = View::as_strided(&[7], &[long], &[0], 0).unwrap();
    assert_eq!(one.to_string(), "[7, 7, 7, ..., 7, 7, 7]");
    let none = View::<u8>::as_strided(&[], &[long, 0], &[0, 0], 0).unwrap();
    assert_eq!(none.to_string().matches("[]").count(), 6);
    let none = View::<u8>::as_strided(&[], &[3, 0], &[0, 0], 0).unwrap();
    assert_eq!(none.to_string(), "[[],\n [],\n []]");
}
