//! The problem: what is to be copied, in bytes, checked once and for all.
//!
//! Everything after this page trusts it: the same shape on both sides, byte arithmetic that fits
//! `isize`, and a destination that is not written twice in one place.

use bytemuck::NoUninit;
pub use restride_kernels::SourceGaps;

use crate::error::{Error, Unit};
use crate::layout::{Layout, PerAxis, check_injective, checked_len, reach_in_bytes};

/// One dimension of a copy: how many indices, and the bytes from one to the next on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Indices.
    pub extent: usize,
    /// Bytes between neighbours in the source.
    pub src: isize,
    /// Bytes between neighbours in the destination.
    pub dst: isize,
}

/// What happens to a cell on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// Its bytes arrive as they are.
    Move,
}

/// A copy between two strided layouts of the same shape, in bytes, without addresses.
///
/// ```
/// use restride::{Plan, Problem};
///
/// // A 2 x 3 matrix of 4-byte cells, transposed.
/// let src: [u32; 6] = [1, 2, 3, 4, 5, 6];
/// let mut dst = [0_u32; 6];
/// let problem = Problem::from_bytes(4, &[3, 2], &[4, 12], &[8, 4])?;
/// let plan = Plan::new(&problem)?;
/// // SAFETY: both arrays have the six cells that the strides reach, and they do not overlap.
/// unsafe { plan.run_raw(src.as_ptr().cast(), dst.as_mut_ptr().cast()) };
/// assert_eq!(dst, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    pub(super) src_cell: usize,
    pub(super) dst_cell: usize,
    pub(super) op: Op,
    pub(super) gaps: SourceGaps,
    pub(super) dims: PerAxis<Dim>,
}

/// Whether a problem still has to prove that its destination writes no place twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Injective {
    ToProve,
    Known,
}

impl Problem {
    /// A copy of elements of `T` between two layouts. Their offsets do not matter.
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] or [`Error::ShapeMismatch`] if the shapes differ.
    /// - [`Error::OffsetOverflow`] if the bytes of a layout do not fit `isize`.
    /// - [`Error::InternalOverlap`] if `dst` reaches a place twice, [`Error::OverlapUndecided`] if
    ///   that could not be ruled out.
    pub fn new<T: NoUninit>(src: &Layout, dst: &Layout) -> Result<Self, Error> {
        Self::of_layouts(size_of::<T>(), src, dst, Injective::ToProve)
    }

    /// As [`Problem::new`], for a destination that a `ViewMut` has proven.
    pub(crate) fn of_proven(size: usize, src: &Layout, dst: &Layout) -> Result<Self, Error> {
        Self::of_layouts(size, src, dst, Injective::Known)
    }

    /// A copy of cells of `cell_bytes` bytes, any number, with strides in bytes, of either sign
    /// and any alignment. A cell of 0 bytes makes a copy that does nothing.
    ///
    /// Bytes between source cells are taken to belong to someone else; see
    /// [`Problem::with_source_gaps`].
    ///
    /// # Errors
    /// - [`Error::RankMismatch`] if there is not one stride per axis on either side.
    /// - [`Error::SizeOverflow`] if the product of the extents, those of 0 left out, exceeds
    ///   `isize::MAX`.
    /// - [`Error::OffsetOverflow`] if the reach of a side does not fit `isize`.
    /// - [`Error::InternalOverlap`] if two destination cells share a byte,
    ///   [`Error::OverlapUndecided`] if that could not be ruled out.
    pub fn from_bytes(
        cell_bytes: usize,
        shape: &[usize],
        src_byte_strides: &[isize],
        dst_byte_strides: &[isize],
    ) -> Result<Self, Error> {
        let (src, dst) = (src_byte_strides, dst_byte_strides);
        Self::checked(cell_bytes, shape, src, dst, Injective::ToProve)
    }

    /// As [`Problem::from_bytes`], where the caller answers for the destination.
    pub(crate) fn from_bytes_proven(
        cell: usize,
        shape: &[usize],
        src: &[isize],
        dst: &[isize],
    ) -> Result<Self, Error> {
        Self::checked(cell, shape, src, dst, Injective::Known)
    }

    /// The same problem with another promise about the bytes between source cells.
    ///
    /// [`SourceGaps::Readable`] promises that all bytes between the lowest and the highest source
    /// cell can be read, and that no one writes them while a copy runs; kernels may then load whole
    /// lines. The default is [`SourceGaps::Forbidden`].
    #[must_use]
    pub fn with_source_gaps(mut self, gaps: SourceGaps) -> Self {
        self.gaps = gaps;
        self
    }

    /// Bytes of a source cell.
    #[must_use]
    pub fn cell_bytes(&self) -> usize {
        self.src_cell
    }

    /// The dimensions in the order of the axes, strides in bytes.
    #[must_use]
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// The promise about the bytes between source cells.
    #[must_use]
    pub fn source_gaps(&self) -> SourceGaps {
        self.gaps
    }

    fn of_layouts(
        size: usize,
        src: &Layout,
        dst: &Layout,
        injective: Injective,
    ) -> Result<Self, Error> {
        if src.rank() != dst.rank() {
            return Err(Error::RankMismatch {
                arg: "dst",
                got: dst.rank(),
                want: src.rank(),
            });
        }
        for (axis, (&src, &dst)) in src.shape().iter().zip(dst.shape()).enumerate() {
            if src != dst {
                return Err(Error::ShapeMismatch { axis, src, dst });
            }
        }
        let src_bytes = in_bytes(src, size, "src.strides")?;
        let dst_bytes = in_bytes(dst, size, "dst.strides")?;
        Self::checked(size, src.shape(), &src_bytes, &dst_bytes, injective)
    }

    fn checked(
        cell: usize,
        shape: &[usize],
        src: &[isize],
        dst: &[isize],
        injective: Injective,
    ) -> Result<Self, Error> {
        for (arg, strides) in [("src.strides", src), ("dst.strides", dst)] {
            if strides.len() != shape.len() {
                let (got, want) = (strides.len(), shape.len());
                return Err(Error::RankMismatch { arg, got, want });
            }
        }
        let has_work = checked_len(shape)? > 0;
        if has_work {
            if cell > isize::MAX as usize {
                let unit = Unit::Byte;
                return Err(Error::OffsetOverflow {
                    arg: "cell_bytes",
                    axis: None,
                    unit,
                });
            }
            reach_in_bytes(shape, src, cell, "src.strides")?;
            reach_in_bytes(shape, dst, cell, "dst.strides")?;
            if injective == Injective::ToProve {
                check_injective(shape, dst, cell, "dst")?;
            }
        }
        let strides = src.iter().zip(dst);
        let dims = shape.iter().zip(strides);
        Ok(Self {
            src_cell: cell,
            dst_cell: cell,
            op: Op::Move,
            gaps: SourceGaps::default(),
            dims: dims
                .map(|(&extent, (&src, &dst))| Dim { extent, src, dst })
                .collect(),
        })
    }

    /// Whether a source whose gaps are as said may be read as this problem was promised.
    pub(crate) fn allows_gaps_of(&self, source: SourceGaps) -> Result<(), Error> {
        if self.gaps == SourceGaps::Readable && source == SourceGaps::Forbidden {
            return Err(Error::StalePlan {
                arg: "src",
                what: "promise about gaps",
            });
        }
        Ok(())
    }

    /// Whether a view of elements of `size` bytes with this layout is what one side of the problem
    /// was made for. Strides of extents up to 1 do not matter.
    pub(crate) fn matches(
        &self,
        size: usize,
        layout: &Layout,
        side: impl Fn(&Dim) -> isize,
        arg: &'static str,
    ) -> Result<(), Error> {
        let stale = |what| Err(Error::StalePlan { arg, what });
        if size != self.src_cell {
            return stale("element size");
        }
        if layout.rank() != self.dims.len()
            || layout
                .shape()
                .iter()
                .zip(&self.dims)
                .any(|(&extent, dim)| extent != dim.extent)
        {
            return stale("shape");
        }
        let mut strides = layout.strides().iter().zip(&self.dims);
        if !layout.is_empty()
            && strides
                .any(|(&s, dim)| dim.extent > 1 && s.checked_mul(size as isize) != Some(side(dim)))
        {
            return stale("strides");
        }
        Ok(())
    }
}

/// The strides of a layout in bytes; 0 where they are never used.
fn in_bytes(layout: &Layout, size: usize, arg: &'static str) -> Result<PerAxis<isize>, Error> {
    let axes = layout.shape().iter().zip(layout.strides()).enumerate();
    axes.map(|(axis, (&extent, &stride))| {
        if extent <= 1 || layout.is_empty() {
            return Ok(0);
        }
        let unit = Unit::Byte;
        let overflow = Error::OffsetOverflow {
            arg,
            axis: Some(axis),
            unit,
        };
        stride.checked_mul(size as isize).ok_or(overflow)
    })
    .collect()
}
