//! The panel: the one argument of every kernel row, and how its rows are addressed.
//!
//! A file of its own because the walk, the split and the kernels all speak in panels, and cutting
//! one into parts must mean the same thing to all of them.

use core::ops::Range;

/// Bytes of a cache line: what a streaming store must fill to be worth it, and the widest register.
pub(crate) const LINE: usize = 64;

/// Which bytes of line `j` of a sequence of so many bytes belong to it, as a mask.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn reached(bytes: usize, j: usize) -> u64 {
    match bytes.saturating_sub(j * LINE) {
        bytes if bytes >= LINE => !0,
        bytes => (1 << bytes) - 1,
    }
}

/// The bytes that a mask has bits for, by stretches: where each starts, and how long it is.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn stretches(mut bytes: u64) -> impl Iterator<Item = (usize, usize)> {
    core::iter::from_fn(move || {
        let start = bytes.trailing_zeros();
        let count = bytes.checked_shr(start)?.trailing_ones();
        // Carries over the ones to the first zero behind them.
        bytes &= bytes.wrapping_add(1 << start);
        Some((start as usize, count as usize))
    })
}

/// Bytes of a page, unless it is a large one.
pub(crate) const PAGE: usize = 4 << 10;

/// Where the rows of one side of a panel start, relative to [`Side::base`]. Settled once per
/// panel.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Row `i` starts `i * stride` bytes from the base.
    Stride(isize),
    /// Row `i` starts `offsets[i]` bytes from the base.
    Offsets(&'a [isize]),
    /// Row `i` starts a number of bytes, the second field, from the `i`th pointer. The pointers may
    /// lead into different allocations; those of a destination must allow writing.
    Pointers(&'a [*const u8], isize),
}

impl<'a> Rows<'a> {
    /// The address of row `i`. Integer arithmetic on the address only: nothing is read but the
    /// table.
    ///
    /// # Safety
    /// - Shape: `i` is below the number of entries where the rows are a table or a list.
    #[inline(always)]
    pub unsafe fn at(&self, base: *mut u8, i: usize) -> *mut u8 {
        match *self {
            Self::Stride(stride) => base.wrapping_offset((i as isize).wrapping_mul(stride)),
            // SAFETY: shape: the caller keeps i below the number of entries.
            Self::Offsets(offsets) => base.wrapping_offset(unsafe { *offsets.get_unchecked(i) }),
            // SAFETY: shape: the caller keeps i below the number of entries.
            Self::Pointers(list, moved) => unsafe {
                list.get_unchecked(i).wrapping_offset(moved).cast_mut()
            },
        }
    }

    /// Whether each row starts so many bytes after the one before it, by their stride.
    #[inline(always)]
    pub(crate) fn follow(&self, bytes: usize) -> bool {
        matches!(*self, Self::Stride(stride) if stride == bytes as isize)
    }

    /// Whether rows follow each other the other way than cells `step` apart do, by their stride.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] // only x86 rows stream
    pub(crate) fn turn(&self, step: isize) -> bool {
        matches!(*self, Self::Stride(stride) if (stride < 0) != (step < 0))
    }

    /// Whether there are so many rows: strides have any number.
    #[inline]
    pub(crate) fn has(&self, rows: usize) -> bool {
        match self {
            Self::Stride(_) => true,
            Self::Offsets(offsets) => rows <= offsets.len(),
            Self::Pointers(list, _) => rows <= list.len(),
        }
    }

    /// The same rows without the first `n`; what a stride skips is returned in bytes.
    #[inline(always)]
    fn skip(self, n: usize) -> (Self, isize) {
        match self {
            Self::Stride(stride) => (self, (n as isize).wrapping_mul(stride)),
            Self::Offsets(offsets) => (Self::Offsets(&offsets[n..]), 0),
            Self::Pointers(list, moved) => (Self::Pointers(&list[n..], moved), 0),
        }
    }

    /// The same rows, each `bytes` further on.
    #[inline(always)]
    fn shifted(self, bytes: isize) -> Self {
        match self {
            Self::Pointers(list, moved) => Self::Pointers(list, moved.wrapping_add(bytes)),
            other => other,
        }
    }
}

/// One side of a panel.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What row offsets are counted from. A source is only read through it. Ignored where the rows
    /// are a list of pointers.
    pub base: *mut u8,
    /// Where each row starts.
    pub rows: Rows<'a>,
    /// Bytes from one cell of a row to the next. May be negative; zero repeats a source cell.
    pub step: isize,
}

impl Side<'_> {
    /// The address of cell `i` of row `row`.
    ///
    /// # Safety
    /// - Shape: `row` is below the number of entries where the rows are a table or a list.
    #[inline(always)]
    pub unsafe fn cell(&self, row: usize, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on to the caller.
        let start = unsafe { self.rows.at(self.base, row) };
        start.wrapping_offset((i as isize).wrapping_mul(self.step))
    }

    /// This side moved by `bytes`, whatever its rows are made of.
    #[inline(always)]
    #[must_use]
    pub fn moved(self, bytes: isize) -> Self {
        Self {
            base: self.base.wrapping_offset(bytes),
            rows: self.rows.shifted(bytes),
            step: self.step,
        }
    }

    /// [`Side::moved`] in place: what stays where it is is not written again, so a kernel that loads it
    /// right after does not wait for the store.
    #[inline(always)]
    fn move_on(&mut self, bytes: isize) {
        self.base = self.base.wrapping_offset(bytes);
        if let Rows::Pointers(_, moved) = &mut self.rows {
            *moved = moved.wrapping_add(bytes);
        }
    }

    #[inline(always)]
    fn skip_rows(self, n: usize) -> Self {
        let (rows, bytes) = self.rows.skip(n);
        Self {
            base: self.base.wrapping_offset(bytes),
            rows,
            step: self.step,
        }
    }

    #[inline(always)]
    fn skip_cells(self, n: usize) -> Self {
        self.moved((n as isize).wrapping_mul(self.step))
    }
}

/// Which source cell belongs to destination cell `(r, c)`. See the drawing in the crate's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Cell `c` of source row `r`.
    Straight,
    /// Cell `r` of source row `c`: the panel is transposed on the way.
    Crossed,
}

/// May the bytes between the cells of a source row be read? They may belong to someone else, who
/// may be writing them at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceGaps {
    /// Only the cells themselves are read.
    #[default]
    Forbidden,
    /// No one writes between the first and the last source cell while the copy runs, and all of
    /// it can be read.
    Readable,
}

/// A rectangle of cells and its two sides. What a kernel row is called with.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// Bytes of one cell.
    pub cell: usize,
    /// Destination rows.
    pub rows: usize,
    /// Cells in a destination row.
    pub cols: usize,
    /// Which source cell goes where.
    pub pairing: Pairing,
    /// Whether bytes between source cells may be read.
    pub gaps: SourceGaps,
    /// Where cells come from.
    pub src: Side<'a>,
    /// Where cells go.
    pub dst: Side<'a>,
}

impl<'a> Panel<'a> {
    /// The part of this panel with the given destination rows and cells.
    ///
    /// # Panics
    /// If a range reaches beyond a row table or pointer list.
    #[inline(always)]
    #[must_use]
    pub fn part(&self, rows: Range<usize>, cols: Range<usize>) -> Panel<'a> {
        let (src_rows, src_cells) = match self.pairing {
            Pairing::Straight => (rows.start, cols.start),
            Pairing::Crossed => (cols.start, rows.start),
        };
        Panel {
            rows: rows.end - rows.start,
            cols: cols.end - cols.start,
            src: self.src.skip_rows(src_rows).skip_cells(src_cells),
            dst: self.dst.skip_rows(rows.start).skip_cells(cols.start),
            ..*self
        }
    }

    /// Moves the panel by `src` bytes on the one side and `dst` on the other.
    #[inline(always)]
    pub fn move_on(&mut self, src: isize, dst: isize) {
        self.src.move_on(src);
        self.dst.move_on(dst);
    }

    /// The address of the source cell that belongs to destination cell `(r, c)`.
    ///
    /// # Safety
    /// - Shape: `r < rows`, `c < cols`, and tables have the entries that the contract asks for.
    #[inline(always)]
    pub unsafe fn src_cell(&self, r: usize, c: usize) -> *const u8 {
        let (row, i) = match self.pairing {
            Pairing::Straight => (r, c),
            Pairing::Crossed => (c, r),
        };
        // SAFETY: shape: passed on to the caller.
        unsafe { self.src.cell(row, i) }
    }

    /// The address of destination cell `(r, c)`.
    ///
    /// # Safety
    /// - Shape: `r < rows`, `c < cols`, and tables have the entries that the contract asks for.
    #[inline(always)]
    pub unsafe fn dst_cell(&self, r: usize, c: usize) -> *mut u8 {
        // SAFETY: shape: passed on to the caller.
        unsafe { self.dst.cell(r, c) }
    }
}
