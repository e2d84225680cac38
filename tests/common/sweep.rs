//! The tail sweep of one kernel row: every pair of extents up to two tiles and one, at chosen
//! placements and signs, then eight pairs at 64 x 64 alignments, then some of long rows.

use restride_kernels::Family;

use super::env::number;
use super::harness::{Failure, Harness};
use super::moved::move_panel;
use super::panels::{ALIGNMENTS, CORE, Case, Spread, Subject};

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Panels moved and found right.
    pub(crate) panels: u64,
    /// Those among them whose source stood between pages that fault.
    pub(crate) poisoned: u64,
    /// Panels that the row does not take.
    pub(crate) refused: u64,
    /// Panels that do not fit the buffers.
    pub(crate) too_large: u64,
}

/// Cells that one row's sweep moves at most, about, and thereby how many variants each pair gets.
/// *guess*: under a second per row in both builds.
const CELLS: u64 = if cfg!(debug_assertions) {
    1_000_000
} else {
    60_000_000
};

/// The cells per row, and every how many-th pair of alignments the second part takes. Set
/// `RESTRIDE_CELLS` for a shorter or longer sweep.
fn effort() -> (u64, usize) {
    let cells = number("RESTRIDE_CELLS").unwrap_or(CELLS);
    (cells, if cells < 10_000_000 { 16 } else { 1 })
}

/// Moves all panels of the sweep.
pub(crate) fn sweep(harness: &mut Harness, subject: &Subject<'_>) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let (rows, cols) = extents(subject);
    let cells: usize = rows.iter().sum::<usize>() * cols.iter().sum::<usize>();
    let (budget, alignment_stride) = effort();
    let variants = (budget / (cells as u64).max(1)).clamp(1, 2 * CORE);
    let mut pair = 0;
    for &r in &rows {
        for &c in &cols {
            pair += 1;
            for i in 0..variants {
                // Where a pair does not get all variants, neighbours get different ones.
                one(
                    harness,
                    subject,
                    (r, c),
                    (pair * variants + i) % (2 * CORE),
                    &mut tally,
                )?;
            }
        }
    }
    for (i, pair) in chosen(subject).into_iter().enumerate() {
        for alignments in (i % alignment_stride..4096).step_by(alignment_stride) {
            // Diagonal by diagonal, so that a thinned sweep still meets every alignment.
            let (src, dst) = (alignments / 64, alignments % 64);
            let variant = 64 * src + (src + dst) % 64;
            one(
                harness,
                subject,
                pair,
                ALIGNMENTS + variant as u64,
                &mut tally,
            )?;
        }
    }
    for (i, pair) in long(subject).into_iter().enumerate() {
        for variant in (i as u64 % 4..2 * CORE).step_by(if alignment_stride > 1 { 4 } else { 1 }) {
            one(harness, subject, pair, variant, &mut tally)?;
        }
    }
    Ok(tally)
}

/// Moves one panel.
pub(crate) fn one(
    harness: &mut Harness,
    subject: &Subject<'_>,
    (rows, cols): (usize, usize),
    variant: u64,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let Some(case) = Case::draw(subject, rows, cols, variant) else {
        tally.refused += 1;
        return Ok(());
    };
    if !move_panel(harness, subject, &case)? {
        tally.too_large += 1;
        return Ok(());
    }
    tally.panels += 1;
    tally.poisoned += u64::from(case.spread != Spread::Dense);
    Ok(())
}

/// The extents of both directions.
fn extents(subject: &Subject<'_>) -> (Vec<usize>, Vec<usize>) {
    if subject.name.starts_with("run-") {
        let mut bytes: Vec<_> = (0..=2 * 64 + 1).collect();
        bytes.extend([255, 256, 257, 511, 513, 1000, 4096]);
        return (vec![0, 1, 2, 3], bytes);
    }
    (up_to(subject.tile.rows), up_to(subject.tile.cols))
}

fn up_to(tile: usize) -> Vec<usize> {
    let all = 0..=2 * tile + 1;
    match tile {
        // Several tiles in a row, and the blocks of 16 in which scalar rows go.
        0..=16 => {
            let more = [15, 16, 17, 33, 63, 64, 65, 129];
            all.chain(more.into_iter().filter(|&n| n > 2 * tile + 1))
                .collect()
        }
        // Large tiles in debug builds: what is near a multiple of a vector, and a few others.
        _ if cfg!(debug_assertions) => all
            .filter(|n| matches!(n % 16, 0 | 1 | 15) || n % 13 == 0 || *n < 8)
            .collect(),
        _ => all.collect(),
    }
}

/// Panels of long rows, as many as fit the buffers, for rows that stream transpositions: long in the
/// destination, or in the source. For others, of small cells, panels in which tiles are a line wide whatever the
/// CPU.
fn long(subject: &Subject<'_>) -> Vec<(usize, usize)> {
    if subject.family == Family::Shuffle {
        // Of blocks any number, as one whose last register just ends with them reads no more than that.
        let blocks = |rows| [2, 3, 5].map(|cells| (rows, cells));
        return (1..=40).flat_map(blocks).collect();
    }
    let &[cell] = subject.cells else {
        return vec![];
    };
    if subject.family != Family::Transpose {
        return vec![];
    }
    if !subject.streaming {
        let large = [(4100, 65), (2060, 129), (520, 520)];
        return if cell > 2 { vec![] } else { large.to_vec() };
    }
    let wide = [
        (66, 1030),
        (80, 1101),
        (64, 2176),
        (65, 2300),
        (71, 3333),
        (90, 4096),
        (120, 4090),
        (150, 2177),
        (67, 5008),
        (60, 6500),
        (41, 9000),
    ];
    let tall = [
        (1030, 130),
        (1281, 192),
        (2500, 200),
        (4096, 192),
        (4200, 130),
    ];
    let wide = wide.map(|(rows, bytes)| (rows, bytes / cell));
    let tall = tall.map(|(from, to)| (from / cell, to / cell));
    [&wide[..], &tall].concat()
}

/// Eight pairs of extents that the row takes, for the sweep of alignments.
fn chosen(subject: &Subject<'_>) -> Vec<(usize, usize)> {
    let (r, c) = (subject.tile.rows, subject.tile.cols);
    if subject.name.starts_with("run-") {
        let bytes = [1, 7, 16, 33, 64, 100, 129, 257];
        return bytes.into_iter().map(|bytes| (2, bytes)).collect();
    }
    let candidates = [
        (r, c),
        (r + 1, c + 1),
        (2 * r - 1, c),
        (r, 2 * c - 1),
        (r.max(2) - 1, c),
        (1, c + 3),
        (r + 3, 1),
        (2 * r + 1, 2 * c + 1),
        // For rows that take no less than a tile, or one side of a few cells only.
        (3 * r, c + 2),
        (r + 2, 3 * c),
        (2 * r, 2 * c),
        (2, 17),
        (17, 2),
        (3, 33),
        (33, 3),
        (4, 65),
        (65, 4),
        (2, 64),
        (3, 64),
        (64, 4),
    ];
    let taken = |&(rows, cols): &(usize, usize)| {
        (0..8).any(|variant| Case::draw(subject, rows, cols, variant).is_some())
    };
    candidates.into_iter().filter(taken).take(8).collect()
}
