//! Every way this tool can fail, with the exit code that says which. A file of its own, because the
//! codes are part of the command line.

use std::fmt;
use std::io;
use std::path::Path;

/// Why the tool stops. Its text is one line.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// Exit code 1: a file, a pipe or memory could not be had.
    Io(String),
    /// Exit code 2: what was asked for makes no sense.
    Usage(String),
    /// Exit code 3: an implementation copied wrongly.
    Wrong(String),
}

impl Failure {
    /// What the process returns: 1, 2 or 3.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Io(_) => 1,
            Self::Usage(_) => 2,
            Self::Wrong(_) => 3,
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Io(text) | Self::Usage(text) | Self::Wrong(text)) = self;
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
        assert_eq!(Failure::Io(String::new()).exit_code(), 1);
        let usage = Failure::Usage("no  case\nis called\u{7} so".into());
        assert_eq!(usage.exit_code(), 2);
        assert_eq!(usage.to_string(), "no case is called so");
        assert_eq!(Failure::Wrong(String::new()).exit_code(), 3);
    }
}
