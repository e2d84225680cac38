//! How a streaming transposition moves short rows by way of two stages: tiles fill one while the other is streamed.
//!
//! A file of its own because it is [`staged`](super::staged) in another order. There all rows of a piece are
//! transposed, in which time nothing is written to memory, and then streamed, in which time nothing is transposed. Here
//! each few tiles are followed by some lines of the piece before:
//!
//! ```text
//!   stage 0   | tiles of piece 0 | streamed         | tiles of piece 2 | ..
//!   stage 1   |                  | tiles of piece 1 | streamed         | ..
//! ```
//!
//! Of the roof, one thread, by one stage and so (2-core AVX-512 server VM, Zen 5), 16 MiB: u8 24 columns 0.43 and 0.59,
//! 63 0.49 and 0.69; u16 24 0.46 and 0.66, 40 0.44 and 0.62; f32 7 0.51 and 0.66, 13 0.49 and 0.67, 21 0.52 and 0.68;
//! f64 5 0.42 and 0.78, 13 0.51 and 0.88, 19 0.58 and 0.93; 16 bytes 6 0.57 and 1.02, 15 0.56 and 0.96. 120 MiB: f32 13
//! 0.67 and 0.95, 63 0.79 and 1.02, f64 11 0.64 and 1.01, 38 0.75 and 0.94, 16 bytes 6 0.72 and 1.24. AVX2, 16 MiB: f32
//! 21 0.50 and 0.72, f64 13 0.49 and 0.70, 16 bytes 15 0.54 and 1.01. Xeon, AVX-512, 96 MiB: f32 5 columns 0.67 and
//! 0.86, 13 0.81 and 0.96, f64 5 0.72 and 0.81, 8 0.73 and 0.88, u8 60 0.67 and 0.76; 16 MiB level, but rows of one
//! line, f32 16 0.74 and 0.89.

use core::mem::MaybeUninit;

use super::columns::Columns;
use super::line::Line;
use super::lines::{Addressing, Strided};
use super::overhang::SHORT;
use super::staged::{Pieces, crowd};
use super::walk::RegisterTile;
use crate::cpu::{before_zen5, from_zen5};
use crate::fence::StreamFence;
use crate::isa::{prefetch, prefetch_second};
use crate::panel::{LINE, Panel};
use crate::stage::{Pending, Waiting};

/// Bytes of rows that are staged at a time, at most: of rows that are [short enough](super::staged::takes), a tile is
/// no more.
const MOST: usize = 16 << 10;
/// The same where the source is [followed](Pace::Followed). With [`MOST`], 16 MiB, f32 15 columns 0.77 and 0.70, f64 6
/// 0.83 and 0.69.
const FOLLOWED: usize = 8 << 10;
/// Bytes of a panel from which on there are pieces enough: *guess*.
const LEAST: usize = 2 * MOST;
/// Bytes of rows that are moved by tiles of the same columns before lines are streamed. 1 KiB and this, f64 13 columns
/// 0.62 and 0.88; twice as much where there are tiles of other columns, f32 21 0.68 and 0.84.
const GROUP: usize = 2 << 10;

/// Moves a panel by way of two stages, at the [`Pace`] that is for it.
pub(super) type InTurns = unsafe fn(&Panel<'_>, &StreamFence<'_>, Pace);

/// How the source is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// As it comes: the CPU follows so many rows.
    Followed,
    /// Asked for, the rows of a piece while the piece before it is moved.
    Asked,
}

impl Pace {
    /// For a panel of [short rows](super::staged::takes) that follow each other, none if one stage is better.
    ///
    /// Zen 5 streams and transposes at the same time if what is stored to the stage is wide: between stores of 8 or 16
    /// bytes, a line takes as long as four. u8 6 columns 0.22 and 0.13, 16 0.32 and 0.35; u16 8 0.43 and 0.39; AVX2
    /// 0.37 and 0.28, 12 0.44 and 0.41, 15 0.44 and 0.48; f32 5 0.46 and 0.47.
    ///
    /// It follows some rows, and more as long as the third-level cache has them. Asked for into the first-level cache,
    /// of the roof, one stage, followed, and asked for, again and again, and after all had been flushed: 16 MiB, u8 52
    /// columns 0.42, 0.80 and 0.49, 0.67, 0.77 and 0.87; 65 0.45, 0.51 and 0.44, 0.66, 0.26 and 0.69; u16 30 0.54,
    /// 0.95 and 0.56, 0.85, 0.93 and 0.99; 62 0.52, 0.54 and 0.76, 0.65, 0.36 and 1.07; f32 31 0.65, 1.04 and 0.82,
    /// 0.58, 0.62 and 1.20; 60 0.69, 0.70 and 0.72, 0.86, 0.90 and 1.05; but f64 38 0.86, - and 0.56, 16 bytes 33
    /// 0.90, - and 0.50. Asked for in the mean of 19 kinds of 19 to 127 columns, of one stage and so: 34 MiB 0.76 and
    /// 0.85, 48 MiB 0.76 and 0.90, 120 MiB 0.76 and 0.98. More rows are neither: 120 MiB u8 150 0.53 and 0.23, f32 210
    /// 0.70 and 0.41.
    ///
    /// Where rows share sets of the caches, what is asked for does not stay. Asked for, and one stage, again and again, and
    /// after all had been flushed, whole pages apart: 16 MiB, u8 70 columns 0.12 and 0.34, 0.21 and 0.49, 120 0.19 and
    /// 0.42, 0.31 and 0.52; u16 60 0.30 and 0.44, 0.45 and 0.56; 48 MiB, u8 100 0.25 and 0.49, 0.28 and 0.53; f32 40 0.86
    /// and 0.67, 0.88 and 0.67, 60 0.72 and 0.64, 0.76 and 0.69, 100 0.44 and 0.56, 0.48 and 0.67; f64 60 level, 100 0.52
    /// and 0.54, 0.59 and 0.66.
    ///
    /// What is not AMD's does as Zen 5 did best when lines were asked for into the second-level cache: *guess*.
    ///
    /// A function of its own, as the compiler makes less of what asks if this is part of it: u16 4097x4095 0.59 and 0.54.
    #[inline(never)]
    pub(super) fn of(panel: &Panel<'_>) -> Option<Self> {
        /// Bytes of panels that the third-level cache has on both sides, and of those that it has not.
        const NEAR: usize = 24 << 20;
        const FAR: usize = 56 << 20;
        /// Rows that the CPU follows out of memory, and out of the third-level cache, out of which it follows more if
        /// they are those of [`SHORT`] rows.
        const OF_MEMORY: usize = 16;
        const NEARBY: usize = 32;
        /// Rows that are asked for at most.
        const ASKED: usize = 127;
        /// The same of cells of four and eight bytes, where those share sets of the caches.
        const CROWDED: usize = 64;
        let Panel {
            rows, cols, cell, ..
        } = *panel;
        let wide = match cell {
            1 => 17,
            2 => 13,
            _ => 5,
        };
        let bytes = rows * cols * cell;
        if before_zen5() || cols < wide || bytes < LEAST {
            return None;
        }
        if from_zen5() {
            let followed = if cell == 1 { LINE } else { NEARBY };
            return match bytes {
                _ if cols <= OF_MEMORY => Some(Self::Followed),
                ..=NEAR if cols <= followed => Some(Self::Followed),
                ..=NEAR if cell > 2 => None,
                _ if (cell <= 2 || cols > CROWDED) && crowd(panel) => None,
                _ => (cols <= ASKED).then_some(Self::Asked),
            };
        }
        match bytes {
            _ if cols <= OF_MEMORY => Some(Self::Followed),
            ..=NEAR => (cols <= NEARBY || cols * cell < SHORT).then_some(Self::Followed),
            FAR.. => (cols <= ASKED).then_some(Self::Asked),
            _ => None,
        }
    }

    /// Bytes of a piece.
    fn piece(self) -> usize {
        match self {
            Self::Followed => FOLLOWED,
            Self::Asked => MOST,
        }
    }
}

/// Asks for a line, on Zen 5 into the first-level cache: 34 MiB, 19 kinds of 19 to 127 columns, 0.82 of the roof in
/// the mean and 0.85, 48 MiB 0.85 and 0.90. Whose cores these are is asked each time: known before, loops have too few
/// registers, 120 MiB u8 63 columns 1.10 and 0.87, f64 19 1.02 and 0.75.
#[inline(always)]
fn ask_for(line: *const u8) {
    if from_zen5() {
        prefetch(line);
    } else {
        prefetch_second(line);
    }
}

/// A stage: what waits, a piece, and room for what the stores of its last row write beyond it.
#[repr(align(64))]
struct Stage([MaybeUninit<u8>; LINE + MOST + LINE]);

impl Stage {
    /// Where the piece is.
    fn piece(&mut self) -> *mut u8 {
        self.0[LINE..].as_mut_ptr().cast()
    }
}

/// Moves a panel at the [`Pace`] that is for it.
///
/// # Safety
/// The contract of the crate, with a panel of the family, of `T::CELL` byte cells, which has at least `tile.rows()` short
/// rows, so many of which are no more than [`MOST`] bytes, and 128 columns at most; its rows follow each other in the
/// destination, and the guard is held. The tile stores its rows in their order, each by as many bytes as it has
/// columns, and its ISA and that of the line are enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn rows<L: Line, T: RegisterTile>(
    panel: &Panel<'_>,
    fence: &StreamFence<'_>,
    pace: Pace,
    tile: T,
) {
    let Panel { rows, cols, .. } = *panel;
    let (bytes, high, wide) = (cols * T::CELL, tile.rows(), tile.cols());
    let across = cols.div_ceil(wide);
    let units = |most: usize| (most / bytes / high).max(1) * high;
    let group = units(if across == 1 { GROUP } else { 2 * GROUP });
    // As many as the piece before has, and what waited for it.
    let lines = (group * bytes).div_ceil(LINE * across) + 1;
    let last = rows - high;
    let mut columns = Columns::new();
    // SAFETY: shape: the panel has these columns, a tile of them or fewer, beyond which the last one stands again.
    unsafe { columns.find(panel, 0..cols, cols.max(wide)) };
    let pieces = Pieces::of_rows(panel, fence, units(pace.piece()));
    let mut stages = [const { Stage([MaybeUninit::uninit(); _]) }; 2];
    let [mut stage, mut next] = stages.each_mut().map(Stage::piece);
    let mut out = Waiting::of(stage);
    let mut pending = Pending::none();
    for start in (0..rows).step_by(pieces.rows) {
        let end = rows.min(start + pieces.rows);
        let mut ahead = (pace == Pace::Asked).then(|| pieces.ahead(start));
        let mut ask = || {
            if let Some(ahead) = &mut ahead {
                ahead.each(ask_for);
            }
        };
        // Less than a tile is moved together with rows before it.
        let first = start.min(last);
        // What a tile has more than columns is overwritten by the next row, as in `overhang`.
        let at = |r: usize| stage.wrapping_add((r - first) * bytes);
        for r in (start..end).step_by(group) {
            let group = r..end.min(r + group);
            for i in (0..across).rev() {
                let c = (i * wide).min(cols.saturating_sub(wide));
                for r in group.clone().step_by(high) {
                    let r = r.min(last);
                    let to = at(r).wrapping_add(c * T::CELL);
                    // SAFETY: shape: a tile's columns from `c` on were found, and its rows from `r` on are the
                    // panel's; range: the stage has room for them, and for what the last one is written beyond its
                    // end; aliasing: the stage has no other reference; ISA: passed on.
                    unsafe {
                        let from = columns.lines(c, r * T::CELL);
                        tile.transpose(from, Strided::apart(to, bytes));
                    }
                }
                // SAFETY: range: the lines are in the other stage; ISA: passed on.
                unsafe { pending.stream::<L>(lines, &mut ask) };
            }
        }
        // SAFETY: shape: the panel has these rows; range: they follow each other in the destination, and were
        // written to the stage, where nothing before them is needed when no line is pending; ISA: passed on.
        unsafe {
            pending.stream::<L>(usize::MAX, || ());
            let (to, bytes) = (panel.dst.row(start), (end - start) * bytes);
            pending = out.begin_next((at(start), next), to, bytes);
        }
        (stage, next) = (next, stage);
    }
    // SAFETY: range: what is pending and what waits are cells of the destination; ISA: passed on.
    unsafe {
        pending.stream::<L>(usize::MAX, || ());
        out.flush();
    }
}
