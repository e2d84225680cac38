//! The runs of a panel one after the other, and the moves that every target has.
//!
//! A file of its own because all cached rows of the family share it: an ISA file adds a [`Vector`]
//! and says which lengths are moved how. All runs of a panel have the same length, so that is
//! decided once, and so is the kind of the rows.

use core::marker::PhantomData;

use crate::cell::{Cell, Fixed};
use crate::panel::{Panel, Rows, Side};
use crate::row::Along;
use crate::starts::{Starts, Strided, Tabled};

/// How one run is moved. Not a closure: a closure around intrinsics that is called in two places is
/// not inlined into the function that enables them.
pub(super) trait Move: Copy {
    /// Moves the run at `src` to `dst`.
    ///
    /// # Safety
    /// - Range: a run of the length that `self` was made for can be read at `src` and written at
    ///   `dst`.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: none.
    /// - ISA: what the file of the move names is enabled where this is inlined.
    unsafe fn run(self, src: *const u8, dst: *mut u8);
}

/// How many panels are moved by one call.
pub(crate) trait Times: Copy {
    /// The loop.
    fn along(self) -> Along;
}

/// One panel, which takes no loop: 8 runs of 32 bytes 1 ns less of 9 than as a loop of one.
#[derive(Clone, Copy)]
pub(crate) struct Once;

impl Times for Once {
    #[inline(always)]
    fn along(self) -> Along {
        Along::ONCE
    }
}

impl Times for Along {
    #[inline(always)]
    fn along(self) -> Along {
        self
    }
}

/// Moves all runs of the panels of a loop.
///
/// # Safety
/// The contract of the crate, with panels that the family admits; `one` moves runs of `cols`
/// bytes, and its ISA is enabled where this is inlined.
#[inline(always)]
pub(super) unsafe fn each(panel: &Panel<'_>, times: impl Times, one: impl Move) {
    let strided = |side: &Side<'_>, stride| Strided {
        base: side.base,
        stride,
    };
    let (src, dst) = (&panel.src, &panel.dst);
    let runs = (panel.rows, times);
    match (src.rows, dst.rows) {
        // SAFETY: passed on.
        (Rows::Stride(from), Rows::Stride(to)) => unsafe {
            moves(runs, strided(src, from), strided(dst, to), one)
        },
        // SAFETY: passed on; the table has an entry for each row (contract).
        (Rows::Offsets(offsets), Rows::Stride(to)) => unsafe {
            let base = src.base;
            moves(runs, Tabled { base, offsets }, strided(dst, to), one)
        },
        // SAFETY: passed on; the table has an entry for each row (contract).
        (Rows::Stride(from), Rows::Offsets(offsets)) => unsafe {
            let base = dst.base;
            moves(runs, strided(src, from), Tabled { base, offsets }, one)
        },
        // SAFETY: passed on; tables and lists have an entry for each row of their side (contract).
        _ => unsafe { moves(runs, *src, *dst, one) },
    }
}

/// Moves the only run of a panel by a call of the memory copy.
///
/// # Safety
/// The contract of the crate, with a panel of one row that the family admits.
#[inline(always)]
pub(super) unsafe fn only(panel: &Panel<'_>) {
    // SAFETY: shape: row 0 exists; range and aliasing: both sides of it are runs of `cols` bytes
    // that do not overlap (contract); alignment: none needed.
    unsafe {
        let (src, dst) = (panel.src.cell(0, 0), panel.dst.cell(0, 0));
        core::ptr::copy_nonoverlapping(src, dst, panel.cols);
    }
}

/// The loop of [`each`].
///
/// # Safety
/// As [`each`]; `src` and `dst` address the `rows` runs of the first panel's sides.
#[inline(always)]
unsafe fn moves(
    (rows, times): (usize, impl Times),
    mut src: impl Starts,
    mut dst: impl Starts,
    one: impl Move,
) {
    let along = times.along();
    for _ in 0..along.times {
        for r in 0..rows {
            // SAFETY: shape: r is below rows; range and aliasing: the two are a run of a panel; ISA:
            // passed on.
            unsafe { one.run(src.at(r), dst.at(r)) };
        }
        (src, dst) = (src.moved(along.src), dst.moved(along.dst));
    }
}

/// Runs of `M` to `2 * M` bytes by two moves of `M`.
#[derive(Clone, Copy)]
pub(super) struct TwoMoves<const M: usize> {
    last: usize,
}

impl<const M: usize> TwoMoves<M> {
    /// For runs of `cols` bytes.
    #[inline(always)]
    pub(super) fn of(cols: usize) -> Self {
        debug_assert!(M <= cols && cols <= 2 * M);
        Self { last: cols - M }
    }
}

impl<const M: usize> Move for TwoMoves<M> {
    #[inline(always)]
    unsafe fn run(self, src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: the first and the last M of the run; alignment: none needed.
        unsafe {
            Fixed::<M>.copy(src, dst);
            Fixed::<M>.copy(src.add(self.last), dst.add(self.last));
        }
    }
}

/// A register that is loaded and stored whole.
pub(super) trait Vector: Copy {
    /// Bytes of the register.
    const BYTES: usize;

    /// Copies one register.
    ///
    /// # Safety
    /// - Range: `BYTES` can be read at `src` and written at `dst`.
    /// - Aliasing: the two do not overlap.
    /// - Alignment: none.
    /// - ISA: what the file of the vector names is enabled where this is inlined.
    unsafe fn copy(src: *const u8, dst: *mut u8);
}

/// 16 bytes: a register of every target. Three of them move runs of 33 to 48 bytes faster than two
/// of 32 bytes, which cross more lines: 33 bytes 1.2 and 1.4 ns, 48 bytes 1.4 and 1.5.
#[derive(Clone, Copy)]
pub(super) struct Sixteen;

impl Vector for Sixteen {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn copy(src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: passed on to the caller; alignment: none needed.
        unsafe { Fixed::<16>.copy(src, dst) }
    }
}

/// Runs of a vector and more by whole vectors, the last of which overlaps the one before.
#[derive(Clone, Copy)]
pub(super) struct Vectors<V> {
    last: usize,
    vector: PhantomData<V>,
}

impl<V: Vector> Vectors<V> {
    /// For runs of `cols` bytes.
    #[inline(always)]
    pub(super) fn of(cols: usize) -> Self {
        debug_assert!(cols >= V::BYTES);
        Self {
            last: cols - V::BYTES,
            vector: PhantomData,
        }
    }
}

impl<V: Vector> Move for Vectors<V> {
    #[inline(always)]
    unsafe fn run(self, src: *const u8, dst: *mut u8) {
        for i in (0..self.last).step_by(V::BYTES) {
            // SAFETY: range and aliasing: i is below the start of the run's last vector, so a whole
            // one is inside the run; alignment: none needed; ISA: passed on.
            unsafe { V::copy(src.add(i), dst.add(i)) };
        }
        // SAFETY: range and aliasing: the last vector of the run; alignment: none needed; ISA:
        // passed on.
        unsafe { V::copy(src.add(self.last), dst.add(self.last)) };
    }
}

/// Runs of `N - 1` to `N` vectors, as [`Vectors`] but without a loop: of 64 bytes, 128 bytes take
/// 3.1 ns instead of 3.8, 300 bytes 6.3 instead of 8.1, 512 bytes 9.8 instead of 12.6.
#[derive(Clone, Copy)]
pub(super) struct Few<V, const N: usize> {
    last: usize,
    vector: PhantomData<V>,
}

impl<V: Vector, const N: usize> Few<V, N> {
    /// For runs of `cols` bytes.
    #[inline(always)]
    pub(super) fn of(cols: usize) -> Self {
        debug_assert!(N >= 2 && (N - 1) * V::BYTES <= cols && cols <= N * V::BYTES);
        Self {
            last: cols - V::BYTES,
            vector: PhantomData,
        }
    }
}

impl<V: Vector, const N: usize> Move for Few<V, N> {
    #[inline(always)]
    unsafe fn run(self, src: *const u8, dst: *mut u8) {
        for i in 0..N - 1 {
            // SAFETY: range and aliasing: the run has at least N - 1 whole vectors; alignment: none
            // needed; ISA: passed on.
            unsafe { V::copy(src.add(i * V::BYTES), dst.add(i * V::BYTES)) };
        }
        // SAFETY: range and aliasing: the last vector of the run; alignment: none needed; ISA:
        // passed on.
        unsafe { V::copy(src.add(self.last), dst.add(self.last)) };
    }
}

/// Runs of any length by a call of the memory copy.
#[derive(Clone, Copy)]
pub(super) struct Called(pub(super) usize);

impl Move for Called {
    #[inline(always)]
    unsafe fn run(self, src: *const u8, dst: *mut u8) {
        // SAFETY: range and aliasing: the run; alignment: none needed.
        unsafe { core::ptr::copy_nonoverlapping(src, dst, self.0) }
    }
}
