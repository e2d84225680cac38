//! All permutations as a map: a row each, a column per cell size, the share of the roof as colour and
//! number.

use super::figure;
use crate::data::Data;
use crate::report::doc::Figure;
use crate::report::draw::{Anchor, GRID, INK, SOFT, Words, of_share};
use crate::statistics::geometric_mean;
use crate::units;

const CELL: (i32, i32) = (52, 19);
const COLUMNS: usize = 3;

pub(in crate::report) fn draw(data: &Data) -> Option<Figure> {
    // Rank and order of the axes, in the order of the suite; the shares by cell.
    let mut rows: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
    let mut cells: Vec<usize> = Vec::new();
    let all = data
        .kind("permutation")
        .flat_map(|measured| measured.ours());
    for ours in all.filter(|ours| ours.record.threads == 1) {
        let mut words = ours.case().name.split('.').skip(2);
        let (Some(order), Some(Ok(cell))) = (words.next(), words.next().map(str::parse)) else {
            continue;
        };
        let Some(share) = ours.of_roof() else {
            continue;
        };
        if !cells.contains(&cell) {
            cells.push(cell);
        }
        match rows.iter_mut().find(|(known, _)| known == order) {
            Some((_, shares)) => shares.push((cell, share)),
            None => rows.push((order.into(), vec![(cell, share)])),
        }
    }
    if rows.is_empty() {
        return None;
    }
    cells.sort_unstable();
    let all: Vec<f64> = rows
        .iter()
        .flat_map(|(_, s)| s.iter().map(|s| s.1))
        .collect();
    let title = format!(
        "Permutations of axes: {} of the roof as geometric mean",
        units::ratio(geometric_mean(&all))
    );
    let tall = rows.len().div_ceil(COLUMNS);
    let size = (960, 130 + tall as u32 * CELL.1 as u32 + 50);
    Some(figure("permutations", &title, size, |canvas| {
        canvas.head(
            &title,
            "Share of the roof, 16 MiB a side, one thread. A row is an order of axes: digit i names the \
             source axis that becomes axis i",
        );
        for (i, column) in rows.chunks(tall).enumerate() {
            let left = 16 + i as i32 * 316;
            for (j, cell) in cells.iter().enumerate() {
                let x = left + 56 + j as i32 * (CELL.0 - 4) + (CELL.0 - 4) / 2;
                let words = Words::new(11, SOFT).anchored(Anchor::Middle);
                canvas.text((x, 76), &format!("{cell} B"), words);
            }
            let mut rank = 0;
            for (j, (order, shares)) in column.iter().enumerate() {
                let y = 88 + j as i32 * CELL.1;
                if order.len() != rank && j > 0 {
                    canvas.line(&[(left, y - 1), (left + 56, y - 1)], GRID, 1);
                }
                rank = order.len();
                let words = Words::new(11, INK).anchored(Anchor::End);
                canvas.text((left + 50, y + CELL.1 / 2), order, words);
                for (cell, share) in shares {
                    let at = cells.iter().position(|known| known == cell).unwrap_or(0);
                    let x = left + 56 + at as i32 * (CELL.0 - 4);
                    let (ground, ink) = of_share(*share);
                    canvas.rect((x, y), (x + CELL.0 - 6, y + CELL.1 - 2), ground);
                    let words = Words::new(11, ink).anchored(Anchor::Middle);
                    let at = (x + (CELL.0 - 6) / 2, y + CELL.1 / 2 - 1);
                    canvas.text(at, &format!("{share:.2}"), words);
                }
            }
        }
        // The scale.
        let y = 88 + tall as i32 * CELL.1 + 26;
        for step in 0..100 {
            let (colour, _) = of_share(f64::from(step) / 100.0);
            canvas.rect((330 + 3 * step, y), (333 + 3 * step, y + 12), colour);
        }
        for (share, name) in [(0, "0"), (50, "0.5"), (100, "1 and more")] {
            let words = Words::new(11, SOFT).anchored(Anchor::Middle);
            canvas.text((330 + 3 * share, y + 24), name, words);
        }
    }))
}
