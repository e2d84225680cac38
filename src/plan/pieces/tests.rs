//! Which pieces are streamed.

use restride_kernels::{Cores, Isa};

use crate::machine::Facts;
use crate::plan::{Options, Par, Problem, Recipe, Stored};

/// The stores of a copy of rows of cells into a destination without gaps, on one thread: of `rows` with `cells`, which
/// lie so many bytes apart in the source.
fn stored(cell: usize, (rows, cells): (usize, usize), src: [isize; 2], cores: Cores) -> Stored {
    let facts = Facts {
        cores,
        ..Facts::of_a_server(Isa::Avx512Vbmi)
    };
    let row = (cell * cells) as isize;
    let dst = [row, cell as isize];
    let problem = Problem::from_bytes(cell, &[rows, cells], &src, &dst).unwrap();
    let options = Options {
        par: Par::Seq,
        ..Options::default()
    };
    let recipe = Recipe::choose(&problem, &options, &facts);
    recipe.work.unwrap().stores()
}

#[test]
fn short_runs_between_whole_lines_go_through_the_caches_of_zen_5() {
    let runs = |bytes: usize, apart: isize, cores| {
        let rows = (64 << 20) / bytes;
        stored(8, (rows, bytes / 8), [apart, 8], cores)
    };
    assert_eq!(runs(64, 128, Cores::FromZen5), Stored::Cached);
    assert_eq!(runs(64, 128, Cores::Others), Stored::Streaming);
    assert_eq!(runs(64, 80, Cores::FromZen5), Stored::Streaming);
    assert_eq!(runs(128, 384, Cores::FromZen5), Stored::Cached);
    assert_eq!(runs(128, 256, Cores::FromZen5), Stored::Streaming);
    assert_eq!(runs(512, 1536, Cores::FromZen5), Stored::Streaming);
}

#[test]
fn short_rows_of_pixels_go_through_the_caches_where_lines_cut_them() {
    let pixels = |cells: usize, step: isize| {
        let rows = (64 << 20) / (3 * cells);
        let apart = step.abs() * cells as isize + 64;
        stored(3, (rows, cells), [apart, step], Cores::FromZen5)
    };
    assert_eq!(pixels(300, -3), Stored::Cached);
    assert_eq!(pixels(320, -3), Stored::Streaming, "whole lines");
    assert_eq!(pixels(900, -3), Stored::Streaming);
    assert_eq!(pixels(900, 6), Stored::Cached);
    assert_eq!(pixels(3000, 6), Stored::Streaming);
}
