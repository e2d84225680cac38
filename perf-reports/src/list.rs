//! `restride-perf list`: what there is to measure, and with what.

use restride::Machine;
use restride_cases::{Case, Suite};
use restride_kernels::rows;
use serde::Serialize;

use crate::cli::{List, Listed};
use crate::data::folder::json;
use crate::failure::Failure;
use crate::implementations::PEERS;
use crate::table::{Table, left, right};
use crate::units;

/// A case as other programs want it.
#[derive(Serialize)]
struct CaseLine<'a> {
    name: &'a str,
    kind: &'static str,
    call: &'static str,
    cell: usize,
    shape: &'a [usize],
    src_strides: &'a [isize],
    src_offset: usize,
    dst_strides: &'a [isize],
    dst_offset: usize,
}

/// A table, or a line of JSON each.
pub(crate) fn list(asked: &List) -> Result<String, Failure> {
    match asked.what {
        Listed::Cases => cases(asked),
        Listed::Kernels => kernels(asked.json),
        Listed::Peers => peers(asked.json),
        Listed::Suites => suites(asked.json),
    }
}

/// `rows` as lines of JSON, or as a table.
fn shown<T: Serialize>(
    as_json: bool,
    rows: &[T],
    columns: Vec<crate::table::Column>,
    cells: impl Fn(&T) -> Vec<String>,
) -> Result<String, Failure> {
    if as_json {
        let lines: Result<Vec<String>, Failure> = rows.iter().map(json).collect();
        return Ok(lines?.iter().map(|line| format!("{line}\n")).collect());
    }
    let mut table = Table::new(columns);
    rows.iter().for_each(|row| table.push(cells(row)));
    Ok(table.text())
}

fn cases(asked: &List) -> Result<String, Failure> {
    let suite = asked.suite.map_or(Suite::All, |suite| suite.0);
    let cases: Vec<Case> = suite.cases();
    let lines: Vec<CaseLine<'_>> = cases
        .iter()
        .map(|case| CaseLine {
            name: &case.name,
            kind: case.kind.name(),
            call: case.call.name(),
            cell: case.cell,
            shape: &case.shape,
            src_strides: &case.src.strides,
            src_offset: case.src.offset,
            dst_strides: &case.dst.strides,
            dst_offset: case.dst.offset,
        })
        .collect();
    let columns = vec![
        left("case"),
        left("kind"),
        right("cell"),
        right("a side"),
        left("shape"),
        left("source strides"),
        left("destination strides"),
    ];
    shown(asked.json, &lines, columns, |case| {
        let side = case.cell * case.shape.iter().product::<usize>();
        vec![
            case.name.into(),
            case.kind.into(),
            case.cell.to_string(),
            units::bytes(side),
            few(case.shape),
            few(case.src_strides),
            few(case.dst_strides),
        ]
    })
}

/// Numbers, of many only the first.
fn few<T: ToString>(numbers: &[T]) -> String {
    const MOST: usize = 6;
    let words: Vec<String> = numbers.iter().take(MOST).map(T::to_string).collect();
    let more = numbers.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(" +{more}")
    } else {
        String::new()
    };
    words.join(",") + &more
}

#[derive(Serialize)]
struct KernelLine {
    name: &'static str,
    family: &'static str,
    isa: &'static str,
    tile: [usize; 2],
    streaming: bool,
    here: bool,
}

fn kernels(as_json: bool) -> Result<String, Failure> {
    let isa = Machine::host()?.facts().isa;
    let lines: Vec<KernelLine> = rows()
        .map(|row| KernelLine {
            name: row.name,
            family: row.family.name(),
            isa: row.isa.name(),
            tile: [row.tile.rows, row.tile.cols],
            streaming: row.streams(),
            here: row.isa <= isa,
        })
        .collect();
    let columns = vec![left("kernel"), left("stores"), left("here")];
    shown(as_json, &lines, columns, |row| {
        vec![
            row.name.into(),
            if row.streaming { "streaming" } else { "cached" }.into(),
            if row.here { "yes" } else { "no" }.into(),
        ]
    })
}

#[derive(Serialize)]
struct PeerLine {
    name: &'static str,
    version: Option<&'static str>,
    how: &'static str,
}

fn peers(as_json: bool) -> Result<String, Failure> {
    let lines: Vec<PeerLine> = PEERS
        .iter()
        .map(|peer| PeerLine {
            name: peer.name,
            version: peer.version,
            how: peer.how,
        })
        .collect();
    let columns = vec![left("peer"), left("version"), left("how")];
    shown(as_json, &lines, columns, |peer| {
        vec![
            peer.name.into(),
            peer.version.unwrap_or("-").into(),
            peer.how.into(),
        ]
    })
}

#[derive(Serialize)]
struct SuiteLine {
    name: &'static str,
    cases: usize,
    about: &'static str,
}

fn suites(as_json: bool) -> Result<String, Failure> {
    let lines = Suite::ALL.map(|suite| SuiteLine {
        name: suite.name(),
        cases: suite.cases().len(),
        about: suite.about(),
    });
    let columns = vec![left("suite"), right("cases"), left("about")];
    shown(as_json, &lines, columns, |suite| {
        vec![
            suite.name.into(),
            suite.cases.to_string(),
            suite.about.into(),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Named;

    #[test]
    fn everything_is_listed_in_words_and_json() {
        let all = [
            Listed::Cases,
            Listed::Kernels,
            Listed::Peers,
            Listed::Suites,
        ];
        for what in all {
            let suite = Some(Named(Suite::Quick));
            let asked = |json| List { what, suite, json };
            let words = list(&asked(false)).unwrap();
            let json = list(&asked(true)).unwrap();
            // Two lines of a table are its head.
            assert_eq!(words.lines().count(), json.lines().count() + 2, "{what:?}");
            for line in json.lines() {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(value["name"].is_string());
            }
        }
        assert_eq!(few(&[1, 2, 3, 4, 5, 6, 7, 8]), "1,2,3,4,5,6 +2");
    }
}
