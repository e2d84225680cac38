//! A document as markdown.

use super::{Block, Document};

/// The text of `report.md`.
pub(in crate::report) fn write(document: &Document) -> String {
    let mut text = format!("# {}\n", document.title);
    for section in &document.sections {
        text += &format!("\n## {}\n", section.title);
        text += &blocks(&section.blocks);
    }
    text
}

fn blocks(all: &[Block]) -> String {
    all.iter()
        .map(|block| format!("\n{}", written(block)))
        .collect()
}

fn written(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("{text}\n"),
        Block::List(items) => items.iter().map(|item| format!("- {item}\n")).collect(),
        Block::Table(table) => table.markdown(),
        Block::Code(text) => format!("```text\n{}\n```\n", text.trim_end()),
        Block::Figure(figure) => format!("![{}](fig/{}.svg)\n", figure.title, figure.name),
        Block::Folded(title, inner) => format!(
            "<details>\n<summary>{title}</summary>\n{}\n</details>\n",
            blocks(inner)
        ),
    }
}
