//! Every way this tool can end without success, with the exit code that says which. A file of its
//! own, because the codes are part of the command line.

use std::fmt;
use std::io;
use std::path::Path;

/// Why the tool stops. Its text is one line.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// Exit code 1: a file, a pipe or memory could not be had, or a file is not what it should be.
    Io(String),
    /// Exit code 2: what was asked for makes no sense.
    Usage(String),
    /// Exit code 3: an implementation copied wrongly.
    Wrong(String),
    /// Exit code 4: something became slower, or criterion does not find what a report says.
    Regression(String),
    /// Exit code 130: interrupted; what was measured is kept.
    Interrupted(String),
}

impl Failure {
    /// What the process returns.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Io(_) => 1,
            Self::Usage(_) => 2,
            Self::Wrong(_) => 3,
            Self::Regression(_) => 4,
            Self::Interrupted(_) => 130,
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("{}: {error}", path.display()))
    }

    /// Memory to measure with that could not be had.
    pub(crate) fn memory(error: &io::Error) -> Self {
        Self::Io(format!("memory to measure with: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Io(text)
        | Self::Usage(text)
        | Self::Wrong(text)
        | Self::Regression(text)
        | Self::Interrupted(text)) = self;
        // One line, whatever stands in a path or an argument.
        let visible = text.replace(|c: char| c.is_control(), " ");
        let mut words = visible.split_whitespace();
        f.write_str(words.next().unwrap_or("failed"))?;
        words.try_for_each(|word| write!(f, " {word}"))
    }
}

/// Refusals of restride: this tool checks nothing that the planner checks anyway.
impl From<restride::Error> for Failure {
    fn from(error: restride::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_single_lines() {
        let text = || String::from("no  case\nis called\u{7} so");
        let all = [
            (Failure::Io(text()), 1),
            (Failure::Usage(text()), 2),
            (Failure::Wrong(text()), 3),
            (Failure::Regression(text()), 4),
            (Failure::Interrupted(text()), 130),
        ];
        for (failure, code) in all {
            assert_eq!(failure.exit_code(), code);
            assert_eq!(failure.to_string(), "no case is called so");
        }
    }
}
