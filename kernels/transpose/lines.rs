//! Where the rows of a panel and the lines of a tile start: strides, tables and lists, each settled
//! once per panel.
//!
//! A file of its own because the walk and the tiles are compiled for each kind of rows: a match on
//! [`Rows`](crate::panel::Rows) for each line halves the speed of a tile in the first-level cache
//! (f32 64x64 through tables, AVX-512: 54 GB/s with one match per tile, 94 with none).

use core::mem::MaybeUninit;
#[cfg(target_arch = "x86_64")]
use core::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::cpu::before_zen5;
use crate::panel::{LINE, PAGE, Panel, Rows, Side};

/// Whether `rows` rows of a source, `apart` bytes from each other, share so few sets of the first-level
/// cache that what is read of a line does not stay for the next tile: sets have 8 to 12 ways, some of
/// which the destination takes.
///
/// Staged and not, cached, of memcpy on a 2-core AVX-512 server VM: u8 512x512 0.57, 0.44; 1024x1024
/// 0.51, 0.38; 384x384 (32 sets) 0.63, 0.65; u16 512x512 0.58, 0.50; 256x256 (8 sets) 0.62, 0.61. Rows that are not
/// far from a half, a third and so on of a page (Zen 4): u8 2049x2047 0.21, 0.12; 1025x2049 0.21, 0.10; 129x2049 0.23,
/// 0.16; 511x1025 0.36, 0.24; u16 1025x1025 0.20, 0.11; streamed, u16 8193x1025 0.48, 0.29, 4001x5121 0.65, 0.53,
/// 9001x1537 0.61, 0.63; f32 8193x513 0.48, 0.37, 30001x1537 0.78, 0.62.
#[inline(always)]
pub(super) fn crowded(apart: usize, rows: usize) -> bool {
    const SETS: usize = 64;
    const WAYS: usize = 4;
    if apart <= WAYS * PAGE / rows {
        return false; // all that lies between the first and the last one fits
    }
    let apart = apart % PAGE;
    let sets = if apart == 0 {
        1
    } else if apart.is_multiple_of(LINE) {
        SETS >> (apart / LINE).trailing_zeros()
    } else {
        // After so many rows one comes back to where the first one was, or nearly. Of 32 bits, for one register.
        let (apart, rows) = (apart as u32, rows.min(PAGE) as u32);
        let turns: [u32; 8] = core::array::from_fn(|i| {
            let times = i as u32 + 1;
            let off = apart * times % PAGE as u32;
            times + off.min(PAGE as u32 - off) * rows / LINE as u32
        });
        turns.into_iter().fold(u32::MAX, u32::min) as usize
    };
    sets * WAYS < rows
}

/// Whether rows so many bytes apart do not share their sets of the first-level cache with each other, 64 of them: *guess*.
/// On Zen 3 and before panels are moved in strips then, along the rows of their source, and streamed later.
#[must_use]
#[inline]
pub fn spreads(apart: usize) -> bool {
    const SHARING: usize = 64;
    !crowded(apart, SHARING)
}

/// Whether tiles that are a destination line wide, of so many cells, are best through the caches: not where columns
/// are fewer, nor where the last tile of a row, which is moved back, writes much again, and not by AMD's cores before Zen 5, which load and
/// store half a line at a time, but where those halves would be far apart in time.
///
/// Tiles of half the width and those, ns in the first-level cache, Zen 4: u8 64x64 137 and 185, 66x65 200 and 280,
/// 128x128 343 and 420, 256x256 1800 and 1920; u16 33x33 89 and 133, 54x56 146 and 202, 64x64 150 and 198, 256x256
/// 3.5 us both. From 500x500 on level, and out of the second-level cache, u8 2300x2301, 410 us and 310. Zen 5, of
/// memcpy: u8 64x64 0.35 and 0.39, 128x128 0.36 and 0.42, 256x256 0.39 and 0.42; u16 64x64 0.35 and 0.38, 256x256 0.37
/// and 0.41. How much is too much: *guess*.
#[cfg(target_arch = "x86_64")]
pub(super) fn fills_lines(panel: &Panel<'_>, line: usize) -> bool {
    const LARGE: usize = 256 << 10;
    let large = panel.rows * panel.cols * panel.cell >= LARGE;
    let little = panel.cols >= line && 4 * panel.cols.next_multiple_of(line) <= 5 * panel.cols;
    little && (large || !before_zen5())
}

/// Bytes from whole pages that rows may be apart for their lines to be in few sets of the first-level cache: those of
/// sixteen are in four then. *Guess*.
#[cfg(target_arch = "x86_64")]
pub(super) const NEAR: usize = LINE / 4;

/// Whether rows are whole pages apart, or so many bytes from that. Not asked of tables and lists.
#[cfg(target_arch = "x86_64")]
pub(super) fn pages_apart(rows: &Rows<'_>, near: usize) -> bool {
    matches!(rows, Rows::Stride(stride) if (stride.unsigned_abs() + near) % PAGE <= 2 * near)
}

/// Whether rows from an address on, so many bytes apart, start anywhere in a line.
#[cfg(target_arch = "x86_64")]
pub(super) fn ragged(start: usize, apart: usize) -> bool {
    !(start | apart).is_multiple_of(LINE)
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

    /// Calls `then` with the start of each of some rows.
    ///
    /// # Safety
    /// - Shape: those rows exist.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn each(self, rows: Range<usize>, then: impl Fn(*mut u8)) {
        for i in rows {
            // SAFETY: shape: passed on.
            then(unsafe { self.row(i) });
        }
    }

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
pub(crate) fn strided(base: *mut u8, stride: isize) -> Pitched {
    let pitch = Pitch::of(stride);
    Pitched { base, pitch }
}

/// Rows of a table.
#[inline(always)]
pub(super) fn tabled(base: *mut u8, offsets: &[isize]) -> Tabled<'_> {
    Tabled { base, offsets }
}

/// Settles the kinds of rows of both sides, and goes on.
///
/// # Safety
/// What `then` asks for; tables and lists have an entry for each row of their side (contract).
#[inline(always)]
pub(super) unsafe fn settle<S: Settled>(panel: &Panel<'_>, then: S) -> S::Answer {
    let (src, dst) = (panel.src.base, panel.dst.base);
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

/// Lines at a constant distance that the compiler knows.
#[derive(Clone, Copy)]
pub(crate) struct Strided {
    pub(super) base: *mut u8,
    pub(super) stride: isize,
}

#[cfg(target_arch = "x86_64")]
impl Strided {
    /// Lines that start `apart` bytes from each other, the first one at `base`.
    #[inline(always)]
    pub(super) fn apart(base: *mut u8, apart: usize) -> Self {
        let stride = apart as isize;
        Self { base, stride }
    }
}

impl Lines for Strided {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        let bytes = (i as isize).wrapping_mul(self.stride);
        self.base.wrapping_offset(bytes)
    }
}

/// Rows at a stride.
#[derive(Clone, Copy)]
pub(crate) struct Pitched {
    base: *mut u8,
    pitch: Pitch,
}

/// A stride, and the multiples of it that addressing modes do not give.
///
/// With these every line of a tile is one address, which changes from tile to tile, and a constant: one
/// addition for each tile and side. Told only of the stride, the compiler keeps an address for every
/// fourth line or each, and the additions go to the ports that the shuffles want. AVX-512, f32 64x64:
/// 248 ns, with an address for every fourth line 258; 256x256: 7.5 us, 7.9.
#[derive(Clone, Copy)]
struct Pitch {
    /// Once, three, five and seven times.
    odd: [isize; 4],
}

impl Pitch {
    #[inline(always)]
    fn of(stride: isize) -> Self {
        Self {
            odd: [1, 3, 5, 7].map(|n| opaque(stride.wrapping_mul(n))),
        }
    }

    #[inline(always)]
    fn stride(self) -> isize {
        self.odd[0]
    }

    /// `i` strides. A constant where the loop over the lines of a tile is unrolled: the compiler looks
    /// that far ahead in loops of up to ten.
    #[inline(always)]
    fn times(self, i: usize) -> isize {
        let eights = ((i - i % 8) as isize).wrapping_mul(self.stride());
        let below_eight = match i % 8 {
            0 => 0,
            1 => self.odd[0],
            2 => self.odd[0].wrapping_mul(2),
            3 => self.odd[1],
            4 => self.odd[0].wrapping_mul(4),
            5 => self.odd[2],
            6 => self.odd[1].wrapping_mul(2),
            _ => self.odd[3],
        };
        eights.wrapping_add(below_eight)
    }
}

/// The same number, of which the compiler does not know where it came from.
#[inline(always)]
pub(super) fn opaque(number: isize) -> isize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let number = {
        let mut number = number;
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
        }
        number
    };
    number
}

/// The lines of the widest tiles of 4-byte cells.
const FEW: usize = 16;

/// Lines of a tile, `start` and multiples of the pitch.
#[derive(Clone, Copy)]
pub(crate) struct PitchedLines {
    start: *mut u8,
    pitch: Pitch,
    /// Whether the constants are few enough to be kept. Of 64 lines every fourth has an address: u8
    /// 64x64 108 ns, with constants 116; of 32, u16 64x64, 182 and 189.
    few: bool,
}

impl Lines for PitchedLines {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> *mut u8 {
        if self.few {
            return self.start.wrapping_offset(self.pitch.times(i));
        }
        let strides = |n: usize| (n as isize).wrapping_mul(self.pitch.stride());
        let fourth = self.start.wrapping_offset(strides(i - i % 4));
        fourth.wrapping_offset(strides(i % 4))
    }
}

impl Addressing for Pitched {
    type Lines = PitchedLines;

    #[inline(always)]
    unsafe fn row(self, i: usize) -> *mut u8 {
        let bytes = (i as isize).wrapping_mul(self.pitch.stride());
        self.base.wrapping_offset(bytes)
    }

    #[inline(always)]
    unsafe fn phase(self, _: usize) -> Option<usize> {
        let whole_lines = self.pitch.stride().unsigned_abs().is_multiple_of(LINE);
        whole_lines.then_some(self.base.addr() % LINE)
    }

    #[inline(always)]
    unsafe fn lines(self, first: usize, count: usize, bytes: usize) -> PitchedLines {
        // SAFETY: shape: the caller has a row `first`.
        let start = unsafe { self.row(first) }.wrapping_add(bytes);
        PitchedLines {
            start,
            pitch: self.pitch,
            few: count <= FEW,
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

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn each(self, rows: Range<usize>, then: impl Fn(*mut u8)) {
        // SAFETY: shape: passed on; strides have any row.
        unsafe {
            match self.rows {
                Rows::Stride(stride) => strided(self.base, stride).each(rows, then),
                Rows::Offsets(offsets) => tabled(self.base, offsets).each(rows, then),
                Rows::Pointers(..) => rows.for_each(|i| then(self.row(i))),
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Rows are crowded if they lie in few sets, give or take some.
    #[test]
    fn crowded_rows_share_sets() {
        for rows in [16, 32, 64] {
            for apart in 1..2 * PAGE {
                let sets = (0..rows).fold(0_u64, |sets, i| sets | 1 << (i * apart % PAGE / LINE));
                let ways = 4 * sets.count_ones() as usize;
                let close = apart * rows <= 4 * PAGE;
                let right = match crowded(apart, rows) {
                    true => !close && ways <= 2 * rows,
                    false => close || 2 * ways >= rows,
                };
                assert!(right, "{rows} rows, {apart} apart");
            }
        }
    }
}
