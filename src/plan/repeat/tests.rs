use restride_kernels::Isa;

use super::*;

/// A dimension: extent, source stride, destination stride.
fn dim((extent, src, dst): (usize, isize, isize)) -> Dim {
    Dim { extent, src, dst }
}

fn dims(all: &[(usize, isize, isize)]) -> Dims {
    all.iter().copied().map(dim).collect()
}

#[test]
fn what_the_cache_keeps_is_one_piece() {
    let own = dims(&[(100, 400, 4), (64, 4, 400)]);
    let pieces = Pieces::of(&own, 4, 32 << 10).unwrap();
    assert_eq!((pieces.count(), &pieces.dims), (1, &own));
    assert_eq!((pieces.loops.len(), pieces.left), (0, None));
}

#[test]
fn what_it_does_not_keep_is_dealt_out_evenly_and_the_rest_is_left_over() {
    let own = dims(&[(100, 804, 4), (201, 4, 400), (3, 80_400, 80_400)]);
    // At most 81 of 201: three of 67, and nothing is left.
    let even = Pieces::of(&own, 4, 81 * 400).unwrap();
    assert_eq!(even.dims, dims(&[(100, 804, 4), (67, 4, 400)]));
    assert_eq!(even.loops, dims(&[(3, 80_400, 80_400), (3, 268, 26_800)]));
    assert_eq!((even.count(), even.left), (9, None));
    // At most 80: 67 as well; at most 60: four of 51, of which the last is 48.
    let left = Pieces::of(&own, 4, 60 * 400).unwrap();
    assert_eq!(left.dims, dims(&[(100, 804, 4), (51, 4, 400)]));
    assert_eq!(left.loops, dims(&[(3, 80_400, 80_400), (3, 204, 20_400)]));
    let (rest, at) = left.left.unwrap();
    assert_eq!(rest, dims(&[(100, 804, 4), (48, 4, 400)]));
    assert_eq!(at, (612, 61_200));
    assert_eq!(Pieces::of(&own, 4, 60 * 400).unwrap().count(), 12);
}

#[test]
fn pieces_read_lines_of_the_source_once() {
    // Rows of 40 KB: two of them, 8 bytes of each source row, are a piece of 80 KB.
    let own = dims(&[(10_000, 4000, 4), (1000, 4, 40_000)]);
    assert_eq!(Pieces::of(&own, 4, 80 << 10), None);
    let wide = Pieces::of(&own, 4, 2 << 20).unwrap();
    assert_eq!(wide.dims[1].extent, 53, "212 bytes of each");
    // Lines of which each has one cell are not shared by pieces.
    let own = dims(&[(10_000, 64_000, 4), (1000, 64, 40_000)]);
    assert!(Pieces::of(&own, 4, 80 << 10).is_some());
}

#[test]
fn it_pays_where_runs_are_long_or_many() {
    let pays =
        |cell, own: &[_], times, apart, streams| pays(cell, &dims(own), (times, apart), streams);
    let transposed = [(100, 400, 4), (100, 4, 400)];
    assert!(pays(4, &transposed, 2, 40_000, false));
    assert!(!pays(4, &transposed, 3, 40_000, true));
    assert!(pays(4, &transposed, 4, 40_000, true));
    let wide = [(100, 1600, 16), (100, 16, 1600)];
    assert!(!pays(16, &wide, 7, 160_000, true));
    let apart = [(10_000, 20, 4)];
    assert!(pays(4, &apart, 2, 40_000, true), "read badly");
    // 16 columns, each of which is repeated before the next one.
    let short = [(16, 4000, 4), (1000, 4, 6400)];
    assert!(pays(4, &short, 8, 64, false));
    assert!(!pays(4, &short, 7, 64, false));
    assert!(!pays(4, &[(4, 4000, 4), (1000, 4, 6400)], 31, 16, false));
    assert!(!pays(4, &[(1000, 12, 400)], 100, 4, false), "a fill");
    assert!(!pays(4, &[], 100, 40_000, false), "rows");
}

#[test]
fn copies_are_made_of_what_is_there() {
    let shape = [3, 5, 100, 200];
    let (src, dst) = ([0, 0, 4, 400], [400_000, 80_000, 800, 4]);
    let problem = Problem::from_bytes(4, &shape, &src, &dst).unwrap();
    let problem = problem.with_source_gaps(SourceGaps::Readable);
    let options = Options {
        par: Par::Seq,
        ..Options::default()
    };
    let facts = Facts::of_a_server(Isa::Scalar);
    let recipe = Recipe::choose(&problem, &options, &facts);
    let [piece] = &recipe.repeats[..] else {
        panic!("one piece, as 15 copies follow each other")
    };
    assert_eq!(piece.once.problem.source_gaps(), SourceGaps::Readable);
    let [(80_000, again)] = &piece.again[..] else {
        panic!("one dimension of copies: {:?}", piece.again)
    };
    assert_eq!(again.problem.source_gaps(), SourceGaps::Forbidden);
    let normal = again.normal().unwrap();
    assert_eq!(
        (normal.cell, &normal.dims),
        (80_000, &dims(&[(14, 0, 80_000)]))
    );
    assert!(again.repeats.is_empty() && piece.once.repeats.is_empty());
}

#[test]
fn pieces_are_not_taken_apart_again() {
    // Rows with gaps between them in the destination: 10000 copies of each are not copies of copies.
    let shape = [10_000, 10, 100];
    let (src, dst) = ([0, 4, 40], [5000, 500, 4]);
    let problem = Problem::from_bytes(4, &shape, &src, &dst).unwrap();
    let facts = Facts::of_a_server(Isa::Scalar);
    let recipe = Recipe::choose(&problem, &Options::default(), &facts);
    let [piece] = &recipe.repeats[..] else {
        panic!("one piece: {recipe}")
    };
    assert!(piece.recipes().all(|recipe| recipe.repeats.is_empty()));
}
