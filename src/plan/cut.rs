//! How many threads a copy is worth, and where its panels may be cut among them.

use restride_kernels::{Pairing, Tile};

use super::direct::StridedPanel;
use super::options::Par;
use super::problem::Dim;
use super::recipe::{PanelPlan, Split, SplitAxis, Threads};
use crate::machine::Facts;

/// Tasks per range below which the other axis of the panel is considered: *guess*, at most a
/// quarter of a range is then lost to rounding.
const TASKS_PER_RANGE: usize = 4;

/// The number of ranges that `par` asks for, or that pays for `bytes` on either side, counted in lines
/// where the cells of a side are apart.
///
/// Never more than one where both sides fit the second-level cache: it is one core's, and what another
/// core takes of it has to come back. 512 KiB transposed take 14 us there, on two threads, awake, 19.
#[inline]
pub(crate) fn wanted(par: Par, bytes: usize, facts: &Facts) -> Threads {
    let all = match par {
        Par::Seq => 1,
        Par::Threads(n) => n.max(1),
        Par::Auto if bytes <= facts.caches.l2 / 2 => 1,
        Par::Auto => {
            let n = facts.workers.max(1);
            // Alone: 2 * bytes / rate. What n threads save of it, (n - 1) / n, must exceed what a
            // parallel section costs.
            let saved = (bytes as u64).saturating_mul(2000 * (n as u64 - 1));
            let scale = facts.costs.bytes_per_us.saturating_mul(n as u64);
            let pays = |section_ns: u64| {
                if saved > section_ns.saturating_mul(scale) {
                    n
                } else {
                    1
                }
            };
            let (cold, warm) = (facts.costs.cold_section_ns, facts.costs.warm_section_ns);
            return Threads {
                cold: pays(cold),
                warm: pays(warm),
            };
        }
    };
    Threads {
        cold: all,
        warm: all,
    }
}

/// `bytes` of either side, counted in the lines that are moved for them where cells are apart; as they
/// are where that cannot matter.
#[inline]
pub(super) fn in_lines(panel: &StridedPanel, bytes: usize, line: usize) -> usize {
    /// *Guess*: a sixty-fourth of the smallest second-level caches.
    const FEW: usize = 4 << 10;
    if bytes <= FEW {
        return bytes;
    }
    let apart = |step: isize| (step.unsigned_abs().min(line) / panel.cell).max(1);
    let both = apart(panel.src.step).saturating_add(apart(panel.dst.step));
    bytes.saturating_mul(both) / 2
}

impl Threads {
    /// No more ranges than there are tasks.
    #[inline]
    pub(super) fn at_most(self, tasks: usize) -> Self {
        Self {
            cold: self.cold.min(tasks),
            warm: self.warm.min(tasks),
        }
    }

    /// The most ranges that may be wanted.
    #[inline]
    pub(super) fn most(self) -> usize {
        self.cold.max(self.warm)
    }
}

/// Bytes of a source row that a range should keep together: *start*; half of 2 KiB rows each (256^3
/// in 8-byte cells, two threads) ran at 0.53 of the roof, whole rows at 0.86.
const LONG_READ: usize = 4 << 10;

/// Where panels are cut for up to `ranges` ranges: at whole tiles, and whole lines of the side that
/// is contiguous there; the last block takes what is left over. Between rows wherever that gives
/// ranges enough to choose from and leaves long reads, since long columns are long streams.
#[inline]
pub(super) fn split(
    panel: &PanelPlan,
    loops: &[Dim],
    ranges: usize,
    tile: Tile,
    line: usize,
) -> Split {
    if ranges == 1 {
        return Split {
            axis: SplitAxis::Rows,
            unit: panel.rows,
            blocks: 1,
            tasks: loops.iter().fold(1, |all, dim| all * dim.extent),
        };
    }
    split_among(panel, loops, ranges, tile, line)
}

/// [`split`] for more than one range.
fn split_among(panel: &PanelPlan, loops: &[Dim], ranges: usize, tile: Tile, line: usize) -> Split {
    let outer: usize = loops.iter().map(|dim| dim.extent).product();
    let lines = |cell: isize| line.div_ceil(cell.unsigned_abs().max(1));
    let along_rows = match panel.pairing {
        // Crossed: rows follow each other in the source.
        Pairing::Crossed => lines(panel.src.step),
        // Straight: short rows share destination lines.
        Pairing::Straight => lines((panel.cols as isize).saturating_mul(panel.dst.step)),
    };
    let cut = |axis, extent: usize, tile: usize, lines: usize| {
        let unit = lines.next_multiple_of(tile);
        let blocks = (extent / unit).max(1);
        Split {
            axis,
            unit,
            blocks,
            tasks: outer * blocks,
        }
    };
    let rows = cut(SplitAxis::Rows, panel.rows, tile.rows, along_rows);
    let cols = cut(
        SplitAxis::Cols,
        panel.cols,
        tile.cols,
        lines(panel.dst.step),
    );
    let enough = |cut: &Split| cut.tasks >= TASKS_PER_RANGE.saturating_mul(ranges);
    // Crossed rows are cells of a source row.
    let source_row = panel.rows * panel.cell;
    let reads_stay_long =
        panel.pairing == Pairing::Straight || outer > 1 || source_row / ranges >= LONG_READ;
    if enough(&rows) && (reads_stay_long || !enough(&cols)) || rows.tasks >= cols.tasks {
        rows
    } else {
        cols
    }
}
