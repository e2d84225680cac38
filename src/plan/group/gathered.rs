//! Blocks of a few bytes whose cells come from a few lines of the source, wherever those are.

use core::ptr::null_mut;

use restride_kernels::{Gathered, Pairing, Panel, Rows, Shuffled, Side, SourceGaps};
use smallvec::SmallVec;

use super::PanelDims;
use super::grow::Grow;
use crate::plan::normalise::Form;
use crate::plan::problem::Dim;
use crate::plan::woven::has_weaves;

/// Bytes of a block at most, where its registers are not full: four of them.
const MOST: usize = 256;

/// Bytes of a copy from which on it is worth finding out which lines those are: *guess*.
const LEAST: usize = 32 << 10;

/// Bytes that stay in a first-level cache beside others: *guess*.
const KEPT: usize = 16 << 10;

/// Accesses that a panel takes beside its own: *guess*.
const BESIDE: usize = 16;

/// Bytes of a cell that is half of a window without masks or more, and is picked as fast one by one.
const HALF_A_WINDOW: usize = 8;

/// How many dimensions are a block in the destination, where such blocks follow each other in the next one, and how it is
/// moved: those of which an access of a panel moves most, as many as there may be.
fn best(cell: usize, dims: &[Dim], shuffled: Shuffled) -> Option<(usize, Gathered)> {
    let mut places: SmallVec<[isize; MOST]> = SmallVec::from_elem(0, 1);
    let mut best: Option<(f64, usize, Gathered)> = None;
    for (inside, next) in dims.iter().enumerate() {
        let bytes = places.len() * cell;
        if next.dst != bytes as isize {
            break;
        }
        if let Some(turn) = turn(cell, &places, next, shuffled) {
            let turns = (bytes * next.extent).div_ceil(turn.bytes);
            let rate = (bytes * next.extent) as f64 / (turns * turn.accesses + BESIDE) as f64;
            if best.as_ref().is_none_or(|(most, ..)| rate >= *most) {
                best = Some((rate, inside, turn));
            }
        }
        if bytes.saturating_mul(next.extent) > MOST {
            break;
        }
        for i in places.len()..places.len() * next.extent {
            // Those of the first index, as often as there are others.
            let before = places[i - bytes / cell];
            places.push(before.wrapping_add(next.src));
        }
    }
    best.map(|(_, inside, turn)| (inside, turn))
}

/// How blocks of cells at these places are moved, which follow each other in `next`.
fn turn(cell: usize, places: &[isize], next: &Dim, shuffled: Shuffled) -> Option<Gathered> {
    let bytes = (places.len() * cell) as isize;
    let side = |rows, step| Side {
        base: null_mut(),
        rows,
        step,
    };
    let panel = Panel {
        cell,
        rows: next.extent,
        cols: places.len(),
        pairing: Pairing::Crossed,
        gaps: SourceGaps::Forbidden,
        src: side(Rows::Offsets(places), next.src),
        dst: side(Rows::Stride(bytes), cell as isize),
    };
    shuffled.gathered(&panel)
}

impl PanelDims {
    /// A crossed panel of blocks whose cells come from a few lines. False, and nothing dealt, if there are none that are
    /// better than cell by cell: an access takes twice as long as that of a cell, of no power of two half as long.
    ///
    /// Of the roof, cell by cell and so, again and again, then after all had been flushed, Xeon, 10 to 30 MB: patches of
    /// 16x16 pixels from planes, u8 0.02 and 0.28, 0.03 and 0.33, u16 0.05 and 0.32, 0.04 and 0.35, and back 0.06 and 0.28,
    /// 0.08 and 0.33, 0.15 and 0.35, 0.20 and 0.46; half of three planes to pixels, u8 0.17 and 0.44, 0.22 and 0.51, f32 0.26
    /// and 0.44, 0.24 and 0.44; planes of 32x32 doubled, u8 0.08 and 1.26, 0.07 and 1.15, f32 0.26 and 0.63, 0.25 and 0.71;
    /// 3x3 of every second pixel of planes, u8 0.11 and 0.31, 0.13 and 0.35, f32 0.16 and 0.48, 0.15 and 0.50; 4x4 of 5x5, f32
    /// 0.44 and 0.60, 0.35 and 0.41; two planes of 3 bytes to frames 0.28 and 0.77, 0.30 and 0.76, back 0.27 and 0.37, 0.30
    /// and 0.34. Without masks, Zen 3, where that loses: cells of 16 bytes 0.58 and 0.34, every second of 12 bytes 0.32
    /// and 0.18, three of 12 bytes in two registers 0.36 and 0.13, 3x3 of three planes and every second position u8 0.17
    /// and 0.07.
    #[inline(never)] // beside the planning of others
    pub(in crate::plan) fn gathered(&mut self, normal: &Form<'_>, grow: Grow) -> bool {
        let (cell, dims) = (normal.cell, normal.dims);
        if normal.bytes < LEAST {
            return false;
        }
        let pays = |&(inside, turn): &(usize, Gathered)| {
            let next = &dims[inside];
            // What lies between the blocks is for others, which read the same lines again.
            let apart = next.src.unsigned_abs();
            let again = inside == 0 && apart > 2 * cell && apart * next.extent > KEPT;
            let masks = grow.shuffled.masks;
            let rows = has_weaves(cell) || !masks && cell >= HALF_A_WINDOW;
            let picked = inside == 0 && rows;
            let (cells, accesses) = (turn.bytes / cell, turn.accesses);
            let fewer = match (has_weaves(cell), masks) {
                (true, _) => cells >= 2 * accesses,
                (false, true) => 3 * cells >= 2 * accesses,
                (false, false) => turn.bytes > 5 * accesses,
            };
            !again && !picked && fewer
        };
        let found = best(cell, dims, grow.shuffled).filter(pays);
        if let Some((inside, _)) = found {
            self.take_blocks(dims, inside, grow);
            self.order = super::Order::Continued;
        }
        found.is_some()
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use restride_kernels::Isa;

    use super::*;
    use crate::machine::Facts;

    /// How many dimensions of a copy of so many bytes are a block, if that is better than cell by cell.
    fn inside(
        cell: usize,
        dims: &[(usize, isize, isize)],
        bytes: usize,
        isa: Isa,
    ) -> Option<usize> {
        inside_with(cell, dims, bytes, (isa, SourceGaps::Forbidden))
    }

    fn inside_with(
        cell: usize,
        dims: &[(usize, isize, isize)],
        bytes: usize,
        (isa, gaps): (Isa, SourceGaps),
    ) -> Option<usize> {
        let dims: Vec<Dim> = dims
            .iter()
            .map(|&(extent, src, dst)| Dim { extent, src, dst })
            .collect();
        let normal = Form {
            cell,
            dims: &dims,
            src_shift: 0,
            dst_shift: 0,
            listed: None,
            listed_dst: None,
            bytes,
        };
        let grow = Grow::of(bytes, &Facts::of_a_server(isa), (isa, gaps), false);
        let mut dealt = PanelDims::new();
        let found = dealt.gathered(&normal, grow);
        found.then(|| dealt.cols.first.map_or(0, |_| 1) + dealt.cols.more.len())
    }

    const VBMI: Isa = Isa::Avx512Vbmi;

    #[test]
    fn blocks_grow_while_few_lines_hold_their_cells() {
        // Planes to pixels, every second column; to patches of 16 x 16 pixels.
        let halved = [(3, 1 << 20, 1), (960, 2, 3), (540, 3840, 2880)];
        assert_eq!(inside(1, &halved, 1 << 20, VBMI), Some(1));
        let patches = [(3, 50_176, 1), (16, 1, 3), (16, 224, 48), (14, 16, 768)];
        assert_eq!(inside(1, &patches, 1 << 20, VBMI), Some(2));
        // Cells twice, rows twice: all that a row becomes.
        let twice = [(2, 0, 1), (32, 1, 2), (2, 0, 64), (2048, 32, 128)];
        assert_eq!(inside(1, &twice, 1 << 20, VBMI), Some(3));
        // Frames of two samples of three bytes, and the samples of each channel.
        let frames = [(2, 1 << 22, 3), (1 << 20, 3, 6)];
        assert_eq!(inside(3, &frames, 1 << 22, VBMI), Some(1));
        let channels = [(1 << 20, 6, 3), (2, 3, 3 << 20)];
        assert_eq!(inside(3, &channels, 1 << 22, VBMI), Some(0));
    }

    #[test]
    fn windows_without_masks_are_shorter_and_whole() {
        const READABLE: (Isa, SourceGaps) = (Isa::Avx2, SourceGaps::Readable);
        // Every second pixel of three planes; what lies between may not be read.
        let halved = [(3, 1 << 20, 1), (960, 2, 3), (540, 3840, 2880)];
        assert_eq!(inside_with(1, &halved, 1 << 20, READABLE), Some(1));
        assert_eq!(inside(1, &halved, 1 << 20, Isa::Avx2), None);
        // Of f32, a window has two.
        let halved = [(3, 1 << 22, 4), (960, 8, 12), (540, 15_360, 11_520)];
        assert_eq!(inside_with(4, &halved, 1 << 22, READABLE), None);
        // Frames of two samples of 24 bits; of complex numbers, which are windows themselves.
        let frames = [(2, 1 << 22, 3), (1 << 20, 3, 6)];
        assert_eq!(inside_with(3, &frames, 1 << 22, READABLE), Some(1));
        let complex = [(2, 1 << 24, 16), (1 << 20, 16, 32)];
        assert_eq!(inside_with(16, &complex, 1 << 24, READABLE), None);
    }

    #[test]
    fn blocks_are_left_where_they_gain_nothing() {
        let frames = [(2, 1 << 22, 3), (1 << 20, 3, 6)];
        assert_eq!(inside(3, &frames, LEAST - 1, VBMI), None, "small");
        assert_eq!(
            inside(3, &frames, 1 << 22, Isa::Avx512),
            None,
            "no such rows"
        );
        // More channels than a register has windows, and than reads of each line.
        let six = [(6, 1 << 22, 3), (1 << 20, 3, 18)];
        assert_eq!(inside(3, &six, 1 << 22, VBMI), None);
        let channels = [(1 << 20, 18, 3), (6, 3, 3 << 20)];
        assert_eq!(inside(3, &channels, 1 << 22, VBMI), None);
        // Cells that are picked one by one have rows of their own.
        assert_eq!(inside(4, &[(1 << 20, 8, 4)], 1 << 22, VBMI), None);
        // Apart in the destination.
        assert_eq!(
            inside(1, &[(3, 1 << 20, 2), (960, 2, 6)], 1 << 20, VBMI),
            None
        );
    }
}
