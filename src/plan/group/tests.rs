use super::*;

fn dim(extent: usize, src: isize, dst: isize) -> Dim {
    Dim { extent, src, dst }
}

#[test]
fn a_table_lists_the_innermost_dimension_first() {
    let mut group = Group::of(dim(2, 1, 100));
    group.push(dim(3, 10, -7));
    assert_eq!(
        group.table(|dim| dim.src),
        RowPlan::Offsets(Arc::from([0, 1, 10, 11, 20, 21]))
    );
    assert_eq!(
        group.table(|dim| dim.dst),
        RowPlan::Offsets(Arc::from([0, 100, -7, 93, -14, 86]))
    );
}

#[test]
fn many_small_axes_become_two_long_ones() {
    // 12 axes of 2, reversed, in 4-byte cells.
    let dims = (0..12).map(|i| dim(2, 4 << (11 - i), 4 << i)).collect();
    let normal = Normal {
        cell: 4,
        dims,
        src_shift: 0,
        dst_shift: 0,
        listed: None,
        listed_dst: None,
    };
    let (mut dealt, mut loops) = (PanelDims::new(), Dims::new());
    let (line, streaming) = (64, false);
    dealt.crossed(&normal, 11, Grow { line, streaming });
    dealt.put_loops(&normal.dims, &mut loops);
    assert_eq!((dealt.cols.len, dealt.rows.len, loops.len()), (32, 128, 0));
    assert!(dealt.rows.more.iter().all(|dim| dim.src < 4 * 128));
}

#[test]
fn rows_read_backwards_are_walked_from_their_other_end() {
    let dims: Dims = [dim(5, 40, 4), dim(7, -4, 20)].into_iter().collect();
    let mut dealt = PanelDims::new();
    dealt.crossed_pair(&dims, 1);
    assert_eq!(dealt.rows.first, Some(dim(7, 4, -20)));
    assert!(dealt.rows.more.is_empty());
    assert_eq!((dealt.src_shift, dealt.dst_shift), (-24, 120));
}
