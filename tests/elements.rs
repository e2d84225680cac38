//! Single elements of views, views taken apart, and elements repacked, as their users meet them.

use std::sync::atomic::{AtomicUsize, Ordering};

use restride::{Array, Layout, NewAxis, View, ViewMut, copy, fill, s};

/// An allocator that counts, per thread so that tests do not see each other.
struct Counting;

thread_local! {
    static ALLOCATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    static FREED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

static ALL: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        ALL.fetch_add(1, Ordering::Relaxed);
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: passed on.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: std::alloc::Layout) {
        let _ = FREED.try_with(|count| count.set(count.get() + 1));
        // SAFETY: passed on.
        unsafe { std::alloc::System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often `work` allocates.
fn allocations<R>(work: impl FnOnce() -> R) -> usize {
    let before = ALLOCATIONS.get();
    std::hint::black_box(work());
    ALLOCATIONS.get() - before
}

#[test]
fn what_is_allocated_is_freed() {
    for shape in [vec![3, 4], vec![2; 8], vec![2; 9], vec![1; 20]] {
        let freed = || FREED.with(std::cell::Cell::get);
        let before = freed();
        let allocated = allocations(|| {
            let numbers = vec![1_u16; shape.iter().product()];
            let view = View::from_slice(&numbers, &shape).unwrap().transpose();
            let array = view.to_array().unwrap();
            let twice = restride::concat(&[array.view(), array.clone().view()], 0).unwrap();
            assert_eq!(twice.len(), 2 * view.len());
            assert_eq!(Array::filled(view.shape(), 1_u16).unwrap(), view);
        });
        assert_eq!(freed() - before, allocated, "rank {}", shape.len());
    }
}

#[test]
fn nothing_is_allocated_up_to_rank_8() {
    let data: Vec<u8> = (0..=255).collect();
    let view = View::from_slice(&data, &[2; 8]).unwrap();
    let small = View::from_slice(&data, &[4, 8, 8]).unwrap();
    let (a, b) = (view.layout().flip(3).unwrap(), view.layout().clone());
    let hard = Layout::new(&[4, 4], &[3, 4], 0).unwrap();
    let checks: [(&str, usize); 24] = [
        ("clone", allocations(|| view.clone())),
        (
            "permute",
            allocations(|| view.permute(&[7, 0, 6, 1, 5, 2, 4, 3])),
        ),
        ("transpose", allocations(|| view.transpose())),
        ("swap_axes", allocations(|| view.swap_axes(0, 7))),
        ("move_axis", allocations(|| view.move_axis(0, 7))),
        (
            "slice",
            allocations(|| small.slice(&s![1.., ..;-2, 3, NewAxis])),
        ),
        ("index_axis", allocations(|| view.index_axis(3, 1))),
        ("narrow", allocations(|| view.narrow(3, 1, 1))),
        ("flip", allocations(|| view.flip(3))),
        (
            "reshape",
            allocations(|| small.reshape(&[2, 2, 2, 2, 2, 2, 2, 2])),
        ),
        ("flatten", allocations(|| small.flatten())),
        ("unsqueeze", allocations(|| small.unsqueeze(1))),
        ("diagonal", allocations(|| view.diagonal(1, 4))),
        (
            "broadcast_to",
            allocations(|| small.broadcast_to(&[3, 3, 3, 3, 3, 4, 8, 8])),
        ),
        ("broadcast_with", allocations(|| view.broadcast_with(&view))),
        (
            "windows",
            allocations(|| small.index_axis(0, 0).unwrap().windows(&[3, 3])),
        ),
        ("split_at", allocations(|| view.split_at(2, 1))),
        ("chunks", allocations(|| view.chunks(2, 1).unwrap().count())),
        ("unbind", allocations(|| view.unbind(2).unwrap().count())),
        (
            "get",
            allocations(|| *view.get(&[1, 0, 1, 0, 1, 0, 1, 0]).unwrap()),
        ),
        (
            "iter",
            allocations(|| view.iter().map(|&x| u32::from(x)).sum::<u32>()),
        ),
        ("overlaps", allocations(|| a.overlaps(&b))),
        ("overlaps_itself", allocations(|| hard.overlaps_itself())),
        (
            "pack and unpack",
            allocations(|| small.pack::<8>().unwrap().unpack()),
        ),
    ];
    for (name, count) in checks {
        assert_eq!(count, 0, "{name} allocates");
    }
    // The counter counts.
    assert_eq!(allocations(|| vec![1]), 1);
    assert!(allocations(|| small.broadcast_to(&[1, 1, 1, 1, 1, 1, 4, 8, 8])) > 0);
}

#[test]
fn elements_by_index_and_in_order() {
    let data: Vec<u32> = (0..24).collect();
    let view = View::from_slice(&data, &[2, 3, 4]).unwrap();
    let turned = view.permute(&[2, 0, 1]).unwrap().flip(1).unwrap();
    let mut seen = Vec::new();
    for i in 0..4 {
        for j in 0..2 {
            for k in 0..3 {
                let want = ((1 - j) * 12 + k * 4 + i) as u32;
                assert_eq!(turned.get(&[i, j, k]), Some(&want));
                assert_eq!(turned[[i, j, k]], want);
                seen.push(want);
            }
        }
    }
    assert!(turned.iter().eq(&seen) && (&turned).into_iter().len() == 24);
    assert_eq!(turned.get(&[0, 0]), None);
    assert_eq!(turned.get(&[4, 0, 0]), None);
    let array = turned.to_array().unwrap();
    assert_eq!(array.as_slice(), seen);
    assert_eq!(array[[3, 1, 2]], turned[[3, 1, 2]]);
    assert_eq!(array.view(), turned);
    assert_ne!(array.view(), turned.flip(0).unwrap());
    assert_ne!(
        array.view(),
        turned.reshape(&[4, 6]).unwrap_or(view.clone())
    );
}

#[test]
#[should_panic(expected = "no index [0, 3] in shape [2, 3]")]
fn an_index_that_is_not_there_panics() {
    let view = View::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let _ = view[[0, 3]];
}

#[test]
#[should_panic(expected = "no index [6] in shape [2, 3]")]
fn an_index_of_another_rank_panics() {
    let mut data = [0; 6];
    ViewMut::from_slice(&mut data, &[2, 3]).unwrap()[[6]] = 1;
}

#[test]
fn elements_are_written_where_they_stand() {
    let mut array = Array::filled(&[3, 4], 0_u16).unwrap();
    array[[1, 2]] = 7;
    *array.get_mut(&[2, 3]).unwrap() = 8;
    assert_eq!(array.get_mut(&[3, 0]), None);
    let mut view = array.view_mut().transpose();
    view.iter_mut().for_each(|x| *x += 1);
    view[[0, 0]] = 9;
    assert_eq!(array.as_slice(), [9, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 9]);
}

/// The parts of a mutable view are written from several threads, and what lies between the elements of
/// one part, which belongs to others, arrives nowhere.
#[test]
fn parts_of_a_view_are_independent() {
    let mut data = vec![0_u32; 40 * 33];
    let whole = ViewMut::from_slice(&mut data, &[40, 33]).unwrap();
    std::thread::scope(|scope| {
        for (number, mut column) in whole.unbind(1).unwrap().enumerate() {
            scope.spawn(move || fill(&mut column, number as u32).unwrap());
        }
    });
    assert!(data.iter().enumerate().all(|(i, &x)| x as usize == i % 33));

    let whole = ViewMut::from_slice(&mut data, &[40, 33]).unwrap();
    let (left, mut right) = whole.split_at(1, 16).unwrap();
    // Read from one, written to the other: no gap of either may be touched.
    copy(
        &left.view(),
        &mut right.reborrow().narrow(1, 1, 16).unwrap(),
    )
    .unwrap();
    assert_eq!(right[[7, 0]], 16);
    assert!((0..16).all(|j| right[[39, j + 1]] as usize == j));

    let whole = ViewMut::from_slice(&mut data, &[40, 33]).unwrap();
    let mut parts: Vec<ViewMut<'_, u32>> = whole.chunks(0, 7).unwrap().rev().collect();
    assert_eq!(
        parts.iter().map(|part| part.shape()[0]).collect::<Vec<_>>(),
        [5, 7, 7, 7, 7, 7]
    );
    for (number, part) in parts.iter_mut().enumerate() {
        fill(part, number as u32).unwrap();
    }
    assert!(
        data.iter()
            .enumerate()
            .all(|(i, &x)| x as usize == 5 - i / 33 / 7)
    );
}

#[test]
fn pixels_and_their_parts() {
    let mut bytes: Vec<u8> = (0..60).collect();
    let image = View::from_slice(&bytes[..], &[4, 5, 3]).unwrap();
    let pixels = image.pack::<3>().unwrap();
    assert_eq!(
        (pixels.shape(), pixels[[1, 2]]),
        (&[4, 5][..], [21, 22, 23])
    );
    assert_eq!(pixels.unpack().unwrap(), image);
    // From the second byte on: an offset that is no whole pixel.
    let moved = View::as_strided(&bytes, &[3, 3], &[3, 1], 4).unwrap();
    assert_eq!(moved.pack::<3>().unwrap().get(&[2]), Some(&[10, 11, 12]));
    assert!(image.slice(&s![.., .., ..2]).unwrap().pack::<3>().is_err());
    assert!(image.permute(&[2, 0, 1]).unwrap().pack::<5>().is_err());
    // No bytes at all, and no elements.
    assert_eq!(
        image
            .slice(&s![.., .., ..0])
            .unwrap()
            .pack::<0>()
            .unwrap()
            .shape(),
        [4, 5]
    );
    let none = image.slice(&s![..0, .., ..]).unwrap();
    assert_eq!(none.pack::<3>().unwrap().shape(), [0, 5]);

    let whole = ViewMut::from_slice(&mut bytes, &[4, 5, 3]).unwrap();
    let mut pixels = whole.pack::<3>().unwrap().transpose();
    pixels[[0, 3]] = [1, 2, 3];
    let mut parts = pixels.unpack().unwrap();
    parts[[4, 3, 0]] = 200;
    assert_eq!((&bytes[45..48], bytes[57]), (&[1, 2, 3][..], 200));
}

#[test]
fn views_are_shown_as_rows() {
    let data: Vec<i32> = (0..2000).collect();
    let show = |shape: &[usize]| View::from_slice(&data, shape).unwrap().to_string();
    assert_eq!(show(&[]), "0");
    assert_eq!(show(&[3]), "[0, 1, 2]");
    assert_eq!(show(&[2, 0]), "[[],\n []]");
    assert_eq!(
        show(&[2, 2, 2]),
        "[[[0, 1],\n  [2, 3]],\n [[4, 5],\n  [6, 7]]]"
    );
    assert_eq!(show(&[2000]), "[0, 1, 2, ..., 1997, 1998, 1999]");
    assert_eq!(
        show(&[2, 1000]).lines().last(),
        Some(" [1000, 1001, 1002, ..., 1997, 1998, 1999]]")
    );
    let view = View::from_slice(&["a", "b"], &[2, 1]).unwrap().transpose();
    let shown = "[[\"a\", \"b\"]], shape [1, 2], strides [1, 1], offset 0";
    assert_eq!(format!("{view:?}"), shown);
    assert_eq!(
        format!("{:4.1}", View::from_slice(&[0.25, 1.0], &[2]).unwrap()),
        "[ 0.2,  1.0]"
    );
    let array = Array::filled(&[2, 1], 5).unwrap();
    assert_eq!(
        (array.to_string(), format!("{array:?}").len() > 10),
        ("[[5],\n [5]]".into(), true)
    );
}
