//! Which small panels are whole tiles of half the width of a register, and not of the whole.
//!
//! The look-up leaves those to the rows of AVX2. That is a preference and no need of a row: a piece of a panel goes
//! to the row that was found for all of it, whatever tiles would cover the piece.

use crate::isa::Isa;
use crate::row::Ask;

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
    /// Bytes of a panel that stays there, by the figures above: 19200 gain, 21632 lose.
    const SMALL: usize = 20_000;
    let n = match ask.cell {
        4 => 16,
        8 => 8,
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
        assert_eq!(tile(4, 24, 40), (8, 8));
        assert_eq!(tile(4, 16, 32), (16, 16), "whole tiles");
        assert_eq!(tile(4, 23, 24), (16, 16), "a rest with both");
        assert_eq!(tile(4, 104, 104), (16, 16), "large");
        assert_eq!(tile(8, 20, 12), (4, 4));
        assert_eq!(tile(8, 16, 8), (8, 8));
    }

    /// A task that has a part of the rows has the kernel of all of them.
    #[test]
    fn pieces_are_taken_by_the_row_of_the_whole() {
        for (cell, n) in [(4, 16), (8, 8)] {
            let whole = ask(cell, 20 * n + 1, n + n / 2);
            let row = find(Family::Transpose, &whole, Isa::Avx512);
            assert_eq!(row.tile.rows, n);
            assert!((1..20).all(|tiles| row.takes(&ask(cell, tiles * n, whole.cols))));
        }
    }
}
