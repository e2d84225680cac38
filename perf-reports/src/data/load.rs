//! Reading a run's data again. Nothing is believed that does not fit together: a report drawn from
//! half a file would look like a report.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ceilings::Ceilings;
use super::environment::Environment;
use super::plans::CaseRecord;
use super::record::Record;
use super::run::{PeerRecord, Run};
use super::{Data, Measured, SCHEMA};
use crate::failure::Failure;

/// What every file says first.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

#[derive(Deserialize)]
struct Where {
    environment: Environment,
    run: Run,
}

#[derive(Deserialize)]
struct Cases {
    cases: Vec<CaseRecord>,
}

impl Data {
    /// The data of the report in `report`.
    ///
    /// # Errors
    /// [`Failure::Io`] names the file, and the line if it has lines, that is missing or is not what
    /// it should be.
    pub(crate) fn load(report: &Path) -> Result<Self, Failure> {
        let folder = report.join("data");
        let Where { environment, run } = file(&folder.join("env.json"))?;
        let Cases { cases } = file(&folder.join("plans.json"))?;
        let ceilings: Ceilings = file(&folder.join("ceilings.json"))?;
        let path = folder.join("results.jsonl");
        let mut places = HashMap::new();
        let mut measured = Vec::with_capacity(cases.len());
        for (place, case) in cases.into_iter().enumerate() {
            if places.insert(case.name.clone(), place).is_some() {
                let path = folder.join("plans.json");
                return Err(corrupt(&path, None, &format!("{} stands twice", case.name)));
            }
            let records = Vec::new();
            measured.push(Measured { case, records });
        }
        for (line, record) in lines::<Record>(&path)? {
            if let Some(fault) = record.fault() {
                return Err(corrupt(&path, Some(line), &fault));
            }
            let Some(&place) = places.get(&record.case) else {
                let what = format!("plans.json has no case {}", record.case);
                return Err(corrupt(&path, Some(line), &what));
            };
            measured[place].records.push(record);
        }
        measured.retain(|measured| !measured.records.is_empty());
        Ok(Self {
            environment,
            run,
            cases: measured,
            ceilings,
        })
    }
}

/// A line of a file of records from elsewhere: who took part, or a record.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Peer { peer: PeerRecord },
    Record(Record),
}

/// Adds the records of `path`, which another program made, to those of the same cases.
///
/// # Errors
/// [`Failure::Io`] names the file and the line that is wrong.
pub(crate) fn merge(data: &mut Data, path: &Path) -> Result<(), Failure> {
    for (line, record) in lines::<Line>(path)? {
        match record {
            Line::Peer { peer } => {
                data.run.peers.retain(|known| known.name != peer.name);
                data.run.peers.push(peer);
            }
            Line::Record(record) => {
                if let Some(fault) = record.fault() {
                    return Err(corrupt(path, Some(line), &fault));
                }
                let mut cases = data.cases.iter_mut();
                let same = cases.find(|measured| measured.case.name == record.case);
                // Cases that were not measured here have nothing to be compared with.
                let Some(measured) = same else { continue };
                measured.records.retain(|known| {
                    (&known.implementation, known.threads)
                        != (&record.implementation, record.threads)
                });
                measured.records.push(Record {
                    apart: true,
                    ..record
                });
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::file(path, &error))
}

fn corrupt(path: &Path, line: Option<usize>, what: &str) -> Failure {
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    Failure::Io(format!("{}{line}: {what}", path.display()))
}

/// A file of JSON that names its schema.
fn file<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = read(path)?;
    let wrong = |error: serde_json::Error| corrupt(path, None, &error.to_string());
    let Version { schema } = serde_json::from_str(&text).map_err(wrong)?;
    if schema != SCHEMA {
        let what = format!("data of schema {schema}, and this program reads schema {SCHEMA}");
        return Err(corrupt(path, None, &what));
    }
    serde_json::from_str(&text).map_err(wrong)
}

/// A file of a JSON value a line: the numbers of the lines, counted from 1, and the values.
fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<(usize, T)>, Failure> {
    let text = read(path)?;
    let numbered = (1..).zip(text.lines());
    numbered
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let value = serde_json::from_str(line);
            let wrong = |error: serde_json::Error| corrupt(path, Some(number), &error.to_string());
            Ok((number, value.map_err(wrong)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    /// A saved run, what `change` does to its folder, and what loading says then.
    fn after(name: &str, change: impl Fn(&Path)) -> Result<Data, Failure> {
        let report =
            std::env::temp_dir().join(format!("restride-load-{name}-{}", std::process::id()));
        let folder = report.join("data");
        fs::create_dir_all(&folder).unwrap();
        synthetic::data().save(&folder).unwrap();
        change(&folder);
        let loaded = Data::load(&report);
        fs::remove_dir_all(&report).unwrap();
        loaded
    }

    fn replace(path: &Path, from: &str, to: &str) {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from));
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    #[test]
    fn what_is_saved_is_loaded() {
        assert_eq!(after("same", |_| ()), Ok(synthetic::data()));
    }

    #[test]
    fn every_fault_names_its_file() {
        let fault = |name, change: fn(&Path)| {
            let failure = after(name, change).unwrap_err();
            assert_eq!(failure.exit_code(), 1);
            failure.to_string()
        };
        for file in ["env.json", "plans.json", "results.jsonl", "ceilings.json"] {
            let failure = after("missing", |folder| {
                fs::remove_file(folder.join(file)).unwrap()
            });
            assert!(failure.unwrap_err().to_string().contains(file));
        }
        let text = fault("schema", |folder| {
            replace(&folder.join("env.json"), "\"schema\": 2", "\"schema\": 99");
        });
        assert!(text.contains("schema 99"), "{text}");
        let text = fault("cut", |folder| {
            let path = folder.join("results.jsonl");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, &text[..text.len() - 20]).unwrap();
        });
        assert!(text.contains("results.jsonl, line "), "{text}");
        let text = fault("median", |folder| {
            let path = folder.join("results.jsonl");
            replace(&path, "\"median_ns\":", "\"median_ns\":7");
        });
        assert!(text.contains("line 1") && text.contains("median"), "{text}");
        let text = fault("unknown", |folder| {
            let path = folder.join("results.jsonl");
            replace(&path, "\"case\":\"", "\"case\":\"un");
        });
        assert!(text.contains("no case un"), "{text}");
    }

    #[test]
    fn records_of_others_join_their_cases() {
        let mut data = synthetic::data();
        let case = data.cases[0].case.name.clone();
        let path = std::env::temp_dir().join(format!("restride-merge-{}", std::process::id()));
        let text = format!(
            "{{\"peer\":{{\"name\":\"numpy\",\"version\":\"2\",\"how\":\"copyto\"}}}}\n\
             {{\"case\":\"{case}\",\"implementation\":\"numpy\",\"threads\":1,\"calls\":1,\
             \"median_ns\":5.0,\"samples_ns\":[5.0]}}\n\
             {{\"case\":\"none\",\"implementation\":\"numpy\",\"threads\":1,\"calls\":1,\
             \"median_ns\":5.0,\"samples_ns\":[5.0]}}\n"
        );
        fs::write(&path, text).unwrap();
        let before = data.cases[0].records.len();
        merge(&mut data, &path).unwrap();
        merge(&mut data, &path).unwrap();
        assert_eq!(data.cases[0].records.len(), before + 1);
        assert!(data.cases[0].records[before].apart);
        assert_eq!(
            data.run.peers.iter().filter(|p| p.name == "numpy").count(),
            1
        );
        fs::write(&path, "{\"case\":1}\n").unwrap();
        let failure = merge(&mut data, &path).unwrap_err();
        assert!(failure.to_string().contains("line 1"));
        fs::remove_file(&path).unwrap();
    }
}
