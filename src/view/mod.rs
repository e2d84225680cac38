//! Views: a layout over memory that someone else owns, with the lifetime of the borrow.
//!
//! This folder and `array.rs` are the only places where slices become pointers, and where
//! `Send` and `Sync` are said by hand.

mod apart;
mod elements;
pub(crate) mod forward;
mod read;
mod repack;
mod write;

pub use elements::{Iter, IterMut};
pub use read::View;
pub use write::{Slot, ViewMut};
