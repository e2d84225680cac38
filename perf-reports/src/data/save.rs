//! Writing a run's data: line by line while it goes on, so that what is measured stays measured, and
//! whole at the end.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::folder::{json, pretty};
use super::{Data, SCHEMA};
use crate::data::environment::Environment;
use crate::data::record::Record;
use crate::data::run::Run;
use crate::failure::Failure;

/// What `env.json` holds.
#[derive(Serialize)]
struct Where<'a> {
    schema: u32,
    environment: &'a Environment,
    run: &'a Run,
}

/// The `data` folder of a run that goes on.
pub(crate) struct Writer {
    folder: PathBuf,
    results: File,
}

impl Writer {
    /// Makes the folder within `report` and an empty list of results in it: what cannot be written
    /// is found before anything is measured.
    pub(crate) fn new(report: &Path) -> Result<Self, Failure> {
        let folder = report.join("data");
        fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, &error))?;
        let path = folder.join("results.jsonl");
        let results = File::create(&path).map_err(|error| Failure::file(&path, &error))?;
        Ok(Self { folder, results })
    }

    /// Adds the records of a case.
    pub(crate) fn add(&mut self, records: &[Record]) -> Result<(), Failure> {
        let text = lines(records)?;
        let path = self.folder.join("results.jsonl");
        let written = self.results.write_all(text.as_bytes());
        written.map_err(|error| Failure::file(&path, &error))
    }

    /// Writes everything.
    pub(crate) fn finish(self, data: &Data) -> Result<(), Failure> {
        data.save(&self.folder)
    }
}

impl Data {
    /// Writes all files of a `data` folder.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), Failure> {
        let place = Where {
            schema: SCHEMA,
            environment: &self.environment,
            run: &self.run,
        };
        let mut results = String::new();
        let mut cases = Vec::new();
        for measured in &self.cases {
            results += &lines(&measured.records)?;
            cases.push(json(&measured.case)?);
        }
        // A case a line: a table to look things up in.
        let plans = format!(
            "{{\"schema\":{SCHEMA},\"cases\":[\n{}\n]}}\n",
            cases.join(",\n")
        );
        let points: Result<Vec<_>, _> = self.ceilings.points.iter().map(json).collect();
        let control: Result<Vec<_>, _> = self.ceilings.control.iter().map(json).collect();
        let ceilings = format!(
            "{{\"schema\":{SCHEMA},\"points\":[\n{}\n],\"control\":[\n{}\n]}}\n",
            points?.join(",\n"),
            control?.join(",\n")
        );
        let files = [
            ("env.json", pretty(&place)?),
            ("plans.json", plans),
            ("results.jsonl", results),
            ("ceilings.json", ceilings),
            ("command.txt", format!("{}\n", self.run.command)),
        ];
        for (name, text) in files {
            super::folder::write(&folder.join(name), &text)?;
        }
        Ok(())
    }
}

fn lines(records: &[Record]) -> Result<String, Failure> {
    let lines: Result<Vec<String>, Failure> = records.iter().map(json).collect();
    Ok(lines?.iter().map(|line| format!("{line}\n")).collect())
}
