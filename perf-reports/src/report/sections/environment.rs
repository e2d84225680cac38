//! Where it was measured, and how quiet it was there.

use crate::data::Data;
use crate::report::doc::{Block, Section};
use crate::report::{figures, words};
use crate::table::{Table, left};

pub(super) fn section(data: &Data) -> Section {
    let mut table = Table::new(vec![left("fact"), left("value")]);
    for (name, value) in data.environment.lines() {
        table.push(vec![name.into(), value]);
    }
    let run = &data.run;
    let threads: Vec<String> = run.threads.iter().map(usize::to_string).collect();
    for (name, value) in [
        ("threads used", threads.join(", ")),
        ("pinned", run.pinning.clone()),
        ("pages asked", run.pages.clone()),
        ("destination", run.dest.clone()),
        (
            "placement",
            format!(
                "source {} B and destination {} B behind a multiple of 2 MiB",
                run.offsets.0, run.offsets.1
            ),
        ),
    ] {
        table.push(vec![name.into(), value]);
    }
    let mut noise = words::noise(data);
    noise[..1].make_ascii_uppercase();
    let mut blocks = vec![Block::Text(format!("{noise}."))];
    blocks.extend(figures::noise::draw(data).map(Block::Figure));
    blocks.push(Block::Table(table));
    Section::new("environment", "Where, and how quiet", blocks)
}
