//! What is decided, where a recipe's text does not say it.

use restride_kernels::Pairing;

use super::*;
use crate::machine::Machine;
use crate::plan::{Kernels, Par, RowPlan};

/// What a small copy is carried out by without more ado is what its recipe comes down to.
#[test]
fn one_call_is_a_choice_without_loops_or_ranges() {
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
            let normal = Normal::of(&problem).unwrap();
            let gaps = problem.source_gaps();
            let (mut dealt, mut panel) = (PanelDims::new(), PanelPlan::empty());
            let choice = Choice::of(&normal, gaps, &options, facts, &mut dealt, &mut panel);
            let row = choice.one_call(&normal, &dealt);
            let work = Recipe::choose(&problem, &options, facts).work.unwrap();
            let expected = expected && par == Par::Seq;
            assert_eq!(row.is_some(), expected, "{problem:?}");
            assert_eq!(panel, work.panel);
            if let Some(row) = row {
                let kernels = Kernels::of(&work, machine).unwrap();
                assert!(kernels.one_call && kernels.chosen.row() == row);
            }
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
