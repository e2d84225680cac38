//! Views: a layout over memory that someone else owns, with the lifetime of the borrow.
//!
//! This folder and `array.rs` are the only places where slices become pointers, and where
//! `Send` and `Sync` are said by hand.

pub(crate) mod forward;
mod read;
mod write;

pub use read::View;
pub use write::{Slot, ViewMut};
