//! What an ISA file supplies to the walks of this family, and how a panel looks to them: a pointer
//! to pixels and one to each plane.
//!
//! A file of its own because the cached and the streaming walk are both written against it.

use super::scalar::cells;
use crate::fence::StreamFence;
use crate::isa::Isa;
use crate::panel::{LINE, Panel, Rows, Side};
use crate::row::{Ask, Call, CellSize, Family, Row, Tile};

/// The most cells of a pixel.
const MOST: usize = 4;

/// A line in registers.
///
/// Every function needs the ISA that the implementing file names, enabled where it is inlined.
pub(super) trait Line: Copy {
    /// Loads a line.
    ///
    /// # Safety
    /// - Range: 64 bytes can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load(from: *const u8) -> Self;

    /// Loads the bytes of a line that `bytes` has a bit for. The others are anything, and are not
    /// read.
    ///
    /// # Safety
    /// - Range: those bytes can be read.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn load_some(from: *const u8, bytes: u64) -> Self;

    /// Stores a line through the caches.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store(self, to: *mut u8);

    /// Stores the bytes that `bytes` has a bit for, through the caches.
    ///
    /// # Safety
    /// - Range: those bytes can be written.
    /// - Alignment: none.
    /// - ISA: that of the file.
    unsafe fn store_some(self, to: *mut u8, bytes: u64);

    /// Stores a line around the caches, where a [`StreamFence`](crate::StreamFence) is held.
    ///
    /// # Safety
    /// - Range: 64 bytes can be written.
    /// - Alignment: `to` is a multiple of 64.
    /// - ISA: that of the file.
    unsafe fn stream(self, to: *mut u8);
}

/// Cells in lines.
pub(super) trait Cells: Copy {
    /// Bytes of a cell.
    const CELL: usize;
    /// Cells of a line: pixels of a group.
    const GROUP: usize = LINE / Self::CELL;
    /// Whether lines are loaded and stored in part by masks: then pixels may have holes.
    const MASKS: bool;
    /// From how many bytes a side on a destination that is written through the caches is prefetched.
    const COLD: usize;
    /// A line of them.
    type Line: Line;

    /// Moves a panel whose pixels do not follow each other.
    ///
    /// # Safety
    /// The contract of the crate, with a panel of the family of these cells; the guard of the task
    /// is held if this `streams`. ISA: that of the file, enabled where this is inlined.
    #[inline(always)]
    unsafe fn scattered(panel: &Panel<'_>, streams: bool) {
        let _ = streams;
        // SAFETY: passed on.
        unsafe { cells(panel) }
    }
}

/// Takes groups of pixels of `STEP` cells apart and puts them together.
pub(super) trait Weave<const STEP: usize>: Cells {
    /// Lines of pixels to a line of each plane.
    ///
    /// # Safety
    /// - ISA: what the file names is enabled where this is inlined.
    unsafe fn split(pixels: [Self::Line; STEP]) -> [Self::Line; STEP];

    /// A line of each plane to lines of pixels.
    ///
    /// # Safety
    /// As [`Weave::split`].
    unsafe fn merge(planes: [Self::Line; STEP]) -> [Self::Line; STEP];
}

/// Every step there is.
pub(super) trait Weaves: Weave<2> + Weave<3> + Weave<4> {}

impl<W: Weave<2> + Weave<3> + Weave<4>> Weaves for W {}

/// A panel as pixels and planes. Looked at where it was made: its planes are stored one by one, and to move them as
/// an array waits for all of those stores, half of what 64 f32 of two planes take.
#[derive(Clone, Copy)]
pub(super) struct Woven {
    pub(super) pixels: *mut u8,
    /// The first cell of each plane; the first plane again where there are fewer.
    pub(super) planes: [*mut u8; MOST],
    /// Cells of a pixel that move: as many planes there are.
    pub(super) moved: usize,
    /// Cells from one pixel to the next.
    pub(super) step: usize,
    /// Pixels.
    pub(super) len: usize,
}

impl Woven {
    /// The panel whose destination rows are planes.
    #[inline(always)]
    pub(super) fn split(panel: &Panel<'_>) -> Option<Self> {
        Self::of(
            panel.cell,
            (&panel.src, panel.cols),
            (&panel.dst, panel.rows),
        )
    }

    /// The panel whose source rows are planes.
    #[inline(always)]
    pub(super) fn merge(panel: &Panel<'_>) -> Option<Self> {
        Self::of(
            panel.cell,
            (&panel.dst, panel.rows),
            (&panel.src, panel.cols),
        )
    }

    /// `None` where pixels do not follow each other.
    #[inline(always)]
    fn of(
        cell: usize,
        (pixels, len): (&Side<'_>, usize),
        (planes, moved): (&Side<'_>, usize),
    ) -> Option<Self> {
        if !is_short(moved) || len == 0 {
            return None;
        }
        let step = match pixels.rows {
            Rows::Stride(stride) if len > 1 => {
                let (cell, stride) = (cell, usize::try_from(stride).ok()?);
                // A cell is a power of two here, and a step at most four of them.
                (2..=MOST).find(|step| step * cell == stride)?
            }
            _ if len == 1 => moved,
            _ => return None,
        };
        if step < moved {
            return None;
        }
        // SAFETY: shape: both sides have a row 0, and the planes `moved` rows.
        let (pixels, first) = unsafe { (pixels.cell(0, 0), planes.cell(0, 0)) };
        let mut starts = [first; MOST];
        // Not `take(moved)`, which is a call.
        for (p, start) in starts.iter_mut().enumerate().skip(1) {
            if p < moved {
                // SAFETY: shape: p is below `moved`.
                *start = unsafe { planes.cell(p, 0) };
            }
        }
        Some(Self {
            pixels,
            planes: starts,
            moved,
            step,
            len,
        })
    }

    /// Whether pixels leave cells out.
    #[inline(always)]
    pub(super) fn has_holes(&self) -> bool {
        self.moved < self.step
    }

    /// For each line of pixels the bytes that move.
    #[inline(always)]
    pub(super) fn moved_bytes<const STEP: usize>(&self, cell: usize) -> [u64; STEP] {
        let mut bytes = [0; STEP];
        let (pixel, moved) = (STEP * cell, (1_u128 << (self.moved * cell)) - 1);
        // From the pixel on that reaches into the line; what is shifted out is of other lines.
        for (j, line) in bytes.iter_mut().enumerate() {
            let before = j * LINE % pixel;
            let mut all = moved >> before;
            let mut at = pixel - before;
            while at < LINE {
                all |= moved << at;
                at += pixel;
            }
            *line = all as u64;
        }
        bytes
    }
}

/// The rows of one size of cells: split and merge through the caches, and both around them. Tiles
/// are a group, and two where they are streamed: as little as is worth it.
pub(super) const fn four<C: Cells>(
    isa: Isa,
    names: [&'static str; 4],
    [split, merge]: [unsafe fn(&Panel<'_>); 2],
    [split_around, merge_around]: [unsafe fn(&Panel<'_>, &StreamFence<'_>); 2],
) -> [Row; 4] {
    [
        row::<C>(names[0], isa, true, Call::Cached(split)),
        row::<C>(names[1], isa, false, Call::Cached(merge)),
        row::<C>(
            names[2],
            isa,
            true,
            Call::Streaming {
                call: split_around,
                scratch: |_| 0,
            },
        ),
        row::<C>(
            names[3],
            isa,
            false,
            Call::Streaming {
                call: merge_around,
                scratch: |_| 0,
            },
        ),
    ]
}

/// Bytes of the long side below which masks are not worth it: 3 panels of 2 pixels of 4 f32, 53 ns cell
/// by cell and 75 under masks; 2 of 4 pixels of 3 f32 the same.
const FEW: usize = LINE / 2;

/// One row. Without masks, and where it streams, a panel has at least a tile of pixels.
const fn row<C: Cells>(name: &'static str, isa: Isa, splits: bool, call: Call) -> Row {
    let (pixels, any) = match call {
        Call::Streaming { .. } => (2 * C::GROUP, false),
        _ => (C::GROUP, C::MASKS),
    };
    let (rows, cols) = if splits {
        (MOST, pixels)
    } else {
        (pixels, MOST)
    };
    let needs: fn(&Ask) -> bool = match (splits, any) {
        (true, true) => |ask| is_short(ask.rows) && ask.cols * ask.cell >= FEW,
        (false, true) => |ask| is_short(ask.cols) && ask.rows * ask.cell >= FEW,
        (true, false) => |ask| is_short(ask.rows) && ask.cols * ask.cell >= LINE,
        (false, false) => |ask| is_short(ask.cols) && ask.rows * ask.cell >= LINE,
    };
    Row {
        name,
        family: Family::Interleave,
        cell: CellSize::Exact(C::CELL),
        isa,
        tile: Tile { rows, cols },
        needs,
        call,
    }
}

fn is_short(side: usize) -> bool {
    (2..=MOST).contains(&side)
}
