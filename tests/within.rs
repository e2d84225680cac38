//! Copies in one buffer that are large enough for every way they go, on 1, 2 and 4 threads.

use restride::{Layout, Options, Par, Slice, copy_within, copy_within_with, s};

/// The result, and what it is if the source is copied away first.
fn check<T: bytemuck::NoUninit + PartialEq>(data: &[T], src: &Layout, dst: &Layout) {
    let mut want = data.to_vec();
    for (from, to) in src.places().zip(dst.places()) {
        want[to] = data[from];
    }
    for par in [Par::Seq, Par::Threads(2), Par::Threads(4), Par::Auto] {
        let options = Options {
            par,
            ..Options::default()
        };
        let mut got = data.to_vec();
        copy_within_with(&mut got, src, dst, &options).unwrap();
        assert!(got == want, "{src:?} to {dst:?}, {par:?}");
    }
}

fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect()
}

const LARGE: usize = if cfg!(debug_assertions) {
    200_000
} else {
    3_000_000
};

#[test]
fn shifts_up_and_down() {
    let data = numbers(LARGE);
    for by in [1, 3, 1000, LARGE / 3] {
        for step in [1, 2, -3] {
            let count = (LARGE - by) / 3;
            let first = if step < 0 { 3 * (count - 1) } else { 0 };
            let low = Layout::new(&[count], &[step], first).unwrap();
            let high = Layout::new(&[count], &[step], first + by).unwrap();
            check(&data, &low, &high);
            check(&data, &high, &low);
        }
    }
}

#[test]
fn parts_of_a_matrix_onto_each_other() {
    let side = LARGE.isqrt();
    let data = numbers(side * side);
    let matrix = Layout::row_major(&[side, side]).unwrap();
    let part = |rows: Slice, cols: Slice| matrix.slice(&[rows, cols]).unwrap();
    let n = side as isize;
    for (from, to) in [
        (s![1.., ..], s![..-1, ..]),
        (s![..-1, ..], s![1.., ..]),
        (s![.., 1..], s![.., ..-1]),
        (s![..-5, ..-3], s![5.., 3..]),
        (s![..-5, 3..], s![5.., ..-3]),
        // Interleaved, and not quite.
        (s![..n - n % 2;2, ..], s![1..;2, ..]),
        (s![..;-1, ..], s![.., ..]),
        (s![..;-1, 1..], s![.., ..-1]),
    ] {
        check(
            &data,
            &matrix.slice(&from).unwrap(),
            &matrix.slice(&to).unwrap(),
        );
    }
    // A part onto its own transpose, and onto the transpose of its neighbour.
    let square = part(Slice::from(..n / 2), Slice::from(..n / 2));
    check(&data, &square, &square.transpose());
    let beside = part(Slice::from(..n / 2), Slice::from(10..n / 2 + 10));
    check(&data, &beside, &square.transpose());
}

#[test]
fn strides_that_differ() {
    let data = numbers(LARGE);
    let count = LARGE / 4;
    for (src, dst) in [
        ((2, 0), (1, 1)),
        ((1, 1), (2, 0)),
        ((3, 5), (2, 0)),
        ((-1, count), (1, 0)),
    ] {
        let (from, to) = (
            Layout::new(&[count], &[src.0], src.1).unwrap(),
            Layout::new(&[count], &[dst.0], dst.1).unwrap(),
        );
        check(&data, &from, &to);
    }
    // One row everywhere, itself among them.
    let row = Layout::new(&[300, 400], &[0, 1], 7 * 400).unwrap();
    check(&data, &row, &Layout::row_major(&[300, 400]).unwrap());
}

#[test]
fn matrices_onto_their_transposes() {
    fn both<const N: usize>(shape: [usize; 3]) {
        let len: usize = shape.iter().product();
        let data: Vec<[u8; N]> = (0..len).map(|i| [(i * 7 % 253) as u8; N]).collect();
        let src = Layout::row_major(&shape).unwrap();
        let dst = Layout::row_major(&[shape[0], shape[2], shape[1]]).unwrap();
        check(&data, &src, &dst.swap_axes(1, 2).unwrap());
        // The matrices side by side in memory.
        let src = Layout::row_major(&[shape[1], shape[2], shape[0]]).unwrap();
        let dst = Layout::row_major(&[shape[2], shape[1], shape[0]]).unwrap();
        check(&data, &src, &dst.swap_axes(0, 1).unwrap());
    }
    for shape in [[1, 200, 200], [3, 65, 65], [2, 300, 128], [5, 17, 90]] {
        both::<1>(shape);
        both::<2>(shape);
        both::<3>(shape);
        both::<4>(shape);
        both::<8>(shape);
        both::<16>(shape);
    }
    if !cfg!(debug_assertions) {
        both::<4>([1, 1500, 1500]);
        both::<8>([1, 1024, 1024]);
        both::<4>([2, 1500, 700]);
    }
}

#[test]
fn nothing_and_everything() {
    let data = numbers(100);
    let all = Layout::row_major(&[100]).unwrap();
    check(&data, &all, &all);
    let none = Layout::row_major(&[0, 5]).unwrap();
    check(&data, &none, &none);
    let point = Layout::new(&[], &[], 7).unwrap();
    check(&data, &point, &Layout::new(&[], &[], 9).unwrap());
    let mut units = [(); 5];
    copy_within(
        &mut units,
        &Layout::row_major(&[5]).unwrap(),
        &Layout::row_major(&[5]).unwrap(),
    )
    .unwrap();
}
