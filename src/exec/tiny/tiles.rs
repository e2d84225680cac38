//! Crossed copies in a few small tiles, which are transposed in registers.

use restride_kernels::move_tile;

use super::cells::on;
use crate::plan::{Dim, Tiles};

/// Moves the cells of `bytes` at all indices of `dims` in these tiles, from the first one at `at` on.
///
/// # Safety
/// As [`carry_out`](super::carry_out).
#[inline(always)]
pub(super) unsafe fn carry_out(
    Tiles { a, rows, cols }: Tiles,
    bytes: usize,
    dims: &[Dim],
    at: (*const u8, *mut u8),
) {
    // SAFETY: passed on, for the cells and the sides that were found.
    unsafe {
        match (bytes, rows, cols) {
            (1, 8, _) => tiles::<1, 8, 8>(dims, a, at),
            (2, 8, _) => tiles::<2, 8, 8>(dims, a, at),
            (1, ..) => tiles::<1, 4, 4>(dims, a, at),
            (2, ..) => tiles::<2, 4, 4>(dims, a, at),
            (4, 4, 4) => tiles::<4, 4, 4>(dims, a, at),
            (4, 4, 3) => tiles::<4, 4, 3>(dims, a, at),
            (4, 4, _) => tiles::<4, 4, 2>(dims, a, at),
            (4, 3, _) => tiles::<4, 3, 4>(dims, a, at),
            (4, ..) => tiles::<4, 2, 4>(dims, a, at),
            (_, 4, 4) => tiles::<8, 4, 4>(dims, a, at),
            (_, 4, 3) => tiles::<8, 4, 3>(dims, a, at),
            (_, 4, _) => tiles::<8, 4, 2>(dims, a, at),
            (_, 3, _) => tiles::<8, 3, 4>(dims, a, at),
            _ => tiles::<8, 2, 4>(dims, a, at),
        }
    }
}

/// [`carry_out`], in tiles of `ROWS` by `COLS` cells of `CELL` bytes. Compiled twice: most have nothing around the
/// tiles, and to go through two loops of one index takes longer than a tile.
///
/// # Safety
/// As [`carry_out`].
#[inline(never)]
unsafe fn tiles<const CELL: usize, const ROWS: usize, const COLS: usize>(
    dims: &[Dim],
    a: usize,
    at: (*const u8, *mut u8),
) {
    let once = &Dim::NONE;
    // SAFETY: passed on.
    unsafe {
        match (dims, a) {
            ([b, a], _) => nest::<CELL, ROWS, COLS>((b, a), [once; Tiles::LOOPS], at),
            ([b, a, c], 1) | ([b, c, a], _) => nest::<CELL, ROWS, COLS>((b, a), [c, once], at),
            ([b, a, c, d], 1) | ([b, c, a, d], 2) | ([b, c, d, a], _) => {
                nest::<CELL, ROWS, COLS>((b, a), [c, d], at);
            }
            _ => unreachable!("tiles are of two to four dimensions"),
        }
    }
}

/// All tiles, which have columns of `b` and rows of `a`. Where these are not whole tiles, the last one is moved back
/// over the one before. The longer loop is inside: that of the tiles or that of `c`.
///
/// # Safety
/// As [`carry_out`]; `b` has `COLS` indices or more, `a` `ROWS`.
#[inline(always)]
unsafe fn nest<const CELL: usize, const ROWS: usize, const COLS: usize>(
    (b, a): (&Dim, &Dim),
    [c, d]: [&Dim; Tiles::LOOPS],
    mut at_d: (*const u8, *mut u8),
) {
    // By value: what is behind a reference might change with every tile. Not the strides of cells, which are
    // known: a load of two strides at once, just after each was stored, has to wait for the stores.
    let (src, dst, cell) = (b.src, a.dst, CELL as isize);
    let (columns, rows) = (Places::<COLS>::of(b.extent), Places::<ROWS>::of(a.extent));
    let tile = |at, i: isize, j: isize| on(at, (i * cell + j * src, i * dst + j * cell));
    let (around, next, outer) = (c.extent, (c.src, c.dst), (d.src, d.dst));
    let outside = rows.count * columns.count < around;
    if outside {
        for i in rows.all() {
            for j in columns.all() {
                let mut at_d = tile(at_d, i, j);
                for _ in 0..d.extent {
                    let mut at = at_d;
                    for _ in 0..around {
                        // SAFETY: range and aliasing: passed on, for the cells of a tile.
                        unsafe { move_tile::<CELL, ROWS, COLS>((at.0, src), (at.1, dst)) };
                        at = on(at, next);
                    }
                    at_d = on(at_d, outer);
                }
            }
        }
        return;
    }
    for _ in 0..d.extent {
        let mut at_c = at_d;
        for _ in 0..around {
            for i in rows.all() {
                for j in columns.all() {
                    let at = tile(at_c, i, j);
                    // SAFETY: as above.
                    unsafe { move_tile::<CELL, ROWS, COLS>((at.0, src), (at.1, dst)) };
                }
            }
            at_c = on(at_c, next);
        }
        at_d = on(at_d, outer);
    }
}

/// Where tiles of `SIDE` indices start along a dimension.
#[derive(Clone, Copy)]
struct Places<const SIDE: usize> {
    count: usize,
    last: usize,
}

impl<const SIDE: usize> Places<SIDE> {
    /// Those along so many indices, at least one tile.
    #[inline(always)]
    fn of(extent: usize) -> Self {
        Self {
            count: extent.div_ceil(SIDE),
            last: extent - SIDE,
        }
    }

    /// The first index of each tile.
    #[inline(always)]
    fn all(self) -> impl Iterator<Item = isize> {
        (0..self.count).map(move |tile| (tile * SIDE).min(self.last) as isize)
    }
}
