//! Tables, for a terminal and for markdown, from the same rows.

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column: its name and how it is aligned.
pub(crate) type Column = (String, Align);

/// A column of words.
pub(crate) fn left(name: &str) -> Column {
    (name.into(), Align::Left)
}

/// A column of numbers.
pub(crate) fn right(name: &str) -> Column {
    (name.into(), Align::Right)
}

/// A table of words.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        let rows = Vec::new();
        Self { columns, rows }
    }

    /// Adds a row that has an entry for each column.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// Columns side by side, for a fixed-width font.
    pub(crate) fn text(&self) -> String {
        let rule = self.widths().map(|width| "-".repeat(width));
        self.lines(rule.collect(), |cells| cells.join("  ").trim_end().into())
    }

    /// The table in markdown, its columns padded so that it can be read as it is, too.
    pub(crate) fn markdown(&self) -> String {
        let columns = self.widths().zip(&self.columns);
        let rule = columns.map(|(width, (_, align))| match align {
            Align::Left => "-".repeat(width),
            Align::Right => format!("{}:", "-".repeat(width - 1)),
        });
        self.lines(rule.collect(), |cells| format!("| {} |", cells.join(" | ")))
    }

    /// Names, a rule and all rows, a line each.
    fn lines(&self, rule: Vec<String>, line: impl Fn(Vec<String>) -> String) -> String {
        let names = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let rows = [names, rule].into_iter().chain(self.rows.iter().cloned());
        rows.map(|row: Vec<String>| {
            let cells = row.iter().zip(self.widths()).zip(&self.columns);
            line(
                cells
                    .map(|((cell, width), (_, align))| pad(cell, width, *align))
                    .collect(),
            ) + "\n"
        })
        .collect()
    }

    fn widths(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().enumerate().map(|(column, (name, _))| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([name.chars().count(), 3]).max().unwrap_or(3)
        })
    }
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    match align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right => format!("{cell:>width$}"),
    }
}
