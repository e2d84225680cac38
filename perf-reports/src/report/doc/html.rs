//! A document as one page of HTML that needs nothing else: style and figures stand in it.

use super::{Block, Document};
use crate::report::draw::dark_rules;
use crate::table::{Align, Table};

const STYLE: &str = include_str!("style.css");

/// The text of `report.html`.
pub(in crate::report) fn write(document: &Document) -> String {
    let title = escaped(&document.title);
    let links: String = document
        .sections
        .iter()
        .map(|section| {
            format!(
                "<a href=\"#{}\">{}</a>\n",
                section.id,
                escaped(&section.title)
            )
        })
        .collect();
    let sections: String = document
        .sections
        .iter()
        .map(|section| {
            format!(
                "<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n",
                section.id,
                escaped(&section.title),
                blocks(&section.blocks)
            )
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{STYLE}@media (prefers-color-scheme: dark){{\n{}}}\n\
         </style>\n</head>\n<body>\n<nav>\n{links}</nav>\n<main>\n<h1>{title}</h1>\n\
         {sections}</main>\n</body>\n</html>\n",
        dark_rules()
    )
}

fn blocks(all: &[Block]) -> String {
    all.iter().map(written).collect()
}

fn written(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p>{}</p>\n", inline(text)),
        Block::List(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("<li>{}</li>\n", inline(item)))
                .collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Table(table) => of_table(table),
        Block::Code(text) => format!("<pre>{}</pre>\n", escaped(text.trim_end())),
        Block::Figure(figure) => format!("<figure>\n{}</figure>\n", figure.svg),
        Block::Folded(title, inner) => format!(
            "<details>\n<summary>{}</summary>\n{}</details>\n",
            inline(title),
            blocks(inner)
        ),
    }
}

fn of_table(table: &Table) -> String {
    let row = |cells: Vec<String>, tag: &str| {
        let cells = cells.iter().zip(&table.columns).map(|(cell, (_, align))| {
            let class = match align {
                Align::Left => "",
                Align::Right => " class=\"n\"",
            };
            format!("<{tag}{class}>{}</{tag}>", inline(cell))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let names = table.columns.iter().map(|(name, _)| name.clone()).collect();
    let rows: String = table
        .rows
        .iter()
        .map(|cells| row(cells.clone(), "td"))
        .collect();
    format!(
        "<div class=\"wide\"><table>\n<thead>{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        row(names, "th")
    )
}

/// Text whose words between backticks are code.
fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(i, part)| {
        let part = escaped(part);
        if i % 2 == 1 {
            format!("<code>{part}</code>")
        } else {
            part
        }
    });
    parts.collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Section, markdown};
    use super::*;
    use crate::table::{left, right};

    fn document() -> Document {
        let mut table = Table::new(vec![left("case"), right("GB/s")]);
        table.push(vec!["a<b".into(), "1.5".into()]);
        let figure = Figure {
            name: "some",
            title: "What it shows".into(),
            svg: "<svg></svg>\n".into(),
        };
        let blocks = vec![
            Block::Text("Run `a & b`.".into()),
            Block::List(vec!["one".into()]),
            Block::Table(table),
            Block::Figure(figure),
            Block::Folded("more".into(), vec![Block::Code("x > y\n".into())]),
        ];
        Document {
            title: "A report".into(),
            sections: vec![Section::new("first", "First", blocks)],
        }
    }

    #[test]
    fn markdown_and_html_say_the_same() {
        let text = markdown::write(&document());
        let want = "# A report\n\n## First\n\nRun `a & b`.\n\n- one\n\n| case | GB/s |\n\
                    | ---- | ---: |\n| a<b  |  1.5 |\n\n![What it shows](fig/some.svg)\n\n\
                    <details>\n<summary>more</summary>\n\n```text\nx > y\n```\n\n</details>\n";
        assert_eq!(text, want);
        let page = write(&document());
        for part in [
            "<h2>First</h2>",
            "<p>Run <code>a &amp; b</code>.</p>",
            "<td>a&lt;b</td><td class=\"n\">1.5</td>",
            "<figure>\n<svg></svg>",
            "<a href=\"#first\">First</a>",
            "prefers-color-scheme: dark",
            "<pre>x &gt; y</pre>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("http"), "it needs no network");
    }
}
