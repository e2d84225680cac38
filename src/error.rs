//! Every refusal of the crate, in one enum: what was wrong, which argument and axis, what was
//! given and what would have been accepted.
//!
//! Whatever the variant, nothing was written to any destination. The same arguments give the same
//! error in debug and in release builds.

use restride_kernels::Isa;

/// Why an operation was refused. `arg` names the argument as the caller knows it (`shape`,
/// `dst.strides`, `axes`), axes count from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two things that need one entry per axis have different numbers of them.
    #[error("{arg}: {got} axes where there are {want}")]
    RankMismatch {
        /// The argument with the wrong number of entries.
        arg: &'static str,
        /// Its number of entries.
        got: usize,
        /// The rank it should have.
        want: usize,
    },
    /// Source and destination differ in an extent.
    #[error("shapes differ at axis {axis}: the source has {src}, the destination {dst}")]
    ShapeMismatch {
        /// The first axis where they differ.
        axis: usize,
        /// The source's extent.
        src: usize,
        /// The destination's extent.
        dst: usize,
    },
    /// The number of elements (counting extents of 0 as 1) is more than `isize::MAX`.
    #[error("{arg}: the number of elements exceeds isize::MAX at axis {axis}")]
    SizeOverflow {
        /// The shape.
        arg: &'static str,
        /// The axis whose extent takes the product over the limit.
        axis: usize,
    },
    /// An offset, in elements or in bytes, does not fit `isize`.
    #[error("{arg}{}: the {unit} offset it reaches does not fit isize", on_axis(*axis))]
    OffsetOverflow {
        /// The strides or the offset.
        arg: &'static str,
        /// The axis at which the reach overflows; none for the offset itself.
        axis: Option<usize>,
        /// Whether it was counted in elements or in bytes.
        unit: Unit,
    },
    /// An index, or the reach of strides, leaves what there is.
    #[error("{arg}{}: reaches {got}, allowed is {low}..{high}", on_axis(*axis))]
    OutOfBounds {
        /// The argument that leads outside.
        arg: &'static str,
        /// The axis it belongs to, where it belongs to one.
        axis: Option<usize>,
        /// The first place that is outside, in elements.
        got: i128,
        /// The lowest place allowed.
        low: i128,
        /// One past the highest place allowed.
        high: i128,
    },
    /// A destination would be written twice in one place.
    #[error("{arg}: indices {first:?} and {second:?} share memory, so it cannot be a destination")]
    InternalOverlap {
        /// The destination.
        arg: &'static str,
        /// An index.
        first: Box<[usize]>,
        /// Another index whose element shares memory with it.
        second: Box<[usize]>,
    },
    /// It could not be proven, within the work budget, that a destination writes no place twice.
    #[error(
        "{arg}: not proven within {budget} steps that no place is written twice; an unsafe constructor takes the proof from the caller"
    )]
    OverlapUndecided {
        /// The destination.
        arg: &'static str,
        /// Steps the solver was allowed.
        budget: u32,
    },
    /// An axis stands twice in a permutation.
    #[error("{arg}[{position}]: axis {axis} stands twice")]
    NotAPermutation {
        /// The permutation.
        arg: &'static str,
        /// Where it stands for the second time.
        position: usize,
        /// The axis.
        axis: usize,
    },
    /// An axis that the rank does not have.
    #[error("{arg}: axis {got} where the rank is {rank}")]
    AxisOutOfRange {
        /// The argument that names the axis.
        arg: &'static str,
        /// The axis.
        got: usize,
        /// The rank.
        rank: usize,
    },
    /// A slice with a step of 0.
    #[error("slice of axis {axis}: the step is 0")]
    BadStep {
        /// The axis.
        axis: usize,
    },
    /// An extent that can not be broadcast.
    #[error("axis {axis}: extent {got} cannot be broadcast to {want}")]
    BroadcastMismatch {
        /// The axis of the shape asked for.
        axis: usize,
        /// The extent there is.
        got: usize,
        /// The extent asked for.
        want: usize,
    },
    /// No strides express this reshape of this layout.
    #[error("the reshape has no view from axis {axis} of the new shape on: copy first")]
    ReshapeNeedsCopy {
        /// The first axis of the new shape that no stride expresses.
        axis: usize,
    },
    /// A shape with another number of elements than there are.
    #[error("{arg}: {}", mismatch(*got, *want))]
    SizeMismatch {
        /// The argument.
        arg: &'static str,
        /// The elements it asks for; [`INFER`](crate::INFER) if more than one extent is to be inferred, and as many as
        /// there are if one is that may be anything, as there are none.
        got: usize,
        /// The elements there are.
        want: usize,
    },
    /// An axis to be dropped has another extent than 1.
    #[error("axis {axis}: extent {got} cannot be squeezed, only 1 can")]
    NotSqueezable {
        /// The axis.
        axis: usize,
        /// Its extent.
        got: usize,
    },
    /// Nothing was given to put together.
    #[error("{arg}: at least one is needed")]
    NoParts {
        /// The argument.
        arg: &'static str,
    },
    /// One of many parts does not fit the others, or its place.
    #[error("{arg}[{part}]: extent {got} at axis {axis} where {want} fits")]
    PartMismatch {
        /// The parts.
        arg: &'static str,
        /// Which of them.
        part: usize,
        /// The axis of the part.
        axis: usize,
        /// Its extent there.
        got: usize,
        /// The extent that would fit.
        want: usize,
    },
    /// One of many parts has another rank than it needs.
    #[error("{arg}[{part}]: rank {got} where {want} fits")]
    PartRankMismatch {
        /// The parts.
        arg: &'static str,
        /// Which of them.
        part: usize,
        /// Its rank.
        got: usize,
        /// The rank that would fit.
        want: usize,
    },
    /// There is no element that an axis could be continued with.
    #[error("axis {axis}: without an element, it cannot be extended by others of its own")]
    NothingToRepeat {
        /// The axis.
        axis: usize,
    },
    /// A tensor that was taken out of its graph, or a tensor of another graph.
    #[error("{arg}: not, or no longer, in this graph")]
    StaleHandle {
        /// What was named.
        arg: &'static str,
    },
    /// Two views that one operation writes may share an element, and no order is given among them.
    #[error("views {first} and {second} of the operation are both written and may overlap")]
    OutputsOverlap {
        /// The number of the one, among the views of the operation.
        first: usize,
        /// The number of the other.
        second: usize,
    },
    /// The smallest or largest of no numbers.
    #[error("axis {axis}: without an element, there is no smallest and no largest")]
    NothingToReduce {
        /// The axis.
        axis: usize,
    },
    /// An ISA that this machine does not run.
    #[error("{arg}: {wanted} is not available here; the highest tier is {available}")]
    UnsupportedIsa {
        /// Where it was asked for.
        arg: &'static str,
        /// What was asked for.
        wanted: Isa,
        /// What there is.
        available: Isa,
    },
    /// A name that no ISA has.
    #[error("{arg}: unknown ISA {got:?}; accepted are scalar, portable, avx2, avx512, avx512vbmi")]
    UnknownIsa {
        /// Where it was asked for.
        arg: &'static str,
        /// The name.
        got: String,
    },
    /// A name that no cores have.
    #[error("{arg}: unknown cores {got:?}; accepted are others, zen3, zen4, zen5")]
    UnknownCores {
        /// Where they were asked for.
        arg: &'static str,
        /// The name.
        got: String,
    },
    /// Memory could not be had.
    #[error("no memory for {bytes} bytes")]
    AllocFailed {
        /// The bytes asked for.
        bytes: usize,
    },
    /// A plan was run on views that differ from those it was made for.
    #[error("the plan does not fit the {what} of {arg}")]
    StalePlan {
        /// The view that differs.
        arg: &'static str,
        /// What differs: element size, shape or strides.
        what: &'static str,
    },
}

/// What an offset was counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Elements.
    Element,
    /// Bytes.
    Byte,
}

impl core::fmt::Display for Unit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Element => "element",
            Self::Byte => "byte",
        })
    }
}

impl Error {
    /// The same refusal, said of the source of a copy.
    pub(crate) fn of_src(self) -> Self {
        self.renamed(&[("offset", "src.offset"), ("strides", "src.strides")])
    }

    /// The same refusal, said of the destination of a copy.
    pub(crate) fn of_dst(self) -> Self {
        self.renamed(&[("offset", "dst.offset"), ("strides", "dst.strides")])
    }

    /// The same refusal, said of a shape that came without strides and offset.
    pub(crate) fn of_shape(self) -> Self {
        self.renamed(&[("offset", "shape"), ("strides", "shape")])
    }

    /// The same refusal of a shape or a layout whose `rank` axes were given in reverse.
    pub(crate) fn with_axes_reversed(mut self, rank: usize) -> Self {
        if let Self::SizeOverflow { axis, .. } | Self::ReshapeNeedsCopy { axis } = &mut self {
            *axis = rank - 1 - *axis;
        }
        self
    }

    fn renamed(mut self, names: &[(&str, &'static str)]) -> Self {
        if let Self::OffsetOverflow { arg, .. } | Self::OutOfBounds { arg, .. } = &mut self
            && let Some(&(_, name)) = names.iter().find(|(name, _)| name == arg)
        {
            *arg = name;
        }
        self
    }
}

fn mismatch(got: usize, want: usize) -> String {
    if got == crate::INFER {
        "more than one extent is to be inferred".to_owned()
    } else if got == want {
        "the extent to be inferred could be any, as there is no element".to_owned()
    } else {
        format!("{got} elements where there are {want}")
    }
}

fn on_axis(axis: Option<usize>) -> impl core::fmt::Display {
    struct OnAxis(Option<usize>);
    impl core::fmt::Display for OnAxis {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            self.0.map_or(Ok(()), |axis| write!(f, ", axis {axis}"))
        }
    }
    OnAxis(axis)
}
