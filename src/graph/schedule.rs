//! Which operations can run at the same time, in words and as a picture.

#![forbid(unsafe_code)]

use core::fmt::{self, Write};

use super::analysis::{Dependencies, Predecessors};
use super::operation::{Operation, OperationId};

/// Operations in waves: those of a wave depend only on those of earlier waves. A run does not wait for
/// whole waves: an operation starts when all that it depends on have ended.
///
/// Its [`Display`](fmt::Display) lists the waves, and for each operation what it waits for and why.
pub struct Schedule<'g> {
    operations: &'g [Operation<'g>],
    predecessors: &'g Predecessors,
    waves: Vec<Vec<OperationId>>,
}

impl fmt::Debug for Schedule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.waves).finish()
    }
}

impl<'g> Schedule<'g> {
    pub(super) fn new(operations: &'g [Operation<'_>], predecessors: &'g Predecessors) -> Self {
        Self {
            operations,
            predecessors,
            waves: waves(predecessors),
        }
    }

    /// The waves, first to last, each in the order of submission.
    #[must_use]
    pub fn waves(&self) -> &[Vec<OperationId>] {
        &self.waves
    }

    /// The schedule in the DOT language. See [`Graph::to_dot`](super::Graph::to_dot).
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph operations {\n    node [shape=box];\n");
        // Writing to a string does not fail.
        let _ = self.write_dot(&mut dot);
        dot.push_str("}\n");
        dot
    }

    fn write_dot(&self, dot: &mut String) -> fmt::Result {
        for (i, operation) in self.operations.iter().enumerate() {
            let mut label = format!("{i} {}", operation.name);
            for access in operation.footprints.all() {
                let verb = if access.writes() { "writes" } else { "reads" };
                write!(label, "\n{verb} {access}")?;
            }
            writeln!(dot, "    op{i} [label=\"{}\"];", escaped(&label))?;
        }
        for wave in &self.waves {
            dot.push_str("    { rank=same;");
            for id in wave {
                write!(dot, " op{};", id.0)?;
            }
            dot.push_str(" }\n");
        }
        for conflict in self.dependencies() {
            let lines = conflict.hazards.iter();
            let lines: Vec<String> = lines.map(|h| conflict.describe(h).to_string()).collect();
            let style = if conflict.is_explicit() {
                "solid"
            } else {
                "dashed"
            };
            let (from, to) = (conflict.earlier.0, conflict.later.0);
            let label = escaped(&lines.join("\n"));
            writeln!(
                dot,
                "    op{from} -> op{to} [style={style}, label=\"{label}\"];"
            )?;
        }
        Ok(())
    }

    fn dependencies(&self) -> Dependencies<'_> {
        Dependencies::new(self.operations, self.predecessors)
    }
}

impl fmt::Display for Schedule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.waves.is_empty() {
            return f.write_str("no operations");
        }
        let mut conflicts: Vec<Vec<_>> = Vec::new();
        conflicts.resize_with(self.operations.len(), Vec::new);
        for conflict in self.dependencies() {
            conflicts[conflict.later.0].push(conflict);
        }
        for (number, wave) in self.waves.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "wave {number}")?;
            for id in wave {
                let operation = &self.operations[id.0];
                write!(f, "\n  {} {}", id.0, operation.name)?;
                for conflict in &conflicts[id.0] {
                    let earlier = conflict.earlier.0;
                    write!(
                        f,
                        "\n      after {earlier} {}",
                        self.operations[earlier].name
                    )?;
                    for hazard in &conflict.hazards {
                        write!(f, "\n          {}", conflict.describe(hazard))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Each operation one wave after the last of those it depends on.
fn waves(predecessors: &Predecessors) -> Vec<Vec<OperationId>> {
    let mut level = vec![0; predecessors.len()];
    let mut waves: Vec<Vec<OperationId>> = Vec::new();
    for i in 0..predecessors.len() {
        let before = predecessors.of(i).iter();
        level[i] = before.map(|&i| level[i as usize] + 1).max().unwrap_or(0);
        if level[i] == waves.len() {
            waves.push(Vec::new());
        }
        waves[level[i]].push(OperationId(i));
    }
    waves
}

/// Text between the quotation marks of a DOT label.
fn escaped(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.replace('\n', "\\l") + "\\l"
}
