//! Which panels are better off with narrower registers: small ones that are whole tiles of half the width of a register,
//! and not of the whole; and cells wider than those of a number, where a store that crosses a line is dear.
//!
//! The look-up leaves those to the rows of AVX2, or to scalar ones. That is a preference and no need of a row: a piece
//! of a panel goes to the row that was found for all of it, whatever tiles would cover the piece.

use crate::cpu::Cores;
use crate::isa::Isa;
use crate::row::Ask;

/// Bytes of a panel that stays in a first-level cache, by the figures below: 19200 gain, 21632 lose.
const SMALL: usize = 20_000;

/// The tier whose rows without streaming stores are the best of those up to `cap` for a panel.
///
/// That is AVX2 where tiles of half a register cover a panel of some rows without rest and those of a whole one do
/// not, and the panel stays in a first-level cache: the rest of large ones is a small part of them.
///
/// Masked tiles cost as much as whole ones. Of the roof, through the caches, masked tiles of `n` and tiles of half of
/// it (Zen 4), as many panels as make 128 KiB: f32 16x24 0.44 and 0.79, 24x24 0.56 and 0.87, 40x40 0.62 and 0.94,
/// 24x200 0.74 and 0.89, 56x56 0.60 and 0.97; but 40x200 0.75 and 0.72, 104x104 0.78 and 0.70. f64 20x20 0.59 and
/// 0.97, 12x100 0.64 and 0.94, 36x36 0.68 and 0.97, 44x44 0.77 and 0.96; but 52x52 0.76 and 0.65, 20x200 0.78 and
/// 0.74. One panel alone: f32 24x24 0.44 and 0.88, f64 20x20 0.46 and 0.95. With a rest all the same, f32 24x23 0.41
/// and 0.39.
#[inline]
pub(crate) fn best_tier(ask: &Ask, cap: Isa) -> Isa {
    tier(ask, cap, Cores::here())
}

/// [`best_tier`] on these cores.
#[inline(always)]
fn tier(ask: &Ask, cap: Isa, cores: Cores) -> Isa {
    if cores == Cores::Zen4 && halves(ask) {
        return cap.min(Isa::Avx2);
    }
    let n = match ask.cell {
        4 => 16,
        8 => 8,
        _ if cores == Cores::FromZen5 => return cap.min(narrower(ask)),
        _ => return cap,
    };
    let whole = |n| ask.rows.is_multiple_of(n) && ask.cols.is_multiple_of(n);
    // A quarter of the rows of a whole tile are a tile of their own.
    let covered = whole(n) || ask.rows < n && ask.cols.is_multiple_of(n);
    let small = ask.rows * ask.cols * ask.cell <= SMALL;
    if small && whole(n / 2) && !covered {
        cap.min(Isa::Avx2)
    } else {
        cap
    }
}

/// Whether Zen 4, which loads and stores registers in halves, moves a panel faster in halves of them.
///
/// Of the roof, through the caches, in whole registers and in halves: f32 16x32 0.39 and 0.52, 8x64 0.32 and 0.55, 32x32
/// 0.63 and 0.79, 31x33 0.43 and 0.48, 64x64 0.65 and 0.77, 100x20 0.37 and 0.53; f64 16x32 0.75 and 0.83, 32x32 0.68 and
/// 0.84, 8x200 0.65 and 0.86, but 31x33 0.53 and 0.49; of few cells, f32 16x16 0.66 and 0.48, f64 16x16 0.57 and 0.50; of
/// more bytes, f32 80x80 0.91 and 0.80, f64 64x64 0.92 and 0.80. 16 bytes: 12x12 0.82 and 1.16, 32x32 0.59 and 0.86,
/// 60x60 0.79 and 0.92, 200x200 0.88 and 1.00, but 256x256 0.63 and 0.59; with a rest, 9x9 0.43 and 0.40, 5x32 0.65 and
/// 0.42.
fn halves(ask: &Ask) -> bool {
    /// Cells of a panel of few.
    const FEW: usize = 256;
    /// Bytes of a panel that stays in a second-level cache, on both sides.
    const NEAR: usize = 3 << 18;
    let cells = ask.rows * ask.cols;
    match ask.cell {
        4 | 8 => cells > FEW && cells * ask.cell <= SMALL,
        16 => {
            let whole = ask.rows.is_multiple_of(4) && ask.cols.is_multiple_of(4);
            whole && cells * ask.cell <= NEAR
        }
        _ => false,
    }
}

/// [`best_tier`] for other cells on Zen 5.
///
/// Of the roof, through the caches, with AVX-512, with AVX2 and scalar: 16 bytes 16x16 0.59, 0.86, 0.39, 64x64 0.50,
/// 0.51, 0.41, 93x69 0.42, 0.46, 0.44, 331x333 0.74, 0.75, 0.89, 500x500 0.78, 0.88, 0.78, 700x700 0.74, 0.77, 0.61,
/// 299x7 0.29, 0.32, 0.36, 5x32 0.35, 0.32, 0.50, 5x5 0.28, 0.26, 0.47, 5x16 0.11, 0.10, 0.23, 6x100 0.31, 0.32, 0.54;
/// 24 bytes, of which AVX2 has none, 65x65 0.37 and 0.42, 331x333 0.65 and 0.71; 16x16 0.39 and 0.35; 6 bytes 33x33
/// 0.12, 0.16, 0.11, 65x65 0.14, 0.18, 0.10, 331x333 0.59, 0.63, 0.38, but 64x64 0.23, 0.21, 0.11; 12 bytes, of which
/// AVX2 has none, 33x33 0.17 and 0.19, 6x100 0.15 and 0.24, 256x250 0.28 and 0.33, but 16x16 0.26 and 0.20, 900x900
/// 0.49 and 0.26.
fn narrower(ask: &Ask) -> Isa {
    /// Cells of a side of 16 bytes up to which a rest of tiles is a large part of it.
    const FEW: usize = 8;
    /// Bytes of a panel that stays in a second-level cache, or nearly.
    const NEAR: usize = 2 << 20;
    let whole = |n| ask.rows.is_multiple_of(n) && ask.cols.is_multiple_of(n);
    let near = ask.rows * ask.cols * ask.cell <= NEAR;
    match ask.cell {
        16 if ask.rows.min(ask.cols) < FEW && !whole(4) => Isa::Scalar,
        16 => Isa::Avx2,
        6 | 12 | 24 if near && !whole(8) => Isa::Avx2,
        _ => Isa::Avx512Vbmi,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::panel::{Pairing, SourceGaps};
    use crate::row::Family;
    use crate::table::find;

    fn ask(cell: usize, rows: usize, cols: usize) -> Ask {
        Ask {
            cell,
            rows,
            cols,
            pairing: Pairing::Crossed,
            src_step: cell as isize,
            dst_step: cell as isize,
            gaps: SourceGaps::Forbidden,
            streaming: false,
        }
    }

    #[test]
    fn small_panels_take_the_tile_that_covers_them() {
        let tile = |cell, rows, cols| {
            let tile = find(Family::Transpose, &ask(cell, rows, cols), Isa::Avx512).tile;
            (tile.rows, tile.cols)
        };
        let whole = match Cores::here() {
            Cores::Zen4 => (8, 8),
            _ => (16, 16),
        };
        assert_eq!(tile(4, 24, 40), (8, 8));
        assert_eq!(tile(4, 16, 32), whole, "whole tiles");
        assert_eq!(tile(4, 23, 24), whole, "a rest with both");
        assert_eq!(tile(4, 104, 104), (16, 16), "large");
        assert_eq!(tile(8, 20, 12), (4, 4));
        assert_eq!(tile(8, 16, 8), (8, 8));
        let halves =
            |cores, cell, rows, cols| tier(&ask(cell, rows, cols), Isa::Avx512, cores) == Isa::Avx2;
        for cores in [Cores::Others, Cores::FromZen5] {
            assert!(halves(cores, 4, 24, 40));
            assert!(!halves(cores, 4, 16, 32), "whole tiles");
            assert!(!halves(cores, 4, 23, 24), "a rest with both");
            assert!(!halves(cores, 4, 104, 104), "large");
            assert!(halves(cores, 8, 20, 12));
            assert!(!halves(cores, 8, 16, 8));
        }
    }

    #[test]
    fn zen4_takes_halves_of_registers_where_a_first_level_cache_holds_the_panel() {
        let halves = |cell, rows, cols| {
            tier(&ask(cell, rows, cols), Isa::Avx512Vbmi, Cores::Zen4) == Isa::Avx2
        };
        assert!(halves(4, 16, 32) && halves(4, 64, 64) && halves(8, 31, 33));
        assert!(!halves(4, 16, 16) && !halves(8, 16, 16), "few cells");
        assert!(!halves(4, 80, 80) && !halves(8, 64, 64), "large");
        assert!(halves(4, 8, 24), "covered by halves alone");
        assert!(halves(16, 8, 8) && halves(16, 200, 200));
        assert!(!halves(16, 256, 256) && !halves(16, 9, 9));
        assert!(!halves(2, 64, 64));
    }

    #[test]
    fn wide_cells_take_narrow_registers_where_stores_across_lines_are_dear() {
        let tier = |cell, rows, cols| narrower(&ask(cell, rows, cols));
        assert_eq!(tier(16, 64, 64), Isa::Avx2);
        assert_eq!(tier(16, 5, 100), Isa::Scalar);
        assert_eq!(tier(16, 4, 100), Isa::Avx2, "whole tiles");
        assert_eq!(tier(12, 33, 33), Isa::Avx2);
        assert_eq!(tier(12, 64, 64), Isa::Avx512Vbmi, "whole tiles");
        assert_eq!(tier(12, 900, 901), Isa::Avx512Vbmi, "far");
        assert_eq!(tier(3, 33, 33), Isa::Avx512Vbmi);
    }

    /// A task that has a part of the rows has the kernel of all of them.
    #[test]
    fn pieces_are_taken_by_the_row_of_the_whole() {
        for (cell, n) in [(4, 16), (8, 8)] {
            let whole = ask(cell, 20 * n + 1, n + n / 2);
            let row = find(Family::Transpose, &whole, Isa::Avx512);
            let high = match (Cores::here(), cell) {
                (Cores::Zen4, 8) => 4,
                _ => n,
            };
            assert_eq!(row.tile.rows, high);
            assert!((1..20).all(|tiles| row.takes(&ask(cell, tiles * high, whole.cols))));
        }
    }
}
