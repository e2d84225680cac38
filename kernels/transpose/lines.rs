//! Where the rows of a panel and the lines of a tile start: strides, tables and lists, each settled
//! once per panel.
//!
//! A file of its own because the walk and the tiles are compiled for each kind of rows: a match on
//! [`Rows`](crate::panel::Rows) for each line halves the speed of a tile in the first-level cache
//! (f32 64x64 through tables, AVX-512: 54 GB/s with one match per tile, 94 with none).

use core::mem::MaybeUninit;

use crate::panel::{LINE, Panel, Rows, Side};

/// Whether `rows` rows of a source, `apart` bytes from each other, share so few sets of the first-level
/// cache that what is read of a line does not stay for the next tile: sets have 8 to 12 ways, some of
/// which the destination takes.
///
/// Staged and not, cached, of memcpy on a 2-core AVX-512 server VM: u8 512x512 0.57, 0.44; 1024x1024
/// 0.51, 0.38; 384x384 (32 sets) 0.63, 0.65; u16 512x512 0.58, 0.50; 256x256 (8 sets) 0.62, 0.61.
#[cfg(target_arch = "x86_64")]
pub(super) fn crowded(apart: usize, rows: usize) -> bool {
    const SETS: usize = 64;
    const WAYS: usize = 4;
    let apart = apart % (SETS * LINE);
    let apart = apart.min(SETS * LINE - apart);
    let sets = if apart < LINE {
        1 + apart * rows / LINE
    } else if apart.is_multiple_of(LINE) {
        SETS >> (apart / LINE).trailing_zeros()
    } else {
        SETS
    };
    sets * WAYS < rows
}

/// Where the lines of one tile start.
pub(crate) trait Lines: Copy {
    /// The address of line `i`.
    ///
    /// # Safety
    /// - Shape: the tile has a line `i` on this side.
    unsafe fn at(&self, i: usize) -> *mut u8;
}

/// One side of a panel, its kind of rows settled.
pub(crate) trait Addressing: Copy {
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
    /// - Shape: those rows exist, and they are at most 64.
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

/// Rows at a stride.
#[inline(always)]
pub(crate) fn strided(base: *mut u8, stride: isize) -> Strided {
    Strided { base, stride }
}

/// Settles the kinds of rows of both sides, and goes on.
///
/// # Safety
/// What `then` asks for; tables and lists have an entry for each row of their side (contract).
#[inline(always)]
pub(super) unsafe fn settle<S: Settled>(panel: &Panel<'_>, then: S) -> S::Answer {
    let (src, dst) = (panel.src.base, panel.dst.base);
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
pub(crate) struct Strided {
    pub(super) base: *mut u8,
    pub(super) stride: isize,
}

impl Lines for Strided {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        let bytes = (i as isize).wrapping_mul(self.stride);
        self.base.wrapping_offset(bytes)
    }
}

/// Lines of a tile at a constant distance. Every fourth has an address in a register; the three
/// behind it are one, two and three strides away, which addressing modes add for nothing: f32 64x64
/// with AVX-512 takes 275 ns, with one address for all lines 300; 256x256 runs at 0.65 and 0.62 of
/// memcpy.
#[derive(Clone, Copy)]
pub(crate) struct Fours {
    start: *mut u8,
    stride: isize,
}

impl Lines for Fours {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        let (four, strides) = ((i - i % 4) as isize, (i % 4) as isize);
        let four = self.start.wrapping_offset(four.wrapping_mul(self.stride));
        four.wrapping_offset(strides.wrapping_mul(self.stride))
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
        Fours {
            start,
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
    unsafe fn at(&self, i: usize) -> *mut u8 {
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
    unsafe fn at(&self, i: usize) -> *mut u8 {
        // SAFETY: shape: the last line exists, and so do those before it.
        unsafe { self.lines.at(i.min(self.last)) }
    }
}

/// The lines of one tile, one address each: what a table or a list is turned into, so that its kind
/// is asked for once per tile. The rest of the 64 are never asked for.
#[derive(Clone, Copy)]
pub(crate) struct Listed([MaybeUninit<*mut u8>; 64]);

impl Lines for Listed {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        // SAFETY: shape: the tile has this line, so it is one of 64 and was written.
        unsafe { self.0.get_unchecked(i).assume_init() }
    }
}

/// The addresses of the lines of a tile.
///
/// # Safety
/// As [`Addressing::lines`].
#[inline(always)]
unsafe fn listed(rows: impl Addressing, first: usize, count: usize, bytes: usize) -> Listed {
    let mut lines = [MaybeUninit::uninit(); 64];
    for (i, line) in lines.iter_mut().enumerate().take(count) {
        // SAFETY: shape: the caller has `count` rows from `first` on.
        line.write(unsafe { rows.row(first + i).wrapping_add(bytes) });
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
