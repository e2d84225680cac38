//! What plain copies reach.

use crate::data::Data;
use crate::implementations::{MEMCPY, NT4COPY};
use crate::report::doc::{Block, Section};
use crate::report::figures;
use crate::table::{Table, left, right};
use crate::units;

pub(super) fn section(data: &Data) -> Option<Section> {
    let figure = figures::ceilings::draw(data)?;
    let curves: Vec<(String, Vec<(f64, f64)>)> = data
        .ceilings
        .threads()
        .into_iter()
        .flat_map(|threads| {
            [(MEMCPY, "memcpy"), (NT4COPY, "streaming")].map(|(name, words)| {
                let curve = data.ceilings.curve(name, threads);
                (format!("{words}, {}", units::threads(threads)), curve)
            })
        })
        .collect();
    let mut columns = vec![left("source + destination")];
    columns.extend(curves.iter().map(|(name, _)| right(name)));
    let mut table = Table::new(columns);
    for (bytes, _) in data.ceilings.roof(*data.ceilings.threads().first()?) {
        let mut row = vec![units::binary(bytes as u64)];
        row.extend(curves.iter().map(|(_, curve)| {
            let point = curve.iter().find(|point| point.0 == bytes);
            point.map_or_else(String::new, |point| units::digits(point.1))
        }));
        table.push(row);
    }
    let blocks = vec![
        Block::Text(
            "Hardly a copy is faster than a plain one of as many bytes. The roof of a case is the better of \
             these two at its size and number of threads, measured again in the rounds of the case itself; \
             this sweep is what the rooflines below are drawn from."
                .into(),
        ),
        Block::Figure(figure),
        Block::Folded("GB/s of each copy".into(), vec![Block::Table(table)]),
    ];
    Some(Section::new("ceilings", "Ceilings", blocks))
}
