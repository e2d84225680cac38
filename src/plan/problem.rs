//! The problem: what is to be copied, in bytes, checked once and for all.
//!
//! Everything after this page trusts it: the same shape on both sides, byte arithmetic that fits
//! `isize`, and a destination that is not written twice in one place.

use bytemuck::NoUninit;
pub use restride_kernels::SourceGaps;

use crate::error::{Error, Unit};
use crate::layout::{Layout, PerAxis, check_injective, check_same_shape, checked_len, reach};

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

impl Dim {
    /// What stands where there is none yet.
    pub(crate) const NONE: Self = Self {
        extent: 1,
        src: 0,
        dst: 0,
    };
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
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    pub(super) src_cell: usize,
    pub(super) dst_cell: usize,
    pub(super) op: Op,
    pub(super) gaps: SourceGaps,
    pub(super) dims: PerAxis<Dim>,
    /// The axis whose positions on one side come from a list of pointers.
    pub(super) listed: Option<Listed>,
}

/// An axis whose positions on one side come from a list of pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Listed {
    /// Each index has a source of its own.
    Source(usize),
    /// Each index has a destination of its own.
    Destination(usize),
}

impl Listed {
    #[inline]
    pub(super) fn axis(self) -> usize {
        match self {
            Self::Source(axis) | Self::Destination(axis) => axis,
        }
    }
}

impl Clone for Problem {
    /// As a derived one, but for the dimensions, of which only those that there are are copied: a
    /// plan keeps a copy of its problem.
    #[inline(always)]
    fn clone(&self) -> Self {
        let mut problem = Self {
            dims: PerAxis::new(),
            ..*self
        };
        for &dim in &self.dims {
            problem.dims.push(dim);
        }
        problem
    }
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

    /// As [`Problem::new`], for elements of `cell_bytes` bytes, whatever their type: strides and
    /// extents of both layouts count elements.
    ///
    /// # Errors
    /// As [`Problem::new`].
    pub fn from_layouts(cell_bytes: usize, src: &Layout, dst: &Layout) -> Result<Self, Error> {
        Self::of_layouts(cell_bytes, src, dst, Injective::ToProve)
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
        Self::of_bytes(cell_bytes, shape, src, dst, Injective::ToProve)
    }

    /// As [`Problem::from_bytes`], where the caller answers for the destination.
    pub(crate) fn from_bytes_proven(
        cell: usize,
        shape: &[usize],
        src: &[isize],
        dst: &[isize],
    ) -> Result<Self, Error> {
        Self::of_bytes(cell, shape, src, dst, Injective::Known)
    }

    /// The same problem with another promise about the bytes between source cells.
    ///
    /// [`SourceGaps::Readable`] promises that all bytes between the lowest and the highest source
    /// cell can be read, and that no one writes them while a copy runs; kernels may then load whole
    /// lines. The default is [`SourceGaps::Forbidden`].
    #[must_use]
    #[inline]
    pub fn with_source_gaps(mut self, gaps: SourceGaps) -> Self {
        self.gaps = gaps;
        self
    }

    /// The same problem with a source in many places: index `i` of `axis` starts at the `i`th
    /// pointer of the list that [`Plan::run_listed_raw`](crate::Plan::run_listed_raw) is given, and
    /// the source stride of `axis` means nothing. So columns of separate allocations become rows.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn with_listed_source(mut self, axis: usize) -> Result<Self, Error> {
        let rank = self.dims.len();
        let dim = self.dims.get_mut(axis);
        dim.ok_or(Error::AxisOutOfRange {
            arg: "axis",
            got: axis,
            rank,
        })?
        .src = 0;
        self.listed = Some(Listed::Source(axis));
        Ok(self)
    }

    /// The same problem with a destination in many places: index `i` of `axis` starts at the `i`th
    /// pointer of a list, and the destination stride of `axis` means nothing.
    pub(crate) fn with_listed_destination(mut self, axis: usize) -> Self {
        self.dims[axis].dst = 0;
        self.listed = Some(Listed::Destination(axis));
        self
    }

    /// The number of pointers of the list that the source comes from, where it does.
    #[must_use]
    #[inline]
    pub fn listed_sources(&self) -> Option<usize> {
        match self.listed {
            Some(Listed::Source(axis)) => Some(self.dims[axis].extent),
            _ => None,
        }
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
    #[inline]
    pub fn source_gaps(&self) -> SourceGaps {
        self.gaps
    }

    fn of_layouts(
        size: usize,
        src: &Layout,
        dst: &Layout,
        injective: Injective,
    ) -> Result<Self, Error> {
        check_same_shape(src.shape(), dst.shape())?;
        let mut dims = PerAxis::new();
        for (axis, &extent) in src.shape().iter().enumerate() {
            let mut dim = Dim {
                extent,
                src: 0,
                dst: 0,
            };
            // Strides that are never used may hold anything.
            if extent > 1 && !src.is_empty() {
                dim.src = in_bytes(src.strides()[axis], size, axis, "src.strides")?;
                dim.dst = in_bytes(dst.strides()[axis], size, axis, "dst.strides")?;
            }
            dims.push(dim);
        }
        check(size, &dims, src.len(), injective)?;
        Ok(Self::of(size, dims))
    }

    fn of_bytes(
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
        let mut dims = PerAxis::new();
        for (axis, &extent) in shape.iter().enumerate() {
            dims.push(Dim {
                extent,
                src: src[axis],
                dst: dst[axis],
            });
        }
        check(cell, &dims, checked_len(shape)?, injective)?;
        Ok(Self::of(cell, dims))
    }

    #[inline]
    pub(super) fn of(cell: usize, dims: PerAxis<Dim>) -> Self {
        Self {
            src_cell: cell,
            dst_cell: cell,
            op: Op::Move,
            gaps: SourceGaps::default(),
            dims,
            listed: None,
        }
    }

    /// Refuses views of elements of `size` bytes with other layouts than this problem's, or of a
    /// source with other gaps.
    #[inline]
    pub(crate) fn admits(
        &self,
        size: usize,
        src: (&Layout, SourceGaps),
        dst: &Layout,
    ) -> Result<(), Error> {
        if self.fits(size, src, dst) {
            return Ok(());
        }
        self.examine(size, src, dst)
    }

    /// [`Problem::admits`] at length.
    #[cold]
    fn examine(
        &self,
        size: usize,
        (src, gaps): (&Layout, SourceGaps),
        dst: &Layout,
    ) -> Result<(), Error> {
        self.matches(size, src, |dim| dim.src, "src")?;
        self.matches(size, dst, |dim| dim.dst, "dst")?;
        self.allows_source(gaps)
    }

    /// Whether nothing can be said against these views: in one pass, because it is done for each
    /// run of a plan. Where this says no, the answer may still be yes.
    #[inline]
    fn fits(&self, size: usize, (src, gaps): (&Layout, SourceGaps), dst: &Layout) -> bool {
        let gaps = self.gaps == gaps || gaps == SourceGaps::Readable;
        if size != self.src_cell || !gaps || self.listed.is_some() {
            return false;
        }
        let dims = &self.dims[..];
        let (shapes, strides) = ((src.shape(), dst.shape()), (src.strides(), dst.strides()));
        let ranks = [
            shapes.0.len(),
            shapes.1.len(),
            strides.0.len(),
            strides.1.len(),
        ];
        // One by one: then none is asked for its bounds below.
        if ranks.iter().any(|&rank| rank != dims.len()) {
            return false;
        }
        for (axis, dim) in dims.iter().enumerate() {
            // Nothing overflows: the bytes of a view fit isize.
            let bytes = |stride: isize| stride.wrapping_mul(size as isize);
            if shapes.0[axis] != dim.extent || shapes.1[axis] != dim.extent {
                return false;
            }
            let same = bytes(strides.0[axis]) == dim.src && bytes(strides.1[axis]) == dim.dst;
            if !same && dim.extent != 1 {
                return false;
            }
        }
        true
    }

    /// Whether one view, whose gaps are as said, can be this problem's source.
    #[cold]
    fn allows_source(&self, gaps: SourceGaps) -> Result<(), Error> {
        let stale = |what| Err(Error::StalePlan { arg: "src", what });
        if self.listed.is_some() {
            return stale("kind of source");
        }
        if self.gaps == SourceGaps::Readable && gaps == SourceGaps::Forbidden {
            return stale("promise about gaps");
        }
        Ok(())
    }

    /// Whether a view of elements of `size` bytes with this layout is what one side of the problem
    /// was made for. Strides of extents up to 1 do not matter.
    #[cold]
    fn matches(
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

fn in_bytes(stride: isize, size: usize, axis: usize, arg: &'static str) -> Result<isize, Error> {
    let overflow = Error::OffsetOverflow {
        arg,
        axis: Some(axis),
        unit: Unit::Byte,
    };
    stride.checked_mul(size as isize).ok_or(overflow)
}

/// Whether the bytes between the lowest and the highest cell of a side fit isize.
fn check_reach(
    cell: usize,
    dims: &[Dim],
    side: impl Fn(&Dim) -> isize,
    arg: &'static str,
) -> Result<(), Error> {
    let axes = dims.iter().map(|dim| (dim.extent, side(dim)));
    reach(axes, 0, |axis, low, high| {
        if high - low + cell as i128 <= isize::MAX as i128 {
            return Ok(());
        }
        Err(Error::OffsetOverflow {
            arg,
            axis: Some(axis),
            unit: Unit::Byte,
        })
    })
}

/// Whether both sides fit isize in bytes, and whether the destination writes no byte twice where
/// that is to be proven. `len` is the product of the extents.
fn check(cell: usize, dims: &[Dim], len: usize, injective: Injective) -> Result<(), Error> {
    if len == 0 {
        return Ok(());
    }
    if cell > isize::MAX as usize {
        let unit = Unit::Byte;
        return Err(Error::OffsetOverflow {
            arg: "cell_bytes",
            axis: None,
            unit,
        });
    }
    check_reach(cell, dims, |dim| dim.src, "src.strides")?;
    check_reach(cell, dims, |dim| dim.dst, "dst.strides")?;
    match injective {
        Injective::ToProve => {
            check_injective(dims.iter().map(|dim| (dim.extent, dim.dst)), cell, "dst")
        }
        Injective::Known => Ok(()),
    }
}
