//! What is taken of one axis: a range and a step, in the notation of `ndarray`'s `s![]`.

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::error::Error;

/// A range of one axis and a step.
///
/// The range is cut out first; negative bounds count from the end of the axis. A negative step then
/// walks the range backwards, from its last index. Nothing is clamped: bounds outside the axis, and
/// a start beyond the end, are errors. An empty range is fine.
///
/// ```
/// use restride::{Layout, Slice};
///
/// let row = Layout::row_major(&[10])?;
/// assert_eq!(row.slice(&[Slice::from(1..8).step(3)])?.shape(), [3]); // 1, 4, 7
/// let back = row.slice(&[Slice::from(..).step(-1)])?; // 9, 8, .. 0
/// assert_eq!((back.offset(), back.strides()), (9, &[-1][..]));
/// assert_eq!(row.slice(&[Slice::from(-3..)])?.offset(), 7);
/// assert!(row.slice(&[Slice::from(..11)]).is_err());
/// // An end that counts from the end, where a literal `1..-1` would look like an empty range:
/// assert_eq!(row.slice(&[Slice::new(Some(1), Some(-1), 1)])?.shape(), [8]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    start: Option<isize>,
    end: Option<isize>,
    step: isize,
}

impl Slice {
    /// From `start` (the beginning if none) to before `end` (the end if none), every `step`th.
    #[must_use]
    pub const fn new(start: Option<isize>, end: Option<isize>, step: isize) -> Self {
        Self { start, end, step }
    }

    /// The same range with another step.
    #[must_use]
    pub const fn step(self, step: isize) -> Self {
        Self { step, ..self }
    }

    /// The first index taken, the number of indices, and the step between them, on an axis of
    /// `extent`.
    pub(super) fn resolve(self, axis: usize, extent: usize) -> Result<(usize, usize), Error> {
        if self.step == 0 {
            return Err(Error::BadStep { axis });
        }
        let all = extent as i128;
        let bound = |arg, bound: Option<isize>, missing: i128, low: i128| {
            let got = bound.map_or(missing, |b| b as i128);
            let place = if bound.is_some_and(|b| b < 0) {
                all + got
            } else {
                got
            };
            if (low..=all).contains(&place) {
                return Ok(place);
            }
            Err(Error::OutOfBounds {
                arg,
                axis: Some(axis),
                got,
                low,
                high: all + 1,
            })
        };
        let start = bound("slice.start", self.start, 0, 0)?;
        let end = bound("slice.end", self.end, all, start)?;
        let stride = self.step.unsigned_abs() as i128;
        let count = (end - start + stride - 1) / stride;
        let first = if self.step > 0 || count == 0 {
            start
        } else {
            end - 1
        };
        Ok((first as usize, count as usize))
    }

    /// Start, end and step.
    #[cfg(test)]
    pub(super) fn parts(self) -> (Option<isize>, Option<isize>, isize) {
        (self.start, self.end, self.step)
    }

    /// The step.
    pub(super) fn by(self) -> isize {
        self.step
    }
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Self::new(None, None, 1)
    }
}

/// Bounds of any of the usual types. A number that `isize` does not have counts as its last one.
macro_rules! from_ranges {
    ($($int:ty),*) => { $(
        impl From<Range<$int>> for Slice {
            fn from(range: Range<$int>) -> Self {
                Self::new(Some(bound(range.start)), Some(bound(range.end)), 1)
            }
        }

        impl From<RangeInclusive<$int>> for Slice {
            fn from(range: RangeInclusive<$int>) -> Self {
                // Up to and with the last index, -1, is up to the end.
                let end = Some(bound(*range.end()).saturating_add(1)).filter(|&end| end != 0);
                Self::new(Some(bound(*range.start())), end, 1)
            }
        }

        impl From<RangeFrom<$int>> for Slice {
            fn from(range: RangeFrom<$int>) -> Self {
                Self::new(Some(bound(range.start)), None, 1)
            }
        }

        impl From<RangeToInclusive<$int>> for Slice {
            fn from(range: RangeToInclusive<$int>) -> Self {
                Self {
                    start: None,
                    ..Self::from(0..=range.end)
                }
            }
        }

        impl From<RangeTo<$int>> for Slice {
            fn from(range: RangeTo<$int>) -> Self {
                Self::new(None, Some(bound(range.end)), 1)
            }
        }
    )* };
}
from_ranges!(isize, usize, i32);

pub(super) fn bound(number: impl TryInto<isize>) -> isize {
    number.try_into().unwrap_or(isize::MAX)
}
