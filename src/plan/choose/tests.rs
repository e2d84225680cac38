//! What is decided, where a recipe's text does not say it.

use restride_kernels::Pairing;

use super::*;
use crate::machine::Machine;
use crate::plan::{Kernels, Par, RowPlan};

/// What a small copy is carried out by without more ado is what its recipe says.
#[test]
fn a_simple_choice_is_what_the_recipe_says() {
    let machine = Machine::host().unwrap();
    let facts = machine.facts();
    let reversed = |extent: usize| {
        let up: Vec<isize> = (0..3).map(|i| 4 * (extent as isize).pow(i)).collect();
        let down: Vec<isize> = up.iter().rev().copied().collect();
        Problem::from_bytes(4, &[extent; 3], &up, &down).unwrap()
    };
    let problems = [
        (
            Problem::from_bytes(4, &[8, 8], &[4, 32], &[32, 4]).unwrap(),
            true,
        ),
        (
            Problem::from_bytes(4, &[8, 8], &[64, 8], &[32, 4]).unwrap(),
            true,
        ),
        (reversed(4), true),
        // Four transpositions, and 64 KiB, which is not small.
        (
            Problem::from_bytes(4, &[4, 8, 8], &[256, 4, 32], &[256, 32, 4]).unwrap(),
            false,
        ),
        (reversed(25), false),
    ];
    for (problem, expected) in problems {
        for par in [Par::Seq, Par::Threads(3)] {
            let options = Options {
                par,
                ..Options::default()
            };
            let mut room = [Dim::NONE; FEW];
            let normal = Form::of(&problem, &mut room).unwrap();
            let gaps = problem.source_gaps();
            let mut dealt = PanelDims::new();
            let choice = Choice::of(&normal, gaps, &options, facts, &mut dealt);
            let mut loops = Dims::new();
            dealt.put_loops(normal.dims, &mut loops);
            let work = Recipe::choose(&problem, &options, facts).work.unwrap();
            let kernels = Kernels::of(&work, machine).unwrap();
            let one_call = choice.simple().is_some() && loops.is_empty();
            assert_eq!(one_call, expected && par == Par::Seq, "{problem:?}");
            // The plan also knows whether there is work for several threads.
            assert!(kernels.simple || choice.simple().is_none(), "{problem:?}");
            assert_eq!(choice.row, kernels.chosen.row());
            let mut panel = PanelPlan::of(&choice.panel);
            Choice::complete(&mut panel, &normal, &dealt);
            assert_eq!(panel, work.panel);
            assert_eq!(loops, work.loops);
        }
    }
}

/// A table's columns, each to a place of its own, are the rows of one transposition.
#[test]
fn a_listed_destination_is_the_rows_of_the_panel() {
    let problem = Problem::from_bytes(4, &[1000, 800], &[3200, 4], &[4, 4000]);
    let problem = problem.unwrap().with_listed_destination(1);
    let facts = Machine::host().unwrap().facts();
    let recipe = Recipe::choose(&problem, &Options::default(), facts);
    assert!(
        recipe
            .to_string()
            .contains("800 x (source +4, dest a list)")
    );
    let work = recipe.work.unwrap();
    let panel = &work.panel;
    assert_eq!(work.family(), Family::Transpose);
    assert_eq!(
        (panel.rows, panel.cols, panel.pairing),
        (800, 1000, Pairing::Crossed)
    );
    assert_eq!(panel.dst.rows, RowPlan::Listed);
    assert_eq!(
        (&panel.src.rows, panel.src.step),
        (&RowPlan::Stride(3200), 4)
    );
}

/// So many images of 14x14 patches of 16x16 cells of four bytes, pixels of so many planes, back to planes.
#[cfg(target_arch = "x86_64")]
fn family_of_planes(images: usize, planes: usize, isa: Isa) -> Family {
    let unit = 4 * planes as isize;
    let (row, patch) = (16 * unit, 256 * unit);
    let shape = [images, planes, 14, 16, 14, 16];
    let src = [196 * patch, 4, 14 * patch, row, patch, unit];
    let plane = 4 * 224 * 224;
    let dst = [planes as isize * plane, plane, 16 * 896, 896, 64, 4];
    let problem = Problem::from_bytes(4, &shape, &src, &dst).unwrap();
    let facts = Facts::of_a_server(isa);
    let recipe = Recipe::choose(&problem, &Options::default(), &facts);
    recipe.work.unwrap().family()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_few_pixels_of_three_planes_are_blocks_where_they_stream() {
    let vbmi = Isa::Avx512Vbmi;
    assert_eq!(family_of_planes(800, 3, vbmi), Family::Shuffle);
    assert_eq!(family_of_planes(8, 3, vbmi), Family::Interleave);
    assert_eq!(family_of_planes(800, 4, vbmi), Family::Interleave);
    assert_eq!(family_of_planes(800, 3, Isa::Avx512), Family::Interleave);
}

/// Patches of single bytes of three planes: to no row are pixels and planes at the offsets of a table, whether pixels have
/// a fourth byte or not. Of those that have, planes are windows where there are such.
#[test]
#[cfg(target_arch = "x86_64")]
fn short_rows_of_pixels_are_woven_shorter_ones_are_windows_or_cells() {
    let family = |side: usize, pixel: isize, back: bool, isa| {
        let side = side as isize;
        let (n, row) = (224 / side, side * pixel);
        let shape = [8, n, n, side, side, 3].map(|extent| extent as usize);
        let src = [150_528, side * 224, side, 224, 1, 50_176];
        let dst = [
            n * n * side * row,
            n * side * row,
            side * row,
            row,
            pixel,
            1,
        ];
        let [src, dst] = if back { [dst, src] } else { [src, dst] };
        let problem = Problem::from_bytes(1, &shape, &src, &dst).unwrap();
        let facts = Facts::of_a_server(isa);
        let recipe = Recipe::choose(&problem, &Options::default(), &facts);
        recipe.work.unwrap().family()
    };
    let tiers = [Isa::Avx512Vbmi, Isa::Avx512, Isa::Avx2];
    let (woven, cells) = (Family::Interleave, Family::Strided);
    assert_eq!(tiers.map(|isa| family(8, 3, false, isa)), [woven; 3]);
    let shorter = tiers.map(|isa| family(7, 3, false, isa));
    assert_eq!(shorter, [Family::Shuffle, cells, cells]);
    assert_eq!(tiers.map(|isa| family(8, 4, false, isa)), [woven; 3]);
    let planes = tiers.map(|isa| family(16, 4, true, isa));
    assert_eq!(planes, [Family::Shuffle, woven, woven]);
}

/// RGBA to BGR: blocks that leave a byte out, which without masks has to be readable.
#[test]
#[cfg(target_arch = "x86_64")]
fn bytes_are_left_out_without_masks_where_they_may_be_read() {
    let family = |isa, gaps| {
        let problem = Problem::from_bytes(1, &[100_000, 3], &[4, -1], &[3, 1]).unwrap();
        let facts = Facts::of_a_server(isa);
        let recipe = Recipe::choose(&problem.with_source_gaps(gaps), &Options::default(), &facts);
        recipe.work.unwrap().family()
    };
    assert_eq!(family(Isa::Avx2, SourceGaps::Readable), Family::Shuffle);
    assert_ne!(family(Isa::Avx2, SourceGaps::Forbidden), Family::Shuffle);
    assert_eq!(
        family(Isa::Avx512Vbmi, SourceGaps::Forbidden),
        Family::Shuffle
    );
}
