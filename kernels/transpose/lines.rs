//! Where the rows of a panel and the lines of a tile start: strides, tables and lists, each settled
//! once per panel.
//!
//! A file of its own because the walk and the tiles are compiled for each kind of rows: a match on
//! [`Rows`](crate::panel::Rows) for each line halves the speed of a tile in the first-level cache
//! (f32 64x64 through tables, AVX-512: 54 GB/s with one match per tile, 94 with none).

use crate::panel::{Panel, Rows, Side};

/// Bytes of a cache line: the unit of bands and prefetches.
pub(super) const LINE: usize = 64;

/// Where the lines of one tile start.
pub(super) trait Lines: Copy {
    /// The address of line `i`.
    ///
    /// # Safety
    /// - Shape: the tile has a line `i` on this side.
    unsafe fn at(self, i: usize) -> *mut u8;
}

/// One side of a panel, its kind of rows settled.
pub(super) trait Addressing: Copy {
    /// How the lines of a tile are held.
    type Lines: Lines;

    /// The start of row `i`.
    ///
    /// # Safety
    /// - Shape: row `i` exists.
    unsafe fn row(self, i: usize) -> *mut u8;

    /// The lines of a tile that start `bytes` into the `count` rows from `first` on.
    ///
    /// # Safety
    /// - Shape: those rows exist, and they are at most 16.
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Self::Lines;

    /// Bytes from the start of a cache line to the start of each of the `rows` rows, if that is the
    /// same for all.
    ///
    /// # Safety
    /// - Shape: those rows exist, and they are at least one.
    #[inline(always)]
    unsafe fn phase(self, rows: usize) -> Option<usize> {
        // SAFETY: shape: the caller has rows 0 to `rows`.
        let phase = |i| unsafe { self.row(i) }.addr() % LINE;
        (1..rows).all(|i| phase(i) == phase(0)).then_some(phase(0))
    }
}

/// What is done with a panel once the kinds of its rows are settled: compiled for each pair.
pub(super) trait Settled {
    /// What it answers.
    type Answer;

    /// Does it.
    ///
    /// # Safety
    /// - Shape: `src` and `dst` address the rows of the sides of the panel that was settled.
    /// - Everything else that the implementation asks for.
    unsafe fn with(self, src: impl Addressing, dst: impl Addressing) -> Self::Answer;
}

/// Settles the kinds of rows of both sides, and goes on.
///
/// # Safety
/// What `then` asks for; tables and lists have an entry for each row of their side (contract).
#[inline(always)]
pub(super) unsafe fn settle<S: Settled>(panel: &Panel<'_>, then: S) -> S::Answer {
    let (src, dst) = (panel.src.base, panel.dst.base);
    let strided = |base, stride| Strided { base, stride };
    let tabled = |base, offsets| Tabled { base, offsets };
    // SAFETY: passed on; rows at a stride need no table; tables and lists have an entry for each
    // row.
    unsafe {
        match (panel.src.rows, panel.dst.rows) {
            (Rows::Stride(from), Rows::Stride(to)) => {
                then.with(strided(src, from), strided(dst, to))
            }
            (Rows::Stride(from), Rows::Offsets(to)) => {
                then.with(strided(src, from), tabled(dst, to))
            }
            (Rows::Offsets(from), Rows::Stride(to)) => {
                then.with(tabled(src, from), strided(dst, to))
            }
            (Rows::Offsets(from), Rows::Offsets(to)) => {
                then.with(tabled(src, from), tabled(dst, to))
            }
            _ => then.with(panel.src, panel.dst),
        }
    }
}

/// Rows, or lines that are read one by one, at a constant distance.
#[derive(Clone, Copy)]
pub(super) struct Strided {
    pub(super) base: *mut u8,
    pub(super) stride: isize,
}

impl Lines for Strided {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        let bytes = (i as isize).wrapping_mul(self.stride);
        self.base.wrapping_offset(bytes)
    }
}

/// Lines of a tile at a constant distance. Every fourth has an address in a register; the three
/// behind it are one, two and three strides away, which addressing modes add for nothing: f32 64x64
/// with AVX-512 takes 275 ns, with one address for all lines 300; 256x256 runs at 0.65 and 0.62 of
/// memcpy.
#[derive(Clone, Copy)]
pub(super) struct Fours {
    starts: [*mut u8; 4],
    stride: isize,
}

impl Lines for Fours {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        let strides = (i % 4) as isize;
        self.starts[i / 4].wrapping_offset(strides.wrapping_mul(self.stride))
    }
}

impl Addressing for Strided {
    type Lines = Fours;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.at(i) }
    }

    #[inline(always)]
    unsafe fn phase(self, _: usize) -> Option<usize> {
        let whole_lines = self.stride.unsigned_abs().is_multiple_of(LINE);
        whole_lines.then_some(self.base.addr() % LINE)
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, _: usize, bytes: usize) -> Fours {
        // SAFETY: shape: the caller has a row `first`.
        let start = unsafe { self.row(first) }.wrapping_add(bytes);
        let four = |i: isize| start.wrapping_offset((4 * i).wrapping_mul(self.stride));
        Fours {
            starts: [four(0), four(1), four(2), four(3)],
            stride: self.stride,
        }
    }
}

/// Rows, or the lines of a tile, from an offset table.
#[derive(Clone, Copy)]
pub(super) struct Tabled<'a> {
    pub(super) base: *mut u8,
    pub(super) offsets: &'a [isize],
}

impl Lines for Tabled<'_> {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        // SAFETY: shape: row, or line, i exists, so the table has its entry.
        self.base
            .wrapping_offset(unsafe { *self.offsets.get_unchecked(i) })
    }
}

impl Addressing for Tabled<'_> {
    type Lines = Self;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.at(i) }
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Self {
        Self {
            base: self.base.wrapping_add(bytes),
            // SAFETY: shape: the caller has `count` rows from `first` on, and the table an entry
            // for each.
            offsets: unsafe { self.offsets.get_unchecked(first..first + count) },
        }
    }
}

/// The lines of a tile of which fewer exist: from the last on, the last one again.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Clamped<L> {
    pub(super) lines: L,
    pub(super) last: usize,
}

#[cfg(target_arch = "x86_64")]
impl<L: Lines> Lines for Clamped<L> {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        // SAFETY: shape: the last line exists, and so do those before it.
        unsafe { self.lines.at(i.min(self.last)) }
    }
}

/// The lines of one tile, one address each: what a table or a list is turned into, so that its kind
/// is asked for once per tile. The rest of the 16 are null and never asked for.
#[derive(Clone, Copy)]
pub(super) struct Listed([*mut u8; 16]);

impl Lines for Listed {
    #[inline(always)]
    unsafe fn at(self, i: usize) -> *mut u8 {
        // SAFETY: shape: the tile has this line, so it is one of 16.
        unsafe { *self.0.get_unchecked(i) }
    }
}

/// The rows of a source, and after them the same ones a cell further on: what the columns of a
/// destination row continue with where the next row follows it in memory.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Wrapped<S> {
    pub(super) src: S,
    /// Rows of the source.
    pub(super) rows: usize,
    /// Bytes of a cell.
    pub(super) cell: usize,
}

#[cfg(target_arch = "x86_64")]
impl<S: Addressing> Addressing for Wrapped<S> {
    type Lines = Listed;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        let (i, bytes) = if i < self.rows {
            (i, 0)
        } else {
            (i - self.rows, self.cell)
        };
        // SAFETY: shape: the source has row i, or the one that it is again.
        unsafe { self.src.row(i) }.wrapping_add(bytes)
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Listed {
        // SAFETY: passed on.
        unsafe { listed(self, first, count, bytes) }
    }
}

/// The addresses of the lines of a tile.
///
/// # Safety
/// As [`Addressing::lines`].
#[inline(always)]
unsafe fn listed(rows: impl Addressing, first: usize, count: usize, bytes: usize) -> Listed {
    let mut lines = [core::ptr::null_mut(); 16];
    for (i, line) in lines.iter_mut().enumerate().take(count) {
        // SAFETY: shape: the caller has `count` rows from `first` on.
        *line = unsafe { rows.row(first + i).wrapping_add(bytes) };
    }
    Listed(lines)
}

impl Addressing for Side<'_> {
    type Lines = Listed;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        // SAFETY: shape: passed on.
        unsafe { self.rows.at(self.base, i) }
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> Listed {
        // SAFETY: passed on.
        unsafe { listed(self, first, count, bytes) }
    }
}
