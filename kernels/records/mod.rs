//! Records of two to sixteen cells that follow each other, to their fields and back: what `interleave` and `transpose`
//! have rows of where no tile fits, as of two rows of four those that overlap, or where none has been made for cells
//! of such a size.
//!
//! Because as many registers as a record has cells are whole records, whatever the cells are.
//!
//! ```text
//!   records     | a0 b0 c0 d0 e0 a1 b1 c1 | d1 e1 a2 ..  |  ..        five registers of records
//!   fields      | a0 a1 a2 a3 ..    | b0 b1 b2 b3 ..     |  ..        one of each field
//! ```
//!
//! Each register of the one is picked from all those of the other. Of cells that do not fill a register it has as many
//! as it holds whole, and the bytes behind them are neither read nor written, or written again. The last registers are
//! moved back to overlap those before them, inside the panel.

mod apart;
pub(crate) mod avx2;
pub(crate) mod avx2_wide;
pub(crate) mod avx512vbmi;
pub(crate) mod stream;
#[cfg(test)]
mod tests;

use crate::panel::{Panel, Side};
use crate::row::{Ask, Call, Row};
use crate::table::find_behind;

/// What an ISA file supplies for cells of one size: a turn of some records, as many as a register has of a field.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(crate) trait Turn<const CELL: usize> {
    /// Records of a turn.
    const RECORDS: usize;

    /// Moves the cells of records at `from` to their fields, each so many bytes behind its start. Asked only of turns that
    /// stand in a row of this direction.
    ///
    /// # Safety
    /// - Range: the records can be read, and what is written of each field written.
    /// - ISA: that of the file.
    unsafe fn apart<const N: usize>(from: *const u8, fields: &[*mut u8; N], at: usize) {
        unreachable!(
            "no row takes {N} cells of {CELL} bytes apart, {at} bytes from {fields:p}, {from:p}"
        )
    }

    /// The same the other way round.
    ///
    /// # Safety
    /// - Range: what is read of each field can be read, and the records at `to` can be written.
    /// - ISA: that of the file.
    unsafe fn together<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8);
}

/// Moves `count` records of `N` cells at `records` to their fields, or the other way round.
///
/// # Safety
/// - Shape: there are at least as many as a turn takes.
/// - Range: all can be read on the one side and written on the other.
/// - ISA: that of the turn is enabled where this is inlined.
#[inline(always)]
unsafe fn turns<T: Turn<CELL>, const N: usize, const CELL: usize, const APART: bool>(
    records: *mut u8,
    fields: &[*mut u8; N],
    count: usize,
) {
    let (last, mut done) = (count - T::RECORDS, 0);
    loop {
        let at = last.min(done);
        let some = records.wrapping_add(at * N * CELL);
        // SAFETY: range: so many records are left from `at` on; ISA: passed on.
        unsafe {
            if APART {
                T::apart(some, fields, at * CELL);
            } else {
                T::together(fields, at * CELL, some);
            }
        }
        if at == last {
            return;
        }
        done = at + T::RECORDS;
    }
}

/// How many cells the records of a panel have, which are its source rows, or its destination rows: if they follow each
/// other.
#[inline(always)]
pub(crate) fn cells<const APART: bool>(panel: &Panel<'_>) -> Option<usize> {
    let (records, cells) = match APART {
        true => (&panel.src, panel.rows),
        false => (&panel.dst, panel.cols),
    };
    records.rows.follow(cells * panel.cell).then_some(cells)
}

/// Moves a panel of records of `N` cells that follow each other.
///
/// # Safety
/// The contract of the crate, with a panel of such cells of which as many as [`cells`] says are `N`, and as many records as
/// a turn takes or more; the ISA of the turn is enabled where this is inlined.
#[inline(always)]
pub(crate) unsafe fn moved<T: Turn<CELL>, const N: usize, const CELL: usize, const APART: bool>(
    panel: &Panel<'_>,
) {
    let (records, fields, count) = match APART {
        true => (&panel.src, &panel.dst, panel.cols),
        false => (&panel.dst, &panel.src, panel.rows),
    };
    // SAFETY: shape: the other side has a row for each cell of a record; range, ISA: passed on.
    unsafe { turns::<T, N, CELL, APART>(records.base, &starts::<N>(fields), count) }
}

/// Where the rows of a side start.
///
/// # Safety
/// - Shape: it has `N` rows.
#[inline(always)]
unsafe fn starts<const N: usize>(side: &Side<'_>) -> [*mut u8; N] {
    // SAFETY: shape: passed on.
    core::array::from_fn(|r| unsafe { side.rows.at(side.base, r) })
}

/// Moves a panel by the best row behind `row`.
///
/// # Safety
/// The contract of the crate, with a panel that `row` takes, whose ISA is there.
#[inline(never)]
pub(crate) unsafe fn behind(row: &'static Row, panel: &Panel<'_>) {
    let next = find_behind(row, &Ask::of(panel, false));
    if let Call::Cached(call) | Call::Tiles { call, .. } = next.call {
        // SAFETY: stride: the row takes the panel; ISA: it needs no more than `row`; the others passed on.
        unsafe { call(panel) }
    } else {
        unreachable!("{next:?} moves tiles through the caches");
    }
}

/// The rows of a family and an ISA: of which turn, that ISA and its features; then of each row its name, function and
/// cells, whether records are the source, which side has as many as a record has cells and how many, and which side is
/// the other one.
macro_rules! rows {
    ($family:ident, $turn:ident, $isa:ident $features:literal;
     $($name:literal, $call:ident, $cell:literal, $apart:literal, $few:ident = $($n:literal)+, $many:ident;)+) => {
        $crate::records::rows!(@each 0usize; $turn, $features; $($call, $cell, $apart, $($n)+ =>)+);

        pub(super) static ROWS: &[$crate::row::Row] = &[$($crate::records::row!(
            $name, $family, $isa, $turn, $cell, $few = $($n)+, [$($n),+][0], $many,
            $crate::row::Call::Cached($call)
        )),+];
    };
    (@each $nth:expr; $turn:ident, $features:literal;
     $call:ident, $cell:literal, $apart:literal, $($n:literal)+ => $($others:tt)*) => {
        /// # Safety
        /// The contract of the crate, with a panel that the row takes.
        #[target_feature(enable = $features)]
        unsafe fn $call(panel: &$crate::panel::Panel<'_>) {
            // SAFETY: passed on; ISA: enabled here.
            unsafe {
                match $crate::records::cells::<$apart>(panel) {
                    $(Some($n) => $crate::records::moved::<$turn, $n, $cell, $apart>(panel),)+
                    _ => $crate::records::behind(&ROWS[$nth], panel),
                }
            }
        }

        $crate::records::rows!(@each $nth + 1; $turn, $features; $($others)*);
    };
    (@each $nth:expr; $turn:ident, $features:literal;) => {};
}
pub(crate) use rows;

/// A row of these: which side has as many as a record has cells, how many, and for how many of them a tile stands; which
/// side is the other one; and what moves it.
macro_rules! row {
    ($name:literal, $family:ident, $isa:ident, $turn:ident, $cell:literal,
     $few:ident = $($n:literal)+, $side:expr, $many:ident, $call:expr) => {
        $crate::row::Row {
            name: $name,
            family: $crate::row::Family::$family,
            cell: $crate::row::CellSize::Exact($cell),
            isa: $crate::isa::Isa::$isa,
            tile: {
                let mut tile = $crate::row::Tile { rows: $side, cols: $side };
                tile.$many = <$turn as $crate::records::Turn<$cell>>::RECORDS;
                tile
            },
            needs: |ask| {
                let enough = ask.$many >= <$turn as $crate::records::Turn<$cell>>::RECORDS;
                [$($n),+].contains(&ask.$few) && enough
            },
            call: $call,
        }
    };
}
pub(crate) use row;
