//! A report as a document: sections of blocks, written as markdown or as a page of HTML. What the two
//! say is the same, since neither is written by hand.

pub(super) mod html;
pub(super) mod markdown;

use crate::table::Table;

/// A whole report.
pub(super) struct Document {
    pub(super) title: String,
    pub(super) sections: Vec<Section>,
}

/// A part with a heading.
pub(super) struct Section {
    /// What links lead to.
    pub(super) id: &'static str,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A paragraph or something between paragraphs. Words between backticks are code.
pub(super) enum Block {
    Text(String),
    List(Vec<String>),
    Table(Table),
    Code(String),
    Figure(Figure),
    /// What few will read: closed until someone opens it.
    Folded(String, Vec<Block>),
}

/// A figure in a file of its own.
pub(super) struct Figure {
    /// The file, without its ending.
    pub(super) name: &'static str,
    /// What it shows.
    pub(super) title: String,
    pub(super) svg: String,
}

impl Section {
    pub(super) fn new(id: &'static str, title: &str, blocks: Vec<Block>) -> Self {
        let title = title.into();
        Self { id, title, blocks }
    }
}

impl Document {
    /// All figures, in their order.
    pub(super) fn figures(&self) -> Vec<&Figure> {
        fn of(blocks: &[Block]) -> Vec<&Figure> {
            let all = blocks.iter().flat_map(|block| match block {
                Block::Figure(figure) => vec![figure],
                Block::Folded(_, blocks) => of(blocks),
                _ => Vec::new(),
            });
            all.collect()
        }
        let sections = self.sections.iter();
        sections.flat_map(|section| of(&section.blocks)).collect()
    }
}
