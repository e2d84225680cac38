//! The kinds of cases: a figure each, and what it says in words.

use crate::data::Data;
use crate::implementations::{NAIVE, PLAN, PLAN_AND_RUN, RESTRIDE, RUN, VIEWS};
use crate::report::doc::{Block, Figure, Section};
use crate::report::figures;
use crate::table::{Table, left, right};
use crate::units;

/// A section of a paragraph and a figure, if there is a figure.
fn shown(id: &'static str, title: &str, text: &str, figure: Option<Figure>) -> Option<Section> {
    let figure = Block::Figure(figure?);
    Some(Section::new(
        id,
        title,
        vec![Block::Text(text.into()), figure],
    ))
}

pub(super) fn flagship(data: &Data) -> Option<Section> {
    let text = "Bars are restride, marks are other crates on the same memory in the same rounds, the upright \
                line is the roof of the case.";
    shown(
        "flagship",
        "Real scenarios",
        text,
        figures::flagship::draw(data),
    )
}

pub(super) fn rooflines(data: &Data) -> Option<Section> {
    let text = "The first figure asks whether a copy is as fast as a plain one of its size. The second asks \
                the same of copies whose cells leave gaps: they have to touch whole lines, so a copy on the \
                diagonal of its level could only be faster if it touched fewer.";
    let figures = [
        figures::working_set::draw(data),
        figures::line_use::draw(data),
    ];
    let mut blocks = vec![Block::Text(text.into())];
    blocks.extend(figures.into_iter().flatten().map(Block::Figure));
    (blocks.len() > 1).then(|| Section::new("rooflines", "Rooflines", blocks))
}

pub(super) fn sizes(data: &Data) -> Option<Section> {
    let text = "The same copy from a few KiB to far out of the last cache. Gather, scatter and strided copies \
                use every other cell of at least one side, so that half of what they touch is of use.";
    shown("sizes", "Size by size", text, figures::sizes::draw(data))
}

pub(super) fn permutations(data: &Data) -> Option<Section> {
    let text = "All orders of two to four axes and a sample of those of five and six, none of which is a \
                special case of the planner.";
    let figure = figures::permutations::draw(data);
    shown("permutations", "Permutations", text, figure)
}

pub(super) fn ttc(data: &Data) -> Option<Section> {
    let text = "The benchmark that comes with TTC and HPTT. Bars are one thread, rings several threads \
                against the roof of as many, marks other crates against the roof of one thread.";
    shown("ttc57", "57 transpositions", text, figures::ttc::draw(data))
}

pub(super) fn latency(data: &Data) -> Option<Section> {
    let figure = figures::latency::draw(data)?;
    let who = [
        (RESTRIDE, "run raw"),
        (RUN, "run"),
        (VIEWS, "copy views"),
        (PLAN, "plan"),
        (PLAN_AND_RUN, "plan and run"),
        (NAIVE, "naive"),
        ("ndarray", "ndarray"),
    ];
    let mut columns = vec![left("case"), right("bytes a side")];
    columns.extend(who.map(|(_, name)| right(&format!("{name}, ns"))));
    let mut table = Table::new(columns);
    for measured in data.kind("small") {
        let case = &measured.case;
        let mut row = vec![case.name.clone(), case.side_bytes.to_string()];
        row.extend(who.map(|(name, _)| {
            let record = measured.of(name, 1);
            record.map_or_else(String::new, |record| units::digits(record.median_ns))
        }));
        table.push(row);
    }
    let blocks = vec![
        Block::Text(
            "`run` is `Plan::run_raw` of a plan that stands, `copy` the function of that name between two \
             views, `plan` makes a problem and a plan and copies nothing."
                .into(),
        ),
        Block::Figure(figure),
        Block::Folded("Nanoseconds per call".into(), vec![Block::Table(table)]),
    ];
    Some(Section::new("latency", "Small copies", blocks))
}

pub(super) fn resonance(data: &Data) -> Option<Section> {
    let text = "A copy that touches a line more than once loses it in between where many rows share few \
                cache sets. One that touches each line once does not care.";
    let figure = figures::resonance::draw(data);
    shown("resonance", "Stride resonance", text, figure)
}

pub(super) fn threads(data: &Data) -> Option<Section> {
    let text = "Marks are restride's gain over its own speed on one thread, the upright line is what the roof \
                gains on the largest number of threads: more cannot be had where the roof is reached.";
    shown("threads", "Threads", text, figures::threads::draw(data))
}
