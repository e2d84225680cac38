//! The report: text, tables and figures, from the data of a run alone. The same data give the same
//! bytes, on any machine and in any build.

mod doc;
mod draw;
mod figures;
pub(crate) mod index;
mod sections;
pub(crate) mod terminal;
mod words;

use std::fs;
use std::path::Path;

use crate::data::{Data, folder};
use crate::failure::Failure;
use doc::Document;
use draw::dark_rules;

pub(crate) use sections::headline::headlines;

/// The files of a report, without its data: paths within its folder, and texts.
pub(crate) fn files(data: &Data) -> Vec<(String, String)> {
    let document = Document {
        title: format!("restride on {}", data.environment.cpu),
        sections: sections::all(data),
    };
    let mut files = vec![
        ("report.md".into(), doc::markdown::write(&document)),
        ("report.html".into(), doc::html::write(&document)),
    ];
    // Alone, a figure brings its own style.
    let style = format!(
        "<style>@media (prefers-color-scheme: dark){{\n{}}}</style>\n<title>",
        dark_rules()
    );
    files.extend(document.figures().into_iter().map(|figure| {
        let svg = figure.svg.replacen("<title>", &style, 1);
        (format!("fig/{}.svg", figure.name), svg)
    }));
    files
}

/// Leaves the plans of sweeps out of the data, but for those that reports explain: hundreds of them differ
/// in their numbers only.
pub(crate) fn forget_words(data: &mut Data) {
    let explained = sections::headline::worst(data, sections::worst::EXPLAINED);
    let explained: Vec<String> = explained
        .into_iter()
        .map(|(_, ours)| ours.case().name.clone())
        .collect();
    for measured in &mut data.cases {
        let case = &mut measured.case;
        if case.is_sweep() && !explained.contains(&case.name) {
            case.words.clear();
        }
    }
}

/// Draws the report of `data` into `folder`; figures of an earlier one go.
pub(crate) fn write(folder: &Path, data: &Data) -> Result<(), Failure> {
    let figures = folder.join("fig");
    let failed = |error| Failure::file(&figures, &error);
    fs::create_dir_all(&figures).map_err(failed)?;
    let files = files(data);
    for (name, text) in &files {
        folder::write(&folder.join(name), text)?;
    }
    for entry in fs::read_dir(&figures).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !files.iter().any(|(name, _)| folder.join(name) == path) {
            fs::remove_file(&path).map_err(|error| Failure::file(&path, &error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn the_same_data_give_the_same_bytes() {
        let data = synthetic::data();
        assert_eq!(files(&data), files(&data));
        let loaded: Vec<(String, String)> = {
            let report =
                std::env::temp_dir().join(format!("restride-files-{}", std::process::id()));
            fs::create_dir_all(report.join("data")).unwrap();
            data.save(&report.join("data")).unwrap();
            let loaded = Data::load(&report).unwrap();
            fs::remove_dir_all(report).unwrap();
            files(&loaded)
        };
        assert_eq!(files(&data), loaded);
    }

    #[test]
    fn every_kind_of_case_has_a_figure() {
        let mut data = synthetic::data();
        let kinds = [
            ("F1-planes", "flagship"),
            ("F2-heads", "flagship"),
            ("B.00.10.7264x7264", "ttc"),
            ("D.T.4x4.f32", "small"),
            ("K.transpose.4.1MiB", "size"),
            ("K.transpose.4.4MiB", "size"),
            ("P.2.10.4", "permutation"),
            ("P.3.210.4", "permutation"),
            ("R.1000", "resonance"),
            ("R.1001", "resonance"),
        ];
        for (i, (name, kind)) in kinds.into_iter().enumerate() {
            let scale = 1.0 + 0.1 * i as f64;
            data.cases
                .push(synthetic::measured(name, kind, 2048, scale));
        }
        let files = files(&data);
        let names: Vec<&str> = files.iter().map(|(name, _)| &name[..]).collect();
        let want = [
            "report.md",
            "report.html",
            "fig/noise.svg",
            "fig/ceilings.svg",
            "fig/flagship.svg",
            "fig/roofline-working-set.svg",
            "fig/roofline-line-use.svg",
            "fig/sizes.svg",
            "fig/permutations.svg",
            "fig/ttc57.svg",
            "fig/latency.svg",
            "fig/resonance.svg",
            "fig/threads.svg",
        ];
        assert_eq!(names, want);
        let markdown = &files[0].1;
        for (name, svg) in &files[2..] {
            assert!(markdown.contains(&name[..]), "{name}");
            assert!(svg.contains("prefers-color-scheme: dark"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        }
        assert!(!files[1].1.contains("src=") && !files[1].1.contains("@import"));
    }

    #[test]
    fn plans_of_sweeps_are_kept_where_they_are_explained() {
        let mut data = synthetic::data();
        for rows in 1..20 {
            let name = format!("R.{rows}");
            let scale = 1.0 + f64::from(rows);
            data.cases
                .push(synthetic::measured(&name, "resonance", 2048, scale));
        }
        let before = files(&data);
        forget_words(&mut data);
        let kept = data.cases.iter().filter(|case| !case.case.words.is_empty());
        assert!(kept.count() <= 1 + sections::worst::EXPLAINED);
        assert_eq!(files(&data), before);
    }

    #[test]
    fn a_run_of_nothing_is_still_a_report() {
        let mut data = synthetic::data();
        data.cases.clear();
        data.ceilings = crate::data::ceilings::Ceilings::default();
        let files = files(&data);
        assert!(files[0].1.contains("no case was measured"));
    }
}
