//! `restride-perf explain`: the plan of one copy, without a copy.

use restride::{Isa, Options, Par, Plan, Recipe};
use restride_cases::{Call, Case, Kind, Side};
use serde::Serialize;

use crate::cli::Explain;
use crate::data::folder;
use crate::failure::Failure;

/// A plan for programs.
#[derive(Serialize)]
struct Explained {
    /// The kernel row.
    kernel: &'static str,
    family: &'static str,
    /// Rows and cells that it moves in registers at a time.
    tile: [usize; 2],
    stores: String,
    /// The normal form: bytes of a cell; extents with source and destination strides in bytes.
    cell: usize,
    dims: Vec<DimLine>,
    /// What one call of the kernel moves: rows, cells in a row, bytes of a cell.
    panel: [usize; 3],
    /// The loops around it, outermost first.
    loops: Vec<DimLine>,
    /// Where the source repeats cells: what is done instead of all this, piece by piece.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repeats: Vec<Pieces>,
    /// Ranges, from outside the pool and from inside.
    threads: [usize; 2],
    /// Bytes of the cells of one side.
    bytes: usize,
    source: SideLine,
    dest: SideLine,
    /// What bounds the speed: the smallest level that holds both sides.
    bound: String,
}

/// Pieces that are moved once, and copied from there.
#[derive(Serialize)]
struct Pieces {
    /// From piece to piece, outermost first.
    pieces: Vec<DimLine>,
    once: Option<Box<Explained>>,
    again: Vec<Option<Explained>>,
}

#[derive(Serialize)]
struct DimLine {
    extent: usize,
    src: isize,
    dst: isize,
}

#[derive(Serialize)]
struct SideLine {
    /// Lines touched, each once, and their bytes.
    lines: f64,
    line_bytes: f64,
    /// The share of those bytes that the copy uses.
    line_use: f64,
}

impl Explained {
    /// None where there is nothing to move.
    fn of(recipe: &Recipe) -> Option<Self> {
        let (work, normal) = (recipe.work.as_ref()?, recipe.normal()?);
        let traffic = recipe.traffic()?;
        let line = work.caches.line as f64;
        let dims = |dims: &[restride::recipe::Dim]| -> Vec<DimLine> {
            let of = |dim: &restride::recipe::Dim| DimLine {
                extent: dim.extent,
                src: dim.src,
                dst: dim.dst,
            };
            dims.iter().map(of).collect()
        };
        let side = |side: restride::recipe::SideTraffic| SideLine {
            lines: side.lines,
            line_bytes: side.lines * line,
            line_use: side.line_use,
        };
        let pieces = |repeat: &restride::recipe::Repeat| Pieces {
            pieces: dims(&repeat.pieces),
            once: Self::of(&repeat.once).map(Box::new),
            again: repeat
                .again
                .iter()
                .map(|(_, again)| Self::of(again))
                .collect(),
        };
        Some(Self {
            kernel: work.kernel(),
            family: work.family().name(),
            tile: [work.tile().rows, work.tile().cols],
            stores: format!("{:?}", work.stores()).to_lowercase(),
            cell: normal.cell,
            dims: dims(&normal.dims),
            panel: [work.panel.rows, work.panel.cols, work.panel.cell],
            loops: dims(&work.loops),
            repeats: recipe.repeats.iter().map(pieces).collect(),
            threads: [work.threads.cold, work.threads.warm],
            bytes: work.bytes,
            source: side(traffic.source),
            dest: side(traffic.dest),
            bound: traffic.level.to_string(),
        })
    }
}

/// The words of the plan, or JSON, and a line end.
///
/// # Errors
/// [`Failure::Usage`] if lengths differ, strides do not fit, an ISA is not known or not there, or
/// the destination would be written twice.
pub(crate) fn explain(asked: &Explain) -> Result<String, Failure> {
    let shape = asked.shape.0.clone();
    let too_far =
        |name: &str| Failure::Usage(format!("--{name}: bytes do not fit {} bits", isize::BITS));
    let fits = |strides: &[isize]| -> bool {
        let cell = isize::try_from(asked.cell);
        strides
            .iter()
            .all(|s| cell.is_ok_and(|cell| s.checked_mul(cell).is_some()))
    };
    let dense = || {
        let cells = shape.iter().try_fold(1_isize, |cells, &extent| {
            cells.checked_mul(isize::try_from(extent).ok()?)
        });
        cells.map(|_| Side::row_major(&shape).strides)
    };
    let dst = match &asked.dst_strides {
        Some(strides) => strides.0.clone(),
        None => dense().ok_or_else(|| too_far("shape"))?,
    };
    let src = asked.src_strides.0.clone();
    for (name, strides) in [("src-strides", &src), ("dst-strides", &dst)] {
        if !fits(strides) {
            return Err(too_far(name));
        }
    }
    let side = |strides| Side { strides, offset: 0 };
    let case = Case {
        name: "asked".into(),
        kind: Kind::Table,
        cell: asked.cell,
        src: side(src),
        dst: side(dst),
        shape,
        call: Call::Prepared,
    };
    let isa = match &asked.isa {
        Some(name) => Some(
            Isa::parse(name)
                .map_err(|unknown| Failure::Usage(format!("--isa {name}: {unknown}")))?,
        ),
        None => None,
    };
    let par = asked.threads.map_or(Par::Auto, |threads| match threads {
        1 => Par::Seq,
        n => Par::Threads(n),
    });
    let options = Options {
        par,
        isa,
        ..Options::default()
    };
    let plan = Plan::with(&case.problem()?, &options)?;
    if asked.json {
        return folder::pretty(&Explained::of(plan.recipe()));
    }
    Ok(format!("{plan}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Numbers;

    fn transpose() -> Explain {
        Explain {
            shape: Numbers(vec![4096, 4096]),
            src_strides: Numbers(vec![1, 4096]),
            dst_strides: None,
            cell: 4,
            isa: Some("scalar".into()),
            threads: Some(1),
            json: false,
        }
    }

    #[test]
    fn a_transpose_is_explained_and_nonsense_refused() {
        let text = explain(&transpose()).unwrap();
        assert!(text.starts_with("kernel   transpose-4-scalar"), "{text}");
        let usage = |asked: Explain| {
            let failure = explain(&asked).unwrap_err();
            assert_eq!(failure.exit_code(), 2);
            failure.to_string()
        };
        let json = true;
        let text = explain(&Explain {
            json,
            ..transpose()
        });
        let value: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
        assert_eq!(value["kernel"], "transpose-4-scalar-1x1");
        assert_eq!(value["source"]["line_bytes"], 67_108_864.0);
        let isa = Some("mmx".into());
        assert!(usage(Explain { isa, ..transpose() }).contains("mmx"));
        let src_strides = Numbers(vec![1]);
        usage(Explain {
            src_strides,
            ..transpose()
        });
        let src_strides = Numbers(vec![isize::MAX, 1]);
        usage(Explain {
            src_strides,
            ..transpose()
        });
        let shape = Numbers(vec![usize::MAX, 2]);
        usage(Explain {
            shape,
            ..transpose()
        });
        let dst_strides = Some(Numbers(vec![0, 1]));
        usage(Explain {
            dst_strides,
            ..transpose()
        });
    }
}
