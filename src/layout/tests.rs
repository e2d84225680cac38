//! Layouts against a model that knows no strides: a list of places in logical order.

use crate::error::Error;
use crate::layout::check_injective;

mod algebra;
mod chains;
mod injective;
mod model;
mod overlap;
mod queries;
mod reshape;
mod slice;
mod wild;

/// The proof as a destination asks for it: of no matter what where there is no element.
fn checked_injective(
    shape: &[usize],
    strides: &[isize],
    width: usize,
    arg: &'static str,
) -> Result<(), Error> {
    if shape.contains(&0) || width == 0 {
        return Ok(());
    }
    let axes = shape.iter().copied().zip(strides.iter().copied());
    check_injective(axes, width, arg)
}
