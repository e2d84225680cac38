//! Views: a layout over memory that someone else owns, with the lifetime of the borrow.
//!
//! Here, and in `array.rs`, `Send` and `Sync` of what users hold are said by hand. Slices become pointers here, there, in
//! `copy.rs`, `within`, and where `assemble` and `graph` hand parts of one destination to the engine.

mod apart;
mod elements;
pub(crate) mod forward;
mod read;
mod repack;
mod write;

pub use elements::{Iter, IterMut};
pub use read::View;
pub use write::{Slot, ViewMut};
