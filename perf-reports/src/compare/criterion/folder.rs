//! What criterion leaves: in a folder per bench, however deep, `new/benchmark.json` says what was timed
//! and `new/estimates.json` how long it took.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// A bench.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timed {
    /// The whole name: `flagship/memcpy/F1-hwc-to-chw-u8`.
    pub(super) bench: String,
    /// What copied; none is restride.
    pub(super) who: Option<String>,
    /// What was copied.
    pub(super) case: String,
    /// The median of a call, and where it lies by criterion's reckoning.
    pub(super) median_ns: f64,
    pub(super) low_ns: f64,
    pub(super) high_ns: f64,
}

#[derive(Deserialize)]
struct Name {
    full_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// Groups have benches, benches a name and a parameter; whoever points at `target` is served, too.
const DEEPEST: usize = 6;

/// The last run of each bench in `dir`, by name.
///
/// # Errors
/// [`Failure::Io`] names the folder or file that is missing or is not what it should be.
pub(super) fn load(dir: &Path) -> Result<Vec<Timed>, Failure> {
    let mut all = Vec::new();
    find(dir, DEEPEST, &mut all)?;
    all.sort_unstable_by(|one, other| one.bench.cmp(&other.bench));
    Ok(all)
}

fn find(dir: &Path, deeper: usize, all: &mut Vec<Timed>) -> Result<(), Failure> {
    let new = dir.join("new");
    if new.join("estimates.json").is_file() {
        all.extend(timed(&new)?);
    }
    if deeper == 0 {
        return Ok(());
    }
    let failed = |error| Failure::file(dir, &error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            find(&path, deeper - 1, all)?;
        }
    }
    Ok(())
}

/// None if it has no name that could be a case's.
fn timed(new: &Path) -> Result<Option<Timed>, Failure> {
    let name: Name = json(&new.join("benchmark.json"))?;
    let path = new.join("estimates.json");
    let Estimates { median } = json(&path)?;
    let (ns, within) = (median.point_estimate, median.confidence_interval);
    // Not NaN either.
    if !(within.lower_bound > 0.0 && within.lower_bound <= ns && ns <= within.upper_bound) {
        return Err(corrupt(&path, "a median that is not in its interval"));
    }
    let (who, case) = match (name.function_id, name.value_str) {
        (who, Some(case)) => (who, case),
        (Some(case), None) => (None, case),
        (None, None) => return Ok(None),
    };
    Ok(Some(Timed {
        bench: name.full_id,
        who,
        case,
        median_ns: ns,
        low_ns: within.lower_bound,
        high_ns: within.upper_bound,
    }))
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
    serde_json::from_str(&text).map_err(|error| corrupt(path, &error.to_string()))
}

fn corrupt(path: &Path, what: &str) -> Failure {
    Failure::Io(format!("{}: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files as criterion 0.8 writes them, without what is not read.
    fn bench(dir: &Path, place: &str, name: &str, [low, median, high]: [f64; 3]) {
        let new = dir.join(place).join("new");
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("benchmark.json"), name).unwrap();
        let estimates = format!(
            "{{\"mean\":{{\"point_estimate\":1.0}},\"median\":{{\"confidence_interval\":{{\
             \"confidence_level\":0.95,\"lower_bound\":{low},\"upper_bound\":{high}}},\
             \"point_estimate\":{median},\"standard_error\":0.1}},\"slope\":null}}"
        );
        fs::write(new.join("estimates.json"), estimates).unwrap();
    }

    #[test]
    fn benches_are_found_by_name_and_faults_by_file() {
        let dir = std::env::temp_dir().join(format!("restride-criterion-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        let failure = load(&dir).unwrap_err();
        assert_eq!(failure.exit_code(), 1);
        let name = r#"{"full_id":"g/memcpy/some","function_id":"memcpy","value_str":"some"}"#;
        bench(&dir, "g/memcpy/some", name, [9.0, 10.0, 12.0]);
        let name = r#"{"full_id":"g/some","function_id":null,"value_str":"some"}"#;
        bench(&dir, "g/some", name, [1.0, 2.0, 3.0]);
        let name = r#"{"full_id":"g/alone","function_id":"alone","value_str":null}"#;
        bench(&dir, "g/alone", name, [1.0, 1.0, 1.0]);
        let name = r#"{"full_id":"g","function_id":null,"value_str":null}"#;
        bench(&dir, "g", name, [1.0, 1.0, 1.0]);
        // What the comparison with an older run leaves is not read.
        fs::create_dir_all(dir.join("g/some/base")).unwrap();
        fs::write(dir.join("g/some/base/estimates.json"), "{").unwrap();
        let all = load(&dir).unwrap();
        let names: Vec<_> = all
            .iter()
            .map(|it| (&it.bench[..], it.who.as_deref(), &it.case[..]))
            .collect();
        let want = [
            ("g/alone", None, "alone"),
            ("g/memcpy/some", Some("memcpy"), "some"),
            ("g/some", None, "some"),
        ];
        assert_eq!(names, want);
        assert_eq!(
            (all[1].low_ns, all[1].median_ns, all[1].high_ns),
            (9.0, 10.0, 12.0)
        );

        let name = r#"{"full_id":"g/some","function_id":null,"value_str":"some"}"#;
        for times in [[3.0, 2.0, 4.0], [1.0, 3.0, 2.0], [0.0, 1.0, 1.0]] {
            bench(&dir, "g/some", name, times);
            let failure = load(&dir).unwrap_err().to_string();
            assert!(failure.contains("estimates.json: a median"), "{failure}");
        }
        fs::write(dir.join("g/some/new/estimates.json"), "{\"median\":").unwrap();
        let failure = load(&dir).unwrap_err().to_string();
        assert!(failure.contains("estimates.json: EOF"), "{failure}");
        fs::remove_file(dir.join("g/some/new/benchmark.json")).unwrap();
        let failure = load(&dir).unwrap_err().to_string();
        assert!(failure.contains("benchmark.json"), "{failure}");
        fs::remove_dir_all(&dir).unwrap();
    }
}
