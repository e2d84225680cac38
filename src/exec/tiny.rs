//! Copies of a few cells: the loops of their normal form, one in another, and nothing chosen.
//!
//! A file of its own because cells are moved without a kernel here: to choose one takes longer than to move
//! a hundred of them.

use restride_kernels::{Isa, QUAD, move_quad};

use crate::plan::{Dim, Form};

/// Cells of a copy of one or two dimensions that is carried out here, at most. `copy` with these loops and
/// with a kernel, ns on a 2-core AVX2 server VM: f32 4x4, 33 and 59; 8x8, 49 and 62; 16x16, 106 and 74.
const TINY: usize = 64;

/// The same of more dimensions. 2-core AVX-512 server VM (Zen 4): 5x5x5 reversed, f32 62 and 100, u8 61 and
/// 101; 3x3x3x3 57 and 119; 2x3x4x5 70 and 112; 2x4x4x4 85 and 99; u16 4x4x8 61 and 72.
const TINY_NEST: usize = 128;

/// Bytes of a copy that is moved here in tiles, at most. The same machine: f32 8x8, 28 and 39; 12x12, 35 and 72;
/// 16x16, 43 and 62; 4x4x8 44 and 90; 4x4x4x4 78 and 101; one column 16 times, 43 and 79.
const TINY_IN_TILES: usize = 1 << 10;

/// How a copy of a few cells is carried out.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// Cell by cell.
    Cells,
    /// In tiles of four by four cells of four bytes, the source being contiguous in this dimension.
    Tiles(usize),
}

impl Way {
    /// That of `form`, if it has so few cells that to choose a kernel takes longer than to move them.
    #[inline(always)]
    pub(super) fn of(form: &Form<'_>, isa: Isa) -> Option<Self> {
        let may_tile = form.cell == 4 && form.bytes <= TINY_IN_TILES && isa >= Isa::Portable;
        if may_tile && let Some(a) = tiled(form.dims) {
            return Some(Self::Tiles(a));
        }
        let most = if form.dims.len() > 2 { TINY_NEST } else { TINY };
        (form.bytes <= most * form.cell).then_some(Self::Cells)
    }

    /// Carries out `form`, the first cell being at `at`.
    ///
    /// # Safety
    /// As [`carry_out`], for the cells of the form that this is a way of.
    #[inline(always)]
    pub(super) unsafe fn carry_out(self, form: &Form<'_>, at: (*const u8, *mut u8)) {
        // SAFETY: passed on.
        unsafe {
            match self {
                Self::Cells => carry_out(form.cell, form.dims, at),
                Self::Tiles(a) => carry_out_tiles(form.dims, a, at),
            }
        }
    }
}

/// The dimension in which the source of cells of four bytes is contiguous, if all of it is tiles.
#[inline(always)]
fn tiled(dims: &[Dim]) -> Option<usize> {
    let (first, others) = dims.split_first()?;
    let whole = |dim: &Dim| dim.extent.is_multiple_of(QUAD);
    if first.dst != 4 || !whole(first) || others.len() > 3 {
        return None;
    }
    let a = others.iter().position(|dim| dim.src == 4 && whole(dim))?;
    Some(a + 1)
}

/// Moves what [`tiled`] found, tile by tile.
///
/// # Safety
/// As [`carry_out`], for cells of four bytes.
#[inline(never)]
unsafe fn carry_out_tiles(dims: &[Dim], a: usize, at: (*const u8, *mut u8)) {
    let (b, others) = match (dims, a) {
        ([b, _], _) => (b, [&ONCE; 2]),
        ([b, _, c], 1) | ([b, c, _], _) => (b, [c, &ONCE]),
        ([b, _, c, d], 1) | ([b, c, _, d], 2) | ([b, c, d, _], _) => (b, [c, d]),
        _ => unreachable!("tiles are of two to four dimensions"),
    };
    let (src, dst) = (b.src, dims[a].dst);
    let quad = QUAD as isize;
    // The other stride of each is that of the cells: not looked up, as a load of two strides at once, just
    // after each was stored, has to wait for the stores.
    let b = Dim {
        extent: b.extent / QUAD,
        src: src * quad,
        dst: 4 * quad,
    };
    let a = Dim {
        extent: dims[a].extent / QUAD,
        src: 4 * quad,
        dst: dst * quad,
    };
    // SAFETY: passed on: the tiles of all indices are the cells of all indices.
    unsafe { Loops([&b, &a, others[0], others[1]]).lines::<_, 0>(at, Tile { src, dst }) }
}

/// Moves cells of `bytes` at all indices of `dims`, from the first one at `at` on.
///
/// # Safety
/// - Range: those cells can be read and written.
/// - Aliasing: no cell of the destination shares a byte with another one, or with one of the source; no
///   other thread touches them.
/// - Alignment: none.
#[inline(always)]
pub(super) unsafe fn carry_out(bytes: usize, dims: &[Dim], at: (*const u8, *mut u8)) {
    // SAFETY: passed on; the sizes are those of the moves.
    unsafe {
        match bytes {
            1 => nest(dims, at, Exactly::<1>),
            2 => nest(dims, at, Exactly::<2>),
            4 => nest(dims, at, Exactly::<4>),
            8 => nest(dims, at, Exactly::<8>),
            16 => nest(dims, at, Exactly::<16>),
            3 => nest(dims, at, Around::<2>(bytes)),
            5..8 => nest(dims, at, Around::<4>(bytes)),
            9..16 => nest(dims, at, Around::<8>(bytes)),
            17..=32 => nest(dims, at, Around::<16>(bytes)),
            33..=64 => nest(dims, at, Around::<32>(bytes)),
            _ => nest(dims, at, Long(bytes)),
        }
    }
}

/// Moves the cells of all indices. Called, so that the moves of one size stand apart from all others.
///
/// # Safety
/// What [`Move::cell`] asks for, at every index.
#[inline(never)]
unsafe fn nest<M: Move>(dims: &[Dim], (mut src, mut dst): (*const u8, *mut u8), by: M) {
    // SAFETY: passed on.
    unsafe {
        match dims {
            [] => by.cell(src, dst),
            [a] => line(a, (src, dst), by),
            [a, b] if a.extent < b.extent => plane([b, a], (src, dst), by),
            [a, b] => plane([a, b], (src, dst), by),
            [a, b, c, d @ ..] if d.len() <= 1 => {
                let d = d.first().unwrap_or(&ONCE);
                Loops([a, b, c, d]).run((src, dst), by);
            }
            [inside @ .., last] => {
                for _ in 0..last.extent {
                    nest(inside, (src, dst), by);
                    (src, dst) = on((src, dst), (last.src, last.dst));
                }
            }
        }
    }
}

/// Moves the cells of one dimension.
///
/// # Safety
/// As [`nest`].
#[inline(always)]
unsafe fn line<M: Move>(dim: &Dim, mut at: (*const u8, *mut u8), by: M) {
    for _ in 0..dim.extent {
        // SAFETY: passed on.
        unsafe { by.cell(at.0, at.1) };
        at = on(at, (dim.src, dim.dst));
    }
}

/// Moves the cells of two dimensions, the first inside.
///
/// # Safety
/// As [`nest`].
#[inline(always)]
unsafe fn plane<M: Move>([inner, outer]: [&Dim; 2], mut at: (*const u8, *mut u8), by: M) {
    for _ in 0..outer.extent {
        // SAFETY: passed on.
        unsafe { line(inner, at, by) };
        at = on(at, (outer.src, outer.dst));
    }
}

/// The places at these strides from others.
#[inline(always)]
fn on(at: (*const u8, *mut u8), (src, dst): (isize, isize)) -> (*const u8, *mut u8) {
    (at.0.wrapping_offset(src), at.1.wrapping_offset(dst))
}

/// A loop of one index.
const ONCE: Dim = Dim {
    extent: 1,
    src: 0,
    dst: 0,
};

/// Four loops, one in another.
struct Loops<'a>([&'a Dim; 4]);

impl Loops<'_> {
    /// Moves the cells of all four, the longest of them inside: that of a few cells is unrolled.
    ///
    /// # Safety
    /// As [`nest`].
    #[inline(always)]
    unsafe fn run<M: Move>(mut self, at: (*const u8, *mut u8), by: M) {
        for outer in 1..4 {
            if self.0[outer].extent > self.0[0].extent {
                self.0.swap(0, outer);
            }
        }
        // SAFETY: passed on; so many cells are those of the first loop.
        unsafe {
            match self.0[0].extent {
                _ if !M::SHORT => self.lines::<M, 0>(at, by),
                2 => self.lines::<M, 2>(at, by),
                3 => self.lines::<M, 3>(at, by),
                4 => self.lines::<M, 4>(at, by),
                5 => self.lines::<M, 5>(at, by),
                8 => self.lines::<M, 8>(at, by),
                _ => self.lines::<M, 0>(at, by),
            }
        }
    }

    /// Moves them, the first loop being one of `N` cells, or of any number if that is none.
    ///
    /// # Safety
    /// As [`nest`].
    #[inline(always)]
    unsafe fn lines<M: Move, const N: usize>(self, at: (*const u8, *mut u8), by: M) {
        let [line, a, b, c] = self.0;
        // By value: what is behind a reference might change with every cell that is written.
        let (cells, lines) = (if N == 0 { line.extent } else { N }, a.extent);
        let ((src, dst), next) = ((line.src, line.dst), (a.src, a.dst));
        let mut at_c = at;
        for _ in 0..c.extent {
            let mut at_b = at_c;
            for _ in 0..b.extent {
                let mut at_a = at_b;
                for _ in 0..lines {
                    let mut at = at_a;
                    for _ in 0..cells {
                        // SAFETY: passed on.
                        unsafe { by.cell(at.0, at.1) };
                        at = on(at, (src, dst));
                    }
                    at_a = on(at_a, next);
                }
                at_b = on(at_b, (b.src, b.dst));
            }
            at_c = on(at_c, (c.src, c.dst));
        }
    }
}

/// How a cell is moved.
trait Move: Copy {
    /// Whether that is so short that loops of a few cells are worth being unrolled.
    const SHORT: bool = false;

    /// Moves the cell at `from` to `to`.
    ///
    /// # Safety
    /// - Range: its bytes can be read and written.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: none.
    unsafe fn cell(self, from: *const u8, to: *mut u8);
}

/// Cells of `N` bytes.
#[derive(Clone, Copy)]
struct Exactly<const N: usize>;

impl<const N: usize> Move for Exactly<N> {
    const SHORT: bool = N <= 8;

    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        // SAFETY: range: passed on; alignment: bytes have none.
        unsafe { to.cast::<[u8; N]>().write(from.cast::<[u8; N]>().read()) }
    }
}

/// Cells of `N` to `2 * N` bytes: the first `N` and the last.
#[derive(Clone, Copy)]
struct Around<const N: usize>(usize);

impl<const N: usize> Move for Around<N> {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        let last = self.0 - N;
        // SAFETY: range: passed on, as there are `N` bytes; alignment: bytes have none.
        unsafe {
            Exactly::<N>.cell(from, to);
            Exactly::<N>.cell(from.wrapping_add(last), to.wrapping_add(last));
        }
    }
}

/// Tiles of cells of four bytes, each side by the bytes from one of its rows to the next.
#[derive(Clone, Copy)]
struct Tile {
    src: isize,
    dst: isize,
}

impl Move for Tile {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        // SAFETY: range and aliasing: passed on, for all cells of the tile.
        unsafe { move_quad((from, self.src), (to, self.dst)) }
    }
}

/// Cells of any number of bytes.
#[derive(Clone, Copy)]
struct Long(usize);

impl Move for Long {
    #[inline(always)]
    unsafe fn cell(self, from: *const u8, to: *mut u8) {
        // SAFETY: range and aliasing: passed on; bytes have no alignment.
        unsafe { core::ptr::copy_nonoverlapping(from, to, self.0) }
    }
}
