//! The cases of a run and what was planned for each: `plans.json`.

use restride::Recipe;
use restride::recipe::Stored;
use restride_cases::{Case, Kind};
use serde::{Deserialize, Serialize};

/// A case as reports know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CaseRecord {
    /// Its name.
    pub(crate) name: String,
    /// What it stands for: flagship, table, ttc ..
    pub(crate) kind: String,
    /// What a call of restride includes: prepared, planned or listed.
    pub(crate) call: String,
    /// Bytes of a cell.
    pub(crate) cell: usize,
    /// Extents.
    pub(crate) shape: Vec<usize>,
    /// Source strides in cells.
    pub(crate) src_strides: Vec<isize>,
    /// Destination strides in cells.
    pub(crate) dst_strides: Vec<isize>,
    /// Bytes of the cells of one side.
    pub(crate) side_bytes: usize,
    /// Bytes of the source lines that are touched, as the planner predicts.
    pub(crate) src_line_bytes: f64,
    /// The same of the destination.
    pub(crate) dst_line_bytes: f64,
    /// The smallest level of the memory that holds both sides.
    pub(crate) level: String,
    /// What was planned for each number of threads.
    pub(crate) plans: Vec<PlanRecord>,
    /// The plan in words, for one thread or the fewest there are; of sweeps only of the worst.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) words: String,
    /// Who was asked and cannot express it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inexpressible: Vec<String>,
}

/// What a recipe says that explains a speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanRecord {
    /// Threads it was made for.
    pub(crate) threads: usize,
    /// The kernel row.
    pub(crate) kernel: String,
    /// Its family.
    pub(crate) family: String,
    /// Cached or streaming.
    pub(crate) stores: String,
    /// Ranges that it is cut into.
    pub(crate) ranges: usize,
}

impl PlanRecord {
    /// None where there is nothing to move.
    pub(crate) fn of(recipe: &Recipe, threads: usize) -> Option<Self> {
        let work = recipe.work.as_ref()?;
        Some(Self {
            threads,
            kernel: recipe.kernels().join(", again "),
            family: work.family().name().into(),
            stores: match recipe.stores()? {
                Stored::Streaming => "streaming".into(),
                _ => "cached".into(),
            },
            ranges: work.threads.warm,
        })
    }
}

impl CaseRecord {
    /// A case and the recipes that were made for it, each with its number of threads.
    pub(crate) fn of(
        case: &Case,
        recipes: &[(usize, &Recipe)],
        inexpressible: Vec<String>,
    ) -> Self {
        let first = recipes.first().map(|(_, recipe)| *recipe);
        let traffic = first.and_then(Recipe::traffic);
        let line = first
            .and_then(|recipe| recipe.work.as_ref())
            .map_or(64, |work| work.caches.line) as f64;
        let lines = traffic.map(|t| (t.source.lines * line, t.dest.lines * line));
        let (src_line_bytes, dst_line_bytes) = lines.unwrap_or_default();
        Self {
            name: case.name.clone(),
            kind: case.kind.name().into(),
            call: case.call.name().into(),
            cell: case.cell,
            shape: case.shape.clone(),
            src_strides: case.src.strides.clone(),
            dst_strides: case.dst.strides.clone(),
            side_bytes: case.side_bytes(),
            src_line_bytes,
            dst_line_bytes,
            level: traffic.map_or_else(String::new, |traffic| traffic.level.to_string()),
            plans: recipes
                .iter()
                .filter_map(|(threads, recipe)| PlanRecord::of(recipe, *threads))
                .collect(),
            words: first.map_or_else(String::new, ToString::to_string),
            inexpressible,
        }
    }

    /// Whether it is one of very many that show something together.
    pub(crate) fn is_sweep(&self) -> bool {
        let mut kinds = Kind::ALL.into_iter();
        kinds.any(|kind| kind.is_sweep() && kind.name() == self.kind)
    }

    /// Bytes read + written.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.side_bytes
    }

    /// Bytes of the lines touched on both sides.
    pub(crate) fn line_bytes(&self) -> f64 {
        self.src_line_bytes + self.dst_line_bytes
    }

    /// The kernel that was planned for so many threads.
    pub(crate) fn kernel(&self, threads: usize) -> Option<&PlanRecord> {
        let of_it = self.plans.iter().find(|plan| plan.threads == threads);
        of_it.or_else(|| self.plans.first())
    }

    /// What the case is worth in lines: the bytes of the source lines and of the destination cells,
    /// of the bytes that a plain copy of its cells reads and writes.
    pub(crate) fn line_weight(&self) -> f64 {
        (self.src_line_bytes + self.side_bytes as f64) / self.bytes() as f64
    }
}
