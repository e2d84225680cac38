//! All results: restride's table, and everyone's speeds.

use crate::data::Data;
use crate::implementations::AGAIN;
use crate::report::doc::{Block, Section};
use crate::report::{terminal, words};
use crate::table::{Table, left, right};
use crate::units;

pub(super) fn section(data: &Data) -> Option<Section> {
    data.ours().next()?;
    let mut blocks = vec![Block::Folded(
        format!("restride on {} cases", data.cases.len()),
        vec![Block::Table(terminal::table(data))],
    )];
    blocks.push(Block::Folded(
        "All implementations, GB/s read + written of the median".into(),
        vec![
            Block::Text(
                "Blank: not run, or cannot be expressed. Sweeps are in the figures, and in the data.".into(),
            ),
            Block::Table(everyone(data)),
        ],
    ));
    let sentences = [words::rivals(data), words::loops(data)].into_iter();
    blocks.extend(sentences.filter(|words| !words.is_empty()).map(Block::Code));
    Some(Section::new("results", "All results", blocks))
}

fn everyone(data: &Data) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for record in data.cases.iter().flat_map(|measured| &measured.records) {
        let name = &record.implementation[..];
        if name != AGAIN && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut columns = vec![left("case"), right("threads")];
    columns.extend(names.iter().map(|name| right(name)));
    let mut table = Table::new(columns);
    for ours in data.ours().filter(|ours| !ours.case().is_sweep()) {
        let threads = ours.record.threads;
        let mut row = vec![ours.case().name.clone(), threads.to_string()];
        row.extend(names.iter().map(|name| {
            let record = ours.measured.of(name, threads);
            let speed = record.map(|record| ours.case().bytes() as f64 / record.median_ns);
            speed.map_or_else(String::new, units::digits)
        }));
        table.push(row);
    }
    table
}
