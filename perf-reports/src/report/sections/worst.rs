//! The worst cases, explained: what was planned, what the lines alone would take, what it took, and what
//! may be the cause.

use super::headline::worst;
use crate::data::Data;
use crate::data::query::Ours;
use crate::report::doc::{Block, Section};
use crate::units;

/// Cases that are explained.
pub(in crate::report) const EXPLAINED: usize = 5;

pub(super) fn section(data: &Data) -> Option<Section> {
    let worst = worst(data, EXPLAINED);
    if worst.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::Text(
        "Predicted is the time that the lines a case touches would take at the speed of a plain copy of as \
         many bytes. Causes are read off the plan, not measured."
            .into(),
    )];
    for (share, ours) in worst {
        let case = ours.case();
        let predicted = predicted_ns(data, &ours).map_or_else(|| "unknown".into(), units::time);
        blocks.push(Block::Text(format!(
            "`{}`: {} of the roof in lines; predicted {predicted}, measured {}. Suspected: {}.",
            case.name,
            units::ratio(Some(share)),
            units::time(ours.record.median_ns),
            causes(data, &ours).join("; "),
        )));
        let plan = vec![Block::Code(case.words.clone())];
        blocks.push(Block::Folded(format!("The plan of `{}`", case.name), plan));
    }
    Some(Section::new("worst", "Worst cases, explained", blocks))
}

/// The lines touched, at the roof of a working set of as many bytes.
fn predicted_ns(data: &Data, ours: &Ours<'_>) -> Option<f64> {
    let bytes = ours.case().line_bytes();
    let roof = data.ceilings.roof(ours.record.threads);
    let near = roof
        .iter()
        .min_by(|one, other| (one.0 - bytes).abs().total_cmp(&(other.0 - bytes).abs()))?;
    Some(bytes / near.1)
}

/// What in the plan may be slow.
fn causes(data: &Data, ours: &Ours<'_>) -> Vec<String> {
    const STREAMED: usize = 8 << 20;
    const PAGE: isize = 4096;
    let case = ours.case();
    let mut causes = Vec::new();
    if let Some(plan) = case.kernel(ours.record.threads) {
        let scalar = plan.kernel.contains("-scalar-") || plan.kernel.contains("-portable-");
        let best = data.environment.isa.last();
        if scalar && best.is_some_and(|isa| isa != "scalar" && isa != "portable") {
            let cell = case.cell;
            causes.push(format!("no vector kernel takes it (cells of {cell} B)"));
        }
        if plan.stores == "cached" && case.side_bytes >= STREAMED {
            causes.push(
                "stores go through the caches, so each line is read before it is written".into(),
            );
        }
    }
    let cell = case.cell as isize;
    let resonant = |strides: &[isize]| {
        let far = strides.iter().map(|stride| (stride * cell).abs());
        far.filter(|&bytes| bytes >= PAGE && bytes % PAGE == 0)
            .count()
    };
    if resonant(&case.src_strides) > 0 && resonant(&case.dst_strides) > 0 {
        causes.push(
            "rows of both sides lie multiples of 4 KiB apart and share few cache sets".into(),
        );
    }
    let used = case.side_bytes as f64 / case.dst_line_bytes.max(1.0);
    if used < 0.9 {
        let used = 100.0 * used;
        causes.push(format!(
            "{used:.0} % of each destination line is written, so lines are read first"
        ));
    }
    let short = case
        .shape
        .last()
        .is_some_and(|&extent| extent * case.cell < 64);
    if short && causes.is_empty() {
        causes.push("rows are shorter than a line".into());
    }
    if causes.is_empty() {
        causes.push("nothing in the plan stands out".into());
    }
    causes
}
