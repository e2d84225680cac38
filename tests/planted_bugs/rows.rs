//! Rows with one deliberate mistake each, and one without.
//!
//! Every row first moves the panel correctly and then adds its mistake, or leaves something out, so
//! that nothing but the mistake can be what the sweep reports. Stray reads are volatile, because
//! nothing uses what they read.

use restride_kernels::{Ask, Family, Pairing, Panel, Rows, SourceGaps, Tile};

/// A row that the sweep must judge.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) cell: usize,
    pub(crate) takes: fn(&Ask) -> bool,
    pub(crate) call: unsafe fn(&Panel<'_>),
    /// What the report has to say, one of these. Empty: the row must pass.
    pub(crate) reports: &'static [&'static str],
}

pub(crate) const TILE: Tile = Tile { rows: 4, cols: 4 };

const WRONG_CELL: &str = "is wrong: expected";
const STRAY_BYTE: &str = "which no cell covers: expected";
const READ_SOURCE: &str = "fault: read of the source,";
const WRITE_DESTINATION: &str = "fault: write to the destination,";

/// A line of the list: a transpose of four-byte cells unless said otherwise.
const fn planted(
    name: &'static str,
    call: unsafe fn(&Panel<'_>),
    reports: &'static [&'static str],
) -> Planted {
    Planted {
        name,
        family: Family::Transpose,
        cell: 4,
        takes: |_| true,
        call,
        reports,
    }
}

pub(crate) static ROWS: &[Planted] = &[
    planted("correct", correct, &[]),
    planted("one-lane-over-read", one_lane_over_read, &[READ_SOURCE]),
    planted("read-before-the-first", read_before, &[READ_SOURCE]),
    planted("wrong-tail-mask", wrong_tail_mask, &[WRONG_CELL]),
    planted(
        "one-lane-over-write",
        one_lane_over_write,
        &[STRAY_BYTE, WRONG_CELL, WRITE_DESTINATION],
    ),
    planted(
        "dropped-stride",
        dropped_stride,
        &[STRAY_BYTE, WRONG_CELL, WRITE_DESTINATION],
    ),
    planted("off-by-one-extent", one_row_short, &[WRONG_CELL]),
    planted(
        "one-row-too-many",
        one_row_too_many,
        &[STRAY_BYTE, WRITE_DESTINATION],
    ),
    planted("swapped-pairing", swapped_pairing, &[WRONG_CELL]),
    planted(
        "write-to-the-source",
        write_to_the_source,
        &["fault: write to the source,"],
    ),
    planted(
        "table-over-read",
        table_over_read,
        &["fault: read of the source's row table,"],
    ),
    planted(
        "forgotten-move-of-a-list",
        forgotten_move,
        &[STRAY_BYTE, WRONG_CELL, WRITE_DESTINATION],
    ),
    planted("read-between-rows", read_between_rows, &[READ_SOURCE]),
    #[cfg(target_arch = "x86_64")]
    planted("aligned-store", aligned_store, &["in no guarded buffer"]),
    Planted {
        family: Family::Scatter,
        takes: |ask| ask.dst_step.unsigned_abs() > ask.cell,
        ..planted("write-into-a-dst-gap", write_into_a_gap, &[STRAY_BYTE])
    },
    Planted {
        family: Family::Gather,
        takes: |ask| ask.gaps == SourceGaps::Forbidden,
        ..planted(
            "read-of-a-forbidden-gap",
            read_of_a_gap,
            &["fault: read of the source, in it"],
        )
    },
];

/// How many gaps the first panel has that is caught: sweeps of builds without optimisation are thinned, and meet another one.
const GAPS_READ: &str = if cfg!(debug_assertions) {
    "memcheck: 2 stray accesses"
} else {
    "memcheck: 1 stray accesses"
};

/// A mistake that neither pages nor values show: gaps of a few bytes, read and not used.
pub(crate) static NEEDS_VALGRIND: Planted = Planted {
    family: Family::Gather,
    takes: |ask| ask.gaps == SourceGaps::Forbidden && ask.src_step.unsigned_abs() <= 4 * ask.cell,
    ..planted("read-of-a-small-gap", read_of_a_gap, &[GAPS_READ])
};

/// Cells of a source row, and how many source rows there are.
fn src_extents(panel: &Panel<'_>) -> (usize, usize) {
    match panel.pairing {
        Pairing::Straight => (panel.cols, panel.rows),
        Pairing::Crossed => (panel.rows, panel.cols),
    }
}

fn is_empty(panel: &Panel<'_>) -> bool {
    panel.rows == 0 || panel.cols == 0
}

/// # Safety
/// The contract of the kernels.
unsafe fn correct(panel: &Panel<'_>) {
    for r in 0..panel.rows {
        for c in 0..panel.cols {
            // SAFETY: r and c lie inside the panel, whose cells do not overlap (contract).
            unsafe {
                let (src, dst) = (panel.src_cell(r, c), panel.dst_cell(r, c));
                dst.copy_from_nonoverlapping(src, panel.cell);
            }
        }
    }
}

/// # Safety
/// Broken on purpose: the byte may lie outside of what the contract covers. Where it does, the
/// process ends in the fault handler.
unsafe fn touch(at: *const u8) {
    // SAFETY: see above; one byte, no alignment.
    unsafe { at.read_volatile() };
}

/// # Safety
/// Broken on purpose.
unsafe fn one_lane_over_read(panel: &Panel<'_>) {
    let (cells, rows) = src_extents(panel);
    // SAFETY: broken on purpose: a vector of four cells where three remain.
    unsafe {
        correct(panel);
        if cells % 4 == 3 {
            (0..rows).for_each(|row| touch(panel.src.cell(row, cells)));
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn read_before(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: one byte in front of each source row.
    unsafe {
        correct(panel);
        if !is_empty(panel) {
            let rows = src_extents(panel).1;
            (0..rows).for_each(|row| touch(panel.src.cell(row, 0).wrapping_sub(1)));
        }
    }
}

/// # Safety
/// The contract of the kernels.
unsafe fn wrong_tail_mask(panel: &Panel<'_>) {
    let cols = panel.cols - usize::from(panel.cols % 4 == 3);
    // SAFETY: a part of the panel; broken on purpose only in that it is too small.
    unsafe { correct(&panel.part(0..panel.rows, 0..cols)) }
}

/// # Safety
/// Broken on purpose.
unsafe fn one_lane_over_write(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: a vector of four cells where three remain.
    unsafe {
        correct(panel);
        if panel.cols % 4 == 3 {
            for r in 0..panel.rows {
                let (src, dst) = (panel.src_cell(r, 0), panel.dst_cell(r, panel.cols));
                dst.copy_from_nonoverlapping(src, panel.cell);
            }
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn dropped_stride(panel: &Panel<'_>) {
    let mut panel = *panel;
    if let Rows::Stride(stride) = &mut panel.dst.rows {
        *stride = (panel.cols * panel.cell) as isize;
    }
    // SAFETY: broken on purpose: rows without the padding between them.
    unsafe { correct(&panel) }
}

/// # Safety
/// The contract of the kernels.
unsafe fn one_row_short(panel: &Panel<'_>) {
    // SAFETY: a part of the panel; broken on purpose only in that it is too small.
    unsafe { correct(&panel.part(0..panel.rows.saturating_sub(1), 0..panel.cols)) }
}

/// # Safety
/// Broken on purpose.
unsafe fn one_row_too_many(panel: &Panel<'_>) {
    let more = Panel {
        rows: panel.rows + 1,
        ..*panel
    };
    // SAFETY: broken on purpose: a row that is not the panel's; its source cells are the first
    // row's, so that only the destination is wrong.
    unsafe {
        correct(panel);
        if let Rows::Stride(_) = panel.dst.rows {
            for c in 0..panel.cols.min(more.rows * panel.cols) {
                let (src, dst) = (panel.src_cell(0, c), more.dst_cell(panel.rows, c));
                if panel.rows > 0 {
                    dst.copy_from_nonoverlapping(src, panel.cell);
                }
            }
        }
    }
}

/// # Safety
/// The contract of the kernels.
unsafe fn swapped_pairing(panel: &Panel<'_>) {
    let n = panel.rows.min(panel.cols);
    // SAFETY: r and c stay inside the smaller extent, so both cells are the panel's.
    unsafe {
        correct(panel);
        for r in 0..n {
            for c in 0..n {
                let (src, dst) = (panel.src_cell(c, r), panel.dst_cell(r, c));
                dst.copy_from_nonoverlapping(src, panel.cell);
            }
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn write_to_the_source(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: the source is mapped read-only.
    unsafe {
        correct(panel);
        if !is_empty(panel) {
            let at = panel.src_cell(0, 0).cast_mut();
            at.write_volatile(at.read_volatile());
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn table_over_read(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: one entry more than there are rows.
    unsafe {
        correct(panel);
        if let Rows::Offsets(offsets) = panel.src.rows {
            offsets.as_ptr().wrapping_add(offsets.len()).read_volatile();
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn forgotten_move(panel: &Panel<'_>) {
    let mut panel = *panel;
    if let Rows::Pointers(_, moved) = &mut panel.dst.rows {
        *moved = 0;
    }
    // SAFETY: broken on purpose: rows at the listed pointers instead of `moved` bytes behind.
    unsafe { correct(&panel) }
}

/// # Safety
/// Broken on purpose.
unsafe fn read_between_rows(panel: &Panel<'_>) {
    let (cells, rows) = src_extents(panel);
    // SAFETY: broken on purpose: gaps between rows are never readable. The last row's end is left
    // out, so that only bytes between rows are read.
    unsafe {
        correct(panel);
        if let (false, Rows::Stride(1..)) = (is_empty(panel), panel.src.rows) {
            (1..rows).for_each(|row| touch(panel.src.cell(row - 1, cells)));
        }
    }
}

/// # Safety
/// Broken on purpose.
#[cfg(target_arch = "x86_64")]
unsafe fn aligned_store(panel: &Panel<'_>) {
    use core::arch::x86_64::{_mm_loadu_si128, _mm_store_si128};
    // SAFETY: ISA: SSE2 is part of x86-64. Range: four cells of a row are 16 bytes on both sides.
    // Broken on purpose: nothing says that the destination is aligned.
    unsafe {
        if panel.cols >= 4 && panel.rows >= 4 {
            let cells = _mm_loadu_si128(panel.src.cell(0, 0).cast());
            _mm_store_si128(panel.dst.cell(0, 0).cast(), cells);
        }
        correct(panel);
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn write_into_a_gap(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: one byte behind each cell but the last, where a gap is.
    unsafe {
        correct(panel);
        if panel.dst.step > 0 {
            for r in 0..panel.rows {
                for c in 1..panel.cols {
                    let gap = panel.dst_cell(r, c - 1).wrapping_add(panel.cell);
                    gap.write(gap.read() ^ 0xff);
                }
            }
        }
    }
}

/// # Safety
/// Broken on purpose.
unsafe fn read_of_a_gap(panel: &Panel<'_>) {
    // SAFETY: broken on purpose: one byte behind each cell but the last, where a gap is.
    unsafe {
        correct(panel);
        if panel.src.step > panel.cell as isize {
            for r in 0..panel.rows {
                for c in 1..panel.cols {
                    touch(panel.src_cell(r, c - 1).wrapping_add(panel.cell));
                }
            }
        }
    }
}
