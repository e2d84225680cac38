//! The tables of all families, and how a row is found in them.
//!
//! A file of its own so that rows do not know the tables they stand in.

use crate::isa::Isa;
use crate::row::{Ask, Family, Row};

/// The rows of a family by ISA file, best first.
fn table(family: Family) -> &'static [&'static [Row]] {
    match family {
        Family::Run => crate::run::TABLE,
        Family::Transpose => crate::transpose::TABLE,
        Family::Interleave => crate::interleave::TABLE,
        Family::Gather => crate::gather::TABLE,
        Family::Scatter => crate::scatter::TABLE,
        Family::Fill => crate::fill::TABLE,
        Family::Strided => crate::strided::TABLE,
    }
}

fn rows_of(family: Family) -> impl Iterator<Item = &'static Row> {
    table(family).iter().copied().flatten()
}

/// Every row of every table, in look-up order within each family.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    Family::ALL.into_iter().flat_map(rows_of)
}

/// The first row of `family` that needs no more than `cap` and takes what is asked for. Where a
/// streaming row is wanted and none exists, a cached one is found.
///
/// # Panics
/// If `family` does not admit `ask`: the last row of each table takes all that the family admits.
#[must_use]
pub fn find(family: Family, ask: &Ask, cap: Isa) -> &'static Row {
    assert!(
        family.admits(ask),
        "{} does not admit {ask:?}",
        family.name()
    );
    let mut cached = None;
    for row in table(family).iter().copied().flatten() {
        // What differs between most rows stands first: this is a tenth of planning.
        if row.moves(ask.cell) && row.isa <= cap && (row.needs)(ask) {
            if row.streams() == ask.streaming {
                return row;
            }
            if !row.streams() && cached.is_none() {
                cached = Some(row);
            }
        }
    }
    cached.expect("the last row of each table takes all that the family admits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Token;
    use crate::row::CellSize;
    use std::collections::HashSet;
    use std::vec::Vec;

    #[test]
    fn names_follow_the_scheme_and_are_unique() {
        let mut seen = HashSet::new();
        for row in rows() {
            assert!(seen.insert(row.name), "{} stands twice", row.name);
            let parts: Vec<_> = row.name.split('-').collect();
            let cell = match row.cell {
                CellSize::Exact(bytes) => std::format!("{bytes}"),
                CellSize::Any => "any".into(),
            };
            let tile = std::format!("{}x{}", row.tile.rows, row.tile.cols);
            assert_eq!(
                parts,
                [row.family.name(), &cell, row.isa.name(), &tile],
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn every_table_ends_with_a_scalar_row_for_any_cell() {
        for family in Family::ALL {
            let last = rows_of(family).last().expect("no table is empty");
            assert_eq!(
                (last.cell, last.isa),
                (CellSize::Any, Isa::Scalar),
                "{}",
                last.name
            );
            assert!(!last.streams());
        }
    }

    #[test]
    fn tables_fall_from_the_best_tier_to_the_scalar_one() {
        for family in Family::ALL {
            let tiers: Vec<_> = rows_of(family).map(|r| r.isa).collect();
            assert!(
                tiers.is_sorted_by(|a, b| a >= b),
                "{}: {tiers:?}",
                family.name()
            );
        }
    }

    #[test]
    fn a_token_of_a_lower_tier_does_not_bind() {
        let portable = Token::detect(Isa::Portable).expect("portable exists everywhere");
        for row in rows() {
            assert_eq!(
                row.bind(portable).is_some(),
                row.isa <= Isa::Portable,
                "{}",
                row.name
            );
        }
    }
}
