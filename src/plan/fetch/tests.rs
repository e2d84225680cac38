//! What is fetched, and what beats streaming.

#[cfg(target_arch = "x86_64")]
use restride_kernels::Cores;
use restride_kernels::Isa;

use crate::layout::Layout;
use crate::machine::Facts;
use crate::plan::{Options, Par, Problem, Recipe, Stored, Stores, Work};

/// What is decided for the axes of a dense array in another order, on one thread of a server with `isa`.
fn permuted<const RANK: usize>(
    cell: usize,
    extents: [usize; RANK],
    order: [usize; RANK],
    stores: Stores,
    isa: Isa,
) -> Work {
    decided(cell, extents, order, stores, &Facts::of_a_server(isa))
}

/// The same, by these facts.
fn decided<const RANK: usize>(
    cell: usize,
    extents: [usize; RANK],
    order: [usize; RANK],
    stores: Stores,
    facts: &Facts,
) -> Work {
    let src = Layout::row_major(&extents).unwrap();
    let src = src.permute(&order).unwrap();
    let dst = Layout::row_major(src.shape()).unwrap();
    let problem = Problem::from_layouts(cell, &src, &dst).unwrap();
    let par = Par::Seq;
    let isa = None;
    let options = Options { par, stores, isa };
    Recipe::choose(&problem, &options, facts).work.unwrap()
}

/// The same for the first and the last of three axes in each other's place.
fn reversed(cell: usize, extents: [usize; 3], stores: Stores, isa: Isa) -> Work {
    permuted(cell, extents, [2, 1, 0], stores, isa)
}

/// The stores of a permuted array, unless they are asked for.
#[cfg(target_arch = "x86_64")]
fn stored<const RANK: usize>(
    cell: usize,
    extents: [usize; RANK],
    order: [usize; RANK],
    isa: Isa,
) -> Stored {
    permuted(cell, extents, order, Stores::Auto, isa).stores()
}

#[test]
fn small_panels_out_of_the_caches_are_fetched() {
    let fetches = |extents| reversed(4, extents, Stores::Cached, Isa::Portable).fetches;
    assert!(fetches([45, 2024, 47]));
    assert!(!fetches([45, 200, 47]), "the caches hold it");
    assert!(!fetches([450, 20, 470]), "panels push each other out");
    assert!(!fetches([4000, 1, 2000]), "one panel");
}

#[test]
fn tiny_panels_in_another_order_are_fetched() {
    let fetches = |order: [usize; 4], extents: [usize; 4]| {
        permuted(4, extents, order, Stores::Cached, Isa::Portable).fetches
    };
    let blocks = [100, 130, 19, 23];
    assert!(fetches([1, 0, 3, 2], blocks));
    assert!(!fetches([0, 1, 3, 2], blocks), "the CPU sees them");
    assert!(!fetches([1, 0, 3, 2], [500, 300, 11, 11]), "484 bytes");
}

#[test]
fn short_runs_that_lie_apart_are_fetched() {
    let fetches = |bytes| {
        let (extents, order) = ([64, 65, 63, bytes], [0, 2, 1, 3]);
        permuted(1, extents, order, Stores::Cached, Isa::Portable).fetches
    };
    assert!(fetches(66));
    assert!(!fetches(260), "the CPU sees longer ones");
    assert!(!fetches(10), "the caches hold it");
    let few = |runs| {
        let (extents, order) = ([40_000, runs, 6, 66], [0, 2, 1, 3]);
        permuted(1, extents, order, Stores::Cached, Isa::Portable).fetches
    };
    assert!(few(8));
    assert!(!few(7), "462 bytes");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn small_panels_that_cut_lines_are_not_streamed() {
    // A table of the second dimension would have too many entries.
    let small = [45, 24_000, 47];
    for isa in [Isa::Avx2, Isa::Avx512] {
        let stored = |cell, extents| reversed(cell, extents, Stores::Auto, isa).stores();
        assert_eq!(stored(4, small), Stored::Cached);
        assert_eq!(stored(2, [54, 20_000, 56]), Stored::Cached);
        assert_eq!(stored(4, [45, 2024, 47]), Stored::Streaming, "a long row");
        // The caches hold both sides; cells are wide, pieces of the source long, lines not cut.
        assert_eq!(stored(4, [45, 900, 47]), Stored::Streaming);
        assert_eq!(stored(8, [145, 600, 147]), Stored::Streaming);
        assert_eq!(stored(4, [127, 300, 128]), Stored::Streaming);
        assert_eq!(stored(4, [32, 24_000, 47]), Stored::Streaming);
        // Asked for, they are streamed all the same.
        let asked = reversed(4, small, Stores::Streaming, isa);
        assert!(asked.stores() == Stored::Streaming && !asked.fetches);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn short_pieces_of_any_cells_are_not_streamed() {
    let cached = |stored| stored == Stored::Cached;
    let isa = Isa::Avx512;
    let apart = [21, 22, 20, 23, 19];
    assert!(cached(stored(4, apart, [2, 4, 1, 3, 0], isa)), "76 bytes");
    let longer = [21, 22, 20, 23, 25];
    assert!(!cached(stored(4, longer, [2, 4, 1, 3, 0], isa)), "100");
    let shape = [11, 12, 10, 13, 9, 12];
    let follow = [1, 3, 5, 0, 2, 4];
    assert!(cached(stored(8, shape, follow, isa)), "that follow");
    let large = [3, 5, 1, 4, 0, 2];
    assert!(!cached(stored(8, shape, large, isa)), "in large panels");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn short_rows_that_are_asked_for_ahead_are_streamed() {
    let zen5 = Facts {
        cores: Cores::FromZen5,
        ..Facts::of_a_server(Isa::Avx512)
    };
    let (some, order) = ([21, 22, 20, 23, 19], [2, 4, 1, 3, 0]);
    let stored = decided(4, some, order, Stores::Auto, &zen5).stores();
    assert_eq!(stored, Stored::Streaming, "some bands");
    let (one, order) = ([53, 54, 55, 56], [2, 0, 3, 1]);
    let stored = decided(2, one, order, Stores::Auto, &zen5).stores();
    assert_eq!(stored, Stored::Cached, "a band");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn groups_on_both_sides_are_moved_in_bands() {
    let stored = |order| stored(2, [18, 16, 11, 13, 19, 11], order, Isa::Avx512);
    assert_eq!(stored([3, 5, 1, 4, 0, 2]), Stored::Cached);
    let long = [3, 5, 4, 1, 0, 2];
    assert_eq!(stored(long), Stored::Streaming, "source rows of 5434 bytes");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn panels_of_some_bands_are_streamed() {
    let f32s = [45, 46, 44, 47];
    for isa in [Isa::Avx2, Isa::Avx512] {
        assert_eq!(stored(4, f32s, [1, 3, 0, 2], isa), Stored::Streaming);
    }
    // Short source rows of small cells: where they follow each other, and where they lie apart.
    let bytes = [64, 65, 63, 66];
    assert_eq!(
        stored(1, bytes, [1, 3, 0, 2], Isa::Avx512),
        Stored::Streaming
    );
    assert_eq!(stored(1, bytes, [1, 3, 2, 0], Isa::Avx512), Stored::Cached);
    // Tiles that move nearly twice the panel: rows that follow each other, and those a page but a byte apart.
    assert_eq!(stored(1, bytes, [2, 0, 3, 1], Isa::Avx512), Stored::Cached);
    assert_eq!(
        stored(1, bytes, [0, 3, 2, 1], Isa::Avx512),
        Stored::Streaming
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn rows_of_a_line_are_long_on_zen_3() {
    let on = |cores| Facts {
        cores,
        ..Facts::of_a_server(Isa::Avx2)
    };
    let bytes = |cores| {
        let order = [1, 3, 2, 0];
        decided(1, [64, 65, 63, 66], order, Stores::Auto, &on(cores)).stores()
    };
    assert_eq!(bytes(Cores::ToZen3), Stored::Streaming);
    assert_eq!(bytes(Cores::Zen4), Stored::Cached);
    let (less, order) = ([24, 25, 23, 26, 22], [2, 4, 1, 3, 0]);
    let pairs = decided(2, less, order, Stores::Auto, &on(Cores::ToZen3));
    assert_eq!(pairs.stores(), Stored::Cached, "44 bytes");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn tiny_panels_that_follow_each_other_are_not_streamed() {
    let batch = |cell, [n, rows, cols]: [usize; 3]| {
        stored(cell, [n, cols, rows], [0, 2, 1], Isa::Avx512) == Stored::Cached
    };
    assert!(batch(4, [13_000, 9, 32]), "36-byte rows to lines");
    assert!(batch(16, [11_880, 11, 8]));
    assert!(!batch(4, [15_000, 16, 16]), "whole lines on both sides");
    assert!(!batch(8, [9_000, 9, 24]), "1728 bytes");
    // Their blocks in another order.
    let apart = stored(4, [100, 130, 32, 9], [1, 0, 3, 2], Isa::Avx512);
    assert_eq!(apart, Stored::Streaming);
}
