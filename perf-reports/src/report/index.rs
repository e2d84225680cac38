//! The index of a folder of reports, its README: how to run and read, and the newest report of each
//! machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::headlines;
use crate::data::{Data, folder};
use crate::failure::Failure;
use crate::table::{Table, left, right};
use crate::units;

/// What stands in it whatever was measured; the reports take the place of the mark.
const TEMPLATE: &str = include_str!("index.md");
const MARK: &str = "<!-- reports -->\n";

/// Writes the index of the reports in `dir`.
pub(crate) fn write(dir: Option<&Path>) -> Result<(), Failure> {
    let home = dir.map_or_else(folder::home, Path::to_path_buf);
    let text = text(&home)?;
    let path = home.join("README.md");
    folder::write(&path, &text)?;
    crate::print(&format!("{}\n", path.display()))
}

/// The text of the index.
pub(crate) fn text(home: &Path) -> Result<String, Failure> {
    let entries = fs::read_dir(home).map_err(|error| Failure::file(home, &error))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let has_data = path.join("data/env.json").is_file();
            let name = path.file_name()?.to_str()?;
            has_data.then(|| name.into())
        })
        .collect();
    names.sort_unstable();
    // By machine, the newest last: names begin with dates.
    let mut machines: BTreeMap<String, Vec<(String, Data)>> = BTreeMap::new();
    for name in names {
        let data = Data::load(&home.join(&name))?;
        // What ran on other instruction sets may be another machine by the same name.
        let isa = data.environment.isa.last().map_or("", String::as_str);
        let machine = format!("{}, {isa}", data.environment.machine());
        machines.entry(machine).or_default().push((name, data));
    }
    let mut reports = String::new();
    for (machine, all) in &machines {
        if let Some((name, data)) = all.last() {
            reports += &entry(machine, name, data);
        }
        let earlier: Vec<String> = all
            .iter()
            .rev()
            .skip(1)
            .map(|(name, _)| format!("[{name}]({name}/report.md)"))
            .collect();
        if !earlier.is_empty() {
            reports += &format!("Earlier: {}.\n\n", earlier.join(", "));
        }
    }
    if reports.is_empty() {
        reports = "None yet.\n".into();
    }
    Ok(TEMPLATE.replacen(MARK, &reports, 1).trim_end().to_owned() + "\n")
}

fn entry(machine: &str, name: &str, data: &Data) -> String {
    let mut table = Table::new(vec![
        left("scenario"),
        right("GB/s"),
        right("of the roof"),
        right("times the best peer"),
    ]);
    for ours in headlines(data) {
        let rival = ours.fastest_rival();
        table.push(vec![
            ours.case().name.clone(),
            units::digits(ours.gb_per_s()),
            units::ratio(ours.of_roof()),
            rival.map_or_else(
                || "-".into(),
                |rival| {
                    let name = &rival.record.implementation;
                    format!("{} ({name})", units::digits(rival.ahead.middle))
                },
            ),
        ]);
    }
    format!(
        "### {machine}\n\n[{name}]({name}/report.md) ([one page]({name}/report.html)), {} cases, noise floor \
         {:.1} %.\n\n{}\n",
        data.cases.len(),
        100.0 * data.noise(),
        table.markdown()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn the_newest_report_of_each_machine_is_shown() {
        let home = std::env::temp_dir().join(format!("restride-index-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        assert!(text(&home).unwrap().contains("None yet."));
        let mut data = synthetic::data();
        data.cases
            .push(synthetic::measured("F1-planes", "flagship", 2048, 1.0));
        for (name, cpu, isa) in [
            ("2025-01-01_a_1", "A CPU", "avx2"),
            ("2025-02-01_a_2", "A CPU", "avx2"),
            ("2025-02-01_a_3", "A CPU", "avx512"),
            ("2025-01-15_b_1", "Another", "avx2"),
        ] {
            data.environment.cpu = cpu.into();
            data.environment.isa = vec!["scalar".into(), isa.into()];
            let folder = home.join(name).join("data");
            fs::create_dir_all(&folder).unwrap();
            data.save(&folder).unwrap();
        }
        let index = text(&home).unwrap();
        assert!(
            index.contains("[2025-02-01_a_2](2025-02-01_a_2/report.md)"),
            "{index}"
        );
        assert!(index.contains("Earlier: [2025-01-01_a_1]"), "{index}");
        assert!(
            index.contains("[2025-02-01_a_3](2025-02-01_a_3/report.md)"),
            "{index}"
        );
        assert!(index.contains("### Another, 2 threads"), "{index}");
        assert_eq!(index.matches("| F1-planes |").count(), 3);
        fs::write(home.join("2025-01-15_b_1/data/plans.json"), "{").unwrap();
        assert!(text(&home).unwrap_err().to_string().contains("plans.json"));
        fs::remove_dir_all(&home).unwrap();
    }
}
