//! Blocks of a few bytes whose cells come from a few lines of the source, wherever those are.

use core::ptr::null_mut;

use restride_kernels::{Gathered, Isa, Pairing, Panel, Rows, Side, SourceGaps};
use smallvec::SmallVec;

use super::PanelDims;
use super::grow::Grow;
use crate::plan::draft::has_weaves;
use crate::plan::normalise::Form;
use crate::plan::problem::Dim;

/// Bytes of a block at most, where its registers are not full: four of them.
const MOST: usize = 256;

/// Bytes of a copy from which on it is worth finding out which lines those are: *guess*.
const LEAST: usize = 32 << 10;

/// Bytes that stay in a first-level cache beside others: *guess*.
const KEPT: usize = 16 << 10;

/// Accesses that a panel takes beside its own: *guess*.
const BESIDE: usize = 16;

/// How many dimensions are a block in the destination, where such blocks follow each other in the next one, and how it is
/// moved: those of which an access of a panel moves most, as many as there may be.
fn best(cell: usize, dims: &[Dim], isa: Isa) -> Option<(usize, Gathered)> {
    let mut places: SmallVec<[isize; MOST]> = SmallVec::from_elem(0, 1);
    let mut best: Option<(f64, usize, Gathered)> = None;
    for (inside, next) in dims.iter().enumerate() {
        let bytes = places.len() * cell;
        if next.dst != bytes as isize {
            break;
        }
        if let Some(turn) = turn(cell, &places, next, isa) {
            let turns = (bytes * next.extent).div_ceil(turn.bytes);
            let rate = (bytes * next.extent) as f64 / (turns * turn.accesses + BESIDE) as f64;
            if best.as_ref().is_none_or(|(most, ..)| rate >= *most) {
                best = Some((rate, inside, turn));
            }
        }
        if bytes.saturating_mul(next.extent) > MOST {
            break;
        }
        for i in places.len()..places.len() * next.extent {
            // Those of the first index, as often as there are others.
            let before = places[i - bytes / cell];
            places.push(before.wrapping_add(next.src));
        }
    }
    best.map(|(_, inside, turn)| (inside, turn))
}

/// How blocks of cells at these places are moved, which follow each other in `next`.
fn turn(cell: usize, places: &[isize], next: &Dim, isa: Isa) -> Option<Gathered> {
    let bytes = (places.len() * cell) as isize;
    let side = |rows, step| Side {
        base: null_mut(),
        rows,
        step,
    };
    let panel = Panel {
        cell,
        rows: next.extent,
        cols: places.len(),
        pairing: Pairing::Crossed,
        gaps: SourceGaps::Forbidden,
        src: side(Rows::Offsets(places), next.src),
        dst: side(Rows::Stride(bytes), cell as isize),
    };
    Gathered::of(&panel, isa)
}

impl PanelDims {
    /// A crossed panel of blocks whose cells come from a few lines. False, and nothing dealt, if there are none that are
    /// better than cell by cell.
    #[inline(never)] // beside the planning of others
    pub(in crate::plan) fn gathered(&mut self, normal: &Form<'_>, grow: Grow) -> bool {
        let (cell, dims) = (normal.cell, normal.dims);
        if normal.bytes < LEAST {
            return false;
        }
        let pays = |&(inside, turn): &(usize, Gathered)| {
            let next = &dims[inside];
            // What lies between the blocks is for others, which read the same lines again.
            let (apart, reach) = (
                next.src.unsigned_abs(),
                next.src.unsigned_abs() * next.extent,
            );
            let again = inside == 0 && apart > 2 * cell && reach > KEPT;
            let picked = inside == 0 && has_weaves(cell);
            let cells = turn.bytes / cell;
            let fewer = match has_weaves(cell) {
                true => cells >= 2 * turn.accesses,
                false => 3 * cells >= 2 * turn.accesses,
            };
            !again && !picked && fewer
        };
        let found = best(cell, dims, grow.isa).filter(pays);
        if let Some((inside, _)) = found {
            self.take_blocks(dims, inside, grow);
            self.order = super::Order::Continued;
        }
        found.is_some()
    }
}
