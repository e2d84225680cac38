//! Planning: from a problem to a plan, in steps that are values.
//!
//! `Problem -> Normal -> Recipe -> Plan`. Everything up to the recipe is pure and is tested without
//! running anything; binding a recipe to the kernels of this machine makes a plan.

#![forbid(unsafe_code)]

mod batch;
mod bind;
mod choose;
mod cut;
mod direct;
mod display;
mod draft;
mod fetch;
mod group;
mod normalise;
mod options;
mod pieces;
mod plane;
mod problem;
mod recipe;
mod repeat;
mod small;
mod stores;
mod tiny;
mod traffic;
mod woven;

pub use batch::Batch;
pub use bind::Plan;
pub(crate) use bind::{Kernels, bound};
pub(crate) use choose::Choice;
pub(crate) use cut::wanted;
pub(crate) use direct::{Cells, Direct, StridedPanel, StridedSide};
pub(crate) use group::PanelDims;
pub use normalise::Normal;
pub(crate) use normalise::{Dims, FEW, Form};
pub use options::{Options, Par, Stores};
pub(crate) use plane::Plane;
pub use problem::{Dim, Op, Problem, SourceGaps};
pub use recipe::{
    Nest, PanelPlan, Recipe, RowPlan, SidePlan, Split, SplitAxis, Stored, Threads, Work,
};
pub use repeat::Repeat;
#[cfg(test)]
pub(crate) use repeat::Uses;
pub(crate) use small::Sides;
pub(crate) use stores::streaming_bytes;
pub(crate) use tiny::{Tiles, Way};
pub use traffic::{Level, SideTraffic, Traffic};
