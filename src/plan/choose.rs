//! From a normal form to a recipe: which kernel family, which panel, which loops around it, which
//! stores, and how it is cut among threads. Pure: no pointer, no clock, no global.
//!
//! The *pair* of strides decides the family. With the column dimension `b`, the one with the
//! smallest destination stride, and `a` the dimension in which the source is contiguous:
//!
//! | source along b | destination along b | a | family |
//! |---|---|---|---|
//! | cells of 32 bytes and more, or nothing left | | | run |
//! | 0 | any | any | fill |
//! | any other | unit | another dimension | transpose; interleave if one side has 2 or 3 |
//! | smallest of all, or reversed | unit | none | gather |
//! | unit or reversed | not unit | b | scatter |
//! | any other | | | strided |

use restride_kernels::{Ask, Family, Pairing, SourceGaps, find};

use super::cut;
use super::group::{Group, PanelDims};
use super::normalise::Normal;
use super::options::{Options, Stores};
use super::problem::{Dim, Problem};
use super::recipe::{PanelPlan, Recipe, RowPlan, SidePlan, Work};
use crate::machine::Facts;

/// Cells of this many bytes and more are runs: 32 is two of the widest register tiles' cells.
const RUN_BYTES: usize = 32;

/// Streamed runs below this many bytes are moved in source order: runs of 256 and 512 bytes, every
/// 32nd of the source, 0.94 of the roof instead of 0.63 and 0.54; at 2 KiB both are 0.75, and runs
/// that end inside a line (2040 bytes) lose 0.05.
const ORDERED_RUNS: usize = 2 << 10;

/// The longest short side of an interleave, in cells: four planes are as many rows as the smallest
/// register tiles of `transpose` have.
const INTERLEAVED: usize = 3;

impl Recipe {
    /// Decides how to carry out `problem`.
    ///
    /// The result depends on the three arguments only.
    #[must_use]
    #[inline]
    pub fn choose(problem: &Problem, options: &Options, facts: &Facts) -> Self {
        let work = Normal::of(problem)
            .map(|normal| Work::choose(&normal, problem.source_gaps(), options, facts));
        Self {
            problem: problem.clone(),
            work,
        }
    }
}

impl Work {
    #[inline(always)] // a third of planning is moving what it returns
    pub(crate) fn choose(normal: &Normal, gaps: SourceGaps, options: &Options, facts: &Facts) -> Self {
        let line = facts.caches.line;
        let bytes = normal.cells() * normal.cell;
        let mut draft = Draft::new(normal, line);
        let mut panel = draft.panel(normal);
        let streaming = match options.stores {
            Stores::Cached => false,
            Stores::Streaming => true,
            Stores::Auto => bytes >= streaming_bytes(facts),
        };
        let ask = Ask {
            cell: panel.cell,
            rows: panel.rows,
            cols: panel.cols,
            pairing: panel.pairing,
            src_step: panel.src.step,
            dst_step: panel.dst.step,
            gaps,
            streaming,
        };
        let isa = options.isa.map_or(facts.isa, |cap| cap.min(facts.isa));
        let row = find(draft.family, &ask, isa);
        let cached_row = if row.streams() {
            find(
                draft.family,
                &Ask {
                    streaming: false,
                    ..ask
                },
                isa,
            )
        } else {
            row
        };
        if row.streams() && draft.reads_in_order(normal, line) {
            panel = draft.panel(normal);
        }
        let loops = draft.dims.loops(&normal.dims);
        let outer: usize = loops.iter().map(|dim| dim.extent).product();
        let wanted = cut::wanted(options.par, bytes, facts);
        let split = cut::split(&panel, outer, wanted.most(), row.tile, line);
        Self {
            row,
            cached_row,
            threads: wanted.at_most(split.tasks),
            panel,
            loops,
            split,
            bytes,
            caches: facts.caches,
        }
    }
}

/// The family and which dimensions form the panel.
struct Draft {
    family: Family,
    pairing: Pairing,
    /// Bytes of the panel's cell, and cells in a destination row if no dimension gives them.
    cell: usize,
    cols: usize,
    dims: PanelDims,
}

impl Draft {
    #[inline(always)]
    fn new(normal: &Normal, line: usize) -> Self {
        let (cell, dims) = (normal.cell, &normal.dims);
        if let Some(listed) = normal.listed {
            return Self::listed(cell, dims, listed);
        }
        if cell >= RUN_BYTES || dims.is_empty() {
            return Self::run(cell, PanelDims::straight(dims, None));
        }
        let straight = |family| Self {
            family,
            pairing: Pairing::Straight,
            cell,
            cols: 1,
            dims: PanelDims::straight(dims, Some(0)),
        };
        let unit = cell as isize;
        let b = dims[0];
        if b.src == 0 {
            return straight(Family::Fill);
        }
        let reversed = b.src == -unit;
        // The dimension in which the source is contiguous, or as near to it as there is.
        let others = dims
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, dim)| dim.src != 0);
        let nearest = others
            .min_by_key(|(_, dim)| dim.src.unsigned_abs())
            .map(|(a, _)| a);
        let nearer = nearest.filter(|&a| dims[a].src.unsigned_abs() < b.src.unsigned_abs());
        match (b.dst == unit, nearer) {
            (true, Some(a)) if dims[a].src.unsigned_abs() == cell => {
                Self::crossed(cell, PanelDims::crossed(normal, a, line))
            }
            (true, None) => straight(Family::Gather),
            (false, None) if reversed || b.src == unit => straight(Family::Scatter),
            (_, None) => straight(Family::Strided),
            (_, Some(a)) => {
                let dims = PanelDims::crossed_pair(dims, a);
                Self {
                    family: Family::Strided,
                    pairing: Pairing::Crossed,
                    cell,
                    cols: 1,
                    dims,
                }
            }
        }
    }

    /// Whole cells, a run each.
    fn run(cell: usize, dims: PanelDims) -> Self {
        Self {
            family: Family::Run,
            pairing: Pairing::Straight,
            cell: 1,
            cols: cell,
            dims,
        }
    }

    /// Runs that stream, end where lines end and are short: their rows follow the source, which
    /// wants order, and the destination does not mind. Whether anything changed.
    fn reads_in_order(&mut self, normal: &Normal, line: usize) -> bool {
        let short = self.cols.is_multiple_of(line) && self.cols < ORDERED_RUNS;
        let runs = self.family == Family::Run && normal.listed.is_none();
        if !runs || !short || normal.dims.len() < 2 {
            return false;
        }
        self.dims = PanelDims::in_source_order(&normal.dims);
        true
    }

    /// Two different unit dimensions.
    fn crossed(cell: usize, dims: PanelDims) -> Self {
        let narrow = dims.rows.len.min(dims.cols.len) <= INTERLEAVED;
        let family = if narrow {
            Family::Interleave
        } else {
            Family::Transpose
        };
        Self {
            family,
            pairing: Pairing::Crossed,
            cell,
            cols: 1,
            dims,
        }
    }

    /// A source in many places. The list is the columns where the destination wants its pieces
    /// interleaved, else the rows.
    fn listed(cell: usize, dims: &[Dim], listed: Dim) -> Self {
        let unit = cell as isize;
        if cell >= RUN_BYTES || dims.is_empty() {
            return Self::run(cell, PanelDims::listed_rows(dims, None, listed));
        }
        let contiguous = dims.iter().position(|dim| dim.src.unsigned_abs() == cell);
        if let (true, Some(a)) = (listed.dst == unit, contiguous) {
            return Self::crossed(cell, PanelDims::listed_columns(dims, a, listed));
        }
        let family = match dims[0] {
            Dim { src: 0, .. } => Family::Fill,
            Dim { dst, .. } if dst == unit => Family::Gather,
            Dim { src, .. } if src.unsigned_abs() == cell => Family::Scatter,
            _ => Family::Strided,
        };
        let dims = PanelDims::listed_rows(dims, Some(0), listed);
        Self {
            family,
            pairing: Pairing::Straight,
            cell,
            cols: 1,
            dims,
        }
    }

    #[inline(always)] // with the copies that it needs otherwise, a sixth of planning
    fn panel(&self, normal: &Normal) -> PanelPlan {
        let PanelDims { rows, cols, .. } = &self.dims;
        let unit = self.cell as isize;
        let inner = |group: &Group| {
            group
                .first
                .map_or((unit, unit), |dim| (dim.src, dim.dst))
        };
        let (src_rows, src_step) = match self.pairing {
            Pairing::Straight => (rows.row_plan(|dim| dim.src), inner(cols).0),
            Pairing::Crossed => (cols.row_plan(|dim| dim.src), inner(rows).0),
        };
        let src_rows = if normal.listed.is_some() {
            RowPlan::Listed
        } else {
            src_rows
        };
        PanelPlan {
            cell: self.cell,
            rows: rows.len,
            cols: if cols.first.is_none() {
                self.cols
            } else {
                cols.len
            },
            pairing: self.pairing,
            src: SidePlan {
                shift: normal.src_shift + self.dims.src_shift,
                rows: src_rows,
                step: src_step,
            },
            dst: SidePlan {
                shift: normal.dst_shift + self.dims.dst_shift,
                rows: rows.row_plan(|dim| dim.dst),
                step: inner(cols).1,
            },
        }
    }
}

/// The destination from which on `Stores::Auto` streams, where a kernel can: two second-level
/// caches, within bounds. Measured with 2 MiB of it: f32 1024x1024, a destination of 4 MiB,
/// 1.18 of memcpy streamed, 0.74 cached. A result that is read next lost a quarter at 4 MiB and
/// gained at 16:
/// `Stores::Cached` says so.
fn streaming_bytes(facts: &Facts) -> usize {
    (2 * facts.caches.l2).clamp(4 << 20, 8 << 20)
}
