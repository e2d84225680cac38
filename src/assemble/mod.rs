//! Arrays put together from views, and taken apart: what NumPy calls `concatenate`, `stack`,
//! `split`, `pad`, `tile`, `repeat`, `roll`, `take` and `put`, and lists of blocks.
//!
//! None of it has a loop over elements. Each operation says by views which part of the source goes
//! where, and hands that to the engine, as one copy, as many copies that share the threads
//! ([`pieces`]), as one copy with a side in many places ([`lists`]), or as pixels that get channels ([`channels`]).
//!
//! Each has two forms: one that makes a new [`Array`](crate::Array), and `.._into`, which writes an
//! existing destination and takes [`Options`](crate::Options). Arguments are checked before
//! anything is written.

mod blocks;
mod channels;
mod join;
mod lists;
mod pad;
mod part;
mod pieces;
mod repeat;
mod take;

pub use blocks::copy_many;
pub use join::{concat, concat_into, stack, stack_into};
pub use pad::{Pad, pad, pad_into};
pub use part::{split, split_into, unstack, unstack_into};
pub use repeat::{
    repeat, repeat_each, repeat_each_into, repeat_into, roll, roll_into, tile, tile_into,
};
pub use take::{gather_rows, gather_rows_into, put, take, take_into};

use crate::error::Error;
use crate::layout::{Layout, PerAxis};

/// `layout` with the extent of one axis, which has a single index, become `extent`: the same place
/// for all of them.
fn stretched(layout: &Layout, axis: usize, extent: usize) -> Result<Layout, Error> {
    let mut shape = PerAxis::from_slice(layout.shape());
    shape[axis] = extent;
    layout.broadcast_to(&shape)
}

/// A shape with another extent at one axis.
fn with_extent(
    shape: &[usize],
    axis: usize,
    extent: Option<usize>,
) -> Result<PerAxis<usize>, Error> {
    let arg = "shape";
    let extent = extent.ok_or(Error::SizeOverflow { arg, axis })?;
    let mut shape = PerAxis::from_slice(shape);
    shape[axis] = extent;
    Ok(shape)
}
