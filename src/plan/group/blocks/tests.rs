use super::*;

const MOST: Shuffled = Shuffled {
    following: 256,
    apart: 256,
    loose: 64,
    triples: 1,
    masks: true,
};

fn dim(extent: usize, src: isize, dst: isize) -> Dim {
    Dim { extent, src, dst }
}

#[test]
fn loose_blocks_are_what_a_register_takes_of_both_sides() {
    // Gray to RGB, and 3x3 of a matrix of 4x4.
    assert_eq!(loose(1, &[dim(3, 0, 1), dim(1000, 1, 3)], 0, MOST), Some(1));
    let small = [dim(3, 16, 4), dim(3, 4, 12), dim(100, 64, 36)];
    assert_eq!(loose(4, &small, 0, MOST), Some(2));
    // 4x4 of one of 5x5 span more; so do blocks whose cells are far apart.
    let large = [dim(4, 20, 4), dim(4, 4, 16), dim(100, 100, 64)];
    assert_eq!(loose(4, &large, 0, MOST), None);
    assert_eq!(loose(1, &[dim(3, 62, 1), dim(1000, 1, 3)], 0, MOST), None);
    // Blocks that do not follow each other in the destination; registers that take none.
    assert_eq!(loose(1, &[dim(3, 0, 1), dim(1000, 1, 4)], 0, MOST), None);
    let none = Shuffled { loose: 0, ..MOST };
    assert_eq!(loose(1, &[dim(3, 0, 1), dim(1000, 1, 3)], 0, none), None);
}

#[test]
fn few_blocks_are_not_worth_finding_out_where_their_cells_go() {
    let triples = |extent| loose(1, &[dim(3, 0, 1), dim(extent, 1, 3)], 0, MOST);
    assert_eq!((triples(47), triples(48)), (None, Some(1)));
    // Filled, but apart in the source.
    let pixels = |extent| filling(1, &[dim(3, -1, 1), dim(extent, 4, 3)], MOST);
    assert_eq!((pixels(79), pixels(80)), (None, Some(1)));
    let following = |extent| filling(1, &[dim(3, -1, 1), dim(extent, 3, 3)], MOST);
    assert_eq!((following(7), following(8)), (None, Some(1)));
}

#[test]
fn fewer_are_where_panels_are_many() {
    let gray = |pixels, rows, most| {
        let dims = [dim(3, 0, 1), dim(pixels, 1, 3), dim(rows, 1000, 3000)];
        assert_eq!(loose(1, &dims, 0, most), None);
        loose_of_many(1, &dims, most)
    };
    assert_eq!([3, 4].map(|pixels| gray(pixels, 4, MOST)), [None, Some(1)]);
    assert_eq!([3, 4].map(|rows| gray(4, rows, MOST)), [None, Some(1)]);
    let no_masks = Shuffled {
        masks: false,
        ..MOST
    };
    let found = [5, 6].map(|pixels| gray(pixels, 4, no_masks));
    assert_eq!(found, [None, Some(1)]);
    // Cells that are blocks.
    let fives = |cells| loose_of_many(5, &[dim(cells, -5, 5), dim(4, 1000, 500)], MOST);
    assert_eq!([15, 16].map(fives), [None, Some(0)]);
}

#[test]
fn cells_are_blocks_where_three_lie_in_a_register_and_have_no_rows_of_their_own() {
    let cells =
        |cell: usize, extent, step| loose(cell, &[dim(extent, step, cell as isize)], 0, MOST);
    assert_eq!((cells(5, 255, 8), cells(5, 256, 8)), (None, Some(0)));
    assert_eq!((cells(9, 256, 27), cells(9, 256, 28)), (Some(0), None));
    // RGB of RGBA, mirrored, and every second one; cells of powers of two.
    assert!(
        [4, -3, 6]
            .iter()
            .all(|&step| cells(3, 1000, step).is_none())
    );
    assert_eq!((cells(3, 1000, 8), cells(4, 1000, 5)), (Some(0), None));
    // Registers of half a line, and no such rows: ten cells of three bytes, five of six, but two of twelve.
    let half = Shuffled {
        loose: 32,
        triples: usize::MAX,
        ..MOST
    };
    let mirrored = |cell: usize, most| {
        let dims = [dim(1000, -(cell as isize), cell as isize)];
        loose(cell, &dims, 0, most)
    };
    let of_half = [3, 6, 12].map(|cell| mirrored(cell, half));
    assert_eq!(of_half, [Some(0), Some(0), None]);
    // Rows for parts of two bytes, but not of one.
    let of_two = Shuffled { triples: 2, ..half };
    assert_eq!([3, 6].map(|cell| mirrored(cell, of_two)), [Some(0), None]);
    // One that fills little, and more.
    assert_eq!((cells(5, 3000, 0), cells(5, 4000, 0)), (None, Some(0)));
}
