//! The folder of a report: found before anything is measured, so that a minute's work is not lost
//! for want of a place to put it.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::environment::Environment;
use crate::failure::Failure;

/// The folder that holds the reports: this package's where cargo runs it, else `perf-reports` below
/// the current folder.
pub(crate) fn home() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| "perf-reports".into(), PathBuf::from)
}

/// A folder in the working tree that this was built from, for asking git.
pub(crate) fn tree() -> PathBuf {
    let home = home();
    if home.is_dir() { home } else { ".".into() }
}

/// Makes the folder: `wanted`, which may exist, or a new one in `home` under the name of the
/// environment, with a number behind it where that is taken.
pub(crate) fn create(
    wanted: Option<&Path>,
    home: &Path,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    if let Some(folder) = wanted {
        fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
        return Ok(folder.into());
    }
    fs::create_dir_all(home).map_err(|error| Failure::file(home, &error))?;
    let name = environment.folder_name();
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    for name in [name.clone()].into_iter().chain(numbered) {
        let folder = home.join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::file(&folder, &error)),
        }
    }
    unreachable!("there are more numbers than folders")
}

/// Writes a file. It takes its name once it is whole: where it cannot be, for want of space, the file of
/// that name stays what it was.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        Failure::file(path, &error)
    })
}

/// JSON on one line.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Io(error.to_string()))
}

/// JSON for people.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    Ok(text.map_err(|error| Failure::Io(error.to_string()))? + "\n")
}
