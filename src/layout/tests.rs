//! Layouts against a model that knows no strides: a list of places in logical order.

mod algebra;
mod chains;
mod injective;
mod model;
mod queries;
mod reshape;
mod slice;
mod wild;
