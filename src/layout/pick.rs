//! What is taken of a whole layout, axis by axis: ranges, single indices, and new axes between them.

use super::slice::{Slice, bound};
use super::{Layout, PerAxis};
use crate::error::Error;

/// What [`Layout::slice`] does at one place of the list it is given. [`s!`](crate::s) makes lists of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    /// A range of the next axis.
    Range(Slice),
    /// One index of the next axis, which is dropped. Negative ones count from the end.
    Index(isize),
    /// A new axis of extent 1, before the next one.
    NewAxis,
}

/// A new axis of extent 1, in the lists of [`s!`](crate::s).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewAxis;

impl From<NewAxis> for Pick {
    fn from(_: NewAxis) -> Self {
        Self::NewAxis
    }
}

impl<R: Into<Slice>> From<R> for Pick {
    fn from(range: R) -> Self {
        Self::Range(range.into())
    }
}

macro_rules! from_indices {
    ($($int:ty),*) => { $(
        impl From<$int> for Pick {
            fn from(index: $int) -> Self {
                Self::Index(bound(index))
            }
        }
    )* };
}
from_indices!(isize, usize, i32);

/// A list for [`Layout::slice`] and its forms on views: ranges with or without a step, single indices
/// and new axes, in the notation of ndarray.
///
/// ```
/// use restride::{NewAxis, View, s};
///
/// let numbers: Vec<u32> = (0..24).collect();
/// let view = View::from_slice(&numbers, &[4, 6])?;
/// // Rows 1 and 2, every second column from the last on: 11, 9, 7 and 17, 15, 13.
/// let part = view.slice(&s![1..3, ..;-2])?;
/// assert_eq!((part.shape(), part[[1, 0]]), (&[2, 3][..], 17));
/// // One column, as a matrix of one column; all but the last row.
/// let column = view.slice(&s![..-1, 2, NewAxis])?;
/// assert_eq!((column.shape(), column[[2, 0]]), (&[3, 1][..], 14));
/// # Ok::<(), restride::Error>(())
/// ```
#[macro_export]
macro_rules! s {
    (@pick $range:expr) => { $crate::Pick::from($range) };
    (@pick $range:expr; $step:expr) => { $crate::Pick::from($crate::Slice::from($range).step($step)) };
    ($($range:expr $(; $step:expr)?),* $(,)?) => {
        [$($crate::s!(@pick $range $(; $step)?)),*] as [$crate::Pick; _]
    };
}

impl Layout {
    /// A part of every axis: a range with a step, a single index, which drops the axis, or a new axis
    /// between. See [`Slice`] for ranges and [`s!`](crate::s) for the notation.
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] if there is not one range or index per axis.
    /// - [`Error::BadStep`] for a step of 0.
    /// - [`Error::OutOfBounds`] for bounds or indices outside the axis, or a start beyond the end.
    ///   Nothing is clamped.
    pub fn slice<P: Clone + Into<Pick>>(&self, slices: &[P]) -> Result<Self, Error> {
        // Asked for once: `into` is the caller's, and might name fewer axes the second time. One that is left out may be the
        // one without an index, and what has no element would have some.
        let picks: PerAxis<Pick> = slices.iter().map(|pick| pick.clone().into()).collect();
        let got = picks.iter().filter(|&pick| *pick != Pick::NewAxis).count();
        if got != self.rank() {
            let want = self.rank();
            return Err(Error::RankMismatch {
                arg: "slices",
                got,
                want,
            });
        }
        let (mut shape, mut strides) = (PerAxis::new(), PerAxis::new());
        let mut offset = self.offset as isize;
        let mut len = 1;
        let mut axes = self.all_axes().enumerate();
        for pick in picks {
            let (first, count, by, stride) = match pick {
                Pick::NewAxis => {
                    shape.push(1);
                    strides.push(1);
                    continue;
                }
                Pick::Range(range) => {
                    let (axis, (extent, stride)) = axes.next().expect("counted");
                    let (first, count) = range.resolve(axis, extent)?;
                    shape.push(count);
                    (first, count, range.by(), stride)
                }
                Pick::Index(index) => {
                    let (axis, (extent, stride)) = axes.next().expect("counted");
                    (resolve(index, axis, extent)?, 1, 1, stride)
                }
            };
            len *= count;
            // An index that exists stays inside the reach of this layout, so what is used does not
            // wrap; where there is no index, the result keeps this offset.
            offset = offset.wrapping_add((first as isize).wrapping_mul(stride));
            if let Pick::Range(_) = pick {
                strides.push(if count > 1 {
                    stride.wrapping_mul(by)
                } else {
                    stride
                });
            }
        }
        Ok(Self {
            shape,
            strides,
            offset: if len == 0 {
                self.offset
            } else {
                offset as usize
            },
            len,
        })
    }
}

/// The index from the start.
fn resolve(index: isize, axis: usize, extent: usize) -> Result<usize, Error> {
    let (got, all) = (index as i128, extent as i128);
    let place = if got < 0 { all + got } else { got };
    if (0..all).contains(&place) {
        return Ok(place as usize);
    }
    Err(Error::OutOfBounds {
        arg: "index",
        axis: Some(axis),
        got,
        low: -all,
        high: all,
    })
}
