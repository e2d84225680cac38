//! `restride` copies data between any two strided layouts as fast as the memory allows.
//!
//! A planner normalises the copy into merged, reordered dimensions and picks a kernel: memcpy on
//! contiguous runs, SIMD gather, scatter and interleave for small strides, cache-tiled SIMD
//! transposes, rayon-parallel outer loops. View operations are a thin front-end that only changes
//! metadata.
//!
//! ```
//! use restride::{Array, View};
//!
//! // An image of 2 x 3 RGB pixels becomes three planes, in one pass and without zeroing.
//! let pixels: Vec<u8> = (0..18).collect();
//! let image = View::from_slice(&pixels, &[2, 3, 3])?;
//! let planes: Array<u8> = image.permute(&[2, 0, 1])?.to_array()?;
//! assert_eq!(planes.shape(), [3, 2, 3]);
//! assert_eq!(planes.as_slice()[..6], [0, 3, 6, 9, 12, 15]);
//! # Ok::<(), restride::Error>(())
//! ```
//!
//! # Where things are
//!
//! - [`Layout`]: shape, strides and offset in elements, and the algebra on them; what shares elements
//!   with what ([`Overlap`]).
//! - [`View`], [`ViewMut`], [`Array`]: a layout over borrowed or owned elements.
//! - [`coming_from`]: names of NumPy, PyTorch and ndarray, and what is different here.
//! - [`copy`](fn@copy), [`copy_with`], [`strided_copy`], [`copy_within`], [`fill`]: the doors.
//! - [`concat()`], [`stack`], [`split`], [`unstack`], [`pad`], [`tile`], [`repeat`], [`roll`], [`take`],
//!   [`put`], [`copy_many`]: arrays put together from views, and taken apart.
//! - [`Graph`]: operations on views of tensors, whose dependencies are found by overlap.
//! - [`Problem`], [`Plan`], [`Options`]: for those who copy the same layouts again and again, or
//!   embed the engine under their own arrays ([`Problem::from_bytes`], [`Plan::run_raw`]).
//! - [`Recipe`] and [`recipe`], [`Facts`], [`Machine`]: what was decided, and from what. A [`Plan`] prints itself.
//!
//! # Safety
//!
//! Everything but the functions marked `unsafe` is safe for any arguments. A [`ViewMut`] only exists
//! for a layout that reaches no element twice; elements are plain data without padding
//! ([`NoUninit`], of the crate `bytemuck`); on an error nothing was written.

#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod array;
mod assemble;
pub mod coming_from;
mod copy;
mod error;
mod exec;
mod graph;
mod layout;
mod machine;
mod plan;
mod view;
mod within;

pub use array::{Array, Contiguous};
pub use assemble::{
    Pad, concat, concat_into, copy_many, gather_rows, gather_rows_into, pad, pad_into, put, repeat,
    repeat_each, repeat_each_into, repeat_into, roll, roll_into, split, split_into, stack,
    stack_into, take, take_into, tile, tile_into, unstack, unstack_into,
};
pub use bytemuck::NoUninit;
pub use copy::{copy, copy_with, fill, strided_copy};
pub use error::{Error, Unit};
pub use graph::{
    Conflict, Conflicts, Dependencies, Graph, Hazard, HazardKind, Input, Io, NewOperation, Number,
    OperationId, Output, Reduce, Schedule, Tensor, TensorView,
};
pub use layout::{INFER, Index, Layout, NewAxis, Overlap, Parts, Pick, Places, Slice};
pub use machine::{CacheSizes, Cores, Costs, Facts, Machine};
pub use plan::{Options, Par, Plan, Problem, Recipe, SourceGaps, Stores};
pub use restride_kernels::Isa;
pub use view::{Iter, IterMut, Slot, View, ViewMut};
pub use within::{copy_within, copy_within_with};

pub mod recipe {
    //! What a [`Recipe`](crate::Recipe) is made of: for those who want to know what was decided, or to test it. To copy,
    //! nothing here is needed.

    pub use crate::plan::{
        Batch, Dim, Level, Nest, Normal, Op, PanelPlan, Repeat, RowPlan, SidePlan, SideTraffic,
        Split, SplitAxis, Stored, Threads, Traffic, Work,
    };
    pub use restride_kernels::{Family, Pairing, Tile};
}
