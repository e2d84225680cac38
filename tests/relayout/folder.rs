//! A folder for one test, which sees to it that a refusal leaves it as it was.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

/// A folder and what was in it before.
pub(crate) struct Folder {
    pub(crate) dir: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Folder {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of this folder.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.join(name), bytes).unwrap();
        self.join(name)
    }

    fn names(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    }

    /// Runs `attempt` and insists on exit code `code`, one line that contains `words`, and the
    /// same files as before.
    pub(crate) fn refuses(&self, code: i32, words: &str, attempt: impl FnOnce() -> Output) {
        let before = self.names();
        let run = attempt();
        let line = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(code), "{words}: {line}");
        assert_eq!(line.lines().count(), 1, "{words}: {line}");
        assert!(
            line.starts_with("relayout: ") && line.ends_with('\n'),
            "{words}: {line}"
        );
        assert!(line.contains(words), "expected {words:?}: {line}");
        assert!(run.stdout.is_empty(), "{words}");
        assert_eq!(self.names(), before, "{words}");
    }
}
