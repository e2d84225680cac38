//! Fields that are streamed: records are taken apart into a stage, and whole lines of each field go from there around the
//! caches.
//!
//! A file of its own because fields start anywhere in a line, each at a place of its own: what a turn has of a field are
//! parts of two lines. The stage has a row for each field, in which bytes stand where they do in the lines of the
//! destination; what does not fill the last line waits at the start of the row for the next turns:
//!
//! ```text
//!   stage   field a   |    aaaa|aaaaaaaa|aaaa    |        field b   | bbbbbbb|bbbbbbbb|b       |
//!                      waits     lines    waits next
//! ```
//!
//! What waits is not what [waits](crate::stage::Waiting) in front of other stages, whose lines start anywhere in them: that
//! was slower, of the roof, so and by that, 17 MB (Zen 4), u16 5 0.98 and 0.85, 6 1.02 and 0.86, 7 0.94 and 0.82; f32 5 1.01
//! and 0.93, 7 0.92 and 0.80; with AVX2 u8 5 0.85 and 0.75, f32 5 1.01 and 0.87; but 9 0.62 and 0.69, f32 0.57 and 0.62.

use core::mem::MaybeUninit;
use core::ptr::copy_nonoverlapping;

use super::Turn;
use super::stream::Streamed;
use crate::panel::{LINE, PAGE};
use crate::transpose::Line;

/// Lines of a field that are streamed one after the other.
const LINES: usize = 8;

/// Bytes of a row of the stage: those lines, and what waits behind them.
const ROW: usize = (LINES + 1) * LINE;

/// Rows in a page. None lies in two: a store that crosses the end of a page waits until all stores around the caches
/// before it are done (Zen 4).
const ROWS: usize = PAGE / ROW;

/// Rows of a stage: a field for each cell of the widest records.
const MOST: usize = 16;

#[repr(align(4096))]
struct Stage([MaybeUninit<u8>; MOST.div_ceil(ROWS) * PAGE]);

impl Stage {
    /// Where the lines of field `i` start.
    #[inline(always)]
    fn row(&mut self, i: usize) -> *mut u8 {
        let at = i / ROWS * PAGE + i % ROWS * ROW;
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(at)
    }
}

/// Moves the cells of records to their fields, whole lines of them around the caches.
///
/// # Safety
/// - Shape: there are at least as many records as a turn takes.
/// - Range: all can be read, and the fields written.
/// - ISA: that of the turn is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn lines<T: Streamed<CELL>, const N: usize, const CELL: usize>(
    records: *mut u8,
    fields: &[*mut u8; N],
    count: usize,
) {
    const { assert!(N <= MOST, "a row for each field") };
    let turn = const { <T as Turn<CELL>>::RECORDS * CELL };
    // As many turns as make lines.
    let lines = count * CELL / LINE;
    let mut stage = Stage([MaybeUninit::uninit(); _]);
    let starts: [*mut u8; N] =
        core::array::from_fn(|i| stage.row(i).wrapping_add(fields[i].addr() % LINE));
    let mut done = 0;
    while done < lines {
        let some = LINES.min(lines - done);
        for byte in (0..some * LINE).step_by(turn) {
            let from = records.wrapping_add((done * LINE + byte) * N);
            // SAFETY: range: records below `count`, whose fields go into their rows, behind what waits there; ISA: passed
            // on.
            unsafe { T::apart(from, &starts, byte) };
        }
        for (i, &field) in fields.iter().enumerate() {
            let (row, waits) = (stage.row(i), field.addr() % LINE);
            let to = field.wrapping_sub(waits).wrapping_add(done * LINE);
            let first = usize::from(done == 0 && waits > 0);
            // SAFETY: range: `some` lines of the row were written, but for what would wait before the first one of all,
            // which is not the field's; what waits now is in the line behind them; alignment: lines; aliasing: the
            // stage is no field.
            unsafe {
                if first == 1 {
                    copy_nonoverlapping(row.wrapping_add(waits), field, LINE - waits);
                }
                for byte in (first * LINE..some * LINE).step_by(LINE) {
                    T::Line::load(row.wrapping_add(byte)).stream(to.wrapping_add(byte));
                }
                copy_nonoverlapping(row.wrapping_add(some * LINE), row, waits);
            }
        }
        done += some;
    }
    let (whole, last) = (lines * LINE / CELL, count - T::RECORDS);
    // SAFETY: range: what waits belongs in front of what is left, and was written; records below `count`, as many as a
    // turn takes; aliasing, ISA: as above.
    unsafe {
        for (i, &field) in fields.iter().enumerate() {
            let waits = if lines > 0 { field.addr() % LINE } else { 0 };
            let end = field.wrapping_add(lines * LINE);
            copy_nonoverlapping(stage.row(i), end.wrapping_sub(waits), waits);
        }
        if whole < count {
            let from = whole.min(last);
            let some = records.wrapping_add(from * N * CELL);
            let rest = fields.map(|field| field.wrapping_add(from * CELL));
            super::turns::<T, N, CELL, true>(some, &rest, count - from);
        }
    }
}
