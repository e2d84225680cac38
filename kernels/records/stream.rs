//! Records whose registers are streamed: those that are put together from their fields, and follow each other.
//!
//! A file of its own because the cached walk knows no lines. As many records as a register has cells are whole lines,
//! from the first record on that starts one; those before it, and what is left at the end, go through the caches, with
//! some of the others:
//!
//! ```text
//!   dst      | a0 b0 c0 a1 | b1 c1 a2 b2 | ..   | aN bN cN |
//!                cached       streamed     ..      cached
//! ```

use super::{Turn, apart, cells, starts};
use crate::fence::StreamFence;
use crate::isa::prefetch_ahead;
use crate::panel::{LINE, Panel};
use crate::row::{Ask, Call, Row};
use crate::table::find_behind;
use crate::transpose::Line;

/// Bytes between a load of a field and the prefetch that goes before it: as of planes that are interleaved, which gain
/// by it on Zen 5. On Zen 4 it is level, and so are 1 KiB and none.
const AHEAD: usize = 8 * LINE;

/// A [`Turn`] whose registers are lines, or whole parts of lines.
pub(crate) trait Streamed<const CELL: usize>: Turn<CELL> {
    /// A line in registers.
    type Line: Line;

    /// Moves the cells of fields, each so many bytes behind its start, to records at `to`, around the caches.
    ///
    /// # Safety
    /// - Range: as [`Turn::together`].
    /// - Alignment: `to` starts a line, or is whole turns behind the start of one.
    /// - ISA: that of the file.
    unsafe fn streamed<const N: usize>(fields: &[*mut u8; N], at: usize, to: *mut u8);
}

/// The first record that starts a line, if there is one.
fn first_of_a_line(base: *mut u8, record: usize) -> Option<usize> {
    (0..LINE).find(|r| (base.addr() + r * record).is_multiple_of(LINE))
}

/// Moves the cells of fields to so many records, whole lines of those around the caches, if one of them starts one.
///
/// # Safety
/// - Shape: there are at least as many records as a turn takes.
/// - Range: the fields can be read, and the records at `records` written.
/// - ISA: that of the turn is enabled where this is inlined.
#[inline(always)]
unsafe fn lines<T: Streamed<CELL>, const N: usize, const CELL: usize>(
    fields: &[*mut u8; N],
    records: *mut u8,
    count: usize,
) {
    let first = first_of_a_line(records, N * CELL).filter(|&first| first <= count);
    let Some(first) = first else {
        // SAFETY: passed on.
        return unsafe { super::turns::<T, N, CELL, false>(records, fields, count) };
    };
    let (turns, last) = ((count - first) / T::RECORDS, count - T::RECORDS);
    let record = |at: usize| records.wrapping_add(at * N * CELL);
    // SAFETY: range: turns of records below `count`; alignment: `first` starts a line, and a turn is whole lines; ISA:
    // passed on.
    unsafe {
        if first > 0 {
            super::turns::<T, N, CELL, false>(records, fields, first.max(T::RECORDS));
        }
        for turn in 0..turns {
            let at = first + turn * T::RECORDS;
            for field in fields {
                prefetch_ahead(field.wrapping_add(at * CELL + AHEAD));
            }
            T::streamed(fields, at * CELL, record(at));
        }
        if first + turns * T::RECORDS < count {
            T::together(fields, last * CELL, record(last));
        }
    }
}

/// Moves a panel of records of `N` cells that follow each other.
///
/// # Safety
/// As [`super::moved`]; the guard of the task is held.
#[inline(always)]
pub(crate) unsafe fn moved<
    T: Streamed<CELL>,
    const N: usize,
    const CELL: usize,
    const APART: bool,
>(
    panel: &Panel<'_>,
) {
    // SAFETY: shape: the other side has a row for each cell of a record; range, ISA: passed on.
    unsafe {
        if APART {
            let fields = starts::<N>(&panel.dst);
            apart::lines::<T, N, CELL>(panel.src.base, &fields, panel.cols);
        } else {
            let fields = starts::<N>(&panel.src);
            lines::<T, N, CELL>(&fields, panel.dst.base, panel.rows);
        }
    }
}

/// The row behind this one.
fn next(row: &'static Row, panel: &Panel<'_>) -> &'static Row {
    find_behind(row, &Ask::of(panel, true))
}

/// Bytes of scratch that the row behind this one wants, if that moves the panel.
pub(crate) fn scratch<const APART: bool>(row: &'static Row, panel: &Panel<'_>) -> usize {
    match next(row, panel).call {
        Call::Streaming { scratch, .. } if cells::<APART>(panel).is_none() => scratch(panel),
        _ => 0,
    }
}

/// Moves a panel by the best row behind `row`: through the caches, if the best one wants more scratch than there is, as it
/// may for a part of the panel that was asked about.
///
/// # Safety
/// The contract of the crate, with a panel that `row` takes, whose ISA is there; the guard of the task is held.
#[inline(never)]
pub(crate) unsafe fn behind(row: &'static Row, panel: &Panel<'_>, fence: &StreamFence<'_>) {
    if let Call::Streaming { call, scratch } = next(row, panel).call
        && scratch(panel) <= fence.scratch().1
    {
        // SAFETY: stride: the row takes the panel; ISA: it needs no more than `row`; the others passed on.
        return unsafe { call(panel, fence) };
    }
    // SAFETY: as above.
    unsafe { super::behind(row, panel) }
}

/// Rows that stream: of which turn, its ISA and its features; then of each row its name, function and cells, whether
/// records are the source, which side has as many as a record has cells and how many, and which side is the other one.
macro_rules! streamed_rows {
    ($turn:ident, $isa:ident $features:literal;
     $($name:literal, $call:ident, $cell:literal, $apart:literal, $few:ident = $($n:literal)+, $many:ident;)+) => {
        $crate::records::stream::streamed_rows!(
            @each 0usize; $turn, $features; $($call, $cell, $apart, $($n)+ =>)+
        );

        pub(super) static STREAMED: &[$crate::row::Row] = &[$($crate::records::row!(
            $name, Transpose, $isa, $turn, $cell, $few = $($n)+, *[$($n),+].last().unwrap(), $many, $call::CALL
        )),+];
    };
    (@each $nth:expr; $turn:ident, $features:literal;
     $call:ident, $cell:literal, $apart:literal, $($n:literal)+ => $($others:tt)*) => {
        mod $call {
            use super::{STREAMED, $turn};
            use $crate::records::{cells, stream};
            use $crate::{fence::StreamFence, panel::Panel, row::Call};

            /// # Safety
            /// The contract of the crate, with a panel that the row takes; the guard of the task is held.
            #[target_feature(enable = $features)]
            unsafe fn call(panel: &Panel<'_>, fence: &StreamFence<'_>) {
                // SAFETY: passed on; ISA: enabled here.
                unsafe {
                    match cells::<$apart>(panel) {
                        $(Some($n) => stream::moved::<$turn, $n, $cell, $apart>(panel),)+
                        _ => stream::behind(&STREAMED[$nth], panel, fence),
                    }
                }
            }

            pub(super) const CALL: Call = Call::Streaming {
                call,
                scratch: |panel| stream::scratch::<$apart>(&STREAMED[$nth], panel),
            };
        }

        $crate::records::stream::streamed_rows!(@each $nth + 1; $turn, $features; $($others)*);
    };
    (@each $nth:expr; $turn:ident, $features:literal;) => {};
}
pub(crate) use streamed_rows;
