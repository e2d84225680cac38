//! The tables of all families, and how a row is found in them.
//!
//! A file of its own so that rows do not know the tables they stand in.

use crate::isa::Isa;
use crate::row::{Ask, CellSize, Family, Row};

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
        Family::Shuffle => crate::shuffle::TABLE,
    }
}

fn rows_of(family: Family) -> impl Iterator<Item = &'static Row> {
    table(family).iter().copied().flatten()
}

/// Every row of every table, in look-up order within each family.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    Family::ALL.into_iter().flat_map(rows_of)
}

/// Cells up to this many bytes have an entry of their own in a shelf: those of 32 and more are
/// runs, whose cells are bytes.
const CELLS: usize = 32;

/// Rows of a shelf at most.
const ROWS: usize = 64;

/// The rows of a family that stream, or those that do not, and which of them come into question, a bit for each row:
/// f32 4x4 is found in 4 ns, and by looking at each row of the table in turn in 22 (2-core AVX-512 server VM).
struct Shelf {
    rows: [Option<&'static Row>; ROWS],
    /// By bytes of a cell, the last entry for all larger ones.
    moving: [u64; CELLS + 2],
    /// By tier: those that need it or a lower one.
    within: [u64; Isa::ALL.len()],
}

impl Shelf {
    const fn of(table: &'static [&'static [Row]], streaming: bool) -> Self {
        let mut shelf = Self {
            rows: [None; ROWS],
            moving: [0; CELLS + 2],
            within: [0; Isa::ALL.len()],
        };
        let (mut file, mut place) = (0, 0);
        while file < table.len() {
            let mut i = 0;
            while i < table[file].len() {
                if table[file][i].streams() == streaming {
                    shelf.put(&table[file][i], place);
                    place += 1;
                }
                i += 1;
            }
            file += 1;
        }
        shelf
    }

    const fn put(&mut self, row: &'static Row, place: usize) {
        let bit = 1_u64 << place;
        self.rows[place] = Some(row);
        match row.cell {
            CellSize::Exact(bytes) => {
                assert!(bytes <= CELLS, "cells of that many bytes have no entry");
                self.moving[bytes] |= bit;
            }
            CellSize::Any => {
                let mut bytes = 0;
                while bytes < self.moving.len() {
                    self.moving[bytes] |= bit;
                    bytes += 1;
                }
            }
        }
        let mut tier = row.isa as usize;
        while tier < self.within.len() {
            self.within[tier] |= bit;
            tier += 1;
        }
    }

    /// The first row that needs no more than `cap` and takes what is asked for.
    #[inline]
    fn first(&self, ask: &Ask, cap: Isa) -> Option<&'static Row> {
        self.first_of(!0, ask, cap)
    }

    /// The same of those rows of the shelf.
    #[inline]
    fn first_of(&self, some: u64, ask: &Ask, cap: Isa) -> Option<&'static Row> {
        let mut rows = some & self.moving[ask.cell.min(CELLS + 1)] & self.within[cap as usize];
        while rows != 0 {
            let row = self.rows[rows.trailing_zeros() as usize]?;
            if (row.needs)(ask) {
                return Some(row);
            }
            rows &= rows - 1;
        }
        None
    }
}

/// Both shelves of a family.
struct Shelves {
    cached: Shelf,
    streaming: Shelf,
}

impl Shelves {
    const fn of(table: &'static [&'static [Row]]) -> Self {
        Self {
            cached: Shelf::of(table, false),
            streaming: Shelf::of(table, true),
        }
    }
}

/// In the order of [`Family::ALL`].
static SHELVES: [Shelves; Family::ALL.len()] = [
    Shelves::of(crate::run::TABLE),
    Shelves::of(crate::transpose::TABLE),
    Shelves::of(crate::interleave::TABLE),
    Shelves::of(crate::gather::TABLE),
    Shelves::of(crate::scatter::TABLE),
    Shelves::of(crate::fill::TABLE),
    Shelves::of(crate::strided::TABLE),
    Shelves::of(crate::shuffle::TABLE),
];

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
    let shelves = &SHELVES[family as usize];
    let streaming = if ask.streaming {
        shelves.streaming.first(ask, cap)
    } else {
        None
    };
    let cached = || {
        let best = match family {
            Family::Transpose => crate::transpose::best_tier(ask, cap),
            _ => cap,
        };
        shelves.cached.first(ask, best)
    };
    streaming
        .or_else(cached)
        .expect("the last row of each table takes all that the family admits")
}

/// The next row behind `row`, which takes what is asked for and needs no more than it: one of those that stream if `row`
/// does, one is asked for and there is one, else of the others.
///
/// # Panics
/// If its family does not admit `ask`.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows leave panels to others
pub(crate) fn find_behind(row: &Row, ask: &Ask) -> &'static Row {
    let Shelves { cached, streaming } = &SHELVES[row.family as usize];
    let first_of = |shelf: &Shelf| {
        let place = shelf.rows.iter().flatten().position(|other| *other == row);
        shelf.first_of(place.map_or(!0, |place| !1 << place), ask, row.isa)
    };
    (row.streams() && ask.streaming)
        .then(|| first_of(streaming))
        .flatten()
        .or_else(|| first_of(cached))
        .expect("the last row of each table takes all that the family admits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Token;
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
    fn each_row_is_on_a_shelf_of_its_family() {
        for family in Family::ALL {
            let shelves = &SHELVES[family as usize];
            for (shelf, streaming) in [(&shelves.cached, false), (&shelves.streaming, true)] {
                let on_shelf = shelf.rows.iter().flatten().map(|row| row.name);
                let rows = rows_of(family).filter(|row| row.streams() == streaming);
                assert!(on_shelf.eq(rows.map(|row| row.name)));
            }
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
