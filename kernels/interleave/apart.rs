//! Pixels that do not lie one behind the other: from last to first, and every second one, made of the weaves of those
//! that do.
//!
//! ```text
//!   back     .. b2 b1 b0         ->   split   .. 2 1 0   ->   each plane turned   0 1 2 ..
//!   second   a0 -- a1 -- ..      ->   split   0 - 1 - ..   ->   the first of pixels of two   0 1 ..
//! ```

use core::marker::PhantomData;

use super::weave::{Cells, Turn, Weave};

/// Groups of pixels of as many lines as those of `W` have; pixels lie from last to first where `BACK` says so.
#[derive(Clone, Copy)]
pub(super) struct Apart<W, const BACK: bool>(PhantomData<W>);

/// Pixels from last to first, whose planes are turned.
pub(super) type Back<W> = Apart<W, true>;

/// Every second pixel of three or four cells: of a pixel of six or eight the first half. Planes after those are
/// anything.
pub(super) type Second<W> = Apart<W, false>;

impl<W: Cells, const BACK: bool> Cells for Apart<W, BACK> {
    const CELL: usize = W::CELL;
    const MASKS: bool = W::MASKS;
    const COLD: usize = W::COLD;
    const BACK: bool = BACK;
    type Line = W::Line;
}

impl<W: Weave<STEP> + Turn, const STEP: usize> Weave<STEP> for Back<W> {
    #[inline(always)]
    unsafe fn split(pixels: [Self::Line; STEP]) -> [Self::Line; STEP] {
        // SAFETY: passed on.
        unsafe { all_turned::<W, STEP>(W::split(pixels)) }
    }

    #[inline(always)]
    unsafe fn merge(planes: [Self::Line; STEP]) -> [Self::Line; STEP] {
        // SAFETY: passed on.
        unsafe { W::merge(all_turned::<W, STEP>(planes)) }
    }
}

/// # Safety
/// As [`Turn::turned`].
#[inline(always)]
unsafe fn all_turned<W: Turn, const STEP: usize>(mut lines: [W::Line; STEP]) -> [W::Line; STEP] {
    for line in &mut lines {
        // SAFETY: passed on. Not by `map`: intrinsics are not inlined into a closure.
        *line = unsafe { W::turned(*line) };
    }
    lines
}

/// Stamps the weave of every second pixel of so many cells.
macro_rules! second {
    ($step:literal, $twice:literal) => {
        impl<W: Weave<2> + Weave<$step>> Weave<$twice> for Second<W> {
            #[inline(always)]
            unsafe fn split(pixels: [Self::Line; $twice]) -> [Self::Line; $twice] {
                let (mut first, mut second) = ([pixels[0]; $step], [pixels[0]; $step]);
                first.copy_from_slice(&pixels[..$step]);
                second.copy_from_slice(&pixels[$step..]);
                // SAFETY: passed on.
                unsafe {
                    let first = <W as Weave<$step>>::split(first);
                    let second = <W as Weave<$step>>::split(second);
                    let mut planes = pixels;
                    for p in 0..$step {
                        let [every_second, _] = <W as Weave<2>>::split([first[p], second[p]]);
                        planes[p] = every_second;
                    }
                    planes
                }
            }

            #[inline(always)]
            unsafe fn merge(planes: [Self::Line; $twice]) -> [Self::Line; $twice] {
                let (mut first, mut second) = ([planes[0]; $step], [planes[0]; $step]);
                // SAFETY: passed on.
                unsafe {
                    for p in 0..$step {
                        // What lies between is masked out.
                        [first[p], second[p]] = <W as Weave<2>>::merge([planes[p], planes[p]]);
                    }
                    let mut pixels = planes;
                    pixels[..$step].copy_from_slice(&<W as Weave<$step>>::merge(first));
                    pixels[$step..].copy_from_slice(&<W as Weave<$step>>::merge(second));
                    pixels
                }
            }
        }
    };
}

second!(3, 6);
second!(4, 8);
