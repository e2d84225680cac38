//! The generator judged: what it promises of every case, and that it reaches what it should reach.

mod common;

use std::collections::{BTreeSet, HashSet};

use common::copies;
use common::harness::Harness;
use common::layouts::Case;
use common::oracle;
use common::random::mix;
use restride_kernels::SourceGaps;

const CASES: u64 = if cfg!(debug_assertions) {
    3_000
} else {
    60_000
};

fn cases() -> impl Iterator<Item = Case> {
    (0..CASES).map(|i| Case::draw(mix(&[0x6e6e, i])))
}

#[test]
fn destinations_are_injective() {
    for case in cases() {
        let mut seen = HashSet::new();
        oracle::for_each_index(&case.shape, |index| {
            let first = oracle::offset(index, &case.dst);
            for byte in first..first + case.cell as isize {
                assert!(seen.insert(byte), "byte {byte} is written twice\n{case}");
            }
        });
    }
}

#[test]
fn one_seed_is_one_case() {
    for case in cases().take(1000) {
        assert_eq!(Case::draw(case.seed).to_string(), case.to_string());
    }
}

#[test]
fn ranks_cells_extents_signs_and_poison_all_come_up() {
    let (mut ranks, mut cells, mut extents) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut special = [0; 6];
    for case in cases() {
        ranks.insert(case.shape.len());
        cells.insert(case.cell);
        extents.extend(case.shape.iter().copied());
        let live = |strides: &[isize]| -> Vec<isize> {
            let pairs = strides.iter().zip(&case.shape);
            pairs
                .filter(|&(_, &extent)| extent > 1)
                .map(|(&stride, _)| stride)
                .collect()
        };
        let (src, dst) = (live(&case.src), live(&case.dst));
        let odd = |stride: &isize| stride % case.cell as isize != 0;
        for (count, is) in special.iter_mut().zip([
            case.poisoned.is_some(),
            case.shape.contains(&0),
            src.contains(&0),
            src.iter().any(|&stride| stride < 0),
            dst.iter().any(|&stride| stride < 0),
            src.iter().chain(&dst).any(odd),
        ]) {
            *count += u64::from(is);
        }
    }
    println!("ranks {ranks:?}\ncells {cells:?}\nextents {extents:?}");
    println!("poisoned, empty, repeated, reversed source, reversed destination, odd: {special:?}");
    assert!((0..=14).all(|rank| ranks.contains(&rank)));
    assert!((1..=32).all(|cell| cells.contains(&cell)));
    let wanted = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 64];
    assert!(wanted.iter().all(|extent| extents.contains(extent)));
    assert!(
        special.iter().all(|&count| count * 200 > CASES),
        "{special:?}"
    );
}

/// What the library must do, done by the oracle itself: the harness must find nothing.
#[test]
fn the_oracle_passes_its_own_check() {
    let mut harness = Harness::new();
    for case in cases() {
        for places in case.places {
            let run = |src: *const u8, dst: *mut u8| {
                oracle::for_each_index(&case.shape, |index| {
                    let from = src.wrapping_offset(oracle::offset(index, &case.src));
                    let to = dst.wrapping_offset(oracle::offset(index, &case.dst));
                    // SAFETY: range and aliasing: a cell of each side, in two buffers of the
                    // harness that it placed there.
                    unsafe { to.copy_from_nonoverlapping(from, case.cell) };
                });
            };
            copies::check(
                &mut harness,
                &case,
                places,
                SourceGaps::Forbidden,
                &"the oracle",
                &run,
            )
            .unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}
