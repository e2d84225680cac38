use std::sync::Arc;

use restride_kernels::{Isa, SourceGaps};

use super::*;
use crate::machine::Facts;
use crate::plan::recipe::{PanelPlan, RowPlan};

fn dim(extent: usize, src: isize, dst: isize) -> Dim {
    Dim { extent, src, dst }
}

fn of_cells_of_four(dims: &[Dim]) -> Form<'_> {
    Form {
        cell: 4,
        dims,
        src_shift: 0,
        dst_shift: 0,
        listed: None,
        listed_dst: None,
        bytes: 4 * dims.iter().map(|dim| dim.extent).product::<usize>(),
    }
}

/// A copy of so many bytes, through the caches.
fn grow(bytes: usize) -> Grow {
    Grow::of(
        bytes,
        &Facts::of_a_server(Isa::Scalar),
        (Isa::Scalar, SourceGaps::Forbidden),
        false,
    )
}

#[test]
fn a_table_lists_the_innermost_dimension_first() {
    let mut group = Group::new();
    group.start(dim(2, 1, 100));
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
    let dims: Dims = (0..12).map(|i| dim(2, 4 << (11 - i), 4 << i)).collect();
    let normal = of_cells_of_four(&dims);
    let (mut dealt, mut loops) = (PanelDims::new(), Dims::new());
    dealt.crossed(&normal, 11, grow(4 << 12));
    dealt.put_loops(normal.dims, &mut loops);
    assert_eq!((dealt.cols.len, dealt.rows.len, loops.len()), (32, 128, 0));
    assert!(dealt.rows.more.iter().all(|dim| dim.src < 4 * 128));
}

#[test]
fn short_columns_grow_where_the_copy_does_not_feel_a_table() {
    // [rows, y, x] of planes of four cells, three of them or as many as are given, to pixels in rows.
    let dealt = |y: usize, planes: usize| {
        let (row, plane) = (4 * 64, 4 * 64 * y as isize);
        let pixel = 4 * planes as isize;
        let dims: Dims = [
            dim(planes, plane, 4),
            dim(y, row, pixel),
            dim(64, 4, pixel * y as isize),
        ]
        .into_iter()
        .collect();
        let normal = of_cells_of_four(&dims);
        let mut dealt = PanelDims::new();
        dealt.crossed(&normal, 2, grow(normal.bytes));
        (dealt.rows.len, dealt.cols.len)
    };
    assert_eq!(dealt(128, 3), (64, 384));
    assert_eq!(dealt(128, 16), (64, 16), "a line");
    assert_eq!(dealt(20, 3), (64, 3), "15 KiB");
    assert_eq!(dealt(22, 3), (64, 66));
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

#[test]
fn few_cells_are_moved_with_the_longest_dimension() {
    let panel = |dims: &[Dim]| {
        let mut dealt = PanelDims::new();
        dealt.apart(&of_cells_of_four(dims), 1);
        (dealt.rows.first.unwrap(), dealt.cols.first.unwrap())
    };
    // The shorter one of both gives way, but not to one that repeats a cell, and not if they are enough.
    let [b, a] = [dim(3, 4000, 4), dim(2, 8, 12)];
    let (long, repeated) = (dim(60, 16, 24), dim(70, 0, 24));
    assert_eq!(panel(&[b, a, long]), (long, b));
    assert_eq!(panel(&[dim(2, 4000, 4), b, long]), (b, long));
    assert_eq!(panel(&[b, a, repeated]), (a, b));
    let many = dim(100, 8, 12);
    assert_eq!(panel(&[b, many, dim(200, 800, 1200)]), (many, b));
    // Nor to one whose panel is more than a cache keeps.
    let rest = dim(1000, 16 * 600, 24 * 600);
    assert_eq!(panel(&[b, a, long, rest]), (long, b));
}

#[test]
fn fewer_cells_than_an_interleave_wants_are_few() {
    let few = |rows, cols, cell| {
        let mut dealt = PanelDims::new();
        dealt.crossed_pair(&[dim(cols, 4000, 4), dim(rows, 4, 12)], 1);
        dealt.are_few(cell)
    };
    assert!(few(2, 3, 4) && few(7, 3, 4) && few(2, 2, 8));
    assert!(!few(8, 3, 4) && !few(4, 4, 4) && !few(2, 4, 8));
}

/// Rows and columns of a panel of such cells that is streamed, by the size of the third-level cache in MiB.
fn streamed(cell: usize, dims: &[Dim], a: usize, l3: usize) -> (usize, usize) {
    let bytes = cell * dims.iter().map(|dim| dim.extent).product::<usize>();
    let normal = Form {
        cell,
        bytes,
        ..of_cells_of_four(dims)
    };
    let mut facts = Facts::of_a_server(Isa::Scalar);
    facts.caches.l3 = l3 << 20;
    let mut dealt = PanelDims::new();
    dealt.crossed(
        &normal,
        a,
        Grow::of(bytes, &facts, (facts.isa, SourceGaps::Forbidden), true),
    );
    (dealt.rows.len, dealt.cols.len)
}

/// 48x352x4x28x28 [1, 3, 0, 4, 2], f32, innermost first.
#[test]
fn short_source_rows_lengthen_destination_rows_beside_a_near_cache() {
    let dims = [
        dim(352, 192, 4),
        dim(28, 270_336, 1408),
        dim(48, 4, 39_424),
        dim(28, 7_569_408, 1_892_352),
        dim(4, 67_584, 52_985_856),
    ];
    assert_eq!(streamed(4, &dims, 2, 480), (48, 352));
    assert_eq!(streamed(4, &dims, 2, 32), (48, 352 * 28));
}

/// f64 of 9 to 13, of which rows cut lines.
#[test]
fn source_rows_have_two_lines_before_destination_rows_that_cut_lines_are_long() {
    let dims = [
        dim(10, 11_232, 8),
        dim(13, 864, 80),
        dim(12, 112_320, 1040),
        dim(9, 96, 12_480),
        dim(11, 1_347_840, 112_320),
        dim(12, 8, 1_235_520),
    ];
    assert_eq!(streamed(8, &dims, 5, 480), (12 * 9, 10 * 13 * 12));
    // Not before those are 2 KiB.
    let dims = [
        dim(10, 11_232, 8),
        dim(11, 1_347_840, 80),
        dim(9, 96, 880),
        dim(12, 112_320, 7920),
        dim(12, 8, 95_040),
        dim(13, 864, 1_140_480),
    ];
    assert_eq!(streamed(8, &dims, 4, 480), (12, 10 * 11 * 9 * 12));
}

/// Four axes reversed, in cells of four bytes: both sides take what they continue with, in turn.
#[test]
fn small_panels_have_nests_of_two_dimensions_a_side() {
    let dims: Dims = (0..4)
        .map(|i| dim(4, 4 << (6 - 2 * i), 4 << (2 * i)))
        .collect();
    let normal = of_cells_of_four(&dims);
    let mut dealt = PanelDims::new();
    dealt.crossed(&normal, 3, grow(1024));
    let mut panel = PanelPlan::of(&dealt.panel(Pairing::Crossed, 4, 1));
    dealt.tables(panel.pairing, [&mut panel.src.rows, &mut panel.dst.rows]);
    assert!(!dealt.leaves(normal.dims));
    assert_eq!((panel.rows, panel.cols), (16, 16));
    for rows in [panel.src.rows, panel.dst.rows] {
        let RowPlan::Nested(nest) = rows else {
            panic!("{rows:?} is no nest");
        };
        assert_eq!(nest.extents(), [4, 4, 1]);
        assert_eq!(nest.strides(), [256, 64, 0]);
    }
}

/// Rows of a panel of runs of so many bytes, through the caches.
fn rows_of_runs(dims: &[Dim], bytes: usize) -> usize {
    let mut dealt = PanelDims::new();
    dealt.runs(dims, bytes, grow(1 << 22));
    dealt.panel(Pairing::Straight, 1, bytes).rows
}

#[test]
fn few_runs_leave_the_rows_to_many() {
    let runs = |few, many| {
        let next = few as isize * 128;
        [dim(few, 1 << 16, 128), dim(many, 128, next)]
    };
    for (few, many, bytes, rows) in [
        (2, 64, 128, 64),
        (15, 60, 128, 60),
        (15, 59, 128, 15),
        (16, 512, 128, 16),
        (7, 200, 40, 200),
        (7, 512, 40, 7),
        (8, 512, 40, 8),
    ] {
        assert_eq!(rows_of_runs(&runs(few, many), bytes), rows, "{few} {many}");
    }
    assert_eq!(rows_of_runs(&runs(3, 1)[..1], 128), 3);
}

/// Runs that are permuted: what the destination continues with needs no table.
#[test]
fn a_nest_that_goes_on_is_a_stride() {
    let dims: Dims = [dim(4, 256, 32), dim(8, 32, 128)].into_iter().collect();
    let mut dealt = PanelDims::new();
    dealt.straight(&dims, None, grow(1024));
    let mut panel = PanelPlan::of(&dealt.panel(Pairing::Straight, 1, 32));
    dealt.tables(panel.pairing, [&mut panel.src.rows, &mut panel.dst.rows]);
    assert_eq!((panel.rows, &panel.dst.rows), (32, &RowPlan::Stride(32)));
    assert!(matches!(panel.src.rows, RowPlan::Nested(_)));
}
