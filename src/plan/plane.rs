//! Small copies of one or two dimensions: kernel and panel, with nothing dealt.
//!
//! A file of its own because this repeats what the [`draft`](super::draft) comes to, for speed alone: columns are
//! one dimension, rows the other, and there is nothing around them. `copy`, ns on a 2-core AVX-512 server VM (Zen
//! 4), with what is dealt and so: u8 8x8x3 to planes 95 and 69, back from 3x300 107 and 80; f32 3x80 105 and 78,
//! 24x24 180 and 152, every second column of 16x32 99 and 70; f64 16x16 127 and 100, 100 backwards 85 and 58.

use restride_kernels::{Family, Pairing, Row, Shuffled, SourceGaps, find};

use super::cut;
use super::direct::{StridedPanel, StridedSide};
use super::draft::{RUN_BYTES, Relation, has_kernels};
use super::group::blocks::{loose, loose_of_many, may_fill};
use super::normalise::{Form, flip};
use super::options::Par;
use super::problem::Dim;
use super::woven::{crossed_family, has_weaves};
use crate::machine::Facts;

/// One panel that is all of a small copy.
pub(crate) struct Plane {
    pub(crate) row: &'static Row,
    pub(crate) panel: StridedPanel,
}

impl Plane {
    /// That of `normal`, the form of a small copy with default options, if it has one or two dimensions, is neither
    /// of runs nor of blocks, and is worth one thread.
    #[inline(always)]
    pub(crate) fn of(normal: &Form<'_>, gaps: SourceGaps, facts: &Facts) -> Option<Self> {
        let (cell, dims, line) = (normal.cell, normal.dims, facts.caches.line);
        let (columns, mut rows) = match *dims {
            [columns] => (columns, Dim::NONE),
            [columns, rows] => (columns, rows),
            _ => return None,
        };
        let shuffled = Shuffled::most(facts.isa, gaps);
        if cell >= RUN_BYTES || may_fill(cell, dims, shuffled) {
            return None;
        }
        let relation = Relation::of(cell, dims, line);
        if loose(cell, dims, relation.crossed(), shuffled).is_some() {
            return None;
        }
        // Of two dimensions, cells may be blocks themselves.
        if !has_weaves(cell) && loose_of_many(cell, dims, shuffled).is_some() {
            return None;
        }
        let (family, pairing) = match relation {
            Relation::Woven(_) => (Family::Interleave, Pairing::Crossed),
            Relation::Crossed(_) => {
                let family = crossed_family(rows.extent, columns.extent);
                (family, Pairing::Crossed)
            }
            Relation::Apart(_) => (Family::Strided, Pairing::Crossed),
            Relation::Straight(family) if has_kernels(family, cell) => (family, Pairing::Straight),
            Relation::Straight(_) => return None,
        };
        let (mut from, mut to) = (normal.src_shift, normal.dst_shift);
        let (src, src_cells) = match pairing {
            Pairing::Straight => (rows.src, columns.src),
            Pairing::Crossed => {
                if rows.src < 0 {
                    let (src, dst) = flip(&mut rows);
                    (from, to) = (from + src, to + dst);
                }
                (columns.src, rows.src)
            }
        };
        let side = |shift, stride, step| StridedSide {
            shift,
            stride,
            step,
        };
        let panel = StridedPanel {
            cell,
            rows: rows.extent,
            cols: columns.extent,
            pairing,
            src: side(from, src, src_cells),
            dst: side(to, rows.dst, columns.dst),
        };
        let bytes = cut::in_lines(&panel, normal.bytes, line);
        let alone = cut::wanted(Par::Auto, bytes, facts).most() == 1;
        alone.then(|| Self {
            row: find(family, &panel.ask(gaps, false), facts.isa),
            panel,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use restride_kernels::Isa;

    use crate::machine::Machine;
    use crate::plan::{FEW, Options, PanelPlan, Problem, Recipe};

    /// Small problems of two axes: transposed, apart, reversed, repeated, padded.
    fn problems() -> impl Iterator<Item = Problem> {
        const SHAPES: [[usize; 2]; 9] = [
            [1, 7],
            [2, 40],
            [3, 80],
            [80, 3],
            [100, 4],
            [5, 9],
            [16, 16],
            [33, 30],
            [64, 64],
        ];
        let strides = |[rows, cols]: [usize; 2], cell: usize| {
            let (rows, cols, cell) = (rows as isize, cols as isize, cell as isize);
            [
                [cols * cell, cell],
                [cell, rows * cell],
                [-cell, rows * cell],
                [cols * cell, -cell],
                [0, cell],
                [cell, 0],
                [2 * cols * cell, 2 * cell],
                [2 * cell, (2 * rows + 1) * cell],
                [(cols + 5) * cell, cell],
                [4 * cell, 4 * rows * cell],
            ]
        };
        let of = move |shape: [usize; 2], cell: usize| {
            let (from, to) = (strides(shape, cell), strides(shape, cell));
            let pairs = from
                .into_iter()
                .flat_map(move |src| to.map(|dst| (src, dst)));
            // A destination that is written twice is no problem.
            pairs.filter_map(move |(src, dst)| Problem::from_bytes(cell, &shape, &src, &dst).ok())
        };
        let cells = [1, 2, 3, 4, 6, 8, 12, 16, 20, 40];
        SHAPES
            .into_iter()
            .flat_map(move |shape| cells.into_iter().flat_map(move |cell| of(shape, cell)))
    }

    #[test]
    fn a_plane_is_what_the_recipe_says() {
        let host = Machine::host().unwrap().facts();
        let (mut planes, mut all) = (0, 0);
        for isa in Isa::ALL.into_iter().filter(|&isa| isa <= host.isa) {
            for gaps in [SourceGaps::Readable, SourceGaps::Forbidden] {
                for problem in problems() {
                    let facts = Facts { isa, ..*host };
                    planes += usize::from(is_as_the_recipe_says(problem, gaps, &facts));
                    all += 1;
                }
            }
        }
        assert!(2 * planes > all, "{planes} of {all}");
    }

    /// False if there is no plane.
    fn is_as_the_recipe_says(problem: Problem, gaps: SourceGaps, facts: &Facts) -> bool {
        let problem = problem.with_source_gaps(gaps);
        let mut room = [Dim::NONE; FEW];
        let normal = Form::of(&problem, &mut room).unwrap();
        let Some(plane) = Plane::of(&normal, gaps, facts) else {
            return false;
        };
        let recipe = Recipe::choose(&problem, &Options::default(), facts);
        let work = recipe.work.unwrap();
        let panel = PanelPlan::of(&plane.panel);
        assert_eq!(
            (plane.row.name, &panel),
            (work.row.name, &work.panel),
            "{problem:?}"
        );
        assert!(
            work.loops.is_empty() && work.threads.most() == 1,
            "{problem:?}"
        );
        true
    }
}
