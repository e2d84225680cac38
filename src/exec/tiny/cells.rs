//! Cells one by one: the loops of a normal form, one in another.

use crate::plan::Dim;

/// Moves cells of `bytes` at all indices of `dims`, from the first one at `at` on.
///
/// # Safety
/// As [`carry_out`](super::carry_out).
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
                let d = d.first().unwrap_or(&Dim::NONE);
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
pub(super) fn on(at: (*const u8, *mut u8), (src, dst): (isize, isize)) -> (*const u8, *mut u8) {
    (at.0.wrapping_offset(src), at.1.wrapping_offset(dst))
}

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
                6 => self.lines::<M, 6>(at, by),
                7 => self.lines::<M, 7>(at, by),
                8 => self.lines::<M, 8>(at, by),
                _ => self.lines::<M, 0>(at, by),
            }
        }
    }

    /// Moves them, the first loop being one of `N` cells, or of any number if that is none. The others are one
    /// loop, which the compiler cannot count: it unrolls those that it can, and has too few registers then.
    ///
    /// # Safety
    /// As [`nest`].
    #[inline(always)]
    unsafe fn lines<M: Move, const N: usize>(self, mut at: (*const u8, *mut u8), by: M) {
        let [line, a, b, c] = self.0;
        // By value: what is behind a reference might change with every cell that is written.
        let (cells, step) = (if N == 0 { line.extent } else { N }, (line.src, line.dst));
        // From the end of a dimension inside as well.
        let from_end = |dim: &Dim, (src, dst): (isize, isize)| {
            let last = dim.extent as isize - 1;
            (src - last * dim.src, dst - last * dim.dst)
        };
        let next_a = (a.src, a.dst);
        let next_b = from_end(a, (b.src, b.dst));
        let next_c = from_end(b, from_end(a, (c.src, c.dst)));
        let (mut left_a, mut left_b, mut left_c) = (a.extent, b.extent, c.extent);
        loop {
            let mut cell = at;
            for _ in 0..cells {
                // SAFETY: passed on.
                unsafe { by.cell(cell.0, cell.1) };
                cell = on(cell, step);
            }
            left_a -= 1;
            if left_a > 0 {
                at = on(at, next_a);
                continue;
            }
            left_a = a.extent;
            left_b -= 1;
            if left_b > 0 {
                at = on(at, next_b);
                continue;
            }
            left_b = b.extent;
            left_c -= 1;
            if left_c == 0 {
                return;
            }
            at = on(at, next_c);
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
